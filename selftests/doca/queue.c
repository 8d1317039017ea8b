// SPDX-License-Identifier: GPL-2.0-only
/*
 * Submission queues: rings that wrap, full rings, doorbells that make no sense,
 * stop and destroy with work in flight, one completion ring for several queues.
 */
#include "doca_utils.h"

FIXTURE(queue) {
	struct baseline base;
	struct rig rig;
	struct doca_engine_info engine;
	/* for work that takes its time */
	char *big;
	size_t big_size;
	struct region big_region;
	bool slow;
};

FIXTURE_SETUP(queue)
{
	baseline_take(&self->base);
	ASSERT_EQ(0, rig_open(&self->rig, DOCA_ENGINE_DMA, 64));
	self->engine.engine = DOCA_ENGINE_DMA;
	ASSERT_EQ(0, do_engine_info(self->rig.dom.fd, &self->engine));
}

FIXTURE_TEARDOWN(queue)
{
	if (self->slow)
		EXPECT_EQ(0, device_delay(0));
	rig_close(&self->rig);
	if (self->big)
		munmap(self->big, self->big_size);
	EXPECT_BASELINE(&self->base);
}

/* Two halves of a buffer for copies of the largest size. */
static bool big_open(FIXTURE_DATA(queue) *self)
{
	size_t half = self->engine.out_max_transfer < 4 << 20 ?
		      self->engine.out_max_transfer : 4 << 20;

	self->big_size = 2 * half;
	self->big = mem_alloc(self->big_size);
	return self->big && !region_create(&self->rig.dom, &self->big_region, self->big,
					   self->big_size, DOCA_KEY_LOCAL_WRITE);
}

static void post_big(FIXTURE_DATA(queue) *self, struct queue *queue, __u32 cookie)
{
	size_t half = self->big_size / 2;

	queue_post(queue, cookie, sge(self->big, self->big_region.mkey, half),
		   sge(self->big + half, self->big_region.mkey, half));
}

TEST_F(queue, the_ring_wraps_many_times)
{
	struct rig *rig = &self->rig;
	struct done done;
	int i;

	for (i = 0; i < 64 * 40 + 3; i++) {
		queue_post(&rig->queue, i, rig_src(rig, i, 16), rig_dst(rig, i, 16));
		queue_ring(&rig->queue);
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		ASSERT_EQ(i, done.cookie);
		ASSERT_EQ(DOCA_CQE_OK, done.status);
		ASSERT_EQ(i + 1, done.queue_index);
		ASSERT_EQ(0, memcmp(rig->src + i, rig->dst + i, 16));
	}
}

TEST_F(queue, a_full_ring_in_one_go_again_and_again)
{
	struct rig *rig = &self->rig;
	struct done done;
	int i, round;

	for (round = 0; round < 50; round++) {
		memset(rig->dst, 0, rig->size);
		for (i = 0; i < 64; i++)
			queue_post(&rig->queue, round << 16 | i, rig_src(rig, i * 32, 32),
				   rig_dst(rig, i * 32, 32));
		queue_ring(&rig->queue);
		for (i = 0; i < 64; i++) {
			ASSERT_EQ(0, chan_wait(&rig->chan, &done));
			ASSERT_EQ(round << 16 | i, done.cookie);
			ASSERT_EQ(DOCA_CQE_OK, done.status);
		}
		ASSERT_EQ(0, memcmp(rig->src, rig->dst, 64 * 32));
		ASSERT_EQ(-EAGAIN, chan_try(&rig->chan, &done));
	}
}

/* Batches of all sizes, from every position of the ring. */
TEST_F(queue, batches_from_every_position)
{
	struct rig *rig = &self->rig;
	struct done done;
	int i, n;

	for (n = 1; n <= 63; n++) {
		for (i = 0; i < n; i++)
			queue_post(&rig->queue, n * 1000 + i, rig_src(rig, 0, 8),
				   rig_dst(rig, 0, 8));
		queue_ring(&rig->queue);
		for (i = 0; i < n; i++) {
			ASSERT_EQ(0, chan_wait(&rig->chan, &done));
			ASSERT_EQ(n * 1000 + i, done.cookie);
			ASSERT_EQ(DOCA_CQE_OK, done.status);
		}
	}
}

