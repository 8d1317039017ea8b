// SPDX-License-Identifier: MIT
/*
 * Submission rings: who runs them, and when.
 *
 * A queue with work is on the ready list, or parked until a time (a delay, or
 * a peer that does not answer), or busy. Whoever runs it takes it from its list
 * and sets busy; then it alone reads the ring and moves ci. Admin commands
 * that need the queue become its runner in the same way.
 */
#include <stdlib.h>
#include <string.h>
#include "dpu_priv.h"

static uint32_t queue_entries(const struct queue *q)
{
	return 1U << q->log;
}

struct queue *queue_find(struct dpu *dpu, uint32_t handle)
{
	uint32_t index = handle >> DOCA_HANDLE_GEN_BITS;
	struct queue *q;

	if (index >= dpu->model.max_queues)
		return NULL;
	q = dpu->queues[index];
	return q && q->handle == handle ? q : NULL;
}

static void queue_make_ready(struct dpu *dpu, struct queue *q)
{
	q->where = QUEUE_READY;
	q->next = NULL;
	*dpu->ready_last = q;
	dpu->ready_last = &q->next;
	pthread_cond_signal(&dpu->worker_wake);
}

static void queue_park(struct dpu *dpu, struct queue *q, uint64_t until)
{
	q->where = QUEUE_PARKED;
	q->not_before = until;
	q->next = dpu->parked;
	dpu->parked = q;
	/* Whoever sleeps may sleep too long now. */
	pthread_cond_signal(&dpu->worker_wake);
}

static void queue_unlist(struct dpu *dpu, struct queue *q)
{
	struct queue **p;

	if (q->where == QUEUE_IDLE)
		return;
	p = q->where == QUEUE_READY ? &dpu->ready_first : &dpu->parked;
	while (*p != q)
		p = &(*p)->next;
	*p = q->next;
	if (q->where == QUEUE_READY && !q->next)
		dpu->ready_last = p;
	q->where = QUEUE_IDLE;
}

static void queue_fail(struct dpu *dpu, struct queue *q)
{
	if (q->error)
		return;
	q->error = true;
	eq_post(dpu, q->cq->eq, &q->event);
}

/* What was read of the ring ahead of need. */
struct fetched {
	struct doca_sqe entry[DPU_TURN];
	uint32_t first;
	uint32_t num;
};

/* A copy of ring entry @index < pi, or NULL if the bus refused to read it. */
static const struct doca_sqe *queue_fetch(struct dpu *dpu, struct queue *q,
					  struct fetched *f, uint32_t index,
					  uint32_t pi)
{
	uint32_t slot, num;
	uint64_t iova, left;

	if (index - f->first < f->num)
		return &f->entry[index - f->first];
	slot = index & (queue_entries(q) - 1);
	iova = pages_iova(&q->pages, (uint64_t)slot * DOCA_SQE_SIZE, &left);
	num = pi - index;
	if (num > DPU_TURN)
		num = DPU_TURN;
	if (num > queue_entries(q) - slot)
		num = queue_entries(q) - slot;
	if (num > left / DOCA_SQE_SIZE)
		num = left / DOCA_SQE_SIZE;
	f->num = 0;
	if (!dpu_read(dpu, iova, f->entry, (size_t)num * DOCA_SQE_SIZE))
		return NULL;
	f->first = index;
	f->num = num;
	return &f->entry[0];
}

/*
 * Reads the descriptor at ci and its lists; *@used is how many entries it
 * takes, never more than what was rung in.
 */
static uint8_t queue_read(struct dpu *dpu, struct queue *q, struct fetched *f,
			  uint32_t pi, struct doca_sqe *sqe,
			  struct doca_sge *sges, uint32_t *used)
{
	const struct doca_sqe *entry;
	uint32_t num, have, i;

	*used = 1;
	entry = queue_fetch(dpu, q, f, q->ci, pi);
	if (!entry) {
		memset(sqe, 0, sizeof(*sqe));
		return DOCA_CQE_MEMORY_FAULT;
	}
	*sqe = *entry;
	num = (uint32_t)sqe->num_src + sqe->num_dst;
	if (!sqe->num_src || !sqe->num_dst || sqe->flags || sqe->arg ||
	    doca_sqe_entries(num) > pi - q->ci)
		return DOCA_CQE_BAD_DESCRIPTOR;
	*used = doca_sqe_entries(num);
	have = num < DOCA_SQE_INLINE_SGES ? num : DOCA_SQE_INLINE_SGES;
	memcpy(sges, sqe->sge, have * sizeof(*sges));
	for (i = 1; have < num; i++) {
		uint32_t n = num - have;

		entry = queue_fetch(dpu, q, f, q->ci + i, pi);
		if (!entry)
			return DOCA_CQE_MEMORY_FAULT;
		if (n > DOCA_SQE_SGES_PER_ENTRY)
			n = DOCA_SQE_SGES_PER_ENTRY;
		memcpy(sges + have, entry, n * sizeof(*sges));
		have += n;
	}
	return DOCA_CQE_OK;
}

