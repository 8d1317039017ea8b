/* SPDX-License-Identifier: MIT */
/**
 * DOCA DMA: the device copies memory.
 *
 * One kind of task: memcpy. It copies the data of the source list behind the data of the
 * destination list.
 *
 *   doca_dma_create(dev, &dma);
 *   doca_dma_task_memcpy_set_conf(dma, done_cb, error_cb, num_tasks);
 *   doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma));
 *   doca_ctx_start(doca_dma_as_ctx(dma));
 *   doca_dma_task_memcpy_alloc_init(dma, src, dst, user_data, &memcpy_task);
 *   doca_task_submit(doca_dma_task_memcpy_as_task(memcpy_task));
 *
 * A task that fails ends the run of its context: see doca_ctx.h.
 *
 * Threads: as for contexts (doca_ctx.h).
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dma;
struct doca_dma_task_memcpy;
struct doca_event_channel;
struct doca_gpu_dma;

/**
 * typedef doca_dma_task_memcpy_completion_cb_t - a memcpy task is done, or has failed
 * @task: the task, which is the application's again
 * @task_user_data: of the task
 * @ctx_user_data: of the context
 */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/**
 * doca_dma_create - make a DMA context
 * @dev: the device
 * @dma: the new object
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_NOT_SUPPORTED	the device cannot copy memory
 * DOCA_ERROR_NO_MEMORY		out of memory
 */
DOCA_STABLE
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/**
 * doca_dma_destroy - end a DMA context
 * @dma: the object, IDLE. May be called in its state callback
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @dma is NULL; DOCA_ERROR_IN_USE if it is
 * not IDLE
 */
DOCA_STABLE
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * doca_dma_as_ctx - the object as a context
 * @dma: the object
 *
 * Return: the context; NULL if @dma is NULL
 */
DOCA_STABLE
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/**
 * doca_dma_create_event_channel - make an event channel for the context
 * @dma: the object, IDLE
 * @evch: the new event channel; see doca_rdma_create_event_channel(), which is the same
 *
 * Return: as doca_rdma_create_event_channel()
 */
DOCA_STABLE
doca_error_t doca_dma_create_event_channel(struct doca_dma *dma,
					   struct doca_event_channel **evch);

/**
 * doca_dma_set_event_channel - let the context report to an event channel
 * @dma: the object, IDLE
 * @evch: event channel of the same device; see doca_rdma_set_event_channel()
 *
 * Return: as doca_rdma_set_event_channel()
 */
DOCA_STABLE
doca_error_t doca_dma_set_event_channel(struct doca_dma *dma,
					struct doca_event_channel *evch);

/**
 * doca_dma_cap_task_memcpy_is_supported - can the device copy memory?
 * @devinfo: the device
 *
 * Return: DOCA_SUCCESS if so, else DOCA_ERROR_NOT_SUPPORTED; DOCA_ERROR_INVALID_VALUE if
 * @devinfo is NULL
 */
DOCA_STABLE
doca_error_t
doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/**
 * doca_dma_cap_task_memcpy_get_max_buf_size - the longest copy
 * @devinfo: the device
 * @buf_size: bytes of one task, all elements of the list together
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_NOT_SUPPORTED if the device cannot copy memory
 */
DOCA_STABLE
doca_error_t
doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
					  uint64_t *buf_size);

/**
 * doca_dma_cap_task_memcpy_get_max_buf_list_len - the longest list
 * @devinfo: the device
 * @max_buf_list_len: elements of the source list, and of the destination list
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_NOT_SUPPORTED if the device cannot copy memory
 */
DOCA_STABLE
doca_error_t
doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
					      uint32_t *max_buf_list_len);

/**
 * doca_dma_cap_get_max_num_tasks - the most tasks
 * @dma: the object
 * @max_num_tasks: tasks that it can have
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma,
					    uint32_t *max_num_tasks);

/**
 * doca_dma_set_ordered_completions - keep the order of submission
 * @dma: the object, in any state
 * @enable: 0 or 1
 *
 * Tasks of one context complete in the order of their submission anyway.
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @dma is NULL or @enable above 1
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t enable);

/**
 * doca_dma_task_memcpy_set_conf - enable memcpy tasks
 * @dma: the object, IDLE
 * @task_completion_cb: called when a task is done
 * @task_error_cb: called when a task has failed
 * @num_memcpy_tasks: how many tasks there shall be, from 1 to
 *	doca_dma_cap_get_max_num_tasks()
 *
 * All of them can be in flight at the same time if each has at most two buffers in both lists
 * together; with more, a submit may give DOCA_ERROR_AGAIN.
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if a pointer is NULL or the number out of its
 * range; DOCA_ERROR_BAD_STATE if the context is not IDLE
 */
DOCA_STABLE
doca_error_t
doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
			      doca_dma_task_memcpy_completion_cb_t task_completion_cb,
			      doca_dma_task_memcpy_completion_cb_t task_error_cb,
			      uint32_t num_memcpy_tasks);

/**
 * doca_dma_task_memcpy_alloc_init - get a task from the pool
 * @dma: the object, RUNNING
 * @src: source: a buffer or the first of a list
 * @dst: destination: a buffer or the first of a list
 * @user_data: given to the callback
 * @task: the task, the application's until it is submitted
 *
 * No reference of the buffers is taken; they have to stay until the task is freed or gets other
 * ones.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	a pointer is NULL, or the device does not belong to the memory
 *				map of a buffer
 * DOCA_ERROR_BAD_STATE		the context is not RUNNING
 * DOCA_ERROR_NO_MEMORY		all tasks are in use
 */
DOCA_STABLE
doca_error_t
doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
				struct doca_buf *dst, union doca_data user_data,
				struct doca_dma_task_memcpy **task);

/**
 * doca_dma_task_memcpy_as_task - the task as one for doca_task_submit() and the like
 * @task: the task
 *
 * Return: the same task
 */
DOCA_STABLE
struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/**
 * doca_dma_task_memcpy_set_src - change the source
 * @task: the task, not in flight
 * @src: a buffer or the first of a list. If it cannot be used, submitting gives
 *	DOCA_ERROR_INVALID_VALUE
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task,
				  const struct doca_buf *src);

/**
 * doca_dma_task_memcpy_get_src - get the source
 * @task: the task
 *
 * Return: the source
 */
DOCA_STABLE
const struct doca_buf *
doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task);

/**
 * doca_dma_task_memcpy_set_dst - change the destination
 * @task: the task, not in flight
 * @dst: a buffer or the first of a list. If it cannot be used, submitting gives
 *	DOCA_ERROR_INVALID_VALUE
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task,
				  struct doca_buf *dst);

/**
 * doca_dma_task_memcpy_get_dst - get the destination
 * @task: the task
 *
 * Return: the destination
 */
DOCA_STABLE
struct doca_buf *
doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/**
 * doca_dma_get_gpu_handle - for the data path on a GPU
 * @dma: the object
 * @gpu_dma: not written
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma,
				     struct doca_gpu_dma **gpu_dma);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */
