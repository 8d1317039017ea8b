// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA queues: connecting, writing between two queues of a file, of two files,
 * of two processes, of two DPUs; and peers that are not there or go away.
 */
#include "doca_utils.h"

FIXTURE(rdma) {
	struct baseline base;
	struct rig one;
	struct rig two;
	struct doca_gid gid;
};

FIXTURE_SETUP(rdma)
{
	struct doca_device_info info = {};

	baseline_take(&self->base);
	ASSERT_EQ(0, rig_open(&self->one, DOCA_ENGINE_RDMA, 64));
	ASSERT_EQ(0, rig_open(&self->two, DOCA_ENGINE_RDMA, 64));
	ASSERT_EQ(0, do_device_info(self->one.dom.fd, &info));
	self->gid = info.out_gid;
}

FIXTURE_TEARDOWN(rdma)
{
	rig_close(&self->one);
	rig_close(&self->two);
	EXPECT_BASELINE(&self->base);
}

TEST_F(rdma, writes_in_both_directions)
{
	struct rig *one = &self->one, *two = &self->two;
	int i;

	ASSERT_EQ(0, rig_connect(one, two));
	mem_fill(two->src, two->size, 99);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(DOCA_CQE_OK, rig_copy(one, rig_src(one, i, 1000), rig_dst(two, i, 1000)));
		ASSERT_EQ(0, memcmp(one->src + i, two->dst + i, 1000));
		ASSERT_EQ(DOCA_CQE_OK, rig_copy(two, rig_src(two, i, 1000), rig_dst(one, i, 1000)));
		ASSERT_EQ(0, memcmp(two->src + i, one->dst + i, 1000));
	}
	/* the target hears nothing of a write */
	EXPECT_EQ(0, chan_quiet(&two->chan));
}

TEST_F(rdma, data_is_there_when_the_completion_is)
{
	struct rig *one = &self->one, *two = &self->two;
	struct done done;
	int i, round;

	ASSERT_EQ(0, rig_connect(one, two));
	for (round = 0; round < 30; round++) {
		memset(two->dst, 0, two->size);
		mem_fill(one->src, one->size, round);
		for (i = 0; i < 16; i++)
			queue_post(&one->queue, i, rig_src(one, i * 4096, 4096),
				   rig_dst(two, i * 4096, 4096));
		queue_ring(&one->queue);
		for (i = 0; i < 16; i++) {
			ASSERT_EQ(0, chan_wait(&one->chan, &done));
			ASSERT_EQ(i, done.cookie);
			ASSERT_EQ(DOCA_CQE_OK, done.status);
			ASSERT_EQ(0, memcmp(one->src + i * 4096, two->dst + i * 4096, 4096));
		}
	}
}

TEST_F(rdma, two_queues_of_one_file)
{
	struct rig *one = &self->one;
	struct queue peer;
	struct chan chan;

	ASSERT_EQ(0, chan_create(&one->dom, &chan, 16));
	ASSERT_EQ(0, queue_create(&one->dom, &chan, &peer, DOCA_ENGINE_RDMA, 16, 0));
	ASSERT_EQ(0, queue_connect(&one->queue, &peer, self->gid, 0));
	ASSERT_EQ(0, queue_connect(&peer, &one->queue, self->gid, 0));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(one, rig_src(one, 0, 5000), rig_dst(one, 7, 5000)));
	EXPECT_EQ(0, memcmp(one->src, one->dst + 7, 5000));
	EXPECT_EQ(0, queue_destroy(&peer));
	EXPECT_EQ(0, chan_destroy(&chan));
}

TEST_F(rdma, not_connected)
{
	struct rig *one = &self->one, *two = &self->two;
	struct done done;

	queue_post(&one->queue, 1, rig_src(one, 0, 8), rig_dst(two, 0, 8));
	queue_post(&one->queue, 2, rig_src(one, 0, 8), rig_dst(two, 0, 8));
	queue_ring(&one->queue);
	ASSERT_EQ(0, chan_wait(&one->chan, &done));
	EXPECT_EQ(DOCA_CQE_NOT_CONNECTED, done.status);
	EXPECT_EQ(1, done.cookie);
	ASSERT_EQ(0, chan_wait(&one->chan, &done));
	EXPECT_EQ(DOCA_CQE_FLUSHED, done.status);
	EXPECT_TRUE(mem_is(two->dst, two->size, 0));
}

