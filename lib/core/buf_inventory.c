// SPDX-License-Identifier: MIT
/* Inventories: bufs that can describe any memory. */
#include <stdlib.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>

#include "core.h"

/**
 * struct block - elements that were allocated together
 * @next: next block of the inventory
 * @bufs: the elements
 */
struct block {
	struct block *next;
	struct doca_buf bufs[];
};

struct doca_buf_inventory {
	struct doca_buf *free;
	uint32_t num_free;
	uint32_t num_elements;
	bool started;
	struct block *blocks;
	union doca_data user_data;
	struct lib_owner owner;
};

static void give_back(struct doca_buf *buf)
{
	struct doca_buf_inventory *inventory = buf->owner;

	buf->next = inventory->free;
	inventory->free = buf;
	inventory->num_free++;
}

static void release(struct doca_buf *buf)
{
	struct doca_buf_inventory *inventory = buf->owner;

	lib_use(&inventory->owner, "inventory", "releasing a doca_buf");
	lib_mmap_put_buf(buf->mmap);
	give_back(buf);
}

static doca_error_t add_block(struct doca_buf_inventory *inventory,
			      size_t num_elements)
{
	struct block *block;
	size_t size;
	size_t i;

	if (__builtin_mul_overflow(num_elements, sizeof(block->bufs[0]),
				   &size) ||
	    __builtin_add_overflow(size, sizeof(*block), &size))
		return DOCA_ERROR_NO_MEMORY;
	block = calloc(1, size);
	if (!block) {
		lib_err("no memory for an inventory of %zu bufs (%zu bytes)",
			num_elements, size);
		return DOCA_ERROR_NO_MEMORY;
	}

	for (i = num_elements; i-- > 0; ) {
		block->bufs[i].owner = inventory;
		block->bufs[i].release = release;
		give_back(&block->bufs[i]);
	}
	block->next = inventory->blocks;
	inventory->blocks = block;
	inventory->num_elements += num_elements;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_create(size_t num_elements,
				       struct doca_buf_inventory **inventory)
{
	struct doca_buf_inventory *new;
	doca_error_t err;

	if (!inventory || !num_elements || num_elements > UINT32_MAX) {
		lib_err("an inventory of %zu bufs: need 1 to %u",
			num_elements, UINT32_MAX);
		return DOCA_ERROR_INVALID_VALUE;
	}

	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	err = add_block(new, num_elements);
	if (err) {
		free(new);
		return err;
	}
	*inventory = new;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
	struct block *block;

	if (!inventory)
		return DOCA_ERROR_INVALID_VALUE;
	if (inventory->num_free != inventory->num_elements) {
		lib_err("inventory still in use: %u of its %u bufs are out",
			inventory->num_elements - inventory->num_free,
			inventory->num_elements);
		return DOCA_ERROR_IN_USE;
	}

	while ((block = inventory->blocks)) {
		inventory->blocks = block->next;
		free(block);
	}
	free(inventory);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
	if (!inventory)
		return DOCA_ERROR_INVALID_VALUE;

	inventory->started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
	if (!inventory)
		return DOCA_ERROR_INVALID_VALUE;

	inventory->started = false;
	return DOCA_SUCCESS;
}

static bool in_window(const void *addr, size_t len, const void *data,
		      size_t data_len)
{
	uintptr_t off = (uintptr_t)data - (uintptr_t)addr;

	return off <= len && data_len <= len - off;
}

doca_error_t
doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
				   struct doca_mmap *mmap, void *addr,
				   size_t len, void *data, size_t data_len,
				   struct doca_buf **buf)
{
	struct doca_buf *new;
	doca_error_t err;

