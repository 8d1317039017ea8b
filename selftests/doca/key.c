// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the device checks of each descriptor: keys, domains, generations,
 * bounds, rights, lengths, the descriptor itself; and what comes after an error.
 */
#include "doca_utils.h"

#define GUARD		0x5e

FIXTURE(key) {
	struct baseline base;
	struct rig rig;
	struct rig peer;	/* RDMA only */
	size_t page;
	struct doca_engine_info engine;
	/* statuses that the two engines have for the destination */
	int key, bounds, access;
};

FIXTURE_VARIANT(key) {
	__u32 engine;
};

FIXTURE_VARIANT_ADD(key, dma) {
	.engine = DOCA_ENGINE_DMA,
};

FIXTURE_VARIANT_ADD(key, rdma) {
	.engine = DOCA_ENGINE_RDMA,
};

/* Where the destination is: in the queue's own domain, or in its peer's. */
#define target(self) \
	(variant->engine == DOCA_ENGINE_DMA ? &(self)->rig : &(self)->peer)

static int fresh_queues(FIXTURE_DATA(key) *self, __u32 engine)
{
	int err = rig_new_queue(&self->rig, engine);

	if (err || engine == DOCA_ENGINE_DMA)
		return err;
	err = rig_new_queue(&self->peer, engine);
	return err ? err : rig_connect(&self->rig, &self->peer);
}

FIXTURE_SETUP(key)
{
	struct doca_device_info info = {};

	baseline_take(&self->base);
	self->page = page_size();
	self->engine.engine = variant->engine;
	ASSERT_EQ(0, rig_open(&self->rig, variant->engine, 128));
	ASSERT_EQ(0, do_engine_info(self->rig.dom.fd, &self->engine));
	ASSERT_EQ(0, do_device_info(self->rig.dom.fd, &info));
	self->key = DOCA_CQE_LOCAL_KEY;
	self->bounds = DOCA_CQE_LOCAL_BOUNDS;
	self->access = DOCA_CQE_LOCAL_ACCESS;
	if (variant->engine == DOCA_ENGINE_RDMA) {
		self->key = DOCA_CQE_REMOTE_KEY;
		self->bounds = DOCA_CQE_REMOTE_BOUNDS;
		self->access = DOCA_CQE_REMOTE_ACCESS;
		ASSERT_EQ(0, rig_open(&self->peer, variant->engine, 128));
		ASSERT_EQ(0, rig_connect(&self->rig, &self->peer));
	}
}

FIXTURE_TEARDOWN(key)
{
	/* after all that: a fresh queue copies */
	if (_metadata->passed) {
		EXPECT_EQ(0, fresh_queues(self, variant->engine));
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, 5000),
						rig_dst(target(self), 1, 5000)));
		EXPECT_EQ(0, memcmp(self->rig.src, target(self)->dst + 1, 5000));
	}
	rig_close(&self->rig);
	if (variant->engine == DOCA_ENGINE_RDMA)
		rig_close(&self->peer);
	EXPECT_BASELINE(&self->base);
}

/*
 * Three descriptors: one that fails as it should, two good ones behind it, which
 * are flushed, each exactly once; and the destination is as it was.
 */
