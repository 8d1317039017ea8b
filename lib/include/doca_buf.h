/* SPDX-License-Identifier: MIT */
/*
 * A doca_buf: a window of registered memory, and the valid data in it.
 *
 *   head           data        data + data_len          head + len
 *    |              |               |                        |
 *    +--------------+###############+------------------------+
 *
 * A task reads the data of its source, and appends its output behind the data
 * of its destination: data_len grows by what was written. A destination that
 * is used again has to be emptied with doca_buf_reset_data_len() first.
 *
 * Bufs come from an inventory (doca_buf_inventory.h) or from a pool
 * (doca_buf_pool.h), with one reference, and go back when the last reference is
 * dropped. They can be chained into lists, for gathering and scattering; the
 * references of a list are those of its first element.
 *
 * Threads: a buf, its list and where it comes from belong to one thread at a
 * time. Nothing here makes a system call, takes a lock or allocates.
 *
 * All of it is SDK behaviour. NULL is not checked, unless said so.
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;

/**
 * doca_buf_inc_refcount() - take a reference
 * @buf: buf, or first element of a list
 * @refcount: where to put the number of references before; may be NULL
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_NOT_PERMITTED: @buf is in a list, and not its first element
 * DOCA_ERROR_TOO_BIG: 65535 references already
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * doca_buf_dec_refcount() - drop a reference
 * @buf: buf, or first element of a list
 * @refcount: where to put the number of references before; may be NULL
 *
 * With the last one the buf, and the whole list if it heads one, goes back to
 * where it came from.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_NOT_PERMITTED: @buf is in a list, and not its first element
 * DOCA_ERROR_BAD_STATE: there is no reference
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * doca_buf_get_refcount() - number of references
 * @buf: buf
 * @refcount: where to put it
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf,
				   uint16_t *refcount);

/**
 * doca_buf_get_len() - length of the window
 * @buf: buf
 * @len: where to put it, in bytes
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * doca_buf_get_head() - start of the window
 * @buf: buf
 * @head: where to put it. If the memory is another process's, the address is
 *	that process's as well: not for loads and stores
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * doca_buf_get_data_len() - length of the data
 * @buf: buf
 * @data_len: where to put it, in bytes
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf,
				   size_t *data_len);

/**
 * doca_buf_get_data() - start of the data
 * @buf: buf
 * @data: where to put it; see doca_buf_get_head()
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * doca_buf_set_data() - say what is data
 * @buf: buf
 * @data: start, in the window
 * @data_len: bytes, not beyond the window's end
 *
 * Not checked here: a task with data outside of the memory map fails. Not while
 * a task in flight uses @buf.
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data,
			       size_t data_len);

/**
 * doca_buf_set_data_len() - say how much is data, from where it starts now
 * @buf: buf
 * @data_len: bytes, not beyond the window's end; not checked here
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * doca_buf_reset_data_len() - forget the data
 * @buf: buf; not the rest of its list
 *
 * The next output goes to where the data started. SDK behaviour: programs call
 * it before they use a destination again.
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * doca_buf_get_next_in_list() - the element that follows
 * @buf: buf
 * @next_buf: where to put it; NULL behind the last
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf,
				       struct doca_buf **next_buf);

/**
 * doca_buf_get_last_in_list() - the last element
 * @buf: any element
 * @last_buf: where to put it; @buf itself if it is in no list
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf,
				       struct doca_buf **last_buf);

/**
 * doca_buf_is_last_in_list() - whether nothing follows
 * @buf: buf
 * @is_last: where to put 1 or 0; 1 if @buf is in no list
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf,
				      uint8_t *is_last);

/**
 * doca_buf_is_first_in_list() - whether nothing precedes
 * @buf: buf
 * @is_first: where to put 1 or 0; 1 if @buf is in no list
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf,
				       uint8_t *is_first);

/**
 * doca_buf_is_in_list() - whether there are others with it
 * @buf: buf
 * @is_in_list: where to put 1 or 0
 *
 * Return: DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf,
				 uint8_t *is_in_list);

/**
 * doca_buf_get_list_len() - number of elements
 * @buf: first element; 1 if it is in no list
 * @num_elements: where to put it
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_NOT_PERMITTED: @buf is not the first element
 */
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf,
				   uint32_t *num_elements);

/**
 * doca_buf_chain_list() - append a list to another
 * @list1: first element of the list that grows
 * @list2: first element of the list to append; its reference becomes the list's
 *
 * Not while a task in flight uses one of them. The time goes with the length of
 * @list2.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_NOT_PERMITTED: one of them is not a first element, they are the
 *	same list, or @list2 does not have exactly one reference
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1,
				 struct doca_buf *list2);

/**
 * doca_buf_chain_list_tail() - append a list to another whose end is known
 * @list1_head: first element of the list that grows
 * @list1_tail: its last element
 * @list2: first element of the list to append
 *
 * Return: as doca_buf_chain_list(), and DOCA_ERROR_NOT_PERMITTED if @list1_tail
 * is not the last element of @list1_head.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head,
				      struct doca_buf *list1_tail,
				      struct doca_buf *list2);

/**
 * doca_buf_unchain_list() - cut a list in two
 * @list1: first element of the list
 * @list2: element that becomes the first of its own list, with one reference
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: @list1 is not a first element, @list2 is not in its
 *	list, or is @list1
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1,
				   struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
