// SPDX-License-Identifier: MIT
/* Batches of tasks: no engine makes one, so that there is nothing to do. */
#include <doca_pe.h>

#include "core.h"

static doca_error_t no_batch(void)
{
	lib_err("task batch: no engine has batches");
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return no_batch();
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return no_batch();
}

void doca_task_batch_free(struct doca_task_batch *task_batch)
{
	(void)task_batch;
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return no_batch();
}

void doca_task_batch_set_user_data(struct doca_task_batch *task_batch,
				   union doca_data user_data)
{
	(void)task_batch, (void)user_data;
}

union doca_data
doca_task_batch_get_user_data(const struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return (union doca_data){ .u64 = 0 };
}

struct doca_ctx *
doca_task_batch_get_ctx(const struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return NULL;
}

union doca_data
doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return (union doca_data){ .u64 = 0 };
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return 0;
}
