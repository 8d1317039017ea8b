/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for the selftests of doca.ko and the DPU.
 *
 * One function per ioctl, which fills in the size and returns 0 or -errno; a
 * data path by hand - descriptors, doorbells, completions - so that kernel and
 * device are tested with no library in between; and what every test compares
 * before and after: pinned memory, descriptors, mappings.
 */
#ifndef _DOCA_UTILS_H
#define _DOCA_UTILS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/doca.h>
#include <linux/doca_queue.h>

#include "kselftest_harness.h"

/* The machine may be slow: a limit is there to end a hang, not to measure. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	HANG_S
#define HANG_S			900	/* DOCA_TEST_TIMEOUT sets another limit */
#define WAIT_MS			60000	/* for what has to happen */
#define QUIET_MS		200	/* for what must not happen */

#define NODE			"/dev/doca/0"
#define NODE_1			"/dev/doca/1"
#define HUGE_SIZE		(2UL << 20)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

static inline size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static inline uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static inline void sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

/* Waits until @condition holds, WAIT_MS at most; says whether it did. */
#define WAIT_FOR(condition) ({						\
	uint64_t __end = now_ms() + WAIT_MS;				\
	bool __ok;							\
									\
	while (!(__ok = !!(condition)) && now_ms() < __end)		\
		sleep_ms(2);						\
	__ok;								\
})

/* --- ioctls ------------------------------------------------------------- */

static inline int do_ioctl(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) < 0 ? -errno : 0;
}

static inline int do_device_info(int fd, struct doca_device_info *arg)
{
	arg->size = sizeof(*arg);
	return do_ioctl(fd, DOCA_IOCTL_DEVICE_INFO, arg);
}

static inline int do_engine_info(int fd, struct doca_engine_info *arg)
{
	arg->size = sizeof(*arg);
	return do_ioctl(fd, DOCA_IOCTL_ENGINE_INFO, arg);
}

static inline int do_domain_alloc(int fd, struct doca_domain_alloc *arg)
{
	arg->size = sizeof(*arg);
	return do_ioctl(fd, DOCA_IOCTL_DOMAIN_ALLOC, arg);
}

static inline int do_region_create(int fd, struct doca_region_create *arg)
{
	arg->size = sizeof(*arg);
	return do_ioctl(fd, DOCA_IOCTL_REGION_CREATE, arg);
}

static inline int do_channel_create(int fd, struct doca_channel_create *arg)
{
	arg->size = sizeof(*arg);
	return do_ioctl(fd, DOCA_IOCTL_CHANNEL_CREATE, arg);
}

static inline int do_queue_create(int fd, struct doca_queue_create *arg)
{
	arg->size = sizeof(*arg);
	return do_ioctl(fd, DOCA_IOCTL_QUEUE_CREATE, arg);
}

static inline int do_queue_connect(int fd, struct doca_queue_connect *arg)
{
	arg->size = sizeof(*arg);
	return do_ioctl(fd, DOCA_IOCTL_QUEUE_CONNECT, arg);
}

static inline int do_queue_stop(int fd, __u32 id)
{
	struct doca_queue_stop arg = { .size = sizeof(arg), .queue_id = id };

	return do_ioctl(fd, DOCA_IOCTL_QUEUE_STOP, &arg);
}

static inline int do_destroy(int fd, __u32 id)
{
	struct doca_destroy arg = { .size = sizeof(arg), .id = id };

	return do_ioctl(fd, DOCA_IOCTL_DESTROY, &arg);
}

/* --- domains: an open file with its two pages --------------------------- */

struct dom {
	int fd;
	size_t page_size;
	__u64 doorbell_key;
	__u64 status_key;
	char *doorbell;
	const volatile struct doca_status_page *status;
};

static inline void *map_key(int fd, __u64 key, size_t size, int prot)
{
	return mmap(NULL, size, prot, MAP_SHARED, fd, key);
}

