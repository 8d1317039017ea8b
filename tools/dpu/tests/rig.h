/* SPDX-License-Identifier: MIT */
/*
 * A device core on a bench: memory for its bus, a counter for its interrupts,
 * and the driver's half of the rings by hand.
 *
 * With 0 workers the test steps the device, and every run is the same. With
 * workers it runs by itself, as in QEMU.
 */
#ifndef RIG_H
#define RIG_H

#include <assert.h>
#include <endian.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <cmocka.h>
#include <linux/doca_regs.h>
#include "dpu.h"

#define UNUSED		__attribute__((unused))

/* The bus: RIG_SIZE bytes from RIG_BASE; all else is refused. */
#define RIG_BASE	0x7f00000000ULL
#define RIG_SIZE	(64UL << 20)
#define RIG_PAGE	4096U
#define RIG_DB_SHIFT	12
#define RIG_ADMIN_LOG	2
#define RIG_LIMIT	60000000	/* steps or microseconds before a hang is one */

struct rig {
	struct dpu *dpu;
	char *mem;
	uint64_t used;			/* bytes handed out */
	uint64_t refuse, refuse_end;	/* bus addresses that are refused */
	size_t contiguous;		/* bytes in one mapping, at most */
	bool stepped;
	atomic_int mapped;
	atomic_uint interrupts[DPU_MAX_VECTORS];
	atomic_uint logged;
	uint64_t admin_sq, admin_cq;
	uint32_t admin_pi;
};

static void *rig_map(void *opaque, uint64_t iova, size_t *len, bool write)
{
	struct rig *rig = opaque;
	uint64_t end = RIG_BASE + RIG_SIZE;

	if (iova < RIG_BASE || iova >= end)
		return NULL;
	if (iova >= rig->refuse && iova < rig->refuse_end)
		return NULL;
	if (iova < rig->refuse && rig->refuse < end)
		end = rig->refuse;
	if (*len > end - iova)
		*len = end - iova;
	/* what is contiguous ends at multiples of it */
	if (rig->contiguous && *len > rig->contiguous - iova % rig->contiguous)
		*len = rig->contiguous - iova % rig->contiguous;
	atomic_fetch_add(&rig->mapped, 1);
	return rig->mem + (iova - RIG_BASE);
}

static void rig_unmap(void *opaque, void *ptr, size_t len, bool write,
		      size_t done)
{
	struct rig *rig = opaque;

	assert(done <= len);
	assert(write || !done);
	atomic_fetch_sub(&rig->mapped, 1);
}

/* Where no memory is. */
static uint64_t rig_bar(void *opaque)
{
	return RIG_BASE - RIG_PAGE;
}

static uint16_t rig_pci_address(void *opaque)
{
	return 0x1234;
}

static void rig_interrupt(void *opaque, uint32_t vector)
{
	struct rig *rig = opaque;

	assert(vector < DPU_MAX_VECTORS);
	atomic_fetch_add(&rig->interrupts[vector], 1);
}

static void rig_log(void *opaque, enum dpu_log_level level, const char *text)
{
	struct rig *rig = opaque;

	assert(strlen(text));
	atomic_fetch_add(&rig->logged, 1);
}

static const struct dpu_ops rig_ops = {
	.map = rig_map,
	.unmap = rig_unmap,
	.bar = rig_bar,
	.pci_address = rig_pci_address,
	.interrupt = rig_interrupt,
	.log = rig_log,
};

static const struct dpu_config rig_config = {
	.model = "all",
	.serial = 1,
	.vectors = 4,
	.doorbells = 16,
	.doorbell_shift = RIG_DB_SHIFT,
	.workers = 0,
	.admin_timeout_ms = 1000,
};

UNUSED static uint64_t rig_alloc(struct rig *rig, uint64_t bytes)
{
	uint64_t align = RIG_PAGE, at;

	/* as aligned as it is large, so that one page of a list covers it */
	while (align < bytes)
		align *= 2;
	at = (rig->used + align - 1) & ~(align - 1);
	assert(at + bytes <= RIG_SIZE);
	rig->used = at + bytes;
	return RIG_BASE + at;
}

UNUSED static void *rig_ptr(struct rig *rig, uint64_t iova)
{
	assert(iova >= RIG_BASE && iova < RIG_BASE + RIG_SIZE);
	return rig->mem + (iova - RIG_BASE);
}

