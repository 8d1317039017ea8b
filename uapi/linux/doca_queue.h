/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * DOCA DPU: the data path.
 *
 * Descriptors, completions and doorbells: what libdoca and the device say to
 * each other with no kernel in between. Included by the library, the kernel
 * and the device model; nothing else describes these formats in code. The
 * prose is in Documentation/device-interface.rst.
 *
 * Everything is little-endian and naturally aligned. Reserved fields are
 * written as zero; the device answers a descriptor that has other bits set
 * with DOCA_CQE_BAD_DESCRIPTOR.
 *
 * Indices (producer, consumer) are free-running 32-bit counters of entries:
 * entry i lies at (i & (entries - 1)), and entries is always a power of two.
 */
#ifndef _UAPI_LINUX_DOCA_QUEUE_H
#define _UAPI_LINUX_DOCA_QUEUE_H

#include <linux/types.h>

/*
 * Engines. A queue is bound to one engine when it is created; opcodes are
 * numbered per engine.
 */
#define DOCA_ENGINE_DMA			0	/* memory copies in this domain */
#define DOCA_ENGINE_RDMA		1	/* reliable connected queues */
#define DOCA_NUM_ENGINES		2

/* Opcodes of DOCA_ENGINE_DMA. */
#define DOCA_DMA_OP_MEMCPY		1	/* source list -> destination list */

/* Opcodes of DOCA_ENGINE_RDMA. */
#define DOCA_RDMA_OP_WRITE		1	/* source list -> one remote range */

/*
 * Access rights of a memory key. The values are those of the SDK's
 * enum doca_access_flag. Reading by a queue of the key's own domain is always
 * allowed.
 */
#define DOCA_KEY_LOCAL_WRITE		(1U << 0)
#define DOCA_KEY_RDMA_READ		(1U << 1)
#define DOCA_KEY_RDMA_WRITE		(1U << 2)
#define DOCA_KEY_RDMA_ATOMIC		(1U << 3)
#define DOCA_KEY_PCI_READ		(1U << 4)
#define DOCA_KEY_PCI_WRITE		(1U << 5)	/* implies PCI_READ */
#define DOCA_KEY_RELAXED_ORDERING	(1U << 6)
#define DOCA_KEY_ACCESS_ALL		0x7fU

/*
 * Handles that the device checks - memory keys and queue numbers - are
 * (index << 8 | generation): the generation changes with each use of an
 * index, so that a stale handle names nothing.
 */
#define DOCA_HANDLE_GEN_BITS		8
#define DOCA_HANDLE_GEN_MASK		0xffU

/**
 * struct doca_sge - one piece of memory in a descriptor
 * @addr: address as the key knows it: the address given at registration
 * @mkey: memory key
 * @len: length in bytes, not 0
 */
struct doca_sge {
	__le64 addr;
	__le32 mkey;
	__le32 len;
};

#define DOCA_SQE_SIZE			64
#define DOCA_SQE_INLINE_SGES		3	/* in the descriptor's first entry */
#define DOCA_SQE_SGES_PER_ENTRY		4	/* in each entry that follows */

/**
 * struct doca_sqe - submission descriptor, first entry
 * @opcode: DOCA_*_OP_*
 * @flags: must be 0
 * @num_src: pieces in the source list, at least 1
 * @num_dst: pieces in the destination list, at least 1
 * @cookie: returned in the completion; the task's index in the library
 * @arg: must be 0 (immediate data of opcodes that have one)
 * @sge: the source list followed by the destination list
 *
 * A descriptor whose lists hold more than DOCA_SQE_INLINE_SGES pieces goes on
 * in the entries that follow in the ring, DOCA_SQE_SGES_PER_ENTRY each; see
 * doca_sqe_entries(). It may wrap around the end of the ring.
 */
struct doca_sqe {
	__u8 opcode;
	__u8 flags;
	__u8 num_src;
	__u8 num_dst;
	__le32 cookie;
	__le64 arg;
	struct doca_sge sge[DOCA_SQE_INLINE_SGES];
};

/* Ring entries taken by a descriptor with this many pieces in both lists. */
static inline __u32 doca_sqe_entries(__u32 num_sges)
{
	if (num_sges <= DOCA_SQE_INLINE_SGES)
		return 1;
	return 1 + (num_sges - DOCA_SQE_INLINE_SGES +
		    DOCA_SQE_SGES_PER_ENTRY - 1) / DOCA_SQE_SGES_PER_ENTRY;
}