static inline void dom_close(struct dom *dom)
{
	if (dom->doorbell)
		munmap(dom->doorbell, dom->page_size);
	if (dom->status)
		munmap((void *)dom->status, dom->page_size);
	if (dom->fd >= 0)
		close(dom->fd);
	memset(dom, 0, sizeof(*dom));
	dom->fd = -1;
}

static inline int dom_open_node(struct dom *dom, const char *node)
{
	struct doca_domain_alloc alloc = {};
	void *p;
	int err;

	memset(dom, 0, sizeof(*dom));
	dom->fd = open(node, O_RDWR | O_CLOEXEC);
	if (dom->fd < 0)
		return -errno;
	err = do_domain_alloc(dom->fd, &alloc);
	if (err)
		goto fail;
	dom->page_size = alloc.out_page_size;
	dom->doorbell_key = alloc.out_doorbell_key;
	dom->status_key = alloc.out_status_key;
	p = map_key(dom->fd, dom->doorbell_key, dom->page_size, PROT_WRITE);
	if (p == MAP_FAILED) {
		err = -errno;
		goto fail;
	}
	dom->doorbell = p;
	p = map_key(dom->fd, dom->status_key, dom->page_size, PROT_READ);
	if (p == MAP_FAILED) {
		err = -errno;
		goto fail;
	}
	dom->status = p;
	return 0;
fail:
	dom_close(dom);
	return err;
}

static inline int dom_open(struct dom *dom)
{
	return dom_open_node(dom, NODE);
}

static inline void dom_ring(struct dom *dom, unsigned int offset, __u32 object, __u32 index)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*(volatile __u64 *)(dom->doorbell + offset) = htole64((__u64)object << 32 | index);
}

/* --- channels ------------------------------------------------------------ */

struct chan {
	struct dom *dom;
	__u32 id;
	int fd;
	__u32 cq;
	__u32 entries;
	__u32 log_entries;
	__u32 ci;
	__u64 ring_key;
	size_t ring_size;
	const volatile struct doca_cqe *ring;
};

static inline int chan_create_flags(struct dom *dom, struct chan *chan, __u32 entries, __u32 flags)
{
	struct doca_channel_create arg = {
		.flags = flags,
		.entries = entries,
		.comp_vector = DOCA_COMP_VECTOR_ANY,
	};
	void *p;
	int err;

	memset(chan, 0, sizeof(*chan));
	chan->fd = -1;
	err = do_channel_create(dom->fd, &arg);
	if (err)
		return err;
	chan->dom = dom;
	chan->id = arg.out_id;
	chan->fd = arg.out_fd;
	chan->cq = arg.out_cq;
	chan->entries = arg.out_entries;
	chan->log_entries = __builtin_ctz(arg.out_entries);
	chan->ring_key = arg.out_ring_key;
	chan->ring_size = arg.out_ring_size;
	p = map_key(dom->fd, chan->ring_key, chan->ring_size, PROT_READ);
	if (p == MAP_FAILED) {
		err = -errno;
		do_destroy(dom->fd, chan->id);
		close(chan->fd);
		chan->fd = -1;
		chan->id = 0;
		return err;
	}
	chan->ring = p;
	return 0;
}

static inline int chan_create(struct dom *dom, struct chan *chan, __u32 entries)
{
	return chan_create_flags(dom, chan, entries, O_CLOEXEC | O_NONBLOCK);
}

static inline int chan_destroy(struct chan *chan)
{
	int err = 0;

	if (chan->id)
		err = do_destroy(chan->dom->fd, chan->id);
	if (err)
		return err;
	if (chan->ring)
		munmap((void *)chan->ring, chan->ring_size);
	if (chan->fd >= 0)
		close(chan->fd);
	memset(chan, 0, sizeof(*chan));
	chan->fd = -1;
	return 0;
}