static void fails(struct __test_metadata *_metadata, FIXTURE_DATA(key) *self, __u32 engine,
		  const char *what, int status, const struct doca_sqe *head,
		  const struct doca_sge *sges, unsigned int num)
{
	struct rig *rig = &self->rig;
	struct rig *to = engine == DOCA_ENGINE_DMA ? rig : &self->peer;
	struct doca_sqe first = *head;
	struct done done;
	__u32 index;

	memset(to->dst, GUARD, to->size);
	first.cookie = htole32(100);
	index = rig->queue.pi + queue_post_raw(&rig->queue, &first, sges, num);
	queue_post(&rig->queue, 101, rig_src(rig, 0, 64), rig_dst(to, 0, 64));
	queue_post(&rig->queue, 102, rig_src(rig, 0, 64), rig_dst(to, 0, 64));
	queue_ring(&rig->queue);

	ASSERT_EQ(0, chan_wait(&rig->chan, &done))
		TH_LOG("%s", what);
	EXPECT_EQ(100, done.cookie)
		TH_LOG("%s", what);
	EXPECT_EQ(status, done.status)
		TH_LOG("%s", what);
	EXPECT_EQ(0, done.byte_len)
		TH_LOG("%s", what);
	EXPECT_EQ(0x7a6, done.tag);
	if (num <= DOCA_SQE_INLINE_SGES || status != DOCA_CQE_BAD_DESCRIPTOR) {
		EXPECT_EQ(index, done.queue_index)
			TH_LOG("%s", what);
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		EXPECT_EQ(101, done.cookie)
			TH_LOG("%s", what);
		EXPECT_EQ(DOCA_CQE_FLUSHED, done.status)
			TH_LOG("%s", what);
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		EXPECT_EQ(102, done.cookie)
			TH_LOG("%s", what);
		EXPECT_EQ(DOCA_CQE_FLUSHED, done.status)
			TH_LOG("%s", what);
		EXPECT_EQ(rig->queue.pi, done.queue_index)
			TH_LOG("%s", what);
	} else {
		/* where the next one begins is the device's guess: all that come are flushed */
		while (!chan_wait_ms(&rig->chan, &done, QUIET_MS))
			EXPECT_EQ(DOCA_CQE_FLUSHED, done.status)
				TH_LOG("%s", what);
	}
	EXPECT_EQ(-EAGAIN, chan_try(&rig->chan, &done))
		TH_LOG("%s: one completion too many", what);
	EXPECT_TRUE(mem_is(to->dst, to->size, GUARD))
		TH_LOG("%s: something was written", what);
	ASSERT_EQ(0, fresh_queues(self, engine));
}

#define FAILS(what, status, src, dst) do {				\
	struct doca_sge __sges[2] = { src, dst };			\
	struct doca_sqe __head = { .opcode = 1, .num_src = 1, .num_dst = 1 }; \
									\
	fails(_metadata, self, variant->engine, what, status, &__head, __sges, 2); \
} while (0)

TEST_F(key, good_copies_of_many_lengths_and_offsets)
{
	static const __u32 lengths[] = { 1, 2, 3, 7, 8, 63, 64, 65, 511, 4095, 4096, 4097, 12345 };
	struct rig *rig = &self->rig, *to = target(self);
	struct done done;
	int i, offset;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (offset = 0; offset < 9000; offset += 1777) {
			memset(to->dst, GUARD, to->size);
			queue_post(&rig->queue, i, rig_src(rig, offset, lengths[i]),
				   rig_dst(to, 3 + offset, lengths[i]));
			queue_ring(&rig->queue);
			ASSERT_EQ(0, chan_wait(&rig->chan, &done));
			EXPECT_EQ(DOCA_CQE_OK, done.status);
			EXPECT_EQ(i, done.cookie);
			EXPECT_EQ(0x7a6, done.tag);
			EXPECT_EQ(lengths[i], done.byte_len);
			EXPECT_EQ(rig->queue.pi, done.queue_index);
			EXPECT_EQ(1, done.opcode);
			EXPECT_EQ(0, done.reserved);
			EXPECT_EQ(0, memcmp(rig->src + offset, to->dst + 3 + offset, lengths[i]));
			EXPECT_TRUE(mem_is(to->dst, 3 + offset, GUARD));
			EXPECT_TRUE(mem_is(to->dst + 3 + offset + lengths[i], 64, GUARD));
		}
	}
}

TEST_F(key, unknown_keys)
{
	struct rig *rig = &self->rig, *to = target(self);
	static const __u32 odd[] = { 0, 1, 0xff, 0x100, 0x7fffffff, 0x80000000, UINT_MAX,
				     0xffffff00, 0x00ffff00 };
	int i;

	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		if (odd[i] == rig->src_region.mkey || odd[i] == rig->dst_region.mkey)
			continue;
		FAILS("source", DOCA_CQE_LOCAL_KEY, sge(rig->src, odd[i], 64),
		      rig_dst(to, 0, 64));
		FAILS("destination", self->key, rig_src(rig, 0, 64), sge(to->dst, odd[i], 64));
	}
}

