// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdoca: doca_rdma. Connecting, exporting memory, writing, and everything
 * that can be wrong with it - between two contexts, two processes, two DPUs.
 */
#include "lib_utils.h"
#include <doca_rdma.h>

#define NUM_TASKS	64

struct run {
	int done;
	int failed;
	doca_error_t first_error;
	doca_error_t last_error;
	uint64_t last_user_data;
	int resubmit;
	doca_error_t resubmit_error;
};

/* One side: context, connection, memory. */
struct side {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *connection;
	const void *details;
	size_t details_size;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *map;
	char *mem;
	size_t size;
	const void *export;
	size_t export_size;
	struct run run;
};

static void on_done(struct doca_rdma_task_write *task, union doca_data user_data,
		    union doca_data ctx_data)
{
	struct run *run = ctx_data.ptr;

	run->done++;
	run->last_user_data = user_data.u64;
	if (run->resubmit) {
		run->resubmit--;
		doca_buf_reset_data_len(doca_rdma_task_write_get_dst_buf(task));
		run->resubmit_error = doca_task_submit(doca_rdma_task_write_as_task(task));
		if (run->resubmit_error == DOCA_SUCCESS)
			return;
	}
	doca_task_free(doca_rdma_task_write_as_task(task));
}

static void on_error(struct doca_rdma_task_write *task, union doca_data user_data,
		     union doca_data ctx_data)
{
	struct run *run = ctx_data.ptr;

	run->last_error = doca_task_get_status(doca_rdma_task_write_as_task(task));
	if (!run->failed++)
		run->first_error = run->last_error;
	run->last_user_data = user_data.u64;
	doca_task_free(doca_rdma_task_write_as_task(task));
}

static doca_error_t side_open(struct side *side, unsigned int dev, uint32_t access)
{
	union doca_data data = { .ptr = &side->run };
	doca_error_t err;

	side->size = 64 * 4096;
	side->mem = mem_alloc(side->size);
	if (!side->mem)
		return DOCA_ERROR_NO_MEMORY;
	err = open_device(dev, &side->dev);
	if (err == DOCA_SUCCESS)
		err = map_memory(side->dev, side->mem, side->size, access, &side->map);
	if (err == DOCA_SUCCESS && access & DOCA_ACCESS_FLAG_RDMA_WRITE)
		err = doca_mmap_export_rdma(side->map, side->dev, &side->export,
					    &side->export_size);
	if (err == DOCA_SUCCESS)
		err = doca_buf_inventory_create(4 * NUM_TASKS, &side->inventory);
	if (err == DOCA_SUCCESS)
		err = doca_buf_inventory_start(side->inventory);
	if (err == DOCA_SUCCESS)
		err = doca_pe_create(&side->pe);
	if (err == DOCA_SUCCESS)
		err = doca_rdma_create(side->dev, &side->rdma);
	if (err != DOCA_SUCCESS)
		return err;
	side->ctx = doca_rdma_as_ctx(side->rdma);
	err = doca_rdma_set_permissions(side->rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
					DOCA_ACCESS_FLAG_RDMA_WRITE);
	if (err == DOCA_SUCCESS)
		err = doca_rdma_task_write_set_conf(side->rdma, on_done, on_error, NUM_TASKS);
	if (err == DOCA_SUCCESS)
		err = doca_ctx_set_user_data(side->ctx, data);
	if (err == DOCA_SUCCESS)
		err = doca_pe_connect_ctx(side->pe, side->ctx);
	if (err == DOCA_SUCCESS)
		err = doca_ctx_start(side->ctx);
	if (err == DOCA_SUCCESS)
		err = doca_rdma_export(side->rdma, &side->details, &side->details_size,
				       &side->connection);
	return err;
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state = 99;

	doca_ctx_get_state(ctx, &state);
	return state;
}

