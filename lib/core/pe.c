// SPDX-License-Identifier: MIT
/* Progress engines: polling, notification, and what is connected. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core.h"

/* Tasks that one doca_pe_progress() reports at most; doca_pe.h names it. */
#define BATCH	8

static struct doca_pe *all_pes;		/* under lib_lock */

static int pe_open_fds(struct doca_pe *pe)
{
	struct epoll_event event = { .events = EPOLLIN };
	int err;

	pe->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (pe->epoll_fd < 0)
		return -errno;
	pe->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (pe->event_fd < 0) {
		err = -errno;
		close(pe->epoll_fd);
		return err;
	}
	if (epoll_ctl(pe->epoll_fd, EPOLL_CTL_ADD, pe->event_fd, &event)) {
		err = -errno;
		close(pe->event_fd);
		close(pe->epoll_fd);
		return err;
	}
	return 0;
}

doca_error_t doca_pe_create(struct doca_pe **pe)
{
	struct doca_pe *new;
	int err;

	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	err = pe_open_fds(new);
	if (err) {
		lib_err("a progress engine needs two file descriptors: %s",
			strerror(-err));
		free(new);
		return err == -ENOMEM ? DOCA_ERROR_NO_MEMORY :
					DOCA_ERROR_OPERATING_SYSTEM;
	}
	lib_lock();
	new->next = all_pes;
	all_pes = new;
	lib_unlock();
	*pe = new;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
	struct doca_pe **p;

	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	if (pe->depth) {
		lib_err("a progress engine cannot be destroyed in a callback");
		return DOCA_ERROR_IN_USE;
	}
	if (pe->ctxs || pe->evchs || pe->num_graphs) {
		lib_err("a progress engine is destroyed, but a%s is connected: destroy that first",
			pe->ctxs ? " context" :
			pe->evchs ? "n event channel" : " graph");
		return DOCA_ERROR_IN_USE;
	}
	lib_lock();
	for (p = &all_pes; *p != pe; p = &(*p)->next)
		;
	*p = pe->next;
	lib_unlock();
	close(pe->event_fd);
	close(pe->epoll_fd);
	free(pe->channels);
	free(pe);
	return DOCA_SUCCESS;
}

void lib_pe_forked(void)
{
	struct doca_pe *pe;
	struct doca_ctx *ctx;

	for (pe = all_pes; pe; pe = pe->next) {
		pe->forked = true;
		/* The rings are not mapped here: nothing may be submitted. */
		for (ctx = pe->ctxs; ctx; ctx = ctx->pe_next)
			if (ctx->state != DOCA_CTX_STATE_IDLE)
				ctx->state = DOCA_CTX_STATE_STOPPING;
	}
}

/*
 * What is connected
 */
static void channel_arm(const struct lib_channel *channel)
{
	const struct doca_dev *dev = channel->evch->dev;

	lib_ring_doorbell((volatile uint64_t *)((char *)dev->doorbells +
						DOCA_DB_ARM),
			  channel->cq, channel->ci);
}

doca_error_t lib_pe_add_channel(struct doca_pe *pe, struct lib_channel *channel)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct lib_channel **channels;
	unsigned int max;
	int err;

	if (pe->forked)
		return DOCA_ERROR_NOT_PERMITTED;
	if (pe->num_channels == pe->max_channels) {
		max = lib_max(2 * pe->max_channels, 4U);
		channels = realloc(pe->channels, max * sizeof(*channels));
		if (!channels)
			return DOCA_ERROR_NO_MEMORY;
		pe->channels = channels;
		pe->max_channels = max;
	}
	if (epoll_ctl(pe->epoll_fd, EPOLL_CTL_ADD, channel->fd, &event)) {
		err = errno;
		lib_err("an event channel cannot be added to the notification handle: %s",
			strerror(err));
		return err == ENOMEM ? DOCA_ERROR_NO_MEMORY :
				       DOCA_ERROR_OPERATING_SYSTEM;
	}
	pe->channels[pe->num_channels++] = channel;
	if (pe->armed)
		channel_arm(channel);
	return DOCA_SUCCESS;
}

