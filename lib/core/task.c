/* SPDX-License-Identifier: MIT */
/*
 * Tasks: from the pool, into a submission ring, to the callback.
 */
#include <stdlib.h>

#include "core.h"

doca_error_t lib_task_alloc(struct doca_ctx *ctx, unsigned int type,
			    union doca_data user_data, struct doca_task **task)
{
	struct doca_task *t;

	if (lib_unlikely(ctx->state != DOCA_CTX_STATE_RUNNING))
		return DOCA_ERROR_BAD_STATE;
	t = ctx->types[type].free;
	if (lib_unlikely(!t))
		return DOCA_ERROR_NO_MEMORY;
	ctx->types[type].free = t->next_free;
	ctx->num_allocated++;
	t->state = LIB_TASK_INCOMPLETE;
	t->user_data = user_data;
	t->status = DOCA_SUCCESS;
	t->src = NULL;
	t->dst = NULL;
	*task = t;
	return DOCA_SUCCESS;
}

void doca_task_free(struct doca_task *task)
{
	struct doca_ctx *ctx;

	if (!task)
		return;
	ctx = task->ctx;
	if (lib_unlikely(task->state == LIB_TASK_FREE ||
			 task->state == LIB_TASK_INFLIGHT)) {
		lib_err("%s task %p is freed while it is %s", ctx->ops->name,
			(void *)task,
			task->state == LIB_TASK_FREE ? "free already" : "in flight");
		return;
	}
	task->state = LIB_TASK_FREE;
	task->next_free = ctx->types[task->type].free;
	ctx->types[task->type].free = task;
	ctx->num_allocated--;
	/* The context may become idle in the next progress call. */
	if (lib_unlikely(ctx->state == DOCA_CTX_STATE_STOPPING &&
			 !ctx->num_allocated))
		lib_pe_notify(ctx->pe);
}

/* Elements of the list, if the device has a key for each of them; else 0. */
static uint32_t list_usable(const struct doca_ctx *ctx,
			    const struct doca_buf *buf, bool first_only)
{
	uint32_t num = 0;

	for (; buf; buf = first_only ? NULL : buf->next) {
		if (!buf->mmap->started || !lib_mmap_find_key(buf->mmap, ctx->dev))
			return 0;
		num++;
	}
	return num;
}

static uint32_t buf_key(const struct doca_ctx *ctx, const struct doca_buf *buf)
{
	return htole32(lib_mmap_find_key(buf->mmap, ctx->dev)->mkey);
}

void lib_task_set_bufs(struct doca_task *task, const struct doca_buf *src,
		       struct doca_buf *dst)
{
	struct doca_ctx *ctx = task->ctx;
	uint32_t num_src, num_dst;

	if (task->state == LIB_TASK_INFLIGHT || task->state == LIB_TASK_FREE)
		return;
	task->src = src;
	task->dst = dst;
	task->state = LIB_TASK_INCOMPLETE;
	num_src = list_usable(ctx, src, false);
	num_dst = list_usable(ctx, dst, task->remote_dst);
	if (!num_src || !num_dst || num_src > ctx->max_list_len ||
	    num_dst > ctx->max_list_len)
		return;
	task->src_key = buf_key(ctx, src);
	task->dst_key = buf_key(ctx, dst);
	if (task->queue)
		task->state = LIB_TASK_READY;
}

void lib_task_set_queue(struct doca_task *task, struct lib_queue *queue)
{
	task->queue = queue;
	lib_task_set_bufs(task, task->src, task->dst);
}

static inline void queue_ring(struct lib_queue *queue)
{
	/* The descriptors are in memory before the device is told of them. */
	lib_before_doorbell();
	lib_ring_doorbell(queue->doorbell, queue->number, queue->pi);
	queue->rung = queue->pi;
}

void lib_ctx_ring_all(struct doca_ctx *ctx)
{
	struct lib_queue *queue;

	for (queue = ctx->queues; queue; queue = queue->next)
		if (queue->rung != queue->pi)
			queue_ring(queue);
	ctx->num_unrung = 0;
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	if (ctx && ctx->num_unrung)
		lib_ctx_ring_all(ctx);
}