/* A completion in the host's byte order. */
struct done {
	__u32 cookie;
	__u32 tag;
	__u64 byte_len;
	__u64 reserved;
	__u32 queue_index;
	__u8 opcode;
	__u8 syndrome;
	__u8 status;
};

/* 0 with the next completion, or -EAGAIN. */
static inline int chan_try(struct chan *chan, struct done *done)
{
	const volatile struct doca_cqe *cqe = &chan->ring[chan->ci & (chan->entries - 1)];
	__u64 last = le64toh(__atomic_load_n((const volatile __u64 *)cqe + 3, __ATOMIC_ACQUIRE));

	if (last >> 56 != doca_cqe_phase(chan->ci, chan->log_entries))
		return -EAGAIN;
	done->cookie = le32toh(cqe->cookie);
	done->tag = le32toh(cqe->tag);
	done->byte_len = le64toh(cqe->byte_len);
	done->reserved = le64toh(cqe->reserved0);
	done->queue_index = (__u32)last;
	done->opcode = last >> 32;
	done->syndrome = last >> 40;
	done->status = last >> 48;
	chan->ci++;
	return 0;
}

/* 0 with the next completion, -ENODEV after a removal, or -ETIMEDOUT. */
static inline int chan_wait_ms(struct chan *chan, struct done *done, unsigned int ms)
{
	uint64_t end = now_ms() + ms;
	unsigned int n = 0;

	memset(done, 0, sizeof(*done));
	for (;;) {
		if (!chan_try(chan, done))
			return 0;
		if (chan->dom->status->removed)
			return -ENODEV;
		if (++n % 64 == 0)
			sched_yield();
		if (n % 1024 == 0 && now_ms() > end)
			return -ETIMEDOUT;
	}
}

static inline int chan_wait(struct chan *chan, struct done *done)
{
	return chan_wait_ms(chan, done, WAIT_MS);
}

/* Nothing comes for a while: 0. Can miss a fault, but not invent one. */
static inline int chan_quiet(struct chan *chan)
{
	struct done done;

	return chan_wait_ms(chan, &done, QUIET_MS) == -ETIMEDOUT ? 0 : -EBUSY;
}

static inline void chan_arm(struct chan *chan, __u32 index)
{
	dom_ring(chan->dom, DOCA_DB_ARM, chan->cq, index);
}

