// SPDX-License-Identifier: MIT
/*
 * What a descriptor does: checks its lists against the key table, then moves
 * the data. Nothing is written unless all checks of both lists have passed.
 */
#include <string.h>
#include "dpu_priv.h"

/* One end of a transfer: a list of pieces with their keys held. */
struct side {
	struct dpu *dpu;		/* whose memory it is */
	uint32_t num;
	struct key *keys[DPU_MAX_LIST];
	uint64_t offset[DPU_MAX_LIST];	/* in the key's pages */
	uint32_t len[DPU_MAX_LIST];
	uint64_t total;
	/* cursor: what is mapped now */
	uint32_t at;
	uint32_t done;			/* bytes of piece @at */
	char *ptr;
	size_t mapped;
	size_t used;
	bool write;
};

static void side_init(struct side *side, struct dpu *dpu, bool write)
{
	side->dpu = dpu;
	side->num = 0;
	side->total = 0;
	side->at = 0;
	side->done = 0;
	side->ptr = NULL;
	side->write = write;
}

/* Under the lock of side->dpu. @missing is the status for a key not there. */
static uint8_t side_add(struct side *side, const struct doca_sge *sge,
			uint32_t domain, uint32_t access, uint8_t missing)
{
	uint64_t addr = le64toh(sge->addr), offset, last;
	uint32_t len = le32toh(sge->len);
	struct key *key;
	uint8_t status;

	key = key_get(side->dpu, le32toh(sge->mkey), domain);
	if (!key)
		return missing;
	offset = addr - key->addr;
	if (addr < key->addr ||
	    __builtin_add_overflow(offset, len - 1, &last) ||
	    last >= key->length) {
		status = missing + 1;	/* ..._BOUNDS */
	} else if (access && !(key->access & access)) {
		status = missing + 2;	/* ..._ACCESS */
	} else {
		side->keys[side->num] = key;
		side->offset[side->num] = key->offset + offset;
		side->len[side->num++] = len;
		side->total += len;
		return DOCA_CQE_OK;
	}
	key_put(side->dpu, key);
	return status;
}

static void side_unmap(struct side *side)
{
	if (!side->ptr)
		return;
	dpu_unmap(side->dpu, side->ptr, side->mapped, side->write,
		  side->write ? side->used : 0);
	side->ptr = NULL;
}

/* Under the lock of side->dpu. */
static void side_release(struct side *side)
{
	uint32_t i;

	for (i = 0; i < side->num; i++)
		key_put(side->dpu, side->keys[i]);
}

/* Something is mapped when it succeeds. */
static bool side_map(struct side *side)
{
	struct key *key;
	uint64_t iova, left;

	if (side->ptr && side->used < side->mapped)
		return true;
	side_unmap(side);
	if (side->done == side->len[side->at]) {
		side->at++;
		side->done = 0;
	}
	key = side->keys[side->at];
	iova = pages_iova(&key->pages, side->offset[side->at] + side->done,
			  &left);
	if (left > side->len[side->at] - side->done)
		left = side->len[side->at] - side->done;
	if (left > DPU_CHUNK)
		left = DPU_CHUNK;
	side->mapped = left;
	side->ptr = dpu_map(side->dpu, iova, &side->mapped, side->write);
	side->used = 0;
	return side->ptr;
}

static void side_advance(struct side *side, size_t n)
{
	side->used += n;
	side->done += n;
}

static bool side_dying(const struct side *side)
{
	return atomic_load(&side->keys[side->at]->dying);
}

/* On an error, *@syndrome is the position of the piece, over both lists. */
static uint8_t move(struct queue *q, struct queue *peer, struct side *src,
		    struct side *dst, uint8_t lost, uint8_t *syndrome)
{
	uint64_t left = src->total;

	while (left) {
		size_t n;

		if (!side_map(src)) {
			*syndrome = src->at;
			return DOCA_CQE_MEMORY_FAULT;
		}
		if (!side_map(dst)) {
			*syndrome = src->num + dst->at;
			return DOCA_CQE_MEMORY_FAULT;
		}
		if (atomic_load(&q->abort))
			return DOCA_CQE_FLUSHED;
		if (peer && atomic_load(&peer->abort))
			return DOCA_CQE_RETRY_EXCEEDED;
		if (side_dying(src)) {
			*syndrome = src->at;
			return DOCA_CQE_LOCAL_KEY;
		}
		if (side_dying(dst)) {
			*syndrome = src->num + dst->at;
			return lost;
		}
		n = src->mapped - src->used;
		if (n > dst->mapped - dst->used)
			n = dst->mapped - dst->used;
		/* Two ranges of one process may overlap. */
		memmove(dst->ptr + dst->used, src->ptr + src->used, n);
		side_advance(src, n);
		side_advance(dst, n);
		left -= n;
	}
	return DOCA_CQE_OK;
}

