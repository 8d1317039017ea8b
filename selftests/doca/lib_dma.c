// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdoca: contexts, tasks and progress engines, with doca_dma as the engine.
 */
#include "lib_utils.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#define NUM_TASKS	256

/* What the callbacks see: user data of the context. */
struct run {
	int done;
	int failed;
	doca_error_t first_error;
	doca_error_t last_error;
	uint64_t last_user_data;
	int changes;
	enum doca_ctx_states states[16];
	bool keep_tasks;	/* do not free in the callback */
	int resubmit;		/* so many more */
	doca_error_t resubmit_error;
	bool stop;		/* from the callback */
	bool destroy;		/* the object, when it is IDLE */
	struct doca_dma *dma;
	struct doca_pe *pe;
};

FIXTURE(dma) {
	struct baseline base;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_mmap *src_map;
	struct doca_mmap *dst_map;
	struct doca_buf_inventory *inventory;
	struct run run;
	char *src;
	char *dst;
	size_t size;
	bool started;
};

static void on_done(struct doca_dma_task_memcpy *task, union doca_data user_data,
		    union doca_data ctx_data)
{
	struct run *run = ctx_data.ptr;

	run->done++;
	run->last_user_data = user_data.u64;
	if (run->stop) {
		run->stop = false;
		doca_ctx_stop(doca_dma_as_ctx(run->dma));
	}
	if (run->resubmit) {
		run->resubmit--;
		doca_buf_reset_data_len(doca_dma_task_memcpy_get_dst(task));
		run->resubmit_error = doca_task_submit(doca_dma_task_memcpy_as_task(task));
		if (run->resubmit_error == DOCA_SUCCESS)
			return;
	}
	if (!run->keep_tasks)
		doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data user_data,
		     union doca_data ctx_data)
{
	struct run *run = ctx_data.ptr;

	run->last_error = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	if (!run->failed++)
		run->first_error = run->last_error;
	run->last_user_data = user_data.u64;
	if (!run->keep_tasks)
		doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
		     enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct run *run = user_data.ptr;

	if (run->changes < ARRAY_SIZE(run->states))
		run->states[run->changes] = next;
	run->changes++;
	if (run->destroy && next == DOCA_CTX_STATE_IDLE) {
		run->destroy = false;
		run->resubmit_error = doca_dma_destroy(run->dma);
		run->dma = NULL;
	}
}

static doca_error_t make_dma(struct doca_dev *dev, struct doca_pe *pe, struct run *run,
			     uint32_t num_tasks, struct doca_dma **dma)
{
	union doca_data data = { .ptr = run };
	doca_error_t err = doca_dma_create(dev, dma);

	if (err != DOCA_SUCCESS)
		return err;
	run->dma = *dma;
	run->pe = pe;
	err = doca_dma_task_memcpy_set_conf(*dma, on_done, on_error, num_tasks);
	if (err == DOCA_SUCCESS)
		err = doca_ctx_set_user_data(doca_dma_as_ctx(*dma), data);
	if (err == DOCA_SUCCESS)
		err = doca_ctx_set_state_changed_cb(doca_dma_as_ctx(*dma), on_state);
	if (err == DOCA_SUCCESS && pe)
		err = doca_pe_connect_ctx(pe, doca_dma_as_ctx(*dma));
	return err;
}

FIXTURE_SETUP(dma)
{
	baseline_take(&self->base);
	self->size = 64 * 4096;
	self->src = mem_alloc(self->size);
	self->dst = mem_alloc(self->size);
	ASSERT_NE(NULL, self->src);
	ASSERT_NE(NULL, self->dst);
	mem_fill(self->src, self->size, 1);
	ASSERT_OK(open_device(0, &self->dev));
	ASSERT_OK(map_memory(self->dev, self->src, self->size, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY,
			     &self->src_map));
	ASSERT_OK(map_memory(self->dev, self->dst, self->size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
			     &self->dst_map));
	ASSERT_OK(doca_buf_inventory_create(4 * NUM_TASKS, &self->inventory));
	ASSERT_OK(doca_buf_inventory_start(self->inventory));
	ASSERT_OK(doca_pe_create(&self->pe));
	ASSERT_OK(make_dma(self->dev, self->pe, &self->run, NUM_TASKS, &self->dma));
	self->ctx = doca_dma_as_ctx(self->dma);
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state = 99;

	doca_ctx_get_state(ctx, &state);
	return state;
}

#define STOP(pe, ctx) do {							\
	doca_error_t __err = doca_ctx_stop(ctx);				\
										\
	EXPECT_TRUE(__err == DOCA_SUCCESS || __err == DOCA_ERROR_IN_PROGRESS)	\
		TH_LOG("stop: %s", doca_error_get_name(__err));			\
	EXPECT_TRUE(PROGRESS_UNTIL(pe, state_of(ctx) == DOCA_CTX_STATE_IDLE));	\
} while (0)

FIXTURE_TEARDOWN(dma)
{
	if (self->dma) {
		STOP(self->pe, self->ctx);
		EXPECT_OK(doca_dma_destroy(self->dma));
	}
	EXPECT_OK(doca_pe_destroy(self->pe));
	/* bufs that a test left out are its own mistake */
	if (_metadata->passed) {
		uint32_t free_bufs = 0, all = 0;

		doca_buf_inventory_get_num_free_elements(self->inventory, &free_bufs);
		doca_buf_inventory_get_num_elements(self->inventory, &all);
		EXPECT_EQ(all, free_bufs);
	}
	EXPECT_OK(doca_buf_inventory_destroy(self->inventory));
	EXPECT_OK(doca_mmap_destroy(self->src_map));
	EXPECT_OK(doca_mmap_destroy(self->dst_map));
	EXPECT_OK(doca_dev_close(self->dev));
	munmap(self->src, self->size);
	munmap(self->dst, self->size);
	EXPECT_BASELINE(&self->base);
}

static struct doca_buf *src_buf(FIXTURE_DATA(dma) *self, size_t offset, size_t len)
{
	struct doca_buf *buf = NULL;

	doca_buf_inventory_buf_get_by_data(self->inventory, self->src_map, self->src + offset,
					   len, &buf);
	return buf;
}

