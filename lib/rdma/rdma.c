/* SPDX-License-Identifier: MIT */
/*
 * RDMA: each connection is a queue of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_rdma.h>

#include "core.h"

#define TYPE_WRITE	0

#define PERMISSIONS_ALL	((uint32_t)(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | \
				    DOCA_ACCESS_FLAG_RDMA_READ | \
				    DOCA_ACCESS_FLAG_RDMA_WRITE | \
				    DOCA_ACCESS_FLAG_RDMA_ATOMIC))

/**
 * struct conn_details - what a peer has to know of a connection, little-endian
 * @magic: DETAILS_MAGIC
 * @version: DETAILS_VERSION
 * @queue: number of the queue
 * @gid: address of the device
 */
struct conn_details {
	uint32_t magic;
	uint16_t version;
	uint16_t reserved;
	uint32_t queue;
	uint32_t reserved2;
	struct doca_gid gid;
};

#define DETAILS_MAGIC	0x4e4f4344	/* "DCON" */
#define DETAILS_VERSION	1

struct doca_rdma_connection {
	struct doca_rdma *rdma;
	struct doca_rdma_connection *next;
	struct lib_queue *queue;
	uint32_t id;
	struct conn_details details;
};

/**
 * struct doca_rdma - an RDMA context
 * @ctx: context, first
 * @send_queue_size: tasks in flight on a connection; 0: as many as there are
 * @permissions: recorded
 * @max_connections: that may be exported
 * @num_connections: that are
 * @connections: ...
 */
struct doca_rdma {
	struct doca_ctx ctx;
	uint32_t send_queue_size;
	uint32_t permissions;
	uint32_t max_connections;
	uint32_t num_connections;
	struct doca_rdma_connection *connections;
};

struct doca_rdma_task_write {
	struct doca_task task;
	struct doca_rdma_connection *connection;
} __attribute__((aligned(64)));

static doca_error_t rdma_start(struct doca_ctx *ctx)
{
	(void)ctx;
	/* Queues come with the connections. */
	return DOCA_SUCCESS;
}

static void rdma_stopped(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = lib_container_of(ctx, struct doca_rdma, ctx);
	struct doca_rdma_connection *connection;

	while ((connection = rdma->connections)) {
		rdma->connections = connection->next;
		free(connection);
	}
	rdma->num_connections = 0;
}

static void rdma_free(struct doca_ctx *ctx)
{
	free(lib_container_of(ctx, struct doca_rdma, ctx));
}

static const struct lib_ctx_ops rdma_ops = {
	.name = "RDMA",
	.engine = DOCA_ENGINE_RDMA,
	.num_types = 1,
	.task_size = sizeof(struct doca_rdma_task_write),
	.opcodes = { [TYPE_WRITE] = DOCA_RDMA_OP_WRITE },
	.start = rdma_start,
	.stopped = rdma_stopped,
	.free = rdma_free,
};

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
	doca_error_t result;
	struct doca_rdma *r;

	if (!dev || !rdma)
		return DOCA_ERROR_INVALID_VALUE;
	r = calloc(1, sizeof(*r));
	if (!r)
		return DOCA_ERROR_NO_MEMORY;
	result = lib_ctx_init(&r->ctx, dev, &rdma_ops);
	if (result != DOCA_SUCCESS) {
		free(r);
		return result;
	}
	r->max_connections = 1;
	*rdma = r;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
	if (!rdma)
		return DOCA_ERROR_INVALID_VALUE;
	return lib_ctx_destroy(&rdma->ctx, DOCA_ERROR_BAD_STATE);
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
	return rdma ? &rdma->ctx : NULL;
}

doca_error_t doca_rdma_create_event_channel(struct doca_rdma *rdma,
					    struct doca_event_channel **evch)
{
	return lib_ctx_create_event_channel(doca_rdma_as_ctx(rdma), evch);
}

doca_error_t doca_rdma_set_event_channel(struct doca_rdma *rdma,
					 struct doca_event_channel *evch)
{
	return lib_ctx_set_event_channel(doca_rdma_as_ctx(rdma), evch);
}

/*
 * Capabilities
 */
