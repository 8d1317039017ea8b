/* SPDX-License-Identifier: MIT */
/*
 * Memory maps: a range of memory that devices may reach.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <doca_mmap.h>

#include "core.h"

#define DEFAULT_MAX_DEVICES	16

#define ACCESS_ALL	((uint32_t)DOCA_KEY_ACCESS_ALL)
#define ACCESS_PCI	((uint32_t)(DOCA_ACCESS_FLAG_PCI_READ_ONLY | \
				    DOCA_ACCESS_FLAG_PCI_READ_WRITE))
#define ACCESS_RDMA	((uint32_t)(DOCA_ACCESS_FLAG_RDMA_READ | \
				    DOCA_ACCESS_FLAG_RDMA_WRITE | \
				    DOCA_ACCESS_FLAG_RDMA_ATOMIC))

/* The flags go into the key as they are. */
_Static_assert((unsigned int)DOCA_ACCESS_FLAG_LOCAL_READ_WRITE == DOCA_KEY_LOCAL_WRITE &&
	       (unsigned int)DOCA_ACCESS_FLAG_RDMA_WRITE == DOCA_KEY_RDMA_WRITE &&
	       (unsigned int)DOCA_ACCESS_FLAG_PCI_READ_WRITE == DOCA_KEY_PCI_WRITE &&
	       (unsigned int)DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING ==
	       DOCA_KEY_RELAXED_ORDERING, "access flags differ from key rights");

/**
 * struct export_desc - export descriptor, little-endian
 * @magic: EXPORT_MAGIC
 * @version: EXPORT_VERSION
 * @kind: enum lib_export
 * @addr: start of the range, an address of the exporter's
 * @len: bytes
 * @mkey: key on the exporter's device
 * @access: DOCA_ACCESS_FLAG_*
 * @gid: network address of the exporter's device
 * @serial: of its card
 * @function: its number in the card
 * @reserved: 0
 * @token: PCI: for importing it; 0 for RDMA
 */
struct export_desc {
	uint32_t magic;
	uint16_t version;
	uint16_t kind;
	uint64_t addr;
	uint64_t len;
	uint32_t mkey;
	uint32_t access;
	struct doca_gid gid;
	uint64_t serial;
	uint32_t function;
	uint32_t reserved;
	uint8_t token[DOCA_TOKEN_LEN];
};

#define EXPORT_MAGIC		0x50414d44	/* "DMAP" */
#define EXPORT_VERSION		2

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
	struct doca_mmap *m;

	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	m = calloc(1, sizeof(*m));
	if (!m)
		return DOCA_ERROR_NO_MEMORY;
	m->access = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
	m->dmabuf_fd = -1;
	m->max_keys = DEFAULT_MAX_DEVICES;
	*mmap = m;
	return DOCA_SUCCESS;
}

static bool can_configure(const struct doca_mmap *mmap)
{
	return !mmap->started && !mmap->exported && !mmap->from_export;
}

static doca_error_t set_range(struct doca_mmap *mmap, void *addr, size_t len)
{
	uintptr_t last;

	if (!len || __builtin_add_overflow((uintptr_t)addr, len - 1, &last))
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->from_export)
		return DOCA_ERROR_NOT_PERMITTED;
	if (mmap->started)
		return DOCA_ERROR_BAD_STATE;
	if (mmap->exported || mmap->len)
		return DOCA_ERROR_NOT_PERMITTED;
	mmap->addr = addr;
	mmap->len = len;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr,
				    size_t len)
{
	if (!mmap || !addr)
		return DOCA_ERROR_INVALID_VALUE;
	return set_range(mmap, addr, len);
}

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd,
					   void *addr, size_t dmabuf_offset,
					   size_t len)
{
	doca_error_t result;
	size_t end;
	int fd;

	if (!mmap || dmabuf_fd < 0 ||
	    __builtin_add_overflow(dmabuf_offset, len, &end))
		return DOCA_ERROR_INVALID_VALUE;
	/* The application may close its own. */
	fd = fcntl(dmabuf_fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		lib_err("file descriptor %d of a dmabuf: %s", dmabuf_fd,
			strerror(errno));
		return errno == EMFILE ? DOCA_ERROR_NO_MEMORY :
					 DOCA_ERROR_INVALID_VALUE;
	}
	result = set_range(mmap, addr, len);
	if (result != DOCA_SUCCESS) {
		close(fd);
		return result;
	}
	mmap->dmabuf_fd = fd;
	mmap->dmabuf_offset = dmabuf_offset;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr,
				    size_t *len)
{
	if (!mmap || !addr || !len)
		return DOCA_ERROR_INVALID_VALUE;
	if (!mmap->len)
		return DOCA_ERROR_BAD_STATE;
	*addr = mmap->addr;
	*len = mmap->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap,
				       uint32_t access_mask)
{
	const uint32_t both = DOCA_ACCESS_FLAG_PCI_READ_ONLY |
			      DOCA_ACCESS_FLAG_PCI_READ_WRITE;

	if (!mmap || access_mask & ~ACCESS_ALL || (access_mask & both) == both)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->from_export)
		return DOCA_ERROR_NOT_PERMITTED;
	if (mmap->started)
		return DOCA_ERROR_BAD_STATE;
	mmap->access = access_mask;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap,
					   uint32_t max_num_devices)
{
	if (!mmap || !max_num_devices)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->was_started || mmap->from_export)
		return DOCA_ERROR_NOT_PERMITTED;
	if (max_num_devices < mmap->num_keys)
		return DOCA_ERROR_INVALID_VALUE;
	mmap->max_keys = max_num_devices;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap,
					   uint32_t *max_num_devices)
{
	if (!mmap || !max_num_devices)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_devices = mmap->max_keys;
	return DOCA_SUCCESS;
}

