/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PCI function behind /dev/doca/0: taking it away and bringing it back.
 */
#ifndef _FUNCTION_UTILS_H
#define _FUNCTION_UTILS_H

#include "doca_utils.h"

static char pci_path[128];		/* /sys/bus/pci/devices/... */
static char pci_address[32];
static char driver_path[256];		/* /sys/bus/pci/drivers/... */

static inline bool find_device(void)
{
	struct doca_device_info info = {};
	char path[300], target[300], *name;
	int fd, err;
	ssize_t n;

	fd = open(NODE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	err = do_device_info(fd, &info);
	close(fd);
	if (err)
		return false;
	snprintf(pci_address, sizeof(pci_address), "%04x:%02x:%02x.%x", info.out_pci_domain,
		 info.out_pci_bus, info.out_pci_device, info.out_pci_function);
	snprintf(pci_path, sizeof(pci_path), "/sys/bus/pci/devices/%s", pci_address);
	snprintf(path, sizeof(path), "%s/driver", pci_path);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = 0;
	name = strrchr(target, '/');
	snprintf(driver_path, sizeof(driver_path), "/sys/bus/pci/drivers%s", name);
	return true;
}

static inline int do_unbind(void)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/unbind", driver_path);
	return write_file(path, pci_address);
}

static inline int do_bind(void)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/bind", driver_path);
	return write_file(path, pci_address);
}

static inline int do_remove(void)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/remove", pci_path);
	return write_file(path, "1");
}

static inline int do_rescan(void)
{
	return write_file("/sys/bus/pci/rescan", "1");
}

static inline int do_device_del(void)
{
	return monitor("device_del dpu0");
}

/* QEMU forgets the old one some time after the guest did. */
static inline int do_device_add(void)
{
	const char *properties = getenv("DOCA_DPU");
	int err = -EIO;
	int tries;

	for (tries = 0; err && tries < 60; tries++) {
		if (tries)
			sleep_ms(500);
		err = monitor("device_add doca-dpu,id=dpu0,bus=rp0,%s",
			      properties && *properties ? properties : "model=all");
	}
	return err;
}

#endif /* _FUNCTION_UTILS_H */
