/* SPDX-License-Identifier: MIT */
/**
 * DOCA memory maps: memory that devices may reach.
 *
 * A memory map holds one range of memory and the devices that shall reach it. Between
 * doca_mmap_start() and doca_mmap_stop() the memory is pinned (it counts against
 * RLIMIT_MEMLOCK), and doca_bufs can be made in it.
 *
 * Memory of a map can be reached from elsewhere, without the owner taking part: by a peer
 * over the network, or, if the owner is on the host, by the DPU over PCIe. The owner makes an
 * export descriptor (doca_mmap_export_rdma(), doca_mmap_export_pci()) and sends it there in
 * whatever way; the other side makes a map from it (doca_mmap_create_from_export()). Such a
 * map is started, cannot be changed, and has the addresses of the owner: only the devices can
 * do anything with them. When the owner stops its map, tasks that still use the other one fail.
 *
 * Threads: a map is used by one thread at a time, but see doca_mmap_enable_thread_safety().
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_mmap;

typedef uint32_t doca_dpa_dev_mmap_t;

/**
 * typedef doca_mmap_memrange_free_cb_t - the memory of a map is not needed any more
 * @addr: start of the range
 * @len: bytes
 * @cookie: given with the callback
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);

/**
 * doca_mmap_create - make a memory map
 * @mmap: the new map: no range, no device, access DOCA_ACCESS_FLAG_LOCAL_READ_WRITE
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @mmap is NULL; DOCA_ERROR_NO_MEMORY
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/**
 * doca_mmap_destroy - end a memory map
 * @mmap: the map; it is stopped if it was not
 *
 * Calls the callback of doca_mmap_set_free_cb() if the map was started once.
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @mmap is NULL; DOCA_ERROR_NOT_PERMITTED
 * if there are doca_bufs in it (not found out if it is thread safe)
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * doca_mmap_set_memrange - set the range
 * @mmap: the map, not started
 * @addr: start of the memory, any alignment
 * @len: bytes, not 0
 *
 * The memory has to stay in place as long as the map is started. Ranges of different maps
 * may overlap.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	@mmap or @addr is NULL, @len is 0, or the range wraps
 * DOCA_ERROR_BAD_STATE		the map is started
 * DOCA_ERROR_NOT_PERMITTED	it has a range already, or was exported, or is from an
 *				export
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr,
				    size_t len);

/**
 * doca_mmap_get_memrange - get the range
 * @mmap: the map
 * @addr: start; an address of the exporter's if the map is from an export
 * @len: bytes
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_BAD_STATE if there is none
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr,
				    size_t *len);

/**
 * doca_mmap_set_permissions - set who may do what with the memory
 * @mmap: the map, not started
 * @access_mask: DOCA_ACCESS_FLAG_*. The map's own devices may always read, and write with
 *	LOCAL_READ_WRITE or PCI_READ_WRITE. RDMA_* are for peers. PCI_READ_ONLY together
 *	with PCI_READ_WRITE is refused
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @mmap is NULL or the mask is not valid;
 * DOCA_ERROR_BAD_STATE if the map is started; DOCA_ERROR_NOT_PERMITTED if it is from an
 * export
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap,
				       uint32_t access_mask);

/**
 * doca_mmap_set_max_num_devices - set how many devices the map may have
 * @mmap: the map, never started
 * @max_num_devices: at least 1, and not less than it has now. 16 if never set
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @mmap is NULL or the number too small;
 * DOCA_ERROR_NOT_PERMITTED if the map was started once or is from an export
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap,
					   uint32_t max_num_devices);

/**
 * doca_mmap_get_max_num_devices - get how many devices the map may have
 * @mmap: the map
 * @max_num_devices: the number
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap,
					   uint32_t *max_num_devices);

/**
 * doca_mmap_add_dev - add a device
 * @mmap: the map, not started
 * @dev: the device; cannot be closed as long as it belongs to the map
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_NOT_PERMITTED	the map is started, was exported, or is from an export
 * DOCA_ERROR_ALREADY_EXIST	it has the device already
 * DOCA_ERROR_NO_MEMORY		it has the greatest number of devices already, or out of
 *				memory
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * doca_mmap_rm_dev - remove a device
 * @mmap: the map, not started
 * @dev: the device
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_NOT_PERMITTED if the map is started, was exported or is from an export;
 * DOCA_ERROR_NOT_FOUND if it has no such device
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * doca_mmap_start - let the devices reach the memory
 * @mmap: the map, with a range and at least one device
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	@mmap is NULL, the map has no range or no device, or some
 *				of the memory is not mapped, or not writable although
 *				a device shall write
 * DOCA_ERROR_BAD_STATE		it is started
 * DOCA_ERROR_NOT_PERMITTED	it was exported or is from an export, or called in a child
 *				of the process that opened the device
 * DOCA_ERROR_NO_MEMORY		over RLIMIT_MEMLOCK: the log says how much is needed, used
 *				and allowed; or out of memory
 * DOCA_ERROR_FULL		the device has no room for another registration
 * DOCA_ERROR_IO_FAILED		the device is gone
 * DOCA_ERROR_DRIVER		the device refused
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * doca_mmap_stop - no device reaches the memory any more
 * @mmap: the map; need not be started
 *
 * The memory is unpinned on return. Export descriptors of the map are void: peers get
 * errors.
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @mmap is NULL; DOCA_ERROR_NOT_PERMITTED
 * if there are doca_bufs in the map (not found out if it is thread safe)
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * doca_mmap_set_free_cb - be told when the memory is not needed any more
 * @mmap: the map, not started
 * @free_cb: called in doca_mmap_destroy() if the map was started once; NULL for none
 * @opaque: its last argument
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @mmap is NULL; DOCA_ERROR_BAD_STATE if
 * the map is started
 */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap,
				   doca_mmap_memrange_free_cb_t *free_cb,
				   void *opaque);

/**
 * doca_mmap_set_user_data - set the user data
 * @mmap: the map, not started
 * @user_data: whatever the application likes
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @mmap is NULL; DOCA_ERROR_BAD_STATE if
 * the map is started
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap,
				     union doca_data user_data);

/**
 * doca_mmap_get_user_data - get the user data
 * @mmap: the map
 * @user_data: filled in; all zero if never set
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap,
				     union doca_data *user_data);

/**
 * doca_mmap_get_num_bufs - number of doca_bufs in the map
 * @mmap: the map
 * @num_bufs: their number; 0 if the map is thread safe
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap,
				    uint32_t *num_bufs);

/**
 * doca_mmap_get_exported - was the map exported?
 * @mmap: the map
 * @exported: 1 or 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap,
				    uint8_t *exported);

/**
 * doca_mmap_get_from_export - was the map made from an export descriptor?
 * @mmap: the map
 * @from_export: 1 or 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap,
				       uint8_t *from_export);

/**
 * doca_mmap_enable_thread_safety - let several threads use the map
 * @mmap: the map, not started and without doca_bufs
 *
 * Afterwards doca_bufs may be made and given back in the map by several threads (each with
 * its own inventory), and the getters may be called by all. doca_bufs are not counted, so
 * it is the application that has to see to it that there are none when the map is stopped.
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @mmap is NULL; DOCA_ERROR_NOT_PERMITTED
 * if the map is started or has doca_bufs
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/**
 * doca_mmap_get_mkey - get the memory key that a device has for the map
 * @mmap: the map, started
 * @dev: one of its devices
 * @mkey: the key, in host byte order. A different one after each start
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_BAD_STATE if the map is not started; DOCA_ERROR_NOT_FOUND if it does not have
 * the device
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, struct doca_dev *dev,
				uint32_t *mkey);

/**
 * doca_mmap_export_rdma - make an export descriptor for peers on the network
 * @mmap: the map, started, with one of DOCA_ACCESS_FLAG_RDMA_*
 * @dev: one of its devices: the one that peers reach it by
 * @export_desc: the descriptor. It belongs to the map, and is valid until it is stopped
 * @export_desc_len: its bytes, less than 1024
 *
 * The same descriptor comes back if the call is repeated. Who has the descriptor and a
 * connection to a queue of this process can access the memory.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_NOT_PERMITTED	the map is not started, has no RDMA_* access, or is from an
 *				export
 * DOCA_ERROR_NOT_FOUND		it does not have the device
 * DOCA_ERROR_NOT_SUPPORTED	the device has no RDMA
 * DOCA_ERROR_NO_MEMORY		out of memory
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap,
				   const struct doca_dev *dev,
				   const void **export_desc,
				   size_t *export_desc_len);

/**
 * doca_mmap_export_pci - make an export descriptor for the DPU of the card
 * @mmap: the map, started, with DOCA_ACCESS_FLAG_PCI_READ_ONLY or _READ_WRITE
 * @dev: one of its devices: a function of the host
 * @export_desc: the descriptor. It belongs to the map, and is valid until it is stopped
 * @export_desc_len: its bytes, less than 1024
 *
 * The same descriptor comes back if the call is repeated. It holds a secret: who has it can
 * read the memory, or write it if the map has that permission, by the DPU of the same card.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_NOT_PERMITTED	the map is not started, has no PCI_* access, or is from an export
 * DOCA_ERROR_NOT_FOUND		it does not have the device
 * DOCA_ERROR_NOT_SUPPORTED	the device is a function of the DPU
 * DOCA_ERROR_IO_FAILED		the device is gone
 * DOCA_ERROR_NO_MEMORY		out of memory
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap,
				  const struct doca_dev *dev,
				  const void **export_desc,
				  size_t *export_desc_len);

/**
 * doca_mmap_create_from_export - make a memory map from an export descriptor
 * @user_data: user data of the new map, or NULL
 * @export_desc: the descriptor. Not needed after the call
 * @export_desc_len: its bytes
 * @dev: device that reaches the memory; for a descriptor of doca_mmap_export_pci() a function
 *	of the DPU on the same card
 * @mmap: the new map, started
 *
 * Whether a peer's memory is there is not found out before a task uses it.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	@export_desc, @dev or @mmap is NULL, this is no export
 *				descriptor, or it is from another card
 * DOCA_ERROR_UNSUPPORTED_VERSION  the descriptor is from another version of the library
 * DOCA_ERROR_NOT_SUPPORTED	the device has no RDMA, or is a function of the host
 * DOCA_ERROR_NOT_PERMITTED	PCI: the memory is not exported (any more), or the descriptor is
 *				not genuine
 * DOCA_ERROR_FULL		PCI: the device has no room for another registration
 * DOCA_ERROR_IO_FAILED		the device is gone
 * DOCA_ERROR_NO_MEMORY		out of memory
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data,
					  const void *export_desc,
					  size_t export_desc_len,
					  struct doca_dev *dev,
					  struct doca_mmap **mmap);

/**
 * doca_mmap_cap_is_export_pci_supported - does doca_mmap_export_pci() work?
 * @devinfo: the device
 * @mmap_export: 1 on functions of the host, else 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t
doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
				      uint8_t *mmap_export);

/**
 * doca_mmap_cap_is_create_from_export_pci_supported - and on the other side?
 * @devinfo: the device
 * @from_export: 1 on functions of the DPU, else 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t
doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
						  uint8_t *from_export);

/**
 * doca_mmap_set_dmabuf_memrange - set a range that lies in a dmabuf
 * @mmap: the map, not started
 * @dmabuf_fd: file descriptor of a dmabuf, of any driver. Not needed after the call
 * @addr: address that doca_bufs know the first byte by; it need not be mapped here, and may be
 *	NULL: then doca_bufs count from 0
 * @dmabuf_offset: bytes from the start of the dmabuf to the range
 * @len: bytes, not 0
 *
 * The memory is the dmabuf's: it stays in place while the map is started, and counts against
 * no limit of this process. Whether the range is in the dmabuf shows in doca_mmap_start():
 * DOCA_ERROR_INVALID_VALUE if it is not, or if this is no dmabuf; DOCA_ERROR_NOT_PERMITTED if
 * the map has a permission to write and the descriptor has not.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	@mmap is NULL, @len is 0, a range wraps, or no file descriptor
 * DOCA_ERROR_BAD_STATE		the map is started
 * DOCA_ERROR_NOT_PERMITTED	it has a range already, or was exported, or is from an export
 * DOCA_ERROR_NO_MEMORY		no file descriptor is left
 */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd,
					   void *addr, size_t dmabuf_offset,
					   size_t len);

/**
 * doca_mmap_set_dpa_memrange - set a range in the memory of a DPA
 * @mmap: the map
 * @dpa: the DPA
 * @dpa_addr: address in it
 * @len: bytes, not 0
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED: the devices have no DPA; DOCA_ERROR_INVALID_VALUE if an
 * argument is NULL or 0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap,
					struct doca_dpa *dpa, uint64_t dpa_addr,
					size_t len);

/**
 * doca_mmap_dev_get_dpa_handle - the map as the DPA knows it
 * @mmap: the map
 * @dev: one of its devices
 * @dpa_mmap_handle: not written
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED: the devices have no DPA; DOCA_ERROR_INVALID_VALUE if an
 * argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap,
					  const struct doca_dev *dev,
					  doca_dpa_dev_mmap_t *dpa_mmap_handle);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
