// SPDX-License-Identifier: MIT
/*
 * What descriptors do: copies, RDMA writes in one device and between two, and
 * every check of the key table.
 */
#include "rig.h"

#define DOMAIN_A	1U
#define DOMAIN_B	2U
#define KEY_A		0x101U		/* memory of A: readable */
#define KEY_A_LOCAL	0x201U		/* and writable by A's own queues */
#define KEY_B		0x301U		/* memory of B: writable by RDMA */
#define KEY_B_LOCAL	0x401U		/* not writable by RDMA */
#define DMA_A		0x101U
#define RDMA_A		0x201U
#define RDMA_B		0x301U
#define AREA		(4U << 20)

/*
 * Domain A has a DMA and an RDMA queue, B one RDMA queue, connected to A's.
 * B may live on another device; then both sides differ in everything.
 */
struct bench {
	struct rig *a, *b;
	struct ring a_eq, a_cq, b_eq, b_cq;
	struct sq dma, rdma, b_rdma;
	uint64_t src, dst, remote;
};

static void bench_connect(struct bench *b, uint32_t retry_ms)
{
	uint64_t remote = b->a == b->b ? 1 : 2;

	assert_int_equal(rig_connect(b->a, RDMA_A, remote, RDMA_B, retry_ms),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_connect(b->b, RDMA_B, 1, RDMA_A, retry_ms),
			 DOCA_ADMIN_OK);
}

static struct bench *bench_new(bool two)
{
	struct dpu_config second = rig_config;
	struct bench *b = calloc(1, sizeof(*b));

	assert(b);
	second.serial = 2;
	b->a = rig_new(&rig_config);
	b->b = two ? rig_new(&second) : b->a;
	b->src = rig_alloc(b->a, AREA);
	b->dst = rig_alloc(b->a, AREA);
	b->remote = rig_alloc(b->b, AREA);
	rig_create_eq(b->a, &b->a_eq, 0, 0, 6);
	if (two)
		rig_create_eq(b->b, &b->b_eq, 0, 0, 6);
	rig_create_cq(b->a, &b->a_cq, 1, DOMAIN_A, 0, 8);
	rig_create_cq(b->b, &b->b_cq, 2, DOMAIN_B, 0, 8);
	rig_create_queue(b->a, &b->dma, DMA_A, DOMAIN_A, 1, 6, DOCA_ENGINE_DMA);
	rig_create_queue(b->a, &b->rdma, RDMA_A, DOMAIN_A, 1, 6, DOCA_ENGINE_RDMA);
	rig_create_queue(b->b, &b->b_rdma, RDMA_B, DOMAIN_B, 2, 6, DOCA_ENGINE_RDMA);
	rig_create_key(b->a, KEY_A, DOMAIN_A, 0, b->src, AREA);
	rig_create_key(b->a, KEY_A_LOCAL, DOMAIN_A, DOCA_KEY_LOCAL_WRITE, b->dst, AREA);
	rig_create_key(b->b, KEY_B, DOMAIN_B, DOCA_KEY_RDMA_WRITE, b->remote, AREA);
	assert_int_equal(rig_create_key(b->b, KEY_B_LOCAL, DOMAIN_B,
					DOCA_KEY_LOCAL_WRITE, b->remote, AREA),
			 DOCA_ADMIN_OK);
	rig_fill(b->a, b->src, AREA, 1);
	return b;
}

static int setup(void **state)
{
	struct bench *b = bench_new(false);

	bench_connect(b, 20);
	*state = b;
	return 0;
}

static int setup_two(void **state)
{
	struct bench *b = bench_new(true);

	bench_connect(b, 20);
	*state = b;
	return 0;
}

static int setup_unconnected(void **state)
{
	*state = bench_new(true);
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	if (b->b != b->a)
		rig_free(b->b);
	rig_free(b->a);
	free(b);
	return 0;
}

static struct doca_cqe submit(struct bench *b, struct sq *q, uint8_t opcode,
			      const struct doca_sge *src, uint8_t num_src,
			      const struct doca_sge *dst, uint8_t num_dst)
{
	rig_put(b->a, q, opcode, 0x1234, src, num_src, dst, num_dst);
	rig_ring(b->a, q);
	return rig_cqe(b->a, &b->a_cq);
}

