// SPDX-License-Identifier: MIT
/*
 * Tasks: from the pool, into the submission ring, to the callback.
 *
 * Submitting and reporting make no system call, take no lock, allocate nothing
 * and divide nothing. All that does not depend on the data of the bufs - opcode,
 * cookie, keys - is put together when the task gets its bufs.
 */
#include "core.h"

doca_error_t lib_task_alloc(struct doca_ctx *ctx, unsigned int type,
			    union doca_data user_data, struct doca_task **task)
{
	struct lib_task_type *pool = &ctx->types[type];
	struct doca_task *new;

	if (ctx->state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	lib_owned(&ctx->pe->owner, LIB_PE, "allocating a task");
	new = pool->free;
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	pool->free = new->next_free;
	ctx->num_allocated++;
	new->state = LIB_TASK_INCOMPLETE;
	new->status = DOCA_SUCCESS;
	new->src = NULL;
	new->dst = NULL;
	new->queue = NULL;
	new->user_data = user_data;
	*task = new;
	return DOCA_SUCCESS;
}

static bool task_is_ours(const struct doca_task *task, const char *what)
{
	if (task->state == LIB_TASK_INFLIGHT)
		lib_err("%s task: in flight, cannot be %s",
			task->ctx->ops->name, what);
	else if (task->state == LIB_TASK_FREE)
		lib_err("%s task: freed already, cannot be %s",
			task->ctx->ops->name, what);
	else
		return false;
	return true;
}

void doca_task_free(struct doca_task *task)
{
	struct lib_task_type *pool;
	struct doca_ctx *ctx;

	if (lib_unlikely(!task || task->state == LIB_TASK_INFLIGHT ||
			 task->state == LIB_TASK_FREE)) {
		if (task)
			task_is_ours(task, "freed");
		return;
	}
	ctx = task->ctx;
	lib_owned(&ctx->pe->owner, LIB_PE, "doca_task_free()");
	pool = &ctx->types[task->type];
	task->state = LIB_TASK_FREE;
	task->next_free = pool->free;
	pool->free = task;
	if (!--ctx->num_allocated &&
	    lib_unlikely(ctx->state != DOCA_CTX_STATE_RUNNING))
		lib_ctx_set_pending(ctx);
}

/* Takes over the key for the buf's first element. */
static bool task_set_key(const struct doca_task *task,
			 const struct doca_buf *buf, uint32_t *key)
{
	const struct lib_mmap_key *entry;

	entry = buf ? lib_mmap_find_key(buf->mmap, task->ctx->dev) : NULL;
	*key = entry ? htole32(entry->mkey) : 0;
	return entry;
}

static void task_prepare(struct doca_task *task)
{
	bool src = task_set_key(task, task->src, &task->src_key);
	bool dst = task_set_key(task, task->dst, &task->dst_key);

	task->state = src && dst && task->queue ? LIB_TASK_READY :
						  LIB_TASK_INCOMPLETE;
}

void lib_task_set_bufs(struct doca_task *task, const struct doca_buf *src,
		       struct doca_buf *dst)
{
	if (lib_unlikely(task_is_ours(task, "changed")))
		return;
	task->src = src;
	task->dst = dst;
	task_prepare(task);
}

void lib_task_set_queue(struct doca_task *task, struct lib_queue *queue)
{
	if (lib_unlikely(task_is_ours(task, "changed")))
		return;
	task->queue = queue;
	task_prepare(task);
}

/*
 * Submitting
 */
static inline void queue_ring(struct lib_queue *queue)
{
	queue->rung = queue->pi;
	lib_before_doorbell();
	lib_ring_doorbell(queue->doorbell, queue->number, queue->pi);
}

void lib_ctx_ring_all(struct doca_ctx *ctx)
{
	struct lib_queue *queue;

	ctx->num_unrung = 0;
	for (queue = ctx->queues; queue; queue = queue->next)
		if (queue->rung != queue->pi)
			queue_ring(queue);
}

static __attribute__((noinline, cold))
doca_error_t task_refuse(const struct doca_task *task)
{
	const struct doca_ctx *ctx = task->ctx;

	if (ctx->dev->forked)
		return DOCA_ERROR_NOT_PERMITTED;
	if (ctx->state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	if (task_is_ours(task, "submitted"))
		return DOCA_ERROR_BAD_STATE;
	lib_err("%s task: %s", ctx->ops->name,
		!task->src ? "no source" :
		!task->dst ? "no destination" :
		!task->queue ? "no connection" :
		"a buffer is in a memory map without the context's device");
	return DOCA_ERROR_INVALID_VALUE;
}

static __attribute__((noinline, cold))
doca_error_t task_no_room(struct doca_ctx *ctx)
{
	/* Tasks that wait for a flush would never make room. */
	if (ctx->num_unrung)
		lib_ctx_ring_all(ctx);
	return DOCA_ERROR_AGAIN;
}

static __attribute__((noinline, cold))
doca_error_t task_too_long(const struct doca_task *task)
{
	lib_err("%s task: a buffer has 4 GiB of data or more, the limit of a task is %llu bytes",
		task->ctx->ops->name,
		(unsigned long long)task->ctx->max_transfer);
	return DOCA_ERROR_INVALID_VALUE;
}

/* Bytes of output that the buf takes, as far as a descriptor can say it. */
static inline uint32_t buf_room(const struct doca_buf *buf)
{
	size_t used = (char *)buf->data - (char *)buf->head + buf->data_len;

	if (lib_unlikely(used > buf->len))
		return 0;
	return lib_min(buf->len - used, (size_t)UINT32_MAX);
}

static inline void put_sge(struct doca_sge *sge, const void *addr, uint32_t key,
			   uint32_t len)
{
	sge->addr = htole64((uintptr_t)addr);
	sge->mkey = key;
	sge->len = htole32(len);
}

static inline bool queue_has_room(const struct lib_queue *queue, uint32_t entries)
{
	return queue->mask + 1 - (queue->pi - queue->ci) >= entries;
}

/*
 * The pieces of a descriptor lie one behind the other in the ring, 4 in an entry,
 * and the first place of the first entry is taken by the head: as an array of
 * places, the ring makes no difference between the entries.
 */
struct place {
	struct doca_sge *ring;
	uint32_t mask;
	uint32_t next;
};

static inline struct doca_sge *next_place(struct place *place)
{
	return &place->ring[place->next++ & place->mask];
}

/* Key of an element of a list, which may lie in another map than the first. */
static inline bool list_key(const struct doca_task *task,
			    const struct doca_buf *first, uint32_t first_key,
			    const struct doca_buf *buf, uint32_t *key)
{
	const struct lib_mmap_key *entry;

	*key = first_key;
	if (lib_likely(buf->mmap == first->mmap))
		return true;
	entry = lib_mmap_find_key(buf->mmap, task->ctx->dev);
	if (!entry)
		return false;
	*key = htole32(entry->mkey);
	return true;
}

/*
 * A descriptor for lists. Elements without data or room are left out, but for
 * one if there is nothing else: the device refuses it.
 */
static doca_error_t task_put_lists(struct doca_task *task,
				   struct lib_queue *queue)
{
	struct doca_ctx *ctx = task->ctx;
	const struct doca_buf *src = task->src, *dst = task->dst, *buf;
	uint32_t num_src = 0, num_dst = 0, num, entries, key;
	uint64_t bytes = 0, room = 0;
	struct doca_sqe *sqe;
	struct place place;

	/* All is looked at before anything is written. */
	num = 0;
	for (buf = src; buf; buf = buf->next) {
		if (++num > ctx->max_list_len ||
		    !list_key(task, src, 0, buf, &key))
			goto bad_list;
		if (buf->data_len > UINT32_MAX)
			return task_too_long(task);
		num_src += buf->data_len != 0;
		bytes += buf->data_len;
	}
	num = 0;
	for (buf = dst; buf; buf = task->remote_dst ? NULL : buf->next) {
		if (++num > ctx->max_list_len ||
		    !list_key(task, dst, 0, buf, &key))
			goto bad_list;
		if (room < bytes && buf_room(buf)) {
			room += buf_room(buf);
			num_dst++;
		}
	}
	num = lib_max(num_src, 1U) + lib_max(num_dst, 1U);
	entries = doca_sqe_entries(num);
	if (!queue_has_room(queue, entries))
		return task_no_room(ctx);

	place.ring = (struct doca_sge *)queue->ring;
	place.mask = queue->mask * 4 + 3;
	place.next = queue->pi * 4 + 1;
	for (buf = src; buf; buf = buf->next) {
		list_key(task, src, task->src_key, buf, &key);
		if (buf->data_len)
			put_sge(next_place(&place), buf->data, key,
				buf->data_len);
	}
	if (!num_src)
		put_sge(next_place(&place), src->data, task->src_key, 0);
	room = 0;
	for (buf = dst; buf && num_dst && room < bytes; buf = buf->next) {
		list_key(task, dst, task->dst_key, buf, &key);
		if (!buf_room(buf))
			continue;
		put_sge(next_place(&place), (char *)buf->data + buf->data_len,
			key, buf_room(buf));
		room += buf_room(buf);
		num_dst--;
	}
	if (!room)
		put_sge(next_place(&place), dst->data, task->dst_key, 0);
	while (place.next != (queue->pi + entries) * 4)
		put_sge(next_place(&place), NULL, 0, 0);

	/* The head says one and one; see sqe_head. */
	sqe = &queue->ring[queue->pi & queue->mask];
	*(uint64_t *)sqe = task->sqe_head;
	sqe->num_src = lib_max(num_src, 1U);
	sqe->num_dst = num - sqe->num_src;
	sqe->arg = task->sqe_arg;
	queue->pi += entries;
	task->bytes = bytes;
	return DOCA_SUCCESS;

bad_list:
	if (num > ctx->max_list_len)
		lib_err("%s task: a list has more than %u elements",
			ctx->ops->name, ctx->max_list_len);
	else
		lib_err("%s task: a buffer is in a memory map without the context's device",
			ctx->ops->name);
	return DOCA_ERROR_INVALID_VALUE;
}

/* A descriptor for one source and one destination. */
static inline doca_error_t task_put_pair(struct doca_task *task,
					 struct lib_queue *queue)
{
	const struct doca_buf *src = task->src, *dst = task->dst;
	struct doca_sqe *sqe;

	if (lib_unlikely(!queue_has_room(queue, 1)))
		return task_no_room(task->ctx);
	if (lib_unlikely(src->data_len > UINT32_MAX))
		return task_too_long(task);
	sqe = &queue->ring[queue->pi & queue->mask];
	*(uint64_t *)sqe = task->sqe_head;
	sqe->arg = task->sqe_arg;
	put_sge(&sqe->sge[0], src->data, task->src_key, src->data_len);
	put_sge(&sqe->sge[1], (char *)dst->data + dst->data_len, task->dst_key,
		buf_room(dst));
	put_sge(&sqe->sge[2], NULL, 0, 0);
	queue->pi++;
	task->bytes = src->data_len;
	return DOCA_SUCCESS;
}

static inline doca_error_t task_submit(struct doca_task *task, uint32_t flags)
{
	struct doca_ctx *ctx = task->ctx;
	struct lib_queue *queue = task->queue;
	doca_error_t result;

	if (lib_unlikely(task->state != LIB_TASK_READY ||
			 ctx->state != DOCA_CTX_STATE_RUNNING))
		return task_refuse(task);
	lib_use(&ctx->pe->owner, LIB_PE, "doca_task_submit()");
	if (lib_likely(!task->src->next &&
		       (!task->dst->next || task->remote_dst)))
		result = task_put_pair(task, queue);
	else
		result = task_put_lists(task, queue);
	if (lib_unlikely(result != DOCA_SUCCESS))
		return result;

	task->end = queue->pi;
	task->state = LIB_TASK_INFLIGHT;
	ctx->num_inflight++;
	if (!(flags & DOCA_TASK_SUBMIT_FLAG_FLUSH))
		ctx->num_unrung++;
	else if (lib_unlikely(ctx->num_unrung))
		lib_ctx_ring_all(ctx);
	else
		queue_ring(queue);
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
	const struct doca_ctx *ctx = task->ctx;
	const struct doca_buf *buf;
	uint64_t bytes = 0, room = 0;

	if (task->state != LIB_TASK_READY ||
	    ctx->state != DOCA_CTX_STATE_RUNNING)
		return task_refuse(task);
	for (buf = task->src; buf; buf = buf->next)
		bytes += buf->data_len;
	for (buf = task->dst; buf; buf = task->remote_dst ? NULL : buf->next)
		room += buf_room(buf);
	if (!bytes) {
		lib_err("%s task: the source has no data", ctx->ops->name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (bytes > ctx->max_transfer) {
		lib_err("%s task: %llu bytes, the limit is %llu",
			ctx->ops->name, (unsigned long long)bytes,
			(unsigned long long)ctx->max_transfer);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (room < bytes) {
		lib_err("%s task: %llu bytes, the destination has room for %llu",
			ctx->ops->name, (unsigned long long)bytes,
			(unsigned long long)room);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return task_submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

/*
 * Reporting
 */
static void list_append(struct doca_buf *buf, uint64_t bytes)
{
	uint32_t num;

	for (; buf && bytes; buf = buf->next) {
		num = lib_min(bytes, buf_room(buf));
		buf->data_len += num;
		bytes -= num;
	}
}

void lib_task_report(struct doca_task *task, doca_error_t status)
{
	struct doca_ctx *ctx = task->ctx;

	task->queue->ci = task->end;
	ctx->num_inflight--;
	task->status = status;
	task->state = LIB_TASK_READY;
	if (lib_likely(status == DOCA_SUCCESS)) {
		if (lib_likely(!task->dst->next || task->remote_dst))
			task->dst->data_len += task->bytes;
		else
			list_append(task->dst, task->bytes);
	}
	task->done[status != DOCA_SUCCESS](task, task->user_data,
					   ctx->user_data);
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	return task->state == LIB_TASK_INFLIGHT ? DOCA_ERROR_IN_PROGRESS :
						  task->status;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	task->user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
	return task->user_data;
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
	return task->ctx;
}