static doca_error_t add_key(struct doca_mmap *mmap, struct doca_dev *dev,
			    uint32_t mkey)
{
	struct lib_mmap_key *keys;

	keys = realloc(mmap->keys, (mmap->num_keys + 1) * sizeof(*keys));
	if (!keys)
		return DOCA_ERROR_NO_MEMORY;
	mmap->keys = keys;
	keys[mmap->num_keys++] = (struct lib_mmap_key){
		.dev = dev,
		.mkey = mkey,
	};
	lib_dev_get(dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	if (!mmap || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (!can_configure(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	if (lib_mmap_find_key(mmap, dev))
		return DOCA_ERROR_ALREADY_EXIST;
	if (mmap->num_keys == mmap->max_keys) {
		lib_err("the memory map has %u devices, its limit", mmap->max_keys);
		return DOCA_ERROR_NO_MEMORY;
	}
	return add_key(mmap, dev, 0);
}

doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	struct lib_mmap_key *key;

	if (!mmap || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (!can_configure(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	key = lib_mmap_find_key(mmap, dev);
	if (!key)
		return DOCA_ERROR_NOT_FOUND;
	*key = mmap->keys[--mmap->num_keys];
	lib_dev_put(dev);
	return DOCA_SUCCESS;
}

/* What is pinned by this process, in KiB; 0 if it cannot be found out. */
static unsigned long pinned_kib(void)
{
	unsigned long kib = 0;
	char line[128];
	FILE *f;

	f = fopen("/proc/self/status", "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPin: %lu", &kib) == 1)
			break;
	fclose(f);
	return kib;
}

static doca_error_t register_failed(const struct doca_mmap *mmap,
				    const struct doca_dev *dev, int err)
{
	const char *name = dev->devinfo.pci_addr;
	struct rlimit limit;

	if (mmap->dmabuf_fd >= 0 && err != -ENOSPC && err != -ENODEV) {
		lib_err("%s: %zu bytes at %zu of the dmabuf: %s%s", name,
			mmap->len, mmap->dmabuf_offset, strerror(-err),
			err == -EINVAL ? " (not a dmabuf, or it is smaller)" :
			err == -EACCES ? " (the descriptor is for reading only)" :
					 "");
		return err == -EBADF ? DOCA_ERROR_INVALID_VALUE : lib_error(err);
	}
	switch (-err) {
	case EDQUOT:
		getrlimit(RLIMIT_MEMLOCK, &limit);
		lib_err("%s: %zu KiB cannot be pinned: %lu KiB are pinned already, and the limit is %llu KiB (RLIMIT_MEMLOCK, 'ulimit -l')",
			name, (mmap->len + 1023) / 1024, pinned_kib(),
			(unsigned long long)limit.rlim_cur / 1024);
		return DOCA_ERROR_NO_MEMORY;
	case EFAULT:
		lib_err("%s: some of the %zu bytes at %p are not mapped%s, or cannot be pinned",
			name, mmap->len, mmap->addr,
			mmap->access & ~(uint32_t)(DOCA_ACCESS_FLAG_RDMA_READ |
						   DOCA_ACCESS_FLAG_PCI_READ_ONLY) ?
			" or not writable" : "");
		return DOCA_ERROR_INVALID_VALUE;
	case ENOSPC:
		lib_err("%s: no room for another registration: %u at most, for all processes, of %u pages each",
			name, dev->devinfo.info.out_max_regions,
			dev->devinfo.info.out_max_region_pages);
		return DOCA_ERROR_FULL;
	case ENODEV:
		lib_err("%s: the device is gone", name);
		return DOCA_ERROR_IO_FAILED;
	default:
		lib_err("%s: %zu bytes at %p: %s", name, mmap->len, mmap->addr,
			strerror(-err));
		return lib_error(err);
	}
}

static void unregister(struct doca_mmap *mmap, uint32_t num)
{
	struct lib_mmap_key *key;
	unsigned int i;

	for (key = mmap->keys; num--; key++) {
		if (key->id)
			lib_dev_destroy(key->dev, key->id);
		key->id = 0;
		for (i = 0; i < LIB_NUM_EXPORTS; i++) {
			free(key->desc[i]);
			key->desc[i] = NULL;
		}
	}
}

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
	uint32_t i;
	int err;

	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->from_export)
		return DOCA_ERROR_NOT_PERMITTED;
	if (mmap->started)
		return DOCA_ERROR_BAD_STATE;
	if (mmap->exported)
		return DOCA_ERROR_NOT_PERMITTED;
	if (!mmap->len || !mmap->num_keys) {
		lib_err("the memory map has no %s", mmap->len ? "device" : "range");
		return DOCA_ERROR_INVALID_VALUE;
	}
	for (i = 0; i < mmap->num_keys; i++) {
		struct doca_region_create create = {
			.size = sizeof(create),
			.access = mmap->access,
			.addr = (uintptr_t)mmap->addr,
			.length = mmap->len,
		};

		if (mmap->dmabuf_fd >= 0) {
			create.flags = DOCA_REGION_DMABUF;
			create.dmabuf_fd = mmap->dmabuf_fd;
			create.dmabuf_offset = mmap->dmabuf_offset;
		}

		err = lib_dev_ioctl(mmap->keys[i].dev, DOCA_IOCTL_REGION_CREATE,
				    &create);
		if (err) {
			unregister(mmap, i);
			return register_failed(mmap, mmap->keys[i].dev, err);
		}
		mmap->keys[i].id = create.out_id;
		mmap->keys[i].mkey = create.out_mkey;
		lib_dbg("%s: %zu bytes at %p: key %#x, %u pages of %llu KiB",
			mmap->keys[i].dev->devinfo.pci_addr, mmap->len,
			mmap->addr, create.out_mkey, create.out_num_pages,
			(1ULL << create.out_page_shift) / 1024);
	}
	mmap->started = true;
	mmap->was_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_stop(struct doca_mmap *mmap)
{
	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->num_bufs) {
		lib_err("the memory map is stopped with %u doca_bufs in it",
			mmap->num_bufs);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (mmap->started)
		unregister(mmap, mmap->num_keys);
	mmap->started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
	doca_error_t result;
	uint32_t i;

	result = doca_mmap_stop(mmap);
	if (result != DOCA_SUCCESS)
		return result;
	for (i = 0; i < mmap->num_keys; i++)
		lib_dev_put(mmap->keys[i].dev);
	if (mmap->was_started && mmap->free_cb)
		mmap->free_cb(mmap->addr, mmap->len, mmap->free_cookie);
	if (mmap->dmabuf_fd >= 0)
		close(mmap->dmabuf_fd);
	free(mmap->keys);
	free(mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap,
				   doca_mmap_memrange_free_cb_t *free_cb,
				   void *opaque)
{
	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->started)
		return DOCA_ERROR_BAD_STATE;
	mmap->free_cb = free_cb;
	mmap->free_cookie = opaque;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap,
				     union doca_data user_data)
{
	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->started)
		return DOCA_ERROR_BAD_STATE;
	mmap->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap,
				     union doca_data *user_data)
{
	if (!mmap || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = mmap->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap,
				    uint32_t *num_bufs)
{
	if (!mmap || !num_bufs)
		return DOCA_ERROR_INVALID_VALUE;
	*num_bufs = mmap->num_bufs;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap,
				    uint8_t *exported)
{
	if (!mmap || !exported)
		return DOCA_ERROR_INVALID_VALUE;
	*exported = mmap->exported;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap,
				       uint8_t *from_export)
{
	if (!mmap || !from_export)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = mmap->from_export;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->started || mmap->num_bufs)
		return DOCA_ERROR_NOT_PERMITTED;
	mmap->thread_safe = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, struct doca_dev *dev,
				uint32_t *mkey)
{
	const struct lib_mmap_key *key;

	if (!mmap || !dev || !mkey)
		return DOCA_ERROR_INVALID_VALUE;
	if (!mmap->started)
		return DOCA_ERROR_BAD_STATE;
	key = lib_mmap_find_key(mmap, dev);
	if (!key)
		return DOCA_ERROR_NOT_FOUND;
	*mkey = key->mkey;
	return DOCA_SUCCESS;
}

/* The device's entry, if the map can be exported through it. */
static doca_error_t find_exporter(const struct doca_mmap *mmap,
				  const struct doca_dev *dev, uint32_t access,
				  const void *export_desc,
				  const size_t *export_desc_len,
				  struct lib_mmap_key **key)
{
	if (!mmap || !dev || !export_desc || !export_desc_len)
		return DOCA_ERROR_INVALID_VALUE;
	if (!mmap->started || mmap->from_export || !(mmap->access & access)) {
		lib_err("the memory map cannot be exported: it %s",
			!mmap->started ? "is not started" :
			mmap->from_export ? "is from an export itself" :
					    "has no permission for that");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	*key = lib_mmap_find_key(mmap, dev);
	return *key ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND;
}

/* @token: NULL for none. A descriptor that was made before is given again. */
static doca_error_t make_desc(struct doca_mmap *mmap, struct lib_mmap_key *key,
			      enum lib_export kind, const uint8_t *token,
			      const void **export_desc, size_t *export_desc_len)
{
	const struct doca_device_info *info = &key->dev->devinfo.info;
	struct export_desc *desc;

	if (!key->desc[kind]) {
		desc = malloc(sizeof(*desc));
		if (!desc)
			return DOCA_ERROR_NO_MEMORY;
		*desc = (struct export_desc){
			.magic = htole32(EXPORT_MAGIC),
			.version = htole16(EXPORT_VERSION),
			.kind = htole16(kind),
			.addr = htole64((uintptr_t)mmap->addr),
			.len = htole64(mmap->len),
			.mkey = htole32(key->mkey),
			.access = htole32(mmap->access),
			.gid = info->out_gid,
			.serial = htole64(info->out_serial),
			.function = htole32(info->out_function_number),
		};
		if (token)
			memcpy(desc->token, token, sizeof(desc->token));
		key->desc[kind] = desc;
	}
	mmap->exported = true;
	*export_desc = key->desc[kind];
	*export_desc_len = sizeof(*desc);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap,
				   const struct doca_dev *dev,
				   const void **export_desc,
				   size_t *export_desc_len)
{
	struct lib_mmap_key *key;
	doca_error_t result;

	result = find_exporter(mmap, dev, ACCESS_RDMA, export_desc,
			       export_desc_len, &key);
	if (result != DOCA_SUCCESS)
		return result;
	if (!lib_devinfo_engine(&dev->devinfo, DOCA_ENGINE_RDMA)) {
		lib_err("%s has no RDMA", dev->devinfo.pci_addr);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	return make_desc(mmap, key, LIB_EXPORT_RDMA, NULL, export_desc,
			 export_desc_len);
}

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap,
				  const struct doca_dev *dev,
				  const void **export_desc,
				  size_t *export_desc_len)
{
	struct doca_region_share share = { .size = sizeof(share) };
	struct lib_mmap_key *key;
	doca_error_t result;
	int err;

	result = find_exporter(mmap, dev, ACCESS_PCI, export_desc,
			       export_desc_len, &key);
	if (result != DOCA_SUCCESS)
		return result;
	if (dev->devinfo.info.out_side != DOCA_SIDE_HOST) {
		lib_err("%s is a function of the DPU: memory is exported on one of the host",
			dev->devinfo.pci_addr);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	share.region_id = key->id;
	err = lib_dev_ioctl(key->dev, DOCA_IOCTL_REGION_SHARE, &share);
	if (err) {
		lib_err("%s: %zu bytes at %p cannot be exported: %s",
			dev->devinfo.pci_addr, mmap->len, mmap->addr,
			strerror(-err));
		return lib_error(err);
	}
	return make_desc(mmap, key, LIB_EXPORT_PCI, share.out_token,
			 export_desc, export_desc_len);
}

static doca_error_t check_desc(const struct export_desc *desc, size_t len)
{
	uint64_t last;

	if (len < sizeof(*desc) || le32toh(desc->magic) != EXPORT_MAGIC) {
		lib_err("%zu bytes that are no export descriptor", len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (le16toh(desc->version) != EXPORT_VERSION) {
		lib_err("export descriptor of version %u, this library knows %u",
			le16toh(desc->version), EXPORT_VERSION);
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	if (le16toh(desc->kind) >= LIB_NUM_EXPORTS || len != sizeof(*desc) ||
	    desc->reserved || !desc->addr || !desc->len ||
	    __builtin_add_overflow(le64toh(desc->addr), le64toh(desc->len) - 1,
				   &last)) {
		lib_err("export descriptor of kind %u, %llu bytes at %#llx: not valid",
			le16toh(desc->kind),
			(unsigned long long)le64toh(desc->len),
			(unsigned long long)le64toh(desc->addr));
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

/* Gets a key of @dev for what was exported over PCI. */
static doca_error_t import_pci(struct doca_dev *dev,
			       const struct export_desc *desc, uint32_t *id,
			       uint32_t *mkey)
{
	struct doca_region_import import = {
		.size = sizeof(import),
		.function_number = le32toh(desc->function),
		.remote_mkey = le32toh(desc->mkey),
	};
	const struct doca_device_info *info = &dev->devinfo.info;
	int err;

	if (info->out_side != DOCA_SIDE_DPU) {
		lib_err("%s is a function of the host: memory is imported on one of the DPU",
			dev->devinfo.pci_addr);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (le64toh(desc->serial) != info->out_serial) {
		lib_err("%s: the memory was exported on another card (serial number %#llx, this one has %#llx)",
			dev->devinfo.pci_addr,
			(unsigned long long)le64toh(desc->serial),
			(unsigned long long)info->out_serial);
		return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(import.token, desc->token, sizeof(import.token));
	err = lib_dev_ioctl(dev, DOCA_IOCTL_REGION_IMPORT, &import);
	if (err == -ENOENT) {
		lib_err("%s: the memory is not exported (any more), or the descriptor was changed",
			dev->devinfo.pci_addr);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (err) {
		lib_err("%s: exported memory cannot be imported: %s",
			dev->devinfo.pci_addr, strerror(-err));
		return lib_error(err);
	}
	*id = import.out_id;
	*mkey = import.out_mkey;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data,
					  const void *export_desc,
					  size_t export_desc_len,
					  struct doca_dev *dev,
					  struct doca_mmap **mmap)
{
	struct export_desc desc = { 0 };
	uint32_t id = 0, mkey;
	doca_error_t result;
	struct doca_mmap *m;

	if (!export_desc || !dev || !mmap)
		return DOCA_ERROR_INVALID_VALUE;
	/* It came in whatever way, and may lie at any address. */
	memcpy(&desc, export_desc, lib_min(export_desc_len, sizeof(desc)));
	result = check_desc(&desc, export_desc_len);
	if (result != DOCA_SUCCESS)
		return result;
	mkey = le32toh(desc.mkey);
	if (le16toh(desc.kind) == LIB_EXPORT_RDMA &&
	    !lib_devinfo_engine(&dev->devinfo, DOCA_ENGINE_RDMA)) {
		lib_err("%s has no RDMA", dev->devinfo.pci_addr);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	result = doca_mmap_create(&m);
	if (result != DOCA_SUCCESS)
		return result;
	if (le16toh(desc.kind) == LIB_EXPORT_PCI)
		result = import_pci(dev, &desc, &id, &mkey);
	if (result == DOCA_SUCCESS)
		result = add_key(m, dev, mkey);
	if (result != DOCA_SUCCESS) {
		if (id)
			lib_dev_destroy(dev, id);
		doca_mmap_destroy(m);
		return result;
	}
	m->keys[0].id = id;
	m->addr = (void *)(uintptr_t)le64toh(desc.addr);
	m->len = le64toh(desc.len);
	m->access = le32toh(desc.access);
	if (user_data)
		m->user_data = *user_data;
	m->from_export = true;
	m->started = true;
	*mmap = m;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
				      uint8_t *mmap_export)
{
	if (!devinfo || !mmap_export)
		return DOCA_ERROR_INVALID_VALUE;
	*mmap_export = devinfo->info.out_side == DOCA_SIDE_HOST;
	return DOCA_SUCCESS;
}

doca_error_t
doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
						  uint8_t *from_export)
{
	if (!devinfo || !from_export)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = devinfo->info.out_side == DOCA_SIDE_DPU;
	return DOCA_SUCCESS;
}

/*
 * What these devices do not have
 */
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap,
					struct doca_dpa *dpa, uint64_t dpa_addr,
					size_t len)
{
	(void)dpa_addr;
	if (!mmap || !dpa || !len)
		return DOCA_ERROR_INVALID_VALUE;
	lib_err("memory map: the devices have no DPA");
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap,
					  const struct doca_dev *dev,
					  doca_dpa_dev_mmap_t *dpa_mmap_handle)
{
	if (!mmap || !dev || !dpa_mmap_handle)
		return DOCA_ERROR_INVALID_VALUE;
	lib_err("memory map: the devices have no DPA");
	return DOCA_ERROR_NOT_SUPPORTED;
}
