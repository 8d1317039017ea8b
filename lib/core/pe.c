/* SPDX-License-Identifier: MIT */
/*
 * Progress engines: polling, and notifications.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core.h"

/* Things that one call of doca_pe_progress() reports at most. */
#define PROGRESS_BUDGET	8

static struct doca_pe *all_pes;		/* under lib_lock() */

doca_error_t doca_pe_create(struct doca_pe **pe)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct doca_pe *p;

	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	p = calloc(1, sizeof(*p));
	if (!p)
		return DOCA_ERROR_NO_MEMORY;
	p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	p->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->epoll_fd < 0 || p->event_fd < 0 ||
	    epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, p->event_fd, &event)) {
		lib_err("no file descriptors for a progress engine: %s",
			strerror(errno));
		if (p->epoll_fd >= 0)
			close(p->epoll_fd);
		if (p->event_fd >= 0)
			close(p->event_fd);
		free(p);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	lib_lock();
	p->next = all_pes;
	all_pes = p;
	lib_unlock();
	*pe = p;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
	struct doca_pe **p;

	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	if (pe->ctxs || pe->evchs || pe->depth) {
		lib_err("the progress engine is destroyed, but %s",
			pe->depth ? "a callback of it is running" :
			"contexts or event channels are connected to it");
		return DOCA_ERROR_IN_USE;
	}
	lib_lock();
	for (p = &all_pes; *p != pe; p = &(*p)->next)
		;
	*p = pe->next;
	lib_unlock();
	close(pe->epoll_fd);
	close(pe->event_fd);
	free(pe->channels);
	free(pe);
	return DOCA_SUCCESS;
}

void lib_pe_forked(void)
{
	struct doca_pe *pe;

	for (pe = all_pes; pe; pe = pe->next)
		pe->forked = true;
}

static bool pe_usable(const struct doca_pe *pe)
{
	if (!pe->forked)
		return true;
	lib_err("the progress engine belongs to the process of which this one is a fork");
	return false;
}

/*
 * What a PE serves
 */
doca_error_t lib_pe_add_channel(struct doca_pe *pe, struct lib_channel *channel)
{
	struct epoll_event event = {
		.events = EPOLLIN,
		.data.ptr = channel,
	};

	if (pe->num_channels == pe->max_channels) {
		unsigned int max = lib_max(2 * pe->max_channels, 4U);
		struct lib_channel **channels;

		channels = realloc(pe->channels, max * sizeof(*channels));
		if (!channels)
			return DOCA_ERROR_NO_MEMORY;
		pe->channels = channels;
		pe->max_channels = max;
	}
	if (epoll_ctl(pe->epoll_fd, EPOLL_CTL_ADD, channel->fd, &event)) {
		lib_err("the notification handle cannot watch an event channel: %s",
			strerror(errno));
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	pe->channels[pe->num_channels++] = channel;
	/* What is armed stays armed. */
	if (pe->armed)
		lib_ring_doorbell(lib_arm_doorbell(channel), channel->cq,
				  channel->ci);
	return DOCA_SUCCESS;
}

void lib_pe_remove_channel(struct doca_pe *pe, struct lib_channel *channel)
{
	unsigned int i;

	/* One of a lost device is not in the epoll set any more. */
	epoll_ctl(pe->epoll_fd, EPOLL_CTL_DEL, channel->fd, NULL);
	for (i = 0; i < pe->num_channels; i++) {
		if (pe->channels[i] == channel) {
			pe->channels[i] = pe->channels[--pe->num_channels];
			break;
		}
	}
	pe->changed = true;
}

void lib_pe_add_evch(struct doca_pe *pe, struct doca_event_channel *evch)
{
	evch->pe = pe;
	evch->pe_next = pe->evchs;
	pe->evchs = evch;
}

void lib_pe_remove_evch(struct doca_event_channel *evch)
{
	struct doca_event_channel **p;

	for (p = &evch->pe->evchs; *p != evch; p = &(*p)->pe_next)
		;
	*p = evch->pe_next;
	evch->pe = NULL;
}

void lib_pe_add_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	ctx->pe = pe;
	ctx->pe_next = pe->ctxs;
	pe->ctxs = ctx;
}

