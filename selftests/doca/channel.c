// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event channels: poll, epoll, read; arming, with completions before, at and
 * after it; what becomes of the descriptor when its channel goes.
 */
#include "doca_utils.h"

FIXTURE(channel) {
	struct baseline base;
	struct rig rig;
	int fd;
};

FIXTURE_SETUP(channel)
{
	baseline_take(&self->base);
	ASSERT_EQ(0, rig_open(&self->rig, DOCA_ENGINE_DMA, 64));
	self->fd = self->rig.chan.fd;
}

FIXTURE_TEARDOWN(channel)
{
	rig_close(&self->rig);
	EXPECT_BASELINE(&self->base);
}

/* @n completions, without taking them from the ring. */
static void complete(struct rig *rig, int n)
{
	struct chan *chan = &rig->chan;
	__u32 ci = chan->ci;
	struct done done;
	int i;

	for (i = 0; i < n; i++)
		queue_post(&rig->queue, 0, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
	queue_ring(&rig->queue);
	for (i = 0; i < n; i++)
		chan_wait(chan, &done);
	chan->ci = ci;
}

/* Takes @n completions that are there. */
static int consume(struct rig *rig, int n)
{
	struct done done;
	int i, err;

	for (i = 0; i < n; i++) {
		err = chan_wait(&rig->chan, &done);
		if (err)
			return err;
		if (done.status != DOCA_CQE_OK)
			return -EIO;
	}
	return 0;
}

#define arm(rig)	chan_arm(&(rig)->chan, (rig)->chan.ci)

TEST_F(channel, nothing_happens_without_arming)
{
	EXPECT_EQ(0, fd_poll(self->fd, 0));
	complete(&self->rig, 3);
	EXPECT_EQ(0, fd_poll(self->fd, QUIET_MS));
	EXPECT_EQ(-EAGAIN, fd_events(self->fd));
	EXPECT_EQ(0, consume(&self->rig, 3));
}

TEST_F(channel, armed_before_the_completion)
{
	arm(&self->rig);
	EXPECT_EQ(0, fd_poll(self->fd, 0));
	complete(&self->rig, 1);
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	EXPECT_EQ(1, fd_events(self->fd));
	/* read: no more readable, and no more armed */
	EXPECT_EQ(0, fd_poll(self->fd, 0));
	EXPECT_EQ(-EAGAIN, fd_events(self->fd));
	complete(&self->rig, 1);
	EXPECT_EQ(0, fd_poll(self->fd, QUIET_MS));
}

TEST_F(channel, armed_after_the_completion_fires_at_once)
{
	complete(&self->rig, 1);
	arm(&self->rig);
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	EXPECT_EQ(1, fd_events(self->fd));
}

TEST_F(channel, armed_with_an_old_index_fires_at_once)
{
	complete(&self->rig, 5);
	ASSERT_EQ(0, consume(&self->rig, 5));
	chan_arm(&self->rig.chan, 2);
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	EXPECT_EQ(1, fd_events(self->fd));
}

TEST_F(channel, armed_with_nothing_new_does_not_fire)
{
	complete(&self->rig, 5);
	ASSERT_EQ(0, consume(&self->rig, 5));
	arm(&self->rig);
	EXPECT_EQ(0, fd_poll(self->fd, QUIET_MS));
	complete(&self->rig, 1);
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	EXPECT_EQ(1, fd_events(self->fd));
}

TEST_F(channel, armed_ahead_fires_for_that_entry)
{
	chan_arm(&self->rig.chan, 3);
	complete(&self->rig, 3);
	EXPECT_EQ(0, fd_poll(self->fd, QUIET_MS));
	ASSERT_EQ(0, consume(&self->rig, 3));
	complete(&self->rig, 1);
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	EXPECT_EQ(1, fd_events(self->fd));
}

TEST_F(channel, armed_twice_fires_once)
{
	arm(&self->rig);
	arm(&self->rig);
	complete(&self->rig, 1);
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	EXPECT_EQ(1, fd_events(self->fd));
	EXPECT_EQ(0, fd_poll(self->fd, QUIET_MS));
}

TEST_F(channel, many_completions_are_one_event)
{
	arm(&self->rig);
	complete(&self->rig, 40);
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	EXPECT_EQ(1, fd_events(self->fd));
	EXPECT_EQ(0, fd_poll(self->fd, QUIET_MS));
	ASSERT_EQ(0, consume(&self->rig, 40));
}

TEST_F(channel, events_are_counted_until_read)
{
	int64_t n;
	int i;

	for (i = 0; i < 5; i++) {
		arm(&self->rig);
		complete(&self->rig, 1);
		ASSERT_EQ(0, consume(&self->rig, 1));
		ASSERT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
		/* an entry that was taken before the device looked is no event */
		sleep_ms(50);
	}
	n = fd_events(self->fd);
	EXPECT_LE(1, n);
	EXPECT_GE(5, n);
	/* taken all together */
	EXPECT_EQ(0, fd_poll(self->fd, QUIET_MS));
	EXPECT_EQ(-EAGAIN, fd_events(self->fd));
}

TEST_F(channel, short_reads_are_EINVAL)
{
	char buf[16];
	size_t len;

	arm(&self->rig);
	complete(&self->rig, 1);
	ASSERT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	for (len = 1; len < 8; len++) {
		EXPECT_EQ(-1, read(self->fd, buf, len));
		EXPECT_EQ(EINVAL, errno);
	}
	/* that took nothing away, and more room than needed is fine */
	memset(buf, 0x77, sizeof(buf));
	EXPECT_EQ(8, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(1, *(__u64 *)buf);
	EXPECT_TRUE(mem_is(buf + 8, 8, 0x77));
}

TEST_F(channel, read_into_bad_memory_is_EFAULT)
{
	arm(&self->rig);
	complete(&self->rig, 1);
	ASSERT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	EXPECT_EQ(-1, syscall(SYS_read, self->fd, 8L, 8L));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(channel, O_NONBLOCK_can_be_changed)
{
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR));
	arm(&self->rig);
	complete(&self->rig, 1);
	EXPECT_EQ(1, fd_events(self->fd));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR | O_NONBLOCK));
	EXPECT_EQ(-EAGAIN, fd_events(self->fd));
}