/* A new queue in place of one that is in error. */
static void renew(struct bench *b, struct sq *q)
{
	uint8_t engine = q == &b->dma ? DOCA_ENGINE_DMA : DOCA_ENGINE_RDMA;
	uint32_t handle = q->handle;

	assert_int_equal(rig_handle_cmd(b->a, DOCA_ADMIN_DESTROY_QUEUE, handle),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_create_queue(b->a, q, handle, DOMAIN_A, 1, 6, engine),
			 DOCA_ADMIN_OK);
	if (engine == DOCA_ENGINE_RDMA)
		rig_connect(b->a, handle, b->a == b->b ? 1 : 2, RDMA_B, 20);
}

/* One piece on each side; the completion has to have this status. */
static void expect(struct bench *b, struct sq *q, struct doca_sge src,
		   struct doca_sge dst, uint8_t status, uint8_t syndrome)
{
	uint8_t opcode = q == &b->dma ? DOCA_DMA_OP_MEMCPY : DOCA_RDMA_OP_WRITE;
	struct doca_cqe cqe = submit(b, q, opcode, &src, 1, &dst, 1);

	if (cqe.status != status || cqe.syndrome != syndrome)
		fail_msg("status %u, syndrome %u instead of %u, %u (src %#lx key %#x +%u, dst %#lx key %#x +%u)",
			 cqe.status, cqe.syndrome, status, syndrome,
			 (long)le64toh(src.addr), le32toh(src.mkey), le32toh(src.len),
			 (long)le64toh(dst.addr), le32toh(dst.mkey), le32toh(dst.len));
	assert_int_equal(le32toh(cqe.cookie), 0x1234);
	assert_int_equal(le64toh(cqe.byte_len), status ? 0 : le32toh(src.len));
	if (status)
		renew(b, q);
}

static void lengths_around_every_boundary(void **state)
{
	static const uint32_t lengths[] = {
		1, 2, 3, 4095, 4096, 4097, 65535, 65536, 65537,
		(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20,
	};
	struct bench *b = *state;
	unsigned int i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint32_t len = lengths[i];
		uint8_t *dst = rig_ptr(b->a, b->dst + 8), *remote;

		memset(dst - 8, 0xee, len + 16);
		expect(b, &b->dma, sge(b->src + 3, KEY_A, len),
		       sge(b->dst + 8, KEY_A_LOCAL, len), DOCA_CQE_OK, 0);
		assert_memory_equal(dst, rig_ptr(b->a, b->src + 3), len);
		assert_int_equal(dst[-1], 0xee);
		assert_int_equal(dst[len], 0xee);

		remote = rig_ptr(b->b, b->remote + 8);
		memset(remote - 8, 0xee, len + 16);
		expect(b, &b->rdma, sge(b->src + 3, KEY_A, len),
		       sge(b->remote + 8, KEY_B, len), DOCA_CQE_OK, 0);
		assert_memory_equal(remote, rig_ptr(b->a, b->src + 3), len);
		assert_int_equal(remote[-1], 0xee);
		assert_int_equal(remote[len], 0xee);
	}
}

/* A bus on which nothing is contiguous, as behind an IOMMU. */
static void bus_in_small_pieces(void **state)
{
	static const size_t pieces[] = { 64, 4096, 12345 };
	struct bench *b = *state;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		/* rings stay whole: their entries divide each piece but the last */
		b->a->contiguous = pieces[i] & ~63UL;
		memset(rig_ptr(b->a, b->dst), 0, 1 << 20);
		expect(b, &b->dma, sge(b->src + 1, KEY_A, 1000000),
		       sge(b->dst + 2, KEY_A_LOCAL, 1000000), DOCA_CQE_OK, 0);
		assert_memory_equal(rig_ptr(b->a, b->dst + 2),
				    rig_ptr(b->a, b->src + 1), 1000000);
	}
	b->a->contiguous = 0;
}

