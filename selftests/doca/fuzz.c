// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random calls, random descriptors, random doorbells, in several threads. No
 * result is expected of any of them; afterwards nothing may be pinned, the next
 * process must work, and the kernel's log must be clean. DOCA_SEED repeats a
 * run, as far as threads let it.
 */
#include "doca_utils.h"

#define ARENA_PAGES	64
#define THREADS		3

FIXTURE(fuzz) {
	struct baseline base;
	long pinned;
};

FIXTURE_SETUP(fuzz)
{
	baseline_take(&self->base);
	self->pinned = pinned_pages();
}

FIXTURE_TEARDOWN(fuzz)
{
	EXPECT_TRUE(next_one_works());
	EXPECT_TRUE(WAIT_FOR(pinned_pages() <= self->pinned))
		TH_LOG("%ld pages pinned in the system, %ld before", pinned_pages(), self->pinned);
	EXPECT_BASELINE(&self->base);
}

struct fuzzer {
	pthread_t thread;
	uint64_t state;
	struct rig *rig;
	char *arena;		/* registered, written by whatever the device is told */
	char *args;		/* a page, with nothing behind it */
	uint64_t end;
};

static uint32_t rnd(struct fuzzer *f)
{
	f->state = f->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return f->state >> 33;
}

static uint32_t pick(struct fuzzer *f, uint32_t n)
{
	return rnd(f) % n;
}

/* Numbers that break things more often than others. */
static uint64_t odd_number(struct fuzzer *f)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 3, 7, 8, 63, 64, 65, 255, 256, 4095, 4096, 4097, 65535, 65536, 65537,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, -1ULL, -2ULL, -4096ULL,
		1ULL << 63, (1ULL << 63) - 1,
	};

	switch (pick(f, 4)) {
	case 0:
		return numbers[pick(f, ARRAY_SIZE(numbers))];
	case 1:
		return pick(f, 1 << pick(f, 16));
	case 2:
		return (uintptr_t)f->arena + pick(f, ARENA_PAGES * 4096);
	default:
		return (uint64_t)rnd(f) << 32 | rnd(f);
	}
}

static void fuzz_ioctl(struct fuzzer *f)
{
	static const unsigned int sizes[] = {
		sizeof(struct doca_device_info), sizeof(struct doca_engine_info),
		sizeof(struct doca_domain_alloc), sizeof(struct doca_region_create),
		sizeof(struct doca_channel_create), sizeof(struct doca_queue_create),
		sizeof(struct doca_queue_connect), sizeof(struct doca_queue_stop),
		sizeof(struct doca_destroy), sizeof(struct doca_region_share),
		sizeof(struct doca_region_import), sizeof(struct doca_function_info),
	};
	unsigned int n = pick(f, ARRAY_SIZE(sizes)), size = sizes[n], i;
	unsigned int room = pick(f, 16) ? size : pick(f, 200);
	/* ends at the page's end, or a few bytes before it */
	__u32 *arg = (__u32 *)(f->args + ((page_size() - room) & ~3UL));
	__u32 draft[64] = {};
	unsigned long cmd = _IO(DOCA_IOCTL_TYPE, DOCA_CMD_BASE + n);
	int fd = f->rig->dom.fd, err;

	memset(f->args, 0, page_size());
	if (pick(f, 4)) {
		/* nearly right */
		draft[0] = size;
		switch (cmd) {
		case DOCA_IOCTL_REGION_CREATE: {
			struct doca_region_create r = {
				.size = size,
				.access = pick(f, DOCA_KEY_ACCESS_ALL + 1),
				.addr = (uintptr_t)f->arena + pick(f, 32 * 4096),
				.length = 1 + pick(f, 32 * 4096),
			};
			memcpy(draft, &r, sizeof(r));
			break;
		}
		case DOCA_IOCTL_CHANNEL_CREATE:
			draft[2] = 1 + pick(f, 64);
			draft[3] = DOCA_COMP_VECTOR_ANY;
			break;
		case DOCA_IOCTL_QUEUE_CREATE:
			draft[2] = pick(f, DOCA_NUM_ENGINES);
			draft[3] = pick(f, 4) ? f->rig->chan.id : pick(f, 64);
			draft[4] = 1 + pick(f, 16);
			break;
		case DOCA_IOCTL_QUEUE_CONNECT:
			draft[2] = pick(f, 64);
			draft[3] = pick(f, 4096);
			break;
		case DOCA_IOCTL_QUEUE_STOP:
			draft[2] = pick(f, 64);
			break;
		case DOCA_IOCTL_DESTROY:
			draft[1] = pick(f, 64);
			break;
		case DOCA_IOCTL_REGION_SHARE:
			draft[2] = pick(f, 64);
			break;
		case DOCA_IOCTL_REGION_IMPORT:
			draft[2] = pick(f, DOCA_MAX_FUNCTIONS);
			draft[3] = pick(f, 1 << 16);
			break;
		case DOCA_IOCTL_FUNCTION_INFO:
			draft[2] = pick(f, DOCA_MAX_FUNCTIONS);
			break;
		}
	}
	/* and not quite */
	for (i = pick(f, 3); i; i--) {
		uint64_t v = odd_number(f);

		memcpy((char *)draft + (pick(f, sizeof(draft) - sizeof(v)) & ~3U), &v, sizeof(v));
	}
	memcpy(arg, draft, room < sizeof(draft) ? room : sizeof(draft));
	if (!pick(f, 50))
		cmd = rnd(f);
	err = do_ioctl(fd, cmd, pick(f, 100) ? arg : (void *)odd_number(f));
	if (err || cmd != DOCA_IOCTL_CHANNEL_CREATE || room < sizeof(struct doca_channel_create))
		return;
	/* the descriptors would run out */
	i = ((struct doca_channel_create *)arg)->out_fd;
	fd_poll(i, 0);
	close(i);
}

