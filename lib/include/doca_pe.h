/* SPDX-License-Identifier: MIT */
/**
 * DOCA progress engine and tasks.
 *
 * A progress engine (PE) serves contexts: doca_pe_progress() looks for completions and
 * runs callbacks, and never blocks. A context comes to a PE either directly
 * (doca_pe_connect_ctx()) or by its event channel (doca_pe_connect_event_channel()).
 *
 * A task belongs to the application until doca_task_submit() succeeded, and again from
 * the moment its callback is called. In between it may not be changed, freed or submitted
 * again, and its buffers have to stay as they are. Exactly one of its two callbacks is
 * called, in doca_pe_progress().
 *
 * From callbacks, everything may be called but doca_pe_progress(), doca_pe_destroy() and
 * doca_pe_set_event_mode().
 *
 * Threads: a PE, its contexts, their tasks and buffers are used by one thread at a time.
 * Different PEs are independent of each other, also if they serve the same device.
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stdint.h>
#include <stdlib.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_event;
struct doca_event_channel;
struct doca_pe;
struct doca_task;
struct doca_task_batch;

/**
 * enum doca_task_submit_flag - bits for doca_task_submit_ex()
 * @DOCA_TASK_SUBMIT_FLAG_NONE: the device may not see the task before the next one of the
 *	context that is submitted with FLUSH, or doca_ctx_flush_tasks(). Saves a doorbell
 * @DOCA_TASK_SUBMIT_FLAG_FLUSH: begin this task and all that wait in the context
 * @DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS: the task may be reported late, together with
 *	one that lacks the flag. Accepted and without effect
 */
enum doca_task_submit_flag {
	DOCA_TASK_SUBMIT_FLAG_NONE = 0,
	DOCA_TASK_SUBMIT_FLAG_FLUSH = 1 << 0,
	DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 1 << 1,
};

/**
 * enum doca_pe_event_mode - who is served between a notification and the next request
 * @DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE: in the SDK, contexts whose events have fired;
 *	here as well as in the other mode all are served. doca_pe_clear_notification() is
 *	needed after each notification. The default
 * @DOCA_PE_EVENT_MODE_PROGRESS_ALL: all are served; doca_pe_request_notification() also
 *	clears
 */
enum doca_pe_event_mode {
	DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0,
	DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,
};

/**
 * typedef doca_task_completion_cb_t - a task is done, or has failed
 * @task: the task, which is the application's again
 * @task_user_data: of the task
 * @ctx_user_data: of the context
 */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task,
					  union doca_data task_user_data,
					  union doca_data ctx_user_data);

