/* SPDX-License-Identifier: MIT */
/* Types that several headers share. All of it is SDK behaviour. */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <stdint.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_GID_BYTE_LENGTH		16

/* What epoll and poll wait on. */
typedef int doca_event_handle_t;
typedef doca_event_handle_t doca_notification_handle_t;
#define doca_event_invalid_handle	(-1)

/* Big-endian values. */
typedef __be16 doca_be16_t;
typedef __be32 doca_be32_t;
typedef __be64 doca_be64_t;

/**
 * enum doca_access_flag - rights on registered memory; a bit mask
 * @DOCA_ACCESS_FLAG_LOCAL_READ_ONLY: own devices read (they always may)
 * @DOCA_ACCESS_FLAG_LOCAL_READ_WRITE: own devices write
 * @DOCA_ACCESS_FLAG_RDMA_READ: peers on the network read
 * @DOCA_ACCESS_FLAG_RDMA_WRITE: peers on the network write
 * @DOCA_ACCESS_FLAG_RDMA_ATOMIC: peers on the network do atomics
 * @DOCA_ACCESS_FLAG_PCI_READ_ONLY: the other side of the PCIe link reads
 * @DOCA_ACCESS_FLAG_PCI_READ_WRITE: the other side of the PCIe link reads and
 *	writes
 * @DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING: with relaxed PCIe ordering
 */
enum doca_access_flag {
	DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,
	DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1 << 0,
	DOCA_ACCESS_FLAG_RDMA_READ = 1 << 1,
	DOCA_ACCESS_FLAG_RDMA_WRITE = 1 << 2,
	DOCA_ACCESS_FLAG_RDMA_ATOMIC = 1 << 3,
	DOCA_ACCESS_FLAG_PCI_READ_ONLY = 1 << 4,
	DOCA_ACCESS_FLAG_PCI_READ_WRITE = 1 << 5,
	DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 1 << 6,
};

/**
 * enum doca_pci_func_type - kind of PCI function
 * @DOCA_PCI_FUNC_TYPE_PF: physical function
 * @DOCA_PCI_FUNC_TYPE_VF: virtual function
 * @DOCA_PCI_FUNC_TYPE_SF: sub-function
 */
enum doca_pci_func_type {
	DOCA_PCI_FUNC_TYPE_PF = 0,
	DOCA_PCI_FUNC_TYPE_VF = 1,
	DOCA_PCI_FUNC_TYPE_SF = 2,
};

/**
 * enum doca_gpu_mem_type - where GPU memory lies and who may touch it
 * @DOCA_GPU_MEM_TYPE_GPU: on the GPU, for it alone
 * @DOCA_GPU_MEM_TYPE_GPU_CPU: on the GPU, also for the CPU
 * @DOCA_GPU_MEM_TYPE_CPU_GPU: on the host, also for the GPU
 */
enum doca_gpu_mem_type {
	DOCA_GPU_MEM_TYPE_GPU = 0,
	DOCA_GPU_MEM_TYPE_GPU_CPU = 1,
	DOCA_GPU_MEM_TYPE_CPU_GPU = 2,
};

/**
 * enum doca_eth_wait_on_time_type - support of timed sending
 * @DOCA_ETH_WAIT_ON_TIME_TYPE_NONE: none
 * @DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE: by the device
 * @DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK: through DPDK
 */
enum doca_eth_wait_on_time_type {
	DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0,
	DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1,
	DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2,
};

/**
 * enum doca_mtu_size - path MTU
 * @DOCA_MTU_SIZE_256_BYTES: 256 bytes
 * @DOCA_MTU_SIZE_512_BYTES: 512 bytes
 * @DOCA_MTU_SIZE_1K_BYTES: 1 KiB
 * @DOCA_MTU_SIZE_2K_BYTES: 2 KiB
 * @DOCA_MTU_SIZE_4K_BYTES: 4 KiB
 * @DOCA_MTU_SIZE_RAW_ETHERNET: that of the Ethernet port
 */
enum doca_mtu_size {
	DOCA_MTU_SIZE_256_BYTES = 0,
	DOCA_MTU_SIZE_512_BYTES = 1,
	DOCA_MTU_SIZE_1K_BYTES = 2,
	DOCA_MTU_SIZE_2K_BYTES = 3,
	DOCA_MTU_SIZE_4K_BYTES = 4,
	DOCA_MTU_SIZE_RAW_ETHERNET = 5,
};

/**
 * union doca_data - what a program attaches to objects and tasks
 * @ptr: as a pointer
 * @u64: as a number
 *
 * 8 bytes, passed by value; the library hands it back as it came.
 */
union doca_data {
	void *ptr;
	uint64_t u64;
};

/**
 * struct doca_gather_list - list of memory pieces
 * @addr: start
 * @len: bytes
 * @next: next piece, NULL for the last
 */
struct doca_gather_list {
	void *addr;
	uint64_t len;
	struct doca_gather_list *next;
};

/**
 * struct doca_rdma_gid - network address
 * @raw: in the form of an IPv6 address
 */
struct doca_rdma_gid {
	uint8_t raw[DOCA_GID_BYTE_LENGTH];
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