/* Does nothing for a channel that was removed before. */
void lib_pe_remove_channel(struct doca_pe *pe, struct lib_channel *channel)
{
	unsigned int i;

	for (i = 0; i < pe->num_channels; i++)
		if (pe->channels[i] == channel)
			break;
	if (i == pe->num_channels)
		return;
	pe->channels[i] = pe->channels[--pe->num_channels];
	pe->changed = true;
	/* A child shares the epoll set with its parent. */
	if (!pe->forked)
		epoll_ctl(pe->epoll_fd, EPOLL_CTL_DEL, channel->fd, NULL);
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
	struct doca_pe *pe = ctx->pe;
	struct doca_ctx **p;

	if (!pe)
		return;
	for (p = &pe->ctxs; *p != ctx; p = &(*p)->pe_next)
		;
	*p = ctx->pe_next;
	lib_pe_remove_work(pe, &ctx->work);
	ctx->pe = NULL;
}

void lib_pe_collect(struct doca_pe *pe)
{
	struct doca_ctx *ctx;

	while ((ctx = pe->garbage)) {
		pe->garbage = ctx->pe_next;
		ctx->ops->free(ctx);
	}
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (!pe || !ctx)
		return DOCA_ERROR_INVALID_VALUE;
	lib_owned(&pe->owner, LIB_PE, "doca_pe_connect_ctx()");
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->pe) {
		lib_err("%s context: connected to a progress engine already, for life",
			ctx->ops->name);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (pe->forked)
		return DOCA_ERROR_NOT_PERMITTED;
	lib_pe_add_ctx(pe, ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_connect_event_channel(struct doca_pe *pe,
					   struct doca_event_channel *evch)
{
	struct lib_channel *channel, *done;
	doca_error_t result;
	struct doca_ctx *ctx;

	if (!pe || !evch)
		return DOCA_ERROR_INVALID_VALUE;
	if (evch->pe || pe->forked)
		return DOCA_ERROR_NOT_PERMITTED;
	for (ctx = evch->ctxs; ctx; ctx = ctx->evch_next) {
		if (ctx->pe && ctx->pe != pe) {
			lib_err("a %s context of the event channel is connected to another progress engine",
				ctx->ops->name);
			return DOCA_ERROR_NOT_PERMITTED;
		}
	}
	for (channel = evch->channels; channel; channel = channel->next) {
		result = lib_pe_add_channel(pe, channel);
		if (result == DOCA_SUCCESS)
			continue;
		for (done = evch->channels; done != channel; done = done->next)
			lib_pe_remove_channel(pe, done);
		return result;
	}
	lib_pe_add_evch(pe, evch);
	for (ctx = evch->ctxs; ctx; ctx = ctx->evch_next)
		if (!ctx->pe)
			lib_pe_add_ctx(pe, ctx);
	return DOCA_SUCCESS;
}

/*
 * Progress
 */

/* The device is gone: its contexts report what they have and end. */
static __attribute__((noinline, cold))
void pe_lose(struct doca_pe *pe, struct doca_event_channel *evch)
{
	struct lib_channel *channel;
	struct doca_ctx *ctx;

	lib_err("%s: the device is gone", evch->dev->devinfo.pci_addr);
	evch->lost = true;
	for (channel = evch->channels; channel; channel = channel->next)
		lib_pe_remove_channel(pe, channel);
	for (ctx = evch->ctxs; ctx; ctx = ctx->evch_next)
		lib_ctx_set_lost(ctx);
}

/* What is not done by a completion: stopping, aborting, graphs. */
static __attribute__((noinline, cold))
unsigned int pe_advance(struct doca_pe *pe, unsigned int budget)
{
	unsigned int done = 0, happened = 0, num = 0, n;
	struct lib_work *work;

	/* Work may come and go meanwhile: each turn takes the first. */
	for (work = pe->work; work; work = work->next)
		num++;
	while (num-- && (work = pe->work)) {
		pe->work = work->next;
		work->queued = false;
		n = work->run(work, budget - done);
		happened += n;
		done = lib_min(done + n, budget);
	}
	return happened;
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
	unsigned int done = 0, n = pe->num_channels;
	struct lib_channel *channel;

	lib_use(&pe->owner, LIB_PE, "doca_pe_progress()");
	if (lib_unlikely(pe->depth || pe->forked)) {
		if (pe->depth)
			lib_err("doca_pe_progress() may not be called from a callback");
		return 0;
	}
	lib_pe_enter(pe);
	pe->changed = false;
	for (; n && done < BATCH; n--) {
		if (pe->rotor >= pe->num_channels)
			pe->rotor = 0;
		channel = pe->channels[pe->rotor++];
		if (lib_unlikely(lib_read_once(channel->status->removed)))
			pe_lose(pe, channel->evch);
		else
			done += lib_channel_poll(channel, pe, BATCH - done);
		if (lib_unlikely(pe->changed))
			break;
	}
	if (lib_unlikely(pe->work))
		done += pe_advance(pe, BATCH - done);
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

/*
 * Notification: the event fds of the channels say that a ring has an entry, the
 * PE's own one that something is pending in the library.
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

	if (!pe->armed || pe->signalled || pe->forked)
		return;
	if (write(pe->event_fd, &one, sizeof(one)) == sizeof(one))
		pe->signalled = true;
	else
		lib_err("the notification handle cannot be signalled: %s",
			strerror(errno));
}

void lib_pe_add_work(struct doca_pe *pe, struct lib_work *work)
{
	struct lib_work **p;

	if (work->queued)
		return;
	for (p = &pe->work; *p; p = &(*p)->next)
		;
	*p = work;
	work->next = NULL;
	work->queued = true;
	lib_pe_notify(pe);
}

void lib_pe_remove_work(struct doca_pe *pe, struct lib_work *work)
{
	struct lib_work **p;

	if (!work->queued)
		return;
	for (p = &pe->work; *p != work; p = &(*p)->next)
		;
	*p = work->next;
	work->queued = false;
}

/* Takes the events of @fd. A device that is gone is found in progress. */
static int take_events(int fd)
{
	uint64_t events;

	while (read(fd, &events, sizeof(events)) < 0) {
		if (errno == EAGAIN || errno == ENODEV)
			break;
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe,
					doca_notification_handle_t handle)
{
	unsigned int i;
	int err = 0, e;

	(void)handle;
	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	lib_owned(&pe->owner, LIB_PE, "doca_pe_clear_notification()");
	/* Its events are the parent's. */
	if (pe->forked)
		return DOCA_SUCCESS;
	pe->armed = false;
	for (i = 0; i < pe->num_channels; i++) {
		e = take_events(pe->channels[i]->fd);
		if (e)
			err = e;
	}
	if (pe->signalled) {
		pe->signalled = false;
		e = take_events(pe->event_fd);
		if (e)
			err = e;
	}
	if (err) {
		lib_err("the notification handle cannot be cleared: %s",
			strerror(-err));
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
	doca_error_t result;
	unsigned int i;

	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	lib_owned(&pe->owner, LIB_PE, "doca_pe_request_notification()");
	if (pe->forked)
		return DOCA_ERROR_NOT_PERMITTED;
	if (pe->event_mode == DOCA_PE_EVENT_MODE_PROGRESS_ALL) {
		result = doca_pe_clear_notification(pe, pe->epoll_fd);
		if (result != DOCA_SUCCESS)
			return result;
	}
	pe->armed = true;
	for (i = 0; i < pe->num_channels; i++)
		channel_arm(pe->channels[i]);
	if (!pe->work)
		return DOCA_SUCCESS;
	lib_pe_notify(pe);
	return pe->signalled ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM;
}
