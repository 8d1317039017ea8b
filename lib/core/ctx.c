/* SPDX-License-Identifier: MIT */
/*
 * Contexts: their states, their queues, their tasks.
 *
 * A context that is STOPPING has let the device stop all of its queues: what
 * is in flight has a completion in the ring, or never gets one (draining).
 * From then on it is in the PE's list of pending contexts, until it is IDLE.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core.h"

doca_error_t lib_ctx_init(struct doca_ctx *ctx, struct doca_dev *dev,
			  const struct lib_ctx_ops *ops)
{
	const struct doca_engine_info *engine;

	engine = lib_devinfo_engine(&dev->devinfo, ops->engine);
	if (!engine) {
		lib_err("%s (model %.*s) has no %s engine",
			dev->devinfo.pci_addr, DOCA_NAME_LEN,
			(const char *)dev->devinfo.info.out_model, ops->name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	ctx->state = DOCA_CTX_STATE_IDLE;
	ctx->ops = ops;
	ctx->dev = dev;
	ctx->comp_vector = DOCA_COMP_VECTOR_ANY;
	ctx->max_list_len = engine->out_max_list_len;
	ctx->max_transfer = engine->out_max_transfer;
	lib_dev_get(dev);
	return DOCA_SUCCESS;
}

doca_error_t lib_ctx_destroy(struct doca_ctx *ctx, doca_error_t err)
{
	struct doca_pe *pe = ctx->pe;

	if (ctx->state != DOCA_CTX_STATE_IDLE) {
		lib_err("the %s context is destroyed while it is not idle: stop it, free its tasks, and progress until it is",
			ctx->ops->name);
		return err;
	}
	lib_evch_remove_ctx(ctx);
	lib_dev_put(ctx->dev);
	if (pe)
		lib_pe_remove_ctx(ctx);
	if (pe && pe->depth) {
		/* Some call further up the stack is using it. */
		ctx->dead = true;
		ctx->pe_next = pe->garbage;
		pe->garbage = ctx;
	} else {
		ctx->ops->free(ctx);
	}
	return DOCA_SUCCESS;
}

uint32_t lib_ctx_max_tasks(const struct doca_ctx *ctx)
{
	const struct doca_devinfo *info = &ctx->dev->devinfo;

	return lib_min(info->engines[ctx->ops->engine].out_max_queue_entries,
		       info->info.out_max_channel_entries);
}

doca_error_t lib_ctx_set_task_conf(struct doca_ctx *ctx, unsigned int type,
				   lib_task_cb done_cb, lib_task_cb error_cb,
				   uint32_t num)
{
	uint64_t total = num;
	unsigned int i;

	if (!done_cb || !error_cb || !num)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	for (i = 0; i < ctx->ops->num_types; i++)
		if (i != type)
			total += ctx->types[i].num;
	if (total > lib_ctx_max_tasks(ctx)) {
		lib_err("%llu %s tasks, the limit is %u",
			(unsigned long long)total, ctx->ops->name,
			lib_ctx_max_tasks(ctx));
		return DOCA_ERROR_INVALID_VALUE;
	}
	ctx->types[type].done[0] = done_cb;
	ctx->types[type].done[1] = error_cb;
	ctx->types[type].num = num;
	return DOCA_SUCCESS;
}

/*
 * Queues
 */
static doca_error_t queue_failed(const struct doca_ctx *ctx, uint32_t entries,
				 int err)
{
	lib_err("%s: %s queue with %u entries: %s%s",
		ctx->dev->devinfo.pci_addr, ctx->ops->name, entries,
		strerror(-err), err == -ENOSPC ?
		" (all queues of the device are taken)" : "");
	return lib_error(err);
}

doca_error_t lib_ctx_add_queue(struct doca_ctx *ctx, uint32_t entries,
			       struct lib_queue **queue)
{
	struct doca_queue_create create = {
		.size = sizeof(create),
		.engine = ctx->ops->engine,
	};
	struct doca_dev *dev = ctx->dev;
	doca_error_t result;
	struct lib_queue *q;
	void *ring;
	int err;

	entries = lib_roundup_pow2(entries);
	q = calloc(1, sizeof(*q));
	if (!q)
		return DOCA_ERROR_NO_MEMORY;
	result = lib_channel_reserve(ctx->evch, entries, &q->channel, &q->tag);
	if (result != DOCA_SUCCESS)
		goto err_free;
	create.channel_id = q->channel->id;
	create.entries = entries;
	create.tag = q->tag;
	err = lib_dev_ioctl(dev, DOCA_IOCTL_QUEUE_CREATE, &create);
	if (err) {
		result = queue_failed(ctx, entries, err);
		goto err_release;
	}
	err = lib_dev_map(dev, create.out_ring_key, create.out_ring_size,
			  PROT_READ | PROT_WRITE, &ring);
	if (err) {
		result = queue_failed(ctx, entries, err);
		goto err_destroy;
	}
	q->ring = ring;
	q->ring_size = create.out_ring_size;
	q->doorbell = (volatile uint64_t *)((char *)dev->doorbells +
					    DOCA_DB_SUBMIT);
	q->number = create.out_queue;
	q->mask = create.out_entries - 1;
	q->id = create.out_id;
	q->ctx = ctx;
	q->next = ctx->queues;
	ctx->queues = q;
	q->channel->slots[q->tag] = q;
	*queue = q;
	return DOCA_SUCCESS;

err_destroy:
	lib_dev_destroy(dev, create.out_id);
err_release:
	lib_channel_release(q->channel, entries, q->tag);
err_free:
	free(q);
	return result;
}

