// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdoca: rules of the SDK that the other programs do not come across: bufs and pools,
 * memory maps for several threads, event modes, properties, and what the devices lack.
 */
#include "lib_utils.h"
#include <doca_buf_array.h>
#include <doca_buf_pool.h>
#include <doca_mmap_advise.h>
#include <doca_rdma.h>

FIXTURE(rules) {
	struct baseline base;
	struct doca_dev *dev;
	struct doca_devinfo *info;
	struct doca_mmap *map;
	struct doca_buf_inventory *inventory;
	char *mem;
	size_t size;
};

FIXTURE_SETUP(rules)
{
	baseline_take(&self->base);
	self->size = 16 * page_size();
	self->mem = mem_alloc(self->size);
	ASSERT_NE(NULL, self->mem);
	ASSERT_OK(open_device(0, &self->dev));
	self->info = doca_dev_as_devinfo(self->dev);
	ASSERT_OK(map_memory(self->dev, self->mem, self->size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
			     &self->map));
	ASSERT_OK(doca_buf_inventory_create(8, &self->inventory));
	ASSERT_OK(doca_buf_inventory_start(self->inventory));
}

FIXTURE_TEARDOWN(rules)
{
	EXPECT_OK(doca_buf_inventory_destroy(self->inventory));
	EXPECT_OK(doca_mmap_destroy(self->map));
	EXPECT_OK(doca_dev_close(self->dev));
	munmap(self->mem, self->size);
	EXPECT_BASELINE(&self->base);
}

static struct doca_buf *get(FIXTURE_DATA(rules) *self, size_t offset, size_t len)
{
	struct doca_buf *buf = NULL;

	doca_buf_inventory_buf_get_by_data(self->inventory, self->map, self->mem + offset, len,
					   &buf);
	return buf;
}

/* --- bufs and inventories ---------------------------------------------------------- */

