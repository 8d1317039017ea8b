/* SPDX-License-Identifier: MIT */
/*
 * DMA: copies in the memory that this process has registered.
 */
#include <stdlib.h>

#include <doca_dma.h>

#include "core.h"

#define TYPE_MEMCPY	0

struct doca_dma {
	struct doca_ctx ctx;
	struct lib_queue *queue;
};

struct doca_dma_task_memcpy {
	struct doca_task task;
};

static doca_error_t dma_start(struct doca_ctx *ctx)
{
	struct doca_dma *dma = lib_container_of(ctx, struct doca_dma, ctx);

	if (!ctx->num_tasks) {
		lib_err("no DMA tasks are configured: see doca_dma_task_memcpy_set_conf()");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return lib_ctx_add_queue(ctx, ctx->num_tasks, &dma->queue);
}

static void dma_free(struct doca_ctx *ctx)
{
	free(lib_container_of(ctx, struct doca_dma, ctx));
}

static const struct lib_ctx_ops dma_ops = {
	.name = "DMA",
	.engine = DOCA_ENGINE_DMA,
	.num_types = 1,
	.task_size = sizeof(struct doca_dma_task_memcpy),
	.opcodes = { [TYPE_MEMCPY] = DOCA_DMA_OP_MEMCPY },
	.start = dma_start,
	.free = dma_free,
};

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
	doca_error_t result;
	struct doca_dma *d;

	if (!dev || !dma)
		return DOCA_ERROR_INVALID_VALUE;
	d = calloc(1, sizeof(*d));
	if (!d)
		return DOCA_ERROR_NO_MEMORY;
	result = lib_ctx_init(&d->ctx, dev, &dma_ops);
	if (result != DOCA_SUCCESS) {
		free(d);
		return result;
	}
	*dma = d;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
	if (!dma)
		return DOCA_ERROR_INVALID_VALUE;
	return lib_ctx_destroy(&dma->ctx, DOCA_ERROR_IN_USE);
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
	return dma ? &dma->ctx : NULL;
}

doca_error_t doca_dma_create_event_channel(struct doca_dma *dma,
					   struct doca_event_channel **evch)
{
	return lib_ctx_create_event_channel(doca_dma_as_ctx(dma), evch);
}

doca_error_t doca_dma_set_event_channel(struct doca_dma *dma,
					struct doca_event_channel *evch)
{
	return lib_ctx_set_event_channel(doca_dma_as_ctx(dma), evch);
}

doca_error_t
doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
	const struct doca_engine_info *engine;

	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	engine = lib_devinfo_engine(devinfo, DOCA_ENGINE_DMA);
	return engine && engine->out_opcodes & 1U << DOCA_DMA_OP_MEMCPY ?
	       DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
					  uint64_t *buf_size)
{
	doca_error_t result = doca_dma_cap_task_memcpy_is_supported(devinfo);

	if (!buf_size)
		return DOCA_ERROR_INVALID_VALUE;
	if (result == DOCA_SUCCESS)
		*buf_size = devinfo->engines[DOCA_ENGINE_DMA].out_max_transfer;
	return result;
}

doca_error_t
doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
					      uint32_t *max_buf_list_len)
{
	doca_error_t result = doca_dma_cap_task_memcpy_is_supported(devinfo);

	if (!max_buf_list_len)
		return DOCA_ERROR_INVALID_VALUE;
	if (result == DOCA_SUCCESS)
		*max_buf_list_len =
			devinfo->engines[DOCA_ENGINE_DMA].out_max_list_len;
	return result;
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma,
					    uint32_t *max_num_tasks)
{
	if (!dma || !max_num_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_tasks = lib_ctx_max_tasks(&dma->ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma,
					      uint8_t enable)
{
	/* One queue, and a queue completes in order: it is so in any case. */
	(void)enable;
	return dma ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t
doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
			      doca_dma_task_memcpy_completion_cb_t task_completion_cb,
			      doca_dma_task_memcpy_completion_cb_t task_error_cb,
			      uint32_t num_memcpy_tasks)
{
	if (!dma)
		return DOCA_ERROR_INVALID_VALUE;
	return lib_ctx_set_task_conf(&dma->ctx, TYPE_MEMCPY,
				     (lib_task_cb)(void (*)(void))task_completion_cb,
				     (lib_task_cb)(void (*)(void))task_error_cb,
				     num_memcpy_tasks);
}

doca_error_t
doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
				struct doca_buf *dst, union doca_data user_data,
				struct doca_dma_task_memcpy **task)
{
	doca_error_t result;
	struct doca_task *t;

	if (!dma || !src || !dst || !task)
		return DOCA_ERROR_INVALID_VALUE;
	result = lib_task_alloc(&dma->ctx, TYPE_MEMCPY, user_data, &t);
	if (result != DOCA_SUCCESS)
		return result;
	t->queue = dma->queue;
	lib_task_set_bufs(t, src, dst);
	if (t->state != LIB_TASK_READY) {
		doca_task_free(t);
		lib_err("a buffer lies in a memory map that %s does not belong to, or a list has more than %u elements",
			dma->ctx.dev->devinfo.pci_addr, dma->ctx.max_list_len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*task = lib_container_of(t, struct doca_dma_task_memcpy, task);
	return DOCA_SUCCESS;
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
	return task ? &task->task : NULL;
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task,
				  const struct doca_buf *src)
{
	if (task)
		lib_task_set_bufs(&task->task, src, task->task.dst);
}

const struct doca_buf *
doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
	return task ? task->task.src : NULL;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task,
				  struct doca_buf *dst)
{
	if (task)
		lib_task_set_bufs(&task->task, task->task.src, dst);
}

struct doca_buf *
doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
	return task ? task->task.dst : NULL;
}

doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma,
				     struct doca_gpu_dma **gpu_dma)
{
	return dma && gpu_dma ? DOCA_ERROR_NOT_SUPPORTED :
				DOCA_ERROR_INVALID_VALUE;
}
