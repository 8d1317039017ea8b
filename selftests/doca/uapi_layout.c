// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of what user space, kernel and device share: sizes and offsets,
 * the same for 32 and 64 bit. Most of it is checked by compiling this.
 */
#include <stddef.h>
#include <linux/doca.h>
#include <linux/doca_queue.h>
#include <linux/doca_regs.h>

#define SIZE(type, size) \
	_Static_assert(sizeof(struct type) == (size), "size of " #type)
#define FIELD(type, field, offset) \
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field)
/* The last field ends where the struct ends: no padding behind it. */
#define LAST(type, field) \
	_Static_assert(offsetof(struct type, field) + sizeof(((struct type *)0)->field) == \
		       sizeof(struct type), #type " has padding at its end")

/* ioctls */
SIZE(doca_device_info, 120);
FIELD(doca_device_info, size, 0);
FIELD(doca_device_info, flags, 4);
FIELD(doca_device_info, out_abi_version, 8);
FIELD(doca_device_info, out_pci_domain, 12);
FIELD(doca_device_info, out_pci_bus, 16);
FIELD(doca_device_info, out_pci_device, 17);
FIELD(doca_device_info, out_pci_function, 18);
FIELD(doca_device_info, out_engines, 20);
FIELD(doca_device_info, out_name, 24);
FIELD(doca_device_info, out_model, 40);
FIELD(doca_device_info, out_serial, 56);
FIELD(doca_device_info, out_gid, 64);
FIELD(doca_device_info, out_mac, 80);
FIELD(doca_device_info, out_num_comp_vectors, 88);
FIELD(doca_device_info, out_max_regions, 92);
FIELD(doca_device_info, out_max_channels, 96);
FIELD(doca_device_info, out_max_queues, 100);
FIELD(doca_device_info, out_max_channel_entries, 104);
FIELD(doca_device_info, out_max_region_pages, 108);
FIELD(doca_device_info, out_side, 112);
FIELD(doca_device_info, out_function_number, 116);
LAST(doca_device_info, out_function_number);

SIZE(doca_engine_info, 32);
FIELD(doca_engine_info, engine, 8);
FIELD(doca_engine_info, out_opcodes, 12);
FIELD(doca_engine_info, out_max_list_len, 16);
FIELD(doca_engine_info, out_max_queue_entries, 20);
FIELD(doca_engine_info, out_max_transfer, 24);
LAST(doca_engine_info, out_max_transfer);

SIZE(doca_status_page, 4);

SIZE(doca_domain_alloc, 32);
FIELD(doca_domain_alloc, out_page_size, 8);
FIELD(doca_domain_alloc, out_doorbell_key, 16);
FIELD(doca_domain_alloc, out_status_key, 24);
LAST(doca_domain_alloc, out_status_key);

SIZE(doca_region_create, 64);
FIELD(doca_region_create, access, 8);
FIELD(doca_region_create, addr, 16);
FIELD(doca_region_create, length, 24);
FIELD(doca_region_create, out_id, 32);
FIELD(doca_region_create, out_mkey, 36);
FIELD(doca_region_create, out_page_shift, 40);
FIELD(doca_region_create, out_num_pages, 44);
FIELD(doca_region_create, dmabuf_fd, 48);
FIELD(doca_region_create, dmabuf_offset, 56);
LAST(doca_region_create, dmabuf_offset);

SIZE(doca_channel_create, 48);
FIELD(doca_channel_create, entries, 8);
FIELD(doca_channel_create, comp_vector, 12);
FIELD(doca_channel_create, out_id, 16);
FIELD(doca_channel_create, out_fd, 20);
FIELD(doca_channel_create, out_cq, 24);
FIELD(doca_channel_create, out_entries, 28);
FIELD(doca_channel_create, out_ring_key, 32);
FIELD(doca_channel_create, out_ring_size, 40);
LAST(doca_channel_create, out_ring_size);

SIZE(doca_queue_create, 56);
FIELD(doca_queue_create, engine, 8);
FIELD(doca_queue_create, channel_id, 12);
FIELD(doca_queue_create, entries, 16);
FIELD(doca_queue_create, tag, 20);
FIELD(doca_queue_create, out_id, 24);
FIELD(doca_queue_create, out_queue, 28);
FIELD(doca_queue_create, out_entries, 32);
FIELD(doca_queue_create, out_ring_key, 40);
FIELD(doca_queue_create, out_ring_size, 48);
LAST(doca_queue_create, out_ring_size);

SIZE(doca_queue_connect, 40);
FIELD(doca_queue_connect, queue_id, 8);
FIELD(doca_queue_connect, remote_queue, 12);
FIELD(doca_queue_connect, remote_gid, 16);
FIELD(doca_queue_connect, retry_ms, 32);
LAST(doca_queue_connect, __reserved);

SIZE(doca_queue_stop, 16);
FIELD(doca_queue_stop, queue_id, 8);
SIZE(doca_destroy, 8);
FIELD(doca_destroy, id, 4);

SIZE(doca_region_share, 32);
FIELD(doca_region_share, region_id, 8);
FIELD(doca_region_share, out_token, 16);
LAST(doca_region_share, out_token);

SIZE(doca_region_import, 40);
FIELD(doca_region_import, function_number, 8);
FIELD(doca_region_import, remote_mkey, 12);
FIELD(doca_region_import, token, 16);
FIELD(doca_region_import, out_id, 32);
FIELD(doca_region_import, out_mkey, 36);
LAST(doca_region_import, out_mkey);

SIZE(doca_function_info, 24);
FIELD(doca_function_info, function_number, 8);
FIELD(doca_function_info, out_side, 12);
FIELD(doca_function_info, out_pci_domain, 16);
FIELD(doca_function_info, out_pci_bus, 20);
FIELD(doca_function_info, out_pci_device, 21);
FIELD(doca_function_info, out_pci_function, 22);
LAST(doca_function_info, __reserved);

/* The data path */
SIZE(doca_sge, 16);
FIELD(doca_sge, addr, 0);
FIELD(doca_sge, mkey, 8);
FIELD(doca_sge, len, 12);

SIZE(doca_sqe, DOCA_SQE_SIZE);
FIELD(doca_sqe, opcode, 0);
FIELD(doca_sqe, flags, 1);
FIELD(doca_sqe, num_src, 2);
FIELD(doca_sqe, num_dst, 3);
FIELD(doca_sqe, cookie, 4);
FIELD(doca_sqe, arg, 8);
FIELD(doca_sqe, sge, 16);
LAST(doca_sqe, sge);
_Static_assert(DOCA_SQE_SGES_PER_ENTRY * sizeof(struct doca_sge) == DOCA_SQE_SIZE,
	       "pieces in the entries that follow");

SIZE(doca_cqe, DOCA_CQE_SIZE);
FIELD(doca_cqe, cookie, 0);
FIELD(doca_cqe, tag, 4);
FIELD(doca_cqe, byte_len, 8);
FIELD(doca_cqe, reserved0, 16);
FIELD(doca_cqe, queue_index, 24);
FIELD(doca_cqe, opcode, 28);
FIELD(doca_cqe, syndrome, 29);
FIELD(doca_cqe, status, 30);
FIELD(doca_cqe, phase, 31);

SIZE(doca_gid, 16);

/* The control path */
SIZE(doca_hw_pages, 16);
FIELD(doca_hw_pages, num_pages, 8);
FIELD(doca_hw_pages, page_shift, 12);
FIELD(doca_hw_pages, levels, 13);
SIZE(doca_admin_sqe, DOCA_ADMIN_SQE_SIZE);
FIELD(doca_admin_sqe, command_id, 2);
FIELD(doca_admin_sqe, raw, 8);
SIZE(doca_admin_query, 16);
SIZE(doca_admin_create_eq, 32);
SIZE(doca_admin_create_key, 56);
FIELD(doca_admin_create_key, addr, 16);
FIELD(doca_admin_create_key, length, 24);
FIELD(doca_admin_create_key, offset, 32);
FIELD(doca_admin_create_key, pages, 40);
SIZE(doca_admin_query_function, 16);
SIZE(doca_admin_share_key, 24);
FIELD(doca_admin_share_key, token, 8);
SIZE(doca_admin_import_key, 32);
FIELD(doca_admin_import_key, remote_mkey, 8);
FIELD(doca_admin_import_key, function, 12);
FIELD(doca_admin_import_key, token, 16);
SIZE(doca_hw_function, 16);
FIELD(doca_hw_function, pci_bus, 4);
FIELD(doca_hw_function, side, 6);
FIELD(doca_hw_function, function, 7);
SIZE(doca_admin_create_cq, 32);
SIZE(doca_admin_create_queue, 40);
FIELD(doca_admin_create_queue, engine, 20);
FIELD(doca_admin_create_queue, pages, 24);
SIZE(doca_admin_connect_queue, 32);
SIZE(doca_admin_handle, 8);
SIZE(doca_admin_cqe, 16);
FIELD(doca_admin_cqe, status, 14);
FIELD(doca_admin_cqe, phase, 15);
SIZE(doca_eqe, 16);
FIELD(doca_eqe, type, 14);
FIELD(doca_eqe, phase, 15);
SIZE(doca_hw_engine_caps, 32);
FIELD(doca_hw_engine_caps, max_transfer, 16);
SIZE(doca_hw_caps, 128 + DOCA_MAX_ENGINES * 32);
FIELD(doca_hw_caps, serial, 16);
FIELD(doca_hw_caps, gid, 24);
FIELD(doca_hw_caps, mac, 40);
FIELD(doca_hw_caps, side, 46);
FIELD(doca_hw_caps, function, 47);
FIELD(doca_hw_caps, max_keys, 48);
FIELD(doca_hw_caps, max_key_pages, 68);
FIELD(doca_hw_caps, engines, 128);

/* Numbers that are in binaries out there. */
#define NUMBER(name, value) _Static_assert((name) == (value), #name)

NUMBER(DOCA_ABI_VERSION, 1);
NUMBER(DOCA_IOCTL_DEVICE_INFO, 0xdc80);
NUMBER(DOCA_IOCTL_ENGINE_INFO, 0xdc81);
NUMBER(DOCA_IOCTL_DOMAIN_ALLOC, 0xdc82);
NUMBER(DOCA_IOCTL_REGION_CREATE, 0xdc83);
NUMBER(DOCA_IOCTL_CHANNEL_CREATE, 0xdc84);
NUMBER(DOCA_IOCTL_QUEUE_CREATE, 0xdc85);
NUMBER(DOCA_IOCTL_QUEUE_CONNECT, 0xdc86);
NUMBER(DOCA_IOCTL_QUEUE_STOP, 0xdc87);
NUMBER(DOCA_IOCTL_DESTROY, 0xdc88);
NUMBER(DOCA_IOCTL_REGION_SHARE, 0xdc89);
NUMBER(DOCA_IOCTL_REGION_IMPORT, 0xdc8a);
NUMBER(DOCA_IOCTL_FUNCTION_INFO, 0xdc8b);
NUMBER(DOCA_KEY_LOCAL_WRITE, 1);
NUMBER(DOCA_KEY_RDMA_READ, 2);
NUMBER(DOCA_KEY_RDMA_WRITE, 4);
NUMBER(DOCA_KEY_RDMA_ATOMIC, 8);
NUMBER(DOCA_KEY_PCI_READ, 16);
NUMBER(DOCA_KEY_PCI_WRITE, 32);
NUMBER(DOCA_KEY_RELAXED_ORDERING, 64);
NUMBER(DOCA_DB_SUBMIT, 0);
NUMBER(DOCA_DB_ARM, 0x40);
NUMBER(DOCA_DB_EVENTS, 0x80);

#ifndef LAYOUT_ONLY
#include "doca_utils.h"

FIXTURE(layout) {};
FIXTURE_SETUP(layout) {}
FIXTURE_TEARDOWN(layout) {}

TEST_F(layout, sizes_and_offsets_hold_at_compile_time)
{
	/* That this was compiled is the test. */
	EXPECT_EQ(64, sizeof(struct doca_sqe));
}

TEST_F(layout, descriptor_entries_by_number_of_pieces)
{
	EXPECT_EQ(1, doca_sqe_entries(0));
	EXPECT_EQ(1, doca_sqe_entries(2));
	EXPECT_EQ(1, doca_sqe_entries(3));
	EXPECT_EQ(2, doca_sqe_entries(4));
	EXPECT_EQ(2, doca_sqe_entries(7));
	EXPECT_EQ(3, doca_sqe_entries(8));
	EXPECT_EQ(128, doca_sqe_entries(510));
}

TEST_F(layout, phase_alternates_and_starts_odd)
{
	EXPECT_EQ(1, doca_cqe_phase(0, 4));
	EXPECT_EQ(1, doca_cqe_phase(15, 4));
	EXPECT_EQ(0, doca_cqe_phase(16, 4));
	EXPECT_EQ(0, doca_cqe_phase(31, 4));
	EXPECT_EQ(1, doca_cqe_phase(32, 4));
	/* the counter wraps without a break */
	EXPECT_EQ(0, doca_cqe_phase(0xffffffff, 4));
	EXPECT_EQ(1, doca_cqe_phase(0xffffffff + 1, 4));
	/* the largest and the smallest ring */
	EXPECT_EQ(1, doca_cqe_phase(0, 0));
	EXPECT_EQ(0, doca_cqe_phase(1, 0));
	EXPECT_EQ(1, doca_cqe_phase(0x7fffffff, 31));
	EXPECT_EQ(0, doca_cqe_phase(0x80000000, 31));
}

DOCA_TEST_MAIN
#endif /* !LAYOUT_ONLY */
