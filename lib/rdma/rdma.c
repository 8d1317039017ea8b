// SPDX-License-Identifier: MIT
/* RDMA contexts: writes to memory of peers, with a queue for each connection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_rdma.h>

#include "core.h"

#define DEFAULT_SEND_QUEUE_SIZE	128U

/* A queue that is only a target: it never holds a task. */
#define TARGET_QUEUE_SIZE	1U

enum {
	TASK_WRITE,
	NUM_TASK_TYPES,
};

#define DETAILS_MAGIC	0x646d7261	/* "armd" */
#define DETAILS_VERSION	1

/**
 * struct details - what a peer has to know of a connection
 * @magic: DETAILS_MAGIC
 * @version: DETAILS_VERSION
 * @size: of the whole
 * @gid: network address of the device
 * @queue: number of the queue
 * @reserved: 0
 *
 * Little-endian. Nothing secret, and nothing that the peer could not make up.
 */
struct details {
	uint32_t magic;
	uint16_t version;
	uint16_t size;
	struct doca_gid gid;
	uint32_t queue;
	uint32_t reserved;
};

/**
 * struct doca_rdma_connection - a connection
 * @rdma: context that it belongs to
 * @next: of the same context
 * @queue: its queue
 * @id: number in the context
 * @connected: doca_rdma_connect() is done
 * @user_data: the application's
 * @details: for the peer
 */
struct doca_rdma_connection {
	struct doca_rdma *rdma;
	struct doca_rdma_connection *next;
	struct lib_queue *queue;
	uint32_t id;
	bool connected;
	union doca_data user_data;
	struct details details;
};

/**
 * struct doca_rdma - an RDMA context
 * @ctx: as a context
 * @connections: its connections
 * @num_connections: their number
 * @max_num_connections: limit for it
 * @grh_enabled: as set
 * @send_queue_size: as set, a power of two
 * @max_send_buf_list_len: as set
 * @permissions: as set
 * @sl: as set
 * @mtu: as set
 */
struct doca_rdma {
	struct doca_ctx ctx;
	struct doca_rdma_connection *connections;
	uint32_t num_connections;
	uint16_t max_num_connections;
	uint8_t grh_enabled;
	uint32_t send_queue_size;
	uint32_t max_send_buf_list_len;
	uint32_t permissions;
	uint32_t sl;
	enum doca_mtu_size mtu;
};

struct doca_rdma_task_write {
	struct doca_task task;
};

static doca_error_t rdma_start(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = lib_container_of(ctx, struct doca_rdma, ctx);
	uint32_t i;

	ctx->max_list_len = rdma->max_send_buf_list_len;
	for (i = 0; i < ctx->num_tasks; i++)
		lib_ctx_task(ctx, i)->remote_dst = true;
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
	.num_types = NUM_TASK_TYPES,
	.task_size = sizeof(struct doca_rdma_task_write),
	.opcodes = { [TASK_WRITE] = DOCA_RDMA_OP_WRITE },
	.start = rdma_start,
	.stopped = rdma_stopped,
	.free = rdma_free,
};

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
	struct doca_rdma *new;
	doca_error_t result;

	if (!dev || !rdma)
		return DOCA_ERROR_INVALID_VALUE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	result = lib_ctx_init(&new->ctx, dev, &rdma_ops);
	if (result != DOCA_SUCCESS) {
		free(new);
		return result;
	}
	new->max_num_connections = 1;
	new->grh_enabled = 1;
	new->send_queue_size = lib_min(DEFAULT_SEND_QUEUE_SIZE,
				       lib_ctx_max_tasks(&new->ctx));
	new->max_send_buf_list_len = new->ctx.max_list_len;
	new->mtu = DOCA_MTU_SIZE_1K_BYTES;
	*rdma = new;
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
 * Connections
 */