TEST_F(queue, rings_of_every_size)
{
	struct rig *rig = &self->rig;
	struct queue queue;
	struct chan chan;
	struct done done;
	__u32 entries, i;

	for (entries = 1; entries <= self->engine.out_max_queue_entries; entries *= 2) {
		ASSERT_EQ(0, chan_create(&rig->dom, &chan, entries));
		ASSERT_EQ(0, queue_create(&rig->dom, &chan, &queue, DOCA_ENGINE_DMA, entries, 0));
		ASSERT_EQ(entries, queue.entries);
		/* twice around and a bit, in batches of up to 512 */
		for (i = 0; i < 2 * entries + 1;) {
			__u32 batch = entries < 512 ? entries : 512, k;

			for (k = 0; k < batch; k++)
				queue_post(&queue, i + k, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
			queue_ring(&queue);
			for (k = 0; k < batch; k++, i++) {
				ASSERT_EQ(0, chan_wait(&chan, &done))
					TH_LOG("%u entries, at %u", entries, i);
				ASSERT_EQ(i, done.cookie);
				ASSERT_EQ(DOCA_CQE_OK, done.status);
			}
		}
		ASSERT_EQ(0, queue_destroy(&queue));
		ASSERT_EQ(0, chan_destroy(&chan));
	}
}

TEST_F(queue, the_same_index_again_does_nothing)
{
	struct rig *rig = &self->rig;
	struct done done;
	int i;

	for (i = 0; i < 10; i++)
		queue_ring(&rig->queue);
	queue_post(&rig->queue, 1, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
	for (i = 0; i < 10; i++)
		queue_ring(&rig->queue);
	ASSERT_EQ(0, chan_wait(&rig->chan, &done));
	EXPECT_EQ(DOCA_CQE_OK, done.status);
	for (i = 0; i < 10; i++)
		queue_ring(&rig->queue);
	EXPECT_EQ(0, chan_quiet(&rig->chan));
}

/* B39: an index that makes no sense breaks this queue, and only this one. */
TEST_F(queue, bad_producer_indices)
{
	struct rig *rig = &self->rig;
	static const __s64 bad[] = { -1, -5, -64, 65, 66, 1000, 0x10000, 0x7fffffff,
				     0x80000000LL, -0x7fffffff };
	struct queue queue;
	struct chan chan;
	struct done done;
	int i, before;

	ASSERT_EQ(0, chan_create(&rig->dom, &chan, 64));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		for (before = 0; before < 2; before++) {
			ASSERT_EQ(0, queue_create(&rig->dom, &chan, &queue, DOCA_ENGINE_DMA, 64, 3));
			if (before) {
				/* not from a fresh queue only */
				queue_post(&queue, 5, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
				queue_ring(&queue);
				ASSERT_EQ(0, chan_wait(&chan, &done));
				ASSERT_EQ(DOCA_CQE_OK, done.status);
			}
			dom_ring(&rig->dom, DOCA_DB_SUBMIT, queue.queue, queue.pi + (__u32)bad[i]);
			/* no work was added; what is rung in rightly is flushed */
			queue_post(&queue, 6, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
			queue_ring(&queue);
			ASSERT_EQ(0, chan_wait(&chan, &done))
				TH_LOG("index %+lld", bad[i]);
			EXPECT_EQ(6, done.cookie)
				TH_LOG("index %+lld", bad[i]);
			EXPECT_EQ(DOCA_CQE_FLUSHED, done.status)
				TH_LOG("index %+lld", bad[i]);
			EXPECT_EQ(queue.pi, done.queue_index)
				TH_LOG("index %+lld", bad[i]);
			EXPECT_EQ(-EAGAIN, chan_try(&chan, &done));
			ASSERT_EQ(0, queue_destroy(&queue));
			/* the neighbour does not notice */
			ASSERT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, 64),
							rig_dst(rig, 0, 64)));
		}
	}
	EXPECT_EQ(0, chan_quiet(&chan));
	EXPECT_EQ(0, chan_destroy(&chan));
}

