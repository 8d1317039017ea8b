// SPDX-License-Identifier: MIT
/*
 * Completion rings and event rings. Everything here that is not a create or
 * destroy command runs under the device's lock.
 */
#include <stdlib.h>
#include <string.h>
#include "dpu_priv.h"

static uint64_t entry_iova(const struct pages *pages, uint32_t index,
			   uint32_t log, size_t size)
{
	uint64_t slot = index & ((1U << log) - 1), left;

	return pages_iova(pages, slot * size, &left);
}

static void eq_interrupt(struct dpu *dpu, struct eq *eq)
{
	if (!eq->armed)
		return;
	eq->armed = false;
	dpu_interrupt(dpu, eq->vector);
}

static bool eq_write(struct dpu *dpu, struct eq *eq, uint8_t type, uint32_t id)
{
	struct doca_eqe eqe = {
		.id = htole32(id),
		.type = type,
	};
	unsigned int times;

	if (eq->pi - eq->ci >= 1U << eq->log)
		return false;
	for (times = chaos_event(dpu, &eqe); times; times--) {
		eqe.phase ^= doca_cqe_phase(eq->pi, eq->log);
		if (!ring_write(dpu, entry_iova(&eq->pages, eq->pi, eq->log,
						sizeof(eqe)),
				&eqe, sizeof(eqe)))
			dpu_log(dpu, DPU_LOG_ERROR,
				"event ring %u cannot be written", eq->id);
		eqe.phase ^= doca_cqe_phase(eq->pi, eq->log);
		eq->pi++;
	}
	return true;
}

static struct eq *next_eq(struct dpu *dpu, struct eq *eq)
{
	uint32_t i;

	for (i = 1; i < dpu->config.vectors; i++) {
		struct eq *other = dpu->eqs[(eq->id + i) % dpu->config.vectors];

		if (other)
			return other;
	}
	return eq;
}

/* An event of @due; it waits if the ring is full, and is there only once. */
void eq_post(struct dpu *dpu, struct eq *eq, struct due *due)
{
	if (due->listed)
		return;
	if (chaos(dpu, CHAOS_EQE_RING)) {
		/* Lost if there is no room. */
		eq = next_eq(dpu, eq);
		if (eq_write(dpu, eq, due->type, due->id))
			eq_interrupt(dpu, eq);
		return;
	}
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

	if (id >= dpu->model.max_cqs || domain >= dpu->config.doorbells ||
	    !ring_log_ok(log, dpu->model.max_cq_entries))
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

	if (id >= dpu->model.max_cqs)
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
	struct cq *cq = id < dpu->model.max_cqs ? dpu->cqs[id] : NULL;

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

static void cq_write(struct dpu *dpu, struct cq *cq, struct doca_cqe cqe)
{
	unsigned int times;

	for (times = chaos_completion(dpu, &cqe); times; times--) {
		cqe.phase ^= doca_cqe_phase(cq->pi, cq->log);
		if (!ring_write(dpu, entry_iova(&cq->pages, cq->pi, cq->log,
						sizeof(cqe)),
				&cqe, sizeof(cqe)))
			dpu_log(dpu, DPU_LOG_ERROR,
				"completion ring %u cannot be written", cq->id);
		cqe.phase ^= doca_cqe_phase(cq->pi, cq->log);
		cq->pi++;
	}
}

/* @cqe is all there but its phase, which is 0. */
void cq_post(struct dpu *dpu, struct cq *cq, const struct doca_cqe *cqe)
{
	if (chaos(dpu, CHAOS_CQE_REORDER) && !cq->holds) {
		cq->held = *cqe;
		cq->holds = true;
		return;
	}
	cq_write(dpu, cq, *cqe);
	if (cq->holds) {
		cq->holds = false;
		cq_write(dpu, cq, cq->held);
	}
	cq_notify(dpu, cq);
}
