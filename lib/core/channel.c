/* SPDX-License-Identifier: MIT */
/*
 * Event channels: completion rings, who reports to them, and reading them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core.h"

/* The smallest completion ring: many small contexts fit in it. */
#define MIN_ENTRIES	1024
#define MIN_SLOTS	16

static void channel_free(struct lib_channel *channel)
{
	struct doca_event_channel *evch = channel->evch;
	struct lib_channel **p;

	for (p = &evch->channels; *p != channel; p = &(*p)->next)
		;
	*p = channel->next;
	if (evch->pe)
		lib_pe_remove_channel(evch->pe, channel);
	lib_dev_unmap(evch->dev, (void *)channel->ring, channel->ring_size);
	lib_dev_destroy(evch->dev, channel->id);
	lib_kernel->close(channel->fd);
	free(channel->slots);
	free(channel);
}

static doca_error_t channel_create(struct doca_event_channel *evch,
				   uint32_t entries)
{
	struct doca_channel_create create = {
		.size = sizeof(create),
		.flags = O_CLOEXEC | O_NONBLOCK,
		.entries = entries,
		.comp_vector = evch->comp_vector,
	};
	struct doca_dev *dev = evch->dev;
	struct lib_channel *channel;
	doca_error_t result;
	void *ring;
	int err;

	channel = calloc(1, sizeof(*channel));
	if (!channel)
		return DOCA_ERROR_NO_MEMORY;
	err = lib_dev_ioctl(dev, DOCA_IOCTL_CHANNEL_CREATE, &create);
	if (err) {
		lib_err("%s: event channel with %u entries: %s",
			dev->devinfo.pci_addr, entries, strerror(-err));
		free(channel);
		return lib_error(err);
	}
	err = lib_dev_map(dev, create.out_ring_key, create.out_ring_size,
			  PROT_READ, &ring);
	if (err) {
		lib_err("%s: completion ring of %llu bytes cannot be mapped: %s",
			dev->devinfo.pci_addr,
			(unsigned long long)create.out_ring_size,
			strerror(-err));
		lib_dev_destroy(dev, create.out_id);
		lib_kernel->close(create.out_fd);
		free(channel);
		return lib_error(err);
	}
	channel->ring = ring;
	channel->ring_size = create.out_ring_size;
	channel->entries = create.out_entries;
	channel->id = create.out_id;
	channel->cq = create.out_cq;
	channel->fd = create.out_fd;
	channel->status = dev->status;
	channel->evch = evch;
	channel->next = evch->channels;
	evch->channels = channel;
	if (evch->pe) {
		result = lib_pe_add_channel(evch->pe, channel);
		if (result != DOCA_SUCCESS) {
			channel_free(channel);
			return result;
		}
	}
	return DOCA_SUCCESS;
}

doca_error_t lib_evch_create(struct doca_dev *dev, uint32_t comp_vector,
			     uint32_t entries, struct doca_event_channel **evch)
{
	struct doca_event_channel *new;
	doca_error_t result;

	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->dev = dev;
	new->comp_vector = comp_vector;
	entries = lib_max(entries, MIN_ENTRIES);
	result = channel_create(new, lib_min(entries,
					     dev->devinfo.info.out_max_channel_entries));
	if (result != DOCA_SUCCESS) {
		free(new);
		return result;
	}
	lib_dev_get(dev);
	*evch = new;
	return DOCA_SUCCESS;
}

/* No context reports to it. */
void lib_evch_free(struct doca_event_channel *evch)
{
	while (evch->channels)
		channel_free(evch->channels);
	if (evch->pe)
		lib_pe_remove_evch(evch);
	lib_dev_put(evch->dev);
	free(evch);
}

void lib_evch_add_ctx(struct doca_event_channel *evch, struct doca_ctx *ctx)
{
	ctx->evch = evch;
	ctx->evch_next = evch->ctxs;
	evch->ctxs = ctx;
}

void lib_evch_remove_ctx(struct doca_ctx *ctx)
{
	struct doca_event_channel *evch = ctx->evch;
	struct doca_ctx **p;

	if (!evch)
		return;
	for (p = &evch->ctxs; *p != ctx; p = &(*p)->evch_next)
		;
	*p = ctx->evch_next;
	ctx->evch = NULL;
	if (evch->hidden && !evch->ctxs)
		lib_evch_free(evch);
}