static doca_error_t find_engine(const struct doca_devinfo *devinfo,
				const void *out,
				const struct doca_engine_info **engine)
{
	if (!devinfo || !out)
		return DOCA_ERROR_INVALID_VALUE;
	*engine = lib_devinfo_engine(devinfo, DOCA_ENGINE_RDMA);
	return *engine ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo)
{
	const struct doca_engine_info *engine;
	doca_error_t result = find_engine(devinfo, &engine, &engine);

	if (result == DOCA_SUCCESS &&
	    !(engine->out_opcodes & 1U << DOCA_RDMA_OP_WRITE))
		result = DOCA_ERROR_NOT_SUPPORTED;
	return result;
}

doca_error_t
doca_rdma_cap_task_write_get_max_buf_list_len(const struct doca_devinfo *devinfo,
					      enum doca_rdma_transport_type transport_type,
					      uint32_t *max_buf_list_len)
{
	doca_error_t result =
		doca_rdma_cap_transport_type_is_supported(devinfo,
							  transport_type);

	if (result != DOCA_SUCCESS)
		return result;
	return doca_rdma_cap_get_max_send_buf_list_len(devinfo, max_buf_list_len);
}

doca_error_t
doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
				      uint32_t *max_send_queue_size)
{
	const struct doca_engine_info *engine;
	doca_error_t result = find_engine(devinfo, max_send_queue_size, &engine);

	if (result == DOCA_SUCCESS)
		*max_send_queue_size = engine->out_max_queue_entries;
	return result;
}

doca_error_t
doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
					uint32_t *max_send_buf_list_len)
{
	const struct doca_engine_info *engine;
	doca_error_t result = find_engine(devinfo, max_send_buf_list_len,
					  &engine);

	if (result == DOCA_SUCCESS)
		*max_send_buf_list_len = engine->out_max_list_len;
	return result;
}

doca_error_t
doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
				   uint32_t *max_message_size)
{
	const struct doca_engine_info *engine;
	doca_error_t result = find_engine(devinfo, max_message_size, &engine);

	if (result == DOCA_SUCCESS)
		*max_message_size = lib_min(engine->out_max_transfer,
					    (uint64_t)UINT32_MAX);
	return result;
}

doca_error_t
doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
				 uint32_t *gid_table_size)
{
	const struct doca_engine_info *engine;
	doca_error_t result = find_engine(devinfo, gid_table_size, &engine);

	if (result == DOCA_SUCCESS)
		*gid_table_size = 1;
	return result;
}

doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo,
				   uint32_t start_index, uint32_t num_entries,
				   struct doca_rdma_gid *gid_array)
{
	const struct doca_engine_info *engine;
	doca_error_t result = find_engine(devinfo, gid_array, &engine);

	if (result != DOCA_SUCCESS)
		return result;
	if (start_index || num_entries > 1)
		return DOCA_ERROR_INVALID_VALUE;
	if (num_entries)
		memcpy(gid_array[0].raw, devinfo->info.out_gid.raw,
		       sizeof(gid_array[0].raw));
	return DOCA_SUCCESS;
}

doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
					  enum doca_rdma_transport_type transport_type)
{
	const struct doca_engine_info *engine;
	doca_error_t result = find_engine(devinfo, &engine, &engine);

	if (result == DOCA_SUCCESS &&
	    transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC)
		result = transport_type == DOCA_RDMA_TRANSPORT_TYPE_DC ?
			 DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
	return result;
}

/*
 * Configuration
 */
static doca_error_t can_set(const struct doca_rdma *rdma, bool valid)
{
	if (!rdma || !valid)
		return DOCA_ERROR_INVALID_VALUE;
	return rdma->ctx.state == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS :
							DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma,
					   uint32_t send_queue_size)
{
	doca_error_t result = can_set(rdma, send_queue_size);

	if (result != DOCA_SUCCESS)
		return result;
	if (send_queue_size > lib_ctx_max_tasks(&rdma->ctx)) {
		lib_err("send queue of %u tasks, the limit is %u",
			send_queue_size, lib_ctx_max_tasks(&rdma->ctx));
		return DOCA_ERROR_INVALID_VALUE;
	}
	rdma->send_queue_size = lib_roundup_pow2(send_queue_size);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma,
					   uint32_t *send_queue_size)
{
	if (!rdma || !send_queue_size)
		return DOCA_ERROR_INVALID_VALUE;
	*send_queue_size = rdma->send_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
					  enum doca_rdma_transport_type transport_type)
{
	doca_error_t result;

	result = can_set(rdma, transport_type <= DOCA_RDMA_TRANSPORT_TYPE_DC);
	if (result == DOCA_SUCCESS &&
	    transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC)
		result = DOCA_ERROR_NOT_SUPPORTED;
	return result;
}

doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
					  enum doca_rdma_transport_type *transport_type)
{
	if (!rdma || !transport_type)
		return DOCA_ERROR_INVALID_VALUE;
	*transport_type = DOCA_RDMA_TRANSPORT_TYPE_RC;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma,
				       uint32_t permissions)
{
	doca_error_t result = can_set(rdma, !(permissions & ~PERMISSIONS_ALL));

	if (result == DOCA_SUCCESS)
		rdma->permissions = permissions;
	return result;
}

doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma,
				       uint32_t *permissions)
{
	if (!rdma || !permissions)
		return DOCA_ERROR_INVALID_VALUE;
	*permissions = rdma->permissions;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
	return can_set(rdma, !gid_index);
}

doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma,
				     uint32_t *gid_index)
{
	if (!rdma || !gid_index)
		return DOCA_ERROR_INVALID_VALUE;
	*gid_index = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
					       uint16_t max_num_connections)
{
	doca_error_t result = can_set(rdma, max_num_connections);

	if (result == DOCA_SUCCESS)
		rdma->max_connections = max_num_connections;
	return result;
}

/*
 * Connections
 */
doca_error_t doca_rdma_export(struct doca_rdma *rdma,
			      const void **local_rdma_conn_details,
			      size_t *local_rdma_conn_details_size,
			      struct doca_rdma_connection **rdma_connection)
{
	struct doca_rdma_connection *connection;
	doca_error_t result;
	uint32_t entries;

	if (!rdma || !local_rdma_conn_details || !local_rdma_conn_details_size ||
	    !rdma_connection)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	if (rdma->num_connections == rdma->max_connections) {
		lib_err("all %u connections are in use: see doca_rdma_set_max_num_connections()",
			rdma->max_connections);
		return DOCA_ERROR_FULL;
	}
	connection = calloc(1, sizeof(*connection));
	if (!connection)
		return DOCA_ERROR_NO_MEMORY;
	entries = rdma->send_queue_size ?: lib_max(rdma->ctx.num_tasks, 1U);
	result = lib_ctx_add_queue(&rdma->ctx, entries, &connection->queue);
	if (result != DOCA_SUCCESS) {
		free(connection);
		return result;
	}
	connection->rdma = rdma;
	connection->id = rdma->num_connections++;
	connection->details = (struct conn_details){
		.magic = htole32(DETAILS_MAGIC),
		.version = htole16(DETAILS_VERSION),
		.queue = htole32(connection->queue->number),
		.gid = rdma->ctx.dev->devinfo.info.out_gid,
	};
	connection->next = rdma->connections;
	rdma->connections = connection;
	*local_rdma_conn_details = &connection->details;
	*local_rdma_conn_details_size = sizeof(connection->details);
	*rdma_connection = connection;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
			       const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size,
			       struct doca_rdma_connection *rdma_connection)
{
	struct doca_queue_connect connect = { .size = sizeof(connect) };
	struct conn_details details;
	int err;