static const char *side_close(struct side *side)
{
	doca_error_t err;

	if (side->rdma) {
		err = doca_ctx_stop(side->ctx);
		if (err != DOCA_SUCCESS && err != DOCA_ERROR_IN_PROGRESS)
			return "stop";
		if (!PROGRESS_UNTIL(side->pe, state_of(side->ctx) == DOCA_CTX_STATE_IDLE))
			return "does not become IDLE";
		if (doca_rdma_destroy(side->rdma) != DOCA_SUCCESS)
			return "doca_rdma_destroy";
	}
	if (side->pe && doca_pe_destroy(side->pe) != DOCA_SUCCESS)
		return "doca_pe_destroy";
	if (side->inventory && doca_buf_inventory_destroy(side->inventory) != DOCA_SUCCESS)
		return "doca_buf_inventory_destroy";
	if (side->map && doca_mmap_destroy(side->map) != DOCA_SUCCESS)
		return "doca_mmap_destroy";
	if (side->dev && doca_dev_close(side->dev) != DOCA_SUCCESS)
		return "doca_dev_close";
	munmap(side->mem, side->size);
	memset(side, 0, sizeof(*side));
	return NULL;
}

#define EXPECT_CLOSED(side) do {						\
	const char *__failed = side_close(side);				\
										\
	EXPECT_EQ(NULL, __failed)						\
		TH_LOG("%s failed", __failed);					\
} while (0)

static doca_error_t sides_connect(struct side *one, struct side *two)
{
	doca_error_t err = doca_rdma_connect(one->rdma, two->details, two->details_size,
					     one->connection);

	return err == DOCA_SUCCESS ? doca_rdma_connect(two->rdma, one->details,
						       one->details_size, two->connection) : err;
}

FIXTURE(rdma) {
	struct baseline base;
	struct side one;
	struct side two;
	struct doca_mmap *remote;	/* memory of two, for one */
};