void lib_pe_remove_ctx(struct doca_ctx *ctx)
{
	struct doca_ctx **p;

	for (p = &ctx->pe->ctxs; *p != ctx; p = &(*p)->pe_next)
		;
	*p = ctx->pe_next;
	ctx->pe = NULL;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (!pe || !ctx)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->pe || (ctx->evch && ctx->evch->pe && ctx->evch->pe != pe) ||
	    !pe_usable(pe))
		return DOCA_ERROR_NOT_PERMITTED;
	lib_pe_add_ctx(pe, ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_connect_event_channel(struct doca_pe *pe,
					   struct doca_event_channel *evch)
{
	struct lib_channel *channel;
	doca_error_t result;
	struct doca_ctx *ctx;

	if (!pe || !evch)
		return DOCA_ERROR_INVALID_VALUE;
	if (evch->pe || !pe_usable(pe))
		return DOCA_ERROR_NOT_PERMITTED;
	for (ctx = evch->ctxs; ctx; ctx = ctx->evch_next)
		if (ctx->pe && ctx->pe != pe)
			return DOCA_ERROR_NOT_PERMITTED;
	for (channel = evch->channels; channel; channel = channel->next) {
		result = lib_pe_add_channel(pe, channel);
		if (result != DOCA_SUCCESS)
			goto err_channels;
	}
	lib_pe_add_evch(pe, evch);
	for (ctx = evch->ctxs; ctx; ctx = ctx->evch_next)
		if (!ctx->pe)
			lib_pe_add_ctx(pe, ctx);
	return DOCA_SUCCESS;

err_channels:
	for (struct lib_channel *c = evch->channels; c != channel; c = c->next)
		lib_pe_remove_channel(pe, c);
	return result;
}

/*
 * Progress
 */

/* Contexts that were destroyed while a call was using them. */
void lib_pe_collect(struct doca_pe *pe)
{
	struct doca_ctx *ctx;

	while ((ctx = pe->garbage)) {
		pe->garbage = ctx->pe_next;
		ctx->ops->free(ctx);
	}
}

/*
 * The device is gone: what its rings hold was reported before this. A child has
 * the status page no more than the rest, and does not come here.
 */
static void evch_set_lost(struct doca_event_channel *evch)
{
	struct lib_channel *channel;
	struct doca_ctx *ctx;

	lib_err("%s is gone: what was in flight has failed",
		evch->dev->devinfo.pci_addr);
	evch->lost = true;
	/* Their descriptors would be readable from now on. */
	for (channel = evch->channels; channel; channel = channel->next)
		epoll_ctl(evch->pe->epoll_fd, EPOLL_CTL_DEL, channel->fd, NULL);
	for (ctx = evch->ctxs; ctx; ctx = ctx->evch_next)
		ctx->lost = true;
}

/* Nothing has come for a while: is there still a device to wait for? */
static bool pe_find_lost(struct doca_pe *pe)
{
	struct doca_event_channel *evch;
	struct doca_ctx *ctx;

	for (evch = pe->evchs; evch; evch = evch->pe_next)
		if (!evch->lost && lib_unlikely(lib_dev_lost(evch->dev)))
			break;
	if (lib_likely(!evch))
		return false;
	evch_set_lost(evch);
	/* Callbacks may change the list. */
	do {
		for (ctx = pe->ctxs; ctx; ctx = ctx->pe_next)
			if (ctx->lost && ctx->state == DOCA_CTX_STATE_RUNNING)
				break;
		if (ctx)
			lib_ctx_set_lost(ctx);
	} while (ctx);
	return true;
}

static unsigned int pe_advance(struct doca_pe *pe, unsigned int budget)
{
	struct doca_ctx *ctx, *list = pe->pending, *next;
	unsigned int done = 0;

	/* Callbacks may add to the list: each context has one turn. */
	pe->pending = NULL;
	for (ctx = list; ctx; ctx = next) {
		next = ctx->pending_next;
		ctx->pending = false;
		if (ctx->dead)
			continue;
		done += lib_ctx_advance(ctx, budget - lib_min(done, budget));
	}
	return done;
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
	unsigned int done = 0, i, n;

	if (lib_unlikely(!pe || pe->forked))
		return 0;
	lib_pe_enter(pe);
	pe->changed = false;
	n = pe->num_channels;
	for (i = 0; i < n && done < PROGRESS_BUDGET; i++) {
		/* Begin where the last call ended, or the first would eat all. */
		if (pe->rotor >= n)
			pe->rotor = 0;
		done += lib_channel_poll(pe->channels[pe->rotor], pe,
					 PROGRESS_BUDGET - done);
		if (lib_unlikely(pe->changed))
			break;
		if (done < PROGRESS_BUDGET)
			pe->rotor++;
	}
	if (lib_unlikely(pe->pending && done < PROGRESS_BUDGET))
		done += pe_advance(pe, PROGRESS_BUDGET - done);
	if (!done && pe_find_lost(pe))
		done = 1;
	lib_pe_leave(pe);
	return done != 0;
}

doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe,
					    size_t *num_inflight_tasks)
{
	const struct doca_ctx *ctx;
	size_t num = 0;

	if (!pe || !num_inflight_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	for (ctx = pe->ctxs; ctx; ctx = ctx->pe_next)
		num += ctx->num_inflight;
	*num_inflight_tasks = num;
	return DOCA_SUCCESS;
}

/*
 * Notifications
 */
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
					     doca_notification_handle_t *handle)
{
	if (!pe || !handle)
		return DOCA_ERROR_INVALID_VALUE;
	*handle = pe->epoll_fd;
	return DOCA_SUCCESS;
}