static void rig_enable(struct rig *rig)
{
	memset(rig_ptr(rig, rig->admin_sq), 0, RIG_PAGE);
	memset(rig_ptr(rig, rig->admin_cq), 0, RIG_PAGE);
	rig->admin_pi = 0;
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_SQ_LO, rig->admin_sq);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_SQ_HI, rig->admin_sq >> 32);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_CQ_LO, rig->admin_cq);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_CQ_HI, rig->admin_cq >> 32);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_LOG_ENTRIES, RIG_ADMIN_LOG);
	dpu_reg_write(rig->dpu, DOCA_REG_CTRL, DOCA_CTRL_ENABLE);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_STATUS),
			 DOCA_STATUS_READY);
}

UNUSED static struct rig *rig_new(const struct dpu_config *config)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	const char *error;

	assert(rig);
	rig->mem = mmap(NULL, RIG_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert(rig->mem != MAP_FAILED);
	rig->stepped = !config->workers;
	rig->dpu = dpu_create(&rig_ops, rig, config, &error);
	if (!rig->dpu)
		fail_msg("dpu_create: %s", error);
	rig->admin_sq = rig_alloc(rig, RIG_PAGE);
	rig->admin_cq = rig_alloc(rig, RIG_PAGE);
	rig_enable(rig);
	return rig;
}

UNUSED static void rig_free(struct rig *rig)
{
	dpu_destroy(rig->dpu);
	/* whatever happened, nothing stays mapped */
	assert_int_equal(rig->mapped, 0);
	munmap(rig->mem, RIG_SIZE);
	free(rig);
}

/* Lets the device work, a little. */
static void rig_work(struct rig *rig)
{
	if (!rig->stepped || !dpu_step(rig->dpu))
		usleep(10);
}

/* Until there is nothing to do; only without workers. */
UNUSED static void rig_idle(struct rig *rig)
{
	assert(rig->stepped);
	while (dpu_step(rig->dpu))
		;
}

/* Puts a command into the ring without telling the device. */
static uint32_t rig_admin_put(struct rig *rig, const struct doca_admin_sqe *sqe)
{
	uint32_t index = rig->admin_pi++;
	struct doca_admin_sqe *ring = rig_ptr(rig, rig->admin_sq);
	struct doca_admin_sqe *slot = &ring[index % (1U << RIG_ADMIN_LOG)];

	*slot = *sqe;
	slot->command_id = htole16(0x4000 + index);
	return index;
}

static const struct doca_admin_cqe *rig_admin_cqe(struct rig *rig, uint32_t index)
{
	const struct doca_admin_cqe *ring = rig_ptr(rig, rig->admin_cq);

	return &ring[index % (1U << RIG_ADMIN_LOG)];
}

/* The phase of an entry: its last byte, read as the device writes it. */
static uint8_t rig_phase(const void *end)
{
	return le64toh(__atomic_load_n((const uint64_t *)end - 1,
				       __ATOMIC_ACQUIRE)) >> 56;
}

static bool rig_admin_done(struct rig *rig, uint32_t index)
{
	return rig_phase(rig_admin_cqe(rig, index) + 1) ==
	       doca_cqe_phase(index, RIG_ADMIN_LOG);
}

/* A command, and its answer. */
static uint8_t rig_admin(struct rig *rig, uint16_t opcode,
			 const struct doca_admin_sqe *params)
{
	struct doca_admin_sqe sqe = *params;
	unsigned int before = rig->interrupts[0], tries;
	const struct doca_admin_cqe *cqe;
	uint32_t index;

	sqe.opcode = htole16(opcode);
	index = rig_admin_put(rig, &sqe);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_DOORBELL, rig->admin_pi);
	for (tries = 0; !rig_admin_done(rig, index); tries++) {
		if (tries > RIG_LIMIT / 10)
			fail_msg("admin command %#x is not answered", opcode);
		rig_work(rig);
	}
	cqe = rig_admin_cqe(rig, index);
	assert_int_equal(le16toh(cqe->command_id), 0x4000 + index);
	for (tries = 0; rig->interrupts[0] == before; tries++) {
		if (tries > RIG_LIMIT / 10)
			fail_msg("no interrupt for admin command %#x", opcode);
		rig_work(rig);
	}
	return cqe->status;
}

/* One page of a list that covers @bytes from @iova, which rig_alloc() gave. */
UNUSED static struct doca_hw_pages rig_pages(uint64_t iova, uint64_t bytes)
{
	struct doca_hw_pages pages = {
		.root = htole64(iova),
		.num_pages = htole32(1),
		.page_shift = 12,
	};

	while (1ULL << pages.page_shift < bytes)
		pages.page_shift++;
	return pages;
}

