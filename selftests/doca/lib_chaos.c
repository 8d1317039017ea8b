// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdoca on a device whose completions and events are wrong: each task's
 * callback is called exactly once, waiting ends, and everything can be
 * destroyed. Needs QEMU's monitor.
 */
#include "lib_utils.h"
#include "function_utils.h"

#define NUM_TASKS	64
#define LEN		4096
#define SHORT_MS	300

struct run {
	int calls[NUM_TASKS];	/* by task */
	int done;
	int failed;
};

FIXTURE(chaos) {
	struct baseline base;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_mmap *map;
	struct doca_buf_inventory *inventory;
	struct doca_buf *src[NUM_TASKS], *dst[NUM_TASKS];
	struct run run;
	char *mem;
};

FIXTURE_VARIANT(chaos) {
	const char *mode;
	bool all_fail;		/* no task may be reported as done */
};

#define MODE(_name, _mode, _all_fail)					\
	FIXTURE_VARIANT_ADD(chaos, _name) {				\
		.mode = _mode, .all_fail = _all_fail,			\
	}

MODE(none, "none", false);
MODE(status, "cqe-status", true);
MODE(cookie, "cqe-cookie", true);
MODE(tag, "cqe-tag", true);
MODE(index, "cqe-index", false);
MODE(index_zero, "cqe-index=0", false);
MODE(index_backwards, "cqe-back", false);
MODE(length, "cqe-length", false);
MODE(opcode, "cqe-opcode", false);
MODE(phase, "cqe-phase", true);
MODE(missing, "cqe-drop", true);
MODE(twice, "cqe-duplicate", false);
MODE(late, "cqe-reorder", false);
MODE(event_missing, "eqe-drop", false);
MODE(event_twice, "eqe-duplicate", false);
MODE(event_on_another_vector, "eqe-ring", false);
MODE(event_id, "eqe-id", false);
MODE(interrupt_storm, "irq-storm", false);
MODE(registers_all_ones, "regs", false);
MODE(refused, "admin-status", false);

static void called(union doca_data user_data, union doca_data ctx_data, bool done)
{
	struct run *run = ctx_data.ptr;

	run->calls[user_data.u64]++;
	if (done)
		run->done++;
	else
		run->failed++;
}

static void on_done(struct doca_dma_task_memcpy *task, union doca_data user_data,
		    union doca_data ctx_data)
{
	called(user_data, ctx_data, true);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data user_data,
		     union doca_data ctx_data)
{
	called(user_data, ctx_data, false);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

FIXTURE_SETUP(chaos)
{
	union doca_data data = { .ptr = &self->run };
	int i;

	baseline_take(&self->base);
	ASSERT_TRUE(find_device());
	self->mem = mem_alloc(2 * NUM_TASKS * LEN);
	ASSERT_NE(NULL, self->mem);
	mem_fill(self->mem, NUM_TASKS * LEN, 1);
	ASSERT_OK(open_device(0, &self->dev));
	ASSERT_OK(map_memory(self->dev, self->mem, 2 * NUM_TASKS * LEN,
			     DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &self->map));
	ASSERT_OK(doca_buf_inventory_create(2 * NUM_TASKS, &self->inventory));
	ASSERT_OK(doca_buf_inventory_start(self->inventory));
	for (i = 0; i < NUM_TASKS; i++) {
		ASSERT_OK(doca_buf_inventory_buf_get_by_data(self->inventory, self->map,
							     self->mem + i * LEN, LEN,
							     &self->src[i]));
		ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->inventory, self->map,
							     self->mem + (NUM_TASKS + i) * LEN,
							     LEN, &self->dst[i]));
	}
	ASSERT_OK(doca_pe_create(&self->pe));
	ASSERT_OK(doca_dma_create(self->dev, &self->dma));
	self->ctx = doca_dma_as_ctx(self->dma);
	ASSERT_OK(doca_dma_task_memcpy_set_conf(self->dma, on_done, on_error, NUM_TASKS));
	ASSERT_OK(doca_ctx_set_user_data(self->ctx, data));
	ASSERT_OK(doca_pe_connect_ctx(self->pe, self->ctx));
	ASSERT_OK(doca_ctx_start(self->ctx));
}

