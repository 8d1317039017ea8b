// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded, it makes doca.ko look like one of another ABI version.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <linux/doca.h>

int ioctl(int fd, unsigned long cmd, ...)
{
	int (*real)(int fd, unsigned long cmd, void *arg) = dlsym(RTLD_NEXT, "ioctl");
	va_list args;
	void *arg;
	int ret;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	ret = real(fd, cmd, arg);
	if (!ret && cmd == DOCA_IOCTL_DEVICE_INFO)
		((struct doca_device_info *)arg)->out_abi_version = 4711;
	return ret;
}