/* Status of a completion. */
#define DOCA_CQE_OK			0
#define DOCA_CQE_BAD_DESCRIPTOR		1	/* opcode, flags, list length */
#define DOCA_CQE_BAD_LENGTH		2	/* zero, over a limit, dst < src */
#define DOCA_CQE_LOCAL_KEY		3	/* no such key in this domain */
#define DOCA_CQE_LOCAL_BOUNDS		4	/* outside of the key's range */
#define DOCA_CQE_LOCAL_ACCESS		5	/* the key lacks the right */
#define DOCA_CQE_REMOTE_KEY		6	/* as above, at the peer */
#define DOCA_CQE_REMOTE_BOUNDS		7
#define DOCA_CQE_REMOTE_ACCESS		8
#define DOCA_CQE_NOT_CONNECTED		9	/* RDMA queue has no peer yet */
#define DOCA_CQE_RETRY_EXCEEDED		10	/* the peer does not answer */
#define DOCA_CQE_MEMORY_FAULT		11	/* the bus refused the access */
#define DOCA_CQE_FLUSHED		12	/* queue stopped before its turn */

#define DOCA_CQE_SIZE			32

/**
 * struct doca_cqe - completion entry
 * @cookie: of the descriptor
 * @tag: given when the queue was created; names the queue to the library
 * @byte_len: bytes written to the destination; 0 on an error
 * @queue_index: index of the ring entry behind the descriptor: all entries
 *	before it are free again
 * @opcode: of the descriptor
 * @reserved: 0
 * @syndrome: with an error, the position in the lists of the piece that failed
 * @status: DOCA_CQE_*
 * @phase: DOCA_CQE_PHASE_ODD on the first, third, ... pass over the ring, 0 on
 *	the second, fourth, ...; see doca_cqe_phase()
 *
 * Exactly one completion is written for each descriptor, in the order of
 * submission within a queue. The first descriptor that fails puts its queue
 * in error: each one after it completes with DOCA_CQE_FLUSHED. The device
 * writes the last eight bytes last, with one aligned 8-byte store: once
 * @phase has the expected value, all else is valid, and so is the data.
 */
struct doca_cqe {
	__le32 cookie;
	__le32 tag;
	__le64 byte_len;
	__le64 reserved0;
	__le32 queue_index;
	__u8 opcode;
	__u8 syndrome;
	__u8 status;
	__u8 phase;
};

#define DOCA_CQE_PHASE_ODD		1

/* Phase of entry @index of a ring of 1 << @log_entries entries. */
static inline __u8 doca_cqe_phase(__u32 index, __u32 log_entries)
{
	return !((index >> log_entries) & 1);
}

/*
 * Doorbell page. Each protection domain has one page, and the device takes
 * from it only what concerns objects of that domain; all else is dropped and
 * counted. Each doorbell is one naturally aligned 8-byte little-endian store:
 * bits 63:32 name the object, bits 31:0 hold an index. Other sizes and
 * offsets are dropped as well; reads give 0.
 *
 * SUBMIT	queue number, producer index: all entries before the index are
 *		valid. An index behind the last one, or further ahead of the
 *		first entry not yet completed than the ring has entries, is a
 *		guest error: it puts the queue in error and adds no work.
 * ARM		completion ring, consumer index: raise one event as soon as the
 *		ring holds an entry at or behind this index - at once, if it is
 *		already there. A completion between the last poll and the arm is
 *		therefore never lost.
 * EVENTS	(page 0 only, which belongs to the kernel) event ring, consumer
 *		index: the entries before it are free; interrupt as soon as there
 *		is an entry at or behind it.
 */
#define DOCA_DB_SUBMIT			0x000
#define DOCA_DB_ARM			0x040
#define DOCA_DB_EVENTS			0x080

/*
 * A card has functions on two sides: those of the host are seen by the host's
 * kernel, those of the DPU by the one that runs on the card. Memory of the host's
 * side can be shared with the DPU's: whoever knows a key and its token can import
 * it. The token is random, and a secret of those whom the owner trusts.
 */
#define DOCA_SIDE_HOST			0
#define DOCA_SIDE_DPU			1
#define DOCA_MAX_FUNCTIONS		8	/* of a card, on both sides */
#define DOCA_TOKEN_LEN			16

/**
 * struct doca_gid - network address of a DPU
 * @raw: in the form of an IPv6 address
 */
struct doca_gid {
	__u8 raw[16];
};

#endif /* _UAPI_LINUX_DOCA_QUEUE_H */
