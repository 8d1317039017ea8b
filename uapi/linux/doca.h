/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * doca.ko: the ioctl ABI of /dev/doca/<n>. Prose: Documentation/ioctl.rst.
 *
 * Each open file owns one protection domain of the device with a table of
 * objects: memory regions, event channels, queues. Objects have ids, unique
 * in the file, never 0. All of them go with the last close of the file.
 *
 * Rules that hold for every command:
 *
 * - The struct begins with @size, the caller's sizeof. A size below the
 *   command's minimum - the size of its first published version - is EINVAL. A
 *   larger one is fine if what the kernel does not know is zero, E2BIG if not.
 *   Nothing is written beyond @size.
 * - @flags and fields named __reserved must be zero, unless said otherwise.
 * - The layout is the same for 32 and 64 bit, and there is no padding.
 * - On an error nothing has happened, and no out_* field is meaningful.
 *
 * What the errors mean, for every command:
 *
 * ENOTTY	unknown command
 * E2BIG	non-zero bytes behind the part of the struct that is known here
 * EINVAL	a field is out of its range, an unknown flag or a non-zero
 *		reserved field, or an object of the wrong kind
 * EFAULT	the struct, or memory that it names, is not accessible
 * EOPNOTSUPP	the device, or its platform, cannot do this
 * ENOENT	no object with this id
 * EBADF	not an open file descriptor
 * EACCES	the file descriptor does not allow it
 * EBUSY	other objects depend on this one
 * ENOSPC	no free entry: the device's limit, or the file's
 * EDQUOT	over RLIMIT_MEMLOCK of the process
 * ENOMEM	the kernel is out of memory
 * ENOTCONN	no domain yet: DOCA_IOCTL_DOMAIN_ALLOC comes first
 * EEXIST	it has been done before and can be done once
 * EOVERFLOW	address and length, or a count, go over the end
 * EPERM	called from another process than the one that opened the file
 * EINTR	a fatal signal ended a wait
 * EIO		the device refused the command
 * ENODEV	the device is gone, or was reset since the file was opened
 */
#ifndef _UAPI_LINUX_DOCA_H
#define _UAPI_LINUX_DOCA_H

#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/doca_queue.h>

/* Goes up when a change breaks old callers; same as the module's. */
#define DOCA_ABI_VERSION		1

#define DOCA_IOCTL_TYPE			0xdc

enum {
	DOCA_CMD_BASE = 0x80,
	DOCA_CMD_DEVICE_INFO = DOCA_CMD_BASE,
	DOCA_CMD_ENGINE_INFO,
	DOCA_CMD_DOMAIN_ALLOC,
	DOCA_CMD_REGION_CREATE,
	DOCA_CMD_CHANNEL_CREATE,
	DOCA_CMD_QUEUE_CREATE,
	DOCA_CMD_QUEUE_CONNECT,
	DOCA_CMD_QUEUE_STOP,
	DOCA_CMD_DESTROY,
	DOCA_CMD_REGION_SHARE,
	DOCA_CMD_REGION_IMPORT,
	DOCA_CMD_FUNCTION_INFO,
};

#define DOCA_NAME_LEN			16

/**
 * struct doca_device_info - ioctl(DOCA_IOCTL_DEVICE_INFO)
 * @size: sizeof(struct doca_device_info)
 * @flags: must be 0
 * @out_abi_version: DOCA_ABI_VERSION of the module
 * @out_pci_domain: PCI address of the function
 * @out_pci_bus: ...
 * @out_pci_device: ...
 * @out_pci_function: ...
 * @out_name: "doca<n>", for /dev/doca/<n>
 * @out_model: model of the DPU, as the device says it
 * @out_serial: of the card
 * @out_gid: network address
 * @out_mac: link-level address
 * @out_engines: bit n: DOCA_ENGINE_n is there
 * @out_num_comp_vectors: interrupt vectors that a channel can choose from
 * @out_max_regions: of all files of the device together
 * @out_max_channels: likewise
 * @out_max_queues: likewise
 * @out_max_channel_entries: completion ring entries of one channel
 * @out_max_region_pages: page-list entries of one region
 * @out_side: DOCA_SIDE_HOST or DOCA_SIDE_DPU
 * @out_function_number: of this function in the card
 * @__reserved: 0
 *
 * Works without a domain.
 */