/*
 * Runs a busy queue for a turn. Called with the lock, which it drops while it
 * touches memory. The caller looks at q->where afterwards: parked, or, with
 * more to do, still idle.
 */
static void queue_run(struct dpu *dpu, struct queue *q)
{
	struct doca_sge sges[2 * 255];
	struct doca_sqe sqe;
	struct fetched f;
	unsigned int turn;

	f.num = 0;
	f.first = 0;
	for (turn = 0; turn < DPU_TURN && q->ci != q->pi; turn++) {
		uint32_t delay = atomic_load(&dpu->delay_us);
		struct doca_cqe cqe = { 0 };
		uint8_t status, syndrome = 0;
		uint32_t pi = q->pi, used;
		uint64_t bytes = 0;
		bool error = q->error;

		if (dpu->reset_pending)
			return;
		if (delay && !q->delayed && !error) {
			q->delayed = true;
			queue_park(dpu, q, dpu_now() + delay * 1000ULL);
			return;
		}
		pthread_mutex_unlock(&dpu->lock);
		status = queue_read(dpu, q, &f, pi, &sqe, sges, &used);
		if (error)
			status = DOCA_CQE_FLUSHED;
		else if (!status)
			status = transfer_run(dpu, q, &sqe, sges, &bytes,
					      &syndrome);
		pthread_mutex_lock(&dpu->lock);

		if (dpu->reset_pending)
			return;
		if (status == TRANSFER_RETRY) {
			uint64_t now = dpu_now();

			if (!q->retrying) {
				q->retrying = true;
				q->deadline = now + q->retry_ms * 1000000ULL;
			}
			if (atomic_load(&q->abort)) {
				status = DOCA_CQE_FLUSHED;
			} else if (now < q->deadline) {
				queue_park(dpu, q, now + DPU_RETRY_NS);
				return;
			} else {
				status = DOCA_CQE_RETRY_EXCEEDED;
			}
		}
		q->retrying = false;
		q->delayed = false;
		if (status) {
			dpu->stats.errors++;
			bytes = 0;
			queue_fail(dpu, q);
		} else {
			dpu->stats.tasks++;
			dpu->stats.bytes += bytes;
		}
		q->ci += used;
		cqe.cookie = sqe.cookie;
		cqe.tag = htole32(q->tag);
		cqe.byte_len = htole64(bytes);
		cqe.queue_index = htole32(q->ci);
		cqe.opcode = sqe.opcode;
		cqe.syndrome = syndrome;
		cqe.status = status;
		cq_post(dpu, q->cq, &cqe);
	}
}

static void queue_release(struct dpu *dpu, struct queue *q)
{
	q->busy = false;
	dpu->running--;
	if (q->where == QUEUE_IDLE && q->ci != q->pi && !dpu->reset_pending)
		queue_make_ready(dpu, q);
	pthread_cond_broadcast(&dpu->changed);
}

/*
 * A worker's step, with the lock. False: nothing is due; then *@next is when
 * something will be (0: not known).
 */
bool queue_run_next(struct dpu *dpu, uint64_t *next)
{
	struct queue **p = &dpu->parked, *q;
	uint64_t now = 0;

	*next = 0;
	if (dpu->reset_pending)
		return false;
	while ((q = *p)) {
		if (!now)
			now = dpu_now();
		if (q->not_before <= now) {
			*p = q->next;
			queue_make_ready(dpu, q);
			continue;
		}
		if (!*next || q->not_before < *next)
			*next = q->not_before;
		p = &q->next;
	}
	q = dpu->ready_first;
	if (!q)
		return false;
	queue_unlist(dpu, q);
	q->busy = true;
	dpu->running++;
	queue_run(dpu, q);
	queue_release(dpu, q);
	return true;
}

void queue_doorbell(struct dpu *dpu, uint32_t domain, uint32_t handle,
		    uint32_t pi)
{
	struct queue *q = queue_find(dpu, handle);

	if (!q || q->domain != domain) {
		dpu->stats.bad_doorbells++;
		dpu_log(dpu, DPU_LOG_ERROR,
			"SUBMIT doorbell: domain %u has no queue %#x", domain,
			handle);
		return;
	}
	if (pi - q->ci > queue_entries(q) || pi - q->ci < q->pi - q->ci) {
		dpu->stats.bad_doorbells++;
		dpu_log(dpu, DPU_LOG_ERROR,
			"SUBMIT doorbell: queue %#x, index %u after %u, %u entries, %u completed",
			handle, pi, q->pi, queue_entries(q), q->ci);
		queue_fail(dpu, q);
		return;
	}
	q->pi = pi;
	if (q->where == QUEUE_IDLE && !q->busy && q->ci != q->pi)
		queue_make_ready(dpu, q);
}