void lib_pe_notify(struct doca_pe *pe)
{
	const uint64_t one = 1;

	if (!pe->armed || pe->signalled)
		return;
	/* It cannot fail: the counter is 0 or 1. */
	pe->signalled = write(pe->event_fd, &one, sizeof(one)) == sizeof(one);
}

/* Whether doca_pe_progress() has something to do that no ring tells of. */
static bool pe_has_work(const struct doca_pe *pe)
{
	const struct doca_ctx *ctx;

	for (ctx = pe->pending; ctx; ctx = ctx->pending_next)
		if (!ctx->num_inflight ? !ctx->num_allocated :
		    ctx->lost || ctx->draining)
			return true;
	return false;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
	unsigned int i;

	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	if (!pe_usable(pe))
		return DOCA_ERROR_NOT_PERMITTED;
	if (pe->event_mode == DOCA_PE_EVENT_MODE_PROGRESS_ALL && pe->armed) {
		doca_error_t result = doca_pe_clear_notification(pe, 0);

		if (result != DOCA_SUCCESS)
			return result;
	}
	pe->armed = true;
	/* A ring that is ahead of its index notifies at once. */
	for (i = 0; i < pe->num_channels; i++)
		lib_ring_doorbell(lib_arm_doorbell(pe->channels[i]),
				  pe->channels[i]->cq, pe->channels[i]->ci);
	if (pe->pending && pe_has_work(pe))
		lib_pe_notify(pe);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe,
					doca_notification_handle_t handle)
{
	struct epoll_event events[16];
	uint64_t count;
	int num, i;

	(void)handle;
	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	if (pe->forked)
		return DOCA_ERROR_OPERATING_SYSTEM;
	pe->armed = false;
	do {
		bool cleared = false;

		num = epoll_wait(pe->epoll_fd, events, 16, 0);
		if (num < 0 && errno != EINTR) {
			lib_err("the notification handle: %s", strerror(errno));
			return DOCA_ERROR_OPERATING_SYSTEM;
		}
		for (i = 0; i < num; i++) {
			struct lib_channel *channel = events[i].data.ptr;
			int fd = channel ? channel->fd : pe->event_fd;

			if (!channel)
				pe->signalled = false;
			/* One of a lost device stays readable: progress sees to it. */
			cleared |= read(fd, &count, sizeof(count)) ==
				   sizeof(count);
		}
		if (!cleared)
			break;
	} while (num == 16);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_set_event_mode(struct doca_pe *pe,
				    enum doca_pe_event_mode event_mode)
{
	if (!pe || (event_mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE &&
		    event_mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL))
		return DOCA_ERROR_INVALID_VALUE;
	if (pe->depth)
		return DOCA_ERROR_NOT_PERMITTED;
	pe->event_mode = event_mode;
	return DOCA_SUCCESS;
}