FIXTURE_SETUP(rdma)
{
	baseline_take(&self->base);
	ASSERT_OK(side_open(&self->one, 0, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	ASSERT_OK(side_open(&self->two, 0, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
			    DOCA_ACCESS_FLAG_RDMA_WRITE));
	mem_fill(self->one.mem, self->one.size, 1);
	ASSERT_OK(doca_mmap_create_from_export(NULL, self->two.export, self->two.export_size,
					       self->one.dev, &self->remote));
}

FIXTURE_TEARDOWN(rdma)
{
	EXPECT_OK(doca_mmap_destroy(self->remote));
	EXPECT_CLOSED(&self->one);
	EXPECT_CLOSED(&self->two);
	EXPECT_BASELINE(&self->base);
}

static struct doca_buf *src_buf(FIXTURE_DATA(rdma) *self, size_t offset, size_t len)
{
	struct doca_buf *buf = NULL;

	doca_buf_inventory_buf_get_by_data(self->one.inventory, self->one.map,
					   self->one.mem + offset, len, &buf);
	return buf;
}

static struct doca_buf *dst_buf(FIXTURE_DATA(rdma) *self, size_t offset, size_t len)
{
	struct doca_buf *buf = NULL;

	doca_buf_inventory_buf_get_by_addr(self->one.inventory, self->remote,
					   self->two.mem + offset, len, &buf);
	return buf;
}

static doca_error_t alloc_write(struct side *side, struct doca_buf *src, struct doca_buf *dst,
				uint64_t number, struct doca_task **task)
{
	union doca_data data = { .u64 = number };
	struct doca_rdma_task_write *write;
	doca_error_t err = doca_rdma_task_write_allocate_init(side->rdma, side->connection, src,
							      dst, data, &write);

	if (err == DOCA_SUCCESS)
		*task = doca_rdma_task_write_as_task(write);
	return err;
}

static doca_error_t submit_write(struct side *side, struct doca_buf *src, struct doca_buf *dst,
				 uint64_t number)
{
	struct doca_task *task;
	doca_error_t err = alloc_write(side, src, dst, number, &task);

	return err == DOCA_SUCCESS ? doca_task_submit(task) : err;
}

static void drop(struct doca_buf *buf)
{
	if (buf)
		doca_buf_dec_refcount(buf, NULL);
}

#define BOTH(run)	((run).done + (run).failed)

TEST_F(rdma, one_write)
{
	struct doca_buf *src = src_buf(self, 3, 5000), *dst = dst_buf(self, 11, 6000);
	size_t len = 0;

	ASSERT_OK(sides_connect(&self->one, &self->two));
	ASSERT_OK(submit_write(&self->one, src, dst, 42));
	ASSERT_TRUE(PROGRESS_UNTIL(self->one.pe, BOTH(self->one.run)));
	EXPECT_EQ(1, self->one.run.done);
	EXPECT_EQ(42, self->one.run.last_user_data);
	EXPECT_EQ(0, memcmp(self->one.mem + 3, self->two.mem + 11, 5000));
	EXPECT_EQ(0, self->two.mem[10]);
	EXPECT_EQ(0, self->two.mem[5011]);
	EXPECT_OK(doca_buf_get_data_len(dst, &len));
	EXPECT_EQ(5000, len);
	EXPECT_EQ(0, doca_pe_progress(self->two.pe));
	drop(src);
	drop(dst);
}

TEST_F(rdma, many_writes_submitted_again_from_the_callback)
{
	struct doca_buf *src[NUM_TASKS], *dst[NUM_TASKS];
	int i;

	ASSERT_OK(sides_connect(&self->one, &self->two));
	self->one.run.resubmit = 1000;
	for (i = 0; i < NUM_TASKS; i++) {
		src[i] = src_buf(self, i * 4096, 4096);
		dst[i] = dst_buf(self, i * 4096, 4096);
		ASSERT_OK(submit_write(&self->one, src[i], dst[i], i));
	}
	ASSERT_TRUE(PROGRESS_UNTIL(self->one.pe, BOTH(self->one.run) == 1000 + NUM_TASKS));
	EXPECT_EQ(0, self->one.run.failed);
	EXPECT_DOCA(DOCA_SUCCESS, self->one.run.resubmit_error);
	EXPECT_EQ(0, memcmp(self->one.mem, self->two.mem, NUM_TASKS * 4096));
	for (i = 0; i < NUM_TASKS; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
}

TEST_F(rdma, a_write_gathers_a_list)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 1000), *more;
	int i;

	ASSERT_OK(sides_connect(&self->one, &self->two));
	for (i = 1; i < 5; i++) {
		more = src_buf(self, i * 1000, 100);
		ASSERT_OK(doca_buf_chain_list(src, more));
	}
	ASSERT_OK(submit_write(&self->one, src, dst, 0));
	ASSERT_TRUE(PROGRESS_UNTIL(self->one.pe, BOTH(self->one.run)));
	EXPECT_EQ(1, self->one.run.done);
	for (i = 0; i < 5; i++)
		EXPECT_EQ(0, memcmp(self->one.mem + i * 1000, self->two.mem + i * 100, 100));
	drop(src);
	drop(dst);
}

TEST_F(rdma, before_connect_is_NOT_CONNECTED)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 100);
	doca_error_t err;

	err = submit_write(&self->one, src, dst, 0);
	if (err == DOCA_SUCCESS) {
		ASSERT_TRUE(PROGRESS_UNTIL(self->one.pe, BOTH(self->one.run)));
		err = self->one.run.first_error;
	}
	EXPECT_DOCA(DOCA_ERROR_NOT_CONNECTED, err);
	EXPECT_TRUE(mem_is(self->two.mem, 100, 0));
	drop(src);
	drop(dst);
}

