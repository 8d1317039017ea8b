// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device goes while it is in use: unbind and remove through sysfs, reset,
 * hot-unplug through QEMU's monitor; and the module goes. Processes that poll,
 * sleep, submit, register and map at that moment must all end with ENODEV, and
 * the next device must work. (B29, B50; B52: doorbells afterwards.)
 *
 * Runs last: a failure here may leave no device behind.
 */
#include "function_utils.h"

static bool state_is(const char *wanted)
{
	char state[16] = "";
	FILE *f = fopen("/sys/class/doca/doca0/state", "re");

	if (f) {
		if (fscanf(f, "%15s", state) != 1)
			state[0] = 0;
		fclose(f);
	}
	return !strcmp(state, wanted);
}

static int do_reset(void)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/reset", pci_path);
	return write_file(path, "1");
}

/*
 * QEMU sends messages about uncorrectable errors only if SERR# is enabled, as
 * firmware does at boot, but nobody for a device that is plugged in later.
 */
static int enable_serr(void)
{
	char path[300];
	__u8 command;
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/config", pci_path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pread(fd, &command, 1, 5) == 1) {
		command |= 1;
		if (pwrite(fd, &command, 1, 5) != 1)
			err = -errno;
	}
	close(fd);
	return err;
}

/* A data link protocol error: the port resets the link. */
static int do_fatal_error(void)
{
	int err = enable_serr();

	return err ? err : monitor("pcie_aer_inject_error dpu0 DLP");
}

static int wait_until_up(void)
{
	return WAIT_FOR(state_is("up")) ? 0 : -ETIMEDOUT;
}

/* How the device goes, and how it comes back; the node may stay. */
struct way {
	int (*go)(void);
	int (*come_back)(void);
	bool keeps_node;
};

static const struct way by_unbind = { do_unbind, do_bind };
static const struct way by_sysfs = { do_remove, do_rescan };
static const struct way by_unplug = { do_device_del, do_device_add };
static const struct way by_reset = { do_reset, wait_until_up, true };
static const struct way by_fatal_error = { do_fatal_error, wait_until_up, true };

/* --- what processes do when it happens ---------------------------------------- */

static void in_rings(struct rig *rig)
{
	struct done done;
	int n = 0;

	/* a poller that makes no call at all */
	while (!rig->dom.status->removed) {
		chan_try(&rig->chan, &done);
		if (++n % 1000 == 0)
			sched_yield();
	}
	CHILD_CHECK_EQ(-ENODEV, chan_wait(&rig->chan, &done));
}

static void in_epoll(struct rig *rig)
{
	struct epoll_event event = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	CHILD_CHECK_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, rig->chan.fd, &event));
	CHILD_CHECK_EQ(1, epoll_wait(ep, &event, 1, -1));
	CHILD_CHECK_EQ(EPOLLERR | EPOLLHUP, event.events & ~EPOLLIN);
	close(ep);
}

static void in_poll(struct rig *rig)
{
	int revents = fd_poll(rig->chan.fd, -1);

	CHILD_CHECK_EQ(POLLERR | POLLHUP, revents & ~POLLIN);
}

static void in_read(struct rig *rig)
{
	CHILD_CHECK_EQ(0, fcntl(rig->chan.fd, F_SETFL, O_RDWR));
	CHILD_CHECK_EQ(-ENODEV, fd_events(rig->chan.fd));
}

static void in_ioctls(struct rig *rig)
{
	struct region region;
	struct queue queue;
	struct chan chan;
	int err;

	for (;;) {
		err = region_create(&rig->dom, &region, rig->src, rig->size, 0);
		if (err)
			break;
		CHILD_CHECK_EQ(0, region_destroy(&region));
		err = chan_create(&rig->dom, &chan, 16);
		if (err)
			break;
		err = queue_create(&rig->dom, &chan, &queue, DOCA_ENGINE_DMA, 16, 0);
		if (!err)
			CHILD_CHECK_EQ(0, queue_destroy(&queue));
		CHILD_CHECK_EQ(0, chan_destroy(&chan));
		if (err)
			break;
	}
	CHILD_CHECK_EQ(-ENODEV, err);
}

static void in_doorbells(struct rig *rig)
{
	int n;

	/* valid ones, and others */
	while (!rig->dom.status->removed) {
		dom_ring(&rig->dom, DOCA_DB_ARM, rig->chan.cq, rig->chan.ci);
		dom_ring(&rig->dom, DOCA_DB_SUBMIT, rig->queue.queue, rig->queue.pi);
		dom_ring(&rig->dom, DOCA_DB_SUBMIT, 0, 0);
	}
	/* the page is still there: stores go nowhere */
	for (n = 0; n < 10000; n++)
		dom_ring(&rig->dom, DOCA_DB_SUBMIT, rig->queue.queue, n);
}

/* What is reported as done was done: the data tells. */
static void in_copies(struct rig *rig)
{
	struct done done;
	__u32 i;
	int err;

	for (i = 1;; i++) {
		__u32 *src = (__u32 *)(rig->src + i % 64 * 64), *dst = (__u32 *)(rig->dst + i % 64 * 64);

		*src = i;
		queue_post(&rig->queue, i, rig_src(rig, i % 64 * 64, 64), rig_dst(rig, i % 64 * 64, 64));
		queue_ring(&rig->queue);
		err = chan_wait(&rig->chan, &done);
		if (err)
			break;
		CHILD_CHECK_EQ(i, done.cookie);
		if (done.status == DOCA_CQE_OK)
			CHILD_CHECK_EQ(i, *dst);
	}
	CHILD_CHECK_EQ(-ENODEV, err);
}

static void in_open(struct rig *rig)
{
	struct dom dom;
	int err;

	do {
		err = dom_open(&dom);
		if (!err)
			dom_close(&dom);
	} while (!err);
	CHILD_CHECK(err == -ENODEV || err == -ENOENT || err == -ENXIO);
}

static void in_mmap(struct rig *rig)
{
	void *p;

	for (;;) {
		p = map_key(rig->dom.fd, rig->chan.ring_key, rig->chan.ring_size, PROT_READ);
		if (p == MAP_FAILED)
			break;
		munmap(p, rig->chan.ring_size);
		p = map_key(rig->dom.fd, rig->dom.doorbell_key, rig->dom.page_size, PROT_WRITE);
		if (p == MAP_FAILED)
			break;
		*(volatile __u64 *)p = 0;
		munmap(p, rig->dom.page_size);
	}
	CHILD_CHECK_EQ(ENODEV, errno);
}

/* Work that the device has not done yet is never reported as done. */
static void in_flight(struct rig *rig)
{
	int i, ok = 0;
	struct done done;

	memset(rig->dst, 0x3c, rig->size);
	for (i = 0; i < 64; i++) {
		memset(rig->src + i * 64, i, 64);
		queue_post(&rig->queue, i, rig_src(rig, i * 64, 64), rig_dst(rig, i * 64, 64));
	}
	queue_ring(&rig->queue);
	while (!rig->dom.status->removed)
		sched_yield();
	for (i = 0; i < 64 && !chan_try(&rig->chan, &done); i++) {
		CHILD_CHECK_EQ(i, done.cookie);
		if (done.status == DOCA_CQE_OK) {
			CHILD_CHECK(mem_is(rig->dst + i * 64, 64, i));
			ok++;
		}
	}
}

static void in_nothing(struct rig *rig)
{
	while (!rig->dom.status->removed)
		sleep_ms(5);
}

static const struct activity {
	const char *name;
	void (*run)(struct rig *rig);
} activities[] = {
	{ "polling rings", in_rings },
	{ "epoll_wait", in_epoll },
	{ "poll", in_poll },
	{ "blocking read", in_read },
	{ "ioctls", in_ioctls },
	{ "doorbell stores", in_doorbells },
	{ "copies", in_copies },
	{ "open", in_open },	/* at NUM_STAYING */
	{ "mmap", in_mmap },
	{ "work in flight", in_flight },
	{ "an open file", in_nothing },
};

#define NUM_STAYING	7

