/* SPDX-License-Identifier: MIT */
/**
 * DOCA RDMA: the device writes to memory of other processes, through the network.
 *
 * One kind of task: write. It copies the data of the source list behind the data of a
 * remote buffer: one in a memory map from doca_mmap_create_from_export(). The process
 * there takes no part in it.
 *
 *   doca_rdma_create(dev, &rdma);
 *   doca_rdma_task_write_set_conf(rdma, done_cb, error_cb, num_tasks);
 *   doca_pe_connect_ctx(pe, doca_rdma_as_ctx(rdma));
 *   doca_ctx_start(doca_rdma_as_ctx(rdma));
 *   doca_rdma_export(rdma, &details, &size, &connection);
 *   ... the two processes exchange the details ...
 *   doca_rdma_connect(rdma, remote_details, remote_size, connection);
 *   doca_rdma_task_write_allocate_init(rdma, connection, src, dst, user_data, &task);
 *   doca_task_submit(doca_rdma_task_write_as_task(task));
 *
 * Each connection is a queue of the device. Tasks of one connection are done in the order
 * of their submission. A task that fails ends the run of its context, with all its
 * connections: see doca_ctx.h. Connections end with the run; the next one needs new ones.
 *
 * Threads: as for contexts (doca_ctx.h). doca_rdma_cap_*() may be called from any thread.
 *
 * Pointers to tasks and connections are not checked for NULL, unless said so.
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
struct doca_task;
struct rdma_cm_id;

/**
 * enum doca_rdma_transport_type - how queues are connected
 * @DOCA_RDMA_TRANSPORT_TYPE_RC: reliable, one queue to one queue
 * @DOCA_RDMA_TRANSPORT_TYPE_DC: dynamically connected; not supported
 */
enum doca_rdma_transport_type {
	DOCA_RDMA_TRANSPORT_TYPE_RC = 0,
	DOCA_RDMA_TRANSPORT_TYPE_DC = 1,
};

/**
 * typedef doca_rdma_task_write_completion_cb_t - a write task is done, or has failed
 * @task: the task, which is the application's again
 * @task_user_data: of the task
 * @ctx_user_data: of the context
 *
 * Done means: the data is in the remote memory.
 */