TEST_F(queue, doorbells_for_queues_of_others_are_ignored)
{
	struct rig *rig = &self->rig;
	struct rig other;
	struct done done;

	ASSERT_EQ(0, rig_open(&other, DOCA_ENGINE_DMA, 64));
	queue_post(&other.queue, 1, rig_src(&other, 0, 8), rig_dst(&other, 0, 8));
	/* on this file's page: nothing, not even an error */
	dom_ring(&rig->dom, DOCA_DB_SUBMIT, other.queue.queue, 1);
	dom_ring(&rig->dom, DOCA_DB_SUBMIT, other.queue.queue, 1000);
	dom_ring(&rig->dom, DOCA_DB_SUBMIT, other.queue.queue, -1);
	EXPECT_EQ(0, chan_quiet(&other.chan));
	queue_ring(&other.queue);
	ASSERT_EQ(0, chan_wait(&other.chan, &done));
	EXPECT_EQ(DOCA_CQE_OK, done.status);
	rig_close(&other);
}

TEST_F(queue, doorbells_for_queues_that_are_not_there)
{
	struct rig *rig = &self->rig;
	__u32 odd[] = { 0, 1, 0xff, 0x7fffffff, UINT_MAX, rig->queue.queue ^ 1,
			rig->queue.queue ^ 0x80, rig->queue.queue + 0x100,
			rig->queue.queue ^ 0x80000000 };
	struct done done;
	int i;

	queue_post(&rig->queue, 1, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		if (odd[i] == rig->queue.queue)
			continue;
		dom_ring(&rig->dom, DOCA_DB_SUBMIT, odd[i], 1);
	}
	EXPECT_EQ(0, chan_quiet(&rig->chan));
	queue_ring(&rig->queue);
	ASSERT_EQ(0, chan_wait(&rig->chan, &done));
	EXPECT_EQ(DOCA_CQE_OK, done.status);
}