struct doca_device_info {
	__u32 size;
	__u32 flags;
	__u32 out_abi_version;
	__u32 out_pci_domain;
	__u8 out_pci_bus;
	__u8 out_pci_device;
	__u8 out_pci_function;
	__u8 __reserved0;
	__u32 out_engines;
	__u8 out_name[DOCA_NAME_LEN];
	__u8 out_model[DOCA_NAME_LEN];
	__aligned_u64 out_serial;
	struct doca_gid out_gid;
	__u8 out_mac[6];
	__u8 __reserved1[2];
	__u32 out_num_comp_vectors;
	__u32 out_max_regions;
	__u32 out_max_channels;
	__u32 out_max_queues;
	__u32 out_max_channel_entries;
	__u32 out_max_region_pages;
	__u32 out_side;
	__u32 out_function_number;
};
#define DOCA_IOCTL_DEVICE_INFO	_IO(DOCA_IOCTL_TYPE, DOCA_CMD_DEVICE_INFO)

/**
 * struct doca_engine_info - ioctl(DOCA_IOCTL_ENGINE_INFO)
 * @size: sizeof(struct doca_engine_info)
 * @flags: must be 0
 * @engine: DOCA_ENGINE_*
 * @out_opcodes: bit n: opcode n is there
 * @out_max_list_len: pieces in one source or destination list
 * @out_max_queue_entries: submission ring entries of one queue
 * @out_max_transfer: bytes in one descriptor
 *
 * EOPNOTSUPP: the device lacks the engine. Works without a domain.
 */
struct doca_engine_info {
	__u32 size;
	__u32 flags;
	__u32 engine;
	__u32 out_opcodes;
	__u32 out_max_list_len;
	__u32 out_max_queue_entries;
	__aligned_u64 out_max_transfer;
};
#define DOCA_IOCTL_ENGINE_INFO	_IO(DOCA_IOCTL_TYPE, DOCA_CMD_ENGINE_INFO)

/**
 * struct doca_status_page - what the kernel tells pollers without a call
 * @removed: not 0: the device is gone, or was reset; nothing that is in flight
 *	will complete any more, and every call gives ENODEV
 *
 * Mapped read-only. A poller looks here when its rings are empty.
 */
struct doca_status_page {
	__u32 removed;
};

/**
 * struct doca_domain_alloc - ioctl(DOCA_IOCTL_DOMAIN_ALLOC)
 * @size: sizeof(struct doca_domain_alloc)
 * @flags: must be 0
 * @out_page_size: bytes to map for each of the two pages
 * @__reserved: must be 0
 * @out_doorbell_key: mmap() offset of the doorbell page: shared, writable, not
 *	readable or executable mappings only
 * @out_status_key: mmap() offset of the struct doca_status_page: shared, read-only
 *
 * Gives the file its protection domain. Once per file (EEXIST). ENOSPC: the
 * device has no free doorbell page.
 */
struct doca_domain_alloc {
	__u32 size;
	__u32 flags;
	__u32 out_page_size;
	__u32 __reserved;
	__aligned_u64 out_doorbell_key;
	__aligned_u64 out_status_key;
};
#define DOCA_IOCTL_DOMAIN_ALLOC	_IO(DOCA_IOCTL_TYPE, DOCA_CMD_DOMAIN_ALLOC)

/**
 * struct doca_region_create - ioctl(DOCA_IOCTL_REGION_CREATE)
 * @size: sizeof(struct doca_region_create)
 * @flags: 0, or DOCA_REGION_DMABUF
 * @access: DOCA_KEY_*
 * @__reserved: must be 0
 * @addr: start of the memory in the caller's address space, any alignment; with
 *	DOCA_REGION_DMABUF whatever descriptors shall call its first byte
 * @length: bytes, not 0
 * @out_id: object id
 * @out_mkey: memory key for descriptors; in them, addresses are the caller's
 * @out_page_shift: log2 of the pages that the device was given
 * @out_num_pages: how many of them
 * @dmabuf_fd: with DOCA_REGION_DMABUF: file descriptor of a dmabuf, else 0. Not
 *	needed after the call
 * @__reserved1: must be 0
 * @dmabuf_offset: with DOCA_REGION_DMABUF: first byte in it, else 0
 *
 * Pins the memory and gives the device access to it. EFAULT: a page cannot be
 * pinned for this access (not mapped, not writable, device memory). EDQUOT:
 * over RLIMIT_MEMLOCK. EOVERFLOW: the range wraps. ENOSPC: no free key, or more
 * than out_max_region_pages.
 *
 * With DOCA_REGION_DMABUF the memory is that of a dmabuf of any driver, which
 * stays in place until the region is destroyed; it is charged to nobody. EBADF: no
 * file descriptor. EINVAL: not of a dmabuf, or the range is not in it. EACCES: a
 * right to write, and a descriptor for reading. Other errors are the exporter's.
 */
