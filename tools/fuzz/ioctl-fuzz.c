// SPDX-License-Identifier: MIT
/*
 * Fuzzer for doca.ko: programs of system calls on /dev/doca/0, guided by the
 * coverage that KCOV reports for the module. It knows the ABI's structs, keeps
 * descriptors, ids, mappings and mmap keys from call to call, puts structs at
 * the end of pages, and closes, forks, unmaps and runs threads in between.
 *
 * Each program runs in a process of its own. What it finds is in the kernel's
 * log: run it with tools/dpu-vm, which looks there.
 *
 *	ioctl-fuzz [-t SECONDS] [-s SEED] [-o FOLDER] [CORPUS-FOLDER]
 *
 * -o saves what reaches something new. Without KCOV it goes on blindly.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/doca.h>
#include <linux/udmabuf.h>

#define NODE		"/dev/doca/0"
#define OTHER_NODE	"/dev/doca/1"
#define MAX_CALLS	32
#define MAX_CORPUS	4096
#define PAGE		4096UL
#define ARENA_PAGES	64
#define SLOTS		4
#define MAPS		8
#define CHILD_S		20		/* a program that takes longer is killed */

#define KCOV_INIT	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_DISABLE	_IO('c', 101)
#define KCOV_ENTRIES	(64UL << 10)
#define SEEN_BITS	20

struct call {
	uint8_t op;
	uint8_t arg[15];
};

struct program {
	uint32_t num;
	struct call calls[MAX_CALLS];
};

enum {
	OP_OPEN, OP_CLOSE, OP_DUP, OP_IOCTL, OP_IOCTL_2, OP_IOCTL_3, OP_IOCTL_4,
	OP_ODD_IOCTL, OP_MMAP, OP_MMAP_2, OP_MUNMAP, OP_CHANGE_MAP, OP_DOORBELL,
	OP_DESCRIPTOR, OP_EVENTS, OP_FORK, OP_THREAD, OP_ARENA,
	NUM_OPS
};

/* What the calls of one program have in common; of one process. */
static struct {
	int fd[SLOTS];
	int events[SLOTS];
	uint32_t ids[8];
	unsigned int num_ids;
	uint64_t keys[8];
	unsigned int num_keys;
	uint32_t numbers[8];		/* mkeys, rings, queues */
	unsigned int num_numbers;
	struct {
		char *addr;
		size_t len;
	} maps[MAPS];
	char *arena;
	char *args;			/* the last page before a hole */
	struct doca_gid gid;
	uint8_t token[DOCA_TOKEN_LEN];
	bool threaded;
} now;

/* Of another driver, for regions of dmabufs; -1: this kernel has no udmabuf. */
static int dmabuf = -1;

static uint64_t random_state;

static uint32_t rnd(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 16) % below;
}

static uint64_t odd_number(uint8_t a)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 7, 8, 15, 16, 63, 64, 65, 255, 256, 1000, 4095, 4096, 4097,
		8192, 65535, 65536, 65537, 1 << 18, 1 << 20, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, 1ULL << 63, (1ULL << 63) - 1, -1ULL, -4096ULL,
		-4097ULL,
	};

	return odd[a % (sizeof(odd) / sizeof(odd[0]))];
}

static uint64_t address(uint8_t a, uint8_t b)
{
	if (a < 0xe0)
		return (uintptr_t)now.arena + a % ARENA_PAGES * PAGE + b * 16;
	return odd_number(b);
}

static uint32_t id(uint8_t a)
{
	return a < 0xe8 ? now.ids[a % 8] : odd_number(a);
}

static void keep_id(uint32_t value)
{
	now.ids[now.num_ids++ % 8] = value;
}

static void keep_key(uint64_t key)
{
	now.keys[now.num_keys++ % 8] = key;
}

static void keep_number(uint32_t number)
{
	now.numbers[now.num_numbers++ % 8] = number;
}

union any {
	uint32_t size;
	struct doca_device_info device_info;
	struct doca_engine_info engine_info;
	struct doca_domain_alloc domain;
	struct doca_region_create region;
	struct doca_channel_create channel;
	struct doca_queue_create queue;
	struct doca_queue_connect connect;
	struct doca_queue_stop stop;
	struct doca_destroy destroy;
	struct doca_region_share share;
	struct doca_region_import import;
	struct doca_function_info function;
	uint8_t raw[256];
};

