/* SPDX-License-Identifier: MIT */
/*
 * What the skeleton needs besides DOCA: messages, huge pages, files, and the
 * socket between its two processes. All of it is in this header, so that an
 * example is one source file.
 */
#ifndef SKELETON_H
#define SKELETON_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <openssl/evp.h>

#ifndef MAP_HUGE_2MB
#define MAP_HUGE_2MB	(21 << 26)
#endif

#define HUGE_PAGE_SIZE	((size_t)2 << 20)
#define HUGE_PAGE_DIR	"/sys/kernel/mm/hugepages/hugepages-2048kB/"
#define SHA256_LEN	32

#define MIB(bytes)	((double)(bytes) / (1 << 20))

/*
 * Messages. Each process says who it is; the first reason for a failure is
 * kept, for the last line of the output.
 */
static const char *role_name = "skeleton";
static char failure[1024];

__attribute__((format(printf, 1, 2)))
static inline void say(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* One write per line: two processes share the terminal. */
	printf("%s: %s\n", role_name, text);
	fflush(stdout);
}

/* Keeps the reason, unless there is one already. Returns -1. */
__attribute__((format(printf, 1, 2)))
static inline int fail(const char *format, ...)
{
	va_list args;

	if (!failure[0]) {
		va_start(args, format);
		vsnprintf(failure, sizeof(failure), format, args);
		va_end(args);
	}
	return -1;
}

static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/*
 * Progress of long work: a bar on a terminal, a line for each quarter elsewhere.
 */
struct progress {
	const char *what;
	size_t total;
	double next;
	int quarter;
};

static inline void show_progress(struct progress *progress, size_t done)
{
	static const char bar[] = "########################################";
	const int width = sizeof(bar) - 1;
	int percent = progress->total ? done * 100 / progress->total : 100;
	double time;

	if (isatty(STDOUT_FILENO)) {
		time = now();
		if (done < progress->total && time < progress->next)
			return;
		progress->next = time + 0.1;
		printf("\r%s: %-8s [%-*.*s] %3d %%%s", role_name,
		       progress->what, width, percent * width / 100, bar,
		       percent, done < progress->total ? "" : "\n");
		fflush(stdout);
	} else if (percent / 25 > progress->quarter) {
		progress->quarter = percent / 25;
		say("%s: %d %%", progress->what, percent);
	}
}

/* "64M" and the like; 0 if it is no size. */
static inline size_t parse_size(const char *text)
{
	unsigned long long number;
	int shift = 0;
	char *end;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	number = strtoull(text, &end, 0);
	if (errno)
		return 0;
	switch (*end) {
	case 'G': case 'g':
		shift += 10;
		/* fallthrough */
	case 'M': case 'm':
		shift += 10;
		/* fallthrough */
	case 'K': case 'k':
		shift += 10;
		end++;
	}
	if (*end || number > SIZE_MAX >> 1 >> shift)
		return 0;
	return (size_t)number << shift;
}

/*
 * Huge pages.
 */
static inline long read_number(const char *path)
{
	FILE *file = fopen(path, "re");
	long number = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

/* Whether there are huge pages for @bytes, @times over; says why not. */
static inline int check_hugepages(size_t bytes, unsigned int times)
{
	long needed = (long)(bytes / HUGE_PAGE_SIZE * times);
	long total = read_number(HUGE_PAGE_DIR "nr_hugepages");
	long avail = read_number(HUGE_PAGE_DIR "free_hugepages");
	long reserved = read_number(HUGE_PAGE_DIR "resv_hugepages");

	if (total < 0 || avail < 0)
		return fail("this kernel has no 2 MiB huge pages");
	if (reserved > 0)
		avail -= reserved;
	if (avail >= needed)
		return 0;
	return fail("not enough huge pages: %ld of 2 MiB needed, %ld free; get more as root with: echo %ld > /proc/sys/vm/nr_hugepages",
		    needed, avail, total + needed - avail);
}

static inline void *mmap_hugepage(size_t bytes)
{
	void *mem;

	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB |
		   MAP_POPULATE, -1, 0);
	if (mem != MAP_FAILED)
		return mem;
	if (errno != ENOMEM || !check_hugepages(bytes, 1))
		fail("cannot map %.0f MiB of huge pages: %m", MIB(bytes));
	return NULL;
}

/* Memory that this process has pinned and locked, in bytes. */
static inline size_t pinned_memory(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	size_t kib, sum = 0;
	char line[256];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "VmPin: %zu kB", &kib) == 1 ||
		    sscanf(line, "VmLck: %zu kB", &kib) == 1)
			sum += kib << 10;
	fclose(file);
	return sum;
}