#define DOCA_REGION_DMABUF		(1U << 0)
struct doca_region_create {
	__u32 size;
	__u32 flags;
	__u32 access;
	__u32 __reserved;
	__aligned_u64 addr;
	__aligned_u64 length;
	__u32 out_id;
	__u32 out_mkey;
	__u32 out_page_shift;
	__u32 out_num_pages;
	__s32 dmabuf_fd;
	__u32 __reserved1;
	__aligned_u64 dmabuf_offset;
};
#define DOCA_IOCTL_REGION_CREATE _IO(DOCA_IOCTL_TYPE, DOCA_CMD_REGION_CREATE)

/**
 * struct doca_channel_create - ioctl(DOCA_IOCTL_CHANNEL_CREATE)
 * @size: sizeof(struct doca_channel_create)
 * @flags: O_CLOEXEC and O_NONBLOCK, for the new file descriptor
 * @entries: completion ring entries wanted; rounded up to a power of two
 * @comp_vector: below out_num_comp_vectors, or DOCA_COMP_VECTOR_ANY
 * @out_id: object id
 * @out_fd: event file descriptor
 * @out_cq: number of the ring, for DOCA_DB_ARM
 * @out_entries: what the ring really has
 * @out_ring_key: mmap() offset of the ring: struct doca_cqe[out_entries], shared,
 *	read-only
 * @out_ring_size: bytes to map
 *
 * An event channel: a completion ring and its interrupt notification. The file
 * descriptor becomes readable (EPOLLIN) when the armed ring has an entry.
 * read() of 8 bytes gives the number of events since the last read as a __u64
 * and blocks while it is 0, or gives EAGAIN; fewer bytes are EINVAL. When the
 * device is gone: EPOLLERR | EPOLLHUP, and read() gives ENODEV.
 *
 * DOCA_IOCTL_DESTROY of a channel is EBUSY while queues report to it. The
 * file descriptor is closed by its owner as any other; it may outlive the
 * channel, and is then as if the device were gone.
 */
#define DOCA_COMP_VECTOR_ANY		0xffffffffU
struct doca_channel_create {
	__u32 size;
	__u32 flags;
	__u32 entries;
	__u32 comp_vector;
	__u32 out_id;
	__s32 out_fd;
	__u32 out_cq;
	__u32 out_entries;
	__aligned_u64 out_ring_key;
	__aligned_u64 out_ring_size;
};
#define DOCA_IOCTL_CHANNEL_CREATE _IO(DOCA_IOCTL_TYPE, DOCA_CMD_CHANNEL_CREATE)

/**
 * struct doca_queue_create - ioctl(DOCA_IOCTL_QUEUE_CREATE)
 * @size: sizeof(struct doca_queue_create)
 * @flags: must be 0
 * @engine: DOCA_ENGINE_*
 * @channel_id: event channel of this file that the completions go to
 * @entries: ring entries wanted; rounded up to a power of two
 * @tag: returned in each completion
 * @out_id: object id
 * @out_queue: number of the queue, for DOCA_DB_SUBMIT and for peers
 * @out_entries: what the ring really has
 * @__reserved: must be 0
 * @out_ring_key: mmap() offset of the ring: struct doca_sqe[out_entries], shared,
 *	read-write
 * @out_ring_size: bytes to map
 *
 * ENOSPC: no free queue, or the completion ring has not enough room: the
 * entries of all queues of a channel together may not be more than the
 * channel's. A completion ring can therefore not overflow.
 */
struct doca_queue_create {
	__u32 size;
	__u32 flags;
	__u32 engine;
	__u32 channel_id;
	__u32 entries;
	__u32 tag;
	__u32 out_id;
	__u32 out_queue;
	__u32 out_entries;
	__u32 __reserved;
	__aligned_u64 out_ring_key;
	__aligned_u64 out_ring_size;
};
#define DOCA_IOCTL_QUEUE_CREATE	_IO(DOCA_IOCTL_TYPE, DOCA_CMD_QUEUE_CREATE)

/**
 * struct doca_queue_connect - ioctl(DOCA_IOCTL_QUEUE_CONNECT)
 * @size: sizeof(struct doca_queue_connect)
 * @flags: must be 0
 * @queue_id: queue of DOCA_ENGINE_RDMA
 * @remote_queue: out_queue of the peer
 * @remote_gid: out_gid of the peer's device
 * @retry_ms: how long to go on trying while the peer does not answer, in
 *	milliseconds; 0 for the default, at most DOCA_RETRY_MAX_MS
 * @__reserved: must be 0
 *
 * Both sides have to do it. EEXIST: connected already.
 */
#define DOCA_RETRY_MAX_MS		60000
#define DOCA_RETRY_DEFAULT_MS		4000
struct doca_queue_connect {
	__u32 size;
	__u32 flags;
	__u32 queue_id;
	__u32 remote_queue;
	struct doca_gid remote_gid;
	__u32 retry_ms;
	__u32 __reserved;
};
#define DOCA_IOCTL_QUEUE_CONNECT _IO(DOCA_IOCTL_TYPE, DOCA_CMD_QUEUE_CONNECT)