	if (lib_unlikely(!inventory || !mmap || !buf))
		return DOCA_ERROR_INVALID_VALUE;
	lib_use(&inventory->owner, "inventory", "getting a doca_buf");
	if (lib_unlikely(!inventory->started))
		return DOCA_ERROR_BAD_STATE;
	if (lib_unlikely(!in_window(addr, len, data, data_len)))
		return DOCA_ERROR_INVALID_VALUE;
	new = inventory->free;
	if (lib_unlikely(!new))
		return DOCA_ERROR_NO_MEMORY;

	err = lib_mmap_get_buf(mmap, addr, len);
	if (lib_unlikely(err))
		return err;

	inventory->free = new->next;
	inventory->num_free--;
	new->head = addr;
	new->len = len;
	new->data = data;
	new->data_len = data_len;
	new->next = NULL;
	new->mmap = mmap;
	new->first = new;
	new->last = new;
	new->list_len = 1;
	new->refcount = 1;
	*buf = new;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
					const struct doca_buf *src_buf,
					struct doca_buf **dst_buf)
{
	struct doca_buf *list = NULL;
	struct doca_buf *elem;
	doca_error_t err;

	if (!inventory || !src_buf || !dst_buf)
		return DOCA_ERROR_INVALID_VALUE;
	if (!inventory->started)
		return DOCA_ERROR_BAD_STATE;
	if (src_buf->first != src_buf)
		return DOCA_ERROR_NOT_PERMITTED;
	if (inventory->num_free < src_buf->list_len)
		return DOCA_ERROR_NO_MEMORY;

	for (; src_buf; src_buf = src_buf->next) {
		/* The data may have been set to anything: copied as it is. */
		err = doca_buf_inventory_buf_get_by_args(inventory,
							 src_buf->mmap,
							 src_buf->head,
							 src_buf->len,
							 src_buf->head, 0,
							 &elem);
		if (err) {
			if (list)
				doca_buf_dec_refcount(list, NULL);
			return err;
		}
		elem->data = src_buf->data;
		elem->data_len = src_buf->data_len;
		if (list)
			doca_buf_chain_list(list, elem);
		else
			list = elem;
	}
	*dst_buf = list;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
				 union doca_data user_data)
{
	if (!inventory)
		return DOCA_ERROR_INVALID_VALUE;

	inventory->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
				    uint32_t *num_of_elements)
{
	if (!inventory || !num_of_elements)
		return DOCA_ERROR_INVALID_VALUE;

	*num_of_elements = inventory->num_elements;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
					 uint32_t *num_of_free_elements)
{
	if (!inventory || !num_of_free_elements)
		return DOCA_ERROR_INVALID_VALUE;

	*num_of_free_elements = inventory->num_free;
	return DOCA_SUCCESS;
}

doca_error_t
doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
				 union doca_data *user_data)
{
	if (!inventory || !user_data)
		return DOCA_ERROR_INVALID_VALUE;

	*user_data = inventory->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory,
				       uint32_t num_elements)
{
	if (!inventory || !num_elements ||
	    num_elements > UINT32_MAX - inventory->num_elements)
		return DOCA_ERROR_INVALID_VALUE;
	if (!inventory->started)
		return DOCA_ERROR_BAD_STATE;
	return add_block(inventory, num_elements);
}

static doca_error_t reuse(struct doca_buf *buf, void *addr, size_t len,
			  size_t data_len)
{
	if (lib_unlikely(!buf))
		return DOCA_ERROR_INVALID_VALUE;
	if (lib_unlikely(buf->release != release || buf->first != buf ||
			 buf->next || buf->refcount != 1))
		return DOCA_ERROR_NOT_PERMITTED;
	if (lib_unlikely(!lib_mmap_holds(buf->mmap, addr, len)))
		return DOCA_ERROR_INVALID_VALUE;

	buf->head = addr;
	buf->len = len;
	buf->data = addr;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf,
						  void *data, size_t data_len)
{
	return reuse(buf, data, data_len, data_len);
}

doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf,
						  void *addr, size_t len)
{
	return reuse(buf, addr, len, 0);
}