static doca_error_t check_running(const struct doca_rdma *rdma)
{
	const struct doca_ctx *ctx = &rdma->ctx;

	if (ctx->dev->forked) {
		lib_err("RDMA context: used in a child of the process that opened the device");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (ctx->state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_export(struct doca_rdma *rdma,
			      const void **local_rdma_conn_details,
			      size_t *local_rdma_conn_details_size,
			      struct doca_rdma_connection **rdma_connection)
{
	struct doca_rdma_connection *new;
	doca_error_t result;
	uint32_t entries;

	if (!rdma || !local_rdma_conn_details ||
	    !local_rdma_conn_details_size || !rdma_connection)
		return DOCA_ERROR_INVALID_VALUE;
	result = check_running(rdma);
	if (result != DOCA_SUCCESS)
		return result;
	if (rdma->num_connections >= rdma->max_num_connections) {
		lib_err("RDMA context: %u connections, the limit is %u; see doca_rdma_set_max_num_connections()",
			rdma->num_connections + 1, rdma->max_num_connections);
		return DOCA_ERROR_FULL;
	}
	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	entries = rdma->ctx.num_tasks ?
		  lib_max(rdma->send_queue_size, rdma->ctx.num_tasks) :
		  TARGET_QUEUE_SIZE;
	result = lib_ctx_add_queue(&rdma->ctx, entries, &new->queue);
	if (result != DOCA_SUCCESS) {
		free(new);
		return lib_dev_lost(rdma->ctx.dev) ? DOCA_ERROR_IO_FAILED :
						     result;
	}
	new->details.magic = htole32(DETAILS_MAGIC);
	new->details.version = htole16(DETAILS_VERSION);
	new->details.size = htole16(sizeof(new->details));
	new->details.gid = rdma->ctx.dev->devinfo.info.out_gid;
	new->details.queue = htole32(new->queue->number);
	new->rdma = rdma;
	new->id = rdma->num_connections++;
	new->next = rdma->connections;
	rdma->connections = new;
	*local_rdma_conn_details = &new->details;
	*local_rdma_conn_details_size = sizeof(new->details);
	*rdma_connection = new;
	return DOCA_SUCCESS;
}

/* Details come from outside and may be anything. */
static bool read_details(const void *data, size_t size, struct details *details)
{
	if (size != sizeof(*details)) {
		lib_err("connection details have %zu bytes, not %zu", size,
			sizeof(*details));
		return false;
	}
	memcpy(details, data, sizeof(*details));
	if (le32toh(details->magic) != DETAILS_MAGIC ||
	    le16toh(details->size) != sizeof(*details) || details->reserved) {
		lib_err("connection details are not from doca_rdma_export()");
		return false;
	}
	if (le16toh(details->version) != DETAILS_VERSION) {
		lib_err("connection details have version %u, this library knows %u",
			le16toh(details->version), DETAILS_VERSION);
		return false;
	}
	return true;
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
			       const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size,
			       struct doca_rdma_connection *rdma_connection)
{
	struct doca_queue_connect connect = { .size = sizeof(connect) };
	struct details details;
	doca_error_t result;
	int err;

	if (!rdma || !remote_rdma_conn_details || !rdma_connection)
		return DOCA_ERROR_INVALID_VALUE;
	result = check_running(rdma);
	if (result != DOCA_SUCCESS)
		return result;
	if (rdma_connection->rdma != rdma) {
		lib_err("the connection belongs to another RDMA context");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (rdma_connection->connected) {
		lib_err("RDMA connection %u is connected already",
			rdma_connection->id);
		return DOCA_ERROR_BAD_STATE;
	}
	if (!read_details(remote_rdma_conn_details,
			  remote_rdma_conn_details_size, &details))
		return DOCA_ERROR_INVALID_VALUE;

	connect.queue_id = rdma_connection->queue->id;
	connect.remote_queue = le32toh(details.queue);
	connect.remote_gid = details.gid;
	err = lib_dev_ioctl(rdma->ctx.dev, DOCA_IOCTL_QUEUE_CONNECT, &connect);
	if (err) {
		lib_err("RDMA connection %u to queue 0x%x: %s",
			rdma_connection->id, connect.remote_queue,
			strerror(-err));
		if (err == -ENODEV || lib_dev_lost(rdma->ctx.dev))
			return DOCA_ERROR_IO_FAILED;
		/* What can be wrong with the call is in the details. */
		return err == -EINVAL ? DOCA_ERROR_INVALID_VALUE :
		       err == -EPERM ? DOCA_ERROR_NOT_PERMITTED :
				       DOCA_ERROR_CONNECTION_ABORTED;
	}
	rdma_connection->connected = true;
	return DOCA_SUCCESS;
}

doca_error_t
doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
				   union doca_data connection_user_data)
{
	if (!rdma_connection)
		return DOCA_ERROR_INVALID_VALUE;
	rdma_connection->user_data = connection_user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
				   union doca_data *connection_user_data)
{
	if (!rdma_connection || !connection_user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*connection_user_data = rdma_connection->user_data;
	return DOCA_SUCCESS;
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
 * Capabilities
 */
static doca_error_t get_engine(const struct doca_devinfo *devinfo,
			       const void *out,
			       const struct doca_engine_info **engine)
{
	if (!devinfo || !out)
		return DOCA_ERROR_INVALID_VALUE;
	*engine = lib_devinfo_engine(devinfo, DOCA_ENGINE_RDMA);
	if (!*engine || !((*engine)->out_opcodes & 1U << DOCA_RDMA_OP_WRITE))
		return DOCA_ERROR_NOT_SUPPORTED;
	return DOCA_SUCCESS;
}

doca_error_t
doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
				      uint32_t *max_send_queue_size)
{
	const struct doca_engine_info *engine;
	doca_error_t result = get_engine(devinfo, max_send_queue_size, &engine);

	if (result == DOCA_SUCCESS)
		*max_send_queue_size =
			lib_min(engine->out_max_queue_entries,
				devinfo->info.out_max_channel_entries);
	return result;
}

doca_error_t
doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
					uint32_t *max_send_buf_list_len)
{
	const struct doca_engine_info *engine;
	doca_error_t result = get_engine(devinfo, max_send_buf_list_len,
					 &engine);

	if (result == DOCA_SUCCESS)
		*max_send_buf_list_len = lib_min(engine->out_max_list_len,
						 255U);
	return result;
}

doca_error_t
doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
				   uint32_t *max_message_size)
{
	const struct doca_engine_info *engine;
	doca_error_t result = get_engine(devinfo, max_message_size, &engine);

	if (result == DOCA_SUCCESS)
		*max_message_size = lib_min(engine->out_max_transfer,
					    UINT32_MAX);
	return result;
}

doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
					      uint32_t *gid_table_size)
{
	const struct doca_engine_info *engine;
	doca_error_t result = get_engine(devinfo, gid_table_size, &engine);

	if (result == DOCA_SUCCESS)
		*gid_table_size = 1;
	return result;
}

doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo,
				   uint32_t start_index, uint32_t num_entries,
				   struct doca_rdma_gid *gid_array)
{
	const struct doca_engine_info *engine;
	doca_error_t result = get_engine(devinfo, gid_array, &engine);