struct reader {
	pthread_t thread;
	int fd;
	int tid;
	int64_t result;
};

static void *reader_main(void *arg)
{
	struct reader *r = arg;

	__atomic_store_n(&r->tid, gettid(), __ATOMIC_RELEASE);
	r->result = fd_events(r->fd);
	return NULL;
}

/* Is this thread asleep in a system call? */
static bool asleep(int tid)
{
	char path[64], line[256] = "", *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return p && p[2] == 'S';
}

static bool reader_start(struct reader *r, int fd)
{
	r->fd = fd;
	r->tid = 0;
	r->result = -1000;
	if (pthread_create(&r->thread, NULL, reader_main, r))
		return false;
	return WAIT_FOR(__atomic_load_n(&r->tid, __ATOMIC_ACQUIRE) && asleep(r->tid));
}

TEST_F(channel, a_blocking_read_waits_for_the_event)
{
	struct reader r;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR));
	ASSERT_TRUE(reader_start(&r, self->fd));
	arm(&self->rig);
	complete(&self->rig, 1);
	ASSERT_EQ(0, pthread_join(r.thread, NULL));
	EXPECT_EQ(1, r.result);
}

TEST_F(channel, two_readers_and_one_event)
{
	struct reader r[2];
	int64_t sum;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR));
	ASSERT_TRUE(reader_start(&r[0], self->fd));
	ASSERT_TRUE(reader_start(&r[1], self->fd));
	arm(&self->rig);
	complete(&self->rig, 1);
	ASSERT_EQ(0, consume(&self->rig, 1));
	/* one of them has it; the other one waits for the next */
	ASSERT_TRUE(WAIT_FOR(__atomic_load_n(&r[0].result, __ATOMIC_ACQUIRE) == 1 ||
			     __atomic_load_n(&r[1].result, __ATOMIC_ACQUIRE) == 1));
	arm(&self->rig);
	complete(&self->rig, 1);
	ASSERT_EQ(0, pthread_join(r[0].thread, NULL));
	ASSERT_EQ(0, pthread_join(r[1].thread, NULL));
	sum = r[0].result + r[1].result;
	EXPECT_EQ(2, sum);
}

