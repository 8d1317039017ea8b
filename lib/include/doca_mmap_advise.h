/* SPDX-License-Identifier: MIT */
/**
 * DOCA memory map advise: what caches shall know of memory that a device has written.
 *
 * In the SDK a feature of the DPU's own Arm cores, whose caches a device's accesses may pass by.
 * doca.ko runs only where devices and processors are coherent, so that there is nothing to
 * invalidate, and no device has the capability. The functions are here for programs that ask for
 * it first, as they have to.
 *
 * SDK behaviour for a device without this feature.
 */
#ifndef DOCA_MMAP_ADVISE_H_
#define DOCA_MMAP_ADVISE_H_

#include <stddef.h>
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
struct doca_mmap_advise;
struct doca_mmap_advise_task_invalidate_cache;

typedef void (*doca_mmap_advise_task_invalidate_cache_completion_cb_t)(
	struct doca_mmap_advise_task_invalidate_cache *task,
	union doca_data task_user_data, union doca_data ctx_user_data);

/**
 * doca_mmap_advise_create - make a context
 * @dev: the device
 * @mmap_advise: not written
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED; DOCA_ERROR_INVALID_VALUE if an argument is NULL. There are
 * therefore no contexts and no tasks that the functions below could be called with
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_create(struct doca_dev *dev,
				     struct doca_mmap_advise **mmap_advise);

/** doca_mmap_advise_destroy - Return: DOCA_ERROR_INVALID_VALUE: there is no such object */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);

/** doca_mmap_advise_as_ctx - Return: NULL */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/**
 * doca_mmap_advise_cap_task_cache_invalidate_is_supported - is there the feature?
 * @devinfo: the device
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED; DOCA_ERROR_INVALID_VALUE if @devinfo is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);

/**
 * doca_mmap_advise_task_cache_invalidate_get_max_buf_size - largest buffer
 * @devinfo: the device
 * @buf_size: not written
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED; DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
							uint64_t *buf_size);

/** Return: DOCA_ERROR_INVALID_VALUE: there is no such object */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
	struct doca_mmap_advise *mmap_advise,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb,
	uint32_t num_tasks);

/** Return: DOCA_ERROR_INVALID_VALUE: there is no such object */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
	struct doca_mmap_advise *mmap_advise, struct doca_buf *buf,
	union doca_data user_data,
	struct doca_mmap_advise_task_invalidate_cache **task);

/** Return: NULL */
DOCA_EXPERIMENTAL
struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
	struct doca_mmap_advise_task_invalidate_cache *task);

/** Does nothing. */
DOCA_EXPERIMENTAL
void doca_mmap_advise_task_invalidate_cache_set_buf(
	struct doca_mmap_advise_task_invalidate_cache *task,
	struct doca_buf *buf);

/** Return: NULL */
DOCA_EXPERIMENTAL
struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
	const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_ADVISE_H_ */
