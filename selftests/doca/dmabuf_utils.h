/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dmabufs of other drivers: vgem (a virtual GPU, by PRIME) and udmabuf (a memfd), where the
 * kernel has them; and regions of dmabufs.
 */
#ifndef DMABUF_UTILS_H
#define DMABUF_UTILS_H

#include <linux/udmabuf.h>

#include "doca_utils.h"

/* Of drm/drm.h and drm/drm_mode.h, which not every machine has. */
struct create_dumb {
	__u32 height, width, bpp, flags;
	__u32 handle, pitch;
	__u64 size;
};

struct prime_handle {
	__u32 handle, flags;
	__s32 fd;
};

#define CREATE_DUMB		_IOWR('d', 0xb2, struct create_dumb)
#define PRIME_HANDLE_TO_FD	_IOWR('d', 0x2d, struct prime_handle)

/* The node of vgem; -1 without. */
static inline int open_vgem(void)
{
	char path[64], name[16] = "";
	struct {
		int major, minor, patch;
		size_t name_len;
		char *name;
		size_t date_len;
		char *date;
		size_t desc_len;
		char *desc;
	} version;
	int i, fd;

	if (system("modprobe -q vgem"))
		return -1;
	for (i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		memset(&version, 0, sizeof(version));
		version.name = name;
		version.name_len = sizeof(name) - 1;
		/* DRM_IOCTL_VERSION */
		if (!ioctl(fd, _IOWR('d', 0x00, version), &version) && !strcmp(name, "vgem"))
			return fd;
		close(fd);
	}
	return -1;
}

static inline int vgem_dmabuf(int card, size_t size, bool writable)
{
	struct create_dumb dumb = { .height = size / 4096, .width = 1024, .bpp = 32 };
	struct prime_handle prime = { .flags = O_CLOEXEC | (writable ? O_RDWR : 0) };

	if (ioctl(card, CREATE_DUMB, &dumb))
		return -errno;
	prime.handle = dumb.handle;
	if (ioctl(card, PRIME_HANDLE_TO_FD, &prime))
		return -errno;
	return prime.fd;
}

static inline int udmabuf_dmabuf(int memfd, size_t offset, size_t size)
{
	struct udmabuf_create create = {
		.memfd = memfd,
		.flags = UDMABUF_FLAGS_CLOEXEC,
		.offset = offset,
		.size = size,
	};
	int dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), fd;

	if (dev < 0)
		return -errno;
	fd = ioctl(dev, UDMABUF_CREATE, &create);
	if (fd < 0)
		fd = -errno;
	close(dev);
	return fd;
}

static inline int dmabuf_region(struct dom *dom, struct region *region, int fd, __u64 addr,
			 __u64 offset, __u64 length, __u32 access)
{
	struct doca_region_create arg = {
		.size = sizeof(arg),
		.flags = DOCA_REGION_DMABUF,
		.access = access,
		.addr = addr,
		.length = length,
		.dmabuf_fd = fd,
		.dmabuf_offset = offset,
	};
	int err = do_ioctl(dom->fd, DOCA_IOCTL_REGION_CREATE, &arg);

	memset(region, 0, sizeof(*region));
	if (err)
		return err;
	region->dom = dom;
	region->id = arg.out_id;
	region->mkey = arg.out_mkey;
	region->page_shift = arg.out_page_shift;
	region->num_pages = arg.out_num_pages;
	return 0;
}

#endif
