/* SPDX-License-Identifier: MIT */
/**
 * DOCA contexts: the life of an engine object.
 *
 * Each engine object (doca_dma, doca_rdma, ...) is a context: doca_dma_as_ctx() and
 * its like give it. A context is in one of four states:
 *
 *   IDLE --start--> RUNNING --stop--> IDLE			nothing was left to do
 *                   RUNNING --stop--> STOPPING --> IDLE	there were tasks
 *                   RUNNING --a task fails--> STOPPING --> IDLE
 *
 * STARTING is for engines that need time to start; none of ours does.
 *
 * In STOPPING, tasks in flight come back through their callbacks, most of them with an
 * error. The context is IDLE when each task was freed (doca_task_free()), and that is
 * found out in doca_pe_progress(). An IDLE context can be configured anew and started
 * again; it keeps its progress engine.
 *
 * Threads: a context is used by one thread at a time, the one that uses its progress
 * engine.
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_devinfo;
struct doca_dpa;
struct doca_gpu;

/**
 * enum doca_ctx_states - states of a context
 */
enum doca_ctx_states {
	DOCA_CTX_STATE_IDLE = 0,
	DOCA_CTX_STATE_STARTING = 1,
	DOCA_CTX_STATE_RUNNING = 2,
	DOCA_CTX_STATE_STOPPING = 3,
};

/**
 * typedef doca_ctx_state_changed_callback_t - the state has changed
 * @user_data: of the context
 * @ctx: the context, which is in @next_state already
 * @prev_state: state before
 * @next_state: state now
 *
 * Called in doca_ctx_start(), doca_ctx_stop() and doca_pe_progress(). All functions of
 * the context may be called from here; when it is IDLE, the engine object may also be
 * destroyed. doca_pe_progress() may not be called.
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
						  struct doca_ctx *ctx,
						  enum doca_ctx_states prev_state,
						  enum doca_ctx_states next_state);

/**
 * doca_ctx_start - start a context
 * @ctx: the context, IDLE
 *
 * Allocates the tasks that were configured and what the device needs for them. The state
 * callback runs inside, before the return.
 *
 * Return:
 * DOCA_SUCCESS			it is RUNNING
 * DOCA_ERROR_INVALID_VALUE	@ctx is NULL, or no kind of task is configured where
 *				the engine needs one
 * DOCA_ERROR_BAD_STATE		it is not IDLE
 * DOCA_ERROR_NOT_CONNECTED	no progress engine, see doca_pe_connect_ctx() and
 *				doca_pe_connect_event_channel()
 * DOCA_ERROR_NOT_PERMITTED	called in a child of the process that opened the device
 * DOCA_ERROR_NO_MEMORY		out of memory, or over RLIMIT_MEMLOCK
 * DOCA_ERROR_FULL		the device has no free queue or event channel
 * DOCA_ERROR_IO_FAILED		the device is gone
 * DOCA_ERROR_DRIVER		the device refused
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/**
 * doca_ctx_stop - stop a context
 * @ctx: the context
 *
 * Tasks in flight are ended: those that the device has done already are reported as
 * done, the others as failed with DOCA_ERROR_SHUTDOWN, all in later calls of
 * doca_pe_progress(). May be called from callbacks. The call waits until the device has
 * let go of the tasks, but not for callbacks.
 *
 * Return:
 * DOCA_SUCCESS			it is IDLE (also if it was before)
 * DOCA_ERROR_IN_PROGRESS	it is STOPPING; it becomes IDLE in doca_pe_progress() when
 *				all tasks were reported and freed
 * DOCA_ERROR_INVALID_VALUE	@ctx is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/**
 * doca_ctx_get_num_inflight_tasks - tasks that were submitted and not reported yet
 * @ctx: the context
 * @num_inflight_tasks: their number; a task is not counted any more in its callback
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
					     size_t *num_inflight_tasks);

/**
 * doca_ctx_set_user_data - set the user data
 * @ctx: the context, in any state
 * @user_data: given to all callbacks of the context; all zero if never set
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if @ctx is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx,
				    union doca_data user_data);

/**
 * doca_ctx_get_user_data - get the user data
 * @ctx: the context
 * @user_data: filled in
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx,
				    union doca_data *user_data);

/**
 * doca_ctx_set_state_changed_cb - be told when the state changes
 * @ctx: the context, in any state
 * @cb: called after each change; NULL for none
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if @ctx is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
					   doca_ctx_state_changed_callback_t cb);

/**
 * doca_ctx_get_state - get the state
 * @ctx: the context
 * @state: filled in
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx,
				enum doca_ctx_states *state);

/**
 * doca_ctx_flush_tasks - begin what was submitted without a flush
 * @ctx: the context
 *
 * See DOCA_TASK_SUBMIT_FLAG_FLUSH.
 */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * doca_ctx_set_completion_vector - choose the interrupt vector of the notifications
 * @ctx: the context, IDLE
 * @comp_vector: from 0, below the number of doca_ctx_cap_get_num_completion_vectors()
 *
 * Without this call the kernel chooses. Contexts of one device and one vector on the same
 * progress engine share a completion ring.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	@ctx is NULL, or there is no such vector
 * DOCA_ERROR_BAD_STATE		the context is not IDLE, or has an event channel of its own
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx,
					    uint32_t comp_vector);

/**
 * doca_ctx_cap_get_num_completion_vectors - number of interrupt vectors
 * @devinfo: the device
 * @num_comp_vectors: the number, at least 1
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
					uint32_t *num_comp_vectors);

/**
 * doca_ctx_set_datapath_on_gpu - submit and poll on a GPU
 * @ctx: the context
 * @gpu_dev: the GPU
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx,
					  struct doca_gpu *gpu_dev);

/**
 * doca_ctx_set_datapath_on_dpa - submit and poll on the DPU's data path accelerator
 * @ctx: the context
 * @dpa_dev: the accelerator
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx,
					  struct doca_dpa *dpa_dev);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CTX_H_ */
