/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * DOCA DPU: the control path.
 *
 * Registers, admin commands and events: what the kernel and the device say to
 * each other. The data path is in doca_queue.h; the prose is in
 * Documentation/device-interface.rst. Little-endian throughout; fields named
 * reserved are written as zero and ignored on reading.
 */
#ifndef _UAPI_LINUX_DOCA_REGS_H
#define _UAPI_LINUX_DOCA_REGS_H

#include <linux/types.h>
#include <linux/doca_queue.h>

#define DOCA_PCI_VENDOR_ID		0x1d0c
#define DOCA_PCI_DEVICE_ID		0x0ca2

#define DOCA_BAR_REGS			0	/* registers, below */
#define DOCA_BAR_DOORBELLS		2	/* 64-bit prefetchable */
#define DOCA_BAR_MSIX			4
#define DOCA_REGS_SIZE			0x1000

/*
 * Registers, 32-bit accesses only. The device never returns all ones from a
 * register that is described here: a driver that reads ~0 has lost the link.
 */
#define DOCA_REG_MAGIC			0x00	/* RO: DOCA_MAGIC */
#define DOCA_MAGIC			0x41434f44	/* "DOCA" */
#define DOCA_REG_VERSION		0x04	/* RO: major << 16 | minor */
#define DOCA_HW_VERSION_MAJOR		1
#define DOCA_HW_VERSION_MINOR		0
#define DOCA_REG_STATUS			0x08	/* RO: DOCA_STATUS_* */
#define DOCA_STATUS_READY		(1U << 0)	/* follows CTRL.ENABLE */
#define DOCA_STATUS_RESETTING		(1U << 1)	/* follows CTRL.RESET */
#define DOCA_STATUS_FATAL		(1U << 2)	/* only a reset helps */
#define DOCA_REG_CTRL			0x0c	/* RW: DOCA_CTRL_* */
#define DOCA_CTRL_ENABLE		(1U << 0)	/* start the admin queue */
/*
 * Write 1: forget every object, end all DMA, go back to the state after power
 * on. STATUS.RESETTING is set until that is done; nothing is read from or
 * written to memory afterwards.
 */
#define DOCA_CTRL_RESET			(1U << 1)
#define DOCA_REG_NUM_DOORBELLS		0x10	/* RO: pages in BAR 2 */
#define DOCA_REG_DOORBELL_SHIFT		0x14	/* RO: log2 of their distance */
#define DOCA_REG_NUM_VECTORS		0x18	/* RO: MSI-X vectors */
#define DOCA_REG_ADMIN_TIMEOUT		0x1c	/* RO: a command's limit, ms */
#define DOCA_REG_RESET_TIMEOUT		0x20	/* RO: a reset's limit, ms */
/* Admin rings: address before ENABLE; both rings have 1 << LOG_ENTRIES. */
#define DOCA_REG_ADMIN_SQ_LO		0x28
#define DOCA_REG_ADMIN_SQ_HI		0x2c
#define DOCA_REG_ADMIN_CQ_LO		0x30
#define DOCA_REG_ADMIN_CQ_HI		0x34
#define DOCA_REG_ADMIN_LOG_ENTRIES	0x38	/* 1 .. DOCA_ADMIN_MAX_LOG */
#define DOCA_ADMIN_MAX_LOG		8
#define DOCA_REG_ADMIN_DOORBELL		0x3c	/* WO: SQ producer index */

/* Memory that the device follows in page lists is made of these blocks. */
#define DOCA_LIST_BLOCK_SHIFT		12
#define DOCA_LIST_BLOCK_SIZE		(1U << DOCA_LIST_BLOCK_SHIFT)
#define DOCA_LIST_BLOCK_ENTRIES		(DOCA_LIST_BLOCK_SIZE / 8)
#define DOCA_LIST_MAX_LEVELS		4

/**
 * struct doca_hw_pages - a piece of memory, described page by page
 * @root: levels 0: bus address of the single page; levels n: bus address of a
 *	block of DOCA_LIST_BLOCK_ENTRIES __le64 addresses of level n - 1
 * @num_pages: pages in all, not 0
 * @page_shift: log2 of the page size, 12 .. 63
 * @levels: 0 .. DOCA_LIST_MAX_LEVELS; a full tree, only its last blocks are
 *	partly used
 * @reserved: 0
 *
 * The device reads the list while it works on the command, keeps a copy, and
 * does not look at the list again after the answer.
 */
struct doca_hw_pages {
	__le64 root;
	__le32 num_pages;
	__u8 page_shift;
	__u8 levels;
	__u8 reserved[2];
};

