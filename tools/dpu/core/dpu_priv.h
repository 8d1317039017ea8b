/* SPDX-License-Identifier: MIT */
/*
 * Inside of the device core.
 *
 * Threads: one for admin commands and resets, and the workers, which run
 * queues. A queue is run by one thread at a time, the one that set q->busy.
 *
 * Locks. dpu->lock covers all that a device consists of, but not the data
 * that moves: a transfer holds references on its keys (and on the peer's
 * queue) and no lock. fabric.c has one lock for the list of devices. No thread
 * holds two of these at a time, so there is no order to keep, and two devices
 * that write into each other while both are reset cannot wait for each other:
 * a transfer waits for nobody, and looks between two pieces of at most
 * DPU_CHUNK bytes whether it is still wanted.
 */
#ifndef DPU_PRIV_H
#define DPU_PRIV_H

#include <endian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <linux/doca_regs.h>
#include "dpu.h"

#define DPU_CHUNK		(1U << 20)	/* bytes between two looks */
#define DPU_TURN		32	/* descriptors before others get a turn */
#define DPU_MAX_LIST		64	/* pieces in one list, any engine */
#define DPU_ENTRY_MAX_LOG	20	/* largest ring of any kind */
#define DPU_RETRY_NS		1000000	/* between two looks for a peer */

/* A piece of memory, page by page: struct doca_hw_pages, copied. */
struct pages {
	uint64_t *addr;
	uint32_t num;
	uint8_t shift;
};

/**
 * struct key - memory key
 * @dying: destroyed or reset: transfers end at the next chunk
 * @refs: transfers that use it, under the lock of its device
 * @shared: functions of the DPU may import it
 * @imported: it stands for @remote_mkey of @function, and has no pages: whoever
 *	uses it looks for that key each time
 * @token: of either
 */
struct key {
	uint32_t mkey;
	uint32_t domain;
	uint32_t access;
	uint64_t addr;
	uint64_t length;
	uint64_t offset;
	struct pages pages;
	atomic_bool dying;
	uint32_t refs;
	bool shared;
	bool imported;
	uint8_t function;
	uint32_t remote_mkey;
	uint8_t token[DOCA_TOKEN_LEN];
};

struct eq {
	struct pages pages;
	uint32_t id;
	uint32_t log;
	uint32_t vector;
	uint32_t pi;
	uint32_t ci;
	bool armed;
	uint32_t cqs;			/* that report here */
	struct due *due_first;		/* events that wait for room */
	struct due **due_last;
};

/* What has an event to deliver: part of a completion ring or a queue. */
struct due {
	struct due *next;
	bool listed;
	uint8_t type;
	uint32_t id;
};

struct cq {
	struct pages pages;
	uint32_t id;
	uint32_t domain;
	uint32_t log;
	uint32_t pi;
	bool armed;
	uint32_t armed_ci;		/* waits for an entry at or behind it */
	struct eq *eq;
	uint32_t queues;		/* that report here */
	struct due event;
	struct doca_cqe held;		/* for CHAOS_CQE_REORDER */
	bool holds;
};

enum queue_where { QUEUE_IDLE, QUEUE_READY, QUEUE_PARKED };

/**
 * struct queue - submission ring
 * @pi: what was rung in
 * @ci: first entry not completed
 * @where: list that it is on, by @next; IDLE while busy
 * @busy: a thread runs it
 * @error: completes everything as flushed
 * @abort: whoever runs it, or writes through it from afar, shall end
 * @connected: it has a peer
 * @inbound: transfers of peers into this queue's domain
 * @delayed: the first descriptor has had its delay
 * @retrying: the first descriptor waits for the peer until @deadline
 */
struct queue {
	uint32_t handle;
	uint32_t domain;
	uint32_t log;
	uint32_t tag;
	uint8_t engine;
	struct pages pages;
	struct cq *cq;
	uint32_t pi;
	uint32_t ci;

	struct queue *next;
	enum queue_where where;
	uint64_t not_before;
	bool busy;
	bool error;
	atomic_bool abort;

	bool connected;
	uint32_t remote_queue;
	struct doca_gid remote_gid;
	uint32_t retry_ms;
	uint32_t inbound;
	bool delayed;
	bool retrying;
	uint64_t deadline;
	struct due event;
};