/* The descriptor is written: it is the device's as soon as it is rung in. */
static inline void task_start(struct doca_task *task, struct lib_queue *queue,
			      uint32_t entries, uint64_t bytes, uint32_t flags)
{
	struct doca_ctx *ctx = task->ctx;

	queue->pi += entries;
	task->end = queue->pi;
	task->bytes = bytes;
	task->state = LIB_TASK_INFLIGHT;
	ctx->num_inflight++;
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) {
		queue_ring(queue);
		if (lib_unlikely(ctx->num_unrung))
			lib_ctx_ring_all(ctx);
	} else {
		ctx->num_unrung++;
	}
}

static inline uint32_t queue_room(const struct lib_queue *queue)
{
	return queue->mask + 1 - (queue->pi - queue->ci);
}

/* Pieces of a task with lists. */
struct pieces {
	struct doca_sge sge[2 * 255];
	uint32_t num;
};

static bool add_piece(struct pieces *pieces, const void *addr, uint32_t key,
		      size_t len)
{
	if (len > UINT32_MAX)
		return false;
	pieces->sge[pieces->num++] = (struct doca_sge){
		.addr = htole64((uintptr_t)addr),
		.mkey = key,
		.len = htole32(len),
	};
	return true;
}

/* An element without data, or without room, is left out if there are others. */
static bool add_src(struct pieces *pieces, const struct doca_ctx *ctx,
		    const struct doca_buf *buf, uint64_t *total)
{
	uint32_t first = pieces->num;
	const struct doca_buf *b;

	*total = 0;
	for (b = buf; b; b = b->next) {
		*total += b->data_len;
		if (b->data_len &&
		    !add_piece(pieces, b->data, buf_key(ctx, b), b->data_len))
			return false;
	}
	return pieces->num > first ||
	       add_piece(pieces, buf->data, buf_key(ctx, buf), 0);
}

static bool add_dst(struct pieces *pieces, const struct doca_ctx *ctx,
		    const struct doca_buf *buf, bool first_only)
{
	uint32_t first = pieces->num;
	const struct doca_buf *b;

	for (b = buf; b; b = first_only ? NULL : b->next) {
		size_t room = lib_min(lib_buf_room(b), (size_t)UINT32_MAX);

		if (room)
			add_piece(pieces, (char *)b->data + b->data_len,
				  buf_key(ctx, b), room);
	}
	return pieces->num > first ||
	       add_piece(pieces, buf->data, buf_key(ctx, buf), 0);
}