static void nothing(int sig)
{
}

TEST_F(channel, a_signal_ends_a_blocking_read)
{
	struct sigaction action = { .sa_handler = nothing };
	struct reader r;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR));
	ASSERT_TRUE(reader_start(&r, self->fd));
	ASSERT_EQ(0, pthread_kill(r.thread, SIGUSR1));
	ASSERT_EQ(0, pthread_join(r.thread, NULL));
	EXPECT_EQ(-EINTR, r.result);
}

TEST_F(channel, destroy_wakes_a_blocking_read)
{
	struct rig *rig = &self->rig;
	struct reader r;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR));
	ASSERT_TRUE(reader_start(&r, self->fd));
	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->queue.id));
	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->chan.id));
	ASSERT_EQ(0, pthread_join(r.thread, NULL));
	EXPECT_EQ(-ENODEV, r.result);
}

struct poller {
	pthread_t thread;
	int fd;
	int tid;
	int revents;
};

static void *poller_main(void *arg)
{
	struct poller *p = arg;

	__atomic_store_n(&p->tid, gettid(), __ATOMIC_RELEASE);
	p->revents = fd_poll(p->fd, WAIT_MS);
	return NULL;
}

TEST_F(channel, destroy_wakes_a_poll)
{
	struct rig *rig = &self->rig;
	struct poller p = { .fd = self->fd };

	ASSERT_EQ(0, pthread_create(&p.thread, NULL, poller_main, &p));
	ASSERT_TRUE(WAIT_FOR(__atomic_load_n(&p.tid, __ATOMIC_ACQUIRE) && asleep(p.tid)));
	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->queue.id));
	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->chan.id));
	ASSERT_EQ(0, pthread_join(p.thread, NULL));
	EXPECT_NE(0, p.revents & POLLERR);
	EXPECT_NE(0, p.revents & POLLHUP);
}

/* B35: the exact bits. */
TEST_F(channel, the_descriptor_outlives_the_channel)
{
	struct rig *rig = &self->rig;

	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->queue.id));
	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->chan.id));
	EXPECT_EQ(POLLERR | POLLHUP, fd_poll(self->fd, 0) & ~POLLIN);
	EXPECT_EQ(-ENODEV, fd_events(self->fd));
	/* for a blocking one as well */
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR));
	EXPECT_EQ(-ENODEV, fd_events(self->fd));
	/* a doorbell for a ring that is gone is nothing */
	arm(rig);
	EXPECT_EQ(-ENODEV, fd_events(self->fd));
}

TEST_F(channel, the_descriptor_outlives_the_file)
{
	struct rig *rig = &self->rig;
	int fd;

	fd = dup(self->fd);
	ASSERT_LE(0, fd);
	rig_close(rig);
	EXPECT_EQ(POLLERR | POLLHUP, fd_poll(fd, WAIT_MS) & ~POLLIN);
	EXPECT_EQ(-ENODEV, fd_events(fd));
	close(fd);
}

TEST_F(channel, closed_descriptor_leaves_the_channel_working)
{
	struct rig *rig = &self->rig;

	close(self->fd);
	rig->chan.fd = -1;
	arm(rig);
	complete(rig, 3);
	EXPECT_EQ(0, consume(rig, 3));
	EXPECT_EQ(-EBUSY, do_destroy(rig->dom.fd, rig->chan.id));
	EXPECT_EQ(0, do_destroy(rig->dom.fd, rig->queue.id));
	EXPECT_EQ(0, do_destroy(rig->dom.fd, rig->chan.id));
}

