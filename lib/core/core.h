/* SPDX-License-Identifier: MIT */
/*
 * What the parts of libdoca know of each other. Not installed.
 *
 * Names: public ones begin with doca_, the library's own ones with lib_.
 *
 * How the objects hang together:
 *
 *   doca_dev            one open file of /dev/doca/<n>, one protection domain
 *   doca_mmap           a range of memory and its key for each of its devices
 *   doca_ctx            first member of each engine object (doca_dma, ...)
 *   doca_task           first member of each task; all tasks of a context lie
 *                       in one block, and the index in it is the cookie of the
 *                       task's descriptor
 *   lib_queue           a submission ring of a context
 *   lib_channel         a completion ring and its event fd. It has a table of
 *                       the queues that report to it; the index in it is the
 *                       tag of the queue's completions
 *   doca_event_channel  lib_channels of one device that serve the same contexts
 *   doca_pe             polls the lib_channels of its event channels
 *
 * One thread at a time uses a PE and all that hangs on it, so nothing here is
 * locked but what threads share: the list of open devices, the users of a
 * device, and the list of PEs (lib_lock).
 */
#ifndef LIB_CORE_H
#define LIB_CORE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/doca.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_pe.h>
#include <doca_types.h>

#define lib_likely(x)	__builtin_expect(!!(x), 1)
#define lib_unlikely(x)	__builtin_expect(!!(x), 0)

#define lib_container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define lib_min(a, b)	((a) < (b) ? (a) : (b))
#define lib_max(a, b)	((a) > (b) ? (a) : (b))

/* Smallest power of two that is not below @n; 1 <= @n <= 1 << 31. */
static inline uint32_t lib_roundup_pow2(uint32_t n)
{
	return n <= 1 ? 1 : 1U << (32 - __builtin_clz(n - 1));
}

/*
 * Logging: the library's own messages are of this source, and go to the
 * backends of the SDK kind. A message of an error names the cause and, where
 * there is one, the value and its limit.
 */
#define LIB_LOG_SOURCE	(-1)

#define lib_log(level, ...) \
	((void)doca_log(level, LIB_LOG_SOURCE, __FILE__, __LINE__, __func__, \
			__VA_ARGS__))
#define lib_err(...)	lib_log(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define lib_warn(...)	lib_log(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define lib_info(...)	lib_log(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define lib_dbg(...)	lib_log(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

/*
 * Barriers, named by what they are for. The rings are ordinary cached memory,
 * the doorbell page is device memory.
 */
#if defined(__x86_64__) || defined(__i386__)
/* Stores to memory reach it in order, and before a later doorbell store. */
static inline void lib_before_doorbell(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Loads are done in order: the rest of a completion after its phase. */
static inline void lib_after_completion(void)
{
	__asm__ volatile("" ::: "memory");
}
#elif defined(__aarch64__)
static inline void lib_before_doorbell(void)
{
	__asm__ volatile("dmb oshst" ::: "memory");
}

static inline void lib_after_completion(void)
{
	__asm__ volatile("dmb oshld" ::: "memory");
}
#else
#error "no barriers known for this architecture"
#endif

/* One aligned store to the doorbell page; its order is settled by the caller. */
static inline void lib_ring_doorbell(volatile uint64_t *doorbell,
				     uint32_t object, uint32_t index)
{
	*doorbell = htole64((uint64_t)object << 32 | index);
}

#define lib_read_once(x)	(*(const volatile __typeof__(x) *)&(x))

/*
 * threads.c: the optional check that one thread at a time uses an object.
 */

struct lib_thread;

/**
 * struct lib_owner - the thread that an object belongs to
 * @thread: NULL: none yet
 * @call: with which it used the object first
 * @name: of the thread then
 */
struct lib_owner {
	struct lib_thread *thread;
	const char *call;
	char name[16];
};

extern bool lib_check_threads;

void lib_owner_check(struct lib_owner *owner, const char *what,
		     const char *call, bool claim);

/* The caller uses the object in @call, and it is his if it was nobody's. */
#define lib_use(owner, what, call) do {					\
	if (lib_unlikely(lib_check_threads))				\
		lib_owner_check(owner, what, call, true);		\
} while (0)