	if (result != DOCA_SUCCESS)
		return result;
	if (start_index != 0 || num_entries != 1)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(gid_array[0].raw, devinfo->info.out_gid.raw,
	       sizeof(gid_array[0].raw));
	return DOCA_SUCCESS;
}

doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
					  enum doca_rdma_transport_type transport_type)
{
	const struct doca_engine_info *engine;
	doca_error_t result = get_engine(devinfo, devinfo, &engine);

	if (result != DOCA_SUCCESS)
		return result;
	switch (transport_type) {
	case DOCA_RDMA_TRANSPORT_TYPE_RC:
		return DOCA_SUCCESS;
	case DOCA_RDMA_TRANSPORT_TYPE_DC:
		return DOCA_ERROR_NOT_SUPPORTED;
	default:
		return DOCA_ERROR_INVALID_VALUE;
	}
}

doca_error_t
doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo)
{
	const struct doca_engine_info *engine;

	return get_engine(devinfo, devinfo, &engine);
}

/*
 * Properties
 */
static doca_error_t check_set(const struct doca_rdma *rdma, bool in_range)
{
	if (!rdma)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	return in_range ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma,
					   uint32_t send_queue_size)
{
	doca_error_t result = check_set(rdma, send_queue_size);
	uint32_t max;

	if (result != DOCA_SUCCESS)
		return result;
	max = lib_ctx_max_tasks(&rdma->ctx);
	if (send_queue_size > max) {
		lib_err("RDMA context: send queue of %u, the limit is %u",
			send_queue_size, max);
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

doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
						 uint32_t max_send_buf_list_len)
{
	doca_error_t result = check_set(rdma, max_send_buf_list_len);
	uint32_t max = 0;

	if (result != DOCA_SUCCESS)
		return result;
	doca_rdma_cap_get_max_send_buf_list_len(&rdma->ctx.dev->devinfo, &max);
	if (max_send_buf_list_len > max) {
		lib_err("RDMA context: lists of %u buffers, the limit is %u",
			max_send_buf_list_len, max);
		return DOCA_ERROR_INVALID_VALUE;
	}
	rdma->max_send_buf_list_len = max_send_buf_list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
						 uint32_t *max_send_buf_list_len)
{
	if (!rdma || !max_send_buf_list_len)
		return DOCA_ERROR_INVALID_VALUE;
	*max_send_buf_list_len = rdma->max_send_buf_list_len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_rdma_set_transport_type(struct doca_rdma *rdma,
			     enum doca_rdma_transport_type transport_type)
{
	doca_error_t result = check_set(rdma, true);

	if (result != DOCA_SUCCESS)
		return result;
	return doca_rdma_cap_transport_type_is_supported(&rdma->ctx.dev->devinfo,
							 transport_type);
}

doca_error_t
doca_rdma_get_transport_type(const struct doca_rdma *rdma,
			     enum doca_rdma_transport_type *transport_type)
{
	if (!rdma || !transport_type)
		return DOCA_ERROR_INVALID_VALUE;
	*transport_type = DOCA_RDMA_TRANSPORT_TYPE_RC;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu)
{
	doca_error_t result = check_set(rdma, (unsigned int)mtu <=
					      DOCA_MTU_SIZE_RAW_ETHERNET);

	if (result != DOCA_SUCCESS)
		return result;
	if (mtu == DOCA_MTU_SIZE_RAW_ETHERNET)
		return DOCA_ERROR_NOT_SUPPORTED;
	rdma->mtu = mtu;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma,
			       enum doca_mtu_size *mtu)
{
	if (!rdma || !mtu)
		return DOCA_ERROR_INVALID_VALUE;
	*mtu = rdma->mtu;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma,
				       uint32_t permissions)
{
	const uint32_t known = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
			       DOCA_ACCESS_FLAG_RDMA_READ |
			       DOCA_ACCESS_FLAG_RDMA_WRITE |
			       DOCA_ACCESS_FLAG_RDMA_ATOMIC;
	doca_error_t result = check_set(rdma, !(permissions & ~known));

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

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma,
				       uint8_t grh_enabled)
{
	doca_error_t result = check_set(rdma, grh_enabled <= 1);

	if (result == DOCA_SUCCESS)
		rdma->grh_enabled = grh_enabled;
	return result;
}

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma,
				       uint8_t *grh_enabled)
{
	if (!rdma || !grh_enabled)
		return DOCA_ERROR_INVALID_VALUE;
	*grh_enabled = rdma->grh_enabled;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
	return check_set(rdma, gid_index == 0);
}

doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma,
				     uint32_t *gid_index)
{
	if (!rdma || !gid_index)
		return DOCA_ERROR_INVALID_VALUE;
	*gid_index = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl)
{
	doca_error_t result = check_set(rdma, sl <= 15);

	if (result == DOCA_SUCCESS)
		rdma->sl = sl;
	return result;
}

doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl)
{
	if (!rdma || !sl)
		return DOCA_ERROR_INVALID_VALUE;
	*sl = rdma->sl;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
					       uint16_t max_num_connections)
{
	doca_error_t result = check_set(rdma, max_num_connections);
	uint32_t max;

	if (result != DOCA_SUCCESS)
		return result;
	max = rdma->ctx.dev->devinfo.info.out_max_queues;
	if (max_num_connections > max) {
		lib_err("RDMA context: %u connections, the device has %u queues",
			max_num_connections, max);
		return DOCA_ERROR_INVALID_VALUE;
	}
	rdma->max_num_connections = max_num_connections;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
					       uint16_t *max_num_connections)
{
	if (!rdma || !max_num_connections)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_connections = rdma->max_num_connections;
	return DOCA_SUCCESS;
}

/*
 * Write tasks
 */
doca_error_t
doca_rdma_task_write_set_conf(struct doca_rdma *rdma,
			      doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
			      doca_rdma_task_write_completion_cb_t error_task_completion_cb,
			      uint32_t num_tasks)
{
	/* The task is the first member of the write task: the same pointer. */
	return lib_ctx_set_task_conf(doca_rdma_as_ctx(rdma), TASK_WRITE,
				     (lib_task_cb)(void *)successful_task_completion_cb,
				     (lib_task_cb)(void *)error_task_completion_cb,
				     num_tasks);
}