static struct doca_buf *dst_buf(FIXTURE_DATA(dma) *self, size_t offset, size_t len)
{
	struct doca_buf *buf = NULL;

	doca_buf_inventory_buf_get_by_addr(self->inventory, self->dst_map, self->dst + offset,
					   len, &buf);
	return buf;
}

static doca_error_t alloc_task(struct doca_dma *dma, struct doca_buf *src, struct doca_buf *dst,
			       uint64_t number, struct doca_task **task)
{
	union doca_data data = { .u64 = number };
	struct doca_dma_task_memcpy *memcpy_task;
	doca_error_t err = doca_dma_task_memcpy_alloc_init(dma, src, dst, data, &memcpy_task);

	if (err == DOCA_SUCCESS)
		*task = doca_dma_task_memcpy_as_task(memcpy_task);
	return err;
}

static doca_error_t submit_copy(struct doca_dma *dma, struct doca_buf *src, struct doca_buf *dst,
				uint64_t number)
{
	struct doca_task *task;
	doca_error_t err = alloc_task(dma, src, dst, number, &task);

	return err == DOCA_SUCCESS ? doca_task_submit(task) : err;
}

static void drop(struct doca_buf *buf)
{
	if (buf)
		doca_buf_dec_refcount(buf, NULL);
}

TEST_F(dma, one_copy)
{
	struct doca_buf *src = src_buf(self, 3, 1000), *dst = dst_buf(self, 5, 2000);
	size_t len = 0, inflight = 9;
	void *data = NULL;

	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(submit_copy(self->dma, src, dst, 4711));
	EXPECT_OK(doca_ctx_get_num_inflight_tasks(self->ctx, &inflight));
	EXPECT_EQ(1, inflight);
	EXPECT_EQ(0, self->run.done);
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed));
	EXPECT_EQ(1, self->run.done);
	EXPECT_EQ(4711, self->run.last_user_data);
	EXPECT_EQ(0, memcmp(self->src + 3, self->dst + 5, 1000));
	EXPECT_OK(doca_buf_get_data_len(dst, &len));
	EXPECT_EQ(1000, len);
	EXPECT_OK(doca_buf_get_data(dst, &data));
	EXPECT_EQ((void *)(self->dst + 5), data);
	EXPECT_OK(doca_ctx_get_num_inflight_tasks(self->ctx, &inflight));
	EXPECT_EQ(0, inflight);
	EXPECT_EQ(0, doca_pe_progress(self->pe));
	drop(src);
	drop(dst);
}

TEST_F(dma, output_goes_behind_the_data_of_the_destination)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 1000);
	size_t len = 0;
	int i;

	ASSERT_OK(doca_ctx_start(self->ctx));
	for (i = 0; i < 10; i++) {
		EXPECT_OK(doca_buf_set_data(src, self->src + i * 7, 100));
		ASSERT_OK(submit_copy(self->dma, src, dst, i));
		ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done == i + 1));
		EXPECT_OK(doca_buf_get_data_len(dst, &len));
		EXPECT_EQ(100 * (i + 1), len);
		EXPECT_EQ(0, memcmp(self->src + i * 7, self->dst + 100 * i, 100));
	}
	/* full now */
	ASSERT_OK(submit_copy(self->dma, src, dst, i));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.failed));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, self->run.first_error);
	drop(src);
	drop(dst);
}

TEST_F(dma, the_whole_pool_in_flight)
{
	struct doca_buf *src[NUM_TASKS], *dst[NUM_TASKS];
	struct doca_task *task;
	size_t inflight = 0;
	int i;

	ASSERT_OK(doca_ctx_start(self->ctx));
	for (i = 0; i < NUM_TASKS; i++) {
		src[i] = src_buf(self, i * 512, 512);
		dst[i] = dst_buf(self, i * 512, 512);
		ASSERT_OK(submit_copy(self->dma, src[i], dst[i], i));
	}
	/* no other task: or the pool was rounded up, but not without end */
	for (i = 0; i < 4 * NUM_TASKS; i++)
		if (alloc_task(self->dma, src[0], dst[0], 0, &task) == DOCA_ERROR_NO_MEMORY)
			break;
	EXPECT_EQ(0, i);
	EXPECT_OK(doca_pe_get_num_inflight_tasks(self->pe, &inflight));
	EXPECT_EQ(NUM_TASKS, inflight);
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed == NUM_TASKS));
	EXPECT_EQ(0, self->run.failed);
	EXPECT_EQ(0, memcmp(self->src, self->dst, NUM_TASKS * 512));
	EXPECT_EQ(0, doca_pe_progress(self->pe));
	for (i = 0; i < NUM_TASKS; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
}

TEST_F(dma, tasks_submitted_again_from_their_callback)
{
	struct doca_buf *src[4], *dst[4];
	int i;

	ASSERT_OK(doca_ctx_start(self->ctx));
	self->run.resubmit = 2000;
	for (i = 0; i < 4; i++) {
		src[i] = src_buf(self, i * 512, 512);
		dst[i] = dst_buf(self, i * 512, 512);
		ASSERT_OK(submit_copy(self->dma, src[i], dst[i], i));
	}
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed == 2004));
	EXPECT_EQ(0, self->run.failed);
	EXPECT_DOCA(DOCA_SUCCESS, self->run.resubmit_error);
	for (i = 0; i < 4; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
}

TEST_F(dma, lists_of_buffers)
{
	uint32_t max = 0, n, i;
	struct doca_buf *src, *dst, *b;
	size_t len = 0;

	ASSERT_OK(doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(self->dev),
								&max));
	ASSERT_OK(doca_ctx_start(self->ctx));
	for (n = 1; n <= max && n <= 32; n++) {
		memset(self->dst, 0, self->size);
		src = src_buf(self, 0, 64);
		for (i = 1; i < n; i++) {
			b = src_buf(self, i * 100, 64);
			ASSERT_OK(doca_buf_chain_list(src, b));
		}
		dst = dst_buf(self, 0, 64 * n);
		ASSERT_OK(submit_copy(self->dma, src, dst, n));
		ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed == n));
		ASSERT_EQ(0, self->run.failed);
		EXPECT_OK(doca_buf_get_data_len(dst, &len));
		EXPECT_EQ(64 * n, len);
		for (i = 0; i < n; i++)
			ASSERT_EQ(0, memcmp(self->src + i * 100, self->dst + i * 64, 64));
		drop(src);
		drop(dst);
	}
}