/* It has to be the caller's, or nobody's. */
#define lib_owned(owner, what, call) do {				\
	if (lib_unlikely(lib_check_threads))				\
		lib_owner_check(owner, what, call, false);		\
} while (0)

#define LIB_PE		"progress engine"

/*
 * kernel.c: all that the library asks of the kernel. Every function but close
 * and unmap returns a negative errno on failure.
 *
 * @scan: calls @found for the number n of each /dev/doca/<n>
 * @open: opens device number @n
 * @map: maps @size bytes at the opaque offset @key; the address in *@addr
 */
struct lib_kernel_ops {
	int (*scan)(void (*found)(void *arg, unsigned int n), void *arg);
	int (*open)(unsigned int n);
	void (*close)(int fd);
	int (*ioctl)(int fd, unsigned long cmd, void *arg);
	int (*map)(int fd, uint64_t key, size_t size, int prot, void **addr);
	void (*unmap)(void *addr, size_t size);
};

extern const struct lib_kernel_ops *lib_kernel;

/* The doca_error_t for a negative errno of the kernel layer. */
doca_error_t lib_error(int err);

/* The doca_error_t for the DOCA_CQE_* status of a completion. */
doca_error_t lib_status_error(uint8_t status);

/* Protects the lists of devices and PEs and the counts in a doca_dev. */
void lib_lock(void);
void lib_unlock(void);

/*
 * dev.c
 */
#define LIB_PCI_ADDR_LEN	13	/* "0000:3a:00.0" and the NUL */

/**
 * struct doca_devinfo - what is known of a device
 * @number: n of /dev/doca/<n>
 * @info: what the kernel says
 * @engines: likewise; valid if the engine's bit is set in @info.out_engines
 * @pci_addr: in the long form
 */
struct doca_devinfo {
	unsigned int number;
	struct doca_device_info info;
	struct doca_engine_info engines[DOCA_NUM_ENGINES];
	char pci_addr[LIB_PCI_ADDR_LEN];
};

/**
 * struct doca_dev - an open device
 * @devinfo: a copy of what it was opened from; first, see lib_devinfo_dev()
 * @next: in the list of open devices
 * @fd: of /dev/doca/<n>
 * @opens: doca_dev_open() without a doca_dev_close() so far
 * @users: objects that need the device: contexts, memory maps, event channels
 * @pid: process that opened it
 * @forked: this is a child of that process: the device is of no use
 * @doorbells: doorbell page
 * @status: status page
 * @page_size: bytes mapped for each of the two
 */
struct doca_dev {
	struct doca_devinfo devinfo;
	struct doca_dev *next;
	int fd;
	unsigned int opens;
	unsigned int users;
	pid_t pid;
	bool forked;
	void *doorbells;
	const struct doca_status_page *status;
	size_t page_size;
};

static inline bool lib_dev_lost(const struct doca_dev *dev)
{
	return lib_read_once(dev->status->removed) != 0;
}

/* An object that needs the device comes or goes; closing is IN_USE meanwhile. */
void lib_dev_get(struct doca_dev *dev);
void lib_dev_put(struct doca_dev *dev);

/*
 * A call for an object of the device, a negative errno if it failed. In a child
 * process nothing is called: -EPERM, and the reason is logged.
 */
int lib_dev_ioctl(struct doca_dev *dev, unsigned long cmd, void *arg);
int lib_dev_map(struct doca_dev *dev, uint64_t key, size_t size, int prot,
		void **addr);
void lib_dev_unmap(struct doca_dev *dev, void *addr, size_t size);
void lib_dev_destroy(struct doca_dev *dev, uint32_t id);

/* Whether a string of either form is the address @own; INVALID_VALUE: of neither. */
doca_error_t lib_pci_addr_is_equal(const char *own, const char *pci_addr_str,
				   uint8_t *is_equal);

/* The engine of the device, NULL (and nothing logged) if it lacks it. */
const struct doca_engine_info *
lib_devinfo_engine(const struct doca_devinfo *devinfo, unsigned int engine);

/*
 * mmap.c
 */

enum lib_export {
	LIB_EXPORT_PCI,
	LIB_EXPORT_RDMA,
	LIB_NUM_EXPORTS,
};