TEST_F(rdma, event_mode)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 100);
	doca_notification_handle_t fd = -1;
	int i;

	ASSERT_OK(sides_connect(&self->one, &self->two));
	ASSERT_OK(doca_pe_get_notification_handle(self->one.pe, &fd));
	for (i = 0; i < 50; i++) {
		doca_buf_reset_data_len(dst);
		ASSERT_OK(submit_write(&self->one, src, dst, i));
		ASSERT_OK(doca_pe_request_notification(self->one.pe));
		ASSERT_EQ(POLLIN, fd_poll(fd, WAIT_MS))
			TH_LOG("notification %d is lost", i);
		ASSERT_OK(doca_pe_clear_notification(self->one.pe, fd));
		ASSERT_TRUE(PROGRESS_UNTIL(self->one.pe, BOTH(self->one.run) == i + 1));
	}
	EXPECT_EQ(50, self->one.run.done);
	drop(src);
	drop(dst);
}

TEST_F(rdma, memory_without_the_right_cannot_be_exported)
{
	const void *desc;
	size_t size;
	uint8_t exported = 7;

	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_mmap_export_rdma(self->one.map, self->one.dev, &desc, &size));
	EXPECT_OK(doca_mmap_get_exported(self->one.map, &exported));
	EXPECT_EQ(0, exported);
	EXPECT_OK(doca_mmap_get_exported(self->two.map, &exported));
	EXPECT_EQ(1, exported);
}

TEST_F(rdma, memory_exported_for_reading_only)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = NULL;
	struct doca_mmap *map, *remote;
	const void *desc;
	size_t size;
	char *mem;

	mem = mem_alloc(4096);
	ASSERT_NE(NULL, mem);
	ASSERT_OK(map_memory(self->two.dev, mem, 4096, DOCA_ACCESS_FLAG_RDMA_READ, &map));
	ASSERT_OK(doca_mmap_export_rdma(map, self->two.dev, &desc, &size));
	ASSERT_OK(doca_mmap_create_from_export(NULL, desc, size, self->one.dev, &remote));
	ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->one.inventory, remote, mem, 4096, &dst));
	ASSERT_OK(sides_connect(&self->one, &self->two));
	ASSERT_OK(submit_write(&self->one, src, dst, 0));
	ASSERT_TRUE(PROGRESS_UNTIL(self->one.pe, BOTH(self->one.run)));
	EXPECT_EQ(1, self->one.run.failed);
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, self->one.run.first_error);
	EXPECT_TRUE(mem_is(mem, 4096, 0));
	drop(src);
	drop(dst);
	EXPECT_OK(doca_mmap_destroy(remote));
	EXPECT_OK(doca_mmap_destroy(map));
	munmap(mem, 4096);
}

TEST_F(rdma, memory_that_was_stopped_is_NOT_FOUND)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 100);

	ASSERT_OK(sides_connect(&self->one, &self->two));
	ASSERT_OK(doca_mmap_stop(self->two.map));
	ASSERT_OK(submit_write(&self->one, src, dst, 0));
	ASSERT_TRUE(PROGRESS_UNTIL(self->one.pe, BOTH(self->one.run)));
	EXPECT_EQ(1, self->one.run.failed);
	EXPECT_DOCA(DOCA_ERROR_NOT_FOUND, self->one.run.first_error);
	EXPECT_TRUE(mem_is(self->two.mem, self->two.size, 0));
	drop(src);
	drop(dst);
}

TEST_F(rdma, a_map_from_an_export)
{
	struct doca_buf *buf;
	uint8_t from_export = 7;
	const void *desc;
	void *addr = NULL;
	size_t len = 0, size;

	EXPECT_OK(doca_mmap_get_from_export(self->remote, &from_export));
	EXPECT_EQ(1, from_export);
	EXPECT_OK(doca_mmap_get_memrange(self->remote, &addr, &len));
	EXPECT_EQ((void *)self->two.mem, addr);
	EXPECT_EQ(self->two.size, len);
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(self->remote, addr, len));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(self->remote, self->one.dev));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_mmap_export_rdma(self->remote, self->one.dev, &desc, &size));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_inventory_buf_get_by_addr(self->one.inventory, self->remote,
						       self->two.mem + self->two.size, 1, &buf));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_inventory_buf_get_by_addr(self->one.inventory, self->remote,
						       self->two.mem, self->two.size + 1, &buf));
}