/* revents of the channel's descriptor: 0 after @ms without any. */
static inline int fd_poll(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	do {
		n = poll(&p, 1, ms);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : p.revents;
}

/* Number of events, or -errno. */
static inline int64_t fd_events(int fd)
{
	__u64 count = 0;
	ssize_t n = read(fd, &count, sizeof(count));

	if (n < 0)
		return -errno;
	return n == sizeof(count) ? (int64_t)count : -EIO;
}

/* --- queues --------------------------------------------------------------- */

struct queue {
	struct dom *dom;
	__u32 id;
	__u32 queue;
	__u32 entries;
	__u32 pi;
	__u64 ring_key;
	size_t ring_size;
	struct doca_sqe *ring;
};

static inline int queue_create(struct dom *dom, struct chan *chan, struct queue *queue,
			       __u32 engine, __u32 entries, __u32 tag)
{
	struct doca_queue_create arg = {
		.engine = engine,
		.channel_id = chan->id,
		.entries = entries,
		.tag = tag,
	};
	void *p;
	int err;

	memset(queue, 0, sizeof(*queue));
	err = do_queue_create(dom->fd, &arg);
	if (err)
		return err;
	queue->dom = dom;
	queue->id = arg.out_id;
	queue->queue = arg.out_queue;
	queue->entries = arg.out_entries;
	queue->ring_key = arg.out_ring_key;
	queue->ring_size = arg.out_ring_size;
	p = map_key(dom->fd, queue->ring_key, queue->ring_size, PROT_READ | PROT_WRITE);
	if (p == MAP_FAILED) {
		err = -errno;
		do_destroy(dom->fd, queue->id);
		queue->id = 0;
		return err;
	}
	queue->ring = p;
	return 0;
}

static inline int queue_destroy(struct queue *queue)
{
	int err = 0;

	if (queue->id)
		err = do_destroy(queue->dom->fd, queue->id);
	if (err)
		return err;
	if (queue->ring)
		munmap(queue->ring, queue->ring_size);
	memset(queue, 0, sizeof(*queue));
	return 0;
}

static inline struct doca_sge sge(const void *addr, __u32 mkey, __u32 len)
{
	return (struct doca_sge) {
		.addr = htole64((uintptr_t)addr),
		.mkey = htole32(mkey),
		.len = htole32(len),
	};
}

/* Writes a descriptor with its lists, does not ring. Returns the entries taken. */
static inline __u32 queue_post_raw(struct queue *queue, const struct doca_sqe *head,
				   const struct doca_sge *sges, unsigned int num)
{
	__u32 entries = doca_sqe_entries(num), mask = queue->entries - 1, i;
	struct doca_sqe sqe = *head;

	for (i = 0; i < DOCA_SQE_INLINE_SGES; i++)
		sqe.sge[i] = i < num ? sges[i] : (struct doca_sge) {};
	queue->ring[queue->pi & mask] = sqe;
	for (i = 1; i < entries; i++) {
		struct doca_sge more[DOCA_SQE_SGES_PER_ENTRY] = {};
		unsigned int first = DOCA_SQE_INLINE_SGES + (i - 1) * DOCA_SQE_SGES_PER_ENTRY;
		unsigned int n = num - first;

		if (n > DOCA_SQE_SGES_PER_ENTRY)
			n = DOCA_SQE_SGES_PER_ENTRY;
		memcpy(more, sges + first, n * sizeof(*more));
		memcpy(&queue->ring[(queue->pi + i) & mask], more, sizeof(more));
	}
	queue->pi += entries;
	return entries;
}

static inline __u32 queue_post_list(struct queue *queue, __u8 opcode, __u32 cookie,
				    const struct doca_sge *sges, __u8 num_src, __u8 num_dst)
{
	struct doca_sqe head = {
		.opcode = opcode,
		.num_src = num_src,
		.num_dst = num_dst,
		.cookie = htole32(cookie),
	};

	return queue_post_raw(queue, &head, sges, num_src + num_dst);
}

/* One source, one destination of the same length; the opcode is 1 for DMA and RDMA. */
static inline void queue_post(struct queue *queue, __u32 cookie,
			      struct doca_sge src, struct doca_sge dst)
{
	struct doca_sge sges[2] = { src, dst };

	queue_post_list(queue, 1, cookie, sges, 1, 1);
}

static inline void queue_ring(struct queue *queue)
{
	dom_ring(queue->dom, DOCA_DB_SUBMIT, queue->queue, queue->pi);
}

/* --- memory and regions --------------------------------------------------- */

struct region {
	struct dom *dom;
	__u32 id;
	__u32 mkey;
	__u32 page_shift;
	__u32 num_pages;
};

static inline int region_create(struct dom *dom, struct region *region, const void *addr,
				__u64 length, __u32 access)
{
	struct doca_region_create arg = {
		.access = access,
		.addr = (uintptr_t)addr,
		.length = length,
	};
	int err;

	memset(region, 0, sizeof(*region));
	err = do_region_create(dom->fd, &arg);
	if (err)
		return err;
	region->dom = dom;
	region->id = arg.out_id;
	region->mkey = arg.out_mkey;
	region->page_shift = arg.out_page_shift;
	region->num_pages = arg.out_num_pages;
	return 0;
}

static inline int region_destroy(struct region *region)
{
	int err = 0;

	if (region->id)
		err = do_destroy(region->dom->fd, region->id);
	if (!err)
		memset(region, 0, sizeof(*region));
	return err;
}

static inline void *mem_alloc(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Pages with an inaccessible one on either side. */
static inline void *mem_alloc_guarded(size_t size)
{
	size_t page = page_size();
	char *p = mmap(NULL, size + 2 * page, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (mprotect(p + page, size, PROT_READ | PROT_WRITE)) {
		munmap(p, size + 2 * page);
		return NULL;
	}
	return p + page;
}

static inline void mem_free_guarded(void *p, size_t size)
{
	size_t page = page_size();

	if (p)
		munmap((char *)p - page, size + 2 * page);
}

/* Different for each position and each seed. */
static inline void mem_fill(void *mem, size_t size, unsigned int seed)
{
	uint64_t x = 0x9e3779b97f4a7c15ULL * (seed + 1);
	unsigned char *p = mem;
	size_t i;

	for (i = 0; i < size; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		p[i] = x >> 56;
	}
}

static inline bool mem_is(const void *mem, size_t size, unsigned char value)
{
	const unsigned char *p = mem;
	size_t i;

	for (i = 0; i < size; i++)
		if (p[i] != value)
			return false;
	return true;
}

/* --- one of each: what most tests work with -------------------------------- */

struct rig {
	struct dom dom;
	struct chan chan;
	struct queue queue;
	struct region src_region;
	struct region dst_region;
	char *src;
	char *dst;
	size_t size;
};

#define RIG_SIZE	(16 * 4096UL)

static inline int rig_open(struct rig *rig, __u32 engine, __u32 entries)
{
	int err;

	memset(rig, 0, sizeof(*rig));
	rig->size = RIG_SIZE;
	rig->dom.fd = -1;
	rig->chan.fd = -1;
	err = dom_open(&rig->dom);
	if (!err)
		err = chan_create(&rig->dom, &rig->chan, entries);
	if (!err)
		err = queue_create(&rig->dom, &rig->chan, &rig->queue, engine, entries, 0x7a6);
	if (err)
		return err;
	rig->src = mem_alloc_guarded(rig->size);
	rig->dst = mem_alloc_guarded(rig->size);
	if (!rig->src || !rig->dst)
		return -ENOMEM;
	mem_fill(rig->src, rig->size, 1);
	memset(rig->dst, 0, rig->size);
	err = region_create(&rig->dom, &rig->src_region, rig->src, rig->size, 0);
	if (!err)
		err = region_create(&rig->dom, &rig->dst_region, rig->dst, rig->size,
				    DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE);
	return err;
}

static inline void rig_close(struct rig *rig)
{
	if (rig->queue.ring)
		munmap(rig->queue.ring, rig->queue.ring_size);
	if (rig->chan.ring)
		munmap((void *)rig->chan.ring, rig->chan.ring_size);
	if (rig->chan.fd >= 0)
		close(rig->chan.fd);
	dom_close(&rig->dom);
	mem_free_guarded(rig->src, rig->size);
	mem_free_guarded(rig->dst, rig->size);
	memset(rig, 0, sizeof(*rig));
	rig->dom.fd = -1;
	rig->chan.fd = -1;
}

static inline struct doca_sge rig_src(struct rig *rig, size_t offset, __u32 len)
{
	return sge(rig->src + offset, rig->src_region.mkey, len);
}

static inline struct doca_sge rig_dst(struct rig *rig, size_t offset, __u32 len)
{
	return sge(rig->dst + offset, rig->dst_region.mkey, len);
}

/* A copy from begin to end. The status of the completion, or -errno. */
static inline int rig_copy(struct rig *rig, struct doca_sge src, struct doca_sge dst)
{
	struct done done;
	int err;

	queue_post(&rig->queue, rig->queue.pi ^ 0xc0c0, src, dst);
	queue_ring(&rig->queue);
	err = chan_wait(&rig->chan, &done);
	return err ? err : done.status;
}

/* Whether a newcomer gets all he needs: objects, a copy, its interrupt. */
static inline bool next_one_works(void)
{
	struct rig rig;
	bool ok;

	if (rig_open(&rig, DOCA_ENGINE_DMA, 64))
		return false;
	chan_arm(&rig.chan, 0);
	ok = rig_copy(&rig, rig_src(&rig, 0, rig.size), rig_dst(&rig, 0, rig.size)) == DOCA_CQE_OK &&
	     !memcmp(rig.src, rig.dst, rig.size) &&
	     fd_poll(rig.chan.fd, WAIT_MS) == POLLIN;
	rig_close(&rig);
	return ok;
}

/* A queue in error stays so: takes a fresh one, with the same channel. */
static inline int rig_new_queue(struct rig *rig, __u32 engine)
{
	__u32 entries = rig->queue.entries;
	int err = queue_destroy(&rig->queue);

	return err ? err : queue_create(&rig->dom, &rig->chan, &rig->queue, engine, entries, 0x7a6);
}

static inline int queue_connect(struct queue *queue, const struct queue *peer,
				struct doca_gid peer_gid, __u32 retry_ms)
{
	struct doca_queue_connect arg = {
		.queue_id = queue->id,
		.remote_queue = peer->queue,
		.remote_gid = peer_gid,
		.retry_ms = retry_ms,
	};

	return do_queue_connect(queue->dom->fd, &arg);
}

/* Two RDMA queues of one DPU become each other's peers. */
static inline int rig_connect(struct rig *one, struct rig *two)
{
	struct doca_device_info info = {};
	int err = do_device_info(one->dom.fd, &info);

	if (!err)
		err = queue_connect(&one->queue, &two->queue, info.out_gid, 0);
	if (!err)
		err = queue_connect(&two->queue, &one->queue, info.out_gid, 0);
	return err;
}

/* --- before and after ------------------------------------------------------ */

struct baseline {
	long vm_pin_kb;
	int fds;
};

static inline long status_kb(const char *field)
{
	FILE *f = fopen("/proc/self/status", "re");
	size_t len = strlen(field);
	char line[256];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, field, len) && line[len] == ':')
			kb = atol(line + len + 1);
	if (f)
		fclose(f);
	return kb;
}

static inline long vm_pin_kb(void)
{
	return status_kb("VmPin");
}

static inline int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static inline int count_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "doca/") && strstr(line, " /dev/");
	if (f)
		fclose(f);
	return n;
}