	if (!rdma || !remote_rdma_conn_details || !rdma_connection ||
	    rdma_connection->rdma != rdma)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	if (remote_rdma_conn_details_size != sizeof(details)) {
		lib_err("%zu bytes that are no connection details (%zu)",
			remote_rdma_conn_details_size, sizeof(details));
		return DOCA_ERROR_INVALID_VALUE;
	}
	/* They came in whatever way, and may lie at any address. */
	memcpy(&details, remote_rdma_conn_details, sizeof(details));
	if (le32toh(details.magic) != DETAILS_MAGIC || details.reserved ||
	    details.reserved2) {
		lib_err("these are no connection details");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (le16toh(details.version) != DETAILS_VERSION) {
		lib_err("connection details of version %u, this library knows %u",
			le16toh(details.version), DETAILS_VERSION);
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	connect.queue_id = rdma_connection->queue->id;
	connect.remote_queue = le32toh(details.queue);
	connect.remote_gid = details.gid;
	err = lib_dev_ioctl(rdma->ctx.dev, DOCA_IOCTL_QUEUE_CONNECT, &connect);
	if (err)
		lib_err("%s: connection to queue %#x: %s",
			rdma->ctx.dev->devinfo.pci_addr, connect.remote_queue,
			strerror(-err));
	return lib_error(err);
}

doca_error_t
doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
			    uint32_t *connection_id)
{
	if (!rdma_connection || !connection_id)
		return DOCA_ERROR_INVALID_VALUE;
	*connection_id = rdma_connection->id;
	return DOCA_SUCCESS;
}

/*
 * Writes
 */
doca_error_t
doca_rdma_task_write_set_conf(struct doca_rdma *rdma,
			      doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
			      doca_rdma_task_write_completion_cb_t error_task_completion_cb,
			      uint32_t num_tasks)
{
	if (!rdma)
		return DOCA_ERROR_INVALID_VALUE;
	return lib_ctx_set_task_conf(&rdma->ctx, TYPE_WRITE,
				     (lib_task_cb)(void (*)(void))successful_task_completion_cb,
				     (lib_task_cb)(void (*)(void))error_task_completion_cb,
				     num_tasks);
}

static struct doca_rdma_task_write *to_write(struct doca_task *task)
{
	return lib_container_of(task, struct doca_rdma_task_write, task);
}

doca_error_t
doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
				   struct doca_rdma_connection *rdma_connection,
				   const struct doca_buf *src_buf,
				   struct doca_buf *dst_buf,
				   union doca_data user_data,
				   struct doca_rdma_task_write **task)
{
	doca_error_t result;
	struct doca_task *t;

	if (!rdma || !rdma_connection || rdma_connection->rdma != rdma ||
	    !src_buf || !dst_buf || !task)
		return DOCA_ERROR_INVALID_VALUE;
	result = lib_task_alloc(&rdma->ctx, TYPE_WRITE, user_data, &t);
	if (result != DOCA_SUCCESS)
		return result;
	t->remote_dst = true;
	t->queue = rdma_connection->queue;
	to_write(t)->connection = rdma_connection;
	lib_task_set_bufs(t, src_buf, dst_buf);
	if (t->state != LIB_TASK_READY) {
		doca_task_free(t);
		lib_err("a buffer lies in a memory map that %s does not belong to, or the source has more than %u elements",
			rdma->ctx.dev->devinfo.pci_addr, rdma->ctx.max_list_len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*task = to_write(t);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_task_write(struct doca_rdma *rdma,
				  struct doca_rdma_connection *rdma_connection,
				  const struct doca_buf *src_buf,
				  struct doca_buf *dst_buf,
				  union doca_data user_data,
				  struct doca_rdma_task_write **task)
{
	struct doca_rdma_task_write *write;
	doca_error_t result;

	if (!task)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_rdma_task_write_allocate_init(rdma, rdma_connection,
						    src_buf, dst_buf, user_data,
						    &write);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(&write->task);
	if (result != DOCA_SUCCESS) {
		doca_task_free(&write->task);
		return result;
	}
	*task = write;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task)
{
	return task ? &task->task : NULL;
}

void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
				      const struct doca_buf *src_buf)
{
	if (task)
		lib_task_set_bufs(&task->task, src_buf, task->task.dst);
}

const struct doca_buf *
doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task)
{
	return task ? task->task.src : NULL;
}

void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task,
				      struct doca_buf *dst_buf)
{
	if (task)
		lib_task_set_bufs(&task->task, task->task.src, dst_buf);
}

struct doca_buf *
doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task)
{
	return task ? task->task.dst : NULL;
}

void doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
					      struct doca_rdma_connection *rdma_connection)
{
	if (!task || !rdma_connection ||
	    task->task.state == LIB_TASK_INFLIGHT ||
	    task->task.state == LIB_TASK_FREE)
		return;
	task->connection = rdma_connection;
	lib_task_set_queue(&task->task, rdma_connection->queue);
}

const struct doca_rdma_connection *
doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task)
{
	return task ? task->connection : NULL;
}