static void limits_of_the_engines(void **state)
{
	struct bench *b = *state;

	expect(b, &b->dma, sge(b->src, KEY_A, (2 << 20) + 1),
	       sge(b->dst, KEY_A_LOCAL, (2 << 20) + 1), DOCA_CQE_BAD_LENGTH, 0);
	expect(b, &b->dma, sge(b->src, KEY_A, ~0U), sge(b->dst, KEY_A_LOCAL, ~0U),
	       DOCA_CQE_BAD_LENGTH, 0);
	expect(b, &b->dma, sge(b->src, KEY_A, 0), sge(b->dst, KEY_A_LOCAL, 1),
	       DOCA_CQE_BAD_LENGTH, 0);
	expect(b, &b->dma, sge(b->src, KEY_A, 1), sge(b->dst, KEY_A_LOCAL, 0),
	       DOCA_CQE_BAD_LENGTH, 1);
	/* the destination is shorter */
	expect(b, &b->dma, sge(b->src, KEY_A, 65), sge(b->dst, KEY_A_LOCAL, 64),
	       DOCA_CQE_BAD_LENGTH, 1);
	expect(b, &b->rdma, sge(b->src, KEY_A, (1 << 30) + 1),
	       sge(b->remote, KEY_B, (1 << 30) + 1), DOCA_CQE_BAD_LENGTH, 0);
	/* or longer: the rest of it is not touched */
	memset(rig_ptr(b->a, b->dst), 0xee, 128);
	expect(b, &b->dma, sge(b->src, KEY_A, 64), sge(b->dst, KEY_A_LOCAL, 128),
	       DOCA_CQE_OK, 0);
	assert_int_equal(((uint8_t *)rig_ptr(b->a, b->dst))[64], 0xee);
}

static void bad_descriptors(void **state)
{
	static const struct { uint8_t opcode, flags, num_src, num_dst; uint64_t arg; } bad[] = {
		{ 0, 0, 1, 1, 0 }, { 2, 0, 1, 1, 0 }, { 31, 0, 1, 1, 0 },
		{ 32, 0, 1, 1, 0 }, { 255, 0, 1, 1, 0 },
		{ 1, 1, 1, 1, 0 }, { 1, 0x80, 1, 1, 0 },
		{ 1, 0, 0, 1, 0 }, { 1, 0, 1, 0, 0 }, { 1, 0, 0, 0, 0 },
		{ 1, 0, 65, 1, 0 }, { 1, 0, 1, 65, 0 }, { 1, 0, 255, 255, 0 },
		{ 1, 0, 1, 1, 1 }, { 1, 0, 1, 1, 1ULL << 63 },
	};
	struct bench *b = *state;
	struct doca_sge pieces[510];
	struct doca_cqe cqe;
	unsigned int i, k;

	/* a ring that takes the longest list there is */
	assert_int_equal(rig_handle_cmd(b->a, DOCA_ADMIN_DESTROY_QUEUE, DMA_A),
			 DOCA_ADMIN_OK);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct doca_sqe *sqe;

		assert_int_equal(rig_create_queue(b->a, &b->dma, DMA_A, DOMAIN_A, 1, 8,
						  DOCA_ENGINE_DMA), DOCA_ADMIN_OK);
		for (k = 0; k < 510; k++)
			pieces[k] = sge(k < bad[i].num_src ? b->src : b->dst,
					KEY_A_LOCAL, 1);
		sqe = rig_sqe(b->a, &b->dma, 0);
		rig_put(b->a, &b->dma, bad[i].opcode, 7, pieces, bad[i].num_src,
			pieces + bad[i].num_src, bad[i].num_dst);
		sqe->flags = bad[i].flags;
		sqe->arg = htole64(bad[i].arg);
		rig_ring(b->a, &b->dma);
		cqe = rig_cqe(b->a, &b->a_cq);
		if (cqe.status != DOCA_CQE_BAD_DESCRIPTOR)
			fail_msg("case %u: status %u", i, cqe.status);
		assert_int_equal(le32toh(cqe.cookie), 7);
		assert_int_equal(cqe.opcode, bad[i].opcode);
		/* whatever it says of itself, the ring goes on */
		rig_idle(b->a);
		while (rig_peek_cqe(b->a, &b->a_cq, &cqe))
			assert_int_equal(cqe.status, DOCA_CQE_FLUSHED);
		assert_int_equal(rig_handle_cmd(b->a, DOCA_ADMIN_DESTROY_QUEUE, DMA_A),
				 DOCA_ADMIN_OK);
	}
}