TEST_F(rules, a_single_buf_is_first_and_last_and_in_no_list)
{
	struct doca_buf *buf = get(self, 0, 8), *next = (void *)1;
	uint8_t is = 9;

	ASSERT_NE(NULL, buf);
	EXPECT_OK(doca_buf_is_first_in_list(buf, &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_buf_is_last_in_list(buf, &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_buf_is_in_list(buf, &is));
	EXPECT_EQ(0, is);
	EXPECT_OK(doca_buf_get_next_in_list(buf, &next));
	EXPECT_EQ(NULL, next);
	EXPECT_OK(doca_buf_dec_refcount(buf, NULL));
}

TEST_F(rules, a_list_grows_at_its_tail)
{
	struct doca_buf *a = get(self, 0, 8), *b = get(self, 8, 8), *c = get(self, 16, 8), *next;
	uint32_t len = 0;
	uint8_t is = 9;

	ASSERT_OK(doca_buf_chain_list(a, b));
	ASSERT_OK(doca_buf_chain_list_tail(a, b, c));
	EXPECT_OK(doca_buf_get_list_len(a, &len));
	EXPECT_EQ(3, len);
	EXPECT_OK(doca_buf_get_next_in_list(a, &next));
	EXPECT_EQ((void *)b, (void *)next);
	EXPECT_OK(doca_buf_get_next_in_list(b, &next));
	EXPECT_EQ((void *)c, (void *)next);
	EXPECT_OK(doca_buf_is_last_in_list(c, &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_buf_is_first_in_list(c, &is));
	EXPECT_EQ(0, is);
	EXPECT_OK(doca_buf_is_in_list(b, &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_buf_dec_refcount(a, NULL));
}

TEST_F(rules, a_list_with_more_than_one_reference_cannot_be_chained)
{
	struct doca_buf *a = get(self, 0, 8), *b = get(self, 8, 8);

	ASSERT_OK(doca_buf_inc_refcount(b, NULL));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(a, b));
	EXPECT_OK(doca_buf_dec_refcount(b, NULL));
	EXPECT_OK(doca_buf_chain_list(a, b));
	EXPECT_OK(doca_buf_dec_refcount(a, NULL));
}

TEST_F(rules, setters_of_data_do_not_check)
{
	struct doca_buf *buf = get(self, 0, 8);
	size_t len = 0;

	EXPECT_OK(doca_buf_set_data_len(buf, SIZE_MAX));
	EXPECT_OK(doca_buf_get_data_len(buf, &len));
	EXPECT_EQ(SIZE_MAX, len);
	EXPECT_OK(doca_buf_set_data(buf, NULL, 0));
	EXPECT_OK(doca_buf_dec_refcount(buf, NULL));
}

TEST_F(rules, a_copy_of_a_list_describes_the_same_memory)
{
	struct doca_buf *a = get(self, 0, 8), *b = get(self, 8, 9), *copy, *next;
	uint32_t len = 0, num = 0;
	size_t data_len = 0;
	void *data = NULL;

	ASSERT_OK(doca_buf_chain_list(a, b));
	ASSERT_OK(doca_buf_inventory_buf_dup(self->inventory, a, &copy));
	EXPECT_NE((void *)a, (void *)copy);
	EXPECT_OK(doca_buf_get_list_len(copy, &len));
	EXPECT_EQ(2, len);
	EXPECT_OK(doca_buf_get_next_in_list(copy, &next));
	EXPECT_OK(doca_buf_get_data(next, &data));
	EXPECT_EQ((void *)(self->mem + 8), data);
	EXPECT_OK(doca_buf_get_data_len(next, &data_len));
	EXPECT_EQ(9, data_len);
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_buf_inventory_buf_dup(self->inventory, b, &next));
	EXPECT_OK(doca_buf_inventory_get_num_free_elements(self->inventory, &num));
	EXPECT_EQ(4, num);
	EXPECT_OK(doca_buf_dec_refcount(copy, NULL));
	EXPECT_OK(doca_buf_dec_refcount(a, NULL));
}

TEST_F(rules, a_copy_that_does_not_fit_leaves_nothing_behind)
{
	struct doca_buf *list = NULL, *buf, *copy;
	uint32_t num = 0;
	int i;

	for (i = 0; i < 5; i++) {
		buf = get(self, i * 8, 8);
		if (list)
			ASSERT_OK(doca_buf_chain_list(list, buf));
		else
			list = buf;
	}
	EXPECT_DOCA(DOCA_ERROR_NO_MEMORY,
		    doca_buf_inventory_buf_dup(self->inventory, list, &copy));
	EXPECT_OK(doca_buf_inventory_get_num_free_elements(self->inventory, &num));
	EXPECT_EQ(3, num);
	EXPECT_OK(doca_buf_dec_refcount(list, NULL));
}

TEST_F(rules, a_buf_is_used_again_for_another_place)
{
	struct doca_buf *buf = get(self, 0, 8), *other = get(self, 0, 8);
	size_t len = 0;
	void *p = NULL;

	ASSERT_OK(doca_buf_inventory_buf_reuse_by_data(buf, self->mem + 100, 50));
	EXPECT_OK(doca_buf_get_data(buf, &p));
	EXPECT_EQ((void *)(self->mem + 100), p);
	EXPECT_OK(doca_buf_get_data_len(buf, &len));
	EXPECT_EQ(50, len);
	ASSERT_OK(doca_buf_inventory_buf_reuse_by_addr(buf, self->mem + 200, 60));
	EXPECT_OK(doca_buf_get_len(buf, &len));
	EXPECT_EQ(60, len);
	EXPECT_OK(doca_buf_get_data_len(buf, &len));
	EXPECT_EQ(0, len);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_inventory_buf_reuse_by_addr(buf, self->mem + self->size, 1));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_inventory_buf_reuse_by_data(buf, self->mem - 1, 2));
	ASSERT_OK(doca_buf_chain_list(buf, other));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_buf_inventory_buf_reuse_by_addr(buf, self->mem, 8));
	EXPECT_OK(doca_buf_dec_refcount(buf, NULL));
}