static void remove_queues(struct doca_ctx *ctx)
{
	struct lib_queue *q;

	while ((q = ctx->queues)) {
		ctx->queues = q->next;
		lib_dev_unmap(ctx->dev, q->ring, q->ring_size);
		lib_dev_destroy(ctx->dev, q->id);
		lib_channel_release(q->channel, q->mask + 1, q->tag);
		free(q);
	}
	ctx->num_unrung = 0;
}

/*
 * Tasks
 */
static doca_error_t make_tasks(struct doca_ctx *ctx)
{
	uint32_t index = 0, i;
	unsigned int type;

	ctx->num_tasks = 0;
	for (type = 0; type < ctx->ops->num_types; type++)
		ctx->num_tasks += ctx->types[type].num;
	ctx->task_size = ctx->ops->task_size;
	if (!ctx->num_tasks)
		return DOCA_SUCCESS;
	ctx->tasks = aligned_alloc(64, ctx->num_tasks * ctx->task_size);
	if (!ctx->tasks)
		return DOCA_ERROR_NO_MEMORY;
	memset(ctx->tasks, 0, ctx->num_tasks * ctx->task_size);
	for (type = 0; type < ctx->ops->num_types; type++) {
		struct lib_task_type *t = &ctx->types[type];

		t->free = NULL;
		for (i = 0; i < t->num; i++, index++) {
			struct doca_task *task = lib_ctx_task(ctx, index);
			struct doca_sqe head = {
				.opcode = ctx->ops->opcodes[type],
				.num_src = 1,
				.num_dst = 1,
				.cookie = htole32(index),
			};

			memcpy(&task->sqe_head, &head, sizeof(task->sqe_head));
			task->ctx = ctx;
			task->type = type;
			task->done[0] = t->done[0];
			task->done[1] = t->done[1];
		}
	}
	/* So that the first ones are handed out first. */
	while (index--) {
		struct doca_task *task = lib_ctx_task(ctx, index);

		task->next_free = ctx->types[task->type].free;
		ctx->types[task->type].free = task;
	}
	return DOCA_SUCCESS;
}

static void free_tasks(struct doca_ctx *ctx)
{
	unsigned int type;

	for (type = 0; type < ctx->ops->num_types; type++)
		ctx->types[type].free = NULL;
	free(ctx->tasks);
	ctx->tasks = NULL;
	ctx->num_tasks = 0;
	ctx->num_allocated = 0;
}

/*
 * States
 */
static void set_state(struct doca_ctx *ctx, enum doca_ctx_states next)
{
	enum doca_ctx_states prev = ctx->state;

	ctx->state = next;
	if (ctx->state_cb)
		ctx->state_cb(ctx->user_data, ctx, prev, next);
}

static void become_idle(struct doca_ctx *ctx)
{
	remove_queues(ctx);
	if (ctx->ops->stopped)
		ctx->ops->stopped(ctx);
	free_tasks(ctx);
	ctx->draining = false;
	ctx->lost = false;
	set_state(ctx, DOCA_CTX_STATE_IDLE);
}

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
	doca_error_t result;
	struct doca_pe *pe;

	if (!ctx)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	pe = ctx->pe;
	if (!pe) {
		lib_err("the %s context has no progress engine",
			ctx->ops->name);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	if (pe->forked)
		return DOCA_ERROR_NOT_PERMITTED;
	result = make_tasks(ctx);
	if (result != DOCA_SUCCESS)
		return result;
	result = lib_evch_for_ctx(ctx);
	if (result != DOCA_SUCCESS)
		goto err_tasks;
	if (ctx->evch->pe != pe) {
		lib_err("the event channel of the %s context is not connected to a progress engine",
			ctx->ops->name);
		result = DOCA_ERROR_NOT_CONNECTED;
		goto err_tasks;
	}
	result = ctx->ops->start(ctx);
	if (result != DOCA_SUCCESS)
		goto err_queues;
	ctx->run++;
	ctx->abort_next = 0;
	lib_pe_enter(pe);
	set_state(ctx, DOCA_CTX_STATE_RUNNING);
	lib_pe_leave(pe);
	return DOCA_SUCCESS;

err_queues:
	remove_queues(ctx);
err_tasks:
	free_tasks(ctx);
	return result;
}

/*
 * Lets the device stop all queues. Afterwards each task in flight has its
 * completion in the ring; if the device is gone, none comes any more.
 */