TEST_F(dma, calls_in_the_wrong_order)
{
	struct doca_buf *src = src_buf(self, 0, 8), *dst = dst_buf(self, 0, 8);
	struct doca_pe *other;
	struct doca_dma *dma;
	struct doca_task *task;
	uint32_t max = 0;

	/* IDLE */
	EXPECT_OK(doca_ctx_stop(self->ctx));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, alloc_task(self->dma, src, dst, 0, &task));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_pe_connect_ctx(self->pe, self->ctx));
	ASSERT_OK(doca_pe_create(&other));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_pe_connect_ctx(other, self->ctx));
	EXPECT_OK(doca_pe_destroy(other));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_pe_destroy(self->pe));
	EXPECT_OK(doca_dma_cap_get_max_num_tasks(self->dma, &max));
	EXPECT_LE(NUM_TASKS, max);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_dma_task_memcpy_set_conf(self->dma, on_done, on_error, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_dma_task_memcpy_set_conf(self->dma, on_done, on_error, max + 1));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_dma_task_memcpy_set_conf(self->dma, on_done, on_error, UINT32_MAX));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_dma_task_memcpy_set_conf(self->dma, NULL, on_error, 1));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_dma_task_memcpy_set_conf(self->dma, on_done, NULL, 1));

	/* no progress engine, no tasks */
	ASSERT_OK(make_dma(self->dev, NULL, &self->run, 4, &dma));
	EXPECT_DOCA(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_dma_as_ctx(dma)));
	EXPECT_OK(doca_dma_destroy(dma));
	ASSERT_OK(doca_dma_create(self->dev, &dma));
	EXPECT_OK(doca_pe_connect_ctx(self->pe, doca_dma_as_ctx(dma)));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(doca_dma_as_ctx(dma)));
	EXPECT_OK(doca_dma_destroy(dma));

	/* RUNNING */
	ASSERT_OK(doca_ctx_start(self->ctx));
	EXPECT_EQ(DOCA_CTX_STATE_RUNNING, state_of(self->ctx));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_ctx_start(self->ctx));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE,
		    doca_dma_task_memcpy_set_conf(self->dma, on_done, on_error, 1));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_pe_connect_ctx(self->pe, self->ctx));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_dma_destroy(self->dma));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, alloc_task(self->dma, NULL, dst, 0, &task));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, alloc_task(self->dma, src, NULL, 0, &task));
	EXPECT_OK(doca_ctx_stop(self->ctx));
	EXPECT_EQ(DOCA_CTX_STATE_IDLE, state_of(self->ctx));

	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_dma_create(NULL, &dma));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_dma_create(self->dev, NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_dma_destroy(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_ctx_stop(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_pe_create(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_pe_destroy(NULL));
	EXPECT_EQ(NULL, doca_dma_as_ctx(NULL));
	drop(src);
	drop(dst);
}

TEST_F(dma, states_are_reported_in_their_order)
{
	ASSERT_OK(doca_ctx_start(self->ctx));
	EXPECT_EQ(1, self->run.changes);
	EXPECT_EQ(DOCA_CTX_STATE_RUNNING, self->run.states[0]);
	ASSERT_OK(doca_ctx_stop(self->ctx));
	EXPECT_EQ(DOCA_CTX_STATE_IDLE, self->run.states[self->run.changes - 1]);
}

TEST_F(dma, stop_with_work_in_flight)
{
	struct doca_buf *src[NUM_TASKS], *dst[NUM_TASKS];
	doca_error_t err;
	int i, round;

	for (i = 0; i < NUM_TASKS; i++) {
		src[i] = src_buf(self, i * 512, 512);
		dst[i] = dst_buf(self, i * 512, 512);
	}
	for (round = 0; round < 5; round++) {
		self->run.done = self->run.failed = 0;
		ASSERT_OK(doca_ctx_start(self->ctx));
		for (i = 0; i < NUM_TASKS; i++) {
			doca_buf_reset_data_len(dst[i]);
			ASSERT_OK(submit_copy(self->dma, src[i], dst[i], i));
		}
		err = doca_ctx_stop(self->ctx);
		EXPECT_DOCA(DOCA_ERROR_IN_PROGRESS, err);
		EXPECT_EQ(DOCA_CTX_STATE_STOPPING, state_of(self->ctx));
		EXPECT_DOCA(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(self->ctx));
		ASSERT_TRUE(PROGRESS_UNTIL(self->pe,
					   self->run.done + self->run.failed == NUM_TASKS));
		EXPECT_EQ(DOCA_CTX_STATE_IDLE, state_of(self->ctx));
		if (self->run.failed)
			EXPECT_DOCA(DOCA_ERROR_SHUTDOWN, self->run.first_error);
		EXPECT_EQ(0, doca_pe_progress(self->pe));
		EXPECT_EQ(NUM_TASKS, self->run.done + self->run.failed);
	}
	for (i = 0; i < NUM_TASKS; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
}

TEST_F(dma, stop_waits_for_tasks_that_are_not_freed)
{
	struct doca_buf *src = src_buf(self, 0, 8), *dst = dst_buf(self, 0, 8);
	struct doca_task *task;
	int i;

	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(alloc_task(self->dma, src, dst, 0, &task));
	EXPECT_DOCA(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(self->ctx));
	for (i = 0; i < 10; i++)
		doca_pe_progress(self->pe);
	EXPECT_EQ(DOCA_CTX_STATE_STOPPING, state_of(self->ctx));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_task_submit(task));
	doca_task_free(task);
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE));
	drop(src);
	drop(dst);
}