/* What can be said of the lists without looking at any key. */
static uint8_t check_lists(const struct engine_limits *limits, uint32_t max_dst,
			   const struct doca_sqe *sqe,
			   const struct doca_sge *sges, uint8_t *syndrome)
{
	uint64_t total[2] = { 0 };
	uint32_t i, num = (uint32_t)sqe->num_src + sqe->num_dst;

	if (sqe->opcode >= 32 || !(limits->opcodes & 1U << sqe->opcode) ||
	    sqe->num_src > limits->max_list_len || sqe->num_dst > max_dst)
		return DOCA_CQE_BAD_DESCRIPTOR;
	for (i = 0; i < num; i++) {
		*syndrome = i;
		if (!sges[i].len)
			return DOCA_CQE_BAD_LENGTH;
		total[i >= sqe->num_src] += le32toh(sges[i].len);
		if (total[0] > limits->max_transfer)
			return DOCA_CQE_BAD_LENGTH;
	}
	if (total[1] < total[0])
		return DOCA_CQE_BAD_LENGTH;
	*syndrome = 0;
	return DOCA_CQE_OK;
}

static uint8_t add_list(struct side *side, const struct doca_sge *sges,
			uint32_t num, uint32_t domain, uint32_t access,
			uint8_t missing, uint32_t first, uint8_t *syndrome)
{
	uint8_t status;
	uint32_t i;

	for (i = 0; i < num; i++) {
		status = side_add(side, &sges[i], domain, access, missing);
		if (status) {
			*syndrome = first + i;
			return status;
		}
	}
	return DOCA_CQE_OK;
}

/*
 * Finds the peer and takes hold of its queue and key. The peer's device is
 * held by *@remote on success.
 */
static uint8_t reach_peer(struct dpu *dpu, struct queue *q, struct side *dst,
			  const struct doca_sqe *sqe,
			  const struct doca_sge *sges, struct dpu **remote,
			  struct queue **peer, uint8_t *syndrome)
{
	uint8_t status = TRANSFER_RETRY;
	struct queue *p;
	struct dpu *r;

	if (!q->connected)
		return DOCA_CQE_NOT_CONNECTED;
	r = fabric_get(&q->remote_gid);
	if (!r)
		return TRANSFER_RETRY;
	pthread_mutex_lock(&r->lock);
	p = queue_find(r, q->remote_queue);
	if (p && p->connected && !p->error && !atomic_load(&p->abort) &&
	    !r->reset_pending && p->engine == DOCA_ENGINE_RDMA &&
	    p->remote_queue == q->handle &&
	    !memcmp(&p->remote_gid, &dpu->gid, sizeof(dpu->gid))) {
		side_init(dst, r, true);
		status = add_list(dst, sges + sqe->num_src, sqe->num_dst,
				  p->domain, DOCA_KEY_RDMA_WRITE,
				  DOCA_CQE_REMOTE_KEY, sqe->num_src, syndrome);
		if (status)
			side_release(dst);
		else
			p->inbound++;
	}
	pthread_mutex_unlock(&r->lock);
	if (status) {
		fabric_put(r);
		return status;
	}
	*remote = r;
	*peer = p;
	return DOCA_CQE_OK;
}

uint8_t transfer_run(struct dpu *dpu, struct queue *q,
		     const struct doca_sqe *sqe, const struct doca_sge *sges,
		     uint64_t *bytes, uint8_t *syndrome)
{
	const struct engine_limits *limits = &dpu->model->engines[q->engine];
	bool rdma = q->engine == DOCA_ENGINE_RDMA;
	struct queue *peer = NULL;
	struct dpu *remote = NULL;
	struct side src, dst;
	uint8_t status;

	status = check_lists(limits, rdma ? 1 : limits->max_list_len, sqe, sges,
			     syndrome);
	if (status)
		return status;

	side_init(&src, dpu, false);
	side_init(&dst, dpu, true);
	pthread_mutex_lock(&dpu->lock);
	status = add_list(&src, sges, sqe->num_src, q->domain, 0,
			  DOCA_CQE_LOCAL_KEY, 0, syndrome);
	if (!status && !rdma)
		status = add_list(&dst, sges + sqe->num_src, sqe->num_dst,
				  q->domain,
				  DOCA_KEY_LOCAL_WRITE | DOCA_KEY_PCI_WRITE,
				  DOCA_CQE_LOCAL_KEY, sqe->num_src, syndrome);
	pthread_mutex_unlock(&dpu->lock);

	if (!status && rdma)
		status = reach_peer(dpu, q, &dst, sqe, sges, &remote, &peer,
				    syndrome);
	if (!status) {
		status = move(q, peer, &src, &dst,
			      rdma ? DOCA_CQE_REMOTE_KEY : DOCA_CQE_LOCAL_KEY,
			      syndrome);
		side_unmap(&src);
		side_unmap(&dst);
		*bytes = src.total;
	}

	if (peer) {
		pthread_mutex_lock(&remote->lock);
		side_release(&dst);
		if (!--peer->inbound)
			pthread_cond_broadcast(&remote->changed);
		pthread_mutex_unlock(&remote->lock);
		fabric_put(remote);
	}
	pthread_mutex_lock(&dpu->lock);
	side_release(&src);
	if (!rdma)
		side_release(&dst);
	pthread_mutex_unlock(&dpu->lock);
	return status;
}