/* What comes over the wire may be anything. */
TEST_F(rdma, descriptors_that_are_none)
{
	size_t size = self->two.export_size, details_size = self->two.details_size, i;
	struct doca_rdma_connection *connection = self->one.connection;
	struct doca_mmap *map;
	unsigned char *copy;
	doca_error_t err;

	EXPECT_GT(1024, size);
	copy = malloc(4096);
	ASSERT_NE(NULL, copy);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_create_from_export(NULL, NULL, size, self->one.dev, &map));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_create_from_export(NULL, self->two.export, 0, self->one.dev, &map));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_create_from_export(NULL, self->two.export, size, NULL, &map));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_create_from_export(NULL, self->two.export, size, self->one.dev, NULL));
	for (i = 0; i < size; i++) {
		err = doca_mmap_create_from_export(NULL, self->two.export, i, self->one.dev, &map);
		EXPECT_NE(DOCA_SUCCESS, err)
			TH_LOG("%zu of %zu bytes", i, size);
	}
	memset(copy, 0xff, 4096);
	EXPECT_NE(DOCA_SUCCESS, doca_mmap_create_from_export(NULL, copy, size, self->one.dev, &map));
	memset(copy, 0, 4096);
	EXPECT_NE(DOCA_SUCCESS, doca_mmap_create_from_export(NULL, copy, size, self->one.dev, &map));

	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_rdma_connect(self->one.rdma, NULL, details_size, connection));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_rdma_connect(self->one.rdma, self->two.details, details_size, NULL));
	for (i = 0; i < details_size; i++)
		EXPECT_NE(DOCA_SUCCESS,
			  doca_rdma_connect(self->one.rdma, self->two.details, i, connection));
	EXPECT_NE(DOCA_SUCCESS, doca_rdma_connect(self->one.rdma, copy, details_size, connection));
	/* a memory descriptor is no connection, and the other way round */
	EXPECT_NE(DOCA_SUCCESS,
		  doca_rdma_connect(self->one.rdma, self->two.export, size, connection));
	EXPECT_NE(DOCA_SUCCESS,
		  doca_mmap_create_from_export(NULL, self->two.details, details_size,
					       self->one.dev, &map));
	/* none of that has spoiled anything */
	ASSERT_OK(sides_connect(&self->one, &self->two));
	free(copy);
}

TEST_F(rdma, connection_rules)
{
	struct doca_rdma_connection *connection;
	const void *details;
	size_t size;

	/* one slot, unless asked for more */
	EXPECT_DOCA(DOCA_ERROR_FULL,
		    doca_rdma_export(self->one.rdma, &details, &size, &connection));
	ASSERT_OK(sides_connect(&self->one, &self->two));
	EXPECT_NE(DOCA_SUCCESS,
		  doca_rdma_connect(self->one.rdma, self->two.details, self->two.details_size,
				    self->one.connection));
}

TEST_F(rdma, the_peer_stops)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 100);

	ASSERT_OK(sides_connect(&self->one, &self->two));
	doca_ctx_stop(self->two.ctx);
	ASSERT_TRUE(PROGRESS_UNTIL(self->two.pe, state_of(self->two.ctx) == DOCA_CTX_STATE_IDLE));
	ASSERT_OK(submit_write(&self->one, src, dst, 0));
	ASSERT_TRUE(PROGRESS_UNTIL(self->one.pe, BOTH(self->one.run)));
	EXPECT_EQ(1, self->one.run.failed);
	EXPECT_DOCA(DOCA_ERROR_TIME_OUT, self->one.run.first_error);
	EXPECT_TRUE(mem_is(self->two.mem, 100, 0));
	drop(src);
	drop(dst);
}