TEST_F(rdma, connecting_twice_is_EEXIST)
{
	ASSERT_EQ(0, rig_connect(&self->one, &self->two));
	EXPECT_EQ(-EEXIST, queue_connect(&self->one.queue, &self->two.queue, self->gid, 0));
	EXPECT_EQ(-EEXIST, queue_connect(&self->two.queue, &self->two.queue, self->gid, 0));
	/* and is still connected to the first one */
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->one, rig_src(&self->one, 0, 8),
					rig_dst(&self->two, 0, 8)));
}

/* The peer does not name this queue as its own peer: no access, whoever it is. */
TEST_F(rdma, one_sided_connection_is_RETRY_EXCEEDED)
{
	struct rig *one = &self->one, *two = &self->two;
	struct done done;
	uint64_t start;

	ASSERT_EQ(0, queue_connect(&one->queue, &two->queue, self->gid, 300));
	queue_post(&one->queue, 1, rig_src(one, 0, 8), rig_dst(two, 0, 8));
	start = now_ms();
	queue_ring(&one->queue);
	ASSERT_EQ(0, chan_wait(&one->chan, &done));
	EXPECT_EQ(DOCA_CQE_RETRY_EXCEEDED, done.status);
	/* it did go on trying for about that long */
	EXPECT_LE(250, now_ms() - start);
	EXPECT_TRUE(mem_is(two->dst, two->size, 0));
}

TEST_F(rdma, a_third_queue_cannot_write_to_a_connected_one)
{
	struct rig *one = &self->one, *two = &self->two;
	struct rig third;
	struct done done;

	ASSERT_EQ(0, rig_connect(one, two));
	ASSERT_EQ(0, rig_open(&third, DOCA_ENGINE_RDMA, 16));
	ASSERT_EQ(0, queue_connect(&third.queue, &two->queue, self->gid, 200));
	queue_post(&third.queue, 1, rig_src(&third, 0, 8), rig_dst(two, 0, 8));
	queue_ring(&third.queue);
	ASSERT_EQ(0, chan_wait(&third.chan, &done));
	EXPECT_EQ(DOCA_CQE_RETRY_EXCEEDED, done.status);
	EXPECT_TRUE(mem_is(two->dst, two->size, 0));
	/* the rightful one still can */
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(one, rig_src(one, 0, 8), rig_dst(two, 0, 8)));
	rig_close(&third);
}

TEST_F(rdma, the_peer_connects_while_the_request_waits)
{
	struct rig *one = &self->one, *two = &self->two;
	struct done done;

	ASSERT_EQ(0, queue_connect(&one->queue, &two->queue, self->gid, DOCA_RETRY_MAX_MS));
	queue_post(&one->queue, 1, rig_src(one, 0, 800), rig_dst(two, 0, 800));
	queue_ring(&one->queue);
	EXPECT_EQ(0, chan_quiet(&one->chan));
	ASSERT_EQ(0, queue_connect(&two->queue, &one->queue, self->gid, 0));
	ASSERT_EQ(0, chan_wait(&one->chan, &done));
	EXPECT_EQ(DOCA_CQE_OK, done.status);
	EXPECT_EQ(0, memcmp(one->src, two->dst, 800));
}