/* Whether @bytes more are over the limit for locked memory; says so. */
static inline int check_memlock(size_t bytes)
{
	size_t needed = pinned_memory() + bytes;
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed)
		return 0;
	return fail("the memlock limit is too low: %zu KiB needed, %zu KiB allowed; raise it with 'ulimit -l %zu' or in /etc/security/limits.conf",
		    needed >> 10, (size_t)limit.rlim_cur >> 10, needed >> 10);
}

/*
 * Files.
 */
static const char *const big_file_places[] = {
	"/boot", "/usr/src", "/var/cache/apt", "/usr/lib/*-linux-gnu",
	"/usr/lib/llvm-*/lib", "/usr/lib/gcc/*/*", "/usr/lib", "/usr/bin",
};

#define NUM_PLACES	(sizeof(big_file_places) / sizeof(big_file_places[0]))

/* The largest readable file in a folder goes to @path if it is above *@size. */
static inline void find_in_folder(const char *folder, char *path, size_t *size)
{
	char name[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	dir = opendir(folder);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN)
			continue;
		if (snprintf(name, sizeof(name), "%s/%s", folder,
			     entry->d_name) >= (int)sizeof(name) ||
		    lstat(name, &st) || !S_ISREG(st.st_mode) ||
		    (size_t)st.st_size <= *size || access(name, R_OK))
			continue;
		*size = st.st_size;
		strcpy(path, name);
	}
	closedir(dir);
}

/* The largest file of the first place that has one of at least @size. */
static inline int find_big_file(size_t size, char *path)
{
	size_t largest;
	glob_t folders;
	size_t i, j;

	for (i = 0; i < NUM_PLACES; i++) {
		largest = 0;
		if (glob(big_file_places[i], GLOB_ONLYDIR, NULL, &folders))
			continue;
		for (j = 0; j < folders.gl_pathc; j++)
			find_in_folder(folders.gl_pathv[j], path, &largest);
		globfree(&folders);
		if (largest >= size)
			return 0;
	}
	return fail("found no file of at least %.0f MiB in /boot, /usr/src, /var/cache/apt, /usr/lib and /usr/bin; give one with --file",
		    MIB(size));
}

/* Reads the first @size bytes of a file and hashes them on the way. */
static inline int read_file(const char *path, void *mem, size_t size,
			    uint8_t *sha)
{
	struct progress progress = { .what = "reading", .total = size };
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	const size_t piece = 1 << 20;
	size_t done = 0;
	struct stat st;
	ssize_t got;
	int ret = -1;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		fail("cannot open '%s': %m", path);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		fail("'%s' is not a regular file", path);
		goto out;
	}
	if ((size_t)st.st_size < size) {
		fail("'%s' is too short: %zu bytes needed, it has %zu; give another one with --file, or a smaller --size",
		     path, size, (size_t)st.st_size);
		goto out;
	}
	if (!md || !EVP_DigestInit_ex(md, EVP_sha256(), NULL)) {
		fail("no SHA-256 in libcrypto");
		goto out;
	}
	while (done < size) {
		got = read(fd, (char *)mem + done,
			   size - done < piece ? size - done : piece);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got < 0)
				fail("cannot read '%s': %m", path);
			else
				fail("'%s' became shorter", path);
			goto out;
		}
		EVP_DigestUpdate(md, (char *)mem + done, got);
		done += got;
		show_progress(&progress, done);
	}
	EVP_DigestFinal_ex(md, sha, NULL);
	ret = 0;
out:
	EVP_MD_CTX_free(md);
	if (fd >= 0)
		close(fd);
	return ret;
}

static inline int hash_memory(const void *mem, size_t size, uint8_t *sha)
{
	struct progress progress = { .what = "hashing", .total = size };
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	const size_t piece = 1 << 20;
	size_t done, len;

	if (!md || !EVP_DigestInit_ex(md, EVP_sha256(), NULL)) {
		EVP_MD_CTX_free(md);
		return fail("no SHA-256 in libcrypto");
	}
	for (done = 0; done < size; done += len) {
		len = size - done < piece ? size - done : piece;
		EVP_DigestUpdate(md, (const char *)mem + done, len);
		show_progress(&progress, done + len);
	}
	EVP_DigestFinal_ex(md, sha, NULL);
	EVP_MD_CTX_free(md);
	return 0;
}

static inline const char *sha_text(const uint8_t *sha)
{
	static char text[2 * SHA256_LEN + 1];
	int i;

	for (i = 0; i < SHA256_LEN; i++)
		sprintf(text + 2 * i, "%02x", sha[i]);
	return text;
}

/*
 * The socket between the two processes. It carries what each side has to know
 * of the other, before and after; the file's bytes never go through it.
 */
enum message_type {
	MSG_CONNECTION = 0x444f4341,	/* from doca_rdma_export() */
	MSG_MEMORY,			/* from doca_mmap_export_rdma() */
	MSG_READY,			/* the target is connected */
	MSG_WRITTEN,			/* struct written */
	MSG_HASH,			/* of the target's memory */
	MSG_FAILED,			/* text */
};

struct message {
	uint32_t type;
	uint32_t len;
	uint8_t data[4096];
};

/* What the writer has done. */
struct written {
	uint64_t bytes;
	uint32_t tasks;
	uint32_t reserved;
	uint8_t sha[SHA256_LEN];
};

static inline const char *peer_name(void)
{
	return strcmp(role_name, "writer") ? "writer" : "target";
}

static inline int send_bytes(int fd, const void *data, size_t len)
{
	ssize_t done;

	while (len) {
		done = send(fd, data, len, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		data = (const char *)data + done;
		len -= done;
	}
	return 0;
}

static inline int receive_bytes(int fd, void *data, size_t len)
{
	ssize_t got;

	while (len) {
		got = recv(fd, data, len, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return fail("the %s went away", peer_name());
		data = (char *)data + got;
		len -= got;
	}
	return 0;
}

/* Waits for a message of the type. A failure of the other side is one here. */
static inline int receive_message(int fd, uint32_t type, struct message *msg)
{
	if (receive_bytes(fd, msg, offsetof(struct message, data)))
		return -1;
	if (msg->len > sizeof(msg->data) || msg->type < MSG_CONNECTION ||
	    msg->type > MSG_FAILED)
		return fail("the %s does not speak this language", peer_name());
	if (receive_bytes(fd, msg->data, msg->len))
		return -1;
	if (msg->type == MSG_FAILED)
		return fail("%s: %.*s", peer_name(), (int)msg->len,
			    (char *)msg->data);
	if (msg->type != type)
		return fail("unexpected message %u from the %s", msg->type,
			    peer_name());
	return 0;
}

static inline int send_message(int fd, uint32_t type, const void *data,
			       size_t len)
{
	struct message msg = { .type = type, .len = len };

	if (len > sizeof(msg.data))
		return fail("a message of %zu bytes is too long", len);
	if (len)
		memcpy(msg.data, data, len);
	if (!send_bytes(fd, &msg, offsetof(struct message, data) + len))
		return 0;
	/* It may have said why before it went. */
	receive_message(fd, 0, &msg);
	return -1;
}

/* Whether the other side has gone, or has something to say. */
static inline bool peer_calls(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN | POLLRDHUP };

	return poll(&pollfd, 1, 0) > 0;
}

/* "fd:N": a socket that was inherited. */
static inline int inherited_socket(const char *name)
{
	int fd;

	if (strncmp(name, "fd:", 3))
		return -1;
	fd = atoi(name + 3);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

static inline int socket_address(const char *path, struct sockaddr_un *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(addr->sun_path))
		return fail("the name of the socket is longer than %zu bytes",
			    sizeof(addr->sun_path) - 1);
	strcpy(addr->sun_path, path);
	return 0;
}

/* Target: waits for a writer at the socket. */
static inline int accept_writer(const char *path)
{
	struct sockaddr_un addr;
	struct stat st;
	int listener, fd = -1;

	if (socket_address(path, &addr))
		return -1;
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0)
		return fail("cannot make a socket: %m");
	/* One that an earlier target left behind is in the way. */
	if (!lstat(path, &st) && S_ISSOCK(st.st_mode) &&
	    connect(listener, (struct sockaddr *)&addr, sizeof(addr)) &&
	    errno == ECONNREFUSED)
		unlink(path);
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr))) {
		fail("cannot listen at '%s': %m", path);
		close(listener);
		return -1;
	}
	say("waiting for a writer at %s", path);
	if (!listen(listener, 1))
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		fail("cannot accept at '%s': %m", path);
	unlink(path);
	close(listener);
	return fd;
}

/* Writer: connects to the target's socket, and waits a while for it. */
static inline int connect_target(const char *path)
{
	const struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };
	struct sockaddr_un addr;
	int tries, err;
	int fd;

	if (socket_address(path, &addr))
		return -1;
	for (tries = 0; tries < 100; tries++) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			return fail("cannot make a socket: %m");
		if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
			return fd;
		err = errno;
		close(fd);
		errno = err;
		if (err != ENOENT && err != ECONNREFUSED)
			break;
		if (!tries)
			say("waiting for a target at %s", path);
		nanosleep(&pause, NULL);
		errno = err;
	}
	return fail("no target at '%s': %m", path);
}

#endif /* SKELETON_H */
