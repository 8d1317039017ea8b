/* SPDX-License-Identifier: MIT */
/**
 * DOCA RDMA: writing to the memory of another process, which takes no part.
 *
 * A doca_rdma is a context (doca_rdma_as_ctx()). Each of its connections is a queue
 * pair of the device, and is made in both processes in the same way: doca_rdma_export()
 * reserves a connection and describes it, the description goes to the other process in
 * whatever way, and doca_rdma_connect() takes the other one's description.
 *
 * The owner of the memory exports it with doca_mmap_export_rdma(); the writer makes a
 * memory map from that (doca_mmap_create_from_export()), and takes its destination
 * buffers from it.
 *
 * Threads: as its context, see doca_ctx.h.
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_event_channel;
struct doca_rdma;
struct doca_rdma_connection;
struct doca_rdma_task_write;

/**
 * enum doca_rdma_transport_type - transports
 * @DOCA_RDMA_TRANSPORT_TYPE_RC: reliable connection
 * @DOCA_RDMA_TRANSPORT_TYPE_DC: dynamically connected; not there
 */
enum doca_rdma_transport_type {
	DOCA_RDMA_TRANSPORT_TYPE_RC = 0,
	DOCA_RDMA_TRANSPORT_TYPE_DC = 1,
};

/**
 * typedef doca_rdma_task_write_completion_cb_t - a write is done, or has failed
 * @task: the task, which is the application's again
 * @task_user_data: of the task
 * @ctx_user_data: of the context
 */