TEST_F(channel, closed_while_polled)
{
	struct rig *rig = &self->rig;
	struct poller p = { .fd = dup(self->fd) };

	ASSERT_LE(0, p.fd);
	ASSERT_EQ(0, pthread_create(&p.thread, NULL, poller_main, &p));
	ASSERT_TRUE(WAIT_FOR(__atomic_load_n(&p.tid, __ATOMIC_ACQUIRE) && asleep(p.tid)));
	close(p.fd);
	/* the sleeper keeps the file and is woken, but poll() looks the number up anew */
	arm(rig);
	complete(rig, 1);
	ASSERT_EQ(0, pthread_join(p.thread, NULL));
	EXPECT_EQ(POLLNVAL, p.revents);
}

TEST_F(channel, a_duplicate_is_the_same)
{
	int fd = dup(self->fd);

	ASSERT_LE(0, fd);
	arm(&self->rig);
	complete(&self->rig, 1);
	EXPECT_EQ(POLLIN, fd_poll(fd, WAIT_MS));
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	EXPECT_EQ(1, fd_events(fd));
	EXPECT_EQ(-EAGAIN, fd_events(self->fd));
	close(fd);
}

TEST_F(channel, epoll_level_and_edge_triggered)
{
	struct epoll_event level = { .events = EPOLLIN, .data.u32 = 1 };
	struct epoll_event edge = { .events = EPOLLIN | EPOLLET, .data.u32 = 2 };
	struct epoll_event got;
	int ep_level, ep_edge;

	ep_level = epoll_create1(EPOLL_CLOEXEC);
	ep_edge = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_LE(0, ep_level);
	ASSERT_LE(0, ep_edge);
	ASSERT_EQ(0, epoll_ctl(ep_level, EPOLL_CTL_ADD, self->fd, &level));
	ASSERT_EQ(0, epoll_ctl(ep_edge, EPOLL_CTL_ADD, self->fd, &edge));
	EXPECT_EQ(0, epoll_wait(ep_level, &got, 1, 0));
	EXPECT_EQ(0, epoll_wait(ep_edge, &got, 1, 0));

	arm(&self->rig);
	complete(&self->rig, 1);
	EXPECT_EQ(1, epoll_wait(ep_level, &got, 1, WAIT_MS));
	EXPECT_EQ(EPOLLIN, got.events);
	EXPECT_EQ(1, got.data.u32);
	EXPECT_EQ(1, epoll_wait(ep_level, &got, 1, 0));
	EXPECT_EQ(1, epoll_wait(ep_edge, &got, 1, WAIT_MS));
	EXPECT_EQ(0, epoll_wait(ep_edge, &got, 1, 0));
	EXPECT_EQ(1, fd_events(self->fd));
	EXPECT_EQ(0, epoll_wait(ep_level, &got, 1, 0));

	ASSERT_EQ(0, consume(&self->rig, 1));
	arm(&self->rig);
	complete(&self->rig, 1);
	EXPECT_EQ(1, epoll_wait(ep_edge, &got, 1, WAIT_MS));
	close(ep_level);
	close(ep_edge);
}

TEST_F(channel, epoll_hears_of_the_end)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct rig *rig = &self->rig;
	int ep;

	ep = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_LE(0, ep);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->fd, &event));
	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->queue.id));
	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->chan.id));
	ASSERT_EQ(1, epoll_wait(ep, &event, 1, WAIT_MS));
	EXPECT_EQ(EPOLLERR | EPOLLHUP, event.events & ~EPOLLIN);
	close(ep);
}

TEST_F(channel, doorbells_of_another_domain_are_ignored)
{
	struct rig *rig = &self->rig;
	struct rig other;

	ASSERT_EQ(0, rig_open(&other, DOCA_ENGINE_DMA, 16));
	/* arms this ring on the other file's page */
	dom_ring(&other.dom, DOCA_DB_ARM, rig->chan.cq, rig->chan.ci);
	complete(rig, 1);
	EXPECT_EQ(0, fd_poll(self->fd, QUIET_MS));
	EXPECT_EQ(0, consume(rig, 1));
	/* and the own one works as ever */
	arm(rig);
	complete(rig, 1);
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	rig_close(&other);
}

