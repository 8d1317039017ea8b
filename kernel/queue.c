// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues: submission rings bound to an engine.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "doca.h"

/**
 * struct doca_queue - a queue
 * @obj: object
 * @channel: event channel that completions go to; it depends on it
 * @ring: submission ring
 * @index: identifier
 * @handle: for the device and for peers
 * @engine: DOCA_ENGINE_*
 * @entries: of the ring
 * @connected: it was given a peer
 */
struct doca_queue {
	struct doca_object obj;
	struct doca_object *channel;
	struct doca_ring *ring;
	u32 index;
	u32 handle;
	u32 engine;
	u32 entries;
	atomic_t connected;
};

static struct doca_queue *to_queue(struct doca_object *obj)
{
	return container_of(obj, struct doca_queue, obj);
}

/* Between doca_enter() and doca_leave(). */
static int queue_attach(struct doca_queue *queue, u32 tag)
{
	struct doca_file *file = queue->obj.file;
	struct doca_device *doca = file->doca;
	struct doca_admin_create_queue params = { };
	struct doca_pagelist list;
	int err;

	queue->ring = doca_ring_create(file,
				       (size_t)queue->entries * DOCA_SQE_SIZE,
				       true);
	if (IS_ERR(queue->ring))
		return PTR_ERR(queue->ring);
	err = doca_ids_alloc(&doca->queues, &queue->index);
	if (err)
		goto err_ring;
	queue->handle = doca_ids_handle(&doca->queues, queue->index);
	err = doca_pagelist_build(doca, &list, queue->ring->dma,
				  queue->ring->num_pages, PAGE_SHIFT);
	if (err)
		goto err_id;
	params.queue = cpu_to_le32(queue->handle);
	params.domain = cpu_to_le32(file->domain);
	params.cq = cpu_to_le32(doca_channel_cq(queue->channel));
	params.log_entries = cpu_to_le32(ilog2(queue->entries));
	params.tag = cpu_to_le32(tag);
	params.engine = queue->engine;
	params.pages = list.hw;
	err = doca_admin_create_queue(doca, &params);
	doca_pagelist_destroy(doca, &list);
	if (err)
		goto err_id;
	doca_object_built(&queue->obj);
	return 0;

err_id:
	doca_ids_free(&doca->queues, queue->index);
err_ring:
	doca_ring_detach(file, queue->ring);
	doca_ring_put(queue->ring);
	return err;
}

static void queue_detach(struct doca_object *obj)
{
	struct doca_queue *queue = to_queue(obj);
	struct doca_device *doca = obj->file->doca;

	doca_admin_destroy(doca, DOCA_ADMIN_DESTROY_QUEUE, queue->handle);
	doca_ids_free(&doca->queues, queue->index);
	doca_ring_detach(obj->file, queue->ring);
}

static void queue_free(struct doca_object *obj)
{
	struct doca_queue *queue = to_queue(obj);

	doca_ring_put(queue->ring);
	doca_channel_unreserve(queue->channel, queue->entries);
	doca_object_undepend(queue->channel);
	kfree(queue);
}

static const struct doca_object_ops queue_ops = {
	.detach = queue_detach,
	.free = queue_free,
};