static void scatter_and_gather(void **state)
{
	struct bench *b = *state;
	struct doca_sge src[64], dst[64];
	uint8_t *expected = malloc(AREA), *p = expected;
	unsigned int i;
	uint64_t at = 0;
	struct doca_cqe cqe;

	/* 64 pieces of 1, 2, 3, ... bytes, from back to front, into 64 others */
	for (i = 0; i < 64; i++) {
		uint32_t len = i + 1;

		src[i] = sge(b->src + AREA - 100 * (i + 1), KEY_A, len);
		memcpy(p, rig_ptr(b->a, b->src + AREA - 100 * (i + 1)), len);
		p += len;
		dst[i] = sge(b->dst + at, KEY_A_LOCAL, 64 - i);
		at += 100;
	}
	cqe = submit(b, &b->dma, DOCA_DMA_OP_MEMCPY, src, 64, dst, 64);
	assert_int_equal(cqe.status, DOCA_CQE_OK);
	assert_int_equal(le64toh(cqe.byte_len), 64 * 65 / 2);
	for (p = expected, at = 0, i = 0; i < 64; i++) {
		assert_memory_equal(rig_ptr(b->a, b->dst + at), p, 64 - i);
		p += 64 - i;
		at += 100;
	}
	free(expected);

	/* the 40th piece of all is wrong: that is what the syndrome says */
	src[39] = sge(b->src, KEY_A + 1, 1);
	cqe = submit(b, &b->dma, DOCA_DMA_OP_MEMCPY, src, 64, dst, 64);
	assert_int_equal(cqe.status, DOCA_CQE_LOCAL_KEY);
	assert_int_equal(cqe.syndrome, 39);
	renew(b, &b->dma);
	src[39] = sge(b->src, KEY_A, 1);
	dst[6] = sge(b->src, KEY_A, 58);
	cqe = submit(b, &b->dma, DOCA_DMA_OP_MEMCPY, src, 64, dst, 64);
	assert_int_equal(cqe.status, DOCA_CQE_LOCAL_ACCESS);
	assert_int_equal(cqe.syndrome, 70);
}

static void total_of_a_list_does_not_wrap(void **state)
{
	struct bench *b = *state;
	struct doca_sge src[3], dst;
	struct doca_cqe cqe;

	/* 2^32 + 2 bytes: 2, if it were counted in 32 bits */
	src[0] = sge(b->src, KEY_A, 0x80000000);
	src[1] = sge(b->src, KEY_A, 0x80000000);
	src[2] = sge(b->src, KEY_A, 2);
	dst = sge(b->dst, KEY_A_LOCAL, 2);
	cqe = submit(b, &b->dma, DOCA_DMA_OP_MEMCPY, src, 3, &dst, 1);
	assert_int_equal(cqe.status, DOCA_CQE_BAD_LENGTH);
}

static void local_keys_are_checked(void **state)
{
	struct bench *b = *state;
	struct doca_sge src = sge(b->src, KEY_A, 64);
	struct doca_sge dst = sge(b->dst, KEY_A_LOCAL, 64);

	/* no such index, another generation, another domain, no key at all */
	expect(b, &b->dma, sge(b->src, 0xff01, 64), dst, DOCA_CQE_LOCAL_KEY, 0);
	expect(b, &b->dma, sge(b->src, ~0U, 64), dst, DOCA_CQE_LOCAL_KEY, 0);
	expect(b, &b->dma, sge(b->src, KEY_A + 1, 64), dst, DOCA_CQE_LOCAL_KEY, 0);
	expect(b, &b->dma, sge(b->src, 0, 64), dst, DOCA_CQE_LOCAL_KEY, 0);
	expect(b, &b->dma, sge(b->remote, KEY_B, 64), dst, DOCA_CQE_LOCAL_KEY, 0);
	expect(b, &b->dma, src, sge(b->remote, KEY_B, 64), DOCA_CQE_LOCAL_KEY, 1);
	/* one byte before, one beyond, across the end, and around it */
	expect(b, &b->dma, sge(b->src - 1, KEY_A, 64), dst, DOCA_CQE_LOCAL_BOUNDS, 0);
	expect(b, &b->dma, sge(b->src + AREA - 63, KEY_A, 64), dst,
	       DOCA_CQE_LOCAL_BOUNDS, 0);
	expect(b, &b->dma, sge(b->src + AREA, KEY_A, 1), dst, DOCA_CQE_LOCAL_BOUNDS, 0);
	expect(b, &b->dma, sge(-32ULL, KEY_A, 64), dst, DOCA_CQE_LOCAL_BOUNDS, 0);
	expect(b, &b->dma, src, sge(b->dst + AREA - 63, KEY_A_LOCAL, 64),
	       DOCA_CQE_LOCAL_BOUNDS, 1);
	expect(b, &b->dma, sge(b->src + AREA - 64, KEY_A, 64), dst, DOCA_CQE_OK, 0);
	/* reading is free, writing is not */
	expect(b, &b->dma, src, sge(b->src, KEY_A, 64), DOCA_CQE_LOCAL_ACCESS, 1);
	/* a key that is gone */
	assert_int_equal(rig_handle_cmd(b->a, DOCA_ADMIN_DESTROY_KEY, KEY_A),
			 DOCA_ADMIN_OK);
	expect(b, &b->dma, src, dst, DOCA_CQE_LOCAL_KEY, 0);
	/* and its successor at the same index */
	assert_int_equal(rig_create_key(b->a, KEY_A + 1, DOMAIN_A, 0, b->src, AREA),
			 DOCA_ADMIN_OK);
	expect(b, &b->dma, src, dst, DOCA_CQE_LOCAL_KEY, 0);
	expect(b, &b->dma, sge(b->src, KEY_A + 1, 64), dst, DOCA_CQE_OK, 0);
}