TEST_F(dma, stop_from_a_callback)
{
	struct doca_buf *src[16], *dst[16];
	int i;

	ASSERT_OK(doca_ctx_start(self->ctx));
	self->run.stop = true;
	for (i = 0; i < 16; i++) {
		src[i] = src_buf(self, i * 512, 512);
		dst[i] = dst_buf(self, i * 512, 512);
		ASSERT_OK(submit_copy(self->dma, src[i], dst[i], i));
	}
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed == 16));
	EXPECT_LE(1, self->run.done);
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE));
	for (i = 0; i < 16; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
}

TEST_F(dma, destroyed_in_the_IDLE_callback)
{
	struct doca_buf *src = src_buf(self, 0, 8), *dst = dst_buf(self, 0, 8);

	ASSERT_OK(doca_ctx_start(self->ctx));
	self->run.destroy = true;
	self->run.stop = true;
	ASSERT_OK(submit_copy(self->dma, src, dst, 0));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, !self->run.dma));
	EXPECT_DOCA(DOCA_SUCCESS, self->run.resubmit_error);
	EXPECT_EQ(1, self->run.done);
	self->dma = NULL;
	EXPECT_EQ(0, doca_pe_progress(self->pe));
	drop(src);
	drop(dst);
}

/* One of many fails: those before it are done, those behind it are not, and it ends the run. */
TEST_F(dma, a_failing_task_ends_the_run)
{
	struct doca_buf *src[64], *dst[64];
	int i;

	ASSERT_OK(doca_ctx_start(self->ctx));
	for (i = 0; i < 64; i++) {
		src[i] = src_buf(self, i * 512, 512);
		dst[i] = dst_buf(self, i * 512, 512);
		if (i == 20)
			doca_buf_reset_data_len(src[i]);
		/* not one of these may be refused */
		ASSERT_OK(submit_copy(self->dma, src[i], dst[i], i));
	}
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed == 64));
	EXPECT_EQ(20, self->run.done);
	EXPECT_EQ(44, self->run.failed);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, self->run.first_error);
	EXPECT_DOCA(DOCA_ERROR_SHUTDOWN, self->run.last_error);
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE));
	EXPECT_EQ(3, self->run.changes);
	EXPECT_EQ(DOCA_CTX_STATE_STOPPING, self->run.states[1]);
	EXPECT_EQ(0, memcmp(self->src, self->dst, 20 * 512));
	EXPECT_TRUE(mem_is(self->dst + 20 * 512, 44 * 512, 0));

	/* and can start again */
	self->run.done = self->run.failed = 0;
	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(submit_copy(self->dma, src[0], dst[63], 0));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed));
	EXPECT_EQ(1, self->run.done);
	for (i = 0; i < 64; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
}

TEST_F(dma, a_destination_without_the_right_is_NOT_PERMITTED)
{
	struct doca_buf *src = src_buf(self, 0, 8), *dst = NULL;

	ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->inventory, self->src_map, self->src + 100,
						     8, &dst));
	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(submit_copy(self->dma, src, dst, 0));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed));
	EXPECT_EQ(1, self->run.failed);
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, self->run.first_error);
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE));
	drop(src);
	drop(dst);
}

TEST_F(dma, data_outside_of_the_map_is_an_error)
{
	struct doca_buf *src = src_buf(self, 0, 8), *dst = dst_buf(self, 0, 4096);
	doca_error_t err;

	/* not checked by the setter */
	EXPECT_OK(doca_buf_set_data(src, self->src + self->size - 4, 8));
	ASSERT_OK(doca_ctx_start(self->ctx));
	err = submit_copy(self->dma, src, dst, 0);
	EXPECT_TRUE(err == DOCA_SUCCESS || err == DOCA_ERROR_INVALID_VALUE);
	if (err == DOCA_SUCCESS) {
		ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed));
		EXPECT_EQ(1, self->run.failed);
	}
	EXPECT_TRUE(mem_is(self->dst, 4096, 0));
	drop(src);
	drop(dst);
}

/* B06, and the largest length there is. */
TEST_F(dma, lengths_around_64_KiB_and_the_maximum)
{
	struct doca_mmap *map;
	struct doca_buf *src, *dst;
	struct doca_task *task;
	uint64_t max = 0, lengths[5];
	char *mem;
	int i;

	ASSERT_OK(doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(self->dev), &max));
	if (max > 32 << 20)
		SKIP(return, "copies of up to %lu bytes", max);
	mem = mem_alloc(2 * (max + 1));
	ASSERT_NE(NULL, mem);
	ASSERT_OK(map_memory(self->dev, mem, 2 * (max + 1), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
			     &map));
	mem_fill(mem, max + 1, 5);
	ASSERT_OK(doca_ctx_start(self->ctx));
	lengths[0] = 65535;
	lengths[1] = 65536;
	lengths[2] = 65537;
	lengths[3] = max;
	lengths[4] = max + 1;
	for (i = 0; i < 5; i++) {
		bool too_long = lengths[i] > max;

		ASSERT_OK(doca_buf_inventory_buf_get_by_data(self->inventory, map, mem, lengths[i],
							     &src));
		ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->inventory, map, mem + max + 1,
							     lengths[i], &dst));
		memset(mem + max + 1, 0, max + 1);
		self->run.done = self->run.failed = 0;
		ASSERT_OK(alloc_task(self->dma, src, dst, i, &task));
		EXPECT_DOCA(too_long ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS,
			    doca_task_try_submit(task));
		if (too_long)
			EXPECT_OK(doca_task_submit(task));
		ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed));
		EXPECT_EQ(too_long, self->run.failed);
		if (too_long)
			EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, self->run.first_error);
		EXPECT_EQ(too_long, !!memcmp(mem, mem + max + 1, lengths[i]));
		drop(src);
		drop(dst);
	}
	EXPECT_OK(doca_mmap_destroy(map));
	munmap(mem, 2 * (max + 1));
}

TEST_F(dma, try_submit_refuses_what_cannot_work)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 99);
	struct doca_buf *empty = src_buf(self, 0, 100), *room = dst_buf(self, 0, 100);
	struct doca_task *task;

	doca_buf_reset_data_len(empty);
	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(alloc_task(self->dma, src, dst, 0, &task));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(task));
	doca_task_free(task);
	ASSERT_OK(alloc_task(self->dma, empty, room, 0, &task));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(task));
	doca_task_free(task);
	EXPECT_EQ(DOCA_CTX_STATE_RUNNING, state_of(self->ctx));
	drop(src);
	drop(dst);
	drop(empty);
	drop(room);
}