/* Ways to misbehave; the table in chaos.c says what they do. */
enum chaos {
	CHAOS_CQE_STATUS, CHAOS_CQE_COOKIE, CHAOS_CQE_TAG, CHAOS_CQE_INDEX,
	CHAOS_CQE_BACK, CHAOS_CQE_LENGTH, CHAOS_CQE_OPCODE, CHAOS_CQE_PHASE,
	CHAOS_CQE_DROP, CHAOS_CQE_DUPLICATE, CHAOS_CQE_REORDER,
	CHAOS_EQE_ID, CHAOS_EQE_TYPE, CHAOS_EQE_PHASE, CHAOS_EQE_DROP,
	CHAOS_EQE_RING, CHAOS_EQE_DUPLICATE,
	CHAOS_IRQ_DROP, CHAOS_IRQ_STORM,
	CHAOS_ADMIN_DROP, CHAOS_ADMIN_LATE, CHAOS_ADMIN_STATUS, CHAOS_ADMIN_ID,
	CHAOS_ADMIN_PHASE, CHAOS_ADMIN_DUPLICATE,
	CHAOS_REGS, CHAOS_RESET_STUCK, CHAOS_READY_STUCK, CHAOS_DOORBELLS,
	CHAOS_SHIFT, CHAOS_VECTORS, CHAOS_TIMEOUTS, CHAOS_CAPS,
	CHAOS_DMA_FAULT, CHAOS_DMA_BAR, CHAOS_BAR_SMALL,
	NUM_CHAOS
};

struct engine_limits {
	uint32_t opcodes;
	uint32_t max_list_len;
	uint32_t max_queue_entries;
	uint64_t max_transfer;
};

struct model {
	const char *name;
	struct engine_limits engines[DOCA_NUM_ENGINES];
	uint32_t max_keys;
	uint32_t max_cqs;
	uint32_t max_queues;
	uint32_t max_cq_entries;
	uint32_t max_key_pages;
	uint64_t max_memory;		/* bytes for page lists, in all */
};

struct dpu {
	const struct dpu_ops *ops;
	void *opaque;
	struct dpu_config config;
	struct model model;		/* a copy, with fewer objects if asked for */
	struct doca_gid gid;
	struct dpu *fabric_next;
	uint32_t fabric_users;		/* under the fabric's lock */

	pthread_mutex_t lock;
	pthread_cond_t admin_wake;
	pthread_cond_t worker_wake;
	pthread_cond_t changed;		/* a queue, key or reset is done with */
	pthread_t threads[DPU_MAX_WORKERS + 1];
	uint32_t num_threads;
	bool exiting;
	bool reset_pending;
	bool fatal;
	uint32_t running;		/* queues that are busy */

	uint32_t ctrl;
	uint64_t admin_sq;
	uint64_t admin_cq;
	uint32_t admin_log;
	uint32_t admin_pi;
	uint32_t admin_ci;
	uint32_t admin_cq_pi;
	bool ready;

	struct key **keys;
	struct cq **cqs;
	struct queue **queues;
	struct eq *eqs[DPU_MAX_VECTORS];
	uint64_t memory;		/* bytes in page lists */

	struct queue *ready_first;
	struct queue **ready_last;
	struct queue *parked;

	atomic_uint delay_us;
	atomic_uint admin_delay_ms;
	_Atomic uint64_t chaos;		/* bits, by enum chaos */
	atomic_uint chaos_value[NUM_CHAOS];
	struct dpu_stats stats;
	_Atomic uint64_t log_second;
	atomic_uint log_lines;		/* in that second */
};