TEST_F(rules, an_inventory_grows_while_it_is_started)
{
	union doca_data data = { .u64 = 5 };
	struct doca_buf *bufs[11];
	uint32_t num = 0;
	int i;

	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_expand(self->inventory, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_inventory_expand(self->inventory, UINT32_MAX));
	ASSERT_OK(doca_buf_inventory_expand(self->inventory, 3));
	EXPECT_OK(doca_buf_inventory_get_num_elements(self->inventory, &num));
	EXPECT_EQ(11, num);
	for (i = 0; i < 11; i++) {
		bufs[i] = get(self, 0, 8);
		EXPECT_NE(NULL, bufs[i]);
	}
	EXPECT_EQ(NULL, get(self, 0, 8));
	for (i = 0; i < 11; i++)
		EXPECT_OK(doca_buf_dec_refcount(bufs[i], NULL));
	EXPECT_OK(doca_buf_inventory_stop(self->inventory));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_buf_inventory_expand(self->inventory, 1));
	EXPECT_OK(doca_buf_inventory_set_user_data(self->inventory, data));
	data.u64 = 0;
	EXPECT_OK(doca_buf_inventory_get_user_data(self->inventory, &data));
	EXPECT_EQ(5, data.u64);
}

/* --- pools --------------------------------------------------------------------------- */

TEST_F(rules, a_pool_cuts_aligned_elements_out_of_its_map)
{
	struct doca_buf_pool *pool;
	struct doca_buf *bufs[5];
	union doca_data data = { .u64 = 6 };
	size_t align = 0, len = 0;
	void *p = NULL;
	uint32_t num = 0;
	int i, j;

	ASSERT_OK(doca_buf_pool_create(5, 100, self->map, &pool));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(pool, 3));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(pool, 0));
	ASSERT_OK(doca_buf_pool_set_element_alignment(pool, 64));
	EXPECT_OK(doca_buf_pool_get_element_alignment(pool, &align));
	EXPECT_EQ(64, align);
	EXPECT_OK(doca_buf_pool_set_user_data(pool, data));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &bufs[0]));
	ASSERT_OK(doca_buf_pool_start(pool));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_buf_pool_set_element_alignment(pool, 8));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_buf_pool_set_user_data(pool, data));
	EXPECT_OK(doca_buf_pool_get_num_elements(pool, &num));
	EXPECT_EQ(5, num);
	for (i = 0; i < 5; i++) {
		ASSERT_OK(doca_buf_pool_buf_alloc(pool, &bufs[i]));
		EXPECT_OK(doca_buf_get_head(bufs[i], &p));
		EXPECT_EQ(0, (uintptr_t)p % 64);
		EXPECT_LE((uintptr_t)self->mem, (uintptr_t)p);
		EXPECT_GE((uintptr_t)self->mem + self->size, (uintptr_t)p + 100);
		EXPECT_OK(doca_buf_get_len(bufs[i], &len));
		EXPECT_EQ(100, len);
		EXPECT_OK(doca_buf_get_data_len(bufs[i], &len));
		EXPECT_EQ(0, len);
		for (j = 0; j < i; j++) {
			void *q = NULL;

			doca_buf_get_head(bufs[j], &q);
			EXPECT_TRUE((char *)p - (char *)q >= 100 || (char *)q - (char *)p >= 100);
		}
	}
	EXPECT_DOCA(DOCA_ERROR_NO_MEMORY, doca_buf_pool_buf_alloc(pool, &bufs[0]));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_buf_pool_stop(pool));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_buf_pool_destroy(pool));
	for (i = 0; i < 5; i++)
		EXPECT_OK(doca_buf_dec_refcount(bufs[i], NULL));
	EXPECT_OK(doca_buf_pool_get_num_free_elements(pool, &num));
	EXPECT_EQ(5, num);
	data.u64 = 0;
	EXPECT_OK(doca_buf_pool_get_user_data(pool, &data));
	EXPECT_EQ(6, data.u64);
	EXPECT_OK(doca_buf_pool_stop(pool));
	EXPECT_OK(doca_buf_pool_destroy(pool));
}

