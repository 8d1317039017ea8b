// SPDX-License-Identifier: MIT
/*
 * Contexts: their states, queues and pools of tasks.
 *
 * A run ends in steps. Each one is taken in doca_ctx_stop(), or in
 * doca_pe_progress() after a task failed or the device went:
 *
 *   1. STOPPING: nothing is submitted any more. All queues are stopped; from
 *      then on the completion rings hold all that is to come (draining).
 *   2. The completions are reported. If the rings are empty and tasks are still
 *      in flight, nobody will complete them: they are aborted.
 *   3. When all tasks were freed: IDLE.
 *
 * Steps 2 and 3 are taken in ctx_advance(), for which the context is in the PE's
 * list of work.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core.h"

static unsigned int ctx_advance(struct lib_work *work, unsigned int budget);

doca_error_t lib_ctx_init(struct doca_ctx *ctx, struct doca_dev *dev,
			  const struct lib_ctx_ops *ops)
{
	const struct doca_engine_info *engine;
	unsigned int i;

	engine = lib_devinfo_engine(&dev->devinfo, ops->engine);
	for (i = 0; engine && i < ops->num_types; i++)
		if (!(engine->out_opcodes & 1U << ops->opcodes[i]))
			engine = NULL;
	if (!engine) {
		lib_err("%s: the device has no %s", dev->devinfo.pci_addr,
			ops->name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	ctx->ops = ops;
	ctx->dev = dev;
	ctx->state = DOCA_CTX_STATE_IDLE;
	ctx->comp_vector = DOCA_COMP_VECTOR_ANY;
	ctx->work.run = ctx_advance;
	/* The descriptor has 8 bits for it. */
	ctx->max_list_len = lib_min(engine->out_max_list_len, 255U);
	ctx->max_transfer = engine->out_max_transfer;
	lib_dev_get(dev);
	return DOCA_SUCCESS;
}

