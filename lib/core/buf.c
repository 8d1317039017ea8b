// SPDX-License-Identifier: MIT
/* Bufs and lists of bufs, wherever they come from. */
#include <doca_buf.h>

#include "core.h"

static bool is_first(const struct doca_buf *buf)
{
	return buf->first == buf;
}

doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	if (!is_first(buf))
		return DOCA_ERROR_NOT_PERMITTED;
	if (buf->refcount == UINT16_MAX)
		return DOCA_ERROR_TOO_BIG;

	if (refcount)
		*refcount = buf->refcount;
	buf->refcount++;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	struct doca_buf *next;

	if (!is_first(buf))
		return DOCA_ERROR_NOT_PERMITTED;
	if (!buf->refcount)
		return DOCA_ERROR_BAD_STATE;

	if (refcount)
		*refcount = buf->refcount;
	if (--buf->refcount)
		return DOCA_SUCCESS;

	/* Elements of a list may come from different inventories and pools. */
	for (; buf; buf = next) {
		next = buf->next;
		buf->next = NULL;
		buf->first = buf;
		buf->refcount = 0;
		buf->release(buf);
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_refcount(const struct doca_buf *buf,
				   uint16_t *refcount)
{
	*refcount = buf->first->refcount;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
	*len = buf->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
	*head = buf->head;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
	*data_len = buf->data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
	*data = buf->data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data,
			       size_t data_len)
{
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
	buf->data_len = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf,
				       struct doca_buf **next_buf)
{
	*next_buf = buf->next;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf,
				       struct doca_buf **last_buf)
{
	if (!buf || !last_buf)
		return DOCA_ERROR_INVALID_VALUE;

	*last_buf = buf->first->last;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf,
				      uint8_t *is_last)
{
	*is_last = !buf->next;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf,
				       uint8_t *first)
{
	*first = is_first(buf);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_in_list(const struct doca_buf *buf,
				 uint8_t *is_in_list)
{
	*is_in_list = buf->next || !is_first(buf);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_list_len(const struct doca_buf *buf,
				   uint32_t *num_elements)
{
	if (!buf || !num_elements)
		return DOCA_ERROR_INVALID_VALUE;
	if (!is_first(buf))
		return DOCA_ERROR_NOT_PERMITTED;

	*num_elements = buf->list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	struct doca_buf *elem;

	if (!is_first(list1) || !is_first(list2) || list1 == list2 ||
	    list2->refcount != 1)
		return DOCA_ERROR_NOT_PERMITTED;

	list1->last->next = list2;
	list1->last = list2->last;
	list1->list_len += list2->list_len;
	for (elem = list2; elem; elem = elem->next)
		elem->first = list1;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head,
				      struct doca_buf *list1_tail,
				      struct doca_buf *list2)
{
	if (!is_first(list1_head) || list1_head->last != list1_tail)
		return DOCA_ERROR_NOT_PERMITTED;
	return doca_buf_chain_list(list1_head, list2);
}

doca_error_t doca_buf_unchain_list(struct doca_buf *list1,
				   struct doca_buf *list2)
{
	struct doca_buf *prev, *elem;
	uint32_t num = 1;

	if (!list1 || !list2 || list1 == list2 || !is_first(list1) ||
	    list2->first != list1)
		return DOCA_ERROR_INVALID_VALUE;

	for (prev = list1; prev->next != list2; prev = prev->next)
		num++;

	list2->last = list1->last;
	list2->list_len = list1->list_len - num;
	list2->refcount = 1;
	for (elem = list2; elem; elem = elem->next)
		elem->first = list2;

	prev->next = NULL;
	list1->last = prev;
	list1->list_len = num;
	return DOCA_SUCCESS;
}