/* A3: the slot is in use again. */
TEST_F(queue, a_stale_queue_number_is_ignored)
{
	struct rig *rig = &self->rig;
	struct doca_device_info info = {};
	__u32 stale = rig->queue.queue;
	struct done done;
	int i, tries;

	ASSERT_EQ(0, do_device_info(rig->dom.fd, &info));
	tries = info.out_max_queues < 10000 ? info.out_max_queues : 10000;
	for (i = 0; i < tries; i++) {
		ASSERT_EQ(0, rig_new_queue(rig, DOCA_ENGINE_DMA));
		ASSERT_NE(stale, rig->queue.queue);
		if (rig->queue.queue >> DOCA_HANDLE_GEN_BITS == stale >> DOCA_HANDLE_GEN_BITS)
			break;
	}
	if (i == tries)
		SKIP(return, "the index did not come again in %d queues", tries);
	queue_post(&rig->queue, 1, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
	dom_ring(&rig->dom, DOCA_DB_SUBMIT, stale, 1);
	EXPECT_EQ(0, chan_quiet(&rig->chan));
	queue_ring(&rig->queue);
	ASSERT_EQ(0, chan_wait(&rig->chan, &done));
	EXPECT_EQ(DOCA_CQE_OK, done.status);
}

TEST_F(queue, stop_of_an_idle_queue)
{
	struct rig *rig = &self->rig;
	struct done done;
	int i;

	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, do_queue_stop(rig->dom.fd, rig->queue.id));
	/* what comes later is flushed */
	for (i = 0; i < 64; i++)
		queue_post(&rig->queue, i, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
	queue_ring(&rig->queue);
	for (i = 0; i < 64; i++) {
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		EXPECT_EQ(i, done.cookie);
		EXPECT_EQ(DOCA_CQE_FLUSHED, done.status);
		EXPECT_EQ(i + 1, done.queue_index);
	}
	EXPECT_EQ(0, do_queue_stop(rig->dom.fd, rig->queue.id));
	EXPECT_EQ(0, chan_quiet(&rig->chan));
}

/* On return all completions are there, each once, and memory is touched no more. */
static void stop_with_work(struct __test_metadata *_metadata, FIXTURE_DATA(queue) *self)
{
	struct rig *rig = &self->rig;
	size_t half = self->big_size / 2;
	int i, flushed = 0;
	struct done done;

	memset(self->big, 1, half);
	memset(self->big + half, 2, half);
	for (i = 0; i < 64; i++)
		post_big(self, &rig->queue, i);
	queue_ring(&rig->queue);
	ASSERT_EQ(0, do_queue_stop(rig->dom.fd, rig->queue.id));
	memset(self->big + half, 3, half);
	for (i = 0; i < 64; i++) {
		/* no waiting here */
		ASSERT_EQ(0, chan_try(&rig->chan, &done))
			TH_LOG("completion %d is not there after the stop", i);
		ASSERT_EQ(i, done.cookie);
		ASSERT_TRUE(done.status == DOCA_CQE_OK || done.status == DOCA_CQE_FLUSHED)
			TH_LOG("status %d", done.status);
		/* once flushed, all are */
		ASSERT_TRUE(done.status == DOCA_CQE_FLUSHED || !flushed);
		flushed += done.status == DOCA_CQE_FLUSHED;
	}
	EXPECT_EQ(-EAGAIN, chan_try(&rig->chan, &done));
	EXPECT_TRUE(mem_is(self->big + half, half, 3))
		TH_LOG("written after the stop");
	EXPECT_EQ(0, rig_new_queue(rig, DOCA_ENGINE_DMA));
}

TEST_F(queue, stop_with_work_in_flight)
{
	int i;

	ASSERT_TRUE(big_open(self));
	for (i = 0; i < 10; i++)
		stop_with_work(_metadata, self);
}

TEST_F(queue, stop_with_work_in_flight_on_a_slow_device)
{
	struct rig *rig = &self->rig;
	int i, flushed = 0;
	struct done done;

	if (device_delay(200000))
		SKIP(return, "the device cannot be slowed down: no monitor");
	self->slow = true;
	for (i = 0; i < 64; i++)
		queue_post(&rig->queue, i, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
	queue_ring(&rig->queue);
	EXPECT_EQ(0, do_queue_stop(rig->dom.fd, rig->queue.id));
	for (i = 0; i < 64; i++) {
		EXPECT_EQ(0, chan_try(&rig->chan, &done));
		EXPECT_EQ(i, done.cookie);
		flushed += done.status == DOCA_CQE_FLUSHED;
	}
	EXPECT_EQ(0, device_delay(0));
	EXPECT_LT(0, flushed);
	EXPECT_EQ(-EAGAIN, chan_try(&rig->chan, &done));
}

/* The memory is not touched after destroy, whatever was in flight. */
TEST_F(queue, destroy_of_a_queue_with_work_in_flight)
{
	struct rig *rig = &self->rig;
	size_t half;
	int round, i;

	ASSERT_TRUE(big_open(self));
	half = self->big_size / 2;
	for (round = 0; round < 10; round++) {
		for (i = 0; i < 64; i++)
			post_big(self, &rig->queue, i);
		queue_ring(&rig->queue);
		ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->queue.id));
		memset(self->big + half, 4, half);
		munmap(rig->queue.ring, rig->queue.ring_size);
		memset(&rig->queue, 0, sizeof(rig->queue));
		ASSERT_EQ(0, chan_destroy(&rig->chan));
		EXPECT_TRUE(mem_is(self->big + half, half, 4))
			TH_LOG("written after the destroy, round %d", round);
		ASSERT_EQ(0, chan_create(&rig->dom, &rig->chan, 64));
		ASSERT_EQ(0, queue_create(&rig->dom, &rig->chan, &rig->queue, DOCA_ENGINE_DMA,
					  64, 0));
	}
}

