// SPDX-License-Identifier: MIT
/* Pools: bufs cut out of one memory map in advance. */
#include <stdlib.h>

#include <doca_buf.h>
#include <doca_buf_pool.h>

#include "core.h"

struct doca_buf_pool {
	struct doca_buf *free;
	uint32_t num_free;
	uint32_t num_elements;
	size_t element_size;
	size_t alignment;
	bool started;
	struct doca_mmap *mmap;
	union doca_data user_data;
	struct lib_owner owner;
	struct doca_buf bufs[];
};

static void give_back(struct doca_buf *buf)
{
	struct doca_buf_pool *pool = buf->owner;

	buf->next = pool->free;
	pool->free = buf;
	pool->num_free++;
}

static void release(struct doca_buf *buf)
{
	struct doca_buf_pool *pool = buf->owner;

	lib_use(&pool->owner, "pool", "releasing a doca_buf");
	lib_mmap_put_buf(buf->mmap);
	give_back(buf);
}

doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
				  const struct doca_mmap *mmap,
				  struct doca_buf_pool **buf_pool)
{
	struct doca_buf_pool *pool;
	size_t size;
	size_t i;

	if (!buf_pool || !mmap || !num_elements || !element_size ||
	    num_elements > UINT32_MAX) {
		lib_err("a pool of %zu bufs of %zu bytes: need 1 to %u bufs of at least a byte, and a memory map",
			num_elements, element_size, UINT32_MAX);
		return DOCA_ERROR_INVALID_VALUE;
	}

	if (__builtin_mul_overflow(num_elements, sizeof(pool->bufs[0]), &size) ||
	    __builtin_add_overflow(size, sizeof(*pool), &size))
		return DOCA_ERROR_NO_MEMORY;
	pool = calloc(1, size);
	if (!pool) {
		lib_err("no memory for a pool of %zu bufs (%zu bytes)",
			num_elements, size);
		return DOCA_ERROR_NO_MEMORY;
	}

	pool->num_elements = num_elements;
	pool->element_size = element_size;
	pool->alignment = 1;
	/* Only its count of bufs is changed, which is no use of the map. */
	pool->mmap = (struct doca_mmap *)(uintptr_t)mmap;
	for (i = num_elements; i-- > 0; ) {
		pool->bufs[i].owner = pool;
		pool->bufs[i].release = release;
		give_back(&pool->bufs[i]);
	}
	*buf_pool = pool;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool)
{
	doca_error_t err;

	err = doca_buf_pool_stop(buf_pool);
	if (err)
		return err;
	free(buf_pool);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool)
{
	const struct doca_mmap *mmap;
	size_t stride, need, pad;
	uint32_t i;

	if (!buf_pool)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->started)
		return DOCA_SUCCESS;
	mmap = buf_pool->mmap;
	if (!mmap->started) {
		lib_err("the pool's memory map is not started");
		return DOCA_ERROR_BAD_STATE;
	}

	pad = -(uintptr_t)mmap->addr & (buf_pool->alignment - 1);
	if (__builtin_add_overflow(buf_pool->element_size,
				   buf_pool->alignment - 1, &stride))
		goto too_small;
	stride &= ~(buf_pool->alignment - 1);
	/* The last element needs no padding behind it. */
	if (__builtin_mul_overflow(stride, (size_t)buf_pool->num_elements - 1,
				   &need) ||
	    __builtin_add_overflow(need, buf_pool->element_size, &need) ||
	    __builtin_add_overflow(need, pad, &need) || need > mmap->len)
		goto too_small;

	for (i = 0; i < buf_pool->num_elements; i++) {
		buf_pool->bufs[i].head = (char *)mmap->addr + pad + i * stride;
		buf_pool->bufs[i].len = buf_pool->element_size;
	}
	buf_pool->started = true;
	return DOCA_SUCCESS;

too_small:
	lib_err("%u bufs of %zu bytes, aligned to %zu, do not fit into a memory map of %zu bytes",
		buf_pool->num_elements, buf_pool->element_size,
		buf_pool->alignment, mmap->len);
	return DOCA_ERROR_INITIALIZATION;
}

doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool)
{
	if (!buf_pool)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->num_free != buf_pool->num_elements) {
		lib_err("pool still in use: %u of its %u bufs are out",
			buf_pool->num_elements - buf_pool->num_free,
			buf_pool->num_elements);
		return DOCA_ERROR_IN_USE;
	}

	buf_pool->started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool,
				     struct doca_buf **buf)
{
	struct doca_buf *new;
	doca_error_t err;

	if (lib_unlikely(!buf_pool || !buf))
		return DOCA_ERROR_INVALID_VALUE;
	lib_use(&buf_pool->owner, "pool", "doca_buf_pool_buf_alloc()");
	if (lib_unlikely(!buf_pool->started))
		return DOCA_ERROR_BAD_STATE;
	new = buf_pool->free;
	if (lib_unlikely(!new))
		return DOCA_ERROR_NO_MEMORY;

	err = lib_mmap_get_buf(buf_pool->mmap, new->head, new->len);
	if (lib_unlikely(err))
		return err;

	buf_pool->free = new->next;
	buf_pool->num_free--;
	new->data = new->head;
	new->data_len = 0;
	new->next = NULL;
	new->mmap = buf_pool->mmap;
	new->first = new;
	new->last = new;
	new->list_len = 1;
	new->refcount = 1;
	*buf = new;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool,
					 union doca_data user_data)
{
	if (!buf_pool)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->started)
		return DOCA_ERROR_BAD_STATE;

	buf_pool->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
						 size_t element_alignment)
{
	if (!buf_pool || !element_alignment ||
	    (element_alignment & (element_alignment - 1)))
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->started)
		return DOCA_ERROR_BAD_STATE;

	buf_pool->alignment = element_alignment;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
					    uint32_t *num_of_elements)
{
	if (!buf_pool || !num_of_elements)
		return DOCA_ERROR_INVALID_VALUE;

	*num_of_elements = buf_pool->num_elements;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
				    uint32_t *num_of_free_elements)
{
	if (!buf_pool || !num_of_free_elements)
		return DOCA_ERROR_INVALID_VALUE;

	*num_of_free_elements = buf_pool->num_free;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
					 union doca_data *user_data)
{
	if (!buf_pool || !user_data)
		return DOCA_ERROR_INVALID_VALUE;

	*user_data = buf_pool->user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
				    size_t *element_alignment)
{
	if (!buf_pool || !element_alignment)
		return DOCA_ERROR_INVALID_VALUE;

	*element_alignment = buf_pool->alignment;
	return DOCA_SUCCESS;
}
