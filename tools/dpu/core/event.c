// SPDX-License-Identifier: MIT
/*
 * Completion rings and event rings. Everything here that is not a create or
 * destroy command runs under the device's lock.
 */
#include <stdlib.h>
#include <string.h>
#include "dpu_priv.h"

/*
 * Writes an entry whose last eight bytes hold its phase. They go last, in one
 * aligned store: who sees the phase sees the entry.
 */
static bool ring_write(struct dpu *dpu, const struct pages *pages,
		       uint32_t slot, const void *entry, size_t size)
{
	uint64_t left, tail;
	uint64_t iova = pages_iova(pages, (uint64_t)slot * size, &left);
	size_t n = size;
	void *p = dpu->ops->map(dpu->opaque, iova, &n, true);

	if (!p || n < size) {
		if (p)
			dpu->ops->unmap(dpu->opaque, p, n, true, 0);
		return false;
	}
	memcpy(&tail, (const char *)entry + size - 8, 8);
	memcpy(p, entry, size - 8);
	atomic_store_explicit((_Atomic uint64_t *)((char *)p + size - 8), tail,
			      memory_order_release);
	dpu->ops->unmap(dpu->opaque, p, n, true, size);
	return true;
}

static void eq_interrupt(struct dpu *dpu, struct eq *eq)
{
	if (!eq->armed)
		return;
	eq->armed = false;
	dpu->stats.interrupts++;
	dpu->ops->interrupt(dpu->opaque, eq->vector);
}

static bool eq_write(struct dpu *dpu, struct eq *eq, uint8_t type, uint32_t id)
{
	struct doca_eqe eqe = {
		.id = htole32(id),
		.type = type,
		.phase = doca_cqe_phase(eq->pi, eq->log),
	};

	if (eq->pi - eq->ci >= 1U << eq->log)
		return false;
	if (!ring_write(dpu, &eq->pages, eq->pi & ((1U << eq->log) - 1), &eqe,
			sizeof(eqe)))
		dpu_log(dpu, DPU_LOG_ERROR, "event ring %u cannot be written",
			eq->id);
	eq->pi++;
	return true;
}

/* An event of @due; it waits if the ring is full, and is there only once. */
void eq_post(struct dpu *dpu, struct eq *eq, struct due *due)
{
	if (due->listed)
		return;
	if (eq->due_first || !eq_write(dpu, eq, due->type, due->id)) {
		due->next = NULL;
		due->listed = true;
		*eq->due_last = due;
		eq->due_last = &due->next;
		return;
	}
	eq_interrupt(dpu, eq);
}

/* The object of @due goes away. */
void event_forget(struct eq *eq, struct due *due)
{
	struct due **p;

	if (!due->listed)
		return;
	for (p = &eq->due_first; *p != due; p = &(*p)->next)
		;
	*p = due->next;
	if (!due->next)
		eq->due_last = p;
	due->listed = false;
}

void eq_doorbell(struct dpu *dpu, uint32_t id, uint32_t ci)
{
	struct eq *eq = id < dpu->config.vectors ? dpu->eqs[id] : NULL;
	struct due *due;

	if (!eq || ci - eq->ci > eq->pi - eq->ci) {
		dpu->stats.bad_doorbells++;
		dpu_log(dpu, DPU_LOG_ERROR, "EVENTS doorbell: ring %u, index %u",
			id, ci);
		return;
	}
	eq->ci = ci;
	while ((due = eq->due_first) && eq_write(dpu, eq, due->type, due->id)) {
		eq->due_first = due->next;
		if (!eq->due_first)
			eq->due_last = &eq->due_first;
		due->listed = false;
	}
	eq->armed = true;
	if (eq->pi != eq->ci)
		eq_interrupt(dpu, eq);
}

static bool ring_log_ok(uint32_t log, uint32_t max_entries)
{
	return log <= DPU_ENTRY_MAX_LOG && 1U << log <= max_entries;
}

uint8_t eq_create(struct dpu *dpu, const struct doca_admin_create_eq *cmd)
{
	uint32_t id = le32toh(cmd->id), log = le32toh(cmd->log_entries);
	uint32_t vector = le32toh(cmd->vector);
	struct eq *eq;
	uint8_t status;

	if (id >= dpu->config.vectors || vector >= dpu->config.vectors ||
	    cmd->reserved || !ring_log_ok(log, 1U << 16))
		return DOCA_ADMIN_BAD_FIELD;
	if (dpu->eqs[id])
		return DOCA_ADMIN_EXISTS;
	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return DOCA_ADMIN_NO_RESOURCES;
	status = pages_copy(dpu, &eq->pages, &cmd->pages, 1U << 16,
			    sizeof(struct doca_eqe) << log);
	if (status) {
		free(eq);
		return status;
	}
	eq->id = id;
	eq->log = log;
	eq->vector = vector;
	eq->armed = true;
	eq->due_last = &eq->due_first;
	pthread_mutex_lock(&dpu->lock);
	dpu->eqs[id] = eq;
	pthread_mutex_unlock(&dpu->lock);
	return DOCA_ADMIN_OK;
}

