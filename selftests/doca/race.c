// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads on one file: every pair of operations at the same time. Whatever
 * wins, each call gives one of its documented results, and nothing is left.
 * B24 and B26 are among the pairs; B30 as well, on a kernel with lockdep.
 */
#include "card_utils.h"

#define PAIR_MS		60

FIXTURE(race) {
	struct baseline base;
	struct rig rig;
	unsigned int ms;
	long pinned;
};

FIXTURE_SETUP(race)
{
	baseline_take(&self->base);
	self->ms = PAIR_MS * env_number("DOCA_LOOPS", 10) / 10;
	self->pinned = pinned_pages();
	ASSERT_EQ(0, rig_open(&self->rig, DOCA_ENGINE_DMA, 64));
}

FIXTURE_TEARDOWN(race)
{
	if (_metadata->passed)
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, 64),
						rig_dst(&self->rig, 0, 64)));
	rig_close(&self->rig);
	EXPECT_TRUE(WAIT_FOR(pinned_pages() <= self->pinned))
		TH_LOG("%ld pages pinned in the system, %ld before", pinned_pages(), self->pinned);
	EXPECT_BASELINE(&self->base);
}

/* The objects that both threads fight over. */
struct shared {
	struct rig *rig;
	char *mem;
	__u32 ids[16];
	__u32 next;
	bool end;
};

static void put_id(struct shared *s, __u32 id)
{
	__u32 slot = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED) % 16;
	__u32 old = __atomic_exchange_n(&s->ids[slot], id, __ATOMIC_ACQ_REL);

	/* whoever finds it first destroys it; ENOENT: the other one did */
	if (old)
		do_destroy(s->rig->dom.fd, old);
}

static __u32 get_id(struct shared *s, unsigned int n)
{
	return __atomic_load_n(&s->ids[n % 16], __ATOMIC_ACQUIRE);
}

/* Each gives 0, or an error that is not documented for it. */

static int op_register(struct shared *s, unsigned int n)
{
	struct doca_region_create arg = {
		.access = n % 3 ? n % 3 * DOCA_KEY_PCI_READ : DOCA_KEY_LOCAL_WRITE,
		.addr = (uintptr_t)s->mem + n % 4096,
		.length = 1 + n * 977 % 40000,
	};
	int err = do_region_create(s->rig->dom.fd, &arg);

	if (!err)
		put_id(s, arg.out_id);
	return err == -ENOSPC || err == -EFAULT ? 0 : err;
}

static int op_channel(struct shared *s, unsigned int n)
{
	struct doca_channel_create arg = {
		.flags = O_CLOEXEC | O_NONBLOCK,
		.entries = 1 << n % 9,
		.comp_vector = DOCA_COMP_VECTOR_ANY,
	};
	int err = do_channel_create(s->rig->dom.fd, &arg);

	if (err)
		return err == -ENOSPC ? 0 : err;
	fd_poll(arg.out_fd, 0);
	close(arg.out_fd);
	put_id(s, arg.out_id);
	return 0;
}

static int op_queue(struct shared *s, unsigned int n)
{
	struct doca_queue_create arg = {
		.engine = n % 2 ? DOCA_ENGINE_RDMA : DOCA_ENGINE_DMA,
		.channel_id = get_id(s, n),
		.entries = 1,
	};
	int err = do_queue_create(s->rig->dom.fd, &arg);

	if (!err)
		put_id(s, arg.out_id);
	return err == -ENOENT || err == -EINVAL || err == -ENOSPC ? 0 : err;
}

static int op_destroy(struct shared *s, unsigned int n)
{
	int err = do_destroy(s->rig->dom.fd, get_id(s, n));

	return err == -ENOENT || err == -EBUSY ? 0 : err;
}

static int op_stop(struct shared *s, unsigned int n)
{
	int err = do_queue_stop(s->rig->dom.fd, get_id(s, n));

	return err == -ENOENT || err == -EINVAL ? 0 : err;
}