int doca_queue_create(struct doca_file *file, struct doca_queue_create *cmd,
		      void __user *reply, size_t size)
{
	struct doca_device *doca = file->doca;
	const struct doca_hw_engine_caps *caps;
	struct doca_queue *queue;
	int err, idx;

	if (cmd->flags || cmd->__reserved || cmd->engine >= DOCA_NUM_ENGINES ||
	    !cmd->entries) {
		dev_dbg(&doca->dev, "queue: flags %#x, engine %u, %u entries\n",
			cmd->flags, cmd->engine, cmd->entries);
		return -EINVAL;
	}
	caps = &doca->caps.engines[cmd->engine];
	if (!caps->supported)
		return -EOPNOTSUPP;
	if (cmd->entries > le32_to_cpu(caps->max_queue_entries)) {
		dev_dbg(&doca->dev, "queue: %u entries, the limit is %u\n",
			cmd->entries, le32_to_cpu(caps->max_queue_entries));
		return -EINVAL;
	}
	queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
	if (!queue)
		return -ENOMEM;
	queue->engine = cmd->engine;
	queue->entries = roundup_pow_of_two(cmd->entries);
	queue->channel = doca_object_depend(file, cmd->channel_id,
					    DOCA_OBJECT_CHANNEL);
	if (IS_ERR(queue->channel)) {
		err = PTR_ERR(queue->channel);
		goto err_free;
	}
	err = doca_channel_reserve(queue->channel, queue->entries);
	if (err)
		goto err_undepend;
	err = doca_object_init(file, &queue->obj, DOCA_OBJECT_QUEUE,
			       &queue_ops);
	if (err)
		goto err_unreserve;
	idx = doca_enter(file);
	if (idx < 0) {
		err = idx;
		goto err_abort;
	}
	err = queue_attach(queue, cmd->tag);
	doca_leave(doca, idx);
	if (err)
		goto err_abort;
	cmd->out_id = queue->obj.id;
	cmd->out_queue = queue->handle;
	cmd->out_entries = queue->entries;
	cmd->out_ring_key = doca_ring_key(queue->ring);
	cmd->out_ring_size = doca_ring_size(queue->ring);
	if (copy_to_user(reply, cmd, size)) {
		doca_object_abort(&queue->obj);
		return -EFAULT;
	}
	doca_object_publish(&queue->obj);
	return 0;

err_abort:
	doca_object_abort(&queue->obj);
err_unreserve:
	doca_channel_unreserve(queue->channel, queue->entries);
err_undepend:
	doca_object_undepend(queue->channel);
err_free:
	kfree(queue);
	return err;
}

int doca_queue_connect(struct doca_file *file, struct doca_queue_connect *cmd)
{
	struct doca_device *doca = file->doca;
	struct doca_admin_connect_queue params = { };
	struct doca_object *obj;
	struct doca_queue *queue;
	int err, idx;

	if (cmd->flags || cmd->__reserved || cmd->retry_ms > DOCA_RETRY_MAX_MS)
		return -EINVAL;
	obj = doca_object_get(file, cmd->queue_id, DOCA_OBJECT_QUEUE);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	queue = to_queue(obj);
	err = -EINVAL;
	if (queue->engine != DOCA_ENGINE_RDMA)
		goto out_put;
	/* Whoever sets it first talks to the device. */
	err = -EEXIST;
	if (atomic_cmpxchg(&queue->connected, 0, 1))
		goto out_put;
	idx = doca_enter(file);
	if (idx < 0) {
		err = idx;
		goto out_put;
	}
	params.queue = cpu_to_le32(queue->handle);
	params.remote_queue = cpu_to_le32(cmd->remote_queue);
	params.remote_gid = cmd->remote_gid;
	params.retry_ms = cpu_to_le32(cmd->retry_ms ?: DOCA_RETRY_DEFAULT_MS);
	err = doca_admin_connect_queue(doca, &params);
	if (err)
		atomic_set(&queue->connected, 0);
	doca_leave(doca, idx);
out_put:
	doca_object_put(obj);
	return err;
}

int doca_queue_stop(struct doca_file *file, struct doca_queue_stop *cmd)
{
	struct doca_device *doca = file->doca;
	struct doca_object *obj;
	int err, idx;

	if (cmd->flags || cmd->__reserved)
		return -EINVAL;
	obj = doca_object_get(file, cmd->queue_id, DOCA_OBJECT_QUEUE);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	idx = doca_enter(file);
	if (idx < 0) {
		err = idx;
		goto out_put;
	}
	err = doca_admin_stop_queue(doca, to_queue(obj)->handle);
	doca_leave(doca, idx);
out_put:
	doca_object_put(obj);
	return err;
}