TEST_F(dma, a_task_in_flight_cannot_be_submitted_again)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 1000);
	struct doca_task *task;

	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(alloc_task(self->dma, src, dst, 0, &task));
	ASSERT_OK(doca_task_submit(task));
	EXPECT_DOCA(DOCA_ERROR_IN_PROGRESS, doca_task_get_status(task));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_task_submit(task));
	/* nor freed: it says so, and nothing happens */
	doca_task_free(task);
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed));
	EXPECT_EQ(1, self->run.done);
	EXPECT_EQ(0, doca_pe_progress(self->pe));
	drop(src);
	drop(dst);
}

TEST_F(dma, without_FLUSH_tasks_wait_for_the_next_flush)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst[3];
	struct doca_task *task;
	int i;

	ASSERT_OK(doca_ctx_start(self->ctx));
	for (i = 0; i < 3; i++) {
		dst[i] = dst_buf(self, i * 100, 100);
		ASSERT_OK(alloc_task(self->dma, src, dst[i], i, &task));
		ASSERT_OK(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_NONE));
	}
	doca_ctx_flush_tasks(self->ctx);
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed == 3));
	EXPECT_EQ(3, self->run.done);
	/* and a flush with nothing to do */
	doca_ctx_flush_tasks(self->ctx);
	EXPECT_EQ(0, doca_pe_progress(self->pe));
	drop(src);
	for (i = 0; i < 3; i++)
		drop(dst[i]);
}

TEST_F(dma, without_FLUSH_a_stop_reports_them_all)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 100);
	struct doca_task *task;

	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(alloc_task(self->dma, src, dst, 0, &task));
	ASSERT_OK(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_NONE));
	EXPECT_DOCA(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(self->ctx));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed));
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE));
	drop(src);
	drop(dst);
}

/* --- event mode --------------------------------------------------------------------- */

TEST_F(dma, notifications)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 1000);
	doca_notification_handle_t fd = -1, again = -2;
	int i;

	ASSERT_OK(doca_pe_get_notification_handle(self->pe, &fd));
	ASSERT_LE(0, fd);
	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(doca_pe_get_notification_handle(self->pe, &again));
	EXPECT_EQ(fd, again);
	for (i = 0; i < 100; i++) {
		doca_buf_reset_data_len(dst);
		if (i % 2) {
			/* armed first */
			ASSERT_OK(doca_pe_request_notification(self->pe));
			ASSERT_OK(submit_copy(self->dma, src, dst, i));
		} else {
			ASSERT_OK(submit_copy(self->dma, src, dst, i));
			if (i % 4)
				sleep_ms(1);
			ASSERT_OK(doca_pe_request_notification(self->pe));
		}
		ASSERT_EQ(POLLIN, fd_poll(fd, WAIT_MS))
			TH_LOG("notification %d is lost", i);
		ASSERT_OK(doca_pe_clear_notification(self->pe, fd));
		ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed == i + 1));
		ASSERT_EQ(0, doca_pe_progress(self->pe));
	}
	/* armed, and nothing happens */
	ASSERT_OK(doca_pe_request_notification(self->pe));
	EXPECT_EQ(0, fd_poll(fd, QUIET_MS));
	ASSERT_OK(doca_pe_request_notification(self->pe));
	EXPECT_EQ(0, fd_poll(fd, QUIET_MS));
	EXPECT_EQ(100, self->run.done);
	drop(src);
	drop(dst);
}

TEST_F(dma, an_event_loop_that_sleeps)
{
	struct doca_buf *src[8], *dst[8];
	struct epoll_event event = { .events = EPOLLIN };
	doca_notification_handle_t fd = -1;
	int ep, i, sleeps = 0, total = 2000;

	ep = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_LE(0, ep);
	ASSERT_OK(doca_pe_get_notification_handle(self->pe, &fd));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event));
	ASSERT_OK(doca_ctx_start(self->ctx));
	self->run.resubmit = total - 8;
	for (i = 0; i < 8; i++) {
		src[i] = src_buf(self, i * 512, 512);
		dst[i] = dst_buf(self, i * 512, 512);
		ASSERT_OK(submit_copy(self->dma, src[i], dst[i], i));
	}
	for (;;) {
		while (doca_pe_progress(self->pe))
			;
		if (self->run.done + self->run.failed == total)
			break;
		ASSERT_OK(doca_pe_request_notification(self->pe));
		ASSERT_EQ(1, epoll_wait(ep, &event, 1, WAIT_MS))
			TH_LOG("lost after %d", self->run.done);
		ASSERT_OK(doca_pe_clear_notification(self->pe, fd));
		sleeps++;
	}
	EXPECT_EQ(0, self->run.failed);
	EXPECT_LT(0, sleeps);
	close(ep);
	for (i = 0; i < 8; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
}

TEST_F(dma, a_stop_that_goes_on_raises_the_notification)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 1000);
	doca_notification_handle_t fd = -1;
	int i;

	ASSERT_OK(doca_pe_get_notification_handle(self->pe, &fd));
	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(submit_copy(self->dma, src, dst, 0));
	EXPECT_DOCA(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(self->ctx));
	for (i = 0; i < 10 && state_of(self->ctx) != DOCA_CTX_STATE_IDLE; i++) {
		ASSERT_OK(doca_pe_request_notification(self->pe));
		ASSERT_EQ(POLLIN, fd_poll(fd, WAIT_MS));
		ASSERT_OK(doca_pe_clear_notification(self->pe, fd));
		while (doca_pe_progress(self->pe))
			;
	}
	EXPECT_EQ(DOCA_CTX_STATE_IDLE, state_of(self->ctx));
	drop(src);
	drop(dst);
}

/* --- the model document's way: context, event channel, PE ------------------------------ */

