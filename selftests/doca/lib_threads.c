// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdoca: the thread rules, and DOCA_CHECK_THREADS, which watches over them. Each case
 * is a process of its own, as the library reads the environment when it is loaded.
 */
#include "lib_utils.h"
#include <sys/prctl.h>

/* What the threads of a case have in common. */
static struct {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_mmap *map;
	struct doca_buf_inventory *inventory;
	struct doca_buf *src, *dst;
	struct doca_task *task;
	char *mem;
	int ended;
	bool thread_safe;
} the;

static void on_end(struct doca_dma_task_memcpy *task, union doca_data user_data,
		   union doca_data ctx_data)
{
	the.ended++;
}

static void make(void)
{
	struct doca_dma_task_memcpy *task;
	union doca_data data = {};

	the.mem = mem_alloc(8192);
	CHILD_CHECK_EQ(DOCA_SUCCESS, open_device(0, &the.dev));
	CHILD_CHECK_EQ(DOCA_SUCCESS, doca_mmap_create(&the.map));
	if (the.thread_safe)
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_mmap_enable_thread_safety(the.map));
	doca_mmap_set_memrange(the.map, the.mem, 8192);
	doca_mmap_add_dev(the.map, the.dev);
	CHILD_CHECK_EQ(DOCA_SUCCESS, doca_mmap_start(the.map));
	CHILD_CHECK_EQ(DOCA_SUCCESS, doca_buf_inventory_create(16, &the.inventory));
	doca_buf_inventory_start(the.inventory);
	CHILD_CHECK_EQ(DOCA_SUCCESS, doca_pe_create(&the.pe));
	CHILD_CHECK_EQ(DOCA_SUCCESS, doca_dma_create(the.dev, &the.dma));
	doca_dma_task_memcpy_set_conf(the.dma, on_end, on_end, 8);
	doca_pe_connect_ctx(the.pe, doca_dma_as_ctx(the.dma));
	CHILD_CHECK_EQ(DOCA_SUCCESS, doca_ctx_start(doca_dma_as_ctx(the.dma)));
	if (the.thread_safe)
		return;
	doca_buf_inventory_buf_get_by_data(the.inventory, the.map, the.mem, 64, &the.src);
	doca_buf_inventory_buf_get_by_addr(the.inventory, the.map, the.mem + 4096, 64, &the.dst);
	CHILD_CHECK_EQ(DOCA_SUCCESS, doca_dma_task_memcpy_alloc_init(the.dma, the.src, the.dst,
								     data, &task));
	the.task = doca_dma_task_memcpy_as_task(task);
}

static void *progress(void *arg)
{
	prctl(PR_SET_NAME, "stranger");
	doca_pe_progress(the.pe);
	return NULL;
}

static void *submit(void *arg)
{
	prctl(PR_SET_NAME, "stranger");
	doca_task_submit(the.task);
	return NULL;
}

static void *submit_and_wait(void *arg)
{
	doca_task_submit(the.task);
	while (!the.ended)
		doca_pe_progress(the.pe);
	return NULL;
}

static void *take_buf(void *arg)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;

	prctl(PR_SET_NAME, "stranger");
	if (arg) {
		/* with an inventory of its own */
		doca_buf_inventory_create(1, &inventory);
		doca_buf_inventory_start(inventory);
	} else {
		inventory = the.inventory;
	}
	doca_buf_inventory_buf_get_by_addr(inventory, the.map, the.mem, 64, &buf);
	return NULL;
}

static void in_thread(void *(*function)(void *arg), void *arg)
{
	pthread_t thread;

	CHILD_CHECK_EQ(0, pthread_create(&thread, NULL, function, arg));
	pthread_join(thread, NULL);
}