static int op_connect(struct shared *s, unsigned int n)
{
	struct doca_queue_connect arg = { .queue_id = get_id(s, n), .remote_queue = n };
	int err = do_queue_connect(s->rig->dom.fd, &arg);

	return err == -ENOENT || err == -EINVAL || err == -EEXIST ? 0 : err;
}

static int op_map(struct shared *s, unsigned int n)
{
	struct rig *rig = s->rig;
	void *p;

	p = map_key(rig->dom.fd, rig->chan.ring_key, rig->chan.ring_size, PROT_READ);
	if (p == MAP_FAILED)
		return -errno;
	munmap(p, rig->chan.ring_size);
	p = map_key(rig->dom.fd, rig->queue.ring_key, rig->queue.ring_size, PROT_READ | PROT_WRITE);
	if (p == MAP_FAILED)
		return -errno;
	munmap(p, rig->queue.ring_size);
	return 0;
}

static int op_unmap_memory(struct shared *s, unsigned int n)
{
	size_t page = page_size();

	/* under the hands of those who register it */
	mmap(s->mem + n % 8 * page, page, n % 3 ? PROT_READ | PROT_WRITE : PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return 0;
}

static int op_open(struct shared *s, unsigned int n)
{
	struct dom dom;
	int err = dom_open(&dom);

	if (!err)
		dom_close(&dom);
	return err == -ENOSPC ? 0 : err;
}

static int op_fork(struct shared *s, unsigned int n)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return 0;
}

static int op_info(struct shared *s, unsigned int n)
{
	struct doca_device_info info = {};

	return do_device_info(s->rig->dom.fd, &info);
}

static int op_doorbell(struct shared *s, unsigned int n)
{
	struct dom *dom = &s->rig->dom;

	dom_ring(dom, DOCA_DB_ARM, s->rig->chan.cq, n);
	/* any queue but the one that is used afterwards */
	if (n * 0x101 != s->rig->queue.queue)
		dom_ring(dom, DOCA_DB_SUBMIT, n * 0x101, 1);
	return 0;
}

/* Regions that can be shared come and go; the token is all that is asked for. */
static int op_share(struct shared *s, unsigned int n)
{
	__u8 token[DOCA_TOKEN_LEN];
	int err = do_share(s->rig->dom.fd, get_id(s, n), token);

	return err == -ENOENT || err == -EINVAL ? 0 : err;
}

static int op_function_info(struct shared *s, unsigned int n)
{
	struct doca_function_info info = {
		.size = sizeof(info),
		.function_number = n % DOCA_MAX_FUNCTIONS,
	};
	int err = do_ioctl(s->rig->dom.fd, DOCA_IOCTL_FUNCTION_INFO, &info);

	return err == -ENOENT ? 0 : err;
}

static const struct op {
	const char *name;
	int (*run)(struct shared *s, unsigned int n);
} ops[] = {
	{ "register", op_register },
	{ "channel", op_channel },
	{ "queue", op_queue },
	{ "destroy", op_destroy },
	{ "stop", op_stop },
	{ "connect", op_connect },
	{ "map", op_map },
	{ "unmap memory", op_unmap_memory },
	{ "open", op_open },
	{ "fork", op_fork },
	{ "info", op_info },
	{ "doorbell", op_doorbell },
	{ "share", op_share },
	{ "function info", op_function_info },
};

struct runner {
	pthread_t thread;
	struct shared *shared;
	const struct op *op;
	int error;
	unsigned int count;
};

static void *runner_main(void *arg)
{
	struct runner *r = arg;

	while (!r->error && !__atomic_load_n(&r->shared->end, __ATOMIC_RELAXED))
		r->error = r->op->run(r->shared,
				      __atomic_fetch_add(&r->count, 1, __ATOMIC_RELAXED));
	return NULL;
}