uint8_t queue_create(struct dpu *dpu, const struct doca_admin_create_queue *cmd)
{
	uint32_t handle = le32toh(cmd->queue), log = le32toh(cmd->log_entries);
	uint32_t index = handle >> DOCA_HANDLE_GEN_BITS;
	uint32_t domain = le32toh(cmd->domain), cqn = le32toh(cmd->cq);
	const struct engine_limits *engine;
	struct queue *q;
	uint8_t status;

	if (index >= dpu->model.max_queues ||
	    domain >= dpu->config.doorbells ||
	    cmd->engine >= DOCA_NUM_ENGINES || cmd->reserved[0] ||
	    cmd->reserved[1] || cmd->reserved[2])
		return DOCA_ADMIN_BAD_FIELD;
	engine = &dpu->model.engines[cmd->engine];
	if (!engine->opcodes || log > DPU_ENTRY_MAX_LOG ||
	    1U << log > engine->max_queue_entries)
		return DOCA_ADMIN_BAD_FIELD;
	if (cqn >= dpu->model.max_cqs || !dpu->cqs[cqn] ||
	    dpu->cqs[cqn]->domain != domain)
		return DOCA_ADMIN_BAD_HANDLE;
	if (dpu->queues[index])
		return DOCA_ADMIN_EXISTS;
	q = calloc(1, sizeof(*q));
	if (!q)
		return DOCA_ADMIN_NO_RESOURCES;
	status = pages_copy(dpu, &q->pages, &cmd->pages, 1U << 16,
			    (uint64_t)DOCA_SQE_SIZE << log);
	if (status) {
		free(q);
		return status;
	}
	q->handle = handle;
	q->domain = domain;
	q->log = log;
	q->tag = le32toh(cmd->tag);
	q->engine = cmd->engine;
	q->event.type = DOCA_EVENT_QUEUE_ERROR;
	q->event.id = handle;
	pthread_mutex_lock(&dpu->lock);
	q->cq = dpu->cqs[cqn];
	q->cq->queues++;
	dpu->queues[index] = q;
	pthread_mutex_unlock(&dpu->lock);
	return DOCA_ADMIN_OK;
}

uint8_t queue_connect(struct dpu *dpu,
		      const struct doca_admin_connect_queue *cmd)
{
	uint8_t status = DOCA_ADMIN_OK;
	struct queue *q;

	pthread_mutex_lock(&dpu->lock);
	q = queue_find(dpu, le32toh(cmd->queue));
	if (!q) {
		status = DOCA_ADMIN_BAD_HANDLE;
	} else if (q->engine != DOCA_ENGINE_RDMA || cmd->reserved) {
		status = DOCA_ADMIN_BAD_FIELD;
	} else if (q->connected || q->error) {
		status = DOCA_ADMIN_BAD_STATE;
	} else {
		q->remote_queue = le32toh(cmd->remote_queue);
		q->remote_gid = cmd->remote_gid;
		q->retry_ms = le32toh(cmd->retry_ms);
		q->connected = true;
	}
	pthread_mutex_unlock(&dpu->lock);
	return status;
}

/*
 * Makes the caller the runner of @q, and ends what peers do through it. False
 * if a reset came first.
 */
static bool queue_seize(struct dpu *dpu, struct queue *q)
{
	atomic_store(&q->abort, true);
	while ((q->busy || q->inbound) && !dpu->reset_pending)
		pthread_cond_wait(&dpu->changed, &dpu->lock);
	if (dpu->reset_pending)
		return false;
	queue_unlist(dpu, q);
	q->busy = true;
	dpu->running++;
	return true;
}

uint8_t queue_stop(struct dpu *dpu, uint32_t handle)
{
	uint8_t status = DOCA_ADMIN_INTERNAL;
	struct queue *q;

	pthread_mutex_lock(&dpu->lock);
	q = queue_find(dpu, handle);
	if (!q) {
		status = DOCA_ADMIN_BAD_HANDLE;
	} else if (queue_seize(dpu, q)) {
		/* Not an error that anybody has to be told of. */
		q->error = true;
		while (q->ci != q->pi && !dpu->reset_pending)
			queue_run(dpu, q);
		queue_release(dpu, q);
		status = DOCA_ADMIN_OK;
	}
	pthread_mutex_unlock(&dpu->lock);
	return status;
}

/* The queue is not busy and in no table any more. */
void queue_free(struct dpu *dpu, struct queue *q)
{
	pages_free(dpu, &q->pages);
	free(q);
}

uint8_t queue_destroy(struct dpu *dpu, uint32_t handle)
{
	struct queue *q;

	pthread_mutex_lock(&dpu->lock);
	q = queue_find(dpu, handle);
	if (!q || !queue_seize(dpu, q)) {
		pthread_mutex_unlock(&dpu->lock);
		return q ? DOCA_ADMIN_INTERNAL : DOCA_ADMIN_BAD_HANDLE;
	}
	dpu->queues[handle >> DOCA_HANDLE_GEN_BITS] = NULL;
	event_forget(q->cq->eq, &q->event);
	q->cq->queues--;
	dpu->running--;
	pthread_mutex_unlock(&dpu->lock);
	queue_free(dpu, q);
	return DOCA_ADMIN_OK;
}