static void run_case(const char *name)
{
	struct doca_buf *buf;

	prctl(PR_SET_NAME, "owner");
	the.thread_safe = !strcmp(name, "thread_safe_map");
	make();
	if (!strcmp(name, "progress")) {
		doca_pe_progress(the.pe);
		in_thread(progress, NULL);
	} else if (!strcmp(name, "submit")) {
		doca_pe_progress(the.pe);
		in_thread(submit, NULL);
	} else if (!strcmp(name, "inventory")) {
		in_thread(take_buf, NULL);
	} else if (!strcmp(name, "map")) {
		in_thread(take_buf, the.map);
	} else if (!strcmp(name, "thread_safe_map")) {
		doca_buf_inventory_buf_get_by_addr(the.inventory, the.map, the.mem, 64, &buf);
		in_thread(take_buf, the.map);
	} else if (!strcmp(name, "handed_over")) {
		/* made here, used there, ended here */
		in_thread(submit_and_wait, NULL);
		doca_pe_progress(the.pe);
		doca_task_free(the.task);
		doca_ctx_stop(doca_dma_as_ctx(the.dma));
		doca_dma_destroy(the.dma);
		doca_pe_destroy(the.pe);
	}
	printf("end of the case\n");
	exit(0);
}

FIXTURE(threads) {
	char exe[300];
	char out[4096];
	int status;
};

FIXTURE_SETUP(threads)
{
	ssize_t len = readlink("/proc/self/exe", self->exe, sizeof(self->exe) - 1);

	ASSERT_LT(0, len);
}

FIXTURE_TEARDOWN(threads)
{
}

static void run(FIXTURE_DATA(threads) *self, const char *check, const char *name)
{
	char command[600];
	size_t len = 0;
	FILE *f;

	snprintf(command, sizeof(command), "DOCA_CHECK_THREADS='%s' DOCA_THREADS_CASE=%s '%s' 2>&1",
		 check, name, self->exe);
	f = popen(command, "r");
	if (f) {
		len = fread(self->out, 1, sizeof(self->out) - 1, f);
		self->status = pclose(f);
	}
	self->out[len] = 0;
}

#define REPORTED(name, call, what) do {						\
	run(self, "1", name);							\
	EXPECT_NE(NULL, strstr(self->out, "thread rule broken: " call " by thread \"stranger\"")) \
		TH_LOG("%s", self->out);					\
	EXPECT_NE(NULL, strstr(self->out, "but the " what " belongs to thread \"owner\"")) \
		TH_LOG("%s", self->out);					\
	EXPECT_NE(NULL, strstr(self->out, "end of the case"));			\
} while (0)

#define SILENT(check, name) do {						\
	run(self, check, name);							\
	EXPECT_EQ(NULL, strstr(self->out, "thread rule"))			\
		TH_LOG("%s", self->out);					\
	EXPECT_NE(NULL, strstr(self->out, "end of the case"))			\
		TH_LOG("%s", self->out);					\
} while (0)

TEST_F(threads, a_progress_engine_belongs_to_one_thread)
{
	REPORTED("progress", "doca_pe_progress()", "progress engine");
}

TEST_F(threads, a_task_is_submitted_by_the_thread_of_its_progress_engine)
{
	REPORTED("submit", "doca_task_submit()", "progress engine");
}

TEST_F(threads, an_inventory_belongs_to_one_thread)
{
	REPORTED("inventory", "getting a doca_buf", "inventory");
}

TEST_F(threads, a_memory_map_belongs_to_one_thread)
{
	REPORTED("map", "getting a doca_buf", "memory map");
}

TEST_F(threads, a_thread_safe_memory_map_does_not)
{
	SILENT("1", "thread_safe_map");
}

TEST_F(threads, what_a_thread_leaves_another_one_may_take)
{
	SILENT("1", "handed_over");
}

TEST_F(threads, without_the_variable_nothing_is_checked)
{
	SILENT("", "progress");
	SILENT("0", "progress");
}

TEST_F(threads, abort_ends_the_process)
{
	run(self, "abort", "progress");
	EXPECT_NE(NULL, strstr(self->out, "thread rule broken"));
	EXPECT_EQ(NULL, strstr(self->out, "end of the case"));
	EXPECT_NE(0, self->status);
}

static bool not_a_case(void)
{
	const char *name = getenv("DOCA_THREADS_CASE");

	if (name)
		run_case(name);
	return true;
}

DOCA_TEST_MAIN_IF(not_a_case(), "")