UNUSED static uint8_t rig_handle_cmd(struct rig *rig, uint16_t opcode, uint32_t id)
{
	struct doca_admin_sqe sqe = { .handle.id = htole32(id) };

	return rig_admin(rig, opcode, &sqe);
}

/* A ring that the device writes, as its reader sees it. */
struct ring {
	uint64_t iova;
	uint32_t id;
	uint32_t log;
	uint32_t ci;
};

UNUSED static uint8_t rig_create_eq(struct rig *rig, struct ring *eq, uint32_t id,
				    uint32_t vector, uint32_t log)
{
	struct doca_admin_sqe sqe = {
		.create_eq.id = htole32(id),
		.create_eq.vector = htole32(vector),
		.create_eq.log_entries = htole32(log),
	};

	*eq = (struct ring) {
		.iova = rig_alloc(rig, sizeof(struct doca_eqe) << log),
		.id = id, .log = log,
	};
	sqe.create_eq.pages = rig_pages(eq->iova, sizeof(struct doca_eqe) << log);
	return rig_admin(rig, DOCA_ADMIN_CREATE_EQ, &sqe);
}

UNUSED static uint8_t rig_create_cq(struct rig *rig, struct ring *cq, uint32_t id,
				    uint32_t domain, uint32_t eq, uint32_t log)
{
	struct doca_admin_sqe sqe = {
		.create_cq.id = htole32(id),
		.create_cq.domain = htole32(domain),
		.create_cq.eq = htole32(eq),
		.create_cq.log_entries = htole32(log),
	};

	*cq = (struct ring) {
		.iova = rig_alloc(rig, sizeof(struct doca_cqe) << log),
		.id = id, .log = log,
	};
	sqe.create_cq.pages = rig_pages(cq->iova, sizeof(struct doca_cqe) << log);
	return rig_admin(rig, DOCA_ADMIN_CREATE_CQ, &sqe);
}

/* A submission ring, as its writer sees it. */
struct sq {
	uint64_t iova;
	uint32_t handle;
	uint32_t domain;
	uint32_t log;
	uint32_t pi;
};

#define TAG(handle)	(0xabc00000U + (handle))

UNUSED static uint8_t rig_create_queue(struct rig *rig, struct sq *q,
				       uint32_t handle, uint32_t domain,
				       uint32_t cq, uint32_t log, uint8_t engine)
{
	struct doca_admin_sqe sqe = {
		.create_queue.queue = htole32(handle),
		.create_queue.domain = htole32(domain),
		.create_queue.cq = htole32(cq),
		.create_queue.log_entries = htole32(log),
		.create_queue.tag = htole32(TAG(handle)),
		.create_queue.engine = engine,
	};

	*q = (struct sq) {
		.iova = rig_alloc(rig, (uint64_t)DOCA_SQE_SIZE << log),
		.handle = handle, .domain = domain, .log = log,
	};
	sqe.create_queue.pages = rig_pages(q->iova, (uint64_t)DOCA_SQE_SIZE << log);
	return rig_admin(rig, DOCA_ADMIN_CREATE_QUEUE, &sqe);
}

/* A key for memory of rig_alloc() whose address is its bus address. */
UNUSED static uint8_t rig_create_key(struct rig *rig, uint32_t mkey, uint32_t domain,
				     uint32_t access, uint64_t iova, uint64_t length)
{
	struct doca_admin_sqe sqe = {
		.create_key.mkey = htole32(mkey),
		.create_key.domain = htole32(domain),
		.create_key.access = htole32(access),
		.create_key.addr = htole64(iova),
		.create_key.length = htole64(length),
		.create_key.pages = rig_pages(iova, length),
	};

	return rig_admin(rig, DOCA_ADMIN_CREATE_KEY, &sqe);
}

UNUSED static uint8_t rig_connect(struct rig *rig, uint32_t queue, uint64_t serial,
				  uint32_t remote_queue, uint32_t retry_ms)
{
	struct doca_admin_sqe sqe = {
		.connect_queue.queue = htole32(queue),
		.connect_queue.remote_queue = htole32(remote_queue),
		.connect_queue.retry_ms = htole32(retry_ms),
	};
	unsigned int i;

	sqe.connect_queue.remote_gid.raw[0] = 0xfe;
	sqe.connect_queue.remote_gid.raw[1] = 0x80;
	for (i = 0; i < 8; i++)
		sqe.connect_queue.remote_gid.raw[8 + i] = serial >> (56 - 8 * i);
	return rig_admin(rig, DOCA_ADMIN_CONNECT_QUEUE, &sqe);
}