/**
 * struct lib_mmap_key - a device of a memory map
 * @dev: the device
 * @id: of the region; 0 if the map is not started or is an RDMA peer's
 * @mkey: for descriptors; valid while the map is started
 * @desc: export descriptors made for this device, or NULL
 */
struct lib_mmap_key {
	struct doca_dev *dev;
	uint32_t id;
	uint32_t mkey;
	void *desc[LIB_NUM_EXPORTS];
};

/**
 * struct doca_mmap - a memory map
 * @addr: start of the range; an exporter's address if @from_export; what bufs call the
 *	first byte if @dmabuf_fd is not -1
 * @len: bytes; 0 if there is no range yet
 * @access: DOCA_ACCESS_FLAG_*
 * @num_bufs: doca_bufs that lie in it (not counted if @thread_safe)
 * @started: bufs may be made, and the keys are valid
 * @thread_safe: doca_mmap_enable_thread_safety() was called
 * @exported: an export descriptor was made once
 * @from_export: made from an export descriptor of another process
 * @was_started: @free_cb is due at the end
 * @num_keys: devices in @keys
 * @max_keys: how many may be added
 * @keys: the devices
 * @user_data: the application's
 * @free_cb: called at the end, or NULL
 * @free_cookie: its argument
 * @dmabuf_fd: of the dmabuf that the range lies in, a duplicate; -1: it lies in none
 * @dmabuf_offset: of the range in it
 * @owner: thread that it belongs to, if not @thread_safe
 */
struct doca_mmap {
	void *addr;
	size_t len;
	uint32_t access;
	uint32_t num_bufs;
	bool started;
	bool thread_safe;
	bool exported;
	bool from_export;
	bool was_started;
	uint32_t num_keys;
	uint32_t max_keys;
	struct lib_mmap_key *keys;
	union doca_data user_data;
	void (*free_cb)(void *addr, size_t len, void *cookie);
	void *free_cookie;
	int dmabuf_fd;
	size_t dmabuf_offset;
	struct lib_owner owner;
};

/* Whether @len bytes at @addr lie in the map. 0 bytes do at any place in it. */
static inline bool lib_mmap_holds(const struct doca_mmap *mmap,
				  const void *addr, size_t len)
{
	uintptr_t off = (uintptr_t)addr - (uintptr_t)mmap->addr;

	return off <= mmap->len && len <= mmap->len - off;
}

/*
 * A doca_buf of @len bytes at @addr is made, or is gone. While there is one, the
 * map cannot be stopped. BAD_STATE: the map is not started; INVALID_VALUE: the
 * bytes are not in it. Nothing is logged.
 */
static inline doca_error_t lib_mmap_get_buf(struct doca_mmap *mmap,
					    const void *addr, size_t len)
{
	if (!mmap->started)
		return DOCA_ERROR_BAD_STATE;
	if (!lib_mmap_holds(mmap, addr, len))
		return DOCA_ERROR_INVALID_VALUE;
	if (!mmap->thread_safe) {
		lib_use(&mmap->owner, "memory map", "getting a doca_buf");
		mmap->num_bufs++;
	}
	return DOCA_SUCCESS;
}

static inline void lib_mmap_put_buf(struct doca_mmap *mmap)
{
	if (!mmap->thread_safe) {
		lib_use(&mmap->owner, "memory map", "releasing a doca_buf");
		mmap->num_bufs--;
	}
}

/* The map's entry for the device, NULL if it is not one of its devices. */
static inline struct lib_mmap_key *
lib_mmap_find_key(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	for (uint32_t i = 0; i < mmap->num_keys; i++)
		if (mmap->keys[i].dev == dev)
			return &mmap->keys[i];
	return NULL;
}

/*
 * buf.c
 */

/**
 * struct doca_buf - a window of a memory map, and the valid data in it
 * @head: start of the window
 * @len: its bytes
 * @data: start of the data
 * @data_len: its bytes
 * @next: following element of the list, NULL at its end
 * @mmap: the map that it lies in
 * @first: first element of the list; the buf itself if it is the first
 * @last: last element of the list; valid in the first
 * @list_len: elements in the list; valid in the first
 * @refcount: references; those of a list are its first element's
 * @owner: inventory or pool that it comes from
 * @release: takes back a buf without references, and the list that it heads
 */