static __attribute__((noinline))
doca_error_t submit_lists(struct doca_task *task, uint32_t flags)
{
	struct lib_queue *queue = task->queue;
	struct doca_ctx *ctx = task->ctx;
	uint32_t entries, num_src, done, i;
	struct pieces pieces = { .num = 0 };
	struct doca_sqe *sqe;
	uint64_t bytes;

	/* The lists may have been changed since they were given. */
	num_src = list_usable(ctx, task->src, false);
	i = list_usable(ctx, task->dst, task->remote_dst);
	if (!num_src || !i || num_src > ctx->max_list_len ||
	    i > ctx->max_list_len)
		return DOCA_ERROR_INVALID_VALUE;
	if (!add_src(&pieces, ctx, task->src, &bytes))
		return DOCA_ERROR_INVALID_VALUE;
	num_src = pieces.num;
	add_dst(&pieces, ctx, task->dst, task->remote_dst);
	entries = doca_sqe_entries(pieces.num);
	if (entries > queue->mask + 1) {
		lib_err("the lists of the %s task have %u elements, more than the queue of %u entries takes",
			ctx->ops->name, pieces.num, queue->mask + 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (entries > queue_room(queue))
		return DOCA_ERROR_AGAIN;

	sqe = &queue->ring[queue->pi & queue->mask];
	*(uint64_t *)sqe = task->sqe_head;
	sqe->arg = task->sqe_arg;
	sqe->num_src = num_src;
	sqe->num_dst = pieces.num - num_src;
	done = lib_min(pieces.num, (uint32_t)DOCA_SQE_INLINE_SGES);
	for (i = 0; i < done; i++)
		sqe->sge[i] = pieces.sge[i];
	for (i = 1; i < entries; i++) {
		struct doca_sge *sge = (struct doca_sge *)
			&queue->ring[(queue->pi + i) & queue->mask];
		uint32_t k;

		for (k = 0; k < DOCA_SQE_SGES_PER_ENTRY && done < pieces.num; k++)
			sge[k] = pieces.sge[done++];
	}
	task_start(task, queue, entries, bytes, flags);
	return DOCA_SUCCESS;
}

static __attribute__((noinline, cold))
doca_error_t submit_refused(const struct doca_task *task)
{
	if (!task)
		return DOCA_ERROR_INVALID_VALUE;
	if (task->ctx->state != DOCA_CTX_STATE_RUNNING ||
	    task->state == LIB_TASK_FREE || task->state == LIB_TASK_INFLIGHT)
		return DOCA_ERROR_BAD_STATE;
	lib_err("%s task: a buffer is missing, lies in a memory map that is not started or lacks %s, or a list has more than %u elements",
		task->ctx->ops->name, task->ctx->dev->devinfo.pci_addr,
		task->ctx->max_list_len);
	return DOCA_ERROR_INVALID_VALUE;
}

static inline doca_error_t task_submit(struct doca_task *task, uint32_t flags)
{
	const struct doca_buf *src;
	struct lib_queue *queue;
	struct doca_buf *dst;
	size_t room, len;
	uint64_t *sqe;

	if (lib_unlikely(!task || task->state != LIB_TASK_READY ||
			 task->ctx->state != DOCA_CTX_STATE_RUNNING))
		return submit_refused(task);
	queue = task->queue;
	src = task->src;
	dst = task->dst;
	if (lib_unlikely(src->next || (dst->next && !task->remote_dst)))
		return submit_lists(task, flags);
	if (lib_unlikely(!queue_room(queue)))
		return DOCA_ERROR_AGAIN;
	len = src->data_len;
	if (lib_unlikely(len > UINT32_MAX))
		return DOCA_ERROR_INVALID_VALUE;
	room = lib_min(lib_buf_room(dst), (size_t)UINT32_MAX);
	sqe = (uint64_t *)&queue->ring[queue->pi & queue->mask];
	sqe[0] = task->sqe_head;
	sqe[1] = task->sqe_arg;
	sqe[2] = htole64((uintptr_t)src->data);
	((uint32_t *)sqe)[6] = task->src_key;
	((uint32_t *)sqe)[7] = htole32(len);
	sqe[4] = htole64((uintptr_t)dst->data + dst->data_len);
	((uint32_t *)sqe)[10] = task->dst_key;
	((uint32_t *)sqe)[11] = htole32(room);
	task_start(task, queue, 1, len, flags);
	return DOCA_SUCCESS;
}

doca_error_t doca_task_submit(struct doca_task *task)
{
	return task_submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
	return task_submit(task, flags);
}

doca_error_t doca_task_try_submit(struct doca_task *task)
{
	const struct doca_buf *b;
	uint64_t bytes = 0, room = 0;

	if (!task || task->state != LIB_TASK_READY)
		return submit_refused(task);
	for (b = task->src; b; b = b->next)
		bytes += b->data_len;
	for (b = task->dst; b; b = task->remote_dst ? NULL : b->next)
		room += lib_buf_room(b);
	if (!bytes || bytes > task->ctx->max_transfer || room < bytes) {
		lib_err("%s task: %llu bytes of data (1 to %llu), room for %llu",
			task->ctx->ops->name, (unsigned long long)bytes,
			(unsigned long long)task->ctx->max_transfer,
			(unsigned long long)room);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return task_submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

/* Output fills the room of one element after the other. */
static __attribute__((noinline))
void append_to_list(struct doca_buf *buf, uint64_t bytes)
{
	for (; buf && bytes; buf = buf->next) {
		uint64_t n = lib_min(bytes, (uint64_t)lib_buf_room(buf));

		buf->data_len += n;
		bytes -= n;
	}
}

void lib_task_report(struct doca_task *task, doca_error_t status)
{
	struct doca_ctx *ctx = task->ctx;

	task->queue->ci = task->end;
	task->state = LIB_TASK_READY;
	task->status = status;
	ctx->num_inflight--;
	if (lib_likely(status == DOCA_SUCCESS)) {
		if (lib_likely(!task->dst->next || task->remote_dst))
			task->dst->data_len += task->bytes;
		else
			append_to_list(task->dst, task->bytes);
	}
	/* Nothing of the task is looked at any more: it may be freed there. */
	task->done[status != DOCA_SUCCESS](task, task->user_data, ctx->user_data);
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	if (!task)
		return DOCA_ERROR_INVALID_VALUE;
	return task->state == LIB_TASK_INFLIGHT ? DOCA_ERROR_IN_PROGRESS :
						  task->status;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	if (task)
		task->user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
	return task ? task->user_data : (union doca_data){ .u64 = 0 };
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
	return task ? task->ctx : NULL;
}