doca_error_t lib_ctx_destroy(struct doca_ctx *ctx, doca_error_t err)
{
	struct doca_pe *pe = ctx->pe;

	if (ctx->state != DOCA_CTX_STATE_IDLE) {
		lib_err("%s context: destroyed while it is not idle",
			ctx->ops->name);
		return err;
	}
	lib_evch_remove_ctx(ctx);
	lib_pe_remove_ctx(ctx);
	lib_dev_put(ctx->dev);
	if (pe && pe->depth) {
		/* Somebody up the stack may still look at it. */
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
	const struct doca_devinfo *devinfo = &ctx->dev->devinfo;

	/* All of them shall find a place in one queue. */
	return lib_min(devinfo->engines[ctx->ops->engine].out_max_queue_entries,
		       devinfo->info.out_max_channel_entries);
}

doca_error_t lib_ctx_set_task_conf(struct doca_ctx *ctx, unsigned int type,
				   lib_task_cb done_cb, lib_task_cb error_cb,
				   uint32_t num)
{
	uint32_t max;
	unsigned int i;

	if (!ctx || !done_cb || !error_cb || !num)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	max = lib_ctx_max_tasks(ctx);
	for (i = 0; i < ctx->ops->num_types; i++)
		if (i != type)
			max -= ctx->types[i].num;
	if (num > max) {
		lib_err("%s context: %u tasks, the limit is %u", ctx->ops->name,
			num, max);
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
static doca_error_t queue_create(struct doca_ctx *ctx, struct lib_queue *queue,
				 uint32_t entries)
{
	struct doca_dev *dev = ctx->dev;
	struct doca_queue_create create = {
		.size = sizeof(create),
		.engine = ctx->ops->engine,
		.channel_id = queue->channel->id,
		.entries = entries,
		.tag = queue->tag,
	};
	void *ring;
	int err;

	err = lib_dev_ioctl(dev, DOCA_IOCTL_QUEUE_CREATE, &create);
	if (err) {
		lib_err("%s: %s queue with %u entries: %s",
			dev->devinfo.pci_addr, ctx->ops->name, entries,
			strerror(-err));
		return err == -ENOSPC ? DOCA_ERROR_FULL : lib_error(err);
	}
	err = lib_dev_map(dev, create.out_ring_key, create.out_ring_size,
			  PROT_READ | PROT_WRITE, &ring);
	if (err) {
		lib_err("%s: submission ring of %llu bytes cannot be mapped: %s",
			dev->devinfo.pci_addr,
			(unsigned long long)create.out_ring_size,
			strerror(-err));
		lib_dev_destroy(dev, create.out_id);
		return lib_error(err);
	}
	queue->ring = ring;
	queue->ring_size = create.out_ring_size;
	queue->mask = create.out_entries - 1;
	queue->number = create.out_queue;
	queue->id = create.out_id;
	queue->doorbell = (volatile uint64_t *)((char *)dev->doorbells +
						DOCA_DB_SUBMIT);
	return DOCA_SUCCESS;
}

doca_error_t lib_ctx_add_queue(struct doca_ctx *ctx, uint32_t entries,
			       struct lib_queue **queue)
{
	struct lib_queue *new;
	doca_error_t result;

	/* One task with lists as long as they may be has to fit. */
	entries = lib_max(entries, doca_sqe_entries(2 * ctx->max_list_len));
	entries = lib_min(entries, lib_ctx_max_tasks(ctx));
	entries = lib_roundup_pow2(entries);
	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	result = lib_channel_reserve(ctx->evch, entries, &new->channel,
				     &new->tag);
	if (result != DOCA_SUCCESS) {
		free(new);
		return result;
	}
	result = queue_create(ctx, new, entries);
	if (result != DOCA_SUCCESS) {
		lib_channel_release(new->channel, entries, new->tag);
		free(new);
		return result;
	}
	/* The kernel has counted what the ring really has. */
	new->channel->used += new->mask + 1 - entries;
	new->channel->slots[new->tag] = new;
	new->ctx = ctx;
	new->next = ctx->queues;
	ctx->queues = new;
	*queue = new;
	return DOCA_SUCCESS;
}

static void ctx_remove_queues(struct doca_ctx *ctx)
{
	struct lib_queue *queue;

	while ((queue = ctx->queues)) {
		ctx->queues = queue->next;
		if (queue->id)
			lib_dev_destroy(ctx->dev, queue->id);
		lib_dev_unmap(ctx->dev, queue->ring, queue->ring_size);
		lib_channel_release(queue->channel, queue->mask + 1,
				    queue->tag);
		free(queue);
	}
}

/* On return, all completions that will ever come are in the rings. */
static void ctx_stop_queues(struct doca_ctx *ctx)
{
	struct doca_queue_stop stop = { .size = sizeof(stop) };
	struct lib_queue *queue;
	int err;

	for (queue = ctx->queues; queue && !ctx->lost; queue = queue->next) {
		stop.queue_id = queue->id;
		err = lib_dev_ioctl(ctx->dev, DOCA_IOCTL_QUEUE_STOP, &stop);
		if (!err)
			continue;
		lib_err("%s: %s queue cannot be stopped: %s",
			ctx->dev->devinfo.pci_addr, ctx->ops->name,
			strerror(-err));
		if (err == -ENODEV || lib_dev_lost(ctx->dev)) {
			ctx->lost = true;
			break;
		}
		/*
		 * It may still be at work, so that no buffer is safe: destroying
		 * it ends that for sure. What did not complete is aborted.
		 */
		lib_dev_destroy(ctx->dev, queue->id);
		queue->id = 0;
	}
}

/*
 * The pool of tasks: one block, its parts handed to the kinds of task
 */
static doca_error_t ctx_make_tasks(struct doca_ctx *ctx)
{
	const struct lib_ctx_ops *ops = ctx->ops;
	uint32_t index, num = 0;
	struct lib_task_type *type;
	struct doca_task *task;
	unsigned int i;
	size_t size;

	for (i = 0; i < ops->num_types; i++) {
		ctx->types[i].free = NULL;
		num += ctx->types[i].num;
	}
	ctx->num_tasks = 0;
	ctx->num_allocated = 0;
	ctx->num_inflight = 0;
	ctx->num_unrung = 0;
	ctx->task_size = ops->task_size;
	if (!num)
		return DOCA_SUCCESS;
	if (__builtin_mul_overflow(num, ops->task_size, &size))
		return DOCA_ERROR_NO_MEMORY;
	ctx->tasks = aligned_alloc(64, size);
	if (!ctx->tasks)
		return DOCA_ERROR_NO_MEMORY;
	memset(ctx->tasks, 0, size);
	ctx->num_tasks = num;

	/* Backwards, so that the free ones are taken from the start. */
	index = num;
	for (i = ops->num_types; i-- > 0;) {
		type = &ctx->types[i];
		for (num = type->num; num; num--) {
			task = lib_ctx_task(ctx, --index);
			task->sqe_head = htole64((uint64_t)index << 32 |
						 1U << 24 | 1U << 16 |
						 ops->opcodes[i]);
			task->ctx = ctx;
			task->type = i;
			task->state = LIB_TASK_FREE;
			task->done[0] = type->done[0];
			task->done[1] = type->done[1];
			task->next_free = type->free;
			type->free = task;
		}
	}
	return DOCA_SUCCESS;
}

static void ctx_free_tasks(struct doca_ctx *ctx)
{
	unsigned int i;

	free(ctx->tasks);
	ctx->tasks = NULL;
	ctx->num_tasks = 0;
	ctx->num_allocated = 0;
	ctx->num_inflight = 0;
	for (i = 0; i < ctx->ops->num_types; i++)
		ctx->types[i].free = NULL;
}

/*
 * States
 */
static void ctx_set_state(struct doca_ctx *ctx, enum doca_ctx_states state)
{
	enum doca_ctx_states prev = ctx->state;

	ctx->state = state;
	if (ctx->state_cb)
		ctx->state_cb(ctx->user_data, ctx, prev, state);
}

/* Afterwards the context may be running again, or be destroyed. */
static void ctx_become_idle(struct doca_ctx *ctx)
{
	ctx_remove_queues(ctx);
	if (ctx->ops->stopped)
		ctx->ops->stopped(ctx);
	ctx_free_tasks(ctx);
	ctx->draining = false;
	ctx_set_state(ctx, DOCA_CTX_STATE_IDLE);
}

static void ctx_begin_stopping(struct doca_ctx *ctx)
{
	lib_ctx_ring_all(ctx);
	ctx_stop_queues(ctx);
	ctx->draining = true;
	ctx->abort_next = 0;
	lib_ctx_set_pending(ctx);
	ctx_set_state(ctx, DOCA_CTX_STATE_STOPPING);
}

static doca_error_t ctx_connect_evch(struct doca_ctx *ctx)
{
	doca_error_t result;

	result = lib_evch_for_ctx(ctx);
	if (result != DOCA_SUCCESS)
		return result;
	if (ctx->evch->lost)
		return DOCA_ERROR_IO_FAILED;
	/* The event channel was given to the context, and the context to a PE. */
	if (!ctx->evch->pe)
		return doca_pe_connect_event_channel(ctx->pe, ctx->evch);
	if (ctx->evch->pe != ctx->pe) {
		lib_err("%s context: its event channel is connected to another progress engine",
			ctx->ops->name);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	return DOCA_SUCCESS;
}

static doca_error_t ctx_start(struct doca_ctx *ctx)
{
	doca_error_t result;

	if (ctx->dev->forked || ctx->pe->forked) {
		lib_err("%s context: started in a child of the process that made it",
			ctx->ops->name);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (lib_dev_lost(ctx->dev)) {
		lib_err("%s: the device is gone", ctx->dev->devinfo.pci_addr);
		return DOCA_ERROR_IO_FAILED;
	}
	ctx->lost = false;
	ctx->draining = false;
	ctx->abort_next = 0;
	result = ctx_make_tasks(ctx);
	if (result == DOCA_SUCCESS)
		result = ctx_connect_evch(ctx);
	if (result == DOCA_SUCCESS)
		result = ctx->ops->start(ctx);
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;

	ctx_remove_queues(ctx);
	ctx_free_tasks(ctx);
	return lib_dev_lost(ctx->dev) ? DOCA_ERROR_IO_FAILED : result;
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
		lib_err("%s context: not connected to a progress engine",
			ctx->ops->name);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	lib_owned(&pe->owner, LIB_PE, "doca_ctx_start()");
	result = ctx_start(ctx);
	if (result != DOCA_SUCCESS)
		return result;
	ctx->run++;
	lib_pe_enter(pe);
	ctx_set_state(ctx, DOCA_CTX_STATE_RUNNING);
	lib_pe_leave(pe);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	doca_error_t result = DOCA_SUCCESS;
	struct doca_pe *pe;

	if (!ctx)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_SUCCESS;
	pe = ctx->pe;
	lib_owned(&pe->owner, LIB_PE, "doca_ctx_stop()");
	lib_pe_enter(pe);
	if (ctx->dev->forked || pe->forked) {
		/* The tasks are the parent's; here, only memory is given back. */
		ctx_become_idle(ctx);
	} else if (ctx->state == DOCA_CTX_STATE_STOPPING) {
		result = DOCA_ERROR_IN_PROGRESS;
	} else if (!ctx->num_allocated) {
		ctx_become_idle(ctx);
	} else {
		ctx_begin_stopping(ctx);
		result = DOCA_ERROR_IN_PROGRESS;
	}
	lib_pe_leave(pe);
	return result;
}

void lib_ctx_set_pending(struct doca_ctx *ctx)
{
	lib_pe_add_work(ctx->pe, &ctx->work);
}

void lib_ctx_fail(struct doca_ctx *ctx, uint32_t run)
{
	if (ctx->dead || ctx->run != run ||
	    ctx->state != DOCA_CTX_STATE_RUNNING)
		return;
	lib_info("%s context: a task failed, stopping", ctx->ops->name);
	ctx_begin_stopping(ctx);
}

void lib_ctx_set_lost(struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return;
	ctx->lost = true;
	lib_ctx_set_pending(ctx);
}

/* Whether a completion of the context may be waiting to be reported. */
static bool ctx_rings_ready(const struct doca_ctx *ctx)
{
	const struct lib_queue *queue;

	for (queue = ctx->queues; queue; queue = queue->next)
		if (lib_channel_ready(queue->channel))
			return true;
	return false;
}

/* Reports tasks that nobody will complete. The run does not end meanwhile. */
static unsigned int ctx_abort(struct doca_ctx *ctx, unsigned int budget)
{
	struct doca_task *task;
	unsigned int done = 0;

	while (done < budget && ctx->num_inflight &&
	       ctx->abort_next < ctx->num_tasks) {
		task = lib_ctx_task(ctx, ctx->abort_next++);
		if (task->state != LIB_TASK_INFLIGHT)
			continue;
		lib_task_report(task, ctx->lost ? DOCA_ERROR_IO_FAILED :
						  DOCA_ERROR_SHUTDOWN);
		done++;
	}
	return done;
}

static unsigned int ctx_advance(struct lib_work *work, unsigned int budget)
{
	struct doca_ctx *ctx = lib_container_of(work, struct doca_ctx, work);
	unsigned int done = 0;

	if (ctx->lost && ctx->state == DOCA_CTX_STATE_RUNNING) {
		ctx_begin_stopping(ctx);
		done++;
	}
	if (ctx->state != DOCA_CTX_STATE_STOPPING)
		return done;
	if (ctx->num_inflight &&
	    (ctx->lost || (ctx->draining && !ctx_rings_ready(ctx))))
		done += ctx_abort(ctx, budget);
	if (ctx->num_inflight) {
		lib_ctx_set_pending(ctx);
		return done;
	}
	if (!ctx->num_allocated) {
		ctx_become_idle(ctx);
		done++;
	}
	return done;
}

/*
 * Properties
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

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	if (ctx && ctx->num_unrung)
		lib_ctx_ring_all(ctx);
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx,
					    uint32_t comp_vector)
{
	uint32_t num;

	if (!ctx)
		return DOCA_ERROR_INVALID_VALUE;
	num = ctx->dev->devinfo.info.out_num_comp_vectors;
	if (comp_vector >= num) {
		lib_err("completion vector %u, the device has %u", comp_vector,
			num);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (ctx->state != DOCA_CTX_STATE_IDLE ||
	    (ctx->evch && !ctx->evch->hidden))
		return DOCA_ERROR_BAD_STATE;
	/* The next start finds one with the new vector. */
	if (comp_vector != ctx->comp_vector)
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
	if (!ctx || !gpu_dev)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx,
					  struct doca_dpa *dpa_dev)
{
	if (!ctx || !dpa_dev)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_SUPPORTED;
}
