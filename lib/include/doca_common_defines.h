/* SPDX-License-Identifier: MIT */
/* Small macros for every header. */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

#define doca_likely(x)			__builtin_expect(!!(x), 1)
#define doca_unlikely(x)		__builtin_expect(!!(x), 0)

#endif /* DOCA_COMMON_DEFINES_H_ */
