// SPDX-License-Identifier: GPL-2.0-only
/*
 * SIGKILL at the worst moments: with work in flight, while registering memory,
 * while asleep. Afterwards nothing is pinned, nothing is written, and the next
 * process works.
 */
#include "doca_utils.h"

#define PAGES	16

FIXTURE(kill) {
	struct baseline base;
	long pinned;
	unsigned int loops;
	size_t page;
	/* shared with the child: its buffer between two guards */
	char *shared;
	size_t shared_size;
	bool slow;
};

FIXTURE_SETUP(kill)
{
	baseline_take(&self->base);
	self->page = page_size();
	self->loops = env_number("DOCA_LOOPS", 10);
	self->pinned = pinned_pages();
	self->shared_size = (PAGES + 2) * self->page;
	self->shared = mmap(NULL, self->shared_size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
}

FIXTURE_TEARDOWN(kill)
{
	if (self->slow)
		device_delay(0);
	EXPECT_TRUE(next_one_works());
	EXPECT_TRUE(WAIT_FOR(pinned_pages() <= self->pinned))
		TH_LOG("%ld pages pinned in the system, %ld before", pinned_pages(), self->pinned);
	munmap(self->shared, self->shared_size);
	EXPECT_BASELINE(&self->base);
}

/* Fills the ring with copies to @dst, which is shared, says so, and goes on for ever. */
static void victim(char *dst, size_t size, int tell, bool keep_going)
{
	struct region region;
	struct done done;
	struct rig rig;
	int i;

	CHILD_CHECK_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
	CHILD_CHECK_EQ(0, region_create(&rig.dom, &region, dst, size, DOCA_KEY_LOCAL_WRITE));
	for (i = 0; i < 64; i++)
		queue_post(&rig.queue, i, rig_src(&rig, 0, size), sge(dst, region.mkey, size));
	queue_ring(&rig.queue);
	CHILD_CHECK(write(tell, "w", 1) == 1);
	for (;;) {
		if (!keep_going) {
			pause();
			continue;
		}
		if (chan_try(&rig.chan, &done))
			continue;
		queue_post(&rig.queue, i++, rig_src(&rig, 0, size), sge(dst, region.mkey, size));
		queue_ring(&rig.queue);
	}
}

static void killed_at_work(struct __test_metadata *_metadata, FIXTURE_DATA(kill) *self,
			   bool keep_going, unsigned int delay_ms)
{
	int tell[2], status;
	pid_t pid;
	char c;

	memset(self->shared, 0x71, self->shared_size);
	ASSERT_EQ(0, pipe2(tell, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		victim(self->shared + self->page, PAGES * self->page, tell[1], keep_going);
		_exit(1);
	}
	close(tell[1]);
	ASSERT_EQ(1, read(tell[0], &c, 1))
		TH_LOG("the child did not get to work");
	close(tell[0]);
	if (delay_ms)
		sleep_ms(delay_ms);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(SIGKILL, status);

	/* from now on it is ours */
	memset(self->shared, 0x72, self->shared_size);
	EXPECT_TRUE(next_one_works());
	EXPECT_TRUE(mem_is(self->shared, self->shared_size, 0x72))
		TH_LOG("the device wrote after the exit");
}

TEST_F(kill, with_a_full_ring)
{
	unsigned int i;

	for (i = 0; i < self->loops; i++)
		killed_at_work(_metadata, self, false, 0);
}

TEST_F(kill, in_the_submission_loop)
{
	unsigned int i;

	for (i = 0; i < self->loops; i++)
		killed_at_work(_metadata, self, true, i % 7);
}

TEST_F(kill, with_a_slow_device)
{
	unsigned int i;

	if (device_delay(200000))
		SKIP(return, "the device cannot be slowed down: no monitor");
	self->slow = true;
	for (i = 0; i < self->loops; i++) {
		killed_at_work(_metadata, self, false, 10);
		/* it has seen the guards, too: they are part of what was compared */
	}
}

TEST_F(kill, while_registering_and_destroying)
{
	int tell[2], status;
	unsigned int i;
	pid_t pid;
	char c;

	for (i = 0; i < self->loops; i++) {
		ASSERT_EQ(0, pipe2(tell, O_CLOEXEC));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			size_t size = 512 * self->page;
			char *mem = mem_alloc(size);
			struct region region;
			struct dom dom;

			CHILD_CHECK_EQ(0, dom_open(&dom));
			for (;;) {
				CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, size,
								DOCA_KEY_LOCAL_WRITE));
				if (tell[1] >= 0) {
					CHILD_CHECK(write(tell[1], "w", 1) == 1);
					close(tell[1]);
					tell[1] = -1;
				}
				CHILD_CHECK_EQ(0, region_destroy(&region));
			}
		}
		close(tell[1]);
		ASSERT_EQ(1, read(tell[0], &c, 1));
		close(tell[0]);
		sleep_ms(i % 11);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(SIGKILL, status);
	}
}