TEST_F(rdma, stop_with_writes_in_flight)
{
	struct doca_buf *src[NUM_TASKS], *dst[NUM_TASKS];
	int i;

	ASSERT_OK(sides_connect(&self->one, &self->two));
	for (i = 0; i < NUM_TASKS; i++) {
		src[i] = src_buf(self, i * 4096, 4096);
		dst[i] = dst_buf(self, i * 4096, 4096);
		ASSERT_OK(submit_write(&self->one, src[i], dst[i], i));
	}
	EXPECT_DOCA(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(self->one.ctx));
	ASSERT_TRUE(PROGRESS_UNTIL(self->one.pe, BOTH(self->one.run) == NUM_TASKS));
	EXPECT_TRUE(PROGRESS_UNTIL(self->one.pe,
				   state_of(self->one.ctx) == DOCA_CTX_STATE_IDLE));
	if (self->one.run.failed)
		EXPECT_DOCA(DOCA_ERROR_SHUTDOWN, self->one.run.first_error);
	for (i = 0; i < NUM_TASKS; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
}

TEST_F(rdma, stopped_and_started_again_needs_a_new_connection)
{
	struct doca_buf *src = src_buf(self, 0, 100), *dst = dst_buf(self, 0, 100);
	struct side *one = &self->one, *two = &self->two;
	int i;

	ASSERT_OK(sides_connect(one, two));
	for (i = 0; i < 3; i++) {
		doca_ctx_stop(one->ctx);
		doca_ctx_stop(two->ctx);
		ASSERT_TRUE(PROGRESS_UNTIL(one->pe, state_of(one->ctx) == DOCA_CTX_STATE_IDLE));
		ASSERT_TRUE(PROGRESS_UNTIL(two->pe, state_of(two->ctx) == DOCA_CTX_STATE_IDLE));
		ASSERT_OK(doca_ctx_start(one->ctx));
		ASSERT_OK(doca_ctx_start(two->ctx));
		ASSERT_OK(doca_rdma_export(one->rdma, &one->details, &one->details_size,
					   &one->connection));
		ASSERT_OK(doca_rdma_export(two->rdma, &two->details, &two->details_size,
					   &two->connection));
		ASSERT_OK(sides_connect(one, two));
		doca_buf_reset_data_len(dst);
		ASSERT_OK(submit_write(one, src, dst, i));
		ASSERT_TRUE(PROGRESS_UNTIL(one->pe, BOTH(one->run) == i + 1));
		EXPECT_EQ(i + 1, one->run.done);
	}
	drop(src);
	drop(dst);
}

/* --- two processes ---------------------------------------------------------------- */

static bool say(int fd, const void *p, size_t n)
{
	uint32_t len = n;

	return write(fd, &len, sizeof(len)) == sizeof(len) && write(fd, p, n) == n;
}

static size_t hear(int fd, void *p, size_t max)
{
	uint32_t len, got = 0;
	ssize_t k;

	if (read(fd, &len, sizeof(len)) != sizeof(len) || len > max)
		return 0;
	for (; got < len; got += k) {
		k = read(fd, (char *)p + got, len - got);
		if (k <= 0)
			return 0;
	}
	return len;
}

static void target(unsigned int dev, int in, int out)
{
	char buf[1024], *want;
	struct side side = {};
	size_t n;

	CHILD_CHECK_EQ(DOCA_SUCCESS, side_open(&side, dev, DOCA_ACCESS_FLAG_RDMA_WRITE));
	CHILD_CHECK(say(out, side.details, side.details_size));
	CHILD_CHECK(say(out, side.export, side.export_size));
	n = hear(in, buf, sizeof(buf));
	CHILD_CHECK(n);
	CHILD_CHECK_EQ(DOCA_SUCCESS, doca_rdma_connect(side.rdma, buf, n, side.connection));
	CHILD_CHECK(say(out, "connected", 9));
	CHILD_CHECK(hear(in, buf, sizeof(buf)));
	want = malloc(side.size);
	mem_fill(want, side.size, 1);
	CHILD_CHECK(!memcmp(want, side.mem, side.size));
	CHILD_CHECK(!side_close(&side));
	CHILD_CHECK_EQ(0, count_maps());
	CHILD_CHECK_EQ(0, vm_pin_kb());
}

static void two_processes(struct __test_metadata *_metadata, unsigned int dev)
{
	char details[1024], export[1024], buf[64];
	size_t details_size, export_size;
	struct doca_buf *src[64], *dst[64];
	struct doca_mmap *remote;
	struct side side = {};
	int to[2], from[2], status, i;
	void *addr;
	size_t len;
	pid_t pid;

	ASSERT_EQ(0, pipe2(to, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(from, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(to[1]);
		close(from[0]);
		target(dev, to[0], from[1]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	ASSERT_OK(side_open(&side, 0, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	mem_fill(side.mem, side.size, 1);
	details_size = hear(from[0], details, sizeof(details));
	export_size = hear(from[0], export, sizeof(export));
	ASSERT_LT(0, details_size);
	ASSERT_LT(0, export_size);
	ASSERT_TRUE(say(to[1], side.details, side.details_size));
	ASSERT_OK(doca_rdma_connect(side.rdma, details, details_size, side.connection));
	ASSERT_EQ(9, hear(from[0], buf, sizeof(buf)));
	ASSERT_OK(doca_mmap_create_from_export(NULL, export, export_size, side.dev, &remote));
	ASSERT_OK(doca_mmap_get_memrange(remote, &addr, &len));
	ASSERT_EQ(side.size, len);
	for (i = 0; i < 64; i++) {
		ASSERT_OK(doca_buf_inventory_buf_get_by_data(side.inventory, side.map,
							     side.mem + i * 4096, 4096, &src[i]));
		ASSERT_OK(doca_buf_inventory_buf_get_by_addr(side.inventory, remote,
							     (char *)addr + i * 4096, 4096, &dst[i]));
		ASSERT_OK(submit_write(&side, src[i], dst[i], i));
	}
	ASSERT_TRUE(PROGRESS_UNTIL(side.pe, BOTH(side.run) == 64));
	EXPECT_EQ(0, side.run.failed);
	ASSERT_TRUE(say(to[1], "look", 4));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	for (i = 0; i < 64; i++) {
		drop(src[i]);
		drop(dst[i]);
	}
	EXPECT_OK(doca_mmap_destroy(remote));
	EXPECT_CLOSED(&side);
	close(to[1]);
	close(from[0]);
}

FIXTURE(processes) {
	struct baseline base;
};

FIXTURE_SETUP(processes)
{
	baseline_take(&self->base);
}

FIXTURE_TEARDOWN(processes)
{
	EXPECT_BASELINE(&self->base);
}

TEST_F(processes, write_to_the_memory_of_another_process)
{
	two_processes(_metadata, 0);
}

TEST_F(processes, write_to_the_memory_of_another_process_on_another_DPU)
{
	if (access(NODE_1, F_OK))
		SKIP(return, "only one DPU");
	two_processes(_metadata, 1);
}

TEST_F(processes, huge_pages_as_in_the_examples)
{
	size_t size = 64UL << 20;
	long pin = vm_pin_kb();
	struct doca_mmap *map;
	struct doca_dev *dev;
	void *mem;

	mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (mem == MAP_FAILED)
		SKIP(return, "no 32 huge pages of 2 MiB free");
	ASSERT_OK(open_device(0, &dev));
	ASSERT_OK(map_memory(dev, mem, size, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &map));
	EXPECT_EQ(pin + (long)(size / 1024), vm_pin_kb());
	EXPECT_OK(doca_mmap_destroy(map));
	EXPECT_OK(doca_dev_close(dev));
	EXPECT_EQ(pin, vm_pin_kb());
	munmap(mem, size);
}

DOCA_TEST_MAIN