TEST_F(key, another_generation_of_a_good_key)
{
	struct rig *rig = &self->rig, *to = target(self);
	int bit;

	for (bit = 0; bit < DOCA_HANDLE_GEN_BITS; bit++) {
		FAILS("source", DOCA_CQE_LOCAL_KEY,
		      sge(rig->src, rig->src_region.mkey ^ 1U << bit, 64), rig_dst(to, 0, 64));
		FAILS("destination", self->key, rig_src(rig, 0, 64),
		      sge(to->dst, to->dst_region.mkey ^ 1U << bit, 64));
	}
}

TEST_F(key, keys_of_another_file)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct rig other;

	ASSERT_EQ(0, rig_open(&other, DOCA_ENGINE_DMA, 16));
	memset(other.dst, GUARD, other.size);
	FAILS("source", DOCA_CQE_LOCAL_KEY, rig_src(&other, 0, 64), rig_dst(to, 0, 64));
	FAILS("destination", self->key, rig_src(rig, 0, 64), rig_dst(&other, 0, 64));
	EXPECT_TRUE(mem_is(other.dst, other.size, GUARD));
	rig_close(&other);
}

/* With RDMA the two sides are never mixed up. */
TEST_F(key, keys_of_the_wrong_side)
{
	struct rig *rig = &self->rig, *to = target(self);

	if (variant->engine == DOCA_ENGINE_DMA)
		SKIP(return, "both sides are one domain");
	FAILS("the peer's key as source", DOCA_CQE_LOCAL_KEY, rig_src(to, 0, 64),
	      rig_dst(to, 0, 64));
	FAILS("own key as destination", DOCA_CQE_REMOTE_KEY, rig_src(rig, 0, 64),
	      rig_dst(rig, 0, 64));
}

TEST_F(key, stale_after_destroy)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct region src, dst;

	ASSERT_EQ(0, region_create(&rig->dom, &src, rig->src, rig->size, 0));
	ASSERT_EQ(0, region_create(&to->dom, &dst, to->dst, to->size,
				   DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, sge(rig->src, src.mkey, 64),
					sge(to->dst, dst.mkey, 64)));
	__u32 stale_src = src.mkey, stale_dst = dst.mkey;

	ASSERT_EQ(0, region_destroy(&src));
	ASSERT_EQ(0, region_destroy(&dst));
	FAILS("source", DOCA_CQE_LOCAL_KEY, sge(rig->src, stale_src, 64), rig_dst(to, 0, 64));
	FAILS("destination", self->key, rig_src(rig, 0, 64), sge(to->dst, stale_dst, 64));
}

/* A3: the slot is in use again, for other memory. */
TEST_F(key, stale_with_its_index_used_again)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct doca_device_info info = {};
	struct region region, again;
	__u32 stale;
	int i, tries;

	ASSERT_EQ(0, do_device_info(rig->dom.fd, &info));
	ASSERT_EQ(0, region_create(&to->dom, &region, to->dst, 64,
				   DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE));
	stale = region.mkey;
	ASSERT_EQ(0, region_destroy(&region));
	/*
	 * An index comes again when all others have had their turn, which takes
	 * a minute: not in each run. The device's side of it is in tools/dpu/tests.
	 */
	tries = info.out_max_regions + 1;
	if (env_number("DOCA_LOOPS", 10) <= 10 && tries > 5000)
		tries = 5000;
	for (i = 0; i < tries; i++) {
		ASSERT_EQ(0, region_create(&to->dom, &again, to->dst, 64,
					   DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE));
		ASSERT_NE(stale, again.mkey);
		if (again.mkey >> DOCA_HANDLE_GEN_BITS == stale >> DOCA_HANDLE_GEN_BITS)
			break;
		ASSERT_EQ(0, region_destroy(&again));
	}
	if (i == tries)
		SKIP(return, "the index did not come again in %d registrations: DOCA_LOOPS=11 has more", tries);
	FAILS("destination", self->key, rig_src(rig, 0, 64), sge(to->dst, stale, 64));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, 64), sge(to->dst, again.mkey, 64)));
	EXPECT_EQ(0, region_destroy(&again));
}

TEST_F(key, a_generation_does_not_come_back_soon)
{
	struct region region;
	__u32 first = 0;
	int i;

	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, region_create(&self->rig.dom, &region, self->rig.src, 1, 0));
		ASSERT_NE(0, region.mkey);
		if (!i)
			first = region.mkey;
		else
			ASSERT_NE(first, region.mkey);
		ASSERT_EQ(0, region_destroy(&region));
	}
}