TEST_F(channel, doorbells_for_rings_that_are_not_there)
{
	struct rig *rig = &self->rig;
	static const __u32 odd[] = { 0, 1, 1000, 0xffff, 0x10000, 0x7fffffff, UINT_MAX };
	int i;

	for (i = 0; i < ARRAY_SIZE(odd); i++)
		if (odd[i] != rig->chan.cq)
			dom_ring(&rig->dom, DOCA_DB_ARM, odd[i], 0);
	complete(rig, 1);
	EXPECT_EQ(0, fd_poll(self->fd, QUIET_MS));
}

TEST_F(channel, the_event_goes_to_its_own_channel)
{
	struct rig *rig = &self->rig;
	struct chan others[4];
	int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		ASSERT_EQ(0, chan_create(&rig->dom, &others[i], 16));
		chan_arm(&others[i], 0);
	}
	arm(rig);
	complete(rig, 1);
	EXPECT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		EXPECT_EQ(0, fd_poll(others[i].fd, i ? 0 : QUIET_MS));
		EXPECT_EQ(0, chan_destroy(&others[i]));
	}
}

TEST_F(channel, a_ring_number_used_again_is_not_armed)
{
	struct rig *rig = &self->rig;
	struct queue queue;
	struct chan chan;
	struct done done;
	int i;

	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, chan_create(&rig->dom, &chan, 16));
		ASSERT_EQ(0, queue_create(&rig->dom, &chan, &queue, DOCA_ENGINE_DMA, 16, 0));
		queue_post(&queue, 0, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
		queue_ring(&queue);
		ASSERT_EQ(0, chan_wait(&chan, &done));
		EXPECT_EQ(0, fd_poll(chan.fd, i < 3 ? QUIET_MS : 20));
		/* destroyed while armed */
		chan_arm(&chan, chan.ci);
		EXPECT_EQ(0, queue_destroy(&queue));
		EXPECT_EQ(0, chan_destroy(&chan));
	}
}

/* Every vector that can be chosen brings its events. */
TEST_F(channel, each_completion_vector)
{
	struct doca_device_info info = {};
	struct rig *rig = &self->rig;
	struct queue queue;
	__u32 vector;

	ASSERT_EQ(0, do_device_info(rig->dom.fd, &info));
	for (vector = 0; vector < info.out_num_comp_vectors; vector++) {
		struct doca_channel_create arg = {
			.flags = O_CLOEXEC | O_NONBLOCK,
			.entries = 16,
			.comp_vector = vector,
		};
		struct chan chan = { .dom = &rig->dom };

		ASSERT_EQ(0, do_channel_create(rig->dom.fd, &arg));
		chan.id = arg.out_id;
		ASSERT_EQ(0, queue_create(&rig->dom, &chan, &queue, DOCA_ENGINE_DMA, 16, 0));
		dom_ring(&rig->dom, DOCA_DB_ARM, arg.out_cq, 0);
		queue_post(&queue, 0, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
		queue_ring(&queue);
		EXPECT_EQ(POLLIN, fd_poll(arg.out_fd, WAIT_MS))
			TH_LOG("vector %u", vector);
		EXPECT_EQ(1, fd_events(arg.out_fd));
		EXPECT_EQ(0, queue_destroy(&queue));
		close(arg.out_fd);
		EXPECT_EQ(0, do_destroy(rig->dom.fd, arg.out_id));
	}
}

/*
 * The race: the completion may come before, while or after the ring is armed.
 * A lost event is a poll that ends without one.
 */
TEST_F(channel, no_event_is_lost_in_many_cycles)
{
	unsigned int loops = 500 * env_number("DOCA_LOOPS", 10), i;
	struct rig *rig = &self->rig;
	struct done done;

	for (i = 0; i < loops; i++) {
		if (i % 3 == 1)
			arm(rig);
		queue_post(&rig->queue, i, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
		queue_ring(&rig->queue);
		if (i % 3 == 2)
			for (volatile int spin = i * 7919 % 5000; spin > 0; spin--)
				;
		if (i % 3 != 1)
			arm(rig);
		ASSERT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS))
			TH_LOG("event lost in round %u", i);
		ASSERT_LE(1, fd_events(self->fd));
		ASSERT_EQ(0, chan_wait(&rig->chan, &done));
		ASSERT_EQ(i, done.cookie);
	}
}