static void stop_queues(struct doca_ctx *ctx)
{
	struct lib_queue *q;
	int err;

	lib_ctx_ring_all(ctx);
	for (q = ctx->queues; q; q = q->next) {
		struct doca_queue_stop stop = {
			.size = sizeof(stop),
			.queue_id = q->id,
		};

		if (q->pi == q->ci)
			continue;
		err = lib_dev_ioctl(ctx->dev, DOCA_IOCTL_QUEUE_STOP, &stop);
		if (err && err != -ENODEV)
			lib_err("%s: a queue cannot be stopped: %s",
				ctx->dev->devinfo.pci_addr, strerror(-err));
	}
	ctx->draining = true;
}

static void begin_stop(struct doca_ctx *ctx)
{
	stop_queues(ctx);
	lib_ctx_set_pending(ctx);
	set_state(ctx, DOCA_CTX_STATE_STOPPING);
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	struct doca_pe *pe;

	if (!ctx)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_SUCCESS;
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return DOCA_ERROR_IN_PROGRESS;
	/* The callback may destroy the context, but not free it yet. */
	pe = ctx->pe;
	lib_pe_enter(pe);
	if (!ctx->num_inflight && !ctx->num_allocated) {
		become_idle(ctx);
		lib_pe_leave(pe);
		return DOCA_SUCCESS;
	}
	begin_stop(ctx);
	lib_pe_notify(pe);
	lib_pe_leave(pe);
	return DOCA_ERROR_IN_PROGRESS;
}

void lib_ctx_set_pending(struct doca_ctx *ctx)
{
	if (ctx->pending)
		return;
	ctx->pending = true;
	ctx->pending_next = ctx->pe->pending;
	ctx->pe->pending = ctx;
}

void lib_ctx_fail(struct doca_ctx *ctx, uint32_t run)
{
	if (ctx->state == DOCA_CTX_STATE_RUNNING && ctx->run == run)
		begin_stop(ctx);
}

void lib_ctx_set_lost(struct doca_ctx *ctx)
{
	ctx->lost = true;
	begin_stop(ctx);
}

/* Completions that have not been looked at yet. */
static bool completions_left(const struct doca_ctx *ctx)
{
	const struct lib_queue *q;

	for (q = ctx->queues; q; q = q->next)
		if (lib_channel_ready(q->channel))
			return true;
	return false;
}

/* Tasks whose completion never comes end here, each one once. */
static unsigned int abort_tasks(struct doca_ctx *ctx, unsigned int budget)
{
	unsigned int done = 0;

	while (done < budget && ctx->abort_next < ctx->num_tasks) {
		struct doca_task *task = lib_ctx_task(ctx, ctx->abort_next++);

		if (task->state != LIB_TASK_INFLIGHT)
			continue;
		lib_task_report(task, DOCA_ERROR_IO_FAILED);
		done++;
	}
	return done;
}

unsigned int lib_ctx_advance(struct doca_ctx *ctx, unsigned int budget)
{
	unsigned int done = 0;

	if (ctx->state != DOCA_CTX_STATE_STOPPING)
		return 0;
	if (ctx->num_inflight && !completions_left(ctx))
		done = abort_tasks(ctx, budget);
	if (ctx->dead || ctx->state != DOCA_CTX_STATE_STOPPING)
		return done;
	if (ctx->num_inflight || ctx->num_allocated) {
		lib_ctx_set_pending(ctx);
		return done;
	}
	become_idle(ctx);
	return done + 1;
}

/*
 * What applications ask and say
 */
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
					     size_t *num_inflight_tasks)
{
	if (!ctx || !num_inflight_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	*num_inflight_tasks = ctx->num_inflight;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx,
				    union doca_data user_data)
{
	if (!ctx)
		return DOCA_ERROR_INVALID_VALUE;
	ctx->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx,
				    union doca_data *user_data)
{
	if (!ctx || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = ctx->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
					   doca_ctx_state_changed_callback_t cb)
{
	if (!ctx)
		return DOCA_ERROR_INVALID_VALUE;
	ctx->state_cb = cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx,
				enum doca_ctx_states *state)
{
	if (!ctx || !state)
		return DOCA_ERROR_INVALID_VALUE;
	*state = ctx->state;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx,
					    uint32_t comp_vector)
{
	if (!ctx ||
	    comp_vector >= ctx->dev->devinfo.info.out_num_comp_vectors)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE ||
	    (ctx->evch && !ctx->evch->hidden))
		return DOCA_ERROR_BAD_STATE;
	lib_evch_remove_ctx(ctx);
	ctx->comp_vector = comp_vector;
	return DOCA_SUCCESS;
}

doca_error_t
doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
					uint32_t *num_comp_vectors)
{
	if (!devinfo || !num_comp_vectors)
		return DOCA_ERROR_INVALID_VALUE;
	*num_comp_vectors = devinfo->info.out_num_comp_vectors;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx,
					  struct doca_gpu *gpu_dev)
{
	return ctx && gpu_dev ? DOCA_ERROR_NOT_SUPPORTED :
				DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx,
					  struct doca_dpa *dpa_dev)
{
	return ctx && dpa_dev ? DOCA_ERROR_NOT_SUPPORTED :
				DOCA_ERROR_INVALID_VALUE;
}
