/* SPDX-License-Identifier: MIT */
/*
 * Devices: what there is, and opening it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"

struct doca_devinfo_list {
	uint32_t count;
	struct doca_devinfo *infos[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct doca_dev *open_devs;	/* under the lock */

void lib_lock(void)
{
	pthread_mutex_lock(&lock);
}

void lib_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/*
 * A child has the parent's descriptors but none of its mappings: nothing of
 * what is open works there, and what is called says so.
 */
static void after_fork_in_child(void)
{
	struct doca_dev *dev;

	for (dev = open_devs; dev; dev = dev->next)
		dev->forked = true;
	lib_pe_forked();
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor))
static void watch_forks(void)
{
	pthread_atfork(lib_lock, lib_unlock, after_fork_in_child);
}

/*
 * Finding
 */
struct scan {
	unsigned int *numbers;
	unsigned int num;
	bool no_memory;
};

static void scan_found(void *arg, unsigned int n)
{
	struct scan *scan = arg;
	unsigned int *numbers;

	numbers = realloc(scan->numbers, (scan->num + 1) * sizeof(*numbers));
	if (!numbers) {
		scan->no_memory = true;
		return;
	}
	numbers[scan->num++] = n;
	scan->numbers = numbers;
}

static int compare_numbers(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

static doca_error_t query_engines(int fd, struct doca_devinfo *info)
{
	unsigned int i;
	int err;

	for (i = 0; i < DOCA_NUM_ENGINES; i++) {
		struct doca_engine_info *engine = &info->engines[i];

		if (!(info->info.out_engines & 1U << i))
			continue;
		engine->size = sizeof(*engine);
		engine->engine = i;
		err = lib_kernel->ioctl(fd, DOCA_IOCTL_ENGINE_INFO, engine);
		if (err) {
			lib_err("/dev/doca/%u: limits of engine %u: %s",
				info->number, i, strerror(-err));
			return lib_error(err);
		}
	}
	return DOCA_SUCCESS;
}

static doca_error_t query_device(unsigned int n, struct doca_devinfo *info)
{
	doca_error_t result;
	int fd, err;

	fd = lib_kernel->open(n);
	if (fd < 0) {
		lib_err("/dev/doca/%u cannot be opened: %s%s", n, strerror(-fd),
			fd == -EACCES ? " (its mode lets only some users in)" : "");
		return lib_error(fd);
	}
	memset(info, 0, sizeof(*info));
	info->number = n;
	info->info.size = sizeof(info->info);
	err = lib_kernel->ioctl(fd, DOCA_IOCTL_DEVICE_INFO, &info->info);
	if (err == -ENOTTY || err == -EINVAL ||
	    (!err && info->info.out_abi_version != DOCA_ABI_VERSION)) {
		lib_err("/dev/doca/%u: doca.ko has ABI version %u, libdoca needs %u: load the module that belongs to this library",
			n, err ? 0 : info->info.out_abi_version,
			DOCA_ABI_VERSION);
		result = DOCA_ERROR_UNSUPPORTED_VERSION;
	} else if (err) {
		lib_err("/dev/doca/%u: %s", n, strerror(-err));
		result = lib_error(err);
	} else {
		result = query_engines(fd, info);
	}
	lib_kernel->close(fd);
	snprintf(info->pci_addr, sizeof(info->pci_addr), "%04x:%02x:%02x.%x",
		 info->info.out_pci_domain & 0xffff, info->info.out_pci_bus,
		 info->info.out_pci_device & 0x1f,
		 info->info.out_pci_function & 7);
	return result;
}

static doca_error_t query_all(struct scan *scan, struct doca_devinfo_list *list)
{
	doca_error_t last = DOCA_ERROR_NOT_FOUND, result;
	unsigned int i;

	for (i = 0; i < scan->num; i++) {
		struct doca_devinfo *info = malloc(sizeof(*info));

		if (!info)
			return DOCA_ERROR_NO_MEMORY;
		result = query_device(scan->numbers[i], info);
		if (result == DOCA_SUCCESS) {
			list->infos[list->count++] = info;
		} else {
			free(info);
			last = result;
		}
	}
	return list->count ? DOCA_SUCCESS : last;
}

doca_error_t doca_devinfo_list_destroy(struct doca_devinfo_list *list)
{
	uint32_t i;

	for (i = 0; list && i < list->count; i++)
		free(list->infos[i]);
	free(list);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_list_create(struct doca_devinfo_list **list)
{
	struct scan scan = { 0 };
	struct doca_devinfo_list *l;
	doca_error_t result;
	int err;

	if (!list)
		return DOCA_ERROR_INVALID_VALUE;
	err = lib_kernel->scan(scan_found, &scan);
	if (err && err != -ENOENT) {
		lib_err("/dev/doca cannot be read: %s", strerror(-err));
		return lib_error(err);
	}
	if (!scan.num && !scan.no_memory) {
		lib_err("no DPU: there is no /dev/doca/<n>; is there one (lspci -d 1d0c:0ca2), and is doca.ko loaded?");
		return DOCA_ERROR_NOT_FOUND;
	}
	/* One more, so that the array of the SDK's form ends with NULL. */
	l = calloc(1, sizeof(*l) + (scan.num + 1) * sizeof(l->infos[0]));
	if (!l || scan.no_memory) {
		free(l);
		free(scan.numbers);
		return DOCA_ERROR_NO_MEMORY;
	}
	qsort(scan.numbers, scan.num, sizeof(scan.numbers[0]), compare_numbers);
	result = query_all(&scan, l);
	free(scan.numbers);
	if (result != DOCA_SUCCESS) {
		doca_devinfo_list_destroy(l);
		return result;
	}
	*list = l;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_list_get_count(const struct doca_devinfo_list *list,
					 uint32_t *count)
{
	if (!list || !count)
		return DOCA_ERROR_INVALID_VALUE;
	*count = list->count;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_list_get_devinfo(const struct doca_devinfo_list *list,
					   uint32_t index,
					   struct doca_devinfo **devinfo)
{
	if (!list || !devinfo || index >= list->count)
		return DOCA_ERROR_INVALID_VALUE;
	*devinfo = list->infos[index];
	return DOCA_SUCCESS;
}

/* The array of the SDK is the one inside of a list. */
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list,
				      uint32_t *nb_devs)
{
	struct doca_devinfo_list *list;
	doca_error_t result;

	if (!dev_list || !nb_devs)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_devinfo_list_create(&list);
	if (result != DOCA_SUCCESS)
		return result;
	*dev_list = list->infos;
	*nb_devs = list->count;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
	if (!dev_list)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_devinfo_list_destroy(lib_container_of(dev_list,
							  struct doca_devinfo_list,
							  infos));
}

/*
 * Asking
 */
const struct doca_engine_info *
lib_devinfo_engine(const struct doca_devinfo *devinfo, unsigned int engine)
{
	if (!(devinfo->info.out_engines & 1U << engine))
		return NULL;
	return &devinfo->engines[engine];
}

doca_error_t doca_devinfo_get_caps(const struct doca_devinfo *devinfo,
				   struct doca_devinfo_caps *caps)
{
	const struct doca_engine_info *engine;

	if (!devinfo || !caps)
		return DOCA_ERROR_INVALID_VALUE;
	memset(caps, 0, sizeof(*caps));
	memcpy(caps->model, devinfo->info.out_model, sizeof(caps->model));
	caps->serial = devinfo->info.out_serial;
	caps->num_comp_vectors = devinfo->info.out_num_comp_vectors;
	caps->max_channels = devinfo->info.out_max_channels;
	caps->max_queues = devinfo->info.out_max_queues;
	caps->max_mmaps = devinfo->info.out_max_regions;
	engine = lib_devinfo_engine(devinfo, DOCA_ENGINE_DMA);
	if (engine && engine->out_opcodes & 1U << DOCA_DMA_OP_MEMCPY) {
		caps->caps |= DOCA_DEVINFO_CAP_DMA_MEMCPY;
		caps->dma_max_buf_size = engine->out_max_transfer;
		caps->dma_max_buf_list_len = engine->out_max_list_len;
		caps->dma_max_num_tasks = engine->out_max_queue_entries;
	}
	caps->caps |= devinfo->info.out_side == DOCA_SIDE_HOST ?
		      DOCA_DEVINFO_CAP_EXPORT_PCI : DOCA_DEVINFO_CAP_IMPORT_PCI;
	engine = lib_devinfo_engine(devinfo, DOCA_ENGINE_RDMA);
	if (engine && engine->out_opcodes & 1U << DOCA_RDMA_OP_WRITE) {
		caps->caps |= DOCA_DEVINFO_CAP_RDMA_WRITE |
			      DOCA_DEVINFO_CAP_EXPORT_RDMA;
		caps->rdma_max_message_size = engine->out_max_transfer;
		caps->rdma_max_send_buf_list_len = engine->out_max_list_len;
		caps->rdma_max_send_queue_size = engine->out_max_queue_entries;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
				       char *pci_addr, uint32_t size)
{
	if (!devinfo || !pci_addr || size < DOCA_DEVINFO_PCI_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(pci_addr, devinfo->pci_addr, DOCA_DEVINFO_PCI_ADDR_SIZE);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo,
					   char *pci_addr_str)
{
	return doca_devinfo_get_pci_addr(devinfo, pci_addr_str,
					 DOCA_DEVINFO_PCI_ADDR_SIZE);
}

doca_error_t lib_pci_addr_is_equal(const char *own, const char *pci_addr_str,
				   uint8_t *is_equal)
{
	const char *form = "xxxx:xx:xx.x";
	const char hex[] = "0123456789abcdefABCDEF";
	size_t len, i;

	len = strnlen(pci_addr_str, DOCA_DEVINFO_PCI_ADDR_SIZE);
	if (len == DOCA_DEVINFO_PCI_BDF_SIZE - 1) {
		form += 5;
		/* The short form means domain 0. */
		if (!strncmp(own, "0000:", 5))
			own += 5;
	} else if (len != DOCA_DEVINFO_PCI_ADDR_SIZE - 1) {
		return DOCA_ERROR_INVALID_VALUE;
	}
	for (i = 0; i < len; i++)
		if (form[i] == 'x' ? !strchr(hex, pci_addr_str[i]) :
				     pci_addr_str[i] != form[i])
			return DOCA_ERROR_INVALID_VALUE;
	*is_equal = !strcasecmp(own, pci_addr_str);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
					    const char *pci_addr_str,
					    uint8_t *is_equal)
{
	if (!devinfo || !pci_addr_str || !is_equal)
		return DOCA_ERROR_INVALID_VALUE;
	return lib_pci_addr_is_equal(devinfo->pci_addr, pci_addr_str, is_equal);
}

static doca_error_t get_name(const struct doca_devinfo *devinfo, char *name,
			     uint32_t size, uint32_t min_size)
{
	if (!devinfo || !name || size < min_size)
		return DOCA_ERROR_INVALID_VALUE;
	snprintf(name, size, "%.*s", DOCA_NAME_LEN,
		 (const char *)devinfo->info.out_name);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo,
					 char *iface_name, uint32_t size)
{
	return get_name(devinfo, iface_name, size, DOCA_DEVINFO_IFACE_NAME_SIZE);
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo,
					 char *ibdev_name, uint32_t size)
{
	return get_name(devinfo, ibdev_name, size, DOCA_DEVINFO_IBDEV_NAME_SIZE);
}

doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo,
				       uint8_t *mac_addr, uint32_t size)
{
	if (!devinfo || !mac_addr || size < DOCA_DEVINFO_MAC_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(mac_addr, devinfo->info.out_mac, DOCA_DEVINFO_MAC_ADDR_SIZE);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo,
					uint8_t *ipv4_addr, uint32_t size)
{
	if (!devinfo || !ipv4_addr || size < DOCA_DEVINFO_IPV4_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_FOUND;
}

doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo,
					uint8_t *ipv6_addr, uint32_t size)
{
	if (!devinfo || !ipv6_addr || size < DOCA_DEVINFO_IPV6_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(ipv6_addr, devinfo->info.out_gid.raw,
	       DOCA_DEVINFO_IPV6_ADDR_SIZE);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo,
				  uint16_t *lid)
{
	return devinfo && lid ? DOCA_ERROR_NOT_SUPPORTED :
				DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
					  uint64_t *active_rate)
{
	return devinfo && active_rate ? DOCA_ERROR_NOT_SUPPORTED :
					DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo,
				      uint16_t *vhca_id)
{
	if (!devinfo || !vhca_id)
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = devinfo->info.out_function_number;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
					    enum doca_pci_func_type *pci_func_type)
{
	if (!devinfo || !pci_func_type)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = DOCA_PCI_FUNC_TYPE_PF;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo,
				       uint32_t *sf_index)
{
	return devinfo && sf_index ? DOCA_ERROR_NOT_SUPPORTED :
				     DOCA_ERROR_INVALID_VALUE;
}

/* What these devices do not have. */
static doca_error_t say_no(const void *devinfo, uint8_t *answer)
{
	if (!devinfo || !answer)
		return DOCA_ERROR_INVALID_VALUE;
	*answer = 0;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
					      uint8_t *is_hotplug_manager)
{
	return say_no(devinfo, is_hotplug_manager);
}

doca_error_t
doca_devinfo_cap_is_notification_moderation_supported(const struct doca_devinfo *devinfo,
						      uint8_t *is_notification_moderation_supported)
{
	return say_no(devinfo, is_notification_moderation_supported);
}

doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
							  uint8_t *is_accelerate_resource_reclaim)
{
	return say_no(devinfo, is_accelerate_resource_reclaim);
}

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
	return dev ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

/*
 * Opening
 */
static doca_error_t dev_setup(struct doca_dev *dev)
{
	struct doca_domain_alloc alloc = { .size = sizeof(alloc) };
	void *status;
	int err;

	err = lib_kernel->ioctl(dev->fd, DOCA_IOCTL_DOMAIN_ALLOC, &alloc);
	if (err) {
		lib_err("%s: no protection domain: %s%s", dev->devinfo.pci_addr,
			strerror(-err), err == -ENOSPC ?
			" (each process that uses a DPU has a doorbell page, and all are taken)" : "");
		return lib_error(err);
	}
	dev->page_size = alloc.out_page_size;
	err = lib_kernel->map(dev->fd, alloc.out_doorbell_key, dev->page_size,
			      PROT_WRITE, &dev->doorbells);
	if (!err) {
		err = lib_kernel->map(dev->fd, alloc.out_status_key,
				      dev->page_size, PROT_READ, &status);
		if (!err) {
			dev->status = status;
			return DOCA_SUCCESS;
		}
		lib_kernel->unmap(dev->doorbells, dev->page_size);
	}
	lib_err("%s: doorbell and status page cannot be mapped: %s",
		dev->devinfo.pci_addr, strerror(-err));
	return lib_error(err);
}

static doca_error_t dev_open(const struct doca_devinfo *devinfo,
			     struct doca_dev **new)
{
	doca_error_t result;
	struct doca_dev *dev;

	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return DOCA_ERROR_NO_MEMORY;
	dev->devinfo = *devinfo;
	dev->opens = 1;
	dev->pid = getpid();
	dev->fd = lib_kernel->open(devinfo->number);
	if (dev->fd < 0) {
		lib_err("/dev/doca/%u cannot be opened: %s", devinfo->number,
			strerror(-dev->fd));
		result = dev->fd == -ENOENT || dev->fd == -ENODEV ||
			 dev->fd == -ENXIO ? DOCA_ERROR_NOT_CONNECTED :
					     lib_error(dev->fd);
		free(dev);
		return result;
	}
	result = dev_setup(dev);
	if (result != DOCA_SUCCESS) {
		lib_kernel->close(dev->fd);
		free(dev);
		return result;
	}
	*new = dev;
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
	doca_error_t result = DOCA_SUCCESS;
	struct doca_dev *d;

	if (!devinfo || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	lib_lock();
	for (d = open_devs; d; d = d->next)
		if (!d->forked && d->devinfo.number == devinfo->number &&
		    !lib_dev_lost(d))
			break;
	if (d) {
		d->opens++;
	} else {
		result = dev_open(devinfo, &d);
		if (result == DOCA_SUCCESS) {
			d->next = open_devs;
			open_devs = d;
		}
	}
	lib_unlock();
	if (result == DOCA_SUCCESS)
		*dev = d;
	return result;
}

static void dev_free(struct doca_dev *dev)
{
	struct doca_dev **p;

	for (p = &open_devs; *p != dev; p = &(*p)->next)
		;
	*p = dev->next;
	/* A child has not inherited the mappings. */
	if (!dev->forked) {
		lib_kernel->unmap((void *)dev->status, dev->page_size);
		lib_kernel->unmap(dev->doorbells, dev->page_size);
	}
	lib_kernel->close(dev->fd);
	free(dev);
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
	doca_error_t result = DOCA_SUCCESS;

	if (!dev)
		return DOCA_SUCCESS;
	lib_lock();
	if (dev->opens > 1) {
		dev->opens--;
	} else if (dev->users) {
		lib_err("%s is closed, but %u contexts, memory maps, event channels or representors still need it",
			dev->devinfo.pci_addr, dev->users);
		result = DOCA_ERROR_IN_USE;
	} else {
		dev_free(dev);
	}
	lib_unlock();
	return result;
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
	return dev ? (struct doca_devinfo *)&dev->devinfo : NULL;
}

void lib_dev_get(struct doca_dev *dev)
{
	lib_lock();
	dev->users++;
	lib_unlock();
}

void lib_dev_put(struct doca_dev *dev)
{
	lib_lock();
	dev->users--;
	lib_unlock();
}

static bool dev_usable(const struct doca_dev *dev)
{
	if (!dev->forked)
		return true;
	lib_err("%s was opened by process %d, of which this one is a fork: open it again here",
		dev->devinfo.pci_addr, (int)dev->pid);
	return false;
}

int lib_dev_ioctl(struct doca_dev *dev, unsigned long cmd, void *arg)
{
	return dev_usable(dev) ? lib_kernel->ioctl(dev->fd, cmd, arg) : -EPERM;
}

int lib_dev_map(struct doca_dev *dev, uint64_t key, size_t size, int prot,
		void **addr)
{
	if (!dev_usable(dev))
		return -EPERM;
	return lib_kernel->map(dev->fd, key, size, prot, addr);
}

void lib_dev_unmap(struct doca_dev *dev, void *addr, size_t size)
{
	if (!dev->forked)
		lib_kernel->unmap(addr, size);
}

void lib_dev_destroy(struct doca_dev *dev, uint32_t id)
{
	struct doca_destroy destroy = { .size = sizeof(destroy), .id = id };
	int err;

	if (dev->forked)
		return;
	err = lib_kernel->ioctl(dev->fd, DOCA_IOCTL_DESTROY, &destroy);
	if (err)
		lib_err("%s: object %u cannot be destroyed: %s",
			dev->devinfo.pci_addr, id, strerror(-err));
}