struct doca_buf {
	void *head;
	size_t len;
	void *data;
	size_t data_len;
	struct doca_buf *next;
	struct doca_mmap *mmap;
	struct doca_buf *first;
	struct doca_buf *last;
	uint32_t list_len;
	uint16_t refcount;
	void *owner;
	void (*release)(struct doca_buf *buf);
};

/* Bytes behind the data, where a task's output goes. */
static inline size_t lib_buf_room(const struct doca_buf *buf)
{
	return (char *)buf->head + buf->len -
	       ((char *)buf->data + buf->data_len);
}

/**
 * struct lib_work - something to be done in doca_pe_progress()
 * @next: in the PE's list
 * @queued: it is in that list
 * @run: does it; returns the number of things that happened. It is not in the list
 *	meanwhile, and may put itself there again. Its owner may be gone afterwards
 */
struct lib_work {
	struct lib_work *next;
	bool queued;
	unsigned int (*run)(struct lib_work *work, unsigned int budget);
};

/*
 * task.c
 */
enum lib_task_state {
	LIB_TASK_FREE,		/* in the pool */
	LIB_TASK_READY,		/* the application's, may be submitted */
	LIB_TASK_INCOMPLETE,	/* the application's; a buf or a key is missing */
	LIB_TASK_INFLIGHT,	/* the library's */
};

typedef void (*lib_task_cb)(void *task, union doca_data task_user_data,
			    union doca_data ctx_user_data);

/**
 * struct doca_task - a task; the first member of each kind of task
 * @sqe_head: first 8 bytes of the descriptor, little-endian: opcode, flags,
 *	lengths of lists (1 and 1) and cookie
 * @sqe_arg: second 8 bytes
 * @src_key: memory key of @src, little-endian as in the descriptor
 * @dst_key: of @dst
 * @src: input: the data of the list
 * @dst: output goes behind the data of the list
 * @queue: where it is submitted
 * @ctx: context that it belongs to; valid in a free task, too
 * @end: in flight: ring index behind the descriptor
 * @bytes: in flight: bytes of output, if it is done
 * @state: enum lib_task_state
 * @type: kind of task, index of ctx->types
 * @remote_dst: the destination is one range: only the first of the list
 * @status: result of the last run
 * @user_data: the application's
 * @done: callback for success and for failure, by (status != 0)
 * @next_free: in the pool
 *
 * What submitting reads comes first, and is one cache line.
 */
struct doca_task {
	uint64_t sqe_head;
	uint64_t sqe_arg;
	uint32_t src_key;
	uint32_t dst_key;
	const struct doca_buf *src;
	struct doca_buf *dst;
	struct lib_queue *queue;
	struct doca_ctx *ctx;
	uint32_t end;
	uint8_t state;
	uint8_t type;
	bool remote_dst;
	uint64_t bytes;
	union doca_data user_data;
	lib_task_cb done[2];
	struct doca_task *next_free;
	doca_error_t status;
} __attribute__((aligned(64)));

/**
 * struct lib_queue - a submission ring
 * @ring: mapped entries
 * @doorbell: where to ring it in
 * @number: of the queue, for the doorbell and for peers
 * @mask: entries of the ring - 1
 * @pi: producer index
 * @ci: all entries before it are free again
 * @rung: producer index that was rung in last
 * @ctx: context that it belongs to
 * @next: of the same context
 * @channel: where its completions go
 * @id: object id; 0: it had to be destroyed early
 * @tag: index in the channel's table
 * @ring_size: bytes mapped
 */
struct lib_queue {
	struct doca_sqe *ring;
	volatile uint64_t *doorbell;
	uint32_t number;
	uint32_t mask;
	uint32_t pi;
	uint32_t ci;
	uint32_t rung;
	struct doca_ctx *ctx;
	struct lib_queue *next;
	struct lib_channel *channel;
	uint32_t id;
	uint32_t tag;
	size_t ring_size;
};