static void race_pair(struct __test_metadata *_metadata, FIXTURE_DATA(race) *self,
		      const struct op *a, const struct op *b)
{
	struct shared shared = { .rig = &self->rig };
	struct runner runners[3] = {
		{ .shared = &shared, .op = a },
		{ .shared = &shared, .op = b },
		/* so that there is always something to fight over */
		{ .shared = &shared, .op = &ops[0] },
	};
	long pin = vm_pin_kb();
	int fds = count_fds(), i;

	shared.mem = mem_alloc(64 * page_size());
	ASSERT_NE(NULL, shared.mem);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&runners[i].thread, NULL, runner_main, &runners[i]));
	sleep_ms(self->ms);
	/* on a slow machine some have not even begun */
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(WAIT_FOR(__atomic_load_n(&runners[i].count, __ATOMIC_RELAXED)));
	__atomic_store_n(&shared.end, true, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_join(runners[i].thread, NULL));
		EXPECT_EQ(0, runners[i].error)
			TH_LOG("%s against %s: %s gave %d", a->name, b->name,
			       runners[i].op->name, runners[i].error);
	}
	/* twice: a channel goes after its queues */
	for (i = 0; i < 32; i++)
		if (shared.ids[i % 16])
			do_destroy(self->rig.dom.fd, shared.ids[i % 16]);
	EXPECT_EQ(fds, count_fds());
	if (a->run != op_queue && b->run != op_queue)
		EXPECT_EQ(pin, vm_pin_kb())
			TH_LOG("%s against %s", a->name, b->name);
	munmap(shared.mem, 64 * page_size());
}