/* The loop of an application that sleeps: several in flight, poll until dry, arm, sleep. */
TEST_F(channel, no_event_is_lost_with_many_in_flight)
{
	unsigned int loops = 1000 * env_number("DOCA_LOOPS", 10);
	unsigned int sent = 0, done_count = 0, sleeps = 0;
	struct rig *rig = &self->rig;
	struct done done;

	while (done_count < loops) {
		while (sent < loops && sent - done_count < rig->queue.entries) {
			queue_post(&rig->queue, sent++, rig_src(rig, 0, 256), rig_dst(rig, 0, 256));
			if (sent % 5 == 0)
				queue_ring(&rig->queue);
		}
		queue_ring(&rig->queue);
		while (!chan_try(&rig->chan, &done)) {
			ASSERT_EQ(done_count, done.cookie);
			ASSERT_EQ(DOCA_CQE_OK, done.status);
			done_count++;
		}
		/* nothing to sleep for */
		if (done_count == sent)
			continue;
		arm(rig);
		ASSERT_EQ(POLLIN, fd_poll(self->fd, WAIT_MS))
			TH_LOG("event lost at %u of %u", done_count, loops);
		ASSERT_LE(1, fd_events(self->fd));
		sleeps++;
	}
	EXPECT_LT(0, sleeps);
	EXPECT_EQ(-EAGAIN, chan_try(&rig->chan, &done));
}

/* As many as there is room for, all armed at once: the event ring may not lose any. */
TEST_F(channel, many_channels_armed_at_the_same_time)
{
	enum { N = 200 };
	static struct chan chans[N];
	static struct queue queues[N];
	struct doca_device_info info = {};
	struct rig *rig = &self->rig;
	int i, round, n = N;
	struct done done;

	ASSERT_EQ(0, do_device_info(rig->dom.fd, &info));
	if (n > info.out_max_channels / 2)
		n = info.out_max_channels / 2;
	if (n > info.out_max_queues / 2)
		n = info.out_max_queues / 2;
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, chan_create(&rig->dom, &chans[i], 4));
		ASSERT_EQ(0, queue_create(&rig->dom, &chans[i], &queues[i], DOCA_ENGINE_DMA, 4, i));
	}
	for (round = 0; round < 10; round++) {
		for (i = 0; i < n; i++)
			chan_arm(&chans[i], chans[i].ci);
		for (i = 0; i < n; i++) {
			queue_post(&queues[i], i, rig_src(rig, 0, 8), rig_dst(rig, i * 8, 8));
			queue_ring(&queues[i]);
		}
		for (i = 0; i < n; i++) {
			ASSERT_EQ(POLLIN, fd_poll(chans[i].fd, WAIT_MS))
				TH_LOG("channel %d of %d, round %d", i, n, round);
			ASSERT_EQ(1, fd_events(chans[i].fd));
			ASSERT_EQ(0, chan_wait(&chans[i], &done));
			ASSERT_EQ(i, done.tag);
		}
	}
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, queue_destroy(&queues[i]));
		EXPECT_EQ(0, chan_destroy(&chans[i]));
	}
}

TEST_F(channel, create_and_destroy_in_a_loop)
{
	struct rig *rig = &self->rig;
	struct chan chan;
	int i;

	for (i = 0; i < 300; i++) {
		ASSERT_EQ(0, chan_create(&rig->dom, &chan, 1 + i % 300))
			TH_LOG("round %d", i);
		ASSERT_EQ(0, chan_destroy(&chan));
	}
}

DOCA_TEST_MAIN