doca_error_t lib_evch_for_ctx(struct doca_ctx *ctx)
{
	struct doca_event_channel *evch;
	doca_error_t result;

	/* A device that is gone takes its hidden channels with it. */
	if (ctx->evch && ctx->evch->hidden && ctx->evch->lost)
		lib_evch_remove_ctx(ctx);
	if (ctx->evch)
		return DOCA_SUCCESS;
	for (evch = ctx->pe->evchs; evch; evch = evch->pe_next)
		if (evch->hidden && !evch->lost && evch->dev == ctx->dev &&
		    evch->comp_vector == ctx->comp_vector)
			break;
	if (!evch) {
		result = lib_evch_create(ctx->dev, ctx->comp_vector,
					 ctx->num_tasks, &evch);
		if (result != DOCA_SUCCESS)
			return result;
		evch->hidden = true;
		result = lib_pe_add_channel(ctx->pe, evch->channels);
		if (result != DOCA_SUCCESS) {
			lib_evch_free(evch);
			return result;
		}
		lib_pe_add_evch(ctx->pe, evch);
	}
	lib_evch_add_ctx(evch, ctx);
	return DOCA_SUCCESS;
}

doca_error_t lib_ctx_create_event_channel(struct doca_ctx *ctx,
					  struct doca_event_channel **evch)
{
	doca_error_t result;

	if (!ctx || !evch)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	/* One that the library made is given up for one of its own. */
	if (ctx->evch && ctx->evch->hidden)
		lib_evch_remove_ctx(ctx);
	if (ctx->evch)
		return DOCA_ERROR_NOT_PERMITTED;
	result = lib_evch_create(ctx->dev, ctx->comp_vector, 0, evch);
	if (result == DOCA_SUCCESS)
		lib_evch_add_ctx(*evch, ctx);
	return result;
}