/**
 * doca_pe_create - make a progress engine
 * @pe: the new PE
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	@pe is NULL
 * DOCA_ERROR_NO_MEMORY		out of memory
 * DOCA_ERROR_OPERATING_SYSTEM	no file descriptor to be had; the log has the reason
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * doca_pe_destroy - end a progress engine
 * @pe: the PE
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	@pe is NULL
 * DOCA_ERROR_IN_USE		a context or event channel is connected (both until they are
 *				destroyed), or a callback of the PE is running
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * doca_pe_progress - run the callbacks of what has happened
 * @pe: the PE
 *
 * Reports at most 8 tasks, and whatever follows from them. (The SDK does not say how many
 * tasks one call may report.) What it costs depends on the number of completion rings, of
 * which there is one for each device with contexts on the PE (more only if their tasks
 * do not fit in one), not on the number of contexts.
 *
 * If the device is gone, each task in flight is reported once, with an error, and the
 * contexts stop by themselves.
 *
 * Return: 1 if a callback ran, 0 if nothing has happened
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * doca_pe_get_notification_handle - get the file descriptor for notifications
 * @pe: the PE
 * @handle: readable (EPOLLIN) after doca_pe_request_notification() as soon as
 *	doca_pe_progress() has something to do. Only for epoll, poll and select. The same
 *	for the life of the PE, and closed by it
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
					     doca_notification_handle_t *handle);

/**
 * doca_pe_request_notification - arm the notification handle
 * @pe: the PE
 *
 * If something has happened already and was not reported yet, the handle becomes readable
 * at once: nothing is lost between the last doca_pe_progress() and this call. May be
 * repeated.
 *
 * The loop is: doca_pe_progress() until it gives 0; doca_pe_request_notification(); wait
 * for the handle; doca_pe_clear_notification(); again from the start.
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @pe is NULL;
 * DOCA_ERROR_NOT_PERMITTED in a child of the process that made the PE;
 * DOCA_ERROR_OPERATING_SYSTEM if the kernel refused
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * doca_pe_clear_notification - make the notification handle not readable
 * @pe: the PE
 * @handle: not used; for other systems than Linux
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @pe is NULL;
 * DOCA_ERROR_OPERATING_SYSTEM if the kernel refused
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe,
					doca_notification_handle_t handle);

/**
 * doca_pe_get_num_inflight_tasks - tasks in flight of all contexts of the PE
 * @pe: the PE
 * @num_inflight_tasks: their number
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe,
					    size_t *num_inflight_tasks);

/**
 * doca_pe_set_event_mode - set the event mode
 * @pe: the PE
 * @event_mode: the mode
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @pe is NULL or there is no such mode;
 * DOCA_ERROR_NOT_PERMITTED from a callback
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe,
				    enum doca_pe_event_mode event_mode);

/**
 * doca_pe_connect_ctx - let a PE serve a context
 * @pe: the PE
 * @ctx: the context, IDLE. Stays connected until its engine object is destroyed
 *
 * The context gets a completion ring behind the scenes when it starts, which it may share
 * with others of its device.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_BAD_STATE		the context is not IDLE
 * DOCA_ERROR_NOT_PERMITTED	it is connected already, or called in a child process
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * doca_pe_connect_event_channel - let a PE serve an event channel and its contexts
 * @pe: the PE
 * @evch: the event channel, from doca_rdma_create_event_channel() or its like. Stays
 *	connected until it is destroyed
 *
 * The contexts that report to the channel are connected to the PE by this, and those that
 * come to the channel later, too.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_NOT_PERMITTED	the channel is connected already, one of its contexts is
 *				connected to another PE, or called in a child process
 * DOCA_ERROR_NO_MEMORY		out of memory
 * DOCA_ERROR_OPERATING_SYSTEM	the kernel refused; the log has the reason
 */
DOCA_STABLE
doca_error_t doca_pe_connect_event_channel(struct doca_pe *pe,
					   struct doca_event_channel *evch);

/**
 * doca_event_channel_destroy - end an event channel
 * @evch: the event channel
 *
 * Contexts that report to it are left without: they can be started again only with
 * another channel, or the one that is made behind the scenes.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	@evch is NULL
 * DOCA_ERROR_IN_USE		a context that reports to it is not IDLE
 */
DOCA_STABLE
doca_error_t doca_event_channel_destroy(struct doca_event_channel *evch);

/**
 * typedef doca_event_cb_t - something has come from an event channel
 * @event: what; valid in the callback only
 * @user_data: given with the callback
 *
 * Called in doca_pe_progress(), before the callback of the task that the event is about. The
 * task still belongs to the library: it may be looked at, but not changed, freed or submitted.
 */
typedef void (*doca_event_cb_t)(const struct doca_event *event,
				union doca_data user_data);

/**
 * doca_event_channel_set_event_cb - see each event of a channel
 * @evch: the event channel
 * @cb: called for each task that completes, whatever its context; NULL: nothing is
 * @user_data: for the callback
 *
 * The model document's way to look at what a channel brings to its progress engine: to count
 * it, to log it, or to measure it, in one place for all contexts.
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @evch is NULL
 */
DOCA_STABLE
doca_error_t doca_event_channel_set_event_cb(struct doca_event_channel *evch,
					     doca_event_cb_t cb,
					     union doca_data user_data);

/**
 * doca_event_get_task - the task that has completed
 * @event: the event
 *
 * Return: the task
 */
DOCA_STABLE
struct doca_task *doca_event_get_task(const struct doca_event *event);

/**
 * doca_event_get_status - how it has completed
 * @event: the event
 *
 * Return: what doca_task_get_status() says in the task's callback
 */
DOCA_STABLE
doca_error_t doca_event_get_status(const struct doca_event *event);