TEST_F(key, bounds)
{
	struct rig *rig = &self->rig, *to = target(self);
	/* half of the memory, from its second page on */
	size_t size = rig->size / 2, i;
	char *src = rig->src + self->page, *dst = to->dst + self->page;
	struct {
		const char *what;
		__u64 addr;	/* from the start of the region */
		__u32 len;
	} cases[] = {
		{ "one byte behind the end", size, 1 },
		{ "the last byte and one more", size - 1, 2 },
		{ "all and one more", 0, size + 1 },
		{ "one byte before the start", -1ULL, 1 },
		{ "over the start", -1ULL, 64 },
		{ "from before to behind", -64ULL, size + 128 },
		{ "a page away", size + self->page, 8 },
		{ "4 GiB away", 1ULL << 32, 8 },
		{ "2^63 away", 1ULL << 63, 8 },
		{ "a length that wraps 32 bits", 1, UINT_MAX },
		{ "the largest length", 0, UINT_MAX },
	};
	struct region src_region, dst_region;

	ASSERT_EQ(0, region_create(&rig->dom, &src_region, src, size, 0));
	ASSERT_EQ(0, region_create(&to->dom, &dst_region, dst, size,
				   DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		/* lengths over the limit are refused for that */
		bool too_long = cases[i].len > self->engine.out_max_transfer;

		if (cases[i].len > rig->size && !too_long)
			continue;
		FAILS(cases[i].what, too_long ? DOCA_CQE_BAD_LENGTH : self->bounds,
		      rig_src(rig, 0, cases[i].len),
		      sge((void *)((uintptr_t)dst + cases[i].addr), dst_region.mkey, cases[i].len));
		FAILS(cases[i].what, too_long ? DOCA_CQE_BAD_LENGTH : DOCA_CQE_LOCAL_BOUNDS,
		      sge((void *)((uintptr_t)src + cases[i].addr), src_region.mkey, cases[i].len),
		      rig_dst(to, 0, cases[i].len));
	}
	EXPECT_EQ(0, region_destroy(&src_region));
	EXPECT_EQ(0, region_destroy(&dst_region));
}

/* The first and the last byte are inside. */
TEST_F(key, bounds_are_not_too_tight)
{
	struct rig *rig = &self->rig, *to = target(self);

	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, 1), rig_dst(to, 0, 1)));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, rig->size - 1, 1),
					rig_dst(to, to->size - 1, 1)));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, rig->size),
					rig_dst(to, 0, to->size)));
	EXPECT_EQ(0, memcmp(rig->src, to->dst, rig->size));
}

TEST_F(key, bounds_of_an_unaligned_region)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct region region;
	char *start = to->dst + self->page + 100;

	ASSERT_EQ(0, region_create(&to->dom, &region, start, 1000,
				   DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE));
	FAILS("before", self->bounds, rig_src(rig, 0, 1), sge(start - 1, region.mkey, 1));
	FAILS("behind", self->bounds, rig_src(rig, 0, 1), sge(start + 1000, region.mkey, 1));
	FAILS("over the end", self->bounds, rig_src(rig, 0, 2), sge(start + 999, region.mkey, 2));
	FAILS("the page's start", self->bounds, rig_src(rig, 0, 1),
	      sge(to->dst + self->page, region.mkey, 1));
	memset(to->dst, GUARD, to->size);
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, 1000),
					sge(start, region.mkey, 1000)));
	EXPECT_EQ(0, memcmp(start, rig->src, 1000));
	EXPECT_EQ(GUARD, start[-1]);
	EXPECT_EQ(GUARD, start[1000]);
	EXPECT_EQ(0, region_destroy(&region));
}

TEST_F(key, addresses_that_wrap)
{
	struct rig *rig = &self->rig, *to = target(self);
	static const __u64 addrs[] = { -1ULL, -8ULL, -64ULL, -4096ULL };
	int i;

	for (i = 0; i < ARRAY_SIZE(addrs); i++) {
		FAILS("destination", self->bounds, rig_src(rig, 0, 4096),
		      sge((void *)addrs[i], to->dst_region.mkey, 4096));
		FAILS("source", DOCA_CQE_LOCAL_BOUNDS,
		      sge((void *)addrs[i], rig->src_region.mkey, 4096), rig_dst(to, 0, 4096));
	}
	/* far enough to come around into the region */
	FAILS("all of it", self->bounds, rig_src(rig, 0, 64),
	      sge((void *)((uintptr_t)to->dst + (1ULL << 63)), to->dst_region.mkey, 64));
}