TEST_F(dma, with_an_event_channel_of_its_own)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 100);
	struct doca_event_channel *channel;
	union doca_data data = { .ptr = &self->run };
	doca_notification_handle_t fd = -1;
	struct doca_dma *dma;

	ASSERT_OK(doca_dma_create(self->dev, &dma));
	ASSERT_OK(doca_dma_task_memcpy_set_conf(dma, on_done, on_error, 8));
	ASSERT_OK(doca_ctx_set_user_data(doca_dma_as_ctx(dma), data));
	ASSERT_OK(doca_dma_create_event_channel(dma, &channel));
	ASSERT_OK(doca_pe_connect_event_channel(self->pe, channel));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_pe_connect_event_channel(self->pe, channel));
	ASSERT_OK(doca_ctx_start(doca_dma_as_ctx(dma)));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_event_channel_destroy(channel));
	ASSERT_OK(doca_pe_get_notification_handle(self->pe, &fd));
	ASSERT_OK(doca_pe_request_notification(self->pe));
	ASSERT_OK(submit_copy(dma, src, dst, 0));
	EXPECT_EQ(POLLIN, fd_poll(fd, WAIT_MS));
	ASSERT_OK(doca_pe_clear_notification(self->pe, fd));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed));
	EXPECT_EQ(1, self->run.done);
	EXPECT_EQ(0, memcmp(self->src, self->dst, 100));
	STOP(self->pe, doca_dma_as_ctx(dma));
	EXPECT_OK(doca_event_channel_destroy(channel));
	EXPECT_OK(doca_dma_destroy(dma));
	drop(src);
	drop(dst);
}

struct seen {
	int events;
	int failed;
	struct doca_task *last;
	int callbacks_before;	/* of tasks, when the event came */
	struct run *run;
};

static void on_event(const struct doca_event *event, union doca_data user_data)
{
	struct seen *seen = user_data.ptr;

	seen->events++;
	seen->failed += doca_event_get_status(event) != DOCA_SUCCESS;
	seen->last = doca_event_get_task(event);
	seen->callbacks_before = seen->run->done + seen->run->failed;
}

TEST_F(dma, events_of_a_channel_are_seen_before_the_callbacks_of_tasks)
{
	struct doca_buf *src = src_buf(self, 0, 64), *dst = dst_buf(self, 0, 64);
	struct seen seen = { .run = &self->run };
	union doca_data data = { .ptr = &seen };
	struct doca_event_channel *evch;
	struct doca_task *task;

	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_event_channel_set_event_cb(NULL, on_event, data));
	ASSERT_OK(doca_dma_create_event_channel(self->dma, &evch));
	ASSERT_OK(doca_pe_connect_event_channel(self->pe, evch));
	ASSERT_OK(doca_event_channel_set_event_cb(evch, on_event, data));
	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(alloc_task(self->dma, src, dst, 1, &task));
	ASSERT_OK(doca_task_submit(task));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done));
	EXPECT_EQ(1, seen.events);
	EXPECT_EQ(0, seen.failed);
	EXPECT_EQ(0, seen.callbacks_before);
	EXPECT_EQ(task, seen.last);
	/* not any more */
	ASSERT_OK(doca_event_channel_set_event_cb(evch, NULL, data));
	doca_buf_reset_data_len(dst);
	ASSERT_OK(submit_copy(self->dma, src, dst, 2));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done == 2));
	EXPECT_EQ(1, seen.events);
	/* a task that fails */
	ASSERT_OK(doca_event_channel_set_event_cb(evch, on_event, data));
	doca_buf_set_data(src, self->src, 0);
	ASSERT_OK(submit_copy(self->dma, src, dst, 3));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.failed));
	EXPECT_EQ(2, seen.events);
	EXPECT_EQ(1, seen.failed);
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE));
	EXPECT_OK(doca_event_channel_destroy(evch));
	drop(src);
	drop(dst);
}

TEST_F(dma, several_contexts_share_an_event_channel)
{
	struct doca_event_channel *channel;
	struct doca_dma *dma[3];
	struct run runs[3] = {};
	struct doca_buf *src = src_buf(self, 0, 100), *dst[3];
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_OK(make_dma(self->dev, NULL, &runs[i], 8, &dma[i]));
		if (!i)
			ASSERT_OK(doca_dma_create_event_channel(dma[0], &channel));
		else
			ASSERT_OK(doca_dma_set_event_channel(dma[i], channel));
	}
	ASSERT_OK(doca_pe_connect_event_channel(self->pe, channel));
	for (i = 0; i < 3; i++) {
		ASSERT_OK(doca_ctx_start(doca_dma_as_ctx(dma[i])));
		dst[i] = dst_buf(self, i * 100, 100);
		ASSERT_OK(submit_copy(dma[i], src, dst[i], i + 10));
	}
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, runs[0].done && runs[1].done && runs[2].done));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i + 10, runs[i].last_user_data);
		STOP(self->pe, doca_dma_as_ctx(dma[i]));
		drop(dst[i]);
	}
	EXPECT_OK(doca_event_channel_destroy(channel));
	for (i = 0; i < 3; i++)
		EXPECT_OK(doca_dma_destroy(dma[i]));
	drop(src);
}

TEST_F(dma, many_contexts_on_one_engine)
{
	enum { N = 32 };
	static struct run runs[N];
	struct doca_dma *dma[N];
	struct doca_buf *src = src_buf(self, 0, 100), *dst[N];
	int i, fds = 0, done = 0;

	memset(runs, 0, sizeof(runs));
	for (i = 0; i < N; i++) {
		ASSERT_OK(make_dma(self->dev, self->pe, &runs[i], 4, &dma[i]));
		ASSERT_OK(doca_ctx_start(doca_dma_as_ctx(dma[i])));
		if (i == 1)
			fds = count_fds();
	}
	/* they share what they can */
	EXPECT_GE(fds + 8, count_fds());
	for (i = 0; i < N; i++) {
		dst[i] = dst_buf(self, i * 100, 100);
		ASSERT_OK(submit_copy(dma[i], src, dst[i], 100 + i));
	}
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, ({
		for (i = done = 0; i < N; i++)
			done += runs[i].done + runs[i].failed;
		done == N;
	})));
	for (i = 0; i < N; i++) {
		EXPECT_EQ(1, runs[i].done);
		EXPECT_EQ(100 + i, runs[i].last_user_data);
		EXPECT_EQ(0, memcmp(self->src, self->dst + i * 100, 100));
		STOP(self->pe, doca_dma_as_ctx(dma[i]));
		EXPECT_OK(doca_dma_destroy(dma[i]));
		drop(dst[i]);
	}
	drop(src);
}