TEST_F(rules, a_pool_needs_a_started_map_with_room)
{
	struct doca_buf_pool *pool;
	struct doca_mmap *map;

	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(0, 8, self->map, &pool));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(8, 0, self->map, &pool));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(8, 8, NULL, &pool));
	ASSERT_OK(doca_buf_pool_create(17, page_size(), self->map, &pool));
	EXPECT_DOCA(DOCA_ERROR_INITIALIZATION, doca_buf_pool_start(pool));
	EXPECT_OK(doca_buf_pool_destroy(pool));
	ASSERT_OK(doca_buf_pool_create(2, SIZE_MAX, self->map, &pool));
	EXPECT_DOCA(DOCA_ERROR_INITIALIZATION, doca_buf_pool_start(pool));
	EXPECT_OK(doca_buf_pool_destroy(pool));
	ASSERT_OK(doca_mmap_create(&map));
	ASSERT_OK(doca_buf_pool_create(1, 8, map, &pool));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_buf_pool_start(pool));
	EXPECT_OK(doca_buf_pool_destroy(pool));
	EXPECT_OK(doca_mmap_destroy(map));
}

/* --- memory maps ---------------------------------------------------------------------- */

TEST_F(rules, thread_safety_comes_before_the_start_and_ends_the_counting)
{
	struct doca_mmap *map;
	struct doca_buf *buf;
	uint32_t num = 9;

	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(self->map));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_enable_thread_safety(NULL));
	ASSERT_OK(doca_mmap_create(&map));
	ASSERT_OK(doca_mmap_enable_thread_safety(map));
	ASSERT_OK(doca_mmap_set_memrange(map, self->mem, self->size));
	ASSERT_OK(doca_mmap_add_dev(map, self->dev));
	ASSERT_OK(doca_mmap_start(map));
	ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->inventory, map, self->mem, 8, &buf));
	EXPECT_OK(doca_mmap_get_num_bufs(map, &num));
	EXPECT_EQ(0, num);
	EXPECT_OK(doca_buf_dec_refcount(buf, NULL));
	EXPECT_OK(doca_mmap_destroy(map));
}

TEST_F(rules, a_key_is_there_while_the_map_is_started)
{
	uint32_t mkey = 0;
	struct doca_mmap *map;

	EXPECT_OK(doca_mmap_get_mkey(self->map, self->dev, &mkey));
	EXPECT_NE(0, mkey);
	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_mmap_get_mkey(map, self->dev, &mkey));
	EXPECT_OK(doca_mmap_destroy(map));
}

/* --- contexts and progress engines ------------------------------------------------------ */

static int ended;

static void on_end(struct doca_dma_task_memcpy *task, union doca_data user_data,
		   union doca_data ctx_data)
{
	struct doca_pe *pe = ctx_data.ptr;

	ended++;
	/* neither of these is allowed in here */
	if (doca_pe_progress(pe) != 0)
		ended += 1000;
	if (doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL) !=
	    DOCA_ERROR_NOT_PERMITTED)
		ended += 1000;
	if (doca_pe_destroy(pe) != DOCA_ERROR_IN_USE)
		ended += 1000;
}

static doca_error_t start_dma(FIXTURE_DATA(rules) *self, struct doca_pe **pe,
			      struct doca_dma **dma)
{
	union doca_data data;
	doca_error_t err = doca_pe_create(pe);