/* All calls but destroy: ENODEV, for good. */
static void all_calls_are_ENODEV(struct rig *rig)
{
	struct doca_device_info info = {};
	struct doca_engine_info engine = { .engine = DOCA_ENGINE_DMA };
	struct doca_domain_alloc domain = {};
	struct doca_queue_create queue = { .channel_id = rig->chan.id, .entries = 1 };
	struct region region;
	struct chan chan;

	CHILD_CHECK(WAIT_FOR(do_device_info(rig->dom.fd, &info) == -ENODEV));
	CHILD_CHECK_EQ(-ENODEV, do_engine_info(rig->dom.fd, &engine));
	CHILD_CHECK_EQ(-ENODEV, do_domain_alloc(rig->dom.fd, &domain));
	CHILD_CHECK_EQ(-ENODEV, region_create(&rig->dom, &region, rig->src, 64, 0));
	CHILD_CHECK_EQ(-ENODEV, chan_create(&rig->dom, &chan, 16));
	CHILD_CHECK_EQ(-ENODEV, do_queue_create(rig->dom.fd, &queue));
	CHILD_CHECK_EQ(-ENODEV, do_queue_stop(rig->dom.fd, rig->queue.id));
}

static void survivor(const struct activity *activity, int tell, int hear)
{
	struct dom early;
	struct rig rig;
	long pin;
	char c;

	alarm(HANG_S);
	pin = vm_pin_kb();
	CHILD_CHECK_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
	CHILD_CHECK_EQ(0, dom_open(&early));
	CHILD_CHECK(write(tell, "r", 1) == 1);

	activity->run(&rig);
	CHILD_CHECK(WAIT_FOR(rig.dom.status->removed));
	all_calls_are_ENODEV(&rig);
	CHILD_CHECK_EQ(POLLERR | POLLHUP, fd_poll(rig.chan.fd, 0) & ~POLLIN);
	CHILD_CHECK_EQ(-ENODEV, fd_events(rig.chan.fd));
	/* memory stays memory */
	memset(rig.queue.ring, 0, rig.queue.ring_size);
	dom_ring(&rig.dom, DOCA_DB_SUBMIT, rig.queue.queue, 0);
	CHILD_CHECK(write(tell, "e", 1) == 1);

	/* until there is a new device: it is not ours */
	CHILD_CHECK(read(hear, &c, 1) == 1);
	all_calls_are_ENODEV(&rig);
	CHILD_CHECK(rig.dom.status->removed);
	CHILD_CHECK(next_one_works());

	/* memory was given back when the device went, and destroy succeeds */
	CHILD_CHECK_EQ(pin, vm_pin_kb());
	CHILD_CHECK_EQ(0, region_destroy(&rig.src_region));
	CHILD_CHECK_EQ(0, do_destroy(rig.dom.fd, rig.queue.id));
	CHILD_CHECK_EQ(0, do_destroy(rig.dom.fd, rig.chan.id));
	CHILD_CHECK_EQ(-ENOENT, do_destroy(rig.dom.fd, rig.chan.id));
	rig_close(&rig);
	dom_close(&early);
	CHILD_CHECK_EQ(pin, vm_pin_kb());
	CHILD_CHECK_EQ(0, count_maps());
}

struct child {
	const struct activity *activity;
	pid_t pid;
	int tell, hear;		/* to the child, from the child */
};

static bool child_start(struct child *child, const struct activity *activity)
{
	int to[2], from[2];
	char c;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return false;
	child->activity = activity;
	child->pid = fork();
	if (child->pid < 0)
		return false;
	if (!child->pid) {
		close(to[1]);
		close(from[0]);
		survivor(activity, from[1], to[0]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	child->tell = to[1];
	child->hear = from[0];
	return read(child->hear, &c, 1) == 1;
}

FIXTURE(removal) {
	struct baseline base;
	long pinned;
	struct way way;
};

FIXTURE_SETUP(removal)
{
	baseline_take(&self->base);
	self->pinned = pinned_pages();
	ASSERT_TRUE(find_device())
		TH_LOG("no device at %s", NODE);
	ASSERT_TRUE(next_one_works());
}

FIXTURE_TEARDOWN(removal)
{
	if (access(NODE, F_OK) && self->way.come_back)
		self->way.come_back();
	EXPECT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)))
		TH_LOG("the device did not come back");
	EXPECT_TRUE(next_one_works());
	EXPECT_TRUE(WAIT_FOR(pinned_pages() <= self->pinned))
		TH_LOG("%ld pages pinned in the system, %ld before", pinned_pages(), self->pinned);
	EXPECT_BASELINE(&self->base);
}