doca_error_t
doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
				   struct doca_rdma_connection *rdma_connection,
				   const struct doca_buf *src_buf,
				   struct doca_buf *dst_buf,
				   union doca_data user_data,
				   struct doca_rdma_task_write **task)
{
	struct doca_task *new;
	doca_error_t result;

	if (!rdma || !rdma_connection || !src_buf || !dst_buf || !task)
		return DOCA_ERROR_INVALID_VALUE;
	/* The connection may be gone if the context is not running. */
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	if (rdma_connection->rdma != rdma)
		return DOCA_ERROR_INVALID_VALUE;
	result = lib_task_alloc(&rdma->ctx, TASK_WRITE, user_data, &new);
	if (result != DOCA_SUCCESS)
		return result;
	lib_task_set_queue(new, rdma_connection->queue);
	lib_task_set_bufs(new, src_buf, dst_buf);
	if (new->state != LIB_TASK_READY) {
		lib_err("RDMA task: a buffer is in a memory map without the context's device");
		doca_task_free(new);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*task = lib_container_of(new, struct doca_rdma_task_write, task);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_task_write(struct doca_rdma *rdma,
				  struct doca_rdma_connection *connection,
				  const struct doca_buf *src_buf,
				  struct doca_buf *dst_buf,
				  union doca_data task_user_data,
				  struct doca_rdma_task_write **task)
{
	struct doca_rdma_task_write *new;
	doca_error_t result;

	if (!task)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_rdma_task_write_allocate_init(rdma, connection, src_buf,
						    dst_buf, task_user_data,
						    &new);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(&new->task);
	if (result != DOCA_SUCCESS) {
		doca_task_free(&new->task);
		return result;
	}
	*task = new;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task)
{
	return &task->task;
}

void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
				      const struct doca_buf *src_buf)
{
	lib_task_set_bufs(&task->task, src_buf, task->task.dst);
}

const struct doca_buf *
doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task)
{
	return task->task.src;
}

void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task,
				      struct doca_buf *dst_buf)
{
	lib_task_set_bufs(&task->task, task->task.src, dst_buf);
}

struct doca_buf *
doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task)
{
	return task->task.dst;
}

void
doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
					 struct doca_rdma_connection *rdma_connection)
{
	bool ours = rdma_connection &&
		    &rdma_connection->rdma->ctx == task->task.ctx;

	lib_task_set_queue(&task->task, ours ? rdma_connection->queue : NULL);
}

const struct doca_rdma_connection *
doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task)
{
	const struct doca_rdma *rdma =
		lib_container_of(task->task.ctx, struct doca_rdma, ctx);
	const struct doca_rdma_connection *connection;

	for (connection = rdma->connections; connection;
	     connection = connection->next)
		if (connection->queue == task->task.queue)
			return connection;
	return NULL;
}