	if (err == DOCA_SUCCESS)
		err = doca_dma_create(self->dev, dma);
	if (err != DOCA_SUCCESS)
		return err;
	data.ptr = *pe;
	doca_dma_task_memcpy_set_conf(*dma, on_end, on_end, 4);
	doca_ctx_set_user_data(doca_dma_as_ctx(*dma), data);
	doca_pe_connect_ctx(*pe, doca_dma_as_ctx(*dma));
	ended = 0;
	return doca_ctx_start(doca_dma_as_ctx(*dma));
}

TEST_F(rules, what_a_callback_may_not_do)
{
	struct doca_buf *src = get(self, 0, 64), *dst = get(self, 4096, 64);
	struct doca_dma_task_memcpy *task;
	union doca_data data = {};
	struct doca_dma *dma;
	struct doca_pe *pe;

	doca_buf_reset_data_len(dst);
	ASSERT_OK(start_dma(self, &pe, &dma));
	ASSERT_OK(doca_dma_task_memcpy_alloc_init(dma, src, dst, data, &task));
	ASSERT_OK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	ASSERT_TRUE(PROGRESS_UNTIL(pe, ended));
	EXPECT_EQ(1, ended);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	EXPECT_OK(doca_ctx_stop(doca_dma_as_ctx(dma)));
	EXPECT_OK(doca_dma_destroy(dma));
	EXPECT_OK(doca_pe_destroy(pe));
	EXPECT_OK(doca_buf_dec_refcount(src, NULL));
	EXPECT_OK(doca_buf_dec_refcount(dst, NULL));
}

TEST_F(rules, a_task_takes_other_bufs_and_user_data)
{
	struct doca_buf *one = get(self, 0, 64), *two = get(self, 64, 64), *dst = get(self, 4096, 64);
	struct doca_buf *dst2 = get(self, 8192, 64);
	struct doca_dma_task_memcpy *task;
	union doca_data data = { .u64 = 8 };
	struct doca_task *base;
	struct doca_dma *dma;
	struct doca_pe *pe;

	mem_fill(self->mem, 128, 3);
	doca_buf_reset_data_len(dst);
	doca_buf_reset_data_len(dst2);
	ASSERT_OK(start_dma(self, &pe, &dma));
	ASSERT_OK(doca_dma_task_memcpy_alloc_init(dma, one, dst, data, &task));
	base = doca_dma_task_memcpy_as_task(task);
	EXPECT_EQ((void *)doca_dma_as_ctx(dma), (void *)doca_task_get_ctx(base));
	EXPECT_EQ(8, doca_task_get_user_data(base).u64);
	data.u64 = 9;
	doca_task_set_user_data(base, data);
	EXPECT_EQ(9, doca_task_get_user_data(base).u64);
	doca_dma_task_memcpy_set_src(task, two);
	doca_dma_task_memcpy_set_dst(task, dst2);
	EXPECT_EQ((void *)two, (void *)doca_dma_task_memcpy_get_src(task));
	EXPECT_EQ((void *)dst2, (void *)doca_dma_task_memcpy_get_dst(task));
	ASSERT_OK(doca_task_submit(base));
	ASSERT_TRUE(PROGRESS_UNTIL(pe, ended));
	EXPECT_EQ(0, memcmp(self->mem + 64, self->mem + 8192, 64));
	EXPECT_TRUE(mem_is(self->mem + 4096, 64, 0));
	doca_task_free(base);
	/* the context of a freed task is still known */
	EXPECT_EQ((void *)doca_dma_as_ctx(dma), (void *)doca_task_get_ctx(base));
	EXPECT_OK(doca_ctx_stop(doca_dma_as_ctx(dma)));
	EXPECT_OK(doca_dma_destroy(dma));
	EXPECT_OK(doca_pe_destroy(pe));
	EXPECT_OK(doca_buf_dec_refcount(one, NULL));
	EXPECT_OK(doca_buf_dec_refcount(two, NULL));
	EXPECT_OK(doca_buf_dec_refcount(dst, NULL));
	EXPECT_OK(doca_buf_dec_refcount(dst2, NULL));
}