/* A task from the pool of @type, state INCOMPLETE. BAD_STATE, NO_MEMORY. */
doca_error_t lib_task_alloc(struct doca_ctx *ctx, unsigned int type,
			    union doca_data user_data, struct doca_task **task);

/*
 * Fills what the descriptor says of queue, source and destination, and thereby
 * finds out whether the task can be submitted.
 */
void lib_task_set_bufs(struct doca_task *task, const struct doca_buf *src,
		       struct doca_buf *dst);
void lib_task_set_queue(struct doca_task *task, struct lib_queue *queue);

/*
 * Hands the task to its callback. If it is done, task->bytes are appended to its
 * destination. Afterwards the task may be freed and its context destroyed.
 */
void lib_task_report(struct doca_task *task, doca_error_t status);

/* Rings in what is in the rings of the context and was not rung in yet. */
void lib_ctx_ring_all(struct doca_ctx *ctx);

/*
 * ctx.c
 */
#define LIB_MAX_TASK_TYPES	4

/**
 * struct lib_task_type - one kind of task of a context
 * @done: callbacks for success and for failure
 * @num: tasks in the pool, 0 if this kind is not enabled
 * @free: those that are free
 */
struct lib_task_type {
	lib_task_cb done[2];
	uint32_t num;
	struct doca_task *free;
};

/**
 * struct lib_ctx_ops - what engines do differently
 * @name: for messages
 * @engine: DOCA_ENGINE_*
 * @num_types: kinds of task
 * @task_size: bytes of the largest of them, a multiple of 64
 * @opcodes: of the kinds of task
 * @start: called in doca_ctx_start() when tasks and event channel are there;
 *	on failure, queues that it made are removed by the caller
 * @stopped: called when the context becomes idle, its queues being removed
 * @free: gives back the engine object; the context is its first member
 */
struct lib_ctx_ops {
	const char *name;
	unsigned int engine;
	unsigned int num_types;
	size_t task_size;
	uint8_t opcodes[LIB_MAX_TASK_TYPES];
	doca_error_t (*start)(struct doca_ctx *ctx);
	void (*stopped)(struct doca_ctx *ctx);
	void (*free)(struct doca_ctx *ctx);
};

/**
 * struct doca_ctx - a context; the first member of each engine object
 * @state: enum doca_ctx_states
 * @num_tasks: in the block
 * @tasks: the block
 * @task_size: distance of the tasks in it
 * @num_inflight: tasks that were submitted and not reported
 * @num_unrung: tasks in the rings that were not rung in
 * @user_data: the application's
 * @num_allocated: tasks that are not free
 * @ops: what its engine does differently
 * @dev: device
 * @pe: progress engine, NULL if not connected
 * @evch: event channel, NULL if not known yet
 * @evch_next: next context of the same event channel
 * @pe_next: next context of the same PE
 * @work: to be advanced in doca_pe_progress()
 * @queues: its queues
 * @state_cb: called after changes of the state, or NULL
 * @comp_vector: completion vector, or DOCA_COMP_VECTOR_ANY
 * @max_list_len: limit of the engine, pieces in one list
 * @max_transfer: limit of the engine, bytes in one task
 * @types: kinds of task
 * @run: counts the starts
 * @draining: all queues were stopped: what is not in the completion ring will
 *	not come any more
 * @lost: nothing completes any more, not even what is in the ring
 * @dead: destroyed, and to be freed when no call is using it any more
 * @abort_next: index of the first task that may have to be aborted
 */
struct doca_ctx {
	enum doca_ctx_states state;
	uint32_t num_tasks;
	void *tasks;
	size_t task_size;
	size_t num_inflight;
	union doca_data user_data;
	uint32_t num_unrung;
	uint32_t num_allocated;

	const struct lib_ctx_ops *ops;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_event_channel *evch;
	struct doca_ctx *evch_next;
	struct doca_ctx *pe_next;
	struct lib_work work;
	bool draining;
	bool lost;
	bool dead;
	uint32_t abort_next;
	uint32_t run;
	struct lib_queue *queues;
	doca_ctx_state_changed_callback_t state_cb;
	uint32_t comp_vector;
	uint32_t max_list_len;
	uint64_t max_transfer;
	struct lib_task_type types[LIB_MAX_TASK_TYPES];
};

