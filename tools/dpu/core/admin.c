// SPDX-License-Identifier: MIT
/*
 * Admin commands. One thread carries them out, one after the other, so that
 * nothing but it adds objects to the tables or removes them.
 */
#include <string.h>
#include "dpu_priv.h"

static uint8_t query_device(struct dpu *dpu, const struct doca_admin_query *cmd)
{
	const struct model *model = &dpu->model;
	struct doca_hw_caps caps = {
		.serial = htole64(dpu->config.serial),
		.gid = dpu->gid,
		/* locally administered, one per function */
		.mac = { 0x02, 0xd0 | dpu->config.function, 0xca,
			 dpu->config.serial >> 16, dpu->config.serial >> 8,
			 dpu->config.serial },
		.side = dpu->config.dpu_side ? DOCA_SIDE_DPU : DOCA_SIDE_HOST,
		.function = dpu->config.function,
		.max_keys = htole32(dpu->model.max_keys),
		.max_cqs = htole32(model->max_cqs),
		.max_queues = htole32(model->max_queues),
		.max_eqs = htole32(dpu->config.vectors),
		.max_cq_entries = htole32(model->max_cq_entries),
		.max_key_pages = htole32(model->max_key_pages),
	};
	unsigned int i;

	if (le32toh(cmd->len) < sizeof(caps) || cmd->reserved)
		return DOCA_ADMIN_BAD_FIELD;
	strncpy((char *)caps.model, model->name, sizeof(caps.model) - 1);
	for (i = 0; i < DOCA_NUM_ENGINES; i++) {
		const struct engine_limits *from = &model->engines[i];
		struct doca_hw_engine_caps *to = &caps.engines[i];

		to->supported = htole32(!!from->opcodes);
		to->opcodes = htole32(from->opcodes);
		to->max_list_len = htole32(from->max_list_len);
		to->max_queue_entries = htole32(from->max_queue_entries);
		to->max_transfer = htole64(from->max_transfer);
	}
	chaos_caps(dpu, &caps);
	if (!dpu_write(dpu, le64toh(cmd->addr), &caps, sizeof(caps)))
		return DOCA_ADMIN_BUS_ERROR;
	return DOCA_ADMIN_OK;
}

static uint8_t query_function(struct dpu *dpu,
			      const struct doca_admin_query_function *cmd)
{
	struct doca_hw_function answer = { 0 };
	struct dpu *other;
	uint16_t address;

	if (le32toh(cmd->len) < sizeof(answer))
		return DOCA_ADMIN_BAD_FIELD;
	other = fabric_get_function(dpu, le32toh(cmd->function));
	if (!other)
		return DOCA_ADMIN_NOT_FOUND;
	address = other->ops->pci_address(other->opaque);
	answer.pci_bus = address >> 8;
	answer.pci_devfn = address;
	answer.side = other->config.dpu_side ? DOCA_SIDE_DPU : DOCA_SIDE_HOST;
	answer.function = other->config.function;
	fabric_put(other);
	if (!dpu_write(dpu, le64toh(cmd->addr), &answer, sizeof(answer)))
		return DOCA_ADMIN_BUS_ERROR;
	return DOCA_ADMIN_OK;
}

static uint8_t execute(struct dpu *dpu, const struct doca_admin_sqe *sqe)
{
	uint32_t id = le32toh(sqe->handle.id);

	if (chaos(dpu, CHAOS_ADMIN_STATUS))
		return chaos_value(dpu, CHAOS_ADMIN_STATUS);
	if (sqe->reserved)
		return DOCA_ADMIN_BAD_FIELD;
	switch (le16toh(sqe->opcode)) {
	case DOCA_ADMIN_QUERY_DEVICE:
		return query_device(dpu, &sqe->query);
	case DOCA_ADMIN_QUERY_FUNCTION:
		return query_function(dpu, &sqe->query_function);
	case DOCA_ADMIN_CREATE_EQ:
		return eq_create(dpu, &sqe->create_eq);
	case DOCA_ADMIN_CREATE_KEY:
		return key_create(dpu, &sqe->create_key);
	case DOCA_ADMIN_SHARE_KEY:
		return key_share(dpu, &sqe->share_key);
	case DOCA_ADMIN_IMPORT_KEY:
		return key_import(dpu, &sqe->import_key);
	case DOCA_ADMIN_CREATE_CQ:
		return cq_create(dpu, &sqe->create_cq);
	case DOCA_ADMIN_CREATE_QUEUE:
		return queue_create(dpu, &sqe->create_queue);
	case DOCA_ADMIN_CONNECT_QUEUE:
		return queue_connect(dpu, &sqe->connect_queue);
	case DOCA_ADMIN_DESTROY_EQ:
		return eq_destroy(dpu, id);
	case DOCA_ADMIN_DESTROY_KEY:
		return key_destroy(dpu, id);
	case DOCA_ADMIN_DESTROY_CQ:
		return cq_destroy(dpu, id);
	case DOCA_ADMIN_STOP_QUEUE:
		return queue_stop(dpu, id);
	case DOCA_ADMIN_DESTROY_QUEUE:
		return queue_destroy(dpu, id);
	default:
		return DOCA_ADMIN_BAD_OPCODE;
	}
}