/* Without a clear: the next request takes what is pending. */
TEST_F(rules, in_mode_PROGRESS_ALL_a_request_also_clears)
{
	struct doca_buf *src = get(self, 0, 64), *dst = get(self, 4096, 64);
	struct pollfd pfd = { .events = POLLIN };
	struct doca_dma_task_memcpy *task;
	union doca_data data = {};
	struct doca_dma *dma;
	struct doca_pe *pe;
	int i;

	ASSERT_OK(start_dma(self, &pe, &dma));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_pe_set_event_mode(pe, 7));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_pe_set_event_mode(NULL, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	ASSERT_OK(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	ASSERT_OK(doca_pe_get_notification_handle(pe, &pfd.fd));
	ASSERT_OK(doca_dma_task_memcpy_alloc_init(dma, src, dst, data, &task));
	for (i = 1; i <= 3; i++) {
		doca_buf_reset_data_len(dst);
		ASSERT_OK(doca_pe_request_notification(pe));
		ASSERT_OK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
		ASSERT_EQ(1, poll(&pfd, 1, WAIT_MS));
		ASSERT_TRUE(PROGRESS_UNTIL(pe, ended == i));
	}
	ASSERT_OK(doca_pe_request_notification(pe));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	EXPECT_OK(doca_ctx_stop(doca_dma_as_ctx(dma)));
	EXPECT_OK(doca_dma_destroy(dma));
	EXPECT_OK(doca_pe_destroy(pe));
	EXPECT_OK(doca_buf_dec_refcount(src, NULL));
	EXPECT_OK(doca_buf_dec_refcount(dst, NULL));
}

TEST_F(rules, a_completion_vector_is_chosen_while_idle)
{
	union doca_data data = { .u64 = 3 };
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_pe *pe;
	uint32_t num = 0;

	EXPECT_OK(doca_ctx_cap_get_num_completion_vectors(self->info, &num));
	EXPECT_LE(1, num);
	ASSERT_OK(start_dma(self, &pe, &dma));
	ctx = doca_dma_as_ctx(dma);
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_ctx_set_completion_vector(ctx, 0));
	EXPECT_OK(doca_ctx_stop(ctx));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_completion_vector(ctx, num));
	EXPECT_OK(doca_ctx_set_completion_vector(ctx, num - 1));
	EXPECT_OK(doca_ctx_start(ctx));
	EXPECT_OK(doca_ctx_set_user_data(ctx, data));
	data.u64 = 0;
	EXPECT_OK(doca_ctx_get_user_data(ctx, &data));
	EXPECT_EQ(3, data.u64);
	EXPECT_OK(doca_ctx_stop(ctx));
	EXPECT_OK(doca_dma_destroy(dma));
	EXPECT_OK(doca_pe_destroy(pe));
}

/* --- properties of RDMA contexts ------------------------------------------------------- */