TEST_F(key, rights)
{
	struct rig *rig = &self->rig, *to = target(self);
	bool dma = variant->engine == DOCA_ENGINE_DMA;
	struct {
		__u32 access;
		bool dma, rdma;		/* may be the destination */
	} cases[] = {
		{ 0, false, false },
		{ DOCA_KEY_LOCAL_WRITE, true, false },
		{ DOCA_KEY_RDMA_READ, false, false },
		{ DOCA_KEY_RDMA_WRITE, false, true },
		{ DOCA_KEY_RDMA_ATOMIC, false, false },
		{ DOCA_KEY_PCI_READ, false, false },
		{ DOCA_KEY_PCI_WRITE, true, false },
		{ DOCA_KEY_RELAXED_ORDERING, false, false },
		{ DOCA_KEY_ACCESS_ALL, true, true },
		{ DOCA_KEY_ACCESS_ALL & ~(DOCA_KEY_LOCAL_WRITE | DOCA_KEY_PCI_WRITE), false, true },
		{ DOCA_KEY_ACCESS_ALL & ~DOCA_KEY_RDMA_WRITE, true, false },
	};
	struct region region;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, region_create(&to->dom, &region, to->dst, to->size, cases[i].access));
		if (dma ? cases[i].dma : cases[i].rdma) {
			EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, 64),
							sge(to->dst, region.mkey, 64)))
				TH_LOG("access %#x", cases[i].access);
		} else {
			FAILS("no right to write", self->access, rig_src(rig, 0, 64),
			      sge(to->dst, region.mkey, 64));
		}
		EXPECT_EQ(0, region_destroy(&region));

		/* reading by the own domain is always allowed */
		ASSERT_EQ(0, region_create(&rig->dom, &region, rig->src, rig->size,
					   cases[i].access));
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, sge(rig->src, region.mkey, 64),
						rig_dst(to, 0, 64)))
			TH_LOG("reading with access %#x", cases[i].access);
		EXPECT_EQ(0, region_destroy(&region));
	}
}

/* B38 */
TEST_F(key, length_zero)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct doca_sqe head = { .opcode = 1, .num_src = 2, .num_dst = 1 };
	struct doca_sge sges[3] = {
		rig_src(rig, 0, 64), rig_src(rig, 64, 0), rig_dst(to, 0, 128),
	};

	FAILS("both", DOCA_CQE_BAD_LENGTH, rig_src(rig, 0, 0), rig_dst(to, 0, 0));
	FAILS("the source", DOCA_CQE_BAD_LENGTH, rig_src(rig, 0, 0), rig_dst(to, 0, 64));
	FAILS("the destination", DOCA_CQE_BAD_LENGTH, rig_src(rig, 0, 64), rig_dst(to, 0, 0));
	fails(_metadata, self, variant->engine, "one piece of several", DOCA_CQE_BAD_LENGTH,
	      &head, sges, 3);
}

TEST_F(key, destination_shorter_than_the_source)
{
	struct rig *rig = &self->rig, *to = target(self);

	FAILS("by one byte", DOCA_CQE_BAD_LENGTH, rig_src(rig, 0, 65), rig_dst(to, 0, 64));
	FAILS("by far", DOCA_CQE_BAD_LENGTH, rig_src(rig, 0, rig->size), rig_dst(to, 0, 1));
	/* longer is fine, and what is left stays as it is */
	memset(to->dst, GUARD, to->size);
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, 64), rig_dst(to, 0, 1000)));
	EXPECT_EQ(0, memcmp(rig->src, to->dst, 64));
	EXPECT_TRUE(mem_is(to->dst + 64, to->size - 64, GUARD));
}