FIXTURE_TEARDOWN(chaos)
{
	int i;

	EXPECT_EQ(0, device_chaos(""));
	EXPECT_OK(doca_dma_destroy(self->dma));
	EXPECT_OK(doca_pe_destroy(self->pe));
	for (i = 0; i < NUM_TASKS; i++) {
		EXPECT_OK(doca_buf_dec_refcount(self->src[i], NULL));
		EXPECT_OK(doca_buf_dec_refcount(self->dst[i], NULL));
	}
	EXPECT_OK(doca_buf_inventory_destroy(self->inventory));
	EXPECT_OK(doca_mmap_destroy(self->map));
	EXPECT_OK(doca_dev_close(self->dev));
	munmap(self->mem, 2 * NUM_TASKS * LEN);
	/* One that refused even to destroy was reset, and refused that, too. */
	if (!strcmp(variant->mode, "admin-status")) {
		EXPECT_EQ(0, do_unbind());
		EXPECT_EQ(0, do_bind());
		EXPECT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
	}
	EXPECT_TRUE(next_one_works());
	EXPECT_BASELINE(&self->base);
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state = 99;

	doca_ctx_get_state(ctx, &state);
	return state;
}

static void submit_all(struct __test_metadata *_metadata, FIXTURE_DATA(chaos) *self)
{
	struct doca_dma_task_memcpy *task;
	int i;

	for (i = 0; i < NUM_TASKS; i++) {
		union doca_data data = { .u64 = i };

		ASSERT_OK(doca_dma_task_memcpy_alloc_init(self->dma, self->src[i],
							  self->dst[i], data, &task));
		ASSERT_OK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	}
}

/* After the end of the context: once each, and what is done is there. */
static void check_all(struct __test_metadata *_metadata, FIXTURE_DATA(chaos) *self,
		      bool all_fail)
{
	doca_error_t err = doca_ctx_stop(self->ctx);
	int i;

	EXPECT_TRUE(err == DOCA_SUCCESS || err == DOCA_ERROR_IN_PROGRESS ||
		    err == DOCA_ERROR_BAD_STATE)
		TH_LOG("stop: %s", doca_error_get_name(err));
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE))
		TH_LOG("%d done, %d failed of %d", self->run.done, self->run.failed, NUM_TASKS);
	for (i = 0; i < NUM_TASKS; i++)
		EXPECT_EQ(1, self->run.calls[i])
			TH_LOG("task %d", i);
	EXPECT_EQ(NUM_TASKS, self->run.done + self->run.failed);
	if (all_fail)
		EXPECT_EQ(0, self->run.done);
}

TEST_F(chaos, tasks_end_once)
{
	uint64_t end;

	ASSERT_EQ(0, device_chaos(variant->mode));
	submit_all(_metadata, self);
	for (end = now_ms() + SHORT_MS; now_ms() < end;)
		doca_pe_progress(self->pe);
	check_all(_metadata, self, variant->all_fail);
	if (!strcmp(variant->mode, "none"))
		EXPECT_EQ(0, memcmp(self->mem, self->mem + NUM_TASKS * LEN, NUM_TASKS * LEN));
}

/* A waiter sleeps too long on such a device, but as long as it wants to, and no crash. */
TEST_F(chaos, waiting_ends)
{
	doca_notification_handle_t fd;
	int i;

	ASSERT_OK(doca_pe_get_notification_handle(self->pe, &fd));
	ASSERT_EQ(0, device_chaos(variant->mode));
	submit_all(_metadata, self);
	for (i = 0; i < 5; i++) {
		EXPECT_OK(doca_pe_request_notification(self->pe));
		fd_poll(fd, SHORT_MS / 5);
		EXPECT_OK(doca_pe_clear_notification(self->pe, fd));
		while (doca_pe_progress(self->pe))
			;
	}
	check_all(_metadata, self, variant->all_fail);
}

DOCA_TEST_MAIN_IF(monitor_there(), "no monitor of QEMU")
