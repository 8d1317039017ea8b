// SPDX-License-Identifier: MIT
/* Buffer arrays: for processors that the devices do not have. */
#include <stdlib.h>

#include <doca_buf_array.h>

#include "core.h"

struct doca_buf_arr {
	size_t num_elem;
};

doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
{
	struct doca_buf_arr *new;

	if (!num_elem || !buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->num_elem = num_elem;
	*buf_arr = new;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
					 struct doca_gpu *gpu_handler)
{
	if (!buf_arr || !gpu_handler)
		return DOCA_ERROR_INVALID_VALUE;
	lib_err("buffer array: the devices know no GPU");
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr,
					 struct doca_dpa *dpa_handler)
{
	if (!buf_arr || !dpa_handler)
		return DOCA_ERROR_INVALID_VALUE;
	lib_err("buffer array: the devices have no DPA");
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr,
				     struct doca_mmap *mmap, size_t elem_size,
				     uint64_t start_offset)
{
	uint64_t end;

	if (!buf_arr || !mmap || !elem_size ||
	    __builtin_mul_overflow(buf_arr->num_elem, elem_size, &end) ||
	    __builtin_add_overflow(end, start_offset, &end))
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
	if (!buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	lib_err("buffer array: started without a target");
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
	return buf_arr ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr)
{
	if (!buf_arr)
		return DOCA_ERROR_INVALID_VALUE;
	free(buf_arr);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
					 struct doca_gpu_buf_arr **gpu_buf_arr)
{
	return buf_arr && gpu_buf_arr ? DOCA_ERROR_BAD_STATE :
					DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
					 doca_dpa_dev_buf_arr_t *dpa_buf_arr)
{
	return buf_arr && dpa_buf_arr ? DOCA_ERROR_BAD_STATE :
					DOCA_ERROR_INVALID_VALUE;
}