/* A queue that waits for its peer holds up no other one. */
TEST_F(rdma, a_waiting_queue_does_not_block_the_others)
{
	struct rig *one = &self->one, *two = &self->two;
	struct rig third, fourth;
	struct done done;
	int i;

	ASSERT_EQ(0, rig_open(&third, DOCA_ENGINE_RDMA, 16));
	ASSERT_EQ(0, rig_open(&fourth, DOCA_ENGINE_RDMA, 16));
	ASSERT_EQ(0, queue_connect(&third.queue, &fourth.queue, self->gid, DOCA_RETRY_MAX_MS));
	queue_post(&third.queue, 1, rig_src(&third, 0, 8), rig_dst(&fourth, 0, 8));
	queue_ring(&third.queue);
	ASSERT_EQ(0, rig_connect(one, two));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(DOCA_CQE_OK, rig_copy(one, rig_src(one, 0, 8), rig_dst(two, 0, 8)));
	EXPECT_EQ(-EAGAIN, chan_try(&third.chan, &done));
	/* stop ends the waiting */
	EXPECT_EQ(0, do_queue_stop(third.dom.fd, third.queue.id));
	ASSERT_EQ(0, chan_try(&third.chan, &done));
	EXPECT_EQ(DOCA_CQE_FLUSHED, done.status);
	rig_close(&third);
	rig_close(&fourth);
}

TEST_F(rdma, close_with_a_waiting_request)
{
	struct rig *one = &self->one, *two = &self->two;
	uint64_t start;

	ASSERT_EQ(0, queue_connect(&one->queue, &two->queue, self->gid, DOCA_RETRY_MAX_MS));
	queue_post(&one->queue, 1, rig_src(one, 0, 8), rig_dst(two, 0, 8));
	queue_ring(&one->queue);
	start = now_ms();
	rig_close(one);
	/* not for as long as the request would have gone on */
	EXPECT_GT(DOCA_RETRY_MAX_MS / 2, now_ms() - start);
}

TEST_F(rdma, unknown_peers_are_RETRY_EXCEEDED)
{
	struct rig *one = &self->one, *two = &self->two;
	struct doca_gid other = self->gid, zero = {};
	struct queue queue = two->queue;
	struct {
		__u32 queue;
		struct doca_gid gid;
	} cases[] = {
		{ 0, self->gid }, { UINT_MAX, self->gid }, { two->queue.queue ^ 1, self->gid },
		{ two->queue.queue, zero },
		{ two->queue.queue, other },
	};
	struct done done;
	int i;

	other.raw[15] ^= 0x55;
	cases[4].gid = other;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		queue.queue = cases[i].queue;
		ASSERT_EQ(0, queue_connect(&one->queue, &queue, cases[i].gid, 50));
		queue_post(&one->queue, 1, rig_src(one, 0, 8), rig_dst(two, 0, 8));
		queue_ring(&one->queue);
		ASSERT_EQ(0, chan_wait(&one->chan, &done));
		EXPECT_EQ(DOCA_CQE_RETRY_EXCEEDED, done.status)
			TH_LOG("case %d", i);
		ASSERT_EQ(0, rig_new_queue(one, DOCA_ENGINE_RDMA));
	}
	EXPECT_TRUE(mem_is(two->dst, two->size, 0));
}

TEST_F(rdma, a_dma_queue_is_no_peer)
{
	struct rig *one = &self->one, dma;
	struct done done;

	ASSERT_EQ(0, rig_open(&dma, DOCA_ENGINE_DMA, 16));
	ASSERT_EQ(0, queue_connect(&one->queue, &dma.queue, self->gid, 50));
	queue_post(&one->queue, 1, rig_src(one, 0, 8), rig_dst(&dma, 0, 8));
	queue_ring(&one->queue);
	ASSERT_EQ(0, chan_wait(&one->chan, &done));
	EXPECT_EQ(DOCA_CQE_RETRY_EXCEEDED, done.status);
	rig_close(&dma);
}

TEST_F(rdma, the_peer_is_destroyed)
{
	struct rig *one = &self->one, *two = &self->two;
	struct done done;

	ASSERT_EQ(0, queue_connect(&one->queue, &two->queue, self->gid, 300));
	ASSERT_EQ(0, queue_connect(&two->queue, &one->queue, self->gid, 300));
	ASSERT_EQ(DOCA_CQE_OK, rig_copy(one, rig_src(one, 0, 8), rig_dst(two, 0, 8)));
	ASSERT_EQ(0, queue_destroy(&two->queue));
	memset(two->dst, 0x11, two->size);
	queue_post(&one->queue, 1, rig_src(one, 0, 8), rig_dst(two, 0, 8));
	queue_ring(&one->queue);
	ASSERT_EQ(0, chan_wait(&one->chan, &done));
	EXPECT_EQ(DOCA_CQE_RETRY_EXCEEDED, done.status);
	EXPECT_TRUE(mem_is(two->dst, two->size, 0x11));
}

