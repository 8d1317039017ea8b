// SPDX-License-Identifier: MIT
/*
 * What a descriptor does: checks its lists against the key table, then moves
 * the data. Nothing is written unless all checks of both lists have passed.
 */
#include <string.h>
#include "dpu_priv.h"

/**
 * struct piece - one piece of a list
 * @key: that it names, held
 * @dpu: whose memory it is: the device of @far if there is one
 * @far: key that @key is an import of, held as well as its device, or NULL
 * @offset: in the pages of the last of them
 * @len: bytes
 */
struct piece {
	struct key *key;
	struct dpu *dpu;
	struct key *far;
	uint64_t offset;
	uint32_t len;
};

/* One end of a transfer: a list of pieces. */
struct side {
	struct dpu *dpu;		/* whose keys they name */
	uint32_t num;
	struct piece pieces[DPU_MAX_LIST];
	uint64_t total;
	/* cursor: what is mapped now */
	uint32_t at;
	uint32_t done;			/* bytes of piece @at */
	struct dpu *mapper;
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

static void piece_release(struct side *side, struct piece *piece)
{
	if (piece->far) {
		pthread_mutex_lock(&piece->dpu->lock);
		key_put(piece->dpu, piece->far);
		pthread_mutex_unlock(&piece->dpu->lock);
		fabric_put(piece->dpu);
	}
	pthread_mutex_lock(&side->dpu->lock);
	key_put(side->dpu, piece->key);
	pthread_mutex_unlock(&side->dpu->lock);
}

static void side_release(struct side *side)
{
	while (side->num)
		piece_release(side, &side->pieces[--side->num]);
}

/* Takes hold of what the piece's key is an import of. */
static bool piece_reach(struct piece *piece, struct dpu *dpu)
{
	const struct key *key = piece->key;
	struct dpu *other;

	other = fabric_get_function(dpu, key->function);
	if (!other)
		return false;
	pthread_mutex_lock(&other->lock);
	if (!other->reset_pending)
		piece->far = key_get_shared(other, key->remote_mkey, key->token);
	pthread_mutex_unlock(&other->lock);
	if (!piece->far) {
		fabric_put(other);
		return false;
	}
	piece->dpu = other;
	return true;
}

/* Whether there is one of the rights @access; 0: reading by the key's domain. */
static bool piece_allows(const struct piece *piece, uint32_t access)
{
	if (!piece->far)
		return !access || piece->key->access & access;
	if (!access)
		return true;	/* shared at all */
	return piece->far->access & access & DOCA_KEY_PCI_WRITE;
}

/* @missing is the status for a key not there. */
static uint8_t side_add(struct side *side, const struct doca_sge *sge,
			uint32_t domain, uint32_t access, uint8_t missing)
{
	struct piece *piece = &side->pieces[side->num];
	uint64_t addr = le64toh(sge->addr), offset, last;
	uint32_t len = le32toh(sge->len);
	const struct key *key;
	uint8_t status;

	piece->dpu = side->dpu;
	piece->far = NULL;
	pthread_mutex_lock(&side->dpu->lock);
	piece->key = key_get(side->dpu, le32toh(sge->mkey), domain);
	pthread_mutex_unlock(&side->dpu->lock);
	if (!piece->key)
		return missing;
	key = piece->key;
	if (key->imported) {
		if (!piece_reach(piece, side->dpu)) {
			status = missing;
			goto err;
		}
		key = piece->far;
	}
	offset = addr - key->addr;
	if (addr < key->addr ||
	    __builtin_add_overflow(offset, len - 1, &last) ||
	    last >= key->length) {
		status = missing + 1;	/* ..._BOUNDS */
	} else if (!piece_allows(piece, access)) {
		status = missing + 2;	/* ..._ACCESS */
	} else {
		piece->offset = key->offset + offset;
		piece->len = len;
		side->num++;
		side->total += len;
		return DOCA_CQE_OK;
	}
err:
	piece_release(side, piece);
	return status;
}

static void side_unmap(struct side *side)
{
	if (!side->ptr)
		return;
	dpu_unmap(side->mapper, side->ptr, side->mapped, side->write,
		  side->write ? side->used : 0);
	side->ptr = NULL;
}

/* Something is mapped when it succeeds. */
static bool side_map(struct side *side)
{
	const struct piece *piece;
	const struct key *key;
	uint64_t iova, left;

	if (side->ptr && side->used < side->mapped)
		return true;
	side_unmap(side);
	if (side->done == side->pieces[side->at].len) {
		side->at++;
		side->done = 0;
	}
	piece = &side->pieces[side->at];
	key = piece->far ? piece->far : piece->key;
	iova = pages_iova(&key->pages, piece->offset + side->done, &left);
	if (left > piece->len - side->done)
		left = piece->len - side->done;
	if (left > DPU_CHUNK)
		left = DPU_CHUNK;
	side->mapped = left;
	side->mapper = piece->dpu;
	side->ptr = dpu_map(side->mapper, iova, &side->mapped, side->write);
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
	const struct piece *piece = &side->pieces[side->at];

	return atomic_load(&piece->key->dying) ||
	       (piece->far && atomic_load(&piece->far->dying));
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
 * Finds the peer and takes hold of its queue. The peer's device is held by
 * *@remote on success.
 */
static uint8_t reach_peer(struct dpu *dpu, struct queue *q, struct dpu **remote,
			  struct queue **peer)
{
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
	    !memcmp(&p->remote_gid, &dpu->gid, sizeof(dpu->gid)))
		p->inbound++;
	else
		p = NULL;
	pthread_mutex_unlock(&r->lock);
	if (!p) {
		fabric_put(r);
		return TRANSFER_RETRY;
	}
	*remote = r;
	*peer = p;
	return DOCA_CQE_OK;
}

static void leave_peer(struct dpu *remote, struct queue *peer)
{
	pthread_mutex_lock(&remote->lock);
	if (!--peer->inbound)
		pthread_cond_broadcast(&remote->changed);
	pthread_mutex_unlock(&remote->lock);
	fabric_put(remote);
}

uint8_t transfer_run(struct dpu *dpu, struct queue *q,
		     const struct doca_sqe *sqe, const struct doca_sge *sges,
		     uint64_t *bytes, uint8_t *syndrome)
{
	const struct engine_limits *limits = &dpu->model.engines[q->engine];
	bool rdma = q->engine == DOCA_ENGINE_RDMA;
	uint8_t missing = DOCA_CQE_LOCAL_KEY, status;
	uint32_t access = DOCA_KEY_LOCAL_WRITE | DOCA_KEY_PCI_WRITE;
	uint32_t domain = q->domain;
	struct queue *peer = NULL;
	struct dpu *remote = dpu;
	struct side src, dst;

	status = check_lists(limits, rdma ? 1 : limits->max_list_len, sqe, sges,
			     syndrome);
	if (status)
		return status;
	side_init(&src, dpu, false);
	status = add_list(&src, sges, sqe->num_src, domain, 0, missing, 0,
			  syndrome);
	if (status)
		goto out_src;
	if (rdma) {
		status = reach_peer(dpu, q, &remote, &peer);
		if (status)
			goto out_src;
		domain = peer->domain;
		access = DOCA_KEY_RDMA_WRITE;
		missing = DOCA_CQE_REMOTE_KEY;
	}
	side_init(&dst, remote, true);
	status = add_list(&dst, sges + sqe->num_src, sqe->num_dst, domain,
			  access, missing, sqe->num_src, syndrome);
	if (!status) {
		status = move(q, peer, &src, &dst, missing, syndrome);
		side_unmap(&src);
		side_unmap(&dst);
		*bytes = src.total;
	}
	side_release(&dst);
	if (peer)
		leave_peer(remote, peer);
out_src:
	side_release(&src);
	return status;
}