TEST_F(rules, properties_of_RDMA_are_set_while_idle_and_stay)
{
	enum doca_rdma_transport_type transport;
	struct doca_event_channel *evch;
	enum doca_mtu_size mtu;
	struct doca_rdma *rdma, *other;
	struct doca_pe *pe;
	uint32_t n = 0, max = 0;
	uint16_t u16 = 0;
	uint8_t u8 = 9;
	struct doca_rdma_gid gid;

	if (doca_rdma_cap_task_write_is_supported(self->info) != DOCA_SUCCESS)
		SKIP(return, "no RDMA");
	ASSERT_OK(doca_rdma_create(self->dev, &rdma));
	EXPECT_OK(doca_rdma_cap_get_max_send_queue_size(self->info, &max));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_send_queue_size(rdma, max + 1));
	EXPECT_OK(doca_rdma_set_send_queue_size(rdma, 100));
	EXPECT_OK(doca_rdma_get_send_queue_size(rdma, &n));
	EXPECT_EQ(128, n);
	EXPECT_OK(doca_rdma_cap_get_max_send_buf_list_len(self->info, &max));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_max_send_buf_list_len(rdma, max + 1));
	EXPECT_OK(doca_rdma_set_max_send_buf_list_len(rdma, 3));
	EXPECT_OK(doca_rdma_get_max_send_buf_list_len(rdma, &n));
	EXPECT_EQ(3, n);
	EXPECT_OK(doca_rdma_cap_get_max_message_size(self->info, &max));
	EXPECT_LT(0, max);
	EXPECT_OK(doca_rdma_set_mtu(rdma, DOCA_MTU_SIZE_4K_BYTES));
	EXPECT_OK(doca_rdma_get_mtu(rdma, &mtu));
	EXPECT_EQ(DOCA_MTU_SIZE_4K_BYTES, mtu);
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_set_mtu(rdma, DOCA_MTU_SIZE_RAW_ETHERNET));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_mtu(rdma, 77));
	EXPECT_OK(doca_rdma_set_permissions(rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
					    DOCA_ACCESS_FLAG_RDMA_WRITE));
	EXPECT_OK(doca_rdma_get_permissions(rdma, &n));
	EXPECT_EQ(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE, n);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_rdma_set_permissions(rdma, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	EXPECT_OK(doca_rdma_set_grh_enabled(rdma, 0));
	EXPECT_OK(doca_rdma_get_grh_enabled(rdma, &u8));
	EXPECT_EQ(0, u8);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_grh_enabled(rdma, 2));
	EXPECT_OK(doca_rdma_set_sl(rdma, 15));
	EXPECT_OK(doca_rdma_get_sl(rdma, &n));
	EXPECT_EQ(15, n);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_sl(rdma, 16));
	EXPECT_OK(doca_rdma_cap_get_gid_table_size(self->info, &n));
	EXPECT_EQ(1, n);
	EXPECT_OK(doca_rdma_cap_get_gid(self->info, 0, 1, &gid));
	EXPECT_EQ(0xfe, gid.raw[0]);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_gid(self->info, 1, 1, &gid));
	EXPECT_OK(doca_rdma_set_gid_index(rdma, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_gid_index(rdma, 1));
	EXPECT_OK(doca_rdma_get_gid_index(rdma, &n));
	EXPECT_EQ(0, n);
	EXPECT_OK(doca_rdma_set_max_num_connections(rdma, 5));
	EXPECT_OK(doca_rdma_get_max_num_connections(rdma, &u16));
	EXPECT_EQ(5, u16);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_max_num_connections(rdma, 0));
	EXPECT_OK(doca_rdma_set_transport_type(rdma, DOCA_RDMA_TRANSPORT_TYPE_RC));
	EXPECT_OK(doca_rdma_get_transport_type(rdma, &transport));
	EXPECT_EQ(DOCA_RDMA_TRANSPORT_TYPE_RC, transport);
	EXPECT_OK(doca_rdma_cap_transport_type_is_supported(self->info,
							    DOCA_RDMA_TRANSPORT_TYPE_RC));

	/* an event channel is made by one context and shared with another one */
	ASSERT_OK(doca_rdma_create(self->dev, &other));
	ASSERT_OK(doca_rdma_create_event_channel(rdma, &evch));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_rdma_create_event_channel(rdma, &evch));
	ASSERT_OK(doca_rdma_set_event_channel(other, evch));
	ASSERT_OK(doca_pe_create(&pe));
	ASSERT_OK(doca_pe_connect_event_channel(pe, evch));
	ASSERT_OK(doca_ctx_start(doca_rdma_as_ctx(rdma)));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_rdma_set_send_queue_size(rdma, 64));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_rdma_set_sl(rdma, 1));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_rdma_set_max_num_connections(rdma, 1));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_event_channel_destroy(evch));
	EXPECT_OK(doca_ctx_stop(doca_rdma_as_ctx(rdma)));
	EXPECT_OK(doca_event_channel_destroy(evch));
	EXPECT_OK(doca_rdma_destroy(rdma));
	EXPECT_OK(doca_rdma_destroy(other));
	EXPECT_OK(doca_pe_destroy(pe));
}