doca_error_t lib_ctx_set_event_channel(struct doca_ctx *ctx,
				       struct doca_event_channel *evch)
{
	if (!ctx || !evch || evch->dev != ctx->dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->evch && ctx->evch->hidden)
		lib_evch_remove_ctx(ctx);
	if (ctx->evch || (ctx->pe && evch->pe && ctx->pe != evch->pe))
		return DOCA_ERROR_NOT_PERMITTED;
	lib_evch_add_ctx(evch, ctx);
	if (evch->pe && !ctx->pe)
		lib_pe_add_ctx(evch->pe, ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_event_channel_destroy(struct doca_event_channel *evch)
{
	struct doca_ctx *ctx;

	if (!evch)
		return DOCA_ERROR_INVALID_VALUE;
	for (ctx = evch->ctxs; ctx; ctx = ctx->evch_next) {
		if (ctx->state != DOCA_CTX_STATE_IDLE) {
			lib_err("the event channel is destroyed, but a %s context that reports to it is not idle",
				ctx->ops->name);
			return DOCA_ERROR_IN_USE;
		}
	}
	while (evch->ctxs)
		lib_evch_remove_ctx(evch->ctxs);
	lib_evch_free(evch);
	return DOCA_SUCCESS;
}

doca_error_t doca_event_channel_set_event_cb(struct doca_event_channel *evch,
					     doca_event_cb_t cb,
					     union doca_data user_data)
{
	if (!evch)
		return DOCA_ERROR_INVALID_VALUE;
	evch->event_cb = cb;
	evch->event_data = user_data;
	return DOCA_SUCCESS;
}

struct doca_task *doca_event_get_task(const struct doca_event *event)
{
	return event->task;
}

doca_error_t doca_event_get_status(const struct doca_event *event)
{
	return event->status;
}

static bool channel_grow_slots(struct lib_channel *channel)
{
	uint32_t num = lib_max(channel->num_slots * 2, MIN_SLOTS), i;
	struct lib_queue **slots;

	slots = realloc(channel->slots, num * sizeof(*slots));
	if (!slots)
		return false;
	for (i = channel->num_slots; i < num; i++)
		slots[i] = NULL;
	channel->slots = slots;
	channel->num_slots = num;
	return true;
}

doca_error_t lib_channel_reserve(struct doca_event_channel *evch,
				 uint32_t entries, struct lib_channel **channel,
				 uint32_t *tag)
{
	uint32_t max = evch->dev->devinfo.info.out_max_channel_entries;
	struct lib_channel *c;
	doca_error_t result;
	uint32_t wish;

	for (c = evch->channels; c; c = c->next)
		if (c->entries - c->used >= entries)
			break;
	if (!c) {
		/* Each one twice as large as the last: their number stays small. */
		wish = lib_max(entries, evch->channels->entries);
		wish = wish > max / 2 ? max : 2 * wish;
		result = channel_create(evch, lib_max(wish, entries));
		if (result != DOCA_SUCCESS)
			return result;
		c = evch->channels;
	}
	while (c->free_slot < c->num_slots && c->slots[c->free_slot])
		c->free_slot++;
	if (c->free_slot == c->num_slots && !channel_grow_slots(c))
		return DOCA_ERROR_NO_MEMORY;
	c->used += entries;
	*tag = c->free_slot;
	*channel = c;
	return DOCA_SUCCESS;
}

void lib_channel_release(struct lib_channel *channel, uint32_t entries,
			 uint32_t tag)
{
	channel->slots[tag] = NULL;
	channel->free_slot = lib_min(channel->free_slot, tag);
	channel->used -= entries;
}

/* The last eight bytes of an entry, which are written last, as one. */
static inline uint64_t cqe_tail(const struct doca_cqe *cqe)
{
	const uint64_t *tail = (const uint64_t *)cqe + DOCA_CQE_SIZE / 8 - 1;

	return le64toh(lib_read_once(*tail));
}

static inline bool tail_is_new(const struct lib_channel *channel, uint64_t tail)
{
	/* doca_cqe_phase(), with a mask in place of a shift */
	return tail >> 56 == !(channel->ci & channel->entries);
}

bool lib_channel_ready(const struct lib_channel *channel)
{
	const struct doca_cqe *cqe =
		&channel->ring[channel->ci & (channel->entries - 1)];

	return tail_is_new(channel, cqe_tail(cqe));
}

static __attribute__((noinline, cold))
void channel_bogus(struct lib_channel *channel, uint32_t tag, uint32_t cookie)
{
	if (!channel->bogus++)
		lib_err("%s: completion for queue %u, task %u, which is not in flight: dropped",
			channel->evch->dev->devinfo.pci_addr, tag, cookie);
}

/* The task that a completion is for; NULL: none that is in flight. */
static inline struct doca_task *channel_task(const struct lib_channel *channel,
					     uint32_t tag, uint32_t cookie)
{
	const struct lib_queue *queue;
	struct doca_task *task;

	if (lib_unlikely(tag >= channel->num_slots))
		return NULL;
	queue = channel->slots[tag];
	if (lib_unlikely(!queue || cookie >= queue->ctx->num_tasks))
		return NULL;
	task = lib_ctx_task(queue->ctx, cookie);
	if (lib_unlikely(task->state != LIB_TASK_INFLIGHT ||
			 task->queue != queue))
		return NULL;
	return task;
}

static __attribute__((noinline, cold))
void channel_event(const struct lib_channel *channel, struct doca_task *task,
		   uint8_t status)
{
	const struct doca_event_channel *evch = channel->evch;
	const struct doca_event event = {
		.task = task,
		.status = lib_status_error(status),
	};

	evch->event_cb(&event, evch->event_data);
}

unsigned int lib_channel_poll(struct lib_channel *channel, struct doca_pe *pe,
			      unsigned int budget)
{
	unsigned int done = 0;

	while (done < budget) {
		const struct doca_cqe *cqe =
			&channel->ring[channel->ci & (channel->entries - 1)];
		uint64_t tail = cqe_tail(cqe);
		uint32_t tag, cookie, run;
		struct doca_task *task;
		struct doca_ctx *ctx;
		uint8_t status;

		if (!tail_is_new(channel, tail))
			break;
		/* The rest of the entry, and the data, are read after its phase. */
		lib_after_completion();
		tag = le32toh(lib_read_once(cqe->tag));
		cookie = le32toh(lib_read_once(cqe->cookie));
		channel->ci++;
		task = channel_task(channel, tag, cookie);
		if (lib_unlikely(!task)) {
			channel_bogus(channel, tag, cookie);
			continue;
		}
		status = tail >> 48;
		done++;
		if (lib_unlikely(channel->evch->event_cb))
			channel_event(channel, task, status);
		if (lib_likely(!status)) {
			lib_task_report(task, DOCA_SUCCESS);
		} else {
			/* The callback may stop and start the context. */
			ctx = task->ctx;
			run = ctx->run;
			lib_task_report(task, lib_status_error(status));
			lib_ctx_fail(ctx, run);
		}
		/* The callback may have ended the channel. */
		if (lib_unlikely(pe->changed))
			break;
	}
	return done;
}