TEST_F(kill, while_creating_queues)
{
	int tell[2], status;
	unsigned int i;
	pid_t pid;
	char c;

	for (i = 0; i < self->loops; i++) {
		ASSERT_EQ(0, pipe2(tell, O_CLOEXEC));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct queue queue;
			struct chan chan;
			struct dom dom;
			unsigned int n;

			CHILD_CHECK_EQ(0, dom_open(&dom));
			for (n = 0;; n++) {
				CHILD_CHECK_EQ(0, chan_create(&dom, &chan, 64));
				CHILD_CHECK_EQ(0, queue_create(&dom, &chan, &queue,
							       DOCA_ENGINE_DMA, 64, 0));
				if (!n)
					CHILD_CHECK(write(tell[1], "w", 1) == 1);
				CHILD_CHECK_EQ(0, queue_destroy(&queue));
				CHILD_CHECK_EQ(0, chan_destroy(&chan));
			}
		}
		close(tell[1]);
		ASSERT_EQ(1, read(tell[0], &c, 1));
		close(tell[0]);
		sleep_ms(i % 11);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(SIGKILL, status);
	}
}

TEST_F(kill, asleep_in_read_and_in_poll)
{
	int tell[2], status, how;
	pid_t pid;
	char c;

	for (how = 0; how < 2; how++) {
		ASSERT_EQ(0, pipe2(tell, O_CLOEXEC));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct rig rig;

			CHILD_CHECK_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
			chan_arm(&rig.chan, 0);
			CHILD_CHECK_EQ(0, fcntl(rig.chan.fd, F_SETFL, O_RDWR));
			CHILD_CHECK(write(tell[1], "w", 1) == 1);
			if (how)
				fd_events(rig.chan.fd);
			else
				fd_poll(rig.chan.fd, -1);
			_exit(1);
		}
		close(tell[1]);
		ASSERT_EQ(1, read(tell[0], &c, 1));
		close(tell[0]);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(SIGKILL, status);
	}
}

/*
 * B50: many users at the same moment. Not all of one page: DMA-API debugging takes more than
 * seven mappings of one for a leak.
 */
TEST_F(kill, many_processes_at_the_same_moment)
{
	enum { N = 20 };
	int tell[2], status, i, n;
	pid_t pids[N];
	char c;

	ASSERT_EQ(0, pipe2(tell, O_CLOEXEC));
	for (i = 0; i < N; i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i]) {
			victim(self->shared + (1 + i % PAGES) * self->page, self->page, tell[1],
			       true);
			_exit(1);
		}
	}
	close(tell[1]);
	for (n = 0; n < N; n++)
		ASSERT_EQ(1, read(tell[0], &c, 1))
			TH_LOG("only %d of %d got to work", n, N);
	close(tell[0]);
	for (i = 0; i < N; i++)
		ASSERT_EQ(0, kill(pids[i], SIGKILL));
	for (i = 0; i < N; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(SIGKILL, status);
	}
	memset(self->shared, 0x73, self->shared_size);
	EXPECT_TRUE(next_one_works());
	EXPECT_TRUE(mem_is(self->shared, self->shared_size, 0x73));
}

/* B28: a registration that waits for a page that never comes can be killed, and bothers nobody. */
#include <linux/userfaultfd.h>

TEST_F(kill, registering_memory_whose_page_never_comes)
{
	int tell[2], status;
	uint64_t start;
	pid_t pid;
	char c;

	/* Its core says so with a trace: a long-term pin of Linux 6.1 does not retry a fault. */
	if (!system("zcat /proc/config.gz 2>/dev/null | grep -q '^CONFIG_DEBUG_VM=y'"))
		SKIP(return, "a kernel with DEBUG_VM reports the page fault itself");
	ASSERT_EQ(0, pipe2(tell, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct uffdio_api api = { .api = UFFD_API };
		struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
		char *mem = mem_alloc(4 * self->page);
		struct region region;
		struct dom dom;
		int uffd;

		uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
		if (uffd < 0) {
			CHILD_CHECK(write(tell[1], "s", 1) == 1);
			_exit(0);
		}
		CHILD_CHECK_EQ(0, ioctl(uffd, UFFDIO_API, &api));
		reg.range.start = (uintptr_t)mem;
		reg.range.len = 4 * self->page;
		CHILD_CHECK_EQ(0, ioctl(uffd, UFFDIO_REGISTER, &reg));
		CHILD_CHECK_EQ(0, dom_open(&dom));
		CHILD_CHECK(write(tell[1], "w", 1) == 1);
		/* kernels that cannot wait here refuse it at once */
		_exit(region_create(&dom, &region, mem, 4 * self->page,
				    DOCA_KEY_LOCAL_WRITE) == -EFAULT ? 2 : 1);
	}
	close(tell[1]);
	ASSERT_EQ(1, read(tell[0], &c, 1));
	close(tell[0]);
	if (c == 's') {
		waitpid(pid, &status, 0);
		SKIP(return, "no userfaultfd");
	}
	sleep_ms(50);
	/* others open, register, copy and close meanwhile */
	start = now_ms();
	EXPECT_TRUE(next_one_works());
	EXPECT_GT(30000, now_ms() - start);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(status == SIGKILL || (WIFEXITED(status) && WEXITSTATUS(status) == 2))
		TH_LOG("status %#x", status);
}

/* The descriptor went to a child, which is killed: the parent's work is not disturbed. */
TEST_F(kill, a_child_that_inherited_the_file)
{
	struct rig rig;
	int status;
	pid_t pid;

	ASSERT_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		for (;;)
			pause();
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&rig, rig_src(&rig, 0, 64), rig_dst(&rig, 0, 64)));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&rig, rig_src(&rig, 0, 64), rig_dst(&rig, 0, 64)));
	EXPECT_EQ(0, rig.dom.status->removed);
	rig_close(&rig);
}

DOCA_TEST_MAIN