static void remote_keys_are_checked(void **state)
{
	struct bench *b = *state;
	struct doca_sge src = sge(b->src, KEY_A, 64);
	struct doca_sge dst = sge(b->remote, KEY_B, 64);

	expect(b, &b->rdma, src, dst, DOCA_CQE_OK, 0);
	expect(b, &b->rdma, sge(b->src, KEY_A + 1, 64), dst, DOCA_CQE_LOCAL_KEY, 0);
	expect(b, &b->rdma, src, sge(b->remote, KEY_B + 1, 64), DOCA_CQE_REMOTE_KEY, 1);
	expect(b, &b->rdma, src, sge(b->remote, ~0U, 64), DOCA_CQE_REMOTE_KEY, 1);
	/* the sender's own key says nothing at the peer */
	expect(b, &b->rdma, src, sge(b->dst, KEY_A_LOCAL, 64), DOCA_CQE_REMOTE_KEY, 1);
	expect(b, &b->rdma, src, sge(b->remote - 1, KEY_B, 64), DOCA_CQE_REMOTE_BOUNDS, 1);
	expect(b, &b->rdma, src, sge(b->remote + AREA - 63, KEY_B, 64),
	       DOCA_CQE_REMOTE_BOUNDS, 1);
	expect(b, &b->rdma, src, sge(-1ULL, KEY_B, 64), DOCA_CQE_REMOTE_BOUNDS, 1);
	expect(b, &b->rdma, src, sge(b->remote, KEY_B_LOCAL, 64),
	       DOCA_CQE_REMOTE_ACCESS, 1);
	assert_int_equal(rig_handle_cmd(b->b, DOCA_ADMIN_DESTROY_KEY, KEY_B),
			 DOCA_ADMIN_OK);
	expect(b, &b->rdma, src, dst, DOCA_CQE_REMOTE_KEY, 1);
}

static void failed_checks_write_nothing(void **state)
{
	struct bench *b = *state;
	struct doca_sge src[2] = { sge(b->src, KEY_A, 64), sge(b->src, KEY_A + 1, 64) };
	struct doca_sge dst[2] = { sge(b->dst, KEY_A_LOCAL, 64),
				   sge(b->dst + AREA, KEY_A_LOCAL, 64) };
	uint8_t *p = rig_ptr(b->a, b->dst);
	struct doca_cqe cqe;
	unsigned int i;

	memset(p, 0xee, 128);
	cqe = submit(b, &b->dma, DOCA_DMA_OP_MEMCPY, src, 2, dst, 1);
	assert_int_equal(cqe.status, DOCA_CQE_BAD_LENGTH);
	renew(b, &b->dma);
	cqe = submit(b, &b->dma, DOCA_DMA_OP_MEMCPY, src, 2, dst, 2);
	assert_int_equal(cqe.status, DOCA_CQE_LOCAL_KEY);
	renew(b, &b->dma);
	src[1] = src[0];
	cqe = submit(b, &b->dma, DOCA_DMA_OP_MEMCPY, src, 2, dst, 2);
	assert_int_equal(cqe.status, DOCA_CQE_LOCAL_BOUNDS);
	assert_int_equal(cqe.syndrome, 3);
	for (i = 0; i < 128; i++)
		assert_int_equal(p[i], 0xee);
}