/**
 * doca_task_submit - submit a task, and begin it
 * @task: the task
 *
 * The same as doca_task_submit_ex() with DOCA_TASK_SUBMIT_FLAG_FLUSH. No system call, no
 * lock, no allocation. Source and destination are read now: doca_buf_set_data() and the
 * like take effect until here. Output goes behind the data of the destination, and its data
 * length has grown by it when the callback is called.
 *
 * What only the device can find out (lengths, access rights, bounds) is reported by the
 * error callback.
 *
 * Return:
 * DOCA_SUCCESS			the task is the library's until its callback
 * DOCA_ERROR_AGAIN		the queue is full: try again after doca_pe_progress() has
 *				reported a task
 * DOCA_ERROR_BAD_STATE		the context is not RUNNING, or the task is in flight or was
 *				freed
 * DOCA_ERROR_INVALID_VALUE	a buffer is missing, is in a memory map without the device,
 *				or a list has too many elements
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/**
 * doca_task_submit_ex - submit a task
 * @task: the task
 * @flags: enum doca_task_submit_flag
 *
 * Return: as doca_task_submit()
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * doca_task_try_submit - check a task and submit it
 * @task: the task
 *
 * As doca_task_submit(), but what can be seen to fail without the device is refused: no
 * source data, more than the engine's limits, no room in the destination.
 *
 * Return: as doca_task_submit()
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * doca_task_free - give a task back to the pool of its context
 * @task: the task, not in flight. May be called in its callback. A task in flight or freed
 *	already stays as it is, and the log says so
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/**
 * doca_task_get_status - how did the task end?
 * @task: the task
 *
 * Return: DOCA_ERROR_IN_PROGRESS while it is in flight; then DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE	nothing or too much to do, or no room for the output
 * DOCA_ERROR_NOT_PERMITTED	a memory map lacks the access right
 * DOCA_ERROR_NOT_FOUND		the memory is not, or not any more, registered
 * DOCA_ERROR_NOT_CONNECTED	RDMA: doca_rdma_connect() was not called
 * DOCA_ERROR_TIME_OUT		RDMA: the peer does not answer
 * DOCA_ERROR_SHUTDOWN		the context was stopped, or an earlier task failed
 * DOCA_ERROR_IO_FAILED		the bus refused an access, or the device is gone
 * DOCA_ERROR_DRIVER		the device does not know the task
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * doca_task_set_user_data - set the user data
 * @task: the task, not in flight
 * @user_data: given to its callback
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * doca_task_get_user_data - get the user data
 * @task: the task
 *
 * Return: the user data
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * doca_task_get_ctx - which context does the task belong to?
 * @task: the task; may have been freed, as long as the context is not IDLE
 *
 * Return: the context
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/*
 * Batches of tasks and of events. In the SDK only some engines make batches (doca_eth), and
 * none that is here does: no struct doca_task_batch ever exists.
 */
enum doca_task_batch_max_tasks_number {
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3,
};

enum doca_event_batch_events_number {
	DOCA_EVENT_BATCH_EVENTS_NUMBER_1 = 0,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_2 = 1,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_4 = 2,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_8 = 3,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_16 = 4,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_32 = 5,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_64 = 6,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_128 = 7,
};

/**
 * doca_task_batch_submit - begin all tasks of a batch
 * @task_batch: the batch
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * doca_task_batch_try_submit - begin all tasks of a batch, if they are valid
 * @task_batch: the batch
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * doca_task_batch_free - give a batch back; does nothing
 * @task_batch: the batch
 */
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * doca_task_batch_get_status - result of a batch
 * @task_batch: the batch
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * doca_task_batch_set_user_data - what its callback is to get; does nothing
 * @task_batch: the batch
 * @user_data: anything
 */
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch,
				   union doca_data user_data);

/**
 * doca_task_batch_get_user_data - what was set
 * @task_batch: the batch
 *
 * Return: 0
 */
DOCA_EXPERIMENTAL
union doca_data
doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * doca_task_batch_get_ctx - context of a batch
 * @task_batch: the batch
 *
 * Return: NULL
 */
DOCA_EXPERIMENTAL
struct doca_ctx *
doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * doca_task_batch_get_ctx_user_data - user data of its context
 * @task_batch: the batch
 *
 * Return: 0
 */
DOCA_EXPERIMENTAL
union doca_data
doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

/**
 * doca_task_batch_get_tasks_num - tasks in a batch
 * @task_batch: the batch
 *
 * Return: 0
 */
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */
