/* SPDX-License-Identifier: MIT */
/**
 * DOCA devices: finding, asking and opening them.
 *
 * A device is a DPU that doca.ko serves as /dev/doca/<n>. A doca_devinfo says
 * what a device is and can do, a doca_dev is an open device: the parent of all
 * contexts and memory maps.
 *
 * Lists of devices can be had in two forms, with the same elements: as an object
 * (doca_devinfo_list_create()) and as an array of the SDK's form
 * (doca_devinfo_create_list()).
 *
 * Threads: every function here may be called from any thread at any time, but for
 * a list, a doca_devinfo or a doca_dev that another thread is just ending.
 *
 * fork(): a child can only close what its parent opened; all else fails with
 * DOCA_ERROR_NOT_PERMITTED. A child that opens the device by itself gets its own.
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_devinfo_list;
struct doca_devinfo_rep;

/* Sizes in bytes; those of strings hold the terminating NUL. */
#define DOCA_DEVINFO_VUID_SIZE		128
#define DOCA_DEVINFO_IPV4_ADDR_SIZE	4
#define DOCA_DEVINFO_IPV6_ADDR_SIZE	16
#define DOCA_DEVINFO_MAC_ADDR_SIZE	6
#define DOCA_DEVINFO_IFACE_NAME_SIZE	256
#define DOCA_DEVINFO_IBDEV_NAME_SIZE	64
#define DOCA_DEVINFO_PCI_ADDR_SIZE	13	/* "0000:3a:00.0" */
#define DOCA_DEVINFO_PCI_BDF_SIZE	8	/* "3a:00.0" */
#define DOCA_DEVINFO_REP_VUID_SIZE	128
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE	13
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE	8
#define DOCA_DEVINFO_MODEL_SIZE		16

/**
 * enum doca_devinfo_rep_filter - kinds of representor
 */
enum doca_devinfo_rep_filter {
	DOCA_DEVINFO_REP_FILTER_ALL = 0,
	DOCA_DEVINFO_REP_FILTER_NET = 2,
	DOCA_DEVINFO_REP_FILTER_EMULATED = 4,
};

/*
 * What struct doca_devinfo_caps.caps consists of.
 */
#define DOCA_DEVINFO_CAP_DMA_MEMCPY	(UINT64_C(1) << 0)	/* doca_dma */
#define DOCA_DEVINFO_CAP_RDMA_WRITE	(UINT64_C(1) << 1)	/* doca_rdma */
#define DOCA_DEVINFO_CAP_EXPORT_RDMA	(UINT64_C(1) << 2)	/* doca_mmap */
#define DOCA_DEVINFO_CAP_EXPORT_PCI	(UINT64_C(1) << 3)	/* a function of the host */
#define DOCA_DEVINFO_CAP_IMPORT_PCI	(UINT64_C(1) << 4)	/* a function of the DPU */

/**
 * struct doca_devinfo_caps - capabilities of a device
 * @caps: DOCA_DEVINFO_CAP_*; bits that are not defined here are 0
 * @model: model of the DPU, NUL-terminated if it is shorter
 * @serial: serial number of the card, the same for all its functions
 * @num_comp_vectors: completion vectors to choose from
 * @max_channels: event channels of all processes together
 * @max_queues: queues (one for each DMA context or RDMA connection), likewise
 * @max_mmaps: memory registrations, likewise
 * @dma_max_buf_size: bytes in one memory copy
 * @dma_max_buf_list_len: buffers in its source list, and in its destination list
 * @dma_max_num_tasks: tasks of one DMA context
 * @rdma_max_message_size: bytes in one RDMA task
 * @rdma_max_send_buf_list_len: buffers in its source list
 * @rdma_max_send_queue_size: tasks in flight on one connection
 *
 * Figures of an engine that the device lacks are 0.
 */
struct doca_devinfo_caps {
	uint64_t caps;
	char model[DOCA_DEVINFO_MODEL_SIZE];
	uint64_t serial;
	uint32_t num_comp_vectors;
	uint32_t max_channels;
	uint32_t max_queues;
	uint32_t max_mmaps;
	uint64_t dma_max_buf_size;
	uint32_t dma_max_buf_list_len;
	uint32_t dma_max_num_tasks;
	uint64_t rdma_max_message_size;
	uint32_t rdma_max_send_buf_list_len;
	uint32_t rdma_max_send_queue_size;
};

/**
 * doca_devinfo_list_create - find the devices
 * @list: the new list
 *
 * The list is a picture of this moment. Devices that exist but cannot be used are
 * left out, and the log says why; if no usable one is left, the last reason is the
 * error.
 *
 * Return:
 * DOCA_SUCCESS			there is at least one device in the list
 * DOCA_ERROR_NOT_FOUND		there is no device: no DPU, or doca.ko is not loaded
 * DOCA_ERROR_NOT_PERMITTED	the user may not open /dev/doca/<n>
 * DOCA_ERROR_UNSUPPORTED_VERSION  doca.ko and libdoca do not fit together
 * DOCA_ERROR_INVALID_VALUE	@list is NULL
 * DOCA_ERROR_NO_MEMORY		out of memory
 * DOCA_ERROR_OPERATING_SYSTEM	anything else; the log has the reason
 */
DOCA_STABLE
doca_error_t doca_devinfo_list_create(struct doca_devinfo_list **list);

/**
 * doca_devinfo_list_destroy - give back a list and its elements
 * @list: the list; NULL is fine
 *
 * Devices that were opened from its elements stay open.
 *
 * Return: DOCA_SUCCESS
 */
DOCA_STABLE
doca_error_t doca_devinfo_list_destroy(struct doca_devinfo_list *list);

/**
 * doca_devinfo_list_get_count - number of elements
 * @list: the list
 * @count: the number, at least 1
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_devinfo_list_get_count(const struct doca_devinfo_list *list,
					 uint32_t *count);

/**
 * doca_devinfo_list_get_devinfo - get an element
 * @list: the list
 * @index: from 0, in ascending order of the n of /dev/doca/<n>
 * @devinfo: the element; it belongs to the list and goes with it
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if there is no such element or
 * a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_devinfo_list_get_devinfo(const struct doca_devinfo_list *list,
					   uint32_t index,
					   struct doca_devinfo **devinfo);

/**
 * doca_devinfo_create_list - find the devices, as an array
 * @dev_list: array of @nb_devs pointers
 * @nb_devs: number of devices, at least 1
 *
 * Return: as doca_devinfo_list_create()
 */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list,
				      uint32_t *nb_devs);

/**
 * doca_devinfo_destroy_list - give back an array and its elements
 * @dev_list: from doca_devinfo_create_list()
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if @dev_list is NULL
 */
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * doca_devinfo_get_caps - what a device can do
 * @devinfo: the device
 * @caps: filled in
 *
 * The doca_*_cap_* functions of the modules tell the same one by one.
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_caps(const struct doca_devinfo *devinfo,
				   struct doca_devinfo_caps *caps);

/**
 * doca_devinfo_get_pci_addr - PCI address as a string
 * @devinfo: the device
 * @pci_addr: the address in the form "0000:3a:00.0", with its NUL
 * @size: bytes at @pci_addr, at least DOCA_DEVINFO_PCI_ADDR_SIZE
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if a pointer is NULL or @size
 * too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
				       char *pci_addr, uint32_t size);

/**
 * doca_devinfo_get_pci_addr_str - PCI address as a string, SDK form
 * @devinfo: the device
 * @pci_addr_str: room for DOCA_DEVINFO_PCI_ADDR_SIZE bytes
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo,
					   char *pci_addr_str);

/**
 * doca_devinfo_is_equal_pci_addr - compare with a PCI address
 * @devinfo: the device
 * @pci_addr_str: "0000:3a:00.0", or "3a:00.0" which means domain 0; the case of
 *	letters does not matter
 * @is_equal: 1 or 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if a pointer is NULL or the
 * string has neither form
 */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
					    const char *pci_addr_str,
					    uint8_t *is_equal);

/**
 * doca_devinfo_get_iface_name - name of the network interface
 * @devinfo: the device
 * @iface_name: the name with its NUL
 * @size: bytes at @iface_name, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 *
 * These devices have no netdev. The name is "doca<n>" for /dev/doca/<n>, so that a
 * program can select a device by it.
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if a pointer is NULL or @size
 * too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo,
					 char *iface_name, uint32_t size);

/**
 * doca_devinfo_get_ibdev_name - name of the RDMA device
 * @devinfo: the device
 * @ibdev_name: the name with its NUL
 * @size: bytes at @ibdev_name, at least DOCA_DEVINFO_IBDEV_NAME_SIZE
 *
 * The same name as of doca_devinfo_get_iface_name(); there is no device under
 * /sys/class/infiniband.
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if a pointer is NULL or @size
 * too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo,
					 char *ibdev_name, uint32_t size);

/**
 * doca_devinfo_get_mac_addr - link-level address
 * @devinfo: the device
 * @mac_addr: the address
 * @size: bytes at @mac_addr, at least DOCA_DEVINFO_MAC_ADDR_SIZE
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if a pointer is NULL or @size
 * too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo,
				       uint8_t *mac_addr, uint32_t size);

/**
 * doca_devinfo_get_ipv4_addr - IPv4 address of the interface
 * @devinfo: the device
 * @ipv4_addr: not written
 * @size: bytes at @ipv4_addr, at least DOCA_DEVINFO_IPV4_ADDR_SIZE
 *
 * Return: DOCA_ERROR_NOT_FOUND: these devices have none. DOCA_ERROR_INVALID_VALUE if
 * a pointer is NULL or @size too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo,
					uint8_t *ipv4_addr, uint32_t size);

/**
 * doca_devinfo_get_ipv6_addr - network address
 * @devinfo: the device
 * @ipv6_addr: the GID of the device, which has the form of an IPv6 address
 * @size: bytes at @ipv6_addr, at least DOCA_DEVINFO_IPV6_ADDR_SIZE
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if a pointer is NULL or @size
 * too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo,
					uint8_t *ipv6_addr, uint32_t size);

/**
 * doca_devinfo_get_lid - InfiniBand local identifier
 * @devinfo: the device
 * @lid: not written
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED: these devices have none.
 * DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo,
				  uint16_t *lid);

/**
 * doca_devinfo_get_active_rate - speed of the link
 * @devinfo: the device
 * @active_rate: not written (in the SDK: bits per second)
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED: these devices do not tell.
 * DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
					  uint64_t *active_rate);

/**
 * doca_devinfo_get_vhca_id - identifier of the function in its card
 * @devinfo: the device
 * @vhca_id: number of the function in its card, which counts both sides
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo,
				      uint16_t *vhca_id);

/**
 * doca_devinfo_get_pci_func_type - kind of PCI function
 * @devinfo: the device
 * @pci_func_type: always DOCA_PCI_FUNC_TYPE_PF
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
					    enum doca_pci_func_type *pci_func_type);

/**
 * doca_devinfo_get_sf_index - number of the scalable function
 * @devinfo: the device
 * @sf_index: not written
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED: none of these devices is a scalable function.
 * DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo,
				       uint32_t *sf_index);

/**
 * doca_devinfo_cap_is_hotplug_manager_supported - can it plug emulated devices?
 * @devinfo: the device
 * @is_hotplug_manager: always 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t
doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
					      uint8_t *is_hotplug_manager);

/**
 * doca_devinfo_cap_is_notification_moderation_supported - fewer interrupts?
 * @devinfo: the device
 * @is_notification_moderation_supported: always 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_cap_is_notification_moderation_supported(const struct doca_devinfo *devinfo,
						      uint8_t *is_notification_moderation_supported);

/**
 * doca_devinfo_cap_is_accelerate_resource_reclaim_supported - as the name says
 * @devinfo: the device
 * @is_accelerate_resource_reclaim: always 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
							  uint8_t *is_accelerate_resource_reclaim);

/**
 * doca_dev_accelerate_resource_reclaim - give back resources early
 * @dev: the device
 *
 * Return: DOCA_ERROR_NOT_SUPPORTED: resources of these devices are given back at
 * once anyway. DOCA_ERROR_INVALID_VALUE if @dev is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/**
 * doca_dev_open - open a device
 * @devinfo: what to open
 * @dev: the open device
 *
 * Gives the process a protection domain on the device. A device that the process
 * has open already is not opened again: the same object comes back, and needs one
 * more doca_dev_close().
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_NOT_CONNECTED	the device is not there any more
 * DOCA_ERROR_NOT_PERMITTED	the user may not open it
 * DOCA_ERROR_UNSUPPORTED_VERSION  doca.ko and libdoca do not fit together
 * DOCA_ERROR_FULL		too many processes have it open: no free doorbell page
 * DOCA_ERROR_NO_MEMORY		out of memory
 * DOCA_ERROR_DRIVER		the device refused
 * DOCA_ERROR_OPERATING_SYSTEM	anything else; the log has the reason
 */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * doca_dev_close - close a device
 * @dev: the device; NULL is fine
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_IN_USE if it is the last close and a context, a
 * memory map, an event channel or a representor still needs the device; nothing has happened
 * then
 */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * doca_dev_as_devinfo - what an open device is
 * @dev: the device
 *
 * Return: valid until the device is closed; NULL if @dev is NULL
 */
DOCA_STABLE
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/*
 * Representors stand for the functions of the host, on the DPU's side of a card. A device
 * that is a function of the DPU has one for each function of the host of the same card.
 */

/**
 * doca_devinfo_rep_create_list - find the representors of a device
 * @dev: the device, a function of the DPU
 * @filter: DOCA_DEVINFO_REP_FILTER_ALL or _NET: all functions of the host
 * @dev_list_rep: array of @nb_devs_rep pointers; it keeps the device open
 * @nb_devs_rep: number of representors, 0 if there is none now
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	a pointer is NULL, or an unknown bit in @filter
 * DOCA_ERROR_NOT_SUPPORTED	the device is a function of the host; or only
 *				DOCA_DEVINFO_REP_FILTER_EMULATED is asked for
 * DOCA_ERROR_NO_MEMORY
 * DOCA_ERROR_DRIVER		the device did not tell; the log has the reason
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep);

/**
 * doca_devinfo_rep_destroy_list - give back an array and its elements
 * @dev_list_rep: from doca_devinfo_rep_create_list()
 *
 * Representors that were opened from its elements stay open.
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if @dev_list_rep is NULL
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/**
 * doca_devinfo_rep_cap_is_filter_all_supported - are there representors?
 * @devinfo: the device
 * @filter_all_supported: 1 on functions of the DPU, else 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t
doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
					     uint8_t *filter_all_supported);

/**
 * doca_devinfo_rep_cap_is_filter_net_supported - are there network representors?
 * @devinfo: the device
 * @filter_net_supported: 1 on functions of the DPU, else 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t
doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
					     uint8_t *filter_net_supported);

/**
 * doca_devinfo_rep_cap_is_filter_emulated_supported - and of emulated devices?
 * @devinfo: the device
 * @filter_emulated_supported: always 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t
doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
						  uint8_t *filter_emulated_supported);

/**
 * doca_devinfo_rep_get_vuid - unique identifier
 * @devinfo_rep: the representor
 * @rep_vuid: made of the card's serial number and the function's number
 * @size: bytes at @rep_vuid, at least DOCA_DEVINFO_REP_VUID_SIZE
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if a pointer is NULL or @size too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep,
				       char *rep_vuid, uint32_t size);

/**
 * doca_devinfo_rep_get_pci_addr_str - PCI address, as the host sees it
 * @devinfo_rep: the representor
 * @pci_addr_str: room for DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t
doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
				  char *pci_addr_str);

/**
 * doca_devinfo_rep_is_equal_pci_addr - compare with a PCI address
 * @devinfo_rep: the representor
 * @pci_addr_str: as for doca_devinfo_is_equal_pci_addr()
 * @is_equal: 1 or 0
 *
 * Return: as doca_devinfo_is_equal_pci_addr()
 */
DOCA_STABLE
doca_error_t
doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
				   const char *pci_addr_str, uint8_t *is_equal);

/**
 * doca_devinfo_rep_get_pci_func_type - kind of PCI function
 * @devinfo_rep: the representor
 * @pci_func_type: always DOCA_PCI_FUNC_TYPE_PF
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t
doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
				   enum doca_pci_func_type *pci_func_type);

/**
 * doca_devinfo_rep_get_is_hotplug - was it plugged by the DPU?
 * @devinfo_rep: the representor
 * @is_hotplug: always 0
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_STABLE
doca_error_t
doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
				uint8_t *is_hotplug);

/**
 * doca_devinfo_rep_get_iface_name - name of the network interface
 * @devinfo_rep: the representor
 * @iface_name: "pf<n>hpf" for function n; there is no netdev of this name
 * @size: bytes at @iface_name, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if a pointer is NULL or @size too small
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
				char *iface_name, uint32_t size);

/**
 * doca_devinfo_rep_get_vhca_id - identifier of the function in its card
 * @devinfo_rep: the representor
 * @vhca_id: as doca_devinfo_get_vhca_id() gives it on the host
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
			     uint16_t *vhca_id);

/**
 * doca_dev_rep_open - open a representor
 * @devinfo: the representor
 * @dev_rep: the open representor; it keeps the device open
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_NO_MEMORY
 */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo,
			       struct doca_dev_rep **dev_rep);

/**
 * doca_dev_rep_close - close a representor
 * @dev: the representor
 *
 * Return: DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if @dev is NULL
 */
DOCA_STABLE
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/**
 * doca_dev_rep_as_devinfo - what an open representor is
 * @dev_rep: the representor
 *
 * Return: valid until it is closed; NULL if @dev_rep is NULL
 */
DOCA_STABLE
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H_ */