typedef void (*doca_rdma_task_write_completion_cb_t)(struct doca_rdma_task_write *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/**
 * doca_rdma_create - make an RDMA context
 * @dev: device; cannot be closed before doca_rdma_destroy()
 * @rdma: the new object
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_NOT_SUPPORTED if the device has no RDMA; DOCA_ERROR_NO_MEMORY
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);

/**
 * doca_rdma_destroy - end an RDMA context
 * @rdma: the object, IDLE. May be called in its state callback
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @rdma is NULL; DOCA_ERROR_BAD_STATE
 * if it is not IDLE
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/**
 * doca_rdma_as_ctx - the object as a context
 * @rdma: the object
 *
 * Return: the context; NULL if @rdma is NULL
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/*
 * Event channels. Of the programming model, not of the SDK: there,
 * doca_pe_connect_ctx() does it behind the scenes.
 */

/**
 * doca_rdma_create_event_channel - make an event channel for the context
 * @rdma: the object, IDLE
 * @evch: the new event channel, which the context reports to. It has to be connected to
 *	a progress engine (doca_pe_connect_event_channel()) before the context is started,
 *	and to be given back with doca_event_channel_destroy()
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_BAD_STATE		the context is not IDLE
 * DOCA_ERROR_NOT_PERMITTED	it has an event channel already
 * DOCA_ERROR_FULL		the device has no free event channel
 * DOCA_ERROR_NO_MEMORY		out of memory, or of file descriptors
 * DOCA_ERROR_IO_FAILED		the device is gone
 */
DOCA_STABLE
doca_error_t doca_rdma_create_event_channel(struct doca_rdma *rdma,
					    struct doca_event_channel **evch);

/**
 * doca_rdma_set_event_channel - let the context report to an event channel
 * @rdma: the object, IDLE
 * @evch: event channel of the same device, from whichever engine. If it is connected to
 *	a progress engine, so is the context from now on
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL, or the channel is of another device
 * DOCA_ERROR_BAD_STATE		the context is not IDLE
 * DOCA_ERROR_NOT_PERMITTED	it has an event channel already, or another progress engine
 */
DOCA_STABLE
doca_error_t doca_rdma_set_event_channel(struct doca_rdma *rdma,
					 struct doca_event_channel *evch);

/*
 * Capabilities. Each returns DOCA_SUCCESS, DOCA_ERROR_INVALID_VALUE if an argument is
 * NULL, or DOCA_ERROR_NOT_SUPPORTED if the device has no RDMA.
 */

/**
 * doca_rdma_cap_task_write_is_supported - can the device write?
 * @devinfo: the device
 *
 * Return: DOCA_SUCCESS if so, see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);

/**
 * doca_rdma_cap_task_write_get_max_buf_list_len - longest source list of a write
 * @devinfo: the device
 * @transport_type: DOCA_RDMA_TRANSPORT_TYPE_RC; the other one is NOT_SUPPORTED
 * @max_buf_list_len: elements
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_task_write_get_max_buf_list_len(const struct doca_devinfo *devinfo,
					      enum doca_rdma_transport_type transport_type,
					      uint32_t *max_buf_list_len);

/**
 * doca_rdma_cap_get_max_send_queue_size - tasks in flight on one connection
 * @devinfo: the device
 * @max_send_queue_size: their greatest number
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
				      uint32_t *max_send_queue_size);

/**
 * doca_rdma_cap_get_max_send_buf_list_len - longest source list of any task
 * @devinfo: the device
 * @max_send_buf_list_len: elements
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
					uint32_t *max_send_buf_list_len);

/**
 * doca_rdma_cap_get_max_message_size - longest task
 * @devinfo: the device
 * @max_message_size: bytes
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
				   uint32_t *max_message_size);

/**
 * doca_rdma_cap_get_gid_table_size - number of network addresses
 * @devinfo: the device
 * @gid_table_size: 1
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
				 uint32_t *gid_table_size);

/**
 * doca_rdma_cap_get_gid - network addresses
 * @devinfo: the device
 * @start_index: first one wanted
 * @num_entries: how many; together at most the table's size
 * @gid_array: filled in
 *
 * Return: see above; DOCA_ERROR_INVALID_VALUE also if the range is not in the table
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo,
				   uint32_t start_index, uint32_t num_entries,
				   struct doca_rdma_gid *gid_array);

/**
 * doca_rdma_cap_transport_type_is_supported - is a transport there?
 * @devinfo: the device
 * @transport_type: the transport
 *
 * Return: see above: DOCA_SUCCESS for RC
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
					  enum doca_rdma_transport_type transport_type);

/*
 * Configuration. Setters: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @rdma is NULL or the
 * value out of its range; DOCA_ERROR_BAD_STATE if the context is not IDLE. Getters:
 * DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 */

/**
 * doca_rdma_set_send_queue_size - set how many tasks a connection can have in flight
 * @rdma: the object
 * @send_queue_size: tasks, from 1; rounded up to a power of two. If never set, as many as
 *	there are tasks
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma,
					   uint32_t send_queue_size);

/**
 * doca_rdma_get_send_queue_size - get it
 * @rdma: the object
 * @send_queue_size: as it was set, rounded up; 0 if never set
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma,
					   uint32_t *send_queue_size);

/**
 * doca_rdma_set_transport_type - set the transport
 * @rdma: the object
 * @transport_type: DOCA_RDMA_TRANSPORT_TYPE_RC
 *
 * Return: see above; DOCA_ERROR_NOT_SUPPORTED for the other one
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
					  enum doca_rdma_transport_type transport_type);

/**
 * doca_rdma_get_transport_type - get it
 * @rdma: the object
 * @transport_type: DOCA_RDMA_TRANSPORT_TYPE_RC
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
					  enum doca_rdma_transport_type *transport_type);

/**
 * doca_rdma_set_permissions - set what peers may do through this context's connections
 * @rdma: the object
 * @permissions: DOCA_ACCESS_FLAG_LOCAL_READ_WRITE and DOCA_ACCESS_FLAG_RDMA_*. Only
 *	recorded: what a peer may do with memory is up to the permissions of its memory map
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma,
				       uint32_t permissions);

/**
 * doca_rdma_get_permissions - get it
 * @rdma: the object
 * @permissions: as they were set; 0 if never
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma,
				       uint32_t *permissions);

/**
 * doca_rdma_set_gid_index - choose the network address
 * @rdma: the object
 * @gid_index: 0, the only one
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);

/**
 * doca_rdma_get_gid_index - get it
 * @rdma: the object
 * @gid_index: 0
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma,
				     uint32_t *gid_index);

/**
 * doca_rdma_set_max_num_connections - set how many connections there can be
 * @rdma: the object
 * @max_num_connections: from 1; 1 if never set
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
					       uint16_t max_num_connections);

/*
 * Connections
 */

/**
 * doca_rdma_export - reserve a connection, and describe it for the peer
 * @rdma: the object, RUNNING
 * @local_rdma_conn_details: the description. It belongs to the connection, and is valid
 *	until the context is stopped
 * @local_rdma_conn_details_size: its bytes, less than 256
 * @rdma_connection: the connection, valid until the context is stopped
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_BAD_STATE		the context is not RUNNING
 * DOCA_ERROR_FULL		all connections are in use, see
 *				doca_rdma_set_max_num_connections(), or the device has no
 *				free queue
 * DOCA_ERROR_NO_MEMORY		out of memory
 * DOCA_ERROR_IO_FAILED		the device is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(struct doca_rdma *rdma,
			      const void **local_rdma_conn_details,
			      size_t *local_rdma_conn_details_size,
			      struct doca_rdma_connection **rdma_connection);

/**
 * doca_rdma_connect - connect to a peer
 * @rdma: the object, RUNNING
 * @remote_rdma_conn_details: what the peer's doca_rdma_export() gave; not needed after
 *	the call
 * @remote_rdma_conn_details_size: its bytes
 * @rdma_connection: from doca_rdma_export() of this object
 *
 * Tasks may be submitted at once: while the peer has not connected yet, they wait, for four
 * seconds at most, and then fail with DOCA_ERROR_TIME_OUT.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL, this is no such description, or the
 *				connection is of another object
 * DOCA_ERROR_UNSUPPORTED_VERSION  the description is from another version of the library
 * DOCA_ERROR_BAD_STATE		the context is not RUNNING
 * DOCA_ERROR_ALREADY_EXIST	the connection has a peer already
 * DOCA_ERROR_IO_FAILED		the device is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
			       const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size,
			       struct doca_rdma_connection *rdma_connection);

/**
 * doca_rdma_connection_get_id - number of a connection
 * @rdma_connection: the connection
 * @connection_id: from 0, in the order of the exports since the start
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
			    uint32_t *connection_id);

/*
 * Writes
 */

/**
 * doca_rdma_task_write_set_conf - enable writes
 * @rdma: the object, IDLE
 * @successful_task_completion_cb: called when a task is done
 * @error_task_completion_cb: called when a task has failed
 * @num_tasks: how many tasks there shall be, on all connections together
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if a pointer is NULL or the number out of
 * its range; DOCA_ERROR_BAD_STATE if the context is not IDLE
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_task_write_set_conf(struct doca_rdma *rdma,
			      doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
			      doca_rdma_task_write_completion_cb_t error_task_completion_cb,
			      uint32_t num_tasks);

/**
 * doca_rdma_task_write_allocate_init - get a write from the pool
 * @rdma: the object, RUNNING
 * @rdma_connection: the connection that it goes over
 * @src_buf: what is written: a buffer or the first of a list
 * @dst_buf: where to: a buffer in a memory map from doca_mmap_create_from_export(); only
 *	this one, not what it may be chained to
 * @user_data: given to the callback
 * @task: the task, the application's until it is submitted
 *
 * No reference of the buffers is taken; they have to stay until the task is freed or gets
 * other ones.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	a pointer is NULL, or the device does not belong to the
 *				memory map of a buffer
 * DOCA_ERROR_BAD_STATE		the context is not RUNNING
 * DOCA_ERROR_NO_MEMORY		all tasks are in use
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
				   struct doca_rdma_connection *rdma_connection,
				   const struct doca_buf *src_buf,
				   struct doca_buf *dst_buf,
				   union doca_data user_data,
				   struct doca_rdma_task_write **task);

/**
 * doca_rdma_task_write - write, in one call
 * @rdma: the object, RUNNING
 * @rdma_connection: the connection that it goes over
 * @src_buf: what is written
 * @dst_buf: where to
 * @user_data: given to the callback
 * @task: the task, in flight
 *
 * The programming model's form: doca_rdma_task_write_allocate_init() and
 * doca_task_submit(). The task is freed by the application in its callback
 * (doca_task_free()), or submitted again.
 *
 * Return: as these two. On an error there is no task
 */
DOCA_STABLE
doca_error_t doca_rdma_task_write(struct doca_rdma *rdma,
				  struct doca_rdma_connection *rdma_connection,
				  const struct doca_buf *src_buf,
				  struct doca_buf *dst_buf,
				  union doca_data user_data,
				  struct doca_rdma_task_write **task);

/**
 * doca_rdma_task_write_as_task - the task as one for doca_task_submit() and the like
 * @task: the task
 *
 * Return: the same task
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task);

/**
 * doca_rdma_task_write_set_src_buf - change the source
 * @task: the task, not in flight
 * @src_buf: a buffer or the first of a list. If it cannot be used, submitting gives
 *	DOCA_ERROR_INVALID_VALUE
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
				      const struct doca_buf *src_buf);

/**
 * doca_rdma_task_write_get_src_buf - get the source
 * @task: the task
 *
 * Return: the source
 */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task);

/**
 * doca_rdma_task_write_set_dst_buf - change the destination
 * @task: the task, not in flight
 * @dst_buf: a buffer; as for the source
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task,
				      struct doca_buf *dst_buf);

/**
 * doca_rdma_task_write_get_dst_buf - get the destination
 * @task: the task
 *
 * Return: the destination
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task);

/**
 * doca_rdma_task_write_set_rdma_connection - change the connection
 * @task: the task, not in flight
 * @rdma_connection: of the same object
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
					      struct doca_rdma_connection *rdma_connection);

/**
 * doca_rdma_task_write_get_rdma_connection - get the connection
 * @task: the task
 *
 * Return: the connection
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_H_ */