UNUSED static void rig_doorbell(struct rig *rig, uint32_t domain, uint32_t which,
				uint32_t object, uint32_t index)
{
	dpu_doorbell(rig->dpu, ((uint64_t)domain << RIG_DB_SHIFT) + which, 8,
		     (uint64_t)object << 32 | index);
}

/* Entry @index of the ring; it may be written before the doorbell says so. */
UNUSED static struct doca_sqe *rig_sqe(struct rig *rig, struct sq *q, uint32_t index)
{
	struct doca_sqe *ring = rig_ptr(rig, q->iova);

	return &ring[index & ((1U << q->log) - 1)];
}

/* Puts a descriptor with its lists into the ring, wherever they wrap. */
UNUSED static void rig_put(struct rig *rig, struct sq *q, uint8_t opcode,
			   uint32_t cookie, const struct doca_sge *src, uint8_t num_src,
			   const struct doca_sge *dst, uint8_t num_dst)
{
	unsigned int num = num_src + num_dst, i;
	struct doca_sqe *first = rig_sqe(rig, q, q->pi);

	memset(first, 0, sizeof(*first));
	first->opcode = opcode;
	first->num_src = num_src;
	first->num_dst = num_dst;
	first->cookie = htole32(cookie);
	for (i = 0; i < num; i++) {
		struct doca_sge sge = i < num_src ? src[i] : dst[i - num_src];

		if (i < DOCA_SQE_INLINE_SGES) {
			first->sge[i] = sge;
		} else {
			unsigned int at = i - DOCA_SQE_INLINE_SGES;
			struct doca_sge *more = (struct doca_sge *)rig_sqe(rig, q,
				q->pi + 1 + at / DOCA_SQE_SGES_PER_ENTRY);

			more[at % DOCA_SQE_SGES_PER_ENTRY] = sge;
		}
	}
	q->pi += doca_sqe_entries(num);
}

UNUSED static void rig_ring(struct rig *rig, struct sq *q)
{
	rig_doorbell(rig, q->domain, DOCA_DB_SUBMIT, q->handle, q->pi);
}

/* The next entry, if it is there. */
UNUSED static bool rig_peek_cqe(struct rig *rig, struct ring *cq, struct doca_cqe *cqe)
{
	const struct doca_cqe *ring = rig_ptr(rig, cq->iova);
	const struct doca_cqe *slot = &ring[cq->ci & ((1U << cq->log) - 1)];

	if (rig_phase(slot + 1) != doca_cqe_phase(cq->ci, cq->log))
		return false;
	*cqe = *slot;
	cq->ci++;
	return true;
}

/* The next entry; waits. */
UNUSED static struct doca_cqe rig_cqe(struct rig *rig, struct ring *cq)
{
	struct doca_cqe cqe = { 0 };
	unsigned int tries;

	for (tries = 0; !rig_peek_cqe(rig, cq, &cqe); tries++) {
		if (tries > RIG_LIMIT / 10)
			fail_msg("no completion %u in ring %u", cq->ci, cq->id);
		rig_work(rig);
	}
	return cqe;
}

UNUSED static bool rig_peek_eqe(struct rig *rig, struct ring *eq, struct doca_eqe *eqe)
{
	const struct doca_eqe *ring = rig_ptr(rig, eq->iova);
	const struct doca_eqe *slot = &ring[eq->ci & ((1U << eq->log) - 1)];

	if (rig_phase(slot + 1) != doca_cqe_phase(eq->ci, eq->log))
		return false;
	*eqe = *slot;
	eq->ci++;
	return true;
}

UNUSED static struct doca_sge sge(uint64_t addr, uint32_t mkey, uint32_t len)
{
	return (struct doca_sge) {
		.addr = htole64(addr), .mkey = htole32(mkey), .len = htole32(len),
	};
}

/* Bytes that tell where they are from. */
UNUSED static void rig_fill(struct rig *rig, uint64_t iova, size_t len, uint8_t seed)
{
	uint8_t *p = rig_ptr(rig, iova);
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = seed + i * 7 + (i >> 8);
}

#endif