static void bus_faults_end_the_transfer(void **state)
{
	struct bench *b = *state;
	uint64_t holes[] = { b->src, b->src + (1 << 20), b->dst, b->dst + 8192 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		b->a->refuse = holes[i];
		b->a->refuse_end = holes[i] + RIG_PAGE;
		expect(b, &b->dma, sge(b->src, KEY_A, 2 << 20),
		       sge(b->dst, KEY_A_LOCAL, 2 << 20), DOCA_CQE_MEMORY_FAULT,
		       i >= 2);
		assert_int_equal(b->a->mapped, 0);
	}
	b->a->refuse = b->a->refuse_end = 0;
	b->b->refuse = b->remote + 64;
	b->b->refuse_end = b->remote + 128;
	expect(b, &b->rdma, sge(b->src, KEY_A, 128), sge(b->remote, KEY_B, 128),
	       DOCA_CQE_MEMORY_FAULT, 1);
	b->b->refuse = b->b->refuse_end = 0;
	assert_int_equal(b->b->mapped, 0);
}

static void keys_of_many_pages(void **state)
{
	struct bench *b = *state;
	uint64_t block = rig_alloc(b->a, RIG_PAGE), *entry = rig_ptr(b->a, block);
	struct doca_admin_sqe sqe = {
		.create_key.mkey = htole32(0x501),
		.create_key.domain = htole32(DOMAIN_A),
		.create_key.access = htole32(DOCA_KEY_LOCAL_WRITE),
		.create_key.addr = htole64(0xffff0000000007f0),
		.create_key.length = htole64(512 * RIG_PAGE - 0x7f0),
		.create_key.offset = htole64(0x7f0),
		.create_key.pages = {
			.root = htole64(block), .num_pages = htole32(512),
			.page_shift = 12, .levels = 1,
		},
	};
	unsigned int i;

	/* pages in reverse: what is next to each other here is not so there */
	for (i = 0; i < 512; i++)
		entry[i] = htole64(b->dst + (511 - i) * RIG_PAGE);
	assert_int_equal(rig_admin(b->a, DOCA_ADMIN_CREATE_KEY, &sqe), DOCA_ADMIN_OK);
	expect(b, &b->dma, sge(b->src, KEY_A, 3 * RIG_PAGE),
	       sge(0xffff0000000007f0, 0x501, 3 * RIG_PAGE), DOCA_CQE_OK, 0);
	assert_memory_equal(rig_ptr(b->a, b->dst + 511 * RIG_PAGE + 0x7f0),
			    rig_ptr(b->a, b->src), RIG_PAGE - 0x7f0);
	assert_memory_equal(rig_ptr(b->a, b->dst + 510 * RIG_PAGE),
			    rig_ptr(b->a, b->src + RIG_PAGE - 0x7f0), RIG_PAGE);
	assert_memory_equal(rig_ptr(b->a, b->dst + 508 * RIG_PAGE),
			    rig_ptr(b->a, b->src + 3 * RIG_PAGE - 0x7f0), 0x7f0);
	/* its first and its last byte, and those next to them */
	expect(b, &b->dma, sge(b->src, KEY_A, 1), sge(0xffff0000000007f0, 0x501, 1),
	       DOCA_CQE_OK, 0);
	expect(b, &b->dma, sge(b->src, KEY_A, 1), sge(0xffff0000000007ef, 0x501, 1),
	       DOCA_CQE_LOCAL_BOUNDS, 1);
	expect(b, &b->dma, sge(b->src, KEY_A, 1), sge(0xffff0000001fffff, 0x501, 1),
	       DOCA_CQE_OK, 0);
	expect(b, &b->dma, sge(b->src, KEY_A, 1), sge(0xffff000000200000, 0x501, 1),
	       DOCA_CQE_LOCAL_BOUNDS, 1);
}

/* A write takes one range at the peer. */
static void rdma_gathers_but_does_not_scatter(void **state)
{
	struct bench *b = *state;
	struct doca_sge src[33], dst[2];
	struct doca_cqe cqe;
	unsigned int i;

	for (i = 0; i < 33; i++)
		src[i] = sge(b->src + i * 1000, KEY_A, 100);
	dst[0] = sge(b->remote, KEY_B, 3300);
	dst[1] = sge(b->remote, KEY_B, 3300);
	cqe = submit(b, &b->rdma, DOCA_RDMA_OP_WRITE, src, 32, dst, 1);
	assert_int_equal(cqe.status, DOCA_CQE_OK);
	for (i = 0; i < 32; i++)
		assert_memory_equal(rig_ptr(b->b, b->remote + i * 100),
				    rig_ptr(b->a, b->src + i * 1000), 100);
	cqe = submit(b, &b->rdma, DOCA_RDMA_OP_WRITE, src, 33, dst, 1);
	assert_int_equal(cqe.status, DOCA_CQE_BAD_DESCRIPTOR);
	renew(b, &b->rdma);
	cqe = submit(b, &b->rdma, DOCA_RDMA_OP_WRITE, src, 2, dst, 2);
	assert_int_equal(cqe.status, DOCA_CQE_BAD_DESCRIPTOR);
}