/* Admin opcodes. Identifiers are chosen by the driver, below the limits. */
#define DOCA_ADMIN_QUERY_DEVICE		0x01
#define DOCA_ADMIN_QUERY_FUNCTION	0x02
#define DOCA_ADMIN_CREATE_EQ		0x10
#define DOCA_ADMIN_DESTROY_EQ		0x11
#define DOCA_ADMIN_CREATE_KEY		0x20
#define DOCA_ADMIN_DESTROY_KEY		0x21
#define DOCA_ADMIN_SHARE_KEY		0x22
#define DOCA_ADMIN_IMPORT_KEY		0x23
#define DOCA_ADMIN_CREATE_CQ		0x30
#define DOCA_ADMIN_DESTROY_CQ		0x31
#define DOCA_ADMIN_CREATE_QUEUE		0x40
#define DOCA_ADMIN_CONNECT_QUEUE	0x41
#define DOCA_ADMIN_STOP_QUEUE		0x42
#define DOCA_ADMIN_DESTROY_QUEUE	0x43

/* QUERY_DEVICE: writes a struct doca_hw_caps to @addr. */
struct doca_admin_query {
	__le64 addr;
	__le32 len;		/* at least sizeof(struct doca_hw_caps) */
	__le32 reserved;
};

/*
 * QUERY_FUNCTION: writes a struct doca_hw_function to @addr about function
 * @function of this card. DOCA_ADMIN_NOT_FOUND if there is none.
 */
struct doca_admin_query_function {
	__le64 addr;
	__le32 len;		/* at least sizeof(struct doca_hw_function) */
	__le32 function;
};

/* CREATE_EQ: event ring @id, interrupts on MSI-X vector @vector. */
struct doca_admin_create_eq {
	__le32 id;
	__le32 vector;
	__le32 log_entries;
	__le32 reserved;
	struct doca_hw_pages pages;
};

/*
 * CREATE_KEY: @addr .. @addr + @length - 1 become reachable by @mkey for
 * queues of @domain, with the rights @access. @addr lies @offset bytes into
 * the first page.
 */
struct doca_admin_create_key {
	__le32 mkey;
	__le32 domain;
	__le32 access;
	__le32 reserved;
	__le64 addr;
	__le64 length;
	__le64 offset;
	struct doca_hw_pages pages;
};

/*
 * SHARE_KEY, on a function of the host: the DPU's functions of this card may
 * import the key, as far as its rights DOCA_KEY_PCI_* go. Repeating it with
 * the same token does nothing, with another one it is DOCA_ADMIN_BAD_STATE.
 * The sharing ends with the key: from then on imports name nothing.
 */
struct doca_admin_share_key {
	__le32 mkey;
	__le32 reserved;
	__u8 token[DOCA_TOKEN_LEN];
};

/*
 * IMPORT_KEY, on a function of the DPU: @mkey of @domain stands for
 * @remote_mkey of the host's function @function. Addresses and bounds are those
 * of the remote key, whose function does the bus accesses. With
 * DOCA_KEY_PCI_READ it can be a source, with DOCA_KEY_PCI_WRITE a destination
 * too. DOCA_ADMIN_NOT_FOUND: no such key is shared with this token.
 */
struct doca_admin_import_key {
	__le32 mkey;
	__le32 domain;
	__le32 remote_mkey;
	__u8 function;
	__u8 reserved[3];
	__u8 token[DOCA_TOKEN_LEN];
};

/* CREATE_CQ: completion ring @id of @domain; its events go to @eq. */
struct doca_admin_create_cq {
	__le32 id;
	__le32 domain;
	__le32 eq;
	__le32 log_entries;
	struct doca_hw_pages pages;
};

/* CREATE_QUEUE: submission ring @queue of @domain, completions to @cq. */
struct doca_admin_create_queue {
	__le32 queue;		/* handle, see DOCA_HANDLE_GEN_BITS */
	__le32 domain;
	__le32 cq;		/* of the same domain */
	__le32 log_entries;
	__le32 tag;
	__u8 engine;
	__u8 reserved[3];
	struct doca_hw_pages pages;
};

/*
 * CONNECT_QUEUE: gives an RDMA queue its peer. Requests are carried out at
 * the peer only if the peer names this queue as its own peer; until it does,
 * they are retried for @retry_ms.
 */
struct doca_admin_connect_queue {
	__le32 queue;
	__le32 remote_queue;
	struct doca_gid remote_gid;
	__le32 retry_ms;
	__le32 reserved;
};

/*
 * DESTROY_EQ, DESTROY_KEY, DESTROY_CQ, STOP_QUEUE, DESTROY_QUEUE.
 *
 * A key's and a queue's answer comes when no access through it is under way
 * any more, and none follows. STOP_QUEUE flushes: each descriptor that was
 * rung in gets its completion before the answer. DESTROY_QUEUE drops what is
 * left without completions. DESTROY_CQ with queues attached and DESTROY_EQ
 * with completion rings attached answer DOCA_ADMIN_BUSY.
 */
struct doca_admin_handle {
	__le32 id;
	__le32 reserved;
};

#define DOCA_ADMIN_SQE_SIZE		64

/**
 * struct doca_admin_sqe - admin command
 * @opcode: DOCA_ADMIN_*
 * @command_id: returned in the answer
 */