static void do_ioctl(const struct call *c)
{
	static const struct { unsigned int cmd, size; } cmds[] = {
		{ DOCA_IOCTL_DEVICE_INFO, sizeof(struct doca_device_info) },
		{ DOCA_IOCTL_ENGINE_INFO, sizeof(struct doca_engine_info) },
		{ DOCA_IOCTL_DOMAIN_ALLOC, sizeof(struct doca_domain_alloc) },
		{ DOCA_IOCTL_REGION_CREATE, sizeof(struct doca_region_create) },
		{ DOCA_IOCTL_CHANNEL_CREATE, sizeof(struct doca_channel_create) },
		{ DOCA_IOCTL_QUEUE_CREATE, sizeof(struct doca_queue_create) },
		{ DOCA_IOCTL_QUEUE_CONNECT, sizeof(struct doca_queue_connect) },
		{ DOCA_IOCTL_QUEUE_STOP, sizeof(struct doca_queue_stop) },
		{ DOCA_IOCTL_DESTROY, sizeof(struct doca_destroy) },
		{ DOCA_IOCTL_REGION_SHARE, sizeof(struct doca_region_share) },
		{ DOCA_IOCTL_REGION_IMPORT, sizeof(struct doca_region_import) },
		{ DOCA_IOCTL_FUNCTION_INFO, sizeof(struct doca_function_info) },
	};
	const uint8_t *a = c->arg;
	unsigned int which = a[0] % (sizeof(cmds) / sizeof(cmds[0])), size = cmds[which].size;
	union any any = { 0 };
	char *user;

	switch (cmds[which].cmd) {
	case DOCA_IOCTL_ENGINE_INFO:
		any.engine_info.engine = a[4] % 4;
		break;
	case DOCA_IOCTL_REGION_CREATE:
		any.region.access = a[4] & 0x3f;
		any.region.addr = address(a[5], a[6]);
		any.region.length = a[7] < 0xe0 ? a[7] * 777UL : odd_number(a[8]);
		if (a[13] >= 0xc0) {
			any.region.flags = DOCA_REGION_DMABUF;
			any.region.dmabuf_fd = a[13] < 0xf8 ? dmabuf : a[12];
			any.region.dmabuf_offset = a[12] < 0xe0 ? a[12] * 777UL :
								  odd_number(a[9]);
		}
		break;
	case DOCA_IOCTL_CHANNEL_CREATE:
		any.channel.flags = O_NONBLOCK | (a[4] & 1 ? O_CLOEXEC : 0);
		any.channel.entries = a[5] < 0xe0 ? a[5] : odd_number(a[6]);
		any.channel.comp_vector = a[7] & 1 ? DOCA_COMP_VECTOR_ANY : a[7] / 2 % 4;
		break;
	case DOCA_IOCTL_QUEUE_CREATE:
		any.queue.engine = a[4] % 3;
		any.queue.channel_id = id(a[5]);
		any.queue.entries = a[6] < 0xe0 ? a[6] % 64 : odd_number(a[7]);
		any.queue.tag = a[8];
		break;
	case DOCA_IOCTL_QUEUE_CONNECT:
		any.connect.queue_id = id(a[4]);
		any.connect.remote_queue = now.numbers[a[5] % 8];
		any.connect.remote_gid = now.gid;
		any.connect.retry_ms = a[6] < 0xe0 ? a[6] % 8 + 1U : odd_number(a[7]);
		break;
	case DOCA_IOCTL_QUEUE_STOP:
		any.stop.queue_id = id(a[4]);
		break;
	case DOCA_IOCTL_DESTROY:
		any.destroy.id = id(a[4]);
		break;
	case DOCA_IOCTL_REGION_SHARE:
		any.share.region_id = id(a[4]);
		break;
	case DOCA_IOCTL_REGION_IMPORT:
		any.import.function_number = a[4] < 0xe0 ? a[4] % 2 : odd_number(a[5]);
		any.import.remote_mkey = now.numbers[a[6] % 8];
		memcpy(any.import.token, now.token, sizeof(any.import.token));
		break;
	case DOCA_IOCTL_FUNCTION_INFO:
		any.function.function_number = a[4] < 0xe0 ? a[4] % 3 : odd_number(a[5]);
		break;
	}
	/* sizes, a wrong byte, and where the struct lies: rarely all at once */
	any.size = size;
	if (a[1] >= 0xe0)
		any.size = odd_number(a[9]);
	else if (a[1] >= 0xd0)
		any.size = size + a[9] % 64;
	if (a[2] >= 0xe0)
		any.raw[a[10] % 128] ^= a[11];
	user = now.args + PAGE - (size + 7) / 8 * 8;
	if (a[3] >= 0xf8)
		user = (char *)(uintptr_t)address(a[12], a[13]);
	else if (a[3] >= 0xf0)
		user += a[13] % 16;
	else if (any.size <= sizeof(any))
		memcpy(user, &any, any.size < size ? any.size : size);
	if (ioctl(now.fd[a[14] % SLOTS], cmds[which].cmd, user))
		return;
	memcpy(&any, user, size);
	switch (cmds[which].cmd) {
	case DOCA_IOCTL_DEVICE_INFO:
		now.gid = any.device_info.out_gid;
		break;
	case DOCA_IOCTL_DOMAIN_ALLOC:
		keep_key(any.domain.out_doorbell_key);
		keep_key(any.domain.out_status_key);
		break;
	case DOCA_IOCTL_REGION_CREATE:
		keep_id(any.region.out_id);
		keep_number(any.region.out_mkey);
		break;
	case DOCA_IOCTL_CHANNEL_CREATE:
		keep_id(any.channel.out_id);
		keep_key(any.channel.out_ring_key);
		keep_number(any.channel.out_cq);
		now.events[a[14] % SLOTS] = any.channel.out_fd;
		break;
	case DOCA_IOCTL_QUEUE_CREATE:
		keep_id(any.queue.out_id);
		keep_key(any.queue.out_ring_key);
		keep_number(any.queue.out_queue);
		break;
	case DOCA_IOCTL_REGION_SHARE:
		memcpy(now.token, any.share.out_token, sizeof(now.token));
		break;
	case DOCA_IOCTL_REGION_IMPORT:
		keep_id(any.import.out_id);
		keep_number(any.import.out_mkey);
		break;
	}
}