/* A key that goes while descriptors use it: those fail, and memory is untouched after. */
TEST_F(queue, destroy_of_a_region_with_work_in_flight)
{
	struct rig *rig = &self->rig;
	size_t half;
	int round, i;
	struct done done;

	ASSERT_TRUE(big_open(self));
	half = self->big_size / 2;
	for (round = 0; round < 10; round++) {
		for (i = 0; i < 64; i++)
			post_big(self, &rig->queue, i);
		queue_ring(&rig->queue);
		ASSERT_EQ(0, region_destroy(&self->big_region));
		memset(self->big + half, 4, half);
		for (i = 0; i < 64; i++) {
			ASSERT_EQ(0, chan_wait(&rig->chan, &done));
			ASSERT_EQ(i, done.cookie);
			ASSERT_TRUE(done.status == DOCA_CQE_OK ||
				    done.status == DOCA_CQE_LOCAL_KEY ||
				    done.status == DOCA_CQE_FLUSHED)
				TH_LOG("status %d", done.status);
		}
		EXPECT_TRUE(mem_is(self->big + half, half, 4))
			TH_LOG("written after the destroy, round %d", round);
		ASSERT_EQ(0, region_create(&rig->dom, &self->big_region, self->big,
					   self->big_size, DOCA_KEY_LOCAL_WRITE));
		ASSERT_EQ(0, rig_new_queue(rig, DOCA_ENGINE_DMA));
	}
}

/* B27: all at once, with the device at work. */
TEST_F(queue, close_with_work_in_flight)
{
	size_t half;
	int round, i;

	ASSERT_TRUE(big_open(self));
	half = self->big_size / 2;
	for (round = 0; round < 10; round++) {
		for (i = 0; i < 64; i++)
			post_big(self, &self->rig.queue, i);
		queue_ring(&self->rig.queue);
		rig_close(&self->rig);
		memset(self->big + half, 5, half);
		EXPECT_EQ(self->base.vm_pin_kb, vm_pin_kb());
		ASSERT_EQ(0, rig_open(&self->rig, DOCA_ENGINE_DMA, 64));
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, 64),
						rig_dst(&self->rig, 0, 64)));
		EXPECT_TRUE(mem_is(self->big + half, half, 5))
			TH_LOG("written after the close, round %d", round);
		ASSERT_EQ(0, region_create(&self->rig.dom, &self->big_region, self->big,
					   self->big_size, DOCA_KEY_LOCAL_WRITE));
	}
}

TEST_F(queue, close_with_work_in_flight_on_a_slow_device)
{
	uint64_t start;
	int i;

	if (device_delay(1000000))
		SKIP(return, "the device cannot be slowed down: no monitor");
	self->slow = true;
	for (i = 0; i < 64; i++)
		queue_post(&self->rig.queue, i, rig_src(&self->rig, 0, 8),
			   rig_dst(&self->rig, 0, 8));
	queue_ring(&self->rig.queue);
	start = now_ms();
	rig_close(&self->rig);
	/* not the 64 s that all of it would take */
	EXPECT_GT(32000, now_ms() - start);
	EXPECT_EQ(0, device_delay(0));
	EXPECT_EQ(self->base.vm_pin_kb, vm_pin_kb());
	ASSERT_EQ(0, rig_open(&self->rig, DOCA_ENGINE_DMA, 64));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, 64),
					rig_dst(&self->rig, 0, 64)));
}