/* One test per operation, against all others. */
#define RACE(test_name, number)							\
	TEST_F(race, test_name##_against_all)					\
	{									\
		int i;								\
										\
		for (i = number; i < ARRAY_SIZE(ops); i++)			\
			race_pair(_metadata, self, &ops[number], &ops[i]);	\
	}

RACE(register, 0)
RACE(channel, 1)
RACE(queue, 2)
RACE(destroy, 3)
RACE(stop, 4)
RACE(connect, 5)
RACE(map, 6)
RACE(unmap_memory, 7)
RACE(open, 8)
RACE(fork, 9)
RACE(info, 10)
RACE(doorbell, 11)
RACE(share, 12)

/* B26: exactly one of two destroys succeeds. */
struct destroyer {
	pthread_t thread;
	pthread_barrier_t *barrier;
	int fd;
	__u32 id;
	int err;
};

static void *destroyer_main(void *arg)
{
	struct destroyer *d = arg;

	pthread_barrier_wait(d->barrier);
	d->err = do_destroy(d->fd, d->id);
	return NULL;
}

TEST_F(race, two_destroys_and_one_succeeds)
{
	unsigned int loops = 20 * env_number("DOCA_LOOPS", 10), i;
	struct destroyer d[2];
	pthread_barrier_t barrier;
	struct region region;
	int k, ok;

	for (i = 0; i < loops; i++) {
		ASSERT_EQ(0, region_create(&self->rig.dom, &region, self->rig.src, 4096, 0));
		ASSERT_EQ(0, pthread_barrier_init(&barrier, NULL, 2));
		for (k = 0; k < 2; k++) {
			d[k] = (struct destroyer) { .barrier = &barrier, .fd = self->rig.dom.fd,
						    .id = region.id };
			ASSERT_EQ(0, pthread_create(&d[k].thread, NULL, destroyer_main, &d[k]));
		}
		for (k = ok = 0; k < 2; k++) {
			ASSERT_EQ(0, pthread_join(d[k].thread, NULL));
			ok += !d[k].err;
			EXPECT_TRUE(!d[k].err || d[k].err == -ENOENT || d[k].err == -EBUSY)
				TH_LOG("%d", d[k].err);
		}
		ASSERT_EQ(1, ok);
		pthread_barrier_destroy(&barrier);
	}
}

/* B12: a second thread closes whatever descriptor turns up. */
struct closer {
	pthread_t thread;
	int from;
	bool end;
};

static void *closer_main(void *arg)
{
	struct closer *c = arg;
	int fd;

	while (!__atomic_load_n(&c->end, __ATOMIC_RELAXED))
		for (fd = c->from; fd < c->from + 4; fd++)
			close(fd);
	return NULL;
}

TEST_F(race, new_event_descriptors_are_closed_by_another_thread)
{
	unsigned int loops = 50 * env_number("DOCA_LOOPS", 10), i;
	struct closer c = { .from = 100 };
	int dups[100], n = 0;

	/* new ones are numbered from 100 on, and only those are closed */
	do {
		dups[n] = dup(0);
		ASSERT_LE(0, dups[n]);
	} while (dups[n++] < 99);
	ASSERT_EQ(0, pthread_create(&c.thread, NULL, closer_main, &c));
	for (i = 0; i < loops; i++) {
		struct doca_channel_create arg = {
			.flags = O_CLOEXEC,
			.entries = 16,
			.comp_vector = DOCA_COMP_VECTOR_ANY,
		};

		ASSERT_EQ(0, do_channel_create(self->rig.dom.fd, &arg));
		EXPECT_EQ(0, do_destroy(self->rig.dom.fd, arg.out_id));
	}
	__atomic_store_n(&c.end, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(c.thread, NULL));
	close_range(100, ~0U, 0);
	while (n)
		close(dups[--n]);
}

/* The file is closed while another thread is in a call on it. */
static void *caller_main(void *arg)
{
	struct runner *r = arg;
	struct doca_device_info info = {};

	while (!__atomic_load_n(&r->shared->end, __ATOMIC_RELAXED)) {
		r->error = op_register(r->shared, r->count);
		if (!r->error)
			r->error = do_device_info(r->shared->rig->dom.fd, &info);
		if (r->error)
			break;
		r->count++;
	}
	return NULL;
}

TEST_F(race, close_while_another_thread_is_in_a_call)
{
	unsigned int loops = env_number("DOCA_LOOPS", 10), i;

	for (i = 0; i < loops; i++) {
		struct shared shared = {};
		struct runner r = { .shared = &shared };
		struct rig rig;

		ASSERT_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 16));
		shared.rig = &rig;
		shared.mem = rig.src;
		ASSERT_EQ(0, pthread_create(&r.thread, NULL, caller_main, &r));
		ASSERT_TRUE(WAIT_FOR(__atomic_load_n(&r.count, __ATOMIC_RELAXED) > 3));
		close(rig.dom.fd);
		ASSERT_EQ(0, pthread_join(r.thread, NULL));
		EXPECT_EQ(-EBADF, r.error);
		rig.dom.fd = -1;
		rig_close(&rig);
	}
}

TEST_F(race, many_files_open_and_close_in_many_processes)
{
	enum { N = 8 };
	unsigned int loops = 10 * env_number("DOCA_LOOPS", 10), i;
	int n, status;
	pid_t pids[N];

	for (n = 0; n < N; n++) {
		pids[n] = fork();
		ASSERT_LE(0, pids[n]);
		if (!pids[n]) {
			for (i = 0; i < loops; i++) {
				struct rig rig;

				CHILD_CHECK_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 8));
				CHILD_CHECK_EQ(DOCA_CQE_OK, rig_copy(&rig, rig_src(&rig, 0, 99),
								     rig_dst(&rig, 0, 99)));
				CHILD_CHECK(!memcmp(rig.src, rig.dst, 99));
				rig_close(&rig);
				CHILD_CHECK_EQ(0, vm_pin_kb());
			}
			_exit(0);
		}
	}
	for (n = 0; n < N; n++) {
		ASSERT_EQ(pids[n], waitpid(pids[n], &status, 0));
		EXPECT_EQ(0, status);
	}
}

DOCA_TEST_MAIN