/* B06: 64 KiB in a 16-bit field would be 0. */
TEST_F(key, lengths_around_64_KiB_and_the_maximum)
{
	struct rig *rig = &self->rig, *to = target(self);
	__u64 max = self->engine.out_max_transfer;
	__u64 lengths[] = { 65535, 65536, 65537, 1 << 20, max - 1, max };
	size_t size = 0, i;
	struct region src_region, dst_region;
	char *src, *dst;
	struct done done;

	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		if (lengths[i] <= max && lengths[i] <= 32 << 20 && size < lengths[i])
			size = lengths[i];
	size += self->page;
	src = mem_alloc(size);
	dst = mem_alloc(size);
	ASSERT_NE(NULL, src);
	ASSERT_NE(NULL, dst);
	mem_fill(src, size, 77);
	ASSERT_EQ(0, region_create(&rig->dom, &src_region, src, size, 0));
	ASSERT_EQ(0, region_create(&to->dom, &dst_region, dst, size,
				   DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE));
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		if (lengths[i] >= size || lengths[i] > max)
			continue;
		memset(dst, GUARD, size);
		queue_post(&rig->queue, i, sge(src, src_region.mkey, lengths[i]),
			   sge(dst, dst_region.mkey, lengths[i]));
		queue_ring(&rig->queue);
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		EXPECT_EQ(DOCA_CQE_OK, done.status)
			TH_LOG("%llu bytes", lengths[i]);
		EXPECT_EQ(lengths[i], done.byte_len);
		EXPECT_EQ(0, memcmp(src, dst, lengths[i]));
		EXPECT_EQ(GUARD, dst[lengths[i]]);
	}
	if (max < UINT_MAX) {
		/* one more than the maximum, whether the memory is there or not */
		FAILS("max + 1", DOCA_CQE_BAD_LENGTH, sge(src, src_region.mkey, max + 1),
		      sge(dst, dst_region.mkey, max + 1));
		FAILS("2^32 - 1", DOCA_CQE_BAD_LENGTH, sge(src, src_region.mkey, UINT_MAX),
		      sge(dst, dst_region.mkey, UINT_MAX));
	}
	EXPECT_EQ(0, region_destroy(&src_region));
	EXPECT_EQ(0, region_destroy(&dst_region));
	munmap(src, size);
	munmap(dst, size);
}

/* The sum counts, and it does not wrap. */
TEST_F(key, a_list_longer_than_the_maximum_in_sum)
{
	struct rig *rig = &self->rig, *to = target(self);
	__u64 max = self->engine.out_max_transfer;
	struct doca_sqe head = { .opcode = 1, .num_src = 2, .num_dst = 1 };
	struct doca_sge sges[3];

	if (self->engine.out_max_list_len < 2)
		SKIP(return, "no lists");
	if (max >= 1ULL << 31)
		SKIP(return, "transfers of %llu bytes", max);
	sges[0] = rig_src(rig, 0, max);
	sges[1] = rig_src(rig, 0, 1);
	sges[2] = rig_dst(to, 0, max + 1);
	fails(_metadata, self, variant->engine, "max and one more", DOCA_CQE_BAD_LENGTH,
	      &head, sges, 3);
	sges[0] = rig_src(rig, 0, UINT_MAX);
	sges[1] = rig_src(rig, 0, 65);
	sges[2] = rig_dst(to, 0, 64);
	fails(_metadata, self, variant->engine, "a sum of 2^32 + 64", DOCA_CQE_BAD_LENGTH,
	      &head, sges, 3);
}

TEST_F(key, bad_opcodes)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct doca_sge sges[2] = { rig_src(rig, 0, 64), rig_dst(to, 0, 64) };
	struct doca_sqe head = { .num_src = 1, .num_dst = 1 };
	int opcode;

	for (opcode = 0; opcode < 256; opcode += opcode < 34 ? 1 : 17) {
		if (opcode < 32 && self->engine.out_opcodes & 1U << opcode)
			continue;
		head.opcode = opcode;
		fails(_metadata, self, variant->engine, "opcode", DOCA_CQE_BAD_DESCRIPTOR,
		      &head, sges, 2);
	}
}