static void fuzz_descriptors(struct fuzzer *f)
{
	struct rig *rig = f->rig;
	struct doca_sqe *sqe = &rig->queue.ring[pick(f, rig->queue.entries)];
	__u32 keys[] = { rig->src_region.mkey, rig->dst_region.mkey, pick(f, 1 << 16) };
	int i;

	sqe->opcode = pick(f, 8) ? 1 : rnd(f);
	sqe->flags = pick(f, 16) ? 0 : rnd(f);
	sqe->num_src = pick(f, 8) ? 1 + pick(f, 4) : rnd(f);
	sqe->num_dst = pick(f, 8) ? 1 + pick(f, 4) : rnd(f);
	for (i = 0; i < DOCA_SQE_INLINE_SGES; i++) {
		sqe->sge[i].mkey = htole32(keys[pick(f, ARRAY_SIZE(keys))]);
		sqe->sge[i].addr = htole64(pick(f, 4) ? (uintptr_t)rig->dst + pick(f, 70000) :
					   odd_number(f));
		sqe->sge[i].len = htole32(pick(f, 4) ? pick(f, 70000) : odd_number(f));
	}
}

static void fuzz_doorbell(struct fuzzer *f)
{
	struct rig *rig = f->rig;
	char *db = rig->dom.doorbell;

	switch (pick(f, 4)) {
	case 0:
		dom_ring(&rig->dom, DOCA_DB_SUBMIT, rig->queue.queue, pick(f, 256));
		break;
	case 1:
		dom_ring(&rig->dom, DOCA_DB_ARM, rig->chan.cq, odd_number(f));
		break;
	case 2:
		dom_ring(&rig->dom, pick(f, 512) * 8, odd_number(f), odd_number(f));
		break;
	default:
		*(volatile __u32 *)(db + pick(f, 1024) * 4) = odd_number(f);
	}
}