/* B42: each cookie exactly once, whatever happens to the neighbours. */
TEST_F(queue, two_queues_one_completion_ring)
{
	struct rig *rig = &self->rig;
	unsigned int next[3] = {}, sent[3] = {}, total = 0;
	struct queue queues[3];
	struct chan chan;
	struct done done;
	int i, q;

	ASSERT_EQ(0, chan_create(&rig->dom, &chan, 64));
	for (q = 0; q < 2; q++)
		ASSERT_EQ(0, queue_create(&rig->dom, &chan, &queues[q], DOCA_ENGINE_DMA, 16, q));
	for (i = 0; i < 500; i++) {
		for (q = 0; q < 2; q++) {
			if (sent[q] - next[q] >= 16)
				continue;
			queue_post(&queues[q], sent[q]++, rig_src(rig, 0, 64),
				   rig_dst(rig, q * 64, 64));
			queue_ring(&queues[q]);
		}
		while (!chan_try(&chan, &done)) {
			ASSERT_GT(2, done.tag);
			ASSERT_EQ(next[done.tag], done.cookie);
			ASSERT_EQ(DOCA_CQE_OK, done.status);
			next[done.tag]++;
			total++;
		}
	}
	while (total < sent[0] + sent[1]) {
		ASSERT_EQ(0, chan_wait(&chan, &done));
		ASSERT_EQ(next[done.tag], done.cookie);
		next[done.tag]++;
		total++;
	}

	/* A goes with ten under way, C comes: B and C are not touched by that */
	for (i = 0; i < 10; i++)
		queue_post(&queues[0], 1000 + i, rig_src(rig, 0, 4096), rig_dst(rig, 0, 4096));
	queue_ring(&queues[0]);
	ASSERT_EQ(0, queue_destroy(&queues[0]));
	ASSERT_EQ(0, queue_create(&rig->dom, &chan, &queues[2], DOCA_ENGINE_DMA, 16, 2));
	for (i = 0; i < 10; i++) {
		queue_post(&queues[1], 2000 + i, rig_src(rig, 0, 64), rig_dst(rig, 0, 64));
		queue_post(&queues[2], 3000 + i, rig_src(rig, 0, 64), rig_dst(rig, 0, 64));
		queue_ring(&queues[1]);
		queue_ring(&queues[2]);
	}
	next[0] = 1000;
	next[1] = 2000;
	next[2] = 3000;
	while (next[1] < 2010 || next[2] < 3010) {
		ASSERT_EQ(0, chan_wait(&chan, &done));
		ASSERT_GT(3, done.tag);
		ASSERT_EQ(next[done.tag], done.cookie)
			TH_LOG("tag %u", done.tag);
		if (done.tag)
			ASSERT_EQ(DOCA_CQE_OK, done.status);
		next[done.tag]++;
	}
	EXPECT_GE(1010, next[0]);
	EXPECT_EQ(0, chan_quiet(&chan));

	/* the last queue goes: what was completed can still be read */
	queue_post(&queues[1], 4000, rig_src(rig, 0, 64), rig_dst(rig, 0, 64));
	queue_ring(&queues[1]);
	ASSERT_EQ(0, do_queue_stop(rig->dom.fd, queues[1].id));
	ASSERT_EQ(0, queue_destroy(&queues[1]));
	ASSERT_EQ(0, queue_destroy(&queues[2]));
	ASSERT_EQ(0, chan_try(&chan, &done));
	EXPECT_EQ(4000, done.cookie);
	EXPECT_EQ(0, chan_destroy(&chan));
}