uint8_t eq_destroy(struct dpu *dpu, uint32_t id)
{
	struct eq *eq;
	uint8_t status = DOCA_ADMIN_OK;

	if (id >= dpu->config.vectors)
		return DOCA_ADMIN_BAD_HANDLE;
	pthread_mutex_lock(&dpu->lock);
	eq = dpu->eqs[id];
	if (!eq)
		status = DOCA_ADMIN_BAD_HANDLE;
	else if (eq->cqs)
		status = DOCA_ADMIN_BUSY;
	else
		dpu->eqs[id] = NULL;
	pthread_mutex_unlock(&dpu->lock);
	if (status)
		return status;
	pages_free(dpu, &eq->pages);
	free(eq);
	return DOCA_ADMIN_OK;
}

uint8_t cq_create(struct dpu *dpu, const struct doca_admin_create_cq *cmd)
{
	uint32_t id = le32toh(cmd->id), log = le32toh(cmd->log_entries);
	uint32_t domain = le32toh(cmd->domain), eqn = le32toh(cmd->eq);
	struct cq *cq;
	uint8_t status;

	if (id >= dpu->model->max_cqs || domain >= dpu->config.doorbells ||
	    !ring_log_ok(log, dpu->model->max_cq_entries))
		return DOCA_ADMIN_BAD_FIELD;
	if (eqn >= dpu->config.vectors || !dpu->eqs[eqn])
		return DOCA_ADMIN_BAD_HANDLE;
	if (dpu->cqs[id])
		return DOCA_ADMIN_EXISTS;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return DOCA_ADMIN_NO_RESOURCES;
	status = pages_copy(dpu, &cq->pages, &cmd->pages, 1U << 16,
			    (uint64_t)sizeof(struct doca_cqe) << log);
	if (status) {
		free(cq);
		return status;
	}
	cq->id = id;
	cq->domain = domain;
	cq->log = log;
	cq->event.type = DOCA_EVENT_COMPLETION;
	cq->event.id = id;
	pthread_mutex_lock(&dpu->lock);
	cq->eq = dpu->eqs[eqn];
	cq->eq->cqs++;
	dpu->cqs[id] = cq;
	pthread_mutex_unlock(&dpu->lock);
	return DOCA_ADMIN_OK;
}

uint8_t cq_destroy(struct dpu *dpu, uint32_t id)
{
	struct cq *cq;
	uint8_t status = DOCA_ADMIN_OK;

	if (id >= dpu->model->max_cqs)
		return DOCA_ADMIN_BAD_HANDLE;
	pthread_mutex_lock(&dpu->lock);
	cq = dpu->cqs[id];
	if (!cq) {
		status = DOCA_ADMIN_BAD_HANDLE;
	} else if (cq->queues) {
		status = DOCA_ADMIN_BUSY;
	} else {
		dpu->cqs[id] = NULL;
		event_forget(cq->eq, &cq->event);
		cq->eq->cqs--;
	}
	pthread_mutex_unlock(&dpu->lock);
	if (status)
		return status;
	pages_free(dpu, &cq->pages);
	free(cq);
	return DOCA_ADMIN_OK;
}

/* An event, if the ring is armed and holds what was waited for. */
static void cq_notify(struct dpu *dpu, struct cq *cq)
{
	if (!cq->armed || (int32_t)(cq->pi - cq->armed_ci) <= 0)
		return;
	cq->armed = false;
	eq_post(dpu, cq->eq, &cq->event);
}

void cq_doorbell(struct dpu *dpu, uint32_t domain, uint32_t id, uint32_t ci)
{
	struct cq *cq = id < dpu->model->max_cqs ? dpu->cqs[id] : NULL;

	if (!cq || cq->domain != domain) {
		dpu->stats.bad_doorbells++;
		dpu_log(dpu, DPU_LOG_ERROR,
			"ARM doorbell: domain %u has no completion ring %u",
			domain, id);
		return;
	}
	cq->armed = true;
	cq->armed_ci = ci;
	cq_notify(dpu, cq);
}

void cq_post(struct dpu *dpu, struct cq *cq, const struct doca_cqe *cqe)
{
	struct doca_cqe entry = *cqe;

	entry.phase = doca_cqe_phase(cq->pi, cq->log);
	if (!ring_write(dpu, &cq->pages, cq->pi & ((1U << cq->log) - 1), &entry,
			sizeof(entry)))
		dpu_log(dpu, DPU_LOG_ERROR,
			"completion ring %u cannot be written", cq->id);
	cq->pi++;
	cq_notify(dpu, cq);
}