static void unconnected_queue_cannot_write(void **state)
{
	struct bench *b = *state;
	struct doca_sge src = sge(b->src, KEY_A, 64), dst = sge(b->remote, KEY_B, 64);
	struct doca_cqe cqe;

	cqe = submit(b, &b->rdma, DOCA_RDMA_OP_WRITE, &src, 1, &dst, 1);
	assert_int_equal(cqe.status, DOCA_CQE_NOT_CONNECTED);
}

static void peer_that_does_not_answer(void **state)
{
	struct bench *b = *state;
	struct doca_sge src = sge(b->src, KEY_A, 64), dst = sge(b->remote, KEY_B, 64);
	struct doca_cqe cqe;

	/* A knows B, but not B A */
	assert_int_equal(rig_connect(b->a, RDMA_A, 2, RDMA_B, 1), DOCA_ADMIN_OK);
	cqe = submit(b, &b->rdma, DOCA_RDMA_OP_WRITE, &src, 1, &dst, 1);
	assert_int_equal(cqe.status, DOCA_CQE_RETRY_EXCEEDED);
	assert_int_equal(((uint8_t *)rig_ptr(b->b, b->remote))[0], 0);
	renew(b, &b->rdma);

	/* B is connected to somebody else */
	assert_int_equal(rig_connect(b->b, RDMA_B, 1, RDMA_A + 1, 1), DOCA_ADMIN_OK);
	cqe = submit(b, &b->rdma, DOCA_RDMA_OP_WRITE, &src, 1, &dst, 1);
	assert_int_equal(cqe.status, DOCA_CQE_RETRY_EXCEEDED);
}

static void no_device_at_the_address(void **state)
{
	struct bench *b = *state;
	struct doca_sge src = sge(b->src, KEY_A, 64), dst = sge(b->remote, KEY_B, 64);
	struct doca_cqe cqe;

	assert_int_equal(rig_connect(b->a, RDMA_A, 77, RDMA_B, 1), DOCA_ADMIN_OK);
	cqe = submit(b, &b->rdma, DOCA_RDMA_OP_WRITE, &src, 1, &dst, 1);
	assert_int_equal(cqe.status, DOCA_CQE_RETRY_EXCEEDED);
}

static void peer_that_comes_in_time(void **state)
{
	struct bench *b = *state;
	struct doca_sge src = sge(b->src, KEY_A, 64), dst = sge(b->remote, KEY_B, 64);
	struct doca_cqe cqe;
	unsigned int i;

	assert_int_equal(rig_connect(b->a, RDMA_A, 2, RDMA_B, 1000000), DOCA_ADMIN_OK);
	rig_put(b->a, &b->rdma, DOCA_RDMA_OP_WRITE, 1, &src, 1, &dst, 1);
	rig_put(b->a, &b->rdma, DOCA_RDMA_OP_WRITE, 2, &src, 1, &dst, 1);
	rig_ring(b->a, &b->rdma);
	for (i = 0; i < 20; i++) {
		rig_idle(b->a);
		usleep(500);
	}
	assert_false(rig_peek_cqe(b->a, &b->a_cq, &cqe));
	assert_int_equal(rig_connect(b->b, RDMA_B, 1, RDMA_A, 1), DOCA_ADMIN_OK);
	for (i = 1; i <= 2; i++) {
		cqe = rig_cqe(b->a, &b->a_cq);
		assert_int_equal(cqe.status, DOCA_CQE_OK);
		assert_int_equal(le32toh(cqe.cookie), i);
	}
}