/* An error in one context is none of the others'. */
TEST_F(dma, contexts_fail_on_their_own)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 100);
	struct doca_buf *empty = src_buf(self, 0, 8), *dst2 = dst_buf(self, 200, 100);
	struct run other = {};
	struct doca_dma *dma;

	doca_buf_reset_data_len(empty);
	ASSERT_OK(make_dma(self->dev, self->pe, &other, 4, &dma));
	ASSERT_OK(doca_ctx_start(doca_dma_as_ctx(dma)));
	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(submit_copy(dma, empty, dst, 0));
	ASSERT_OK(submit_copy(self->dma, src, dst2, 0));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, other.failed && self->run.done));
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe,
				   state_of(doca_dma_as_ctx(dma)) == DOCA_CTX_STATE_IDLE));
	EXPECT_EQ(DOCA_CTX_STATE_RUNNING, state_of(self->ctx));
	EXPECT_OK(doca_dma_destroy(dma));
	drop(src);
	drop(dst);
	drop(empty);
	drop(dst2);
}

/* --- threads, processes, system calls ----------------------------------------------------- */

struct thread {
	pthread_t thread;
	FIXTURE_DATA(dma) *self;
	int number;
	const char *failed;
};

#define THREAD_CHECK(condition) do {		\
	if (!(condition)) {			\
		t->failed = #condition;		\
		return NULL;			\
	}					\
} while (0)

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	FIXTURE_DATA(dma) *self = t->self;
	struct doca_buf_inventory *inventory;
	struct run run = { .resubmit = 300 };
	struct doca_buf *src, *dst;
	struct doca_mmap *map;
	struct doca_dma *dma;
	struct doca_pe *pe;
	char *mem;

	mem = mem_alloc(8192);
	THREAD_CHECK(mem);
	mem_fill(mem, 4096, t->number);
	THREAD_CHECK(map_memory(self->dev, mem, 8192, 1, &map) == DOCA_SUCCESS);
	THREAD_CHECK(doca_buf_inventory_create(2, &inventory) == DOCA_SUCCESS);
	THREAD_CHECK(doca_buf_inventory_start(inventory) == DOCA_SUCCESS);
	THREAD_CHECK(doca_pe_create(&pe) == DOCA_SUCCESS);
	THREAD_CHECK(make_dma(self->dev, pe, &run, 2, &dma) == DOCA_SUCCESS);
	THREAD_CHECK(doca_ctx_start(doca_dma_as_ctx(dma)) == DOCA_SUCCESS);
	THREAD_CHECK(doca_buf_inventory_buf_get_by_data(inventory, map, mem, 4096, &src) ==
		     DOCA_SUCCESS);
	THREAD_CHECK(doca_buf_inventory_buf_get_by_addr(inventory, map, mem + 4096, 4096, &dst) ==
		     DOCA_SUCCESS);
	THREAD_CHECK(submit_copy(dma, src, dst, 1) == DOCA_SUCCESS);
	THREAD_CHECK(PROGRESS_UNTIL(pe, run.done + run.failed == 301));
	THREAD_CHECK(!run.failed);
	THREAD_CHECK(!memcmp(mem, mem + 4096, 4096));
	THREAD_CHECK(doca_ctx_stop(doca_dma_as_ctx(dma)) == DOCA_SUCCESS);
	drop(src);
	drop(dst);
	THREAD_CHECK(doca_dma_destroy(dma) == DOCA_SUCCESS);
	THREAD_CHECK(doca_pe_destroy(pe) == DOCA_SUCCESS);
	THREAD_CHECK(doca_buf_inventory_destroy(inventory) == DOCA_SUCCESS);
	THREAD_CHECK(doca_mmap_destroy(map) == DOCA_SUCCESS);
	munmap(mem, 8192);
	return NULL;
}

TEST_F(dma, one_engine_per_thread)
{
	struct thread threads[4];
	int i;

	for (i = 0; i < 4; i++) {
		threads[i] = (struct thread) { .self = self, .number = i };
		ASSERT_EQ(0, pthread_create(&threads[i].thread, NULL, thread_main, &threads[i]));
	}
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_join(threads[i].thread, NULL));
		EXPECT_EQ(NULL, threads[i].failed)
			TH_LOG("thread %d: %s", i, threads[i].failed);
	}
}

TEST_F(dma, a_child_can_do_nothing_with_it_but_open_its_own)
{
	ASSERT_OK(doca_ctx_start(self->ctx));
	EXPECT_EQ(0, IN_CHILD({
		struct doca_mmap *map;
		struct doca_dev *dev;
		struct doca_dma *dma;
		struct run run = {};
		char *mem = mem_alloc(4096);

		CHILD_CHECK_EQ(DOCA_ERROR_NOT_PERMITTED,
			       map_memory(self->dev, mem, 4096, 1, &map));
		CHILD_CHECK_EQ(0, vm_pin_kb());
		CHILD_CHECK_EQ(DOCA_SUCCESS, open_device(0, &dev));
		CHILD_CHECK(dev != self->dev);
		CHILD_CHECK_EQ(DOCA_SUCCESS, map_memory(dev, mem, 4096, 1, &map));
		CHILD_CHECK_EQ(DOCA_SUCCESS, make_dma(dev, NULL, &run, 2, &dma));
	}));
	/* the parent's is as good as before */
	struct doca_buf *src = src_buf(self, 0, 8), *dst = dst_buf(self, 0, 8);

	ASSERT_OK(submit_copy(self->dma, src, dst, 0));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed));
	EXPECT_EQ(1, self->run.done);
	drop(src);
	drop(dst);
}