/* The successor in the same slot has not named this queue as its peer. */
TEST_F(rdma, the_peers_successor_is_not_the_peer)
{
	struct rig *one = &self->one, *two = &self->two;
	struct done done;

	ASSERT_EQ(0, queue_connect(&one->queue, &two->queue, self->gid, 300));
	ASSERT_EQ(0, queue_connect(&two->queue, &one->queue, self->gid, 300));
	ASSERT_EQ(0, rig_new_queue(two, DOCA_ENGINE_RDMA));
	ASSERT_EQ(0, queue_connect(&two->queue, &one->queue, self->gid, 300));
	queue_post(&one->queue, 1, rig_src(one, 0, 8), rig_dst(two, 0, 8));
	queue_ring(&one->queue);
	ASSERT_EQ(0, chan_wait(&one->chan, &done));
	EXPECT_EQ(DOCA_CQE_RETRY_EXCEEDED, done.status);
}

TEST_F(rdma, a_stopped_peer_takes_nothing_more)
{
	struct rig *one = &self->one, *two = &self->two;
	struct done done;

	ASSERT_EQ(0, queue_connect(&one->queue, &two->queue, self->gid, 300));
	ASSERT_EQ(0, queue_connect(&two->queue, &one->queue, self->gid, 300));
	ASSERT_EQ(0, do_queue_stop(two->dom.fd, two->queue.id));
	memset(two->dst, 0x11, two->size);
	queue_post(&one->queue, 1, rig_src(one, 0, 8), rig_dst(two, 0, 8));
	queue_ring(&one->queue);
	ASSERT_EQ(0, chan_wait(&one->chan, &done));
	EXPECT_NE(DOCA_CQE_OK, done.status);
	EXPECT_TRUE(mem_is(two->dst, two->size, 0x11));
}

/* What the two processes tell each other. */
struct hello {
	struct doca_gid gid;
	__u32 queue;
	__u64 addr;
	__u32 mkey;
};

static bool say(int fd, const void *p, size_t n)
{
	return write(fd, p, n) == n;
}

static bool hear(int fd, void *p, size_t n)
{
	char *c = p;
	ssize_t k;

	while (n) {
		k = read(fd, c, n);
		if (k <= 0)
			return false;
		c += k;
		n -= k;
	}
	return true;
}

/* The target: exports its memory, connects, waits for the word, compares. */
static void target_process(const char *node, int in, int out, bool die)
{
	struct doca_device_info info = {};
	struct hello mine = {}, theirs;
	struct queue peer = {};
	struct rig rig;
	char go, *want;

	CHILD_CHECK_EQ(0, rig_open(&rig, DOCA_ENGINE_RDMA, 64));
	if (strcmp(node, NODE)) {
		/* on the second DPU */
		rig_close(&rig);
		CHILD_CHECK_EQ(0, dom_open_node(&rig.dom, node));
		CHILD_CHECK_EQ(0, chan_create(&rig.dom, &rig.chan, 64));
		CHILD_CHECK_EQ(0, queue_create(&rig.dom, &rig.chan, &rig.queue, DOCA_ENGINE_RDMA,
					       64, 0));
		rig.size = RIG_SIZE;
		rig.dst = mem_alloc_guarded(rig.size);
		CHILD_CHECK(rig.dst);
		CHILD_CHECK_EQ(0, region_create(&rig.dom, &rig.dst_region, rig.dst, rig.size,
						DOCA_KEY_RDMA_WRITE));
	}
	CHILD_CHECK_EQ(0, do_device_info(rig.dom.fd, &info));
	mine.gid = info.out_gid;
	mine.queue = rig.queue.queue;
	mine.addr = (uintptr_t)rig.dst;
	mine.mkey = rig.dst_region.mkey;
	CHILD_CHECK(say(out, &mine, sizeof(mine)));
	CHILD_CHECK(hear(in, &theirs, sizeof(theirs)));
	peer.queue = theirs.queue;
	CHILD_CHECK_EQ(0, queue_connect(&rig.queue, &peer, theirs.gid, 0));
	CHILD_CHECK(say(out, "c", 1));
	CHILD_CHECK(hear(in, &go, 1));
	if (die)
		raise(SIGKILL);
	want = malloc(rig.size);
	mem_fill(want, rig.size, 1);
	CHILD_CHECK(!memcmp(want, rig.dst, rig.size));
	rig_close(&rig);
}

