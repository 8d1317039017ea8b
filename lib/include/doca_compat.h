/* SPDX-License-Identifier: MIT */
/*
 * Marks of the public functions.
 *
 * DOCA_STABLE		exported; the interface stays as it is
 * DOCA_EXPERIMENTAL	exported; the interface may change. Using it gives a
 *			compiler warning unless DOCA_ALLOW_EXPERIMENTAL_API is
 *			defined before the first include
 * DOCA_DEPRECATED	exported; will go. Warns unless
 *			DOCA_ALLOW_DEPRECATED_API is defined
 *
 * SDK behaviour. Which function carries which mark is the SDK's choice too.
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <doca_config.h>

#define DOCA_EXPORT_			__attribute__((visibility("default"), used))

#ifndef DOCA_STABLE
#define DOCA_STABLE			DOCA_EXPORT_
#endif

#ifndef DOCA_EXPERIMENTAL
#ifdef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL		DOCA_EXPORT_
#else
#define DOCA_EXPERIMENTAL						\
	__attribute__((visibility("default"), used,			\
		       deprecated("experimental: define DOCA_ALLOW_EXPERIMENTAL_API to use it")))
#endif
#endif

#ifndef DOCA_DEPRECATED
#ifdef DOCA_ALLOW_DEPRECATED_API
#define DOCA_DEPRECATED			DOCA_EXPORT_
#else
#define DOCA_DEPRECATED							\
	__attribute__((visibility("default"), used,			\
		       deprecated("define DOCA_ALLOW_DEPRECATED_API to use it")))
#endif
#endif

#ifdef DOCA_COMPAT_HELPERS
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <doca_version.h>
#endif

#endif /* DOCA_COMPAT_H_ */