static void do_mmap(const uint8_t *a)
{
	static const int prots[] = {
		PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE, PROT_NONE, PROT_EXEC,
		PROT_READ | PROT_EXEC, PROT_WRITE, PROT_READ,
	};
	size_t len = (a[1] < 0xe0 ? a[1] % 20 + 1U : odd_number(a[2]) % 100) * PAGE;
	off_t key = a[3] < 0xe0 ? now.keys[a[3] % 8] : odd_number(a[4]) * PAGE;
	char *p;

	p = mmap(NULL, len, prots[a[5] % 8], a[6] >= 0xf0 ? MAP_PRIVATE : MAP_SHARED,
		 now.fd[a[0] % SLOTS], key);
	if (p == MAP_FAILED)
		return;
	now.maps[a[7] % MAPS].addr = p;
	now.maps[a[7] % MAPS].len = len;
}

static void do_change_map(const uint8_t *a)
{
	char *p = now.maps[a[0] % MAPS].addr;
	size_t len = now.maps[a[0] % MAPS].len;

	if (!p)
		return;
	switch (a[1] % 6) {
	case 0:
		p = mremap(p, len, len + PAGE, MREMAP_MAYMOVE);
		if (p != MAP_FAILED)
			now.maps[a[0] % MAPS].addr = p;
		break;
	case 1:
		mprotect(p, len, a[2] & 7);
		break;
	case 2:
		madvise(p, len, a[2] % 26);
		break;
	case 3:
		munmap(p, PAGE);
		break;
	case 4:
		mremap(p, len, len, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
		break;
	case 5:
		msync(p, len, MS_SYNC);
		break;
	}
}

/* A fault in here ends the program, as it would end any other. */
static void do_doorbell(const uint8_t *a)
{
	char *p = now.maps[a[0] % MAPS].addr;
	uint64_t object = a[2] < 0xf0 ? now.numbers[a[2] % 8] : odd_number(a[3]);
	uint64_t index = a[4] < 0xf0 ? a[4] % 16 : odd_number(a[5]);

	if (p)
		*(volatile uint64_t *)(p + (a[1] % 3) * 0x40) = object << 32 | (uint32_t)index;
}

static void do_descriptor(const uint8_t *a)
{
	char *p = now.maps[a[0] % MAPS].addr;
	struct doca_sqe sqe = {
		.opcode = a[2] < 0xf0 ? 1 : a[2],
		.num_src = 1, .num_dst = 1, .cookie = a[3],
		.sge = {
			{ address(a[4], a[5]), now.numbers[a[6] % 8], a[7] * 16 },
			{ address(a[8], a[9]), now.numbers[a[10] % 8], a[11] * 16 },
		},
	};

	if (p)
		memcpy(p + a[1] % 16 * sizeof(sqe), &sqe, sizeof(sqe));
}

static void do_events(const uint8_t *a)
{
	int fd = now.events[a[0] % SLOTS];
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	char *buf = now.args + PAGE - a[2] % 16;

	switch (a[1] % 4) {
	case 0:
		poll(&pollfd, 1, a[2] % 4);
		break;
	case 1:
		if (read(fd, buf, a[2] % 16) < 0)
			break;
		break;
	case 2:
		if (now.args && read(fd, (void *)(uintptr_t)address(a[3], a[4]), 8) < 0)
			break;
		break;
	case 3:
		close(fd);
		break;
	}
}

static void do_arena(const uint8_t *a)
{
	char *p = now.arena + a[0] % ARENA_PAGES * PAGE;
	size_t len = (1 + a[1] % 8) * PAGE;

	if (p + len > now.arena + ARENA_PAGES * PAGE)
		return;
	switch (a[2] % 4) {
	case 0:
		munmap(p, len);
		break;
	case 1:
	case 2:
		mmap(p, len, a[3] & 1 ? PROT_READ : PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 3:
		madvise(p, len, MADV_DONTNEED);
		break;
	}
}

static void run_from(const struct program *program, uint32_t at);

static void *second_thread(void *arg)
{
	run_from(arg, 0);
	return NULL;
}

static void run_call(const struct program *program, uint32_t at)
{
	const struct call *c = &program->calls[at];
	const uint8_t *a = c->arg;
	pthread_t thread;
	pid_t pid;
	int fd;

	switch (c->op % NUM_OPS) {
	case OP_OPEN:
		/* the other side of the card, if there is one */
		fd = open(a[1] & 1 ? OTHER_NODE : NODE, O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			now.fd[a[0] % SLOTS] = fd;
		break;
	case OP_CLOSE:
		close(now.fd[a[0] % SLOTS]);
		break;
	case OP_DUP:
		now.fd[a[0] % SLOTS] = dup(now.fd[a[1] % SLOTS]);
		break;
	case OP_IOCTL ... OP_IOCTL_4:
		do_ioctl(c);
		break;
	case OP_ODD_IOCTL:
		ioctl(now.fd[a[0] % SLOTS], _IOC(a[1] & 3, a[2] & 1 ? DOCA_IOCTL_TYPE : a[3],
						 a[4], a[5]), now.args);
		break;
	case OP_MMAP:
	case OP_MMAP_2:
		do_mmap(a);
		break;
	case OP_MUNMAP:
		if (now.maps[a[0] % MAPS].addr)
			munmap(now.maps[a[0] % MAPS].addr, now.maps[a[0] % MAPS].len);
		now.maps[a[0] % MAPS].addr = NULL;
		break;
	case OP_CHANGE_MAP:
		do_change_map(a);
		break;
	case OP_DOORBELL:
		do_doorbell(a);
		break;
	case OP_DESCRIPTOR:
		do_descriptor(a);
		break;
	case OP_EVENTS:
		do_events(a);
		break;
	case OP_FORK:
		/* the child goes on with the rest of it, and so does the parent */
		pid = fork();
		if (!pid) {
			alarm(CHILD_S / 4);
			run_from(program, at + 1);
			_exit(0);
		}
		if (a[0] & 1 && pid > 0)
			kill(pid, SIGKILL);
		break;
	case OP_THREAD:
		if (!now.threaded && !pthread_create(&thread, NULL, second_thread,
						     (void *)program))
			pthread_detach(thread);
		now.threaded = true;
		break;
	case OP_ARENA:
		do_arena(a);
		break;
	}
}

static void run_from(const struct program *program, uint32_t at)
{
	for (; at < program->num; at++)
		run_call(program, at);
}

static void child(const struct program *program)
{
	int i, null = open("/dev/null", O_RDWR);

	dup2(null, 1);
	dup2(null, 2);
	for (i = 0; i < SLOTS; i++)
		now.fd[i] = now.events[i] = -1;
	now.arena = mmap(NULL, (ARENA_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	now.args = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(now.args + PAGE, PAGE);
	/* a hole, and pages that cannot be written */
	munmap(now.arena + 40 * PAGE, PAGE);
	mprotect(now.arena + 44 * PAGE, 2 * PAGE, PROT_READ);
	now.fd[0] = open(NODE, O_RDWR | O_CLOEXEC);
	alarm(CHILD_S);
	run_from(program, 0);
	_exit(0);
}

/* Coverage: how often the module's basic blocks follow each other. */
static uint64_t *kcov;
static int kcov_fd = -1;
static uint8_t seen[1U << SEEN_BITS];
static uint8_t seen_pc[1U << SEEN_BITS];
static unsigned int num_edges, num_pcs;

static void kcov_open(void)
{
	kcov_fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (kcov_fd < 0 || ioctl(kcov_fd, KCOV_INIT, KCOV_ENTRIES)) {
		printf("ioctl-fuzz: no KCOV (%s): goes on blindly; make debug-kernel has it\n",
		       strerror(errno));
		kcov_fd = -1;
		return;
	}
	kcov = mmap(NULL, KCOV_ENTRIES * sizeof(*kcov), PROT_READ | PROT_WRITE, MAP_SHARED,
		    kcov_fd, 0);
	if (kcov == MAP_FAILED) {
		perror("ioctl-fuzz: KCOV");
		exit(1);
	}
}

static uint32_t hash(uint64_t value)
{
	return value * 0x9e3779b97f4a7c15ULL >> (64 - SEEN_BITS);
}

/* What this run has reached that none before has. */
static unsigned int kcov_collect(void)
{
	uint64_t num, i, before = 0;
	unsigned int fresh = 0;

	if (kcov_fd < 0)
		return 0;
	num = __atomic_load_n(&kcov[0], __ATOMIC_RELAXED);
	for (i = 0; i < num && i + 1 < KCOV_ENTRIES; i++) {
		uint64_t pc = kcov[i + 1];
		uint32_t edge = hash(before * 31 + pc);

		if (!seen_pc[hash(pc)]) {
			seen_pc[hash(pc)] = 1;
			num_pcs++;
		}
		if (!seen[edge]) {
			seen[edge] = 1;
			num_edges++;
			fresh++;
		}
		before = pc;
	}
	return fresh;
}

static unsigned int run(const struct program *program, unsigned int *killed)
{
	int status;
	pid_t pid;

	if (kcov_fd >= 0)
		kcov[0] = 0;
	pid = fork();
	if (pid < 0) {
		perror("ioctl-fuzz: fork");
		exit(1);
	}
	if (!pid) {
		setpgid(0, 0);
		if (kcov_fd >= 0)
			ioctl(kcov_fd, KCOV_ENABLE, 0);
		child(program);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		++*killed;
	/* and what it has forked */
	kill(-pid, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return kcov_collect();
}

static struct program *corpus[MAX_CORPUS];
static unsigned int corpus_size;

static void add(const struct program *program)
{
	struct program *copy;

	if (corpus_size == MAX_CORPUS)
		return;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return;
	*copy = *program;
	corpus[corpus_size++] = copy;
}

static void random_call(struct call *c)
{
	unsigned int i;

	c->op = rnd(NUM_OPS);
	for (i = 0; i < sizeof(c->arg); i++)
		c->arg[i] = rnd(256);
	if (rnd(2))
		c->arg[14] = 0;
}

static void mutate(struct program *p)
{
	unsigned int times = 1 + rnd(4), at, n;
	const struct program *other;

	while (times--) {
		at = p->num ? rnd(p->num) : 0;
		switch (rnd(6)) {
		case 0:		/* one more */
			if (p->num == MAX_CALLS)
				break;
			memmove(&p->calls[at + 1], &p->calls[at],
				(p->num - at) * sizeof(p->calls[0]));
			random_call(&p->calls[at]);
			p->num++;
			break;
		case 1:		/* one less */
			if (p->num < 2)
				break;
			memmove(&p->calls[at], &p->calls[at + 1],
				(p->num - at - 1) * sizeof(p->calls[0]));
			p->num--;
			break;
		case 2:		/* the end of another one */
			if (!corpus_size)
				break;
			other = corpus[rnd(corpus_size)];
			n = other->num ? rnd(other->num) : 0;
			while (n < other->num && p->num < MAX_CALLS)
				p->calls[p->num++] = other->calls[n++];
			break;
		default:
			if (p->num)
				p->calls[at].arg[rnd(15)] = rnd(3) ? rnd(256) : rnd(8);
			break;
		}
	}
}

static void load(const char *folder)
{
	struct dirent *entry;
	struct program program;
	unsigned int killed = 0;
	char path[4096];
	ssize_t n;
	DIR *dir;
	int fd;

	dir = opendir(folder);
	if (!dir) {
		fprintf(stderr, "ioctl-fuzz: %s: %m\n", folder);
		exit(2);
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? -1 : read(fd, program.calls, sizeof(program.calls));
		close(fd);
		program.num = n > 0 ? n / sizeof(program.calls[0]) : 0;
		if (!program.num)
			continue;
		run(&program, &killed);
		add(&program);
	}
	closedir(dir);
}

static void save(const char *folder, const struct program *program)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%08x", folder, hash(num_edges * 7919ULL) << 8 | corpus_size);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, program->calls, program->num * sizeof(program->calls[0])) < 0)
		fprintf(stderr, "ioctl-fuzz: %s: %m\n", path);
	close(fd);
}

static void make_dmabuf(void)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = 64 * PAGE };
	int dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);

	if (dev < 0)
		return;
	create.memfd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (!ftruncate(create.memfd, create.size) &&
	    !fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		dmabuf = ioctl(dev, UDMABUF_CREATE, &create);
	close(create.memfd);
	close(dev);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	double start, limit = 60, next;
	unsigned int runs = 0, killed = 0;
	const char *out = NULL;
	int opt;

	random_state = 88172645463325252ULL;
	while ((opt = getopt(argc, argv, "t:s:o:")) != -1) {
		switch (opt) {
		case 't':
			limit = atof(optarg);
			break;
		case 's':
			random_state ^= strtoull(optarg, NULL, 0) * 0x9e3779b97f4a7c15ULL;
			break;
		case 'o':
			out = optarg;
			break;
		default:
			fprintf(stderr, "usage: ioctl-fuzz [-t SECONDS] [-s SEED] [-o FOLDER] [CORPUS-FOLDER]\n");
			return 2;
		}
	}
	if (access(NODE, R_OK | W_OK)) {
		fprintf(stderr, "ioctl-fuzz: " NODE ": %m\n");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	kcov_open();
	make_dmabuf();
	if (optind < argc)
		load(argv[optind]);
	printf("ioctl-fuzz: %u programs in the corpus reach %u blocks, %u edges\n", corpus_size,
	       num_pcs, num_edges);
	start = seconds();
	next = start + 10;
	while (seconds() < start + limit) {
		struct program program = { 0 };

		if (corpus_size && rnd(20))
			program = *corpus[rnd(corpus_size)];
		mutate(&program);
		runs++;
		if (run(&program, &killed)) {
			add(&program);
			if (out)
				save(out, &program);
		}
		if (seconds() > next) {
			next += 10;
			printf("ioctl-fuzz: %.0f s, %u programs, %u kept, %u blocks, %u edges\n",
			       seconds() - start, runs, corpus_size, num_pcs, num_edges);
		}
	}
	printf("ioctl-fuzz: done: %u programs in %.0f s, %u of them too slow; %u blocks, %u edges\n",
	       runs, seconds() - start, killed, num_pcs, num_edges);
	return 0;
}
