/* SPDX-License-Identifier: MIT */
/**
 * DOCA buffer arrays: bufs for a GPU or for the DPU's data path accelerator (DPA).
 *
 * These devices have no DPA, and know no GPU: an array can be made and described, but has no
 * target, so that it never starts. The functions are here for programs that can do without.
 *
 * Threads: an array belongs to one thread at a time.
 *
 * SDK behaviour for a device without these features.
 */
#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_arr;
struct doca_dpa;
struct doca_gpu;
struct doca_gpu_buf_arr;
struct doca_mmap;

typedef uint64_t doca_dpa_dev_buf_arr_t;

/**
 * doca_buf_arr_create - make an array
 * @num_elem: number of bufs, not 0
 * @buf_arr: the new array
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL or 0;
 * DOCA_ERROR_NO_MEMORY
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);

/**
 * doca_buf_arr_set_target_gpu - for a GPU
 * @buf_arr: the array
 * @gpu_handler: the GPU
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED; DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
					 struct doca_gpu *gpu_handler);

/**
 * doca_buf_arr_set_target_dpa - for a DPA
 * @buf_arr: the array
 * @dpa_handler: the DPA
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED; DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr,
					 struct doca_dpa *dpa_handler);

/**
 * doca_buf_arr_set_params - what the bufs lie in
 * @buf_arr: the array
 * @mmap: memory map
 * @elem_size: bytes of each buf, not 0
 * @start_offset: bytes from the start of the map to the first
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL, @elem_size is 0, or
 * the sizes overflow
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr,
				     struct doca_mmap *mmap, size_t elem_size,
				     uint64_t start_offset);

/**
 * doca_buf_arr_start - make the bufs
 * @buf_arr: the array
 *
 * Return: DOCA_ERROR_BAD_STATE: there is no target; DOCA_ERROR_INVALID_VALUE if @buf_arr is
 * NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * doca_buf_arr_stop - end the bufs
 * @buf_arr: the array; nothing happens if it is not started
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @buf_arr is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * doca_buf_arr_destroy - end an array
 * @buf_arr: the array
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @buf_arr is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * doca_buf_arr_get_gpu_handle - the array as the GPU knows it
 * @buf_arr: the array
 * @gpu_buf_arr: not written
 *
 * Return: DOCA_ERROR_BAD_STATE: it is not started; DOCA_ERROR_INVALID_VALUE if an argument is
 * NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
					 struct doca_gpu_buf_arr **gpu_buf_arr);

/**
 * doca_buf_arr_get_dpa_handle - the array as the DPA knows it
 * @buf_arr: the array
 * @dpa_buf_arr: not written
 *
 * Return: as doca_buf_arr_get_gpu_handle()
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
					 doca_dpa_dev_buf_arr_t *dpa_buf_arr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_ARRAY_H_ */