/* device.c */
uint64_t dpu_now(void);
void dpu_log(struct dpu *dpu, enum dpu_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void dpu_interrupt(struct dpu *dpu, uint32_t vector);
bool dpu_wait(struct dpu *dpu, pthread_cond_t *cond, uint64_t until);

/* chaos.c */
uint32_t chaos_value(struct dpu *dpu, enum chaos mode);
unsigned int chaos_completion(struct dpu *dpu, struct doca_cqe *cqe);
unsigned int chaos_event(struct dpu *dpu, struct doca_eqe *eqe);
void chaos_storm(struct dpu *dpu, uint64_t *next);
uint32_t chaos_register(struct dpu *dpu, uint64_t offset, uint32_t value);
void chaos_caps(struct dpu *dpu, struct doca_hw_caps *caps);

static inline bool chaos(struct dpu *dpu, enum chaos mode)
{
	return atomic_load_explicit(&dpu->chaos, memory_order_relaxed) >> mode & 1;
}

/* memory.c: bus addresses, page lists, keys */
void *dpu_map(struct dpu *dpu, uint64_t iova, size_t *len, bool write);
void dpu_unmap(struct dpu *dpu, void *p, size_t len, bool write, size_t done);
bool ring_write(struct dpu *dpu, uint64_t iova, const void *entry, size_t size);
bool dpu_read(struct dpu *dpu, uint64_t iova, void *buf, size_t len);
bool dpu_write(struct dpu *dpu, uint64_t iova, const void *buf, size_t len);
uint8_t pages_copy(struct dpu *dpu, struct pages *pages,
		   const struct doca_hw_pages *desc, uint32_t max_pages,
		   uint64_t bytes);
void pages_free(struct dpu *dpu, struct pages *pages);
uint64_t pages_iova(const struct pages *pages, uint64_t offset, uint64_t *left);
uint8_t key_create(struct dpu *dpu, const struct doca_admin_create_key *cmd);
uint8_t key_share(struct dpu *dpu, const struct doca_admin_share_key *cmd);
uint8_t key_import(struct dpu *dpu, const struct doca_admin_import_key *cmd);
uint8_t key_destroy(struct dpu *dpu, uint32_t mkey);
struct key *key_get_shared(struct dpu *dpu, uint32_t mkey,
			   const uint8_t *token);
struct key *key_get(struct dpu *dpu, uint32_t mkey, uint32_t domain);
void key_put(struct dpu *dpu, struct key *key);

/* event.c: completion and event rings; all under the lock */
uint8_t eq_create(struct dpu *dpu, const struct doca_admin_create_eq *cmd);
uint8_t eq_destroy(struct dpu *dpu, uint32_t id);
void eq_doorbell(struct dpu *dpu, uint32_t id, uint32_t ci);
void eq_post(struct dpu *dpu, struct eq *eq, struct due *due);
uint8_t cq_create(struct dpu *dpu, const struct doca_admin_create_cq *cmd);
uint8_t cq_destroy(struct dpu *dpu, uint32_t id);
void cq_doorbell(struct dpu *dpu, uint32_t domain, uint32_t id, uint32_t ci);
void cq_post(struct dpu *dpu, struct cq *cq, const struct doca_cqe *cqe);
void event_forget(struct eq *eq, struct due *due);

/* queue.c: submission rings, who runs them and when */
uint8_t queue_create(struct dpu *dpu, const struct doca_admin_create_queue *cmd);
uint8_t queue_connect(struct dpu *dpu,
		      const struct doca_admin_connect_queue *cmd);
uint8_t queue_stop(struct dpu *dpu, uint32_t handle);
uint8_t queue_destroy(struct dpu *dpu, uint32_t handle);
void queue_free(struct dpu *dpu, struct queue *q);
void queue_doorbell(struct dpu *dpu, uint32_t domain, uint32_t handle,
		    uint32_t pi);
bool queue_run_next(struct dpu *dpu, uint64_t *next);
struct queue *queue_find(struct dpu *dpu, uint32_t handle);

/* transfer.c: what a descriptor does */
#define TRANSFER_RETRY		0xff	/* the peer does not answer */
uint8_t transfer_run(struct dpu *dpu, struct queue *q,
		     const struct doca_sqe *sqe, const struct doca_sge *sges,
		     uint64_t *bytes, uint8_t *syndrome);

/* admin.c */
bool admin_step(struct dpu *dpu);

/* fabric.c: the devices of this process, by address and by card */
bool fabric_add(struct dpu *dpu);
void fabric_remove(struct dpu *dpu);
struct dpu *fabric_get(const struct doca_gid *gid);
struct dpu *fabric_get_function(const struct dpu *dpu, uint32_t function);
void fabric_put(struct dpu *dpu);

#endif