/**
 * struct doca_queue_stop - ioctl(DOCA_IOCTL_QUEUE_STOP)
 * @size: sizeof(struct doca_queue_stop)
 * @flags: must be 0
 * @queue_id: queue
 * @__reserved: must be 0
 *
 * On return the device has written a completion for each descriptor that was
 * rung in, most likely DOCA_CQE_FLUSHED, and touches memory no more. Later
 * descriptors are flushed at once. May be repeated.
 */
struct doca_queue_stop {
	__u32 size;
	__u32 flags;
	__u32 queue_id;
	__u32 __reserved;
};
#define DOCA_IOCTL_QUEUE_STOP	_IO(DOCA_IOCTL_TYPE, DOCA_CMD_QUEUE_STOP)

/**
 * struct doca_destroy - ioctl(DOCA_IOCTL_DESTROY)
 * @size: sizeof(struct doca_destroy)
 * @id: any object of this file
 *
 * On return the device touches nothing of it any more; a region's memory is
 * unpinned and no longer charged. Mappings of a ring stay valid memory until
 * they are unmapped. Succeeds after the device is gone, too; memory was unpinned
 * already when it went.
 */
struct doca_destroy {
	__u32 size;
	__u32 id;
};
#define DOCA_IOCTL_DESTROY	_IO(DOCA_IOCTL_TYPE, DOCA_CMD_DESTROY)

/**
 * struct doca_region_share - ioctl(DOCA_IOCTL_REGION_SHARE)
 * @size: sizeof(struct doca_region_share)
 * @flags: must be 0
 * @region_id: region with DOCA_KEY_PCI_READ or DOCA_KEY_PCI_WRITE
 * @__reserved: must be 0
 * @out_token: random; who has it, and the region's key, can import the region on
 *	the other side of the card. The same one each time
 *
 * On a function of the host only (EOPNOTSUPP). EINVAL: the region has neither
 * right. Destroying the region ends what was imported of it.
 */
struct doca_region_share {
	__u32 size;
	__u32 flags;
	__u32 region_id;
	__u32 __reserved;
	__u8 out_token[DOCA_TOKEN_LEN];
};
#define DOCA_IOCTL_REGION_SHARE	_IO(DOCA_IOCTL_TYPE, DOCA_CMD_REGION_SHARE)

/**
 * struct doca_region_import - ioctl(DOCA_IOCTL_REGION_IMPORT)
 * @size: sizeof(struct doca_region_import)
 * @flags: must be 0
 * @function_number: function of the same card that the region was made on
 * @remote_mkey: key of the region
 * @token: from DOCA_IOCTL_REGION_SHARE
 * @out_id: object id
 * @out_mkey: memory key for descriptors; in them, addresses are the exporter's
 *
 * On a function of the DPU only (EOPNOTSUPP). ENOENT: no such region is shared
 * with this token. The region can be a source, and with DOCA_KEY_PCI_WRITE a
 * destination too; it is not memory of the caller's, and is charged to nobody
 * here. When the exporter ends the region, descriptors that name this one fail
 * with DOCA_CQE_LOCAL_KEY.
 */
struct doca_region_import {
	__u32 size;
	__u32 flags;
	__u32 function_number;
	__u32 remote_mkey;
	__u8 token[DOCA_TOKEN_LEN];
	__u32 out_id;
	__u32 out_mkey;
};
#define DOCA_IOCTL_REGION_IMPORT _IO(DOCA_IOCTL_TYPE, DOCA_CMD_REGION_IMPORT)

/**
 * struct doca_function_info - ioctl(DOCA_IOCTL_FUNCTION_INFO)
 * @size: sizeof(struct doca_function_info)
 * @flags: must be 0
 * @function_number: which function of the card, below DOCA_MAX_FUNCTIONS
 * @out_side: DOCA_SIDE_*
 * @out_pci_domain: PCI address, as the function's own side sees it
 * @out_pci_bus: ...
 * @out_pci_device: ...
 * @out_pci_function: ...
 * @__reserved: must be 0
 *
 * ENOENT: there is no such function now. Works without a domain.
 */
struct doca_function_info {
	__u32 size;
	__u32 flags;
	__u32 function_number;
	__u32 out_side;
	__u32 out_pci_domain;
	__u8 out_pci_bus;
	__u8 out_pci_device;
	__u8 out_pci_function;
	__u8 __reserved;
};
#define DOCA_IOCTL_FUNCTION_INFO _IO(DOCA_IOCTL_TYPE, DOCA_CMD_FUNCTION_INFO)

#endif /* _UAPI_LINUX_DOCA_H */
