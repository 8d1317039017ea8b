/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the selftests of libdoca. */
#ifndef _LIB_UTILS_H
#define _LIB_UTILS_H

#define DOCA_ALLOW_EXPERIMENTAL_API
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_version.h>

#include "doca_utils.h"

/* Says what came instead, by name. */
#define EXPECT_DOCA(expected, call) do {					\
	doca_error_t __got = (call);						\
	EXPECT_EQ((int)(expected), (int)__got)					\
		TH_LOG("%s: %s", #call, doca_error_get_name(__got));		\
} while (0)

#define ASSERT_DOCA(expected, call) do {					\
	doca_error_t __got = (call);						\
	ASSERT_EQ((int)(expected), (int)__got)					\
		TH_LOG("%s: %s", #call, doca_error_get_name(__got));		\
} while (0)

#define EXPECT_OK(call)		EXPECT_DOCA(DOCA_SUCCESS, call)
#define ASSERT_OK(call)		ASSERT_DOCA(DOCA_SUCCESS, call)

/*
 * Opens the n-th device. Each test compares /proc/self/maps before and after
 * with EXPECT_BASELINE(): what the library maps it unmaps, as a whole (B59).
 */
static inline doca_error_t open_device(unsigned int n, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	doca_error_t err;
	uint32_t num;

	err = doca_devinfo_create_list(&list, &num);
	if (err != DOCA_SUCCESS)
		return err;
	err = n < num ? doca_dev_open(list[n], dev) : DOCA_ERROR_NOT_FOUND;
	doca_devinfo_destroy_list(list);
	return err;
}

/* A started map of this memory for one device. */
static inline doca_error_t map_memory(struct doca_dev *dev, void *addr, size_t len,
				      uint32_t access, struct doca_mmap **mmap)
{
	doca_error_t err = doca_mmap_create(mmap);

	if (err != DOCA_SUCCESS)
		return err;
	err = doca_mmap_add_dev(*mmap, dev);
	if (err == DOCA_SUCCESS)
		err = doca_mmap_set_permissions(*mmap, access);
	if (err == DOCA_SUCCESS)
		err = doca_mmap_set_memrange(*mmap, addr, len);
	if (err == DOCA_SUCCESS)
		err = doca_mmap_start(*mmap);
	if (err != DOCA_SUCCESS)
		doca_mmap_destroy(*mmap);
	return err;
}

/* Progress until @condition holds; false after WAIT_MS. */
#define PROGRESS_UNTIL(pe, condition) ({					\
	uint64_t __end = now_ms() + WAIT_MS;					\
	bool __ok;								\
										\
	while (!(__ok = !!(condition)) && now_ms() < __end)			\
		if (!doca_pe_progress(pe))					\
			sched_yield();						\
	__ok;									\
})

#endif /* _LIB_UTILS_H */