TEST_F(queue, an_error_in_one_queue_leaves_the_other_one_alone)
{
	struct rig *rig = &self->rig;
	struct queue good, bad;
	struct chan chan;
	struct done done;
	int i, errors = 0, flushed = 0, ok = 0;

	ASSERT_EQ(0, chan_create(&rig->dom, &chan, 64));
	ASSERT_EQ(0, queue_create(&rig->dom, &chan, &good, DOCA_ENGINE_DMA, 32, 1));
	ASSERT_EQ(0, queue_create(&rig->dom, &chan, &bad, DOCA_ENGINE_DMA, 32, 2));
	for (i = 0; i < 32; i++) {
		queue_post(&good, i, rig_src(rig, 0, 64), rig_dst(rig, 0, 64));
		queue_post(&bad, i, rig_src(rig, 0, 64),
			   i == 7 ? sge(rig->dst, 0, 64) : rig_dst(rig, 0, 64));
		queue_ring(&bad);
		queue_ring(&good);
	}
	for (i = 0; i < 64; i++) {
		ASSERT_EQ(0, chan_wait(&chan, &done));
		if (done.tag == 1)
			EXPECT_EQ(DOCA_CQE_OK, done.status);
		ok += done.status == DOCA_CQE_OK;
		errors += done.status == DOCA_CQE_LOCAL_KEY;
		flushed += done.status == DOCA_CQE_FLUSHED;
	}
	EXPECT_EQ(39, ok);
	EXPECT_EQ(1, errors);
	EXPECT_EQ(24, flushed);
	EXPECT_EQ(0, queue_destroy(&good));
	EXPECT_EQ(0, queue_destroy(&bad));
	EXPECT_EQ(0, chan_destroy(&chan));
}

/* What the application writes to its ring after the completion is not looked at. */
TEST_F(queue, garbage_in_the_ring_that_is_not_rung_in)
{
	struct rig *rig = &self->rig;
	struct done done;
	int i;

	for (i = 0; i < 200; i++) {
		queue_post(&rig->queue, i, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
		memset(&rig->queue.ring[rig->queue.pi & 63], 0xff, sizeof(struct doca_sqe));
		queue_ring(&rig->queue);
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		ASSERT_EQ(DOCA_CQE_OK, done.status);
	}
}

/* The whole ring is random bytes: errors, and nothing else. */
TEST_F(queue, random_descriptors)
{
	struct rig *rig = &self->rig;
	struct done done;
	int round;

	for (round = 0; round < 100; round++) {
		mem_fill(rig->queue.ring, rig->queue.ring_size, round);
		rig->queue.pi = 64;
		queue_ring(&rig->queue);
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		ASSERT_NE(DOCA_CQE_OK, done.status);
		ASSERT_NE(DOCA_CQE_FLUSHED, done.status);
		ASSERT_EQ(0, do_queue_stop(rig->dom.fd, rig->queue.id));
		while (!chan_try(&rig->chan, &done))
			ASSERT_EQ(DOCA_CQE_FLUSHED, done.status);
		ASSERT_EQ(0, rig_new_queue(rig, DOCA_ENGINE_DMA));
	}
}

/* Rewritten under the device's eyes: whatever it makes of it, bounds hold. */
struct scribbler {
	pthread_t thread;
	struct doca_sqe *ring;
	bool end;
};

static void *scribbler_main(void *arg)
{
	struct scribbler *s = arg;
	volatile struct doca_sqe *sqe = s->ring;
	unsigned int i;

	for (i = 0; !__atomic_load_n(&s->end, __ATOMIC_RELAXED); i++) {
		sqe[i % 64].num_src = i % 5;
		sqe[i % 64].sge[i % 3].len = htole32(i * 77777);
		sqe[i % 64].sge[i % 3].addr ^= htole64(1ULL << i % 64);
	}
	return NULL;
}

TEST_F(queue, descriptors_that_change_while_the_device_reads_them)
{
	struct rig *rig = &self->rig;
	struct done done;
	int round, i;

	for (round = 0; round < 20; round++) {
		struct scribbler s = { .ring = rig->queue.ring };

		for (i = 0; i < 64; i++)
			queue_post(&rig->queue, i, rig_src(rig, 0, 512), rig_dst(rig, 0, 512));
		ASSERT_EQ(0, pthread_create(&s.thread, NULL, scribbler_main, &s));
		queue_ring(&rig->queue);
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		__atomic_store_n(&s.end, true, __ATOMIC_RELAXED);
		ASSERT_EQ(0, pthread_join(s.thread, NULL));
		ASSERT_EQ(0, do_queue_stop(rig->dom.fd, rig->queue.id));
		for (i = 1; i <= 64 && !chan_try(&rig->chan, &done); i++)
			;
		ASSERT_GE(64, i);
		ASSERT_EQ(0, rig_new_queue(rig, DOCA_ENGINE_DMA));
	}
	/* the source is as it was */
	mem_fill(rig->dst, rig->size, 1);
	EXPECT_EQ(0, memcmp(rig->src, rig->dst, rig->size));
}

struct worker {
	pthread_t thread;
	struct dom *dom;
	struct rig *rig;
	int number;
	const char *failed;
};

#define WORKER_CHECK(condition) do {		\
	if (!(condition)) {			\
		w->failed = #condition;		\
		return NULL;			\
	}					\
} while (0)

