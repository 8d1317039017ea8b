/* SPDX-License-Identifier: MIT */
/*
 * An inventory: where doca_bufs come from. It has a fixed number of elements,
 * and each can describe any part of any started memory map.
 *
 * create -> start -> buf_get_by_*() ... -> stop -> destroy
 *
 * Threads: an inventory and its bufs belong to one thread at a time. Getting a
 * buf makes no system call, takes no lock and allocates nothing.
 *
 * SDK behaviour, unless said otherwise.
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_buf_inventory;
struct doca_mmap;

/**
 * doca_buf_inventory_create() - make an inventory
 * @num_elements: bufs that may be out at a time, 1 to UINT32_MAX
 * @inventory: where to put it
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL, or @num_elements out of its range
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements,
				       struct doca_buf_inventory **inventory);

/**
 * doca_buf_inventory_destroy() - end an inventory
 * @inventory: inventory; stopped if it is not yet
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_IN_USE: bufs are out
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * doca_buf_inventory_start() - allow to get bufs
 * @inventory: inventory; nothing happens if it is started
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * doca_buf_inventory_stop() - allow no more bufs
 * @inventory: inventory; nothing happens if it is not started
 *
 * The bufs that are out stay valid.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * doca_buf_inventory_buf_get_by_args() - get a buf
 * @inventory: started inventory
 * @mmap: started memory map that the window lies in
 * @addr: start of the window
 * @len: its bytes
 * @data: start of the data, in the window
 * @data_len: bytes of data, not beyond the window's end
 * @buf: where to put the buf; it has one reference
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL, the window is not in the memory map, the data
 *	not in the window
 * DOCA_ERROR_BAD_STATE: @inventory or @mmap is not started
 * DOCA_ERROR_NO_MEMORY: all elements are out
 */
DOCA_STABLE
doca_error_t
doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
				   struct doca_mmap *mmap, void *addr,
				   size_t len, void *data, size_t data_len,
				   struct doca_buf **buf);

/**
 * doca_buf_inventory_buf_dup() - get a buf, or a list, that describes the same
 * @inventory: started inventory
 * @src_buf: first element of what to copy; the description is copied, not the
 *	memory
 * @dst_buf: where to put the new buf; it has one reference
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_BAD_STATE: @inventory or a memory map is not started
 * DOCA_ERROR_NOT_PERMITTED: @src_buf is not a first element
 * DOCA_ERROR_NO_MEMORY: too few elements are left; none is taken
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
					const struct doca_buf *src_buf,
					struct doca_buf **dst_buf);

/**
 * doca_buf_inventory_set_user_data() - attach something
 * @inventory: inventory, in any state
 * @user_data: what doca_buf_inventory_get_user_data() is to give
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t
doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
				 union doca_data user_data);

/**
 * doca_buf_inventory_get_num_elements() - how many there are in all
 * @inventory: inventory
 * @num_of_elements: where to put it
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t
doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
				    uint32_t *num_of_elements);

/**
 * doca_buf_inventory_get_num_free_elements() - how many can be got
 * @inventory: inventory
 * @num_of_free_elements: where to put it
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t
doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
					 uint32_t *num_of_free_elements);

/**
 * doca_buf_inventory_get_user_data() - what was attached
 * @inventory: inventory
 * @user_data: where to put it; 0 if nothing was
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t
doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
				 union doca_data *user_data);

/**
 * doca_buf_inventory_expand() - add elements
 * @inventory: started inventory
 * @num_elements: how many, not 0
 *
 * Allocates memory. The bufs that are out stay valid.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL, 0, or more than UINT32_MAX in all
 * DOCA_ERROR_BAD_STATE: not started
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory,
				       uint32_t num_elements);

/**
 * doca_buf_inventory_buf_reuse_by_data() - let a buf describe other data
 * @buf: buf of an inventory, in no list and with one reference
 * @data: start of the data and of the window, in the same memory map
 * @data_len: bytes of both
 *
 * SDK behaviour since 3.2.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL, or not in the memory map; nothing changed
 * DOCA_ERROR_NOT_PERMITTED: @buf is in a list, or not the caller's alone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf,
						  void *data, size_t data_len);

/**
 * doca_buf_inventory_buf_reuse_by_addr() - let a buf describe an empty window
 * @buf: buf of an inventory, in no list and with one reference
 * @addr: start of the window, in the same memory map
 * @len: its bytes
 *
 * SDK behaviour since 3.2.
 *
 * Return: as doca_buf_inventory_buf_reuse_by_data().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf,
						  void *addr, size_t len);

/**
 * doca_buf_inventory_buf_get_by_addr() - get an empty buf: a destination
 * @inventory: started inventory
 * @mmap: started memory map
 * @addr: start of the window and of the data
 * @len: bytes of the window; there are 0 bytes of data
 * @buf: where to put the buf
 *
 * Return: as doca_buf_inventory_buf_get_by_args().
 */
static inline doca_error_t
doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
				   struct doca_mmap *mmap, void *addr,
				   size_t len, struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len,
						  addr, 0, buf);
}

/**
 * doca_buf_inventory_buf_get_by_data() - get a buf full of data: a source
 * @inventory: started inventory
 * @mmap: started memory map
 * @data: start of the window and of the data
 * @data_len: bytes of both
 * @buf: where to put the buf
 *
 * Return: as doca_buf_inventory_buf_get_by_args().
 */
static inline doca_error_t
doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
				   struct doca_mmap *mmap, void *data,
				   size_t data_len, struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, data,
						  data_len, data, data_len,
						  buf);
}

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
