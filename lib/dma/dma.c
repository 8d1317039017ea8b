// SPDX-License-Identifier: MIT
/* DMA contexts: memory copies, all on one queue. */
#include <stdlib.h>

#include <doca_dma.h>

#include "core.h"

enum {
	TASK_MEMCPY,
	NUM_TASK_TYPES,
};

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
		lib_err("DMA context: no kind of task is configured");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return lib_ctx_add_queue(ctx, ctx->num_tasks, &dma->queue);
}

static void dma_stopped(struct doca_ctx *ctx)
{
	lib_container_of(ctx, struct doca_dma, ctx)->queue = NULL;
}

static void dma_free(struct doca_ctx *ctx)
{
	free(lib_container_of(ctx, struct doca_dma, ctx));
}

static const struct lib_ctx_ops dma_ops = {
	.name = "DMA",
	.engine = DOCA_ENGINE_DMA,
	.num_types = NUM_TASK_TYPES,
	.task_size = sizeof(struct doca_dma_task_memcpy),
	.opcodes = { [TASK_MEMCPY] = DOCA_DMA_OP_MEMCPY },
	.start = dma_start,
	.stopped = dma_stopped,
	.free = dma_free,
};

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
	struct doca_dma *new;
	doca_error_t result;

	if (!dev || !dma)
		return DOCA_ERROR_INVALID_VALUE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	result = lib_ctx_init(&new->ctx, dev, &dma_ops);
	if (result != DOCA_SUCCESS) {
		free(new);
		return result;
	}
	*dma = new;
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

static const struct doca_engine_info *
memcpy_engine(const struct doca_devinfo *devinfo)
{
	const struct doca_engine_info *engine;

	engine = lib_devinfo_engine(devinfo, DOCA_ENGINE_DMA);
	if (!engine || !(engine->out_opcodes & 1U << DOCA_DMA_OP_MEMCPY))
		return NULL;
	return engine;
}

doca_error_t
doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return memcpy_engine(devinfo) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
					  uint64_t *buf_size)
{
	const struct doca_engine_info *engine;

	if (!devinfo || !buf_size)
		return DOCA_ERROR_INVALID_VALUE;
	engine = memcpy_engine(devinfo);
	if (!engine)
		return DOCA_ERROR_NOT_SUPPORTED;
	*buf_size = engine->out_max_transfer;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
					      uint32_t *max_buf_list_len)
{
	const struct doca_engine_info *engine;

	if (!devinfo || !max_buf_list_len)
		return DOCA_ERROR_INVALID_VALUE;
	engine = memcpy_engine(devinfo);
	if (!engine)
		return DOCA_ERROR_NOT_SUPPORTED;
	*max_buf_list_len = engine->out_max_list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma,
					    uint32_t *max_num_tasks)
{
	if (!dma || !max_num_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_tasks = lib_ctx_max_tasks(&dma->ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t enable)
{
	if (!dma || enable > 1)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
			      doca_dma_task_memcpy_completion_cb_t task_completion_cb,
			      doca_dma_task_memcpy_completion_cb_t task_error_cb,
			      uint32_t num_memcpy_tasks)
{
	/* The task is the first member of the memcpy task: the same pointer. */
	return lib_ctx_set_task_conf(doca_dma_as_ctx(dma), TASK_MEMCPY,
				     (lib_task_cb)(void *)task_completion_cb,
				     (lib_task_cb)(void *)task_error_cb,
				     num_memcpy_tasks);
}

doca_error_t
doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
				struct doca_buf *dst, union doca_data user_data,
				struct doca_dma_task_memcpy **task)
{
	struct doca_task *new;
	doca_error_t result;

	if (!dma || !src || !dst || !task)
		return DOCA_ERROR_INVALID_VALUE;
	result = lib_task_alloc(&dma->ctx, TASK_MEMCPY, user_data, &new);
	if (result != DOCA_SUCCESS)
		return result;
	lib_task_set_queue(new, dma->queue);
	lib_task_set_bufs(new, src, dst);
	if (new->state != LIB_TASK_READY) {
		lib_err("DMA task: a buffer is in a memory map without the context's device");
		doca_task_free(new);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*task = lib_container_of(new, struct doca_dma_task_memcpy, task);
	return DOCA_SUCCESS;
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
	return &task->task;
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task,
				  const struct doca_buf *src)
{
	lib_task_set_bufs(&task->task, src, task->task.dst);
}

const struct doca_buf *
doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
	return task->task.src;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task,
				  struct doca_buf *dst)
{
	lib_task_set_bufs(&task->task, task->task.src, dst);
}

struct doca_buf *
doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
	return task->task.dst;
}

doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma,
				     struct doca_gpu_dma **gpu_dma)
{
	if (!dma || !gpu_dma)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_SUPPORTED;
}