static void stop_ends_the_wait_for_a_peer(void **state)
{
	struct bench *b = *state;
	struct doca_sge src = sge(b->src, KEY_A, 64), dst = sge(b->remote, KEY_B, 64);

	assert_int_equal(rig_connect(b->a, RDMA_A, 2, RDMA_B, 1000000), DOCA_ADMIN_OK);
	rig_put(b->a, &b->rdma, DOCA_RDMA_OP_WRITE, 1, &src, 1, &dst, 1);
	rig_ring(b->a, &b->rdma);
	rig_idle(b->a);
	assert_int_equal(rig_handle_cmd(b->a, DOCA_ADMIN_STOP_QUEUE, RDMA_A),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_cqe(b->a, &b->a_cq).status, DOCA_CQE_FLUSHED);
}

static void peer_in_error_or_gone(void **state)
{
	struct bench *b = *state;
	struct doca_sge src = sge(b->src, KEY_A, 64), dst = sge(b->remote, KEY_B, 64);

	expect(b, &b->rdma, src, dst, DOCA_CQE_OK, 0);
	assert_int_equal(rig_handle_cmd(b->b, DOCA_ADMIN_STOP_QUEUE, RDMA_B),
			 DOCA_ADMIN_OK);
	expect(b, &b->rdma, src, dst, DOCA_CQE_RETRY_EXCEEDED, 0);
	assert_int_equal(rig_handle_cmd(b->b, DOCA_ADMIN_DESTROY_QUEUE, RDMA_B),
			 DOCA_ADMIN_OK);
	expect(b, &b->rdma, src, dst, DOCA_CQE_RETRY_EXCEEDED, 0);
	dpu_reset(b->b->dpu);
	expect(b, &b->rdma, src, dst, DOCA_CQE_RETRY_EXCEEDED, 0);
}

static void error_flushes_what_follows(void **state)
{
	struct bench *b = *state;
	struct doca_sge good = sge(b->src, KEY_A, 64), bad = sge(b->src, KEY_A + 1, 64);
	struct doca_sge dst = sge(b->dst, KEY_A_LOCAL, 64);
	static const uint8_t expected[] = {
		DOCA_CQE_OK, DOCA_CQE_OK, DOCA_CQE_LOCAL_KEY, DOCA_CQE_FLUSHED,
		DOCA_CQE_FLUSHED,
	};
	struct dpu_stats stats;
	unsigned int i;

	for (i = 0; i < 5; i++)
		rig_put(b->a, &b->dma, DOCA_DMA_OP_MEMCPY, i, i == 2 ? &bad : &good, 1,
			&dst, 1);
	rig_ring(b->a, &b->dma);
	for (i = 0; i < 5; i++) {
		struct doca_cqe cqe = rig_cqe(b->a, &b->a_cq);

		assert_int_equal(cqe.status, expected[i]);
		assert_int_equal(le32toh(cqe.cookie), i);
	}
	dpu_get_stats(b->a->dpu, &stats);
	assert_int_equal(stats.tasks, 2);
	assert_int_equal(stats.errors, 3);
	assert_int_equal(stats.bytes, 128);
	/* the other queue of the domain is not touched by it */
	expect(b, &b->rdma, good, sge(b->remote, KEY_B, 64), DOCA_CQE_OK, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_2(name) \
	{ #name " (two devices)", name, setup_two, teardown, NULL }
#define TEST_UNCONNECTED(name) \
	cmocka_unit_test_setup_teardown(name, setup_unconnected, teardown)
	const struct CMUnitTest tests[] = {
		TEST(lengths_around_every_boundary),
		TEST_2(lengths_around_every_boundary),
		TEST(bus_in_small_pieces),
		TEST(limits_of_the_engines),
		TEST(bad_descriptors),
		TEST(scatter_and_gather),
		TEST(total_of_a_list_does_not_wrap),
		TEST(local_keys_are_checked),
		TEST(remote_keys_are_checked),
		TEST_2(remote_keys_are_checked),
		TEST(failed_checks_write_nothing),
		TEST(bus_faults_end_the_transfer),
		TEST_2(bus_faults_end_the_transfer),
		TEST(keys_of_many_pages),
		TEST(rdma_gathers_but_does_not_scatter),
		TEST_UNCONNECTED(unconnected_queue_cannot_write),
		TEST_UNCONNECTED(peer_that_does_not_answer),
		TEST_UNCONNECTED(no_device_at_the_address),
		TEST_UNCONNECTED(peer_that_comes_in_time),
		TEST_UNCONNECTED(stop_ends_the_wait_for_a_peer),
		TEST_2(peer_in_error_or_gone),
		TEST(error_flushes_what_follows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("transfer", tests, NULL, NULL);
}
