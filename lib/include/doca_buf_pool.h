/* SPDX-License-Identifier: MIT */
/*
 * A pool: doca_bufs of one size that are cut out of one memory map in advance.
 *
 * create -> (set_element_alignment) -> start -> buf_alloc() ... -> stop
 * -> destroy
 *
 * Threads: a pool and its bufs belong to one thread at a time. Allocating a buf
 * makes no system call, takes no lock and allocates no memory.
 *
 * SDK behaviour, unless said otherwise.
 */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_buf_pool;
struct doca_mmap;

/**
 * doca_buf_pool_create() - make a pool
 * @num_elements: number of bufs, 1 to UINT32_MAX
 * @element_size: bytes of each, not 0
 * @mmap: memory map that they are cut from; it needs its range only at start
 * @buf_pool: where to put the pool
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL, or a number out of its range
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_STABLE
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
				  const struct doca_mmap *mmap,
				  struct doca_buf_pool **buf_pool);

/**
 * doca_buf_pool_destroy() - end a pool
 * @buf_pool: pool; stopped if it is not yet
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_IN_USE: bufs are out
 */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/**
 * doca_buf_pool_start() - cut the memory map into bufs
 * @buf_pool: pool; nothing happens if it is started
 *
 * The first element begins at the first aligned address of the memory map; the
 * others follow at the element size, rounded up to the alignment.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_BAD_STATE: the memory map is not started
 * DOCA_ERROR_INITIALIZATION: the memory map is too small
 */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/**
 * doca_buf_pool_stop() - allow no more bufs
 * @buf_pool: pool; nothing happens if it is not started
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_IN_USE: bufs are out
 */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/**
 * doca_buf_pool_buf_alloc() - get a buf
 * @buf_pool: started pool
 * @buf: where to put the buf; it is empty and has one reference
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_BAD_STATE: the pool, or its memory map, is not started
 * DOCA_ERROR_NO_MEMORY: all bufs are out
 */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool,
				     struct doca_buf **buf);

/**
 * doca_buf_pool_set_user_data() - attach something
 * @buf_pool: pool, not started
 * @user_data: what doca_buf_pool_get_user_data() is to give
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_BAD_STATE: started
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool,
					 union doca_data user_data);

/**
 * doca_buf_pool_set_element_alignment() - align all bufs
 * @buf_pool: pool, not started
 * @element_alignment: bytes, a power of two; 1 if not set
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL, or not a power of two
 * DOCA_ERROR_BAD_STATE: started
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
						 size_t element_alignment);

/**
 * doca_buf_pool_get_num_elements() - how many there are in all
 * @buf_pool: pool
 * @num_of_elements: where to put it
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
					    uint32_t *num_of_elements);

/**
 * doca_buf_pool_get_num_free_elements() - how many can be allocated
 * @buf_pool: pool
 * @num_of_free_elements: where to put it
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t
doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
				    uint32_t *num_of_free_elements);

/**
 * doca_buf_pool_get_user_data() - what was attached
 * @buf_pool: pool
 * @user_data: where to put it; 0 if nothing was
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
					 union doca_data *user_data);

/**
 * doca_buf_pool_get_element_alignment() - alignment of the bufs
 * @buf_pool: pool
 * @element_alignment: where to put it, in bytes
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t
doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
				    size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_POOL_H_ */