/* The device goes while @num processes are busy; all of them have to say so. */
static void goes_and_comes(struct __test_metadata *_metadata, FIXTURE_DATA(removal) *self,
			   const struct way *way, const struct activity *what, int num)
{
	struct child children[ARRAY_SIZE(activities)];
	int i, status;
	char c;

	self->way = *way;
	for (i = 0; i < num; i++)
		ASSERT_TRUE(child_start(&children[i], &what[i]))
			TH_LOG("%s", what[i].name);
	sleep_ms(50);
	/* the children hold their files until told: this may not wait for them */
	ASSERT_EQ(0, way->go());
	if (!way->keeps_node)
		EXPECT_TRUE(WAIT_FOR(access(NODE, F_OK)))
			TH_LOG("the node is still there");
	for (i = 0; i < num; i++)
		EXPECT_EQ(1, read(children[i].hear, &c, 1))
			TH_LOG("in %s: did not hear of it", what[i].name);
	ASSERT_EQ(0, way->come_back());
	ASSERT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)))
		TH_LOG("the device did not come back");
	EXPECT_TRUE(next_one_works());
	for (i = 0; i < num; i++) {
		if (write(children[i].tell, "b", 1) != 1)
			TH_LOG("in %s: ended early", what[i].name);
		ASSERT_EQ(children[i].pid, waitpid(children[i].pid, &status, 0));
		EXPECT_EQ(0, status)
			TH_LOG("in %s", what[i].name);
		close(children[i].tell);
		close(children[i].hear);
	}
}

#define UNBIND_TEST(test_name, number)						\
	TEST_F(removal, unbind_while_in_##test_name)				\
	{									\
		signal(SIGPIPE, SIG_IGN);					\
		goes_and_comes(_metadata, self, &by_unbind, &activities[number], 1); \
	}

UNBIND_TEST(a_loop_over_rings, 0)
UNBIND_TEST(epoll_wait, 1)
UNBIND_TEST(poll, 2)
UNBIND_TEST(a_blocking_read, 3)
UNBIND_TEST(ioctls, 4)
UNBIND_TEST(doorbell_stores, 5)
UNBIND_TEST(copies, 6)
UNBIND_TEST(open, 7)
UNBIND_TEST(mmap, 8)
UNBIND_TEST(nothing_with_work_in_flight, 9)
UNBIND_TEST(nothing_with_an_open_file, 10)

static void again_and_again(struct __test_metadata *_metadata, FIXTURE_DATA(removal) *self,
			    const struct way *way, const struct activity *what, int num)
{
	unsigned int loops = env_number("DOCA_LOOPS", 10), i;

	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < loops; i++)
		goes_and_comes(_metadata, self, way, what, num);
}

TEST_F(removal, unbind_with_everybody_busy)
{
	again_and_again(_metadata, self, &by_unbind, activities, ARRAY_SIZE(activities));
}

TEST_F(removal, sysfs_remove_with_everybody_busy)
{
	again_and_again(_metadata, self, &by_sysfs, activities, ARRAY_SIZE(activities));
}

TEST_F(removal, hot_unplug_with_everybody_busy)
{
	if (!monitor_there())
		SKIP(return, "no monitor");
	again_and_again(_metadata, self, &by_unplug, activities, ARRAY_SIZE(activities));
}

/* "open" is left out where the node stays: it would find the device again. */
TEST_F(removal, function_level_reset_with_everybody_busy)
{
	again_and_again(_metadata, self, &by_reset, activities, NUM_STAYING);
	again_and_again(_metadata, self, &by_reset, activities + NUM_STAYING + 1,
			ARRAY_SIZE(activities) - NUM_STAYING - 1);
}

TEST_F(removal, fatal_bus_error_with_everybody_busy)
{
	if (!monitor_there())
		SKIP(return, "no monitor");
	again_and_again(_metadata, self, &by_fatal_error, activities, NUM_STAYING);
	again_and_again(_metadata, self, &by_fatal_error, activities + NUM_STAYING + 1,
			ARRAY_SIZE(activities) - NUM_STAYING - 1);
}

/* What the bus has corrected, or what did no harm to the function: work goes on. */
TEST_F(removal, other_bus_errors_do_not_disturb)
{
	static const char *const errors[] = { "-c dpu0 BAD_TLP", "dpu0 COMP_TIME" };
	unsigned int loops = env_number("DOCA_LOOPS", 10), i;
	struct rig rig;

	if (!monitor_there())
		SKIP(return, "no monitor");
	ASSERT_EQ(0, enable_serr());
	ASSERT_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
	for (i = 0; i < 2 * loops; i++) {
		EXPECT_EQ(0, monitor("pcie_aer_inject_error %s", errors[i % 2]));
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&rig, rig_src(&rig, 0, rig.size),
						rig_dst(&rig, 0, rig.size)));
		EXPECT_EQ(0, rig.dom.status->removed);
	}
	rig_close(&rig);
	/* the last one may still be under way */
	EXPECT_TRUE(WAIT_FOR(state_is("up")));
}

TEST_F(removal, hot_unplug_with_a_slow_device_at_work)
{
	if (device_delay(500000))
		SKIP(return, "no monitor");
	signal(SIGPIPE, SIG_IGN);
	/* the new one has no delay */
	goes_and_comes(_metadata, self, &by_unplug, &activities[9], 1);
}

TEST_F(removal, hot_unplug_with_nobody_there)
{
	if (!monitor_there())
		SKIP(return, "no monitor");
	goes_and_comes(_metadata, self, &by_unplug, activities, 0);
}

TEST_F(removal, unbind_and_bind_in_a_loop)
{
	unsigned int loops = env_number("DOCA_LOOPS", 10), i;

	self->way = by_unbind;
	for (i = 0; i < loops; i++) {
		ASSERT_EQ(0, do_unbind());
		ASSERT_EQ(0, do_bind())
			TH_LOG("round %u", i);
		ASSERT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
		ASSERT_TRUE(next_one_works())
			TH_LOG("round %u", i);
	}
}

/* B54: attributes read while the device goes. */
static void read_attributes(const char *dir)
{
	char path[512], buf[4096];
	struct dirent *e;
	DIR *d = opendir(dir);
	int fd;

	while (d && (e = readdir(d))) {
		if (e->d_type != DT_REG || !strncmp(e->d_name, "resource", 8) ||
		    !strcmp(e->d_name, "rom"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (read(fd, buf, sizeof(buf)) < 0)
			errno = 0;
		close(fd);
	}
	if (d)
		closedir(d);
}

TEST_F(removal, unbind_while_attributes_are_read_and_files_opened)
{
	unsigned int loops = env_number("DOCA_LOOPS", 10), i;
	pid_t pids[3];
	int status, n;

	self->way = by_unbind;
	for (n = 0; n < 3; n++) {
		pids[n] = fork();
		ASSERT_LE(0, pids[n]);
		if (!pids[n]) {
			for (;;) {
				struct rig rig;

				if (n == 0) {
					read_attributes("/sys/class/doca/doca0");
					read_attributes(pci_path);
				} else if (!rig_open(&rig, DOCA_ENGINE_DMA, 16)) {
					rig_close(&rig);
				} else {
					/* half-way: the rest goes with the process */
					dom_close(&rig.dom);
					if (n == 2)
						_exit(0);
				}
			}
		}
	}
	for (i = 0; i < loops; i++) {
		EXPECT_EQ(0, do_unbind());
		EXPECT_EQ(0, do_bind());
		EXPECT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
	}
	for (n = 0; n < 3; n++) {
		kill(pids[n], SIGKILL);
		ASSERT_EQ(pids[n], waitpid(pids[n], &status, 0));
	}
}

/* B50: killed at the moment at which the device goes. */
TEST_F(removal, unbind_while_users_are_killed)
{
	unsigned int loops = env_number("DOCA_LOOPS", 10), i;
	struct child children[6];
	int n, status;

	self->way = by_unbind;
	for (i = 0; i < loops; i++) {
		for (n = 0; n < 6; n++)
			ASSERT_TRUE(child_start(&children[n], &activities[n]));
		for (n = 0; n < 3; n++)
			kill(children[n].pid, SIGKILL);
		EXPECT_EQ(0, do_unbind());
		for (; n < 6; n++)
			kill(children[n].pid, SIGKILL);
		for (n = 0; n < 6; n++) {
			ASSERT_EQ(children[n].pid, waitpid(children[n].pid, &status, 0));
			close(children[n].tell);
			close(children[n].hear);
		}
		EXPECT_EQ(0, do_bind());
		ASSERT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
	}
}

/* A function level reset from outside: the old files are dead, new ones work. */
TEST_F(removal, reset_through_sysfs)
{
	struct doca_device_info info = {};
	struct rig rig;
	char path[300];

	snprintf(path, sizeof(path), "%s/reset", pci_path);
	if (access(path, W_OK))
		SKIP(return, "no reset attribute");
	ASSERT_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
	ASSERT_EQ(DOCA_CQE_OK, rig_copy(&rig, rig_src(&rig, 0, 64), rig_dst(&rig, 0, 64)));
	ASSERT_EQ(0, write_file(path, "1"));
	EXPECT_NE(0, rig.dom.status->removed);
	EXPECT_EQ(-ENODEV, do_device_info(rig.dom.fd, &info));
	EXPECT_EQ(POLLERR | POLLHUP, fd_poll(rig.chan.fd, 0) & ~POLLIN);
	EXPECT_EQ(0, region_destroy(&rig.src_region));
	EXPECT_TRUE(next_one_works());
	rig_close(&rig);
	EXPECT_TRUE(next_one_works());
}

/* --- the module ------------------------------------------------------------------ */

static int module_unload(void)
{
	return syscall(SYS_delete_module, "doca", O_NONBLOCK) ? -errno : 0;
}

static bool module_path(char *path, size_t size)
{
	char from_build[256], release[128] = "";
	FILE *f = fopen("/proc/sys/kernel/osrelease", "re");

	if (f) {
		if (fscanf(f, "%127s", release) != 1)
			release[0] = 0;
		fclose(f);
	}
	snprintf(from_build, sizeof(from_build), "kernel-%s/kernel/doca.ko", release);
	return find_file(path, size, "DOCA_MODULE", from_build, NULL);
}

static int module_load(void)
{
	const char *args = getenv("DOCA_MODULE_ARGS");
	char path[PATH_MAX];
	int fd, err = 0;

	if (!module_path(path, sizeof(path)))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, args ? args : "", 0))
		err = -errno;
	close(fd);
	return err;
}