TEST_F(key, bad_flags_and_arguments)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct doca_sge sges[2] = { rig_src(rig, 0, 64), rig_dst(to, 0, 64) };
	struct doca_sqe head = { .opcode = 1, .num_src = 1, .num_dst = 1 };
	int bit;

	for (bit = 0; bit < 8; bit++) {
		head.flags = 1U << bit;
		fails(_metadata, self, variant->engine, "flags", DOCA_CQE_BAD_DESCRIPTOR,
		      &head, sges, 2);
	}
	head.flags = 0;
	for (bit = 0; bit < 64; bit += 9) {
		head.arg = htole64(1ULL << bit);
		fails(_metadata, self, variant->engine, "arg", DOCA_CQE_BAD_DESCRIPTOR,
		      &head, sges, 2);
	}
}

TEST_F(key, bad_list_lengths)
{
	struct rig *rig = &self->rig, *to = target(self);
	__u32 max = self->engine.out_max_list_len;
	struct {
		const char *what;
		unsigned int num_src, num_dst;
	} cases[] = {
		{ "no source", 0, 1 },
		{ "no destination", 1, 0 },
		{ "nothing", 0, 0 },
		{ "a source too many", max + 1, 1 },
		{ "255 sources", 255, 1 },
		{ "a destination too many", 1, variant->engine == DOCA_ENGINE_DMA ? max + 1 : 2 },
		{ "255 destinations", 1, 255 },
		{ "255 of both", 255, 255 },
	};
	static struct doca_sge sges[510];
	struct doca_sqe head = { .opcode = 1 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (cases[i].num_src > 255 || cases[i].num_dst > 255 ||
		    (max == 255 && cases[i].num_src + cases[i].num_dst >= 255))
			continue;
		for (k = 0; k < cases[i].num_src; k++)
			sges[k] = rig_src(rig, k, 1);
		for (; k < cases[i].num_src + cases[i].num_dst; k++)
			sges[k] = rig_dst(to, k, 512);
		head.num_src = cases[i].num_src;
		head.num_dst = cases[i].num_dst;
		/* must fit the ring together with the two that follow */
		if (doca_sqe_entries(k) + 2 > rig->queue.entries)
			continue;
		fails(_metadata, self, variant->engine, cases[i].what, DOCA_CQE_BAD_DESCRIPTOR,
		      &head, sges, k);
	}
}

/* The rest of the list was not rung in: the device must not read on. */
TEST_F(key, a_list_that_goes_on_behind_the_producer_index)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct doca_sge sges[8];
	struct done done;
	int i;

	if (self->engine.out_max_list_len < 7)
		SKIP(return, "lists of %u", self->engine.out_max_list_len);
	memset(to->dst, GUARD, to->size);
	for (i = 0; i < 7; i++)
		sges[i] = rig_src(rig, i, 1);
	sges[7] = rig_dst(to, 0, 64);
	queue_post_list(&rig->queue, 1, 5, sges, 7, 1);
	ASSERT_EQ(3, rig->queue.pi);
	/* only one of the three entries */
	dom_ring(&rig->dom, DOCA_DB_SUBMIT, rig->queue.queue, 1);
	ASSERT_EQ(0, chan_wait(&rig->chan, &done));
	EXPECT_EQ(DOCA_CQE_BAD_DESCRIPTOR, done.status);
	EXPECT_EQ(5, done.cookie);
	EXPECT_TRUE(mem_is(to->dst, to->size, GUARD));
}

/* Lists of all lengths, pieces of odd sizes, over the end of the ring. */
TEST_F(key, lists)
{
	struct rig *rig = &self->rig, *to = target(self);
	unsigned int max = self->engine.out_max_list_len, n, m, k, total;
	static struct doca_sge sges[510];
	static char want[RIG_SIZE];
	struct done done;

	for (n = 1; n <= max; n = n < 9 ? n + 1 : n * 2 > max && n < max ? max : n * 2) {
		m = variant->engine == DOCA_ENGINE_RDMA ? 1 : max - n + 1;
		if (doca_sqe_entries(n + m) > rig->queue.entries)
			continue;
		memset(to->dst, GUARD, to->size);
		total = 0;
		for (k = 0; k < n; k++) {
			__u32 len = 1 + k * 37 % 101;

			sges[k] = rig_src(rig, k * 200 + k % 3, len);
			memcpy(want + total, rig->src + k * 200 + k % 3, len);
			total += len;
		}
		/* the destination in as many pieces, with the last one longer */
		for (k = 0; k < m; k++) {
			__u32 first = (__u64)total * k / m, last = (__u64)total * (k + 1) / m;

			if (first == last)
				break;
			sges[n + k] = rig_dst(to, first, last - first + (k == m - 1 ? 9 : 0));
		}
		if (k < m) {
			m = 1;
			sges[n] = rig_dst(to, 0, total + 9);
		}
		queue_post_list(&rig->queue, 1, n, sges, n, m);
		queue_ring(&rig->queue);
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		EXPECT_EQ(DOCA_CQE_OK, done.status)
			TH_LOG("%u -> %u pieces, piece %u", n, m, done.syndrome);
		EXPECT_EQ(n, done.cookie);
		EXPECT_EQ(total, done.byte_len);
		EXPECT_EQ(rig->queue.pi, done.queue_index);
		EXPECT_EQ(0, memcmp(want, to->dst, total))
			TH_LOG("%u -> %u pieces", n, m);
		EXPECT_TRUE(mem_is(to->dst + total, 64, GUARD))
			TH_LOG("%u -> %u pieces", n, m);
		if (done.status != DOCA_CQE_OK)
			break;
	}
}