static inline struct doca_task *lib_ctx_task(const struct doca_ctx *ctx,
					     uint32_t index)
{
	return (struct doca_task *)((char *)ctx->tasks +
				    index * ctx->task_size);
}

/* Fills in a new, zeroed engine object. NOT_SUPPORTED without the engine. */
doca_error_t lib_ctx_init(struct doca_ctx *ctx, struct doca_dev *dev,
			  const struct lib_ctx_ops *ops);

/* Ends an idle context and frees the engine object. @err if it is not idle. */
doca_error_t lib_ctx_destroy(struct doca_ctx *ctx, doca_error_t err);

/* Enables a kind of task. Callbacks are typed by the caller. */
doca_error_t lib_ctx_set_task_conf(struct doca_ctx *ctx, unsigned int type,
				   lib_task_cb done_cb, lib_task_cb error_cb,
				   uint32_t num);

/* The limit for the sum of all kinds. */
uint32_t lib_ctx_max_tasks(const struct doca_ctx *ctx);

/* A new queue of the running or starting context. Entries is a wish. */
doca_error_t lib_ctx_add_queue(struct doca_ctx *ctx, uint32_t entries,
			       struct lib_queue **queue);

/* Something may have to be done for the context in doca_pe_progress(). */
void lib_ctx_set_pending(struct doca_ctx *ctx);

/* A task of the context failed: ends its run if it is still run @run. */
void lib_ctx_fail(struct doca_ctx *ctx, uint32_t run);

/* The context's device will not complete anything any more. */
void lib_ctx_set_lost(struct doca_ctx *ctx);

/*
 * channel.c
 */

/**
 * struct lib_channel - a completion ring with its event fd
 * @ring: mapped entries
 * @ci: index of the entry to look at next
 * @entries: in the ring
 * @num_slots: in @slots
 * @slots: queues by tag; NULL if not in use
 * @status: the device's status page
 * @evch: event channel that it belongs to
 * @next: of the same event channel
 * @free_slot: no slot before it is free
 * @used: entries taken by queues
 * @id: object id
 * @cq: number of the ring, for the doorbell
 * @fd: event fd
 * @bogus: completions that named nothing in flight
 * @ring_size: bytes mapped
 */
struct lib_channel {
	const struct doca_cqe *ring;
	uint32_t ci;
	uint32_t entries;
	uint32_t num_slots;
	struct lib_queue **slots;
	const struct doca_status_page *status;
	struct doca_event_channel *evch;
	struct lib_channel *next;
	uint32_t free_slot;
	uint32_t used;
	uint32_t id;
	uint32_t cq;
	int fd;
	uint64_t bogus;
	size_t ring_size;
};

/**
 * struct doca_event_channel - completion rings of one device
 * @dev: device
 * @pe: progress engine, NULL if not connected
 * @pe_next: next event channel of the same PE
 * @ctxs: contexts that report to it
 * @channels: completion rings, the newest and largest first
 * @comp_vector: interrupt vector, or DOCA_COMP_VECTOR_ANY
 * @hidden: made for doca_pe_connect_ctx(); goes with its last context
 * @lost: the device is gone; not polled any more
 * @event_cb: sees each completion, or NULL
 * @event_data: its argument
 */
struct doca_event_channel {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_event_channel *pe_next;
	struct doca_ctx *ctxs;
	struct lib_channel *channels;
	uint32_t comp_vector;
	bool hidden;
	bool lost;
	doca_event_cb_t event_cb;
	union doca_data event_data;
};

/**
 * struct doca_event - what an event channel has brought
 * @task: that has completed
 * @status: how
 */
struct doca_event {
	struct doca_task *task;
	doca_error_t status;
};

/* Where the channel's ring is armed. */
static inline volatile uint64_t *
lib_arm_doorbell(const struct lib_channel *channel)
{
	return (volatile uint64_t *)((char *)channel->evch->dev->doorbells +
				     DOCA_DB_ARM);
}

/* An event channel with room for @entries completions. */
doca_error_t lib_evch_create(struct doca_dev *dev, uint32_t comp_vector,
			     uint32_t entries, struct doca_event_channel **evch);