static inline void baseline_take(struct baseline *base)
{
	base->vm_pin_kb = vm_pin_kb();
	base->fds = count_fds();
}

/*
 * Last in each teardown. A test that failed half-way leaves things open: that
 * says nothing.
 */
#define EXPECT_BASELINE(base) do {					\
	if (_metadata->passed) {					\
		EXPECT_EQ((base)->vm_pin_kb, vm_pin_kb());		\
		EXPECT_EQ((base)->fds, count_fds());			\
		EXPECT_EQ(0, count_maps());				\
	}								\
} while (0)

/*
 * Pages pinned in the whole system, of all processes; 0 if the kernel does not
 * say. Others may pin for a moment: compare with WAIT_FOR().
 */
static inline long pinned_pages(void)
{
	long acquired = 0, released = 0;
	char line[256];
	FILE *f;

	/* each CPU has a part of the counters; only root can have them added up */
	f = fopen("/proc/sys/vm/stat_refresh", "we");
	if (f) {
		fputs("1", f);
		fclose(f);
	}
	f = fopen("/proc/vmstat", "re");

	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "nr_foll_pin_acquired %ld", &acquired);
		sscanf(line, "nr_foll_pin_released %ld", &released);
	}
	if (f)
		fclose(f);
	return acquired - released;
}

