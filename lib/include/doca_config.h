/* SPDX-License-Identifier: MIT */
/* Build-time settings that every header sees. */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

/* doca_compat.h brings in the common C headers and doca_version.h. */
#ifndef DOCA_COMPAT_HELPERS
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