/* --- what the devices lack ----------------------------------------------------------------- */

static struct doca_gpu *const gpu = (void *)1;
static struct doca_dpa *const dpa = (void *)1;

TEST_F(rules, what_the_devices_lack_is_NOT_SUPPORTED)
{
	struct doca_mmap_advise *advise;
	doca_dpa_dev_mmap_t dpa_map;
	struct doca_gpu_dma *gpu_dma;
	struct doca_mmap *map;
	struct doca_dma *dma;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	ASSERT_OK(doca_dma_create(self->dev, &dma));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED,
		    doca_ctx_set_datapath_on_gpu(doca_dma_as_ctx(dma), gpu));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED,
		    doca_ctx_set_datapath_on_dpa(doca_dma_as_ctx(dma), dpa));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_dma_get_gpu_handle(dma, &gpu_dma));
	EXPECT_OK(doca_dma_set_ordered_completions(dma, 1));
	EXPECT_OK(doca_dma_set_ordered_completions(dma, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_dma_set_ordered_completions(dma, 2));
	EXPECT_OK(doca_dma_destroy(dma));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_lid(self->info, &u16));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_active_rate(self->info, &u64));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_sf_index(self->info, &u32));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_dev_accelerate_resource_reclaim(self->dev));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED,
		    doca_mmap_advise_cap_task_cache_invalidate_is_supported(self->info));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED,
		    doca_mmap_advise_task_cache_invalidate_get_max_buf_size(self->info, &u64));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_advise_create(self->dev, &advise));
	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_set_dpa_memrange(map, dpa, 0, 8));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED,
		    doca_mmap_dev_get_dpa_handle(self->map, self->dev, &dpa_map));
	EXPECT_OK(doca_mmap_destroy(map));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_task_batch_submit(NULL));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_task_batch_try_submit(NULL));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_task_batch_get_status(NULL));
	EXPECT_EQ(0, doca_task_batch_get_tasks_num(NULL));
	EXPECT_EQ(NULL, doca_task_batch_get_ctx(NULL));
}

TEST_F(rules, capabilities_that_no_device_has_are_0)
{
	enum doca_pci_func_type type = 9;
	uint8_t is = 9;

	EXPECT_OK(doca_devinfo_cap_is_hotplug_manager_supported(self->info, &is));
	EXPECT_EQ(0, is);
	is = 9;
	EXPECT_OK(doca_devinfo_cap_is_notification_moderation_supported(self->info, &is));
	EXPECT_EQ(0, is);
	is = 9;
	EXPECT_OK(doca_devinfo_cap_is_accelerate_resource_reclaim_supported(self->info, &is));
	EXPECT_EQ(0, is);
	EXPECT_OK(doca_devinfo_get_pci_func_type(self->info, &type));
	EXPECT_EQ(DOCA_PCI_FUNC_TYPE_PF, type);
}

TEST_F(rules, a_buffer_array_without_a_target_does_not_start)
{
	struct doca_gpu_buf_arr *gpu_arr;
	doca_dpa_dev_buf_arr_t dpa_arr;
	struct doca_buf_arr *arr;

	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_create(0, &arr));
	ASSERT_OK(doca_buf_arr_create(4, &arr));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_gpu(arr, gpu));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_dpa(arr, dpa));
	EXPECT_OK(doca_buf_arr_set_params(arr, self->map, 64, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(arr, self->map, 0, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_arr_set_params(arr, self->map, SIZE_MAX / 2, 0));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(arr));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_buf_arr_get_gpu_handle(arr, &gpu_arr));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_buf_arr_get_dpa_handle(arr, &dpa_arr));
	EXPECT_OK(doca_buf_arr_stop(arr));
	EXPECT_OK(doca_buf_arr_destroy(arr));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_destroy(NULL));
}

DOCA_TEST_MAIN
