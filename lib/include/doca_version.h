/* SPDX-License-Identifier: MIT */
/*
 * Version of the programming interface.
 *
 * The numbers say which version of the SDK's interface these headers follow,
 * so that programs that ask for it compile alike. They are not the version of
 * this implementation, which is that of the shared object's file name.
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#include <doca_compat.h>

#define DOCA_VERSION_MAJOR		3
#define DOCA_VERSION_MINOR		0
#define DOCA_VERSION_PATCH		58
#define DOCA_VERSION_STRING		"3.0.0058"

/* One comparable number per version; SDK behaviour. */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch)			\
	((size_t)(((size_t)(major) << 24) | ((size_t)(minor) << 16) |	\
		  (size_t)(patch)))
/* Of a release, which counts its patches in thousands. */
#define DOCA_VERSION_CALC(major, minor, patch)				\
	((size_t)(((size_t)(major) << 24) | ((size_t)(minor) << 16) |	\
		  ((size_t)(patch) * 1000)))

#define DOCA_VERSION_EXACT						\
	DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR,	\
				DOCA_VERSION_PATCH)
#define DOCA_VERSION_OFFICIAL						\
	DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR,	\
			  DOCA_VERSION_PATCH / 1000)

/* Is the given release the current one; not later than the current one. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch)			\
	(DOCA_VERSION_CALC(major, minor, patch) == DOCA_VERSION_OFFICIAL)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch)			\
	(DOCA_VERSION_CALC(major, minor, patch) <= DOCA_VERSION_OFFICIAL)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * doca_version_runtime() - version of the library that the program runs with
 *
 * Any thread. SDK behaviour.
 *
 * Return: a constant string such as "3.0.0058".
 */
DOCA_EXPERIMENTAL
const char *doca_version_runtime(void);

/**
 * doca_version() - version of the headers that the program was compiled with
 *
 * Any thread. SDK behaviour.
 *
 * Return: a constant string such as "3.0.0058".
 */
static inline const char *doca_version(void)
{
	return DOCA_VERSION_STRING;
}

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