typedef void (*doca_rdma_task_write_completion_cb_t)(struct doca_rdma_task_write *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/**
 * doca_rdma_create - make an RDMA context
 * @dev: the device
 * @rdma: the new object
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_NOT_SUPPORTED	the device cannot do RDMA
 * DOCA_ERROR_NO_MEMORY		out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);

/**
 * doca_rdma_destroy - end an RDMA context
 * @rdma: the object, IDLE. May be called in its state callback
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @rdma is NULL; DOCA_ERROR_BAD_STATE if it
 * is not IDLE
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

/**
 * doca_rdma_create_event_channel - make an event channel for the context
 * @rdma: the object, IDLE
 * @evch: the new event channel, which the context reports to from now on. To be ended by
 *	doca_event_channel_destroy()
 *
 * An event channel is a completion ring with its notification. It is connected to a
 * progress engine by doca_pe_connect_event_channel(), and the context with it. Without this
 * call a context gets its completion ring behind the scenes.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_BAD_STATE		the context is not IDLE
 * DOCA_ERROR_NOT_PERMITTED	it has an event channel already, or called in a child of the
 *				process that opened the device
 * DOCA_ERROR_NO_MEMORY		out of memory
 * DOCA_ERROR_FULL		the device has no free event channel
 * DOCA_ERROR_IO_FAILED		the device is gone
 * DOCA_ERROR_DRIVER		the device refused
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create_event_channel(struct doca_rdma *rdma,
					    struct doca_event_channel **evch);

/**
 * doca_rdma_set_event_channel - let the context report to an event channel
 * @rdma: the object, IDLE
 * @evch: event channel of the same device, made for another context
 *
 * If the event channel is connected to a progress engine, so is the context afterwards.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL, or they are of different devices
 * DOCA_ERROR_BAD_STATE		the context is not IDLE
 * DOCA_ERROR_NOT_PERMITTED	it has an event channel already, or the two are connected to
 *				different progress engines
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_event_channel(struct doca_rdma *rdma,
					 struct doca_event_channel *evch);

/**
 * doca_rdma_export - make a connection, and say what the peer needs to know of it
 * @rdma: the object, RUNNING
 * @local_rdma_conn_details: what the peer gives to doca_rdma_connect(); belongs to the
 *	connection and goes with it
 * @local_rdma_conn_details_size: its bytes
 * @rdma_connection: the new connection; valid until the context is IDLE
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_BAD_STATE		the context is not RUNNING
 * DOCA_ERROR_FULL		doca_rdma_set_max_num_connections() allows no more, or the
 *				device has no free queue
 * DOCA_ERROR_NOT_PERMITTED	called in a child of the process that opened the device
 * DOCA_ERROR_NO_MEMORY		out of memory
 * DOCA_ERROR_IO_FAILED		the device is gone
 * DOCA_ERROR_DRIVER		the device refused
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(struct doca_rdma *rdma,
			      const void **local_rdma_conn_details,
			      size_t *local_rdma_conn_details_size,
			      struct doca_rdma_connection **rdma_connection);

/**
 * doca_rdma_connect - connect to a peer
 * @rdma: the object, RUNNING
 * @remote_rdma_conn_details: from doca_rdma_export() of the peer; any alignment. Checked as
 *	what it is: something from outside
 * @remote_rdma_conn_details_size: its bytes
 * @rdma_connection: from doca_rdma_export(), not connected yet
 *
 * Tasks may be submitted afterwards. They are done when the peer has connected, too; if
 * it does not answer for 4 seconds they fail with DOCA_ERROR_TIME_OUT.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL, the details are not from
 *				doca_rdma_export() of this version, or the connection is not
 *				one of @rdma
 * DOCA_ERROR_BAD_STATE		the context is not RUNNING, or the connection is connected
 * DOCA_ERROR_NOT_PERMITTED	called in a child of the process that opened the device
 * DOCA_ERROR_IO_FAILED		the device is gone
 * DOCA_ERROR_CONNECTION_ABORTED  the device refused
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
			       const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size,
			       struct doca_rdma_connection *rdma_connection);

/*
 * Capabilities. They return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_NOT_SUPPORTED if the device cannot do RDMA.
 */

/**
 * doca_rdma_cap_get_max_send_queue_size - the largest send queue
 * @devinfo: the device
 * @max_send_queue_size: tasks in flight on one connection
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
				      uint32_t *max_send_queue_size);

/**
 * doca_rdma_cap_get_max_send_buf_list_len - the longest list
 * @devinfo: the device
 * @max_send_buf_list_len: elements of a source list
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
					uint32_t *max_send_buf_list_len);

/**
 * doca_rdma_cap_get_max_message_size - the longest message
 * @devinfo: the device
 * @max_message_size: bytes of one task, all elements of the list together
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
 * @gid_table_size: always 1
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
					      uint32_t *gid_table_size);

/**
 * doca_rdma_cap_get_gid - get network addresses
 * @devinfo: the device
 * @start_index: first entry of the table, from 0
 * @num_entries: entries to get, at least 1
 * @gid_array: room for @num_entries
 *
 * Return: see above; DOCA_ERROR_INVALID_VALUE also if the table has not all of these entries
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo,
				   uint32_t start_index, uint32_t num_entries,
				   struct doca_rdma_gid *gid_array);

/**
 * doca_rdma_cap_transport_type_is_supported - can it connect that way?
 * @devinfo: the device
 * @transport_type: the way
 *
 * Return: see above; DOCA_ERROR_NOT_SUPPORTED for all but DOCA_RDMA_TRANSPORT_TYPE_RC;
 * DOCA_ERROR_INVALID_VALUE if there is no such type
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
					  enum doca_rdma_transport_type transport_type);

/**
 * doca_rdma_cap_task_write_is_supported - can it do RDMA writes?
 * @devinfo: the device
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);

/*
 * Properties. The setters need the context in state IDLE. They return DOCA_SUCCESS;
 * DOCA_ERROR_INVALID_VALUE if @rdma is NULL or the value out of its range;
 * DOCA_ERROR_BAD_STATE if the context is not IDLE. The getters work in any state and return
 * DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 */

/**
 * doca_rdma_set_send_queue_size - set the size of the send queues
 * @rdma: the object
 * @send_queue_size: tasks in flight on each connection, from 1 to
 *	doca_rdma_cap_get_max_send_queue_size(); rounded up to a power of two. The default is
 *	128. A queue has room for all tasks of the context in any case, if each has at
 *	most two buffers in its source list; with more, a submit may give
 *	DOCA_ERROR_AGAIN
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma,
					   uint32_t send_queue_size);

/**
 * doca_rdma_get_send_queue_size - get the size of the send queues
 * @rdma: the object
 * @send_queue_size: what was set, rounded up; or the default
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma,
					   uint32_t *send_queue_size);

/**
 * doca_rdma_set_max_send_buf_list_len - set the limit for source lists
 * @rdma: the object
 * @max_send_buf_list_len: elements, from 1 to doca_rdma_cap_get_max_send_buf_list_len(),
 *	which is the default. A longer list cannot be submitted
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
						 uint32_t max_send_buf_list_len);

/**
 * doca_rdma_get_max_send_buf_list_len - get the limit for source lists
 * @rdma: the object
 * @max_send_buf_list_len: elements
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
						 uint32_t *max_send_buf_list_len);

/**
 * doca_rdma_set_transport_type - choose how queues are connected
 * @rdma: the object
 * @transport_type: DOCA_RDMA_TRANSPORT_TYPE_RC, the default
 *
 * Return: see above; DOCA_ERROR_NOT_SUPPORTED for DOCA_RDMA_TRANSPORT_TYPE_DC
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_set_transport_type(struct doca_rdma *rdma,
			     enum doca_rdma_transport_type transport_type);

/**
 * doca_rdma_get_transport_type - how are queues connected?
 * @rdma: the object
 * @transport_type: always DOCA_RDMA_TRANSPORT_TYPE_RC
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_get_transport_type(const struct doca_rdma *rdma,
			     enum doca_rdma_transport_type *transport_type);

/**
 * doca_rdma_set_mtu - set the size of packets
 * @rdma: the object
 * @mtu: any but DOCA_MTU_SIZE_RAW_ETHERNET; the default is DOCA_MTU_SIZE_1K_BYTES. Kept, but
 *	without effect: the devices settle it among themselves
 *
 * Return: see above; DOCA_ERROR_NOT_SUPPORTED for DOCA_MTU_SIZE_RAW_ETHERNET
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);

/**
 * doca_rdma_get_mtu - get the size of packets
 * @rdma: the object
 * @mtu: what was set, or the default
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma,
			       enum doca_mtu_size *mtu);

/**
 * doca_rdma_set_permissions - say what peers may do
 * @rdma: the object
 * @permissions: of DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, _RDMA_READ, _RDMA_WRITE and
 *	_RDMA_ATOMIC; the default is 0. Kept, but without effect: what peers may do with
 *	memory is only up to the rights of its memory map, and whether it was exported
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma,
				       uint32_t permissions);

/**
 * doca_rdma_get_permissions - get what was set
 * @rdma: the object
 * @permissions: DOCA_ACCESS_FLAG_*
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma,
				       uint32_t *permissions);

/**
 * doca_rdma_set_grh_enabled - use the global routing header
 * @rdma: the object
 * @grh_enabled: 0 or 1; the default is 1. Kept, but without effect: packets are
 *	always addressed by GIDs
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma,
				       uint8_t grh_enabled);

/**
 * doca_rdma_get_grh_enabled - get what was set
 * @rdma: the object
 * @grh_enabled: 0 or 1
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma,
				       uint8_t *grh_enabled);

/**
 * doca_rdma_set_gid_index - choose the network address
 * @rdma: the object
 * @gid_index: entry of the GID table, below doca_rdma_cap_get_gid_table_size(): 0, which is
 *	the default
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);

/**
 * doca_rdma_get_gid_index - which network address?
 * @rdma: the object
 * @gid_index: entry of the GID table
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma,
				     uint32_t *gid_index);

/**
 * doca_rdma_set_sl - set the service level
 * @rdma: the object
 * @sl: from 0, the default, to 15. Kept, but without effect: all are served alike
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl);

/**
 * doca_rdma_get_sl - get the service level
 * @rdma: the object
 * @sl: from 0 to 15
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl);

/**
 * doca_rdma_set_max_num_connections - allow more connections
 * @rdma: the object
 * @max_num_connections: how many the context may have, from 1, the default, to the number
 *	of queues of the device (struct doca_devinfo_caps)
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
					       uint16_t max_num_connections);

/**
 * doca_rdma_get_max_num_connections - how many connections are allowed?
 * @rdma: the object
 * @max_num_connections: their number
 *
 * Return: see above
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
					       uint16_t *max_num_connections);

/**
 * doca_rdma_connection_set_user_data - set the user data of a connection
 * @rdma_connection: the connection
 * @connection_user_data: what doca_rdma_connection_get_user_data() gives
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if @rdma_connection is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
				   union doca_data connection_user_data);

/**
 * doca_rdma_connection_get_user_data - get the user data of a connection
 * @rdma_connection: the connection
 * @connection_user_data: what was set; all zero if nothing was
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
				   union doca_data *connection_user_data);

/**
 * doca_rdma_connection_get_id - get the number of a connection
 * @rdma_connection: the connection
 * @connection_id: from 0, in the order of doca_rdma_export() since the start
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
			    uint32_t *connection_id);

/*
 * Write tasks
 */

/**
 * doca_rdma_task_write_set_conf - enable write tasks
 * @rdma: the object, IDLE
 * @successful_task_completion_cb: called when a task is done
 * @error_task_completion_cb: called when a task has failed
 * @num_tasks: how many tasks there shall be, on all connections together; from 1 to
 *	doca_rdma_cap_get_max_send_queue_size()
 *
 * A context without tasks can be started: it serves as a target.
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if a pointer is NULL or the number out of its
 * range; DOCA_ERROR_BAD_STATE if the context is not IDLE
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_task_write_set_conf(struct doca_rdma *rdma,
			      doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
			      doca_rdma_task_write_completion_cb_t error_task_completion_cb,
			      uint32_t num_tasks);

/**
 * doca_rdma_task_write_allocate_init - get a task from the pool
 * @rdma: the object, RUNNING
 * @rdma_connection: the connection; need not be connected before the submission
 * @src_buf: source: a buffer or the first of a list, in memory of this process
 * @dst_buf: destination: a buffer in memory of the peer; of a list, only the first
 * @user_data: given to the callback
 * @task: the task, the application's until it is submitted
 *
 * No reference of the buffers is taken; they have to stay until the task is freed or gets
 * other ones.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	a pointer is NULL, the connection is not one of @rdma, or the
 *				device does not belong to the memory map of a buffer
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
 * doca_rdma_task_write - get a task from the pool and submit it
 * @rdma: the object, RUNNING
 * @connection: the connection
 * @src_buf: as for doca_rdma_task_write_allocate_init()
 * @dst_buf: likewise
 * @task_user_data: given to the callback
 * @task: the task, which is the library's until its callback
 *
 * Return: as doca_rdma_task_write_allocate_init() and doca_task_submit(). On an error there
 * is no task
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write(struct doca_rdma *rdma,
				  struct doca_rdma_connection *connection,
				  const struct doca_buf *src_buf,
				  struct doca_buf *dst_buf,
				  union doca_data task_user_data,
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
 * @dst_buf: a buffer in memory of the peer. If it cannot be used, submitting gives
 *	DOCA_ERROR_INVALID_VALUE
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
 * @rdma_connection: a connection of the same context. With another one, submitting gives
 *	DOCA_ERROR_INVALID_VALUE
 */
DOCA_EXPERIMENTAL
void
doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
					 struct doca_rdma_connection *rdma_connection);

/**
 * doca_rdma_task_write_get_rdma_connection - get the connection
 * @task: the task
 *
 * Return: the connection; NULL if it was set to one that cannot be used
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_H_ */