TEST_F(removal, unload_is_refused_while_something_is_open)
{
	struct rig rig;
	int fd;

	fd = open(NODE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EAGAIN, module_unload())
		TH_LOG("an open file");
	close(fd);

	ASSERT_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 16));
	EXPECT_EQ(-EAGAIN, module_unload())
		TH_LOG("everything");
	/* only the event descriptor is left */
	fd = dup(rig.chan.fd);
	rig_close(&rig);
	EXPECT_EQ(-EAGAIN, module_unload())
		TH_LOG("an event descriptor");
	EXPECT_EQ(-ENODEV, fd_events(fd));
	close(fd);

	/* only a mapping is left */
	ASSERT_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 16));
	close(rig.dom.fd);
	rig.dom.fd = -1;
	close(rig.chan.fd);
	rig.chan.fd = -1;
	EXPECT_EQ(-EAGAIN, module_unload())
		TH_LOG("a mapping");
	rig_close(&rig);
}

TEST_F(removal, unload_and_load_in_a_loop)
{
	unsigned int loops = env_number("DOCA_LOOPS", 10), i;
	char path[PATH_MAX];

	if (!module_path(path, sizeof(path)))
		SKIP(return, "doca.ko not found: DOCA_MODULE names it");
	for (i = 0; i < loops; i++) {
		ASSERT_TRUE(next_one_works());
		/* the last reference may go a moment after close() */
		ASSERT_TRUE(WAIT_FOR(module_unload() == 0))
			TH_LOG("round %u", i);
		EXPECT_EQ(-1, access(NODE, F_OK));
		EXPECT_EQ(-1, access("/sys/class/doca", F_OK));
		EXPECT_EQ(-1, access("/sys/module/doca", F_OK));
		ASSERT_EQ(0, module_load())
			TH_LOG("round %u", i);
		ASSERT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
	}
}

/* An unbound device's files keep the module, and let go of it. */
TEST_F(removal, unload_after_unbind_with_files_open)
{
	char path[PATH_MAX];
	struct rig rig;

	if (!module_path(path, sizeof(path)))
		SKIP(return, "doca.ko not found: DOCA_MODULE names it");
	self->way = by_unbind;
	ASSERT_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
	ASSERT_EQ(0, do_unbind());
	EXPECT_EQ(-EAGAIN, module_unload());
	rig_close(&rig);
	ASSERT_TRUE(WAIT_FOR(module_unload() == 0));
	ASSERT_EQ(0, module_load());
	ASSERT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
}

DOCA_TEST_MAIN