TEST_F(key, the_syndrome_names_the_piece)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct doca_sge sges[8];
	struct done done;
	int bad, i;

	if (self->engine.out_max_list_len < 7)
		SKIP(return, "lists of %u", self->engine.out_max_list_len);
	for (bad = 0; bad < 8; bad++) {
		for (i = 0; i < 7; i++)
			sges[i] = rig_src(rig, i * 10, 10);
		sges[7] = rig_dst(to, 0, 70);
		sges[bad].addr = htole64((uintptr_t)(bad < 7 ? rig->src : to->dst) - 5);
		queue_post_list(&rig->queue, 1, 9, sges, 7, 1);
		queue_ring(&rig->queue);
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		EXPECT_EQ(bad < 7 ? DOCA_CQE_LOCAL_BOUNDS : self->bounds, done.status);
		EXPECT_EQ(bad, done.syndrome);
		ASSERT_EQ(0, fresh_queues(self, variant->engine));
	}
}

/* Good ones in front of a bad one count; all behind it are flushed, in order. */
TEST_F(key, an_error_in_the_middle_of_many)
{
	struct rig *rig = &self->rig, *to = target(self);
	struct done done;
	int i;

	memset(to->dst, GUARD, to->size);
	for (i = 0; i < 100; i++)
		queue_post(&rig->queue, i, rig_src(rig, i * 16, 16),
			   i == 50 ? sge(to->dst - 1, to->dst_region.mkey, 16) :
				     rig_dst(to, i * 16, 16));
	queue_ring(&rig->queue);
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		EXPECT_EQ(i, done.cookie);
		EXPECT_EQ(i + 1, done.queue_index);
		EXPECT_EQ(i < 50 ? DOCA_CQE_OK : i == 50 ? self->bounds : DOCA_CQE_FLUSHED,
			  done.status);
	}
	EXPECT_EQ(0, memcmp(rig->src, to->dst, 50 * 16));
	EXPECT_TRUE(mem_is(to->dst + 50 * 16, 50 * 16, GUARD));
	/* and what is rung in later, too */
	queue_post(&rig->queue, 100, rig_src(rig, 0, 16), rig_dst(to, 0, 16));
	queue_ring(&rig->queue);
	ASSERT_EQ(0, chan_wait(&rig->chan, &done));
	EXPECT_EQ(DOCA_CQE_FLUSHED, done.status);
	EXPECT_EQ(100, done.cookie);
	EXPECT_EQ(0, chan_quiet(&rig->chan));
}

TEST_F(key, overlapping_source_and_destination)
{
	struct rig *rig = &self->rig;
	char *want;

	if (variant->engine != DOCA_ENGINE_DMA)
		SKIP(return, "two memories");
	want = malloc(10000);
	ASSERT_NE(NULL, want);
	/* nothing is promised about the result, but on the memory around it */
	mem_fill(rig->dst, rig->size, 3);
	memcpy(want, rig->dst, 10000);
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_dst(rig, 1000, 5000), rig_dst(rig, 1500, 5000)));
	EXPECT_EQ(0, memcmp(rig->dst, want, 1500));
	EXPECT_EQ(0, memcmp(rig->dst + 6500, want + 6500, 3500));
	free(want);
}

DOCA_TEST_MAIN