void lib_evch_free(struct doca_event_channel *evch);
void lib_evch_add_ctx(struct doca_event_channel *evch, struct doca_ctx *ctx);
void lib_evch_remove_ctx(struct doca_ctx *ctx);

/* The context's event channel; a hidden one is made if it has none. */
doca_error_t lib_evch_for_ctx(struct doca_ctx *ctx);

/* doca_<engine>_create_event_channel(), doca_<engine>_set_event_channel() */
doca_error_t lib_ctx_create_event_channel(struct doca_ctx *ctx,
					  struct doca_event_channel **evch);
doca_error_t lib_ctx_set_event_channel(struct doca_ctx *ctx,
				       struct doca_event_channel *evch);

/* A ring of @evch that has a slot and room for a queue of @entries. */
doca_error_t lib_channel_reserve(struct doca_event_channel *evch,
				 uint32_t entries, struct lib_channel **channel,
				 uint32_t *tag);
void lib_channel_release(struct lib_channel *channel, uint32_t entries,
			 uint32_t tag);

/* Whether the entry at the consumer index is a new one. */
bool lib_channel_ready(const struct lib_channel *channel);

/* Reports up to @budget completions; stops early if pe->changed. */
unsigned int lib_channel_poll(struct lib_channel *channel, struct doca_pe *pe,
			      unsigned int budget);

/*
 * pe.c
 */

/**
 * struct doca_pe - progress engine
 * @num_channels: in @channels
 * @rotor: channel to begin with next time
 * @channels: completion rings to poll
 * @work: what is to be done besides polling, in the order of its coming
 * @depth: calls of the library on the stack that may run callbacks
 * @changed: a channel went while it may have been in use
 * @forked: this is a child of the process that made it
 * @armed: doca_pe_request_notification() was called
 * @signalled: the event fd was written
 * @event_mode: how armed and not armed contexts are served
 * @max_channels: room in @channels
 * @ctxs: connected contexts
 * @evchs: connected event channels
 * @num_graphs: graphs of this PE
 * @garbage: destroyed contexts that are still in use by a call
 * @epoll_fd: the notification handle
 * @event_fd: notifies of what happens in the library itself
 * @next: in the list of PEs
 * @owner: thread that it belongs to
 */
struct doca_pe {
	unsigned int num_channels;
	unsigned int rotor;
	struct lib_channel **channels;
	struct lib_work *work;
	unsigned int depth;
	bool changed;
	bool forked;
	bool armed;
	bool signalled;
	enum doca_pe_event_mode event_mode;
	unsigned int max_channels;
	struct doca_ctx *ctxs;
	struct doca_event_channel *evchs;
	unsigned int num_graphs;
	struct doca_ctx *garbage;
	int epoll_fd;
	int event_fd;
	struct doca_pe *next;
	struct lib_owner owner;
};

/* Around whatever may run a callback of the application. */
static inline void lib_pe_enter(struct doca_pe *pe)
{
	pe->depth++;
}

void lib_pe_collect(struct doca_pe *pe);

static inline void lib_pe_leave(struct doca_pe *pe)
{
	if (!--pe->depth && lib_unlikely(pe->garbage))
		lib_pe_collect(pe);
}

/* Makes the notification handle readable if the PE is armed. */
void lib_pe_notify(struct doca_pe *pe);

/* Work for doca_pe_progress(); nothing happens if it is queued, or is not. */
void lib_pe_add_work(struct doca_pe *pe, struct lib_work *work);
void lib_pe_remove_work(struct doca_pe *pe, struct lib_work *work);

doca_error_t lib_pe_add_channel(struct doca_pe *pe, struct lib_channel *channel);
void lib_pe_remove_channel(struct doca_pe *pe, struct lib_channel *channel);
void lib_pe_add_evch(struct doca_pe *pe, struct doca_event_channel *evch);
void lib_pe_remove_evch(struct doca_event_channel *evch);
void lib_pe_add_ctx(struct doca_pe *pe, struct doca_ctx *ctx);
void lib_pe_remove_ctx(struct doca_ctx *ctx);

/* After fork(), in the child, with lib_lock held. */
void lib_pe_forked(void);

#endif /* LIB_CORE_H */