/* --- processes -------------------------------------------------------------- */

/* Runs statements in a child; gives its wait status. */
#define IN_CHILD(...) ({						\
	int __status = -1;						\
	pid_t __pid = fork();						\
									\
	if (!__pid) {							\
		__VA_ARGS__;						\
		_exit(0);						\
	}								\
	waitpid(__pid, &__status, 0);					\
	__status;							\
})

/* In a child: ends it, with a word, if something is not as it should be. */
#define CHILD_CHECK(condition) do {					\
	if (!(condition)) {						\
		fprintf(stderr, "# %s:%d: in the child: %s is not so (errno %d)\n", \
			__FILE__, __LINE__, #condition, errno);		\
		_exit(1);						\
	}								\
} while (0)

#define CHILD_CHECK_EQ(expected, seen) do {				\
	long long __e = (expected), __s = (seen);			\
									\
	if (__e != __s) {						\
		fprintf(stderr, "# %s:%d: in the child: expected %s (%lld), got %s (%lld)\n", \
			__FILE__, __LINE__, #expected, __e, #seen, __s); \
		_exit(1);						\
	}								\
} while (0)

/* Becomes nobody, for good, with no capability left. */
static inline int drop_root(void)
{
	if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
	    setresuid(65534, 65534, 65534))
		return -errno;
	/* /proc/self stays readable */
	prctl(PR_SET_DUMPABLE, 1);
	return 0;
}

