// SPDX-License-Identifier: MIT
/* Cache advice: devices and processors are coherent, so that there is none to give. */
#include <doca_mmap_advise.h>

#include "core.h"

doca_error_t doca_mmap_advise_create(struct doca_dev *dev,
				     struct doca_mmap_advise **mmap_advise)
{
	if (!dev || !mmap_advise)
		return DOCA_ERROR_INVALID_VALUE;
	lib_err("%s: no cache to invalidate: it is coherent with the processors",
		dev->devinfo.pci_addr);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise)
{
	(void)mmap_advise;
	return DOCA_ERROR_INVALID_VALUE;
}

struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise)
{
	(void)mmap_advise;
	return NULL;
}

doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
							uint64_t *buf_size)
{
	return devinfo && buf_size ? DOCA_ERROR_NOT_SUPPORTED :
				     DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
	struct doca_mmap_advise *mmap_advise,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb,
	uint32_t num_tasks)
{
	(void)mmap_advise, (void)completion_cb, (void)error_cb, (void)num_tasks;
	return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
	struct doca_mmap_advise *mmap_advise, struct doca_buf *buf,
	union doca_data user_data,
	struct doca_mmap_advise_task_invalidate_cache **task)
{
	(void)mmap_advise, (void)buf, (void)user_data, (void)task;
	return DOCA_ERROR_INVALID_VALUE;
}

struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
	struct doca_mmap_advise_task_invalidate_cache *task)
{
	(void)task;
	return NULL;
}

void doca_mmap_advise_task_invalidate_cache_set_buf(
	struct doca_mmap_advise_task_invalidate_cache *task,
	struct doca_buf *buf)
{
	(void)task, (void)buf;
}

struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
	const struct doca_mmap_advise_task_invalidate_cache *task)
{
	(void)task;
	return NULL;
}