static void two_processes(struct __test_metadata *_metadata, FIXTURE_DATA(rdma) *self,
			  const char *node, bool die)
{
	struct rig *one = &self->one;
	struct hello mine = {}, theirs;
	struct queue peer = {};
	struct done done;
	int to[2], from[2], status, i;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe2(to, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(from, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(to[1]);
		close(from[0]);
		/* the parent's files are none of this process's */
		close(self->one.dom.fd);
		close(self->two.dom.fd);
		target_process(node, to[0], from[1], die);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	ASSERT_TRUE(hear(from[0], &theirs, sizeof(theirs)));
	mine.gid = self->gid;
	mine.queue = one->queue.queue;
	ASSERT_TRUE(say(to[1], &mine, sizeof(mine)));
	peer.queue = theirs.queue;
	ASSERT_EQ(0, queue_connect(&one->queue, &peer, theirs.gid, 500));
	ASSERT_TRUE(hear(from[0], &c, 1));

	for (i = 0; i < 16; i++)
		queue_post(&one->queue, i, rig_src(one, i * 4096, 4096),
			   sge((char *)theirs.addr + i * 4096, theirs.mkey, 4096));
	queue_ring(&one->queue);
	for (i = 0; i < 16; i++) {
		ASSERT_EQ(0, chan_wait(&one->chan, &done));
		EXPECT_EQ(DOCA_CQE_OK, done.status);
	}
	ASSERT_TRUE(say(to[1], "g", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (!die) {
		EXPECT_EQ(0, status);
	} else {
		EXPECT_EQ(SIGKILL, status);
		/* nobody there any more: an error, in bounded time */
		queue_post(&one->queue, 99, rig_src(one, 0, 64),
			   sge((char *)theirs.addr, theirs.mkey, 64));
		queue_ring(&one->queue);
		ASSERT_EQ(0, chan_wait(&one->chan, &done));
		EXPECT_EQ(99, done.cookie);
		EXPECT_EQ(DOCA_CQE_RETRY_EXCEEDED, done.status);
	}
	close(to[1]);
	close(from[0]);
}

TEST_F(rdma, between_two_processes)
{
	two_processes(_metadata, self, NODE, false);
}

TEST_F(rdma, the_peer_process_is_killed)
{
	two_processes(_metadata, self, NODE, true);
}

TEST_F(rdma, between_two_DPUs)
{
	if (access(NODE_1, F_OK))
		SKIP(return, "only one DPU");
	two_processes(_metadata, self, NODE_1, false);
}

TEST_F(rdma, the_peer_on_the_other_DPU_is_killed)
{
	if (access(NODE_1, F_OK))
		SKIP(return, "only one DPU");
	two_processes(_metadata, self, NODE_1, true);
}

TEST_F(rdma, two_DPUs_have_different_addresses)
{
	struct doca_device_info one = {}, two = {};
	int fd;

	if (access(NODE_1, F_OK))
		SKIP(return, "only one DPU");
	fd = open(NODE_1, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, do_device_info(self->one.dom.fd, &one));
	ASSERT_EQ(0, do_device_info(fd, &two));
	EXPECT_NE(0, memcmp(&one.out_gid, &two.out_gid, sizeof(one.out_gid)));
	EXPECT_NE(0, memcmp(one.out_mac, two.out_mac, sizeof(one.out_mac)));
	EXPECT_STREQ("doca1", (char *)two.out_name);
	close(fd);
}

/* A key of one DPU means nothing to the other one. */
TEST_F(rdma, keys_do_not_work_on_the_other_DPU)
{
	struct rig *one = &self->one;
	struct chan chan;
	struct queue queue;
	struct region region;
	struct done done;
	struct dom dom;
	char *mem;

	if (access(NODE_1, F_OK))
		SKIP(return, "only one DPU");
	ASSERT_EQ(0, dom_open_node(&dom, NODE_1));
	ASSERT_EQ(0, chan_create(&dom, &chan, 16));
	ASSERT_EQ(0, queue_create(&dom, &chan, &queue, DOCA_ENGINE_DMA, 16, 0));
	mem = mem_alloc(4096);
	ASSERT_NE(NULL, mem);
	ASSERT_EQ(0, region_create(&dom, &region, mem, 4096, DOCA_KEY_LOCAL_WRITE));
	queue_post(&queue, 1, rig_src(one, 0, 8), sge(mem, region.mkey, 8));
	queue_ring(&queue);
	ASSERT_EQ(0, chan_wait(&chan, &done));
	/* the number may be the same: then it names this DPU's own memory */
	EXPECT_TRUE(done.status == DOCA_CQE_LOCAL_KEY || done.status == DOCA_CQE_LOCAL_BOUNDS)
		TH_LOG("status %d", done.status);
	EXPECT_EQ(0, queue_destroy(&queue));
	EXPECT_EQ(0, chan_destroy(&chan));
	dom_close(&dom);
	munmap(mem, 4096);
}

/* Two pairs of queues, both ways, all at once. */
TEST_F(rdma, many_pairs_at_the_same_time)
{
	enum { PAIRS = 8, EACH = 64 };
	struct queue left[PAIRS], right[PAIRS];
	struct rig *one = &self->one, *two = &self->two;
	unsigned int next[2 * PAIRS] = {};
	struct chan lc, rc;
	struct done done;
	int i, k;

	ASSERT_EQ(0, chan_create(&one->dom, &lc, PAIRS * EACH));
	ASSERT_EQ(0, chan_create(&two->dom, &rc, PAIRS * EACH));
	mem_fill(two->src, two->size, 55);
	for (i = 0; i < PAIRS; i++) {
		ASSERT_EQ(0, queue_create(&one->dom, &lc, &left[i], DOCA_ENGINE_RDMA, EACH, i));
		ASSERT_EQ(0, queue_create(&two->dom, &rc, &right[i], DOCA_ENGINE_RDMA, EACH,
					  PAIRS + i));
		ASSERT_EQ(0, queue_connect(&left[i], &right[i], self->gid, 0));
		ASSERT_EQ(0, queue_connect(&right[i], &left[i], self->gid, 0));
	}
	for (i = 0; i < PAIRS; i++) {
		for (k = 0; k < EACH; k++) {
			int at = (i * EACH + k) * 64;

			queue_post(&left[i], k, rig_src(one, at, 64), rig_dst(two, at, 64));
			queue_post(&right[i], k, rig_src(two, at, 64), rig_dst(one, at, 64));
		}
		queue_ring(&left[i]);
		queue_ring(&right[i]);
	}
	for (i = 0; i < PAIRS * EACH; i++) {
		ASSERT_EQ(0, chan_wait(&lc, &done));
		ASSERT_EQ(DOCA_CQE_OK, done.status);
		ASSERT_EQ(next[done.tag]++, done.cookie);
		ASSERT_EQ(0, chan_wait(&rc, &done));
		ASSERT_EQ(DOCA_CQE_OK, done.status);
		ASSERT_EQ(next[done.tag]++, done.cookie);
	}
	EXPECT_EQ(0, memcmp(one->src, two->dst, PAIRS * EACH * 64));
	EXPECT_EQ(0, memcmp(two->src, one->dst, PAIRS * EACH * 64));
	for (i = 0; i < PAIRS; i++) {
		EXPECT_EQ(0, queue_destroy(&left[i]));
		EXPECT_EQ(0, queue_destroy(&right[i]));
	}
	EXPECT_EQ(0, chan_destroy(&lc));
	EXPECT_EQ(0, chan_destroy(&rc));
}

DOCA_TEST_MAIN