static inline int set_memlock(rlim_t bytes)
{
	struct rlimit limit = { bytes, bytes };

	return setrlimit(RLIMIT_MEMLOCK, &limit) ? -errno : 0;
}

static inline unsigned int env_number(const char *name, unsigned int otherwise)
{
	const char *value = getenv(name);

	return value && *value ? strtoul(value, NULL, 0) : otherwise;
}

/* A file that was built along: name relative to the build folder, or to the source's. */
static inline bool find_file(char *path, size_t size, const char *env, const char *from_build,
			     const char *from_source)
{
	char exe[PATH_MAX], *slash;
	ssize_t n;
	int i;

	if (getenv(env)) {
		snprintf(path, size, "%s", getenv(env));
		return !access(path, R_OK);
	}
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n > 0) {
		exe[n] = 0;
		/* <build>/selftests/doca/<program> */
		for (i = 0; i < 3; i++) {
			slash = strrchr(exe, '/');
			if (!slash)
				return false;
			*slash = 0;
		}
		if (from_build) {
			snprintf(path, size, "%s/%s", exe, from_build);
			if (!access(path, R_OK))
				return true;
		}
		if (from_source) {
			snprintf(path, size, "%s/../%s", exe, from_source);
			if (!access(path, R_OK))
				return true;
		}
	}
	if (!from_source)
		return false;
	snprintf(path, size, "%s", from_source);
	return !access(path, R_OK);
}

/* --- files of the kernel -------------------------------------------------------- */