/* Every system call but exit_group() ends the process with SIGSYS. */
static int no_system_calls(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {
		.len = ARRAY_SIZE(filter),
		.filter = filter,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) ? -errno : 0;
}

TEST_F(dma, no_system_call_from_submit_to_callback)
{
	pid_t pid;
	int status;

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct doca_buf_inventory *inventory;
		struct doca_buf *src[16];
		struct doca_buf *dst[16];
		struct doca_task *tasks[16];
		struct run run = { .resubmit = 1000 };
		struct doca_mmap *map;
		struct doca_dev *dev;
		struct doca_dma *dma;
		struct doca_pe *pe;
		char *mem = mem_alloc(32 * 4096);
		unsigned long i;

		/* everything a process of its own */
		CHILD_CHECK_EQ(DOCA_SUCCESS, open_device(0, &dev));
		CHILD_CHECK_EQ(DOCA_SUCCESS, map_memory(dev, mem, 32 * 4096, 1, &map));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_buf_inventory_create(32, &inventory));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_buf_inventory_start(inventory));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_pe_create(&pe));
		CHILD_CHECK_EQ(DOCA_SUCCESS, make_dma(dev, pe, &run, 16, &dma));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_ctx_start(doca_dma_as_ctx(dma)));
		run.keep_tasks = true;
		/* lazy binding would not need one either, but the stack may grow */
		memset(alloca(65536), 1, 65536);
		alarm(HANG_S);
		CHILD_CHECK_EQ(0, no_system_calls());

		/* bufs, tasks, submission, progress, callbacks, resubmission, freeing */
		for (i = 0; i < 16; i++) {
			if (doca_buf_inventory_buf_get_by_data(inventory, map, mem + i * 4096, 4096,
							       &src[i]) ||
			    doca_buf_inventory_buf_get_by_addr(inventory, map,
							       mem + (16 + i) * 4096, 4096,
							       &dst[i]) ||
			    alloc_task(dma, src[i], dst[i], i, &tasks[i]) ||
			    doca_task_submit(tasks[i]))
				_exit(2);
		}
		while (run.done + run.failed < 1016)
			doca_pe_progress(pe);
		for (i = 0; i < 16; i++) {
			doca_task_free(tasks[i]);
			doca_buf_dec_refcount(src[i], NULL);
			doca_buf_dec_refcount(dst[i], NULL);
		}
		_exit(run.failed ? 3 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_FALSE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		TH_LOG("there was a system call on the data path");
	EXPECT_EQ(0, status);
}

TEST_F(dma, create_run_and_destroy_leave_nothing_behind)
{
	int fds = count_fds(), maps = count_maps(), i;
	long pin = vm_pin_kb();

	for (i = 0; i < 30; i++) {
		struct doca_buf *src = src_buf(self, 0, 64), *dst = dst_buf(self, 0, 64);
		struct run run = {};
		struct doca_dma *dma;
		struct doca_pe *pe;

		ASSERT_OK(doca_pe_create(&pe));
		ASSERT_OK(make_dma(self->dev, pe, &run, 1 + i * 10, &dma));
		ASSERT_OK(doca_ctx_start(doca_dma_as_ctx(dma)));
		ASSERT_OK(submit_copy(dma, src, dst, 0));
		ASSERT_TRUE(PROGRESS_UNTIL(pe, run.done + run.failed));
		STOP(pe, doca_dma_as_ctx(dma));
		ASSERT_OK(doca_dma_destroy(dma));
		ASSERT_OK(doca_pe_destroy(pe));
		drop(src);
		drop(dst);
		ASSERT_EQ(fds, count_fds());
		ASSERT_EQ(maps, count_maps());
		ASSERT_EQ(pin, vm_pin_kb());
	}
}

TEST_F(dma, start_and_stop_in_a_loop)
{
	int i;

	for (i = 0; i < 30; i++) {
		ASSERT_OK(doca_ctx_start(self->ctx));
		ASSERT_OK(doca_ctx_stop(self->ctx));
	}
}

/* --- the device goes ------------------------------------------------------------------------ */

TEST_F(dma, the_device_goes_with_tasks_in_flight)
{
	struct doca_buf *src[64], *dst[64];
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE], path[128];
	doca_notification_handle_t fd = -1;
	struct doca_mmap *map;
	int i;

	ASSERT_OK(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(self->dev), addr));
	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(doca_pe_get_notification_handle(self->pe, &fd));
	for (i = 0; i < 64; i++) {
		src[i] = src_buf(self, i * 4096, 4096);
		dst[i] = dst_buf(self, i * 4096, 4096);
		ASSERT_OK(submit_copy(self->dma, src[i], dst[i], i));
	}
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver/unbind", addr);
	ASSERT_EQ(0, write_file(path, addr));
	ASSERT_OK(doca_pe_request_notification(self->pe));
	EXPECT_NE(0, fd_poll(fd, WAIT_MS));
	EXPECT_OK(doca_pe_clear_notification(self->pe, fd));
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, self->run.done + self->run.failed == 64))
		TH_LOG("%d done, %d failed of 64", self->run.done, self->run.failed);
	/* what is reported as done was done */
	EXPECT_EQ(0, memcmp(self->src, self->dst, self->run.done * 4096));
	if (self->run.failed)
		EXPECT_TRUE(self->run.first_error == DOCA_ERROR_IO_FAILED ||
			    self->run.first_error == DOCA_ERROR_SHUTDOWN)
			TH_LOG("%s", doca_error_get_name(self->run.first_error));
	EXPECT_EQ(64, self->run.done + self->run.failed);
	if (!self->run.failed)
		STOP(self->pe, self->ctx);
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE));
	EXPECT_DOCA(DOCA_ERROR_IO_FAILED, doca_ctx_start(self->ctx));
	EXPECT_DOCA(DOCA_ERROR_IO_FAILED, map_memory(self->dev, self->src, 4096, 0, &map));
	EXPECT_EQ(0, write_file("/sys/bus/pci/drivers/doca/bind", addr));
	EXPECT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
	for (i = 0; i < 64; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
	/* the teardown closes everything of the old device */
}

DOCA_TEST_MAIN
