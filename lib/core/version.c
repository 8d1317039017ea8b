// SPDX-License-Identifier: MIT
/* The version that a program runs with. */
#include <doca_version.h>

const char *doca_version_runtime(void)
{
	return DOCA_VERSION_STRING;
}