static inline int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* One of the counters in /sys/class/doca/doca0; -1: there is no such device. */
static inline long device_counter(const char *name)
{
	char path[128];
	long value;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/doca/doca0/%s", name);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%ld", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/* The kernel's log from here on. */
static inline int log_begin(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* How many lines of doca.ko hold @text; ends with what is there by now. */
static inline int log_lines(int fd, const char *text)
{
	char line[2048];
	int num = 0;
	ssize_t n;

	for (;;) {
		n = read(fd, line, sizeof(line) - 1);
		if (n < 0 && errno == EPIPE)
			continue;	/* overwritten: goes on behind it */
		if (n <= 0)
			return num;
		line[n] = 0;
		if (strstr(line, "doca") && strstr(line, text))
			num++;
	}
}

/* --- QEMU's monitor, if this is a VM that gives access to it ------------------ */

static inline bool monitor_there(void)
{
	char path[PATH_MAX];

	return !access("/dev/virtio-ports/monitor", W_OK) &&
	       find_file(path, sizeof(path), "DOCA_MONITOR", NULL, "tools/vm/monitor");
}

/* One command; 0, or -EIO with what the monitor said on stderr. */
static inline int monitor(const char *fmt, ...)
{
	char command[PATH_MAX + 600], path[PATH_MAX], text[512], answer[1024];
	va_list args;
	size_t n;
	FILE *f;
	int rc;

	if (!find_file(path, sizeof(path), "DOCA_MONITOR", NULL, "tools/vm/monitor"))
		return -ENOENT;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	snprintf(command, sizeof(command), "'%s' '%s' 2>&1", path, text);
	f = popen(command, "re");
	if (!f)
		return -errno;
	n = fread(answer, 1, sizeof(answer) - 1, f);
	answer[n] = 0;
	rc = pclose(f);
	if (rc || strstr(answer, "Error") || strstr(answer, "unknown command")) {
		fprintf(stderr, "# monitor: %s: %s\n", text, answer);
		return -EIO;
	}
	return 0;
}

/* How long the device takes over each descriptor; -errno if that cannot be set. */
static inline int device_delay(unsigned int us)
{
	if (!monitor_there())
		return -EOPNOTSUPP;
	return monitor("qom-set /machine/peripheral/dpu0 delay-us %u", us);
}

/* Ways to misbehave, see tools/dpu/core/chaos.c; "": none. */
static inline int device_chaos(const char *modes)
{
	if (!monitor_there())
		return -EOPNOTSUPP;
	return monitor("qom-set /machine/peripheral/dpu0 chaos %s", *modes ? modes : "none");
}

/* --- main(): as the harness's, with a choice of tests -------------------------- */

static inline bool test_matches(const char *pattern, const char *fixture, const char *test)
{
	char name[256];

	snprintf(name, sizeof(name), "%s.%s", fixture, test);
	return !fnmatch(pattern, name, 0) || !fnmatch(pattern, test, 0) ||
	       !fnmatch(pattern, fixture, 0);
}

static inline int doca_test_main(int argc, char **argv)
{
	struct __fixture_metadata *f;
	struct __test_metadata **t;
	bool list = false;
	int opt, left = 0;

	while ((opt = getopt(argc, argv, "lt:")) != -1) {
		switch (opt) {
		case 'l':
			list = true;
			break;
		case 't':
			for (f = __fixture_list; f; f = f->next) {
				for (t = &f->tests; *t;) {
					if (test_matches(optarg, f->name, (*t)->name))
						t = &(*t)->next;
					else
						*t = (*t)->next;
				}
			}
			break;
		default:
			fprintf(stderr, "usage: %s [-l] [-t FIXTURE.TEST]\n", argv[0]);
			return KSFT_FAIL;
		}
	}
	for (f = __fixture_list; f; f = f->next) {
		for (t = &f->tests; *t; t = &(*t)->next) {
			left++;
			if (list)
				printf("%s.%s\n", f->name, (*t)->name);
		}
	}
	if (list)
		return KSFT_PASS;
	if (!left) {
		fprintf(stderr, "%s: no such test; -l lists them\n", argv[0]);
		return KSFT_FAIL;
	}
	for (f = __fixture_list; f; f = f->next)
		for (t = &f->tests; *t; t = &(*t)->next)
			(*t)->timeout = env_number("DOCA_TEST_TIMEOUT", HANG_S);
	setvbuf(stdout, NULL, _IOLBF, 0);
	return test_harness_run(argc, argv);
}

/* A program that skips all of its tests unless @condition holds. */
#define DOCA_TEST_MAIN_IF(condition, why)				\
	static void __attribute__((constructor))			\
	__constructor_order_last(void)					\
	{								\
		if (!__constructor_order)				\
			__constructor_order = _CONSTRUCTOR_ORDER_BACKWARD; \
	}								\
	int main(int argc, char **argv)					\
	{								\
		if (!(condition)) {					\
			printf("TAP version 13\n1..0 # SKIP %s\n", why);	\
			return KSFT_SKIP;				\
		}							\
		return doca_test_main(argc, argv);			\
	}

#define DOCA_TEST_MAIN	DOCA_TEST_MAIN_IF(true, "")

#endif /* _DOCA_UTILS_H */