struct doca_admin_sqe {
	__le16 opcode;
	__le16 command_id;
	__le32 reserved;
	union {
		struct doca_admin_query query;
		struct doca_admin_query_function query_function;
		struct doca_admin_create_eq create_eq;
		struct doca_admin_create_key create_key;
		struct doca_admin_share_key share_key;
		struct doca_admin_import_key import_key;
		struct doca_admin_create_cq create_cq;
		struct doca_admin_create_queue create_queue;
		struct doca_admin_connect_queue connect_queue;
		struct doca_admin_handle handle;
		__u8 raw[56];
	};
};

/* Status of an admin command. */
#define DOCA_ADMIN_OK			0
#define DOCA_ADMIN_BAD_OPCODE		1
#define DOCA_ADMIN_BAD_FIELD		2	/* a value out of its range */
#define DOCA_ADMIN_BAD_HANDLE		3	/* no such object */
#define DOCA_ADMIN_EXISTS		4	/* the identifier is in use */
#define DOCA_ADMIN_BUSY			5	/* others depend on the object */
#define DOCA_ADMIN_NO_RESOURCES		6
#define DOCA_ADMIN_BAD_STATE		7	/* e.g. connected already */
#define DOCA_ADMIN_BUS_ERROR		8	/* memory could not be read */
#define DOCA_ADMIN_INTERNAL		9
#define DOCA_ADMIN_NOT_FOUND		10	/* what is asked for is not there */

/**
 * struct doca_admin_cqe - answer to an admin command
 * @command_id: of the command
 * @status: DOCA_ADMIN_*
 * @phase: as in struct doca_cqe, written last
 *
 * Answers come in any order. Each raises the interrupt of vector 0.
 */
struct doca_admin_cqe {
	__le16 command_id;
	__u8 reserved[12];
	__u8 status;
	__u8 phase;
};

/* Events. */
#define DOCA_EVENT_COMPLETION		1	/* id: an armed completion ring */
#define DOCA_EVENT_QUEUE_ERROR		2	/* id: a queue, once */
#define DOCA_EVENT_FATAL		3	/* the device needs a reset */

/**
 * struct doca_eqe - entry of an event ring
 * @id: object, by type
 * @reserved: 0
 * @type: DOCA_EVENT_*
 * @phase: as in struct doca_cqe, written last
 *
 * The device never overwrites an entry that the EVENTS doorbell has not
 * freed: it remembers what is due and writes it when there is room.
 */
struct doca_eqe {
	__le32 id;
	__u8 reserved[10];
	__u8 type;
	__u8 phase;
};

/**
 * struct doca_hw_engine_caps - limits of one engine
 * @supported: 0 or 1
 * @opcodes: bit n: opcode n is there
 * @max_list_len: pieces in one list
 * @max_queue_entries: ring entries
 * @max_transfer: bytes in one descriptor
 */
struct doca_hw_engine_caps {
	__le32 supported;
	__le32 opcodes;
	__le32 max_list_len;
	__le32 max_queue_entries;
	__le64 max_transfer;
	__le64 reserved;
};

/**
 * struct doca_hw_function - answer to QUERY_FUNCTION
 * @pci_domain: PCI address, as the function's own side sees it
 * @pci_bus: ...
 * @pci_devfn: device << 3 | function
 * @side: DOCA_SIDE_*
 * @function: number in the card
 * @reserved: 0
 */
struct doca_hw_function {
	__le32 pci_domain;
	__u8 pci_bus;
	__u8 pci_devfn;
	__u8 side;
	__u8 function;
	__u8 reserved[8];
};

#define DOCA_MODEL_NAME_LEN		16
#define DOCA_MAX_ENGINES		32	/* entries in the table below */

/**
 * struct doca_hw_caps - answer to QUERY_DEVICE
 * @model: name, zero-padded ("bf2", "bf3", "all")
 * @serial: the card's, the same for all of its functions
 * @gid: network address, one for each function
 * @side: DOCA_SIDE_*
 * @function: number of this function in the card, below DOCA_MAX_FUNCTIONS
 * @max_keys: memory keys; indices are below it, as for all of the following
 * @max_cqs: completion rings
 * @max_queues: submission rings
 * @max_eqs: event rings
 * @max_cq_entries: entries of one completion ring
 * @max_key_pages: pages behind one key
 * @engines: by DOCA_ENGINE_*
 */
struct doca_hw_caps {
	__u8 model[DOCA_MODEL_NAME_LEN];
	__le64 serial;
	struct doca_gid gid;
	__u8 mac[6];
	__u8 side;
	__u8 function;
	__le32 max_keys;
	__le32 max_cqs;
	__le32 max_queues;
	__le32 max_eqs;
	__le32 max_cq_entries;
	__le32 max_key_pages;
	__u8 reserved1[56];
	struct doca_hw_engine_caps engines[DOCA_MAX_ENGINES];
};

#endif /* _UAPI_LINUX_DOCA_REGS_H */
