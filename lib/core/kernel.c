/* SPDX-License-Identifier: MIT */
/*
 * All that the library asks of the kernel.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"

#define LIB_NODES	"/dev/doca"

static int kernel_scan(void (*found)(void *arg, unsigned int n), void *arg)
{
	struct dirent *entry;
	DIR *dir;

	dir = opendir(LIB_NODES);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		unsigned long n;
		char *end;

		errno = 0;
		n = strtoul(entry->d_name, &end, 10);
		if (end != entry->d_name && !*end && !errno && n <= INT32_MAX &&
		    entry->d_name[0] != '-')
			found(arg, n);
	}
	closedir(dir);
	return 0;
}

static int kernel_open(unsigned int n)
{
	char path[sizeof(LIB_NODES) + 16];
	int fd;

	snprintf(path, sizeof(path), LIB_NODES "/%u", n);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void kernel_close(int fd)
{
	close(fd);
}

static int kernel_ioctl(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? -errno : 0;
}

static int kernel_map(int fd, uint64_t key, size_t size, int prot, void **addr)
{
	void *p = mmap(NULL, size, prot, MAP_SHARED, fd, (off_t)key);

	if (p == MAP_FAILED)
		return -errno;
	*addr = p;
	return 0;
}

static void kernel_unmap(void *addr, size_t size)
{
	munmap(addr, size);
}

static const struct lib_kernel_ops kernel_ops = {
	.scan = kernel_scan,
	.open = kernel_open,
	.close = kernel_close,
	.ioctl = kernel_ioctl,
	.map = kernel_map,
	.unmap = kernel_unmap,
};

const struct lib_kernel_ops *lib_kernel = &kernel_ops;

doca_error_t lib_error(int err)
{
	switch (-err) {
	case 0:
		return DOCA_SUCCESS;
	case EINVAL:
	case EFAULT:
	case EOVERFLOW:
	case E2BIG:
		return DOCA_ERROR_INVALID_VALUE;
	case ENOMEM:
	case EDQUOT:
	case EMFILE:
	case ENFILE:
		return DOCA_ERROR_NO_MEMORY;
	case ENOSPC:
		return DOCA_ERROR_FULL;
	case EPERM:
	case EACCES:
		return DOCA_ERROR_NOT_PERMITTED;
	case EOPNOTSUPP:
	case ENOTTY:
		return DOCA_ERROR_NOT_SUPPORTED;
	case ENOENT:
		return DOCA_ERROR_NOT_FOUND;
	case EBUSY:
		return DOCA_ERROR_IN_USE;
	case EEXIST:
		return DOCA_ERROR_ALREADY_EXIST;
	case ENODEV:
	case ENXIO:
		return DOCA_ERROR_IO_FAILED;
	case EIO:
		return DOCA_ERROR_DRIVER;
	default:
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
}

doca_error_t lib_status_error(uint8_t status)
{
	switch (status) {
	case DOCA_CQE_OK:
		return DOCA_SUCCESS;
	case DOCA_CQE_BAD_DESCRIPTOR:
		return DOCA_ERROR_DRIVER;
	case DOCA_CQE_BAD_LENGTH:
		return DOCA_ERROR_INVALID_VALUE;
	case DOCA_CQE_LOCAL_KEY:
	case DOCA_CQE_LOCAL_BOUNDS:
	case DOCA_CQE_REMOTE_KEY:
	case DOCA_CQE_REMOTE_BOUNDS:
		return DOCA_ERROR_NOT_FOUND;
	case DOCA_CQE_LOCAL_ACCESS:
	case DOCA_CQE_REMOTE_ACCESS:
		return DOCA_ERROR_NOT_PERMITTED;
	case DOCA_CQE_NOT_CONNECTED:
		return DOCA_ERROR_NOT_CONNECTED;
	case DOCA_CQE_RETRY_EXCEEDED:
		return DOCA_ERROR_TIME_OUT;
	case DOCA_CQE_FLUSHED:
		return DOCA_ERROR_SHUTDOWN;
	default:
		return DOCA_ERROR_IO_FAILED;
	}
}