/* With the lock. */
static void answer(struct dpu *dpu, uint16_t command_id, uint8_t status)
{
	struct doca_admin_cqe cqe = { .command_id = command_id, .status = status };
	uint32_t mask = (1U << dpu->admin_log) - 1;
	unsigned int times = chaos(dpu, CHAOS_ADMIN_DUPLICATE) ? 2 : 1;

	if (chaos(dpu, CHAOS_ADMIN_ID))
		cqe.command_id ^= htole16(chaos_value(dpu, CHAOS_ADMIN_ID));
	for (; times; times--) {
		uint32_t pi = dpu->admin_cq_pi++;

		cqe.phase = doca_cqe_phase(pi, dpu->admin_log) ^
			    chaos(dpu, CHAOS_ADMIN_PHASE);
		if (!ring_write(dpu, dpu->admin_cq + (uint64_t)(pi & mask) * sizeof(cqe),
				&cqe, sizeof(cqe)))
			dpu_log(dpu, DPU_LOG_ERROR,
				"admin completion ring cannot be written");
	}
	dpu_interrupt(dpu, 0);
}

/* Sleeps, with the lock. False: the device is to be reset, or ends. */
static bool admin_delay(struct dpu *dpu, uint32_t ms)
{
	uint64_t until = dpu_now() + ms * 1000000ULL;

	while (!dpu->reset_pending && !dpu->exiting && dpu_now() < until)
		dpu_wait(dpu, &dpu->admin_wake, until);
	return !dpu->reset_pending && !dpu->exiting;
}

/* With the lock. False: there is no command. */
bool admin_step(struct dpu *dpu)
{
	uint32_t mask = (1U << dpu->admin_log) - 1, ci = dpu->admin_ci;
	uint32_t delay = atomic_load(&dpu->admin_delay_ms);
	uint64_t sq = dpu->admin_sq;
	struct doca_admin_sqe sqe;
	uint8_t status;

	if (!dpu->ready || dpu->reset_pending || ci == dpu->admin_pi)
		return false;
	if (delay && !admin_delay(dpu, delay))
		return true;
	dpu->admin_ci++;
	dpu->stats.admin_commands++;
	pthread_mutex_unlock(&dpu->lock);

	if (dpu_read(dpu, sq + (uint64_t)(ci & mask) * sizeof(sqe), &sqe,
		     sizeof(sqe))) {
		status = execute(dpu, &sqe);
		if (status && status != DOCA_ADMIN_NOT_FOUND)
			dpu_log(dpu, DPU_LOG_ERROR,
				"admin command %#x: status %u",
				le16toh(sqe.opcode), status);
	} else {
		dpu_log(dpu, DPU_LOG_ERROR, "admin submission ring cannot be read");
		pthread_mutex_lock(&dpu->lock);
		dpu->fatal = true;
		dpu->ready = false;
		return true;
	}

	pthread_mutex_lock(&dpu->lock);
	if (chaos(dpu, CHAOS_ADMIN_DROP))
		return true;
	if (chaos(dpu, CHAOS_ADMIN_LATE))
		admin_delay(dpu, chaos_value(dpu, CHAOS_ADMIN_LATE));
	if (!dpu->reset_pending)
		answer(dpu, sqe.command_id, status);
	return true;
}