static void fuzz_mmap(struct fuzzer *f)
{
	struct rig *rig = f->rig;
	__u64 keys[] = { rig->dom.doorbell_key, rig->dom.status_key, rig->chan.ring_key,
			 rig->queue.ring_key, odd_number(f) & ~4095ULL };
	size_t sizes[] = { rig->chan.ring_size, rig->queue.ring_size, 4096, 8192,
			   odd_number(f) & 0xffffffff };
	size_t size = sizes[pick(f, ARRAY_SIZE(sizes))];
	__u64 key = keys[pick(f, ARRAY_SIZE(keys))] + (pick(f, 4) ? 0 : pick(f, 8) * 4096);
	char *p;

	p = mmap(NULL, size, pick(f, 8), pick(f, 4) ? MAP_SHARED : MAP_PRIVATE, rig->dom.fd, key);
	if (p == MAP_FAILED)
		return;
	switch (pick(f, 4)) {
	case 0:
		if (!munmap(p, 4096)) {
			if (size > 4096)
				munmap(p + 4096, size - 4096);
			return;
		}
		break;
	case 1:
		mprotect(p, size, pick(f, 8));
		break;
	case 2:
		if (mremap(p, size, size * 2, MREMAP_MAYMOVE) != MAP_FAILED)
			return;
		break;
	default:
		madvise(p, size, pick(f, 26));
	}
	munmap(p, size);
}

static void fuzz_memory(struct fuzzer *f)
{
	char *p = f->arena + pick(f, ARENA_PAGES) * 4096;

	switch (pick(f, 3)) {
	case 0:
		mmap(p, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 1:
		mprotect(p, 4096, pick(f, 2) ? PROT_READ : PROT_READ | PROT_WRITE);
		break;
	default:
		madvise(p, 4096, MADV_DONTNEED);
	}
}

static void *fuzz_main(void *arg)
{
	struct fuzzer *f = arg;
	struct rig *rig = f->rig;
	unsigned int n;

	for (n = 0; n % 64 || now_ms() < f->end; n++) {
		switch (pick(f, 16)) {
		case 0:
			fuzz_doorbell(f);
			break;
		case 1:
			fuzz_descriptors(f);
			break;
		case 2:
			fuzz_mmap(f);
			break;
		case 3:
			fuzz_memory(f);
			break;
		case 4:
			fd_poll(rig->chan.fd, 0);
			fd_events(rig->chan.fd);
			break;
		default:
			fuzz_ioctl(f);
		}
	}
	return NULL;
}

static void fuzz_process(uint64_t seed)
{
	struct fuzzer fuzzers[THREADS] = {};
	struct rig rig;
	char *arena;
	int i;

	alarm(HANG_S);
	CHILD_CHECK_EQ(0, set_memlock(16 << 20));
	CHILD_CHECK_EQ(0, drop_root());
	CHILD_CHECK_EQ(0, rig_open(&rig, seed % 2 ? DOCA_ENGINE_DMA : DOCA_ENGINE_RDMA, 64));
	arena = mem_alloc(ARENA_PAGES * 4096);
	CHILD_CHECK(arena);
	for (i = 0; i < THREADS; i++) {
		fuzzers[i] = (struct fuzzer) {
			.state = seed * THREADS + i,
			.rig = &rig,
			.arena = arena,
			.args = mem_alloc_guarded(page_size()),
			.end = now_ms() + 1000,
		};
		CHILD_CHECK(fuzzers[i].args);
		CHILD_CHECK_EQ(0, pthread_create(&fuzzers[i].thread, NULL, fuzz_main, &fuzzers[i]));
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(fuzzers[i].thread, NULL);
	/* half of the time the exit finds everything open */
	if (seed % 4 < 2)
		rig_close(&rig);
}

TEST_F(fuzz, random_use_in_several_threads)
{
	unsigned int loops = env_number("DOCA_LOOPS", 10), i;
	uint64_t seed = env_number("DOCA_SEED", time(NULL));
	int status;

	printf("# DOCA_SEED=%lu\n", seed);
	for (i = 0; i < loops; i++) {
		status = IN_CHILD(fuzz_process(seed + i));
		EXPECT_EQ(0, status)
			TH_LOG("DOCA_SEED=%lu", seed + i);
	}
}

TEST_F(fuzz, several_processes_at_the_same_time)
{
	uint64_t seed = env_number("DOCA_SEED", time(NULL)) + 1000;
	pid_t pids[3];
	int status, i;

	printf("# DOCA_SEED=%lu\n", seed - 1000);
	fflush(stdout);
	for (i = 0; i < 3; i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i]) {
			fuzz_process(seed + i);
			_exit(0);
		}
	}
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
}

DOCA_TEST_MAIN