static void *worker_main(void *arg)
{
	unsigned int loops = 200 * env_number("DOCA_LOOPS", 10), i;
	struct worker *w = arg;
	struct rig *rig = w->rig;
	struct queue queue;
	struct chan chan;
	struct done done;

	WORKER_CHECK(!chan_create(w->dom, &chan, 16));
	WORKER_CHECK(!queue_create(w->dom, &chan, &queue, DOCA_ENGINE_DMA, 16, w->number));
	for (i = 0; i < loops; i++) {
		char *dst = rig->dst + w->number * 4096;

		queue_post(&queue, i, rig_src(rig, i, 100), rig_dst(rig, w->number * 4096, 100));
		queue_ring(&queue);
		WORKER_CHECK(!chan_wait(&chan, &done));
		WORKER_CHECK(done.status == DOCA_CQE_OK);
		WORKER_CHECK(done.cookie == i);
		WORKER_CHECK(done.tag == w->number);
		WORKER_CHECK(!memcmp(dst, rig->src + i, 100));
	}
	WORKER_CHECK(!queue_destroy(&queue));
	WORKER_CHECK(!chan_destroy(&chan));
	return NULL;
}

TEST_F(queue, four_threads_on_one_file)
{
	struct worker workers[4] = {};
	int i;

	for (i = 0; i < 4; i++) {
		workers[i].dom = &self->rig.dom;
		workers[i].rig = &self->rig;
		workers[i].number = i;
		ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]));
	}
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_join(workers[i].thread, NULL));
		EXPECT_EQ(NULL, workers[i].failed)
			TH_LOG("thread %d: %s", i, workers[i].failed);
	}
}

TEST_F(queue, many_queues_at_the_same_time)
{
	enum { N = 128 };
	static struct queue queues[N];
	struct doca_device_info info = {};
	struct rig *rig = &self->rig;
	struct chan chan;
	struct done done;
	int i, k, n = N;
	static int next[N];

	ASSERT_EQ(0, do_device_info(rig->dom.fd, &info));
	if (n > info.out_max_queues / 2)
		n = info.out_max_queues / 2;
	ASSERT_EQ(0, chan_create(&rig->dom, &chan, n * 8));
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, queue_create(&rig->dom, &chan, &queues[i], DOCA_ENGINE_DMA, 8, i));
	for (i = 0; i < n; i++) {
		for (k = 0; k < 8; k++)
			queue_post(&queues[i], k, rig_src(rig, i * 64, 64), rig_dst(rig, i * 64, 64));
		queue_ring(&queues[i]);
	}
	for (i = 0; i < n * 8; i++) {
		ASSERT_EQ(0, chan_wait(&chan, &done));
		ASSERT_GT(n, done.tag);
		ASSERT_EQ(next[done.tag], done.cookie);
		ASSERT_EQ(DOCA_CQE_OK, done.status);
		next[done.tag]++;
	}
	EXPECT_EQ(0, memcmp(rig->src, rig->dst, n * 64));
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, queue_destroy(&queues[i]));
	EXPECT_EQ(0, chan_destroy(&chan));
}

DOCA_TEST_MAIN
