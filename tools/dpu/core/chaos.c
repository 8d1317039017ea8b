// SPDX-License-Identifier: MIT
/*
 * Modes in which the device breaks its own rules, for tests of those who have
 * to live with that. The table says what a mode does; what does it asks
 * chaos(). Nothing here is needed for a device that works.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dpu_priv.h"

static const struct {
	const char *name;
	uint32_t value;		/* unless "name=value" gives another one */
} modes[NUM_CHAOS] = {
	/* completions have this status */
	[CHAOS_CQE_STATUS] = { "cqe-status", 0xee },
	/* completions have inverted cookies */
	[CHAOS_CQE_COOKIE] = { "cqe-cookie", 0 },
	/* completions have inverted tags */
	[CHAOS_CQE_TAG] = { "cqe-tag", 0 },
	/* completions have this queue index */
	[CHAOS_CQE_INDEX] = { "cqe-index", ~0U },
	/* queue indices of completions go backwards */
	[CHAOS_CQE_BACK] = { "cqe-back", 0 },
	/* completions have 2^64-1 bytes */
	[CHAOS_CQE_LENGTH] = { "cqe-length", 0 },
	/* completions have this opcode */
	[CHAOS_CQE_OPCODE] = { "cqe-opcode", 0xff },
	/* completions have the wrong phase */
	[CHAOS_CQE_PHASE] = { "cqe-phase", 0 },
	/* no completions */
	[CHAOS_CQE_DROP] = { "cqe-drop", 0 },
	/* completions come twice */
	[CHAOS_CQE_DUPLICATE] = { "cqe-duplicate", 0 },
	/* completions come after the next one */
	[CHAOS_CQE_REORDER] = { "cqe-reorder", 0 },
	/* events have inverted ids */
	[CHAOS_EQE_ID] = { "eqe-id", 0 },
	/* events have this type */
	[CHAOS_EQE_TYPE] = { "eqe-type", 0xee },
	/* events have the wrong phase */
	[CHAOS_EQE_PHASE] = { "eqe-phase", 0 },
	/* no events */
	[CHAOS_EQE_DROP] = { "eqe-drop", 0 },
	/* events come on the next ring that there is */
	[CHAOS_EQE_RING] = { "eqe-ring", 0 },
	/* events come twice */
	[CHAOS_EQE_DUPLICATE] = { "eqe-duplicate", 0 },
	/* no interrupts */
	[CHAOS_IRQ_DROP] = { "irq-drop", 0 },
	/* all vectors, each so many microseconds */
	[CHAOS_IRQ_STORM] = { "irq-storm", 100 },
	/* admin commands are not answered */
	[CHAOS_ADMIN_DROP] = { "admin-drop", 0 },
	/* and answered so many ms later */
	[CHAOS_ADMIN_LATE] = { "admin-late", 5000 },
	/* admin commands do nothing and have this status */
	[CHAOS_ADMIN_STATUS] = { "admin-status", DOCA_ADMIN_INTERNAL },
	/* answers have their id xor this */
	[CHAOS_ADMIN_ID] = { "admin-id", 0x5555 },
	/* answers have the wrong phase */
	[CHAOS_ADMIN_PHASE] = { "admin-phase", 0 },
	/* answers come twice */
	[CHAOS_ADMIN_DUPLICATE] = { "admin-duplicate", 0 },
	/* registers read as this */
	[CHAOS_REGS] = { "regs", ~0U },
	/* resets never end */
	[CHAOS_RESET_STUCK] = { "reset-stuck", 0 },
	/* never ready */
	[CHAOS_READY_STUCK] = { "ready-stuck", 0 },
	/* so many doorbell pages, it says */
	[CHAOS_DOORBELLS] = { "doorbells", ~0U },
	/* at this distance, it says */
	[CHAOS_SHIFT] = { "doorbell-shift", 63 },
	/* so many vectors, it says */
	[CHAOS_VECTORS] = { "vectors", ~0U },
	/* all its time limits, it says, ms */
	[CHAOS_TIMEOUTS] = { "timeouts", 0 },
	/* all its capabilities, it says */
	[CHAOS_CAPS] = { "caps", 0 },
	/* the bus refuses all DMA */
	[CHAOS_DMA_FAULT] = { "dma-fault", 0 },
	/* all DMA goes to the device's own registers */
	[CHAOS_DMA_BAR] = { "dma-bar", 0 },
	/* bytes of the doorbell BAR; from the start only */
	[CHAOS_BAR_SMALL] = { "bar-small", 4096 },
};

uint32_t chaos_value(struct dpu *dpu, enum chaos mode)
{
	return atomic_load_explicit(&dpu->chaos_value[mode], memory_order_relaxed);
}

static int find_mode(const char *name, size_t len)
{
	int i;

	for (i = 0; i < NUM_CHAOS; i++)
		if (!strncmp(modes[i].name, name, len) && !modes[i].name[len])
			return i;
	return -1;
}

bool dpu_set_chaos(struct dpu *dpu, const char *list)
{
	uint32_t values[NUM_CHAOS];
	uint64_t mask = 0;
	const char *p, *next;
	int mode;

	if (!strcmp(list, "none"))
		list = "";
	for (p = list; *p; p = next) {
		size_t len = strcspn(p, "=+");
		char *end;

		mode = find_mode(p, len);
		if (mode < 0)
			return false;
		mask |= 1ULL << mode;
		values[mode] = modes[mode].value;
		next = p + len;
		if (*next == '=') {
			values[mode] = strtoul(next + 1, &end, 0);
			if (end == next + 1)
				return false;
			next = end;
		}
		if (*next == '+')
			next++;
		else if (*next)
			return false;
	}
	for (mode = 0; mode < NUM_CHAOS; mode++)
		if (mask >> mode & 1)
			atomic_store(&dpu->chaos_value[mode], values[mode]);
	atomic_store(&dpu->chaos, mask);
	/* Whoever sleeps may have something to do, such as interrupts. */
	pthread_mutex_lock(&dpu->lock);
	pthread_cond_broadcast(&dpu->worker_wake);
	pthread_mutex_unlock(&dpu->lock);
	return true;
}

uint64_t dpu_chaos_bar(struct dpu *dpu, uint64_t size)
{
	return chaos(dpu, CHAOS_BAR_SMALL) ? chaos_value(dpu, CHAOS_BAR_SMALL) : size;
}

const char *dpu_chaos_modes(void)
{
	static char text[NUM_CHAOS * 24];
	size_t used = 0;
	int i;

	for (i = 0; i < NUM_CHAOS; i++)
		used += snprintf(text + used, sizeof(text) - used, "%s%s",
				 i ? ", " : "", modes[i].name);
	return text;
}

/* Changes a completion; how often is it written? */
unsigned int chaos_completion(struct dpu *dpu, struct doca_cqe *cqe)
{
	if (chaos(dpu, CHAOS_CQE_STATUS))
		cqe->status = chaos_value(dpu, CHAOS_CQE_STATUS);
	if (chaos(dpu, CHAOS_CQE_COOKIE))
		cqe->cookie = ~cqe->cookie;
	if (chaos(dpu, CHAOS_CQE_TAG))
		cqe->tag = ~cqe->tag;
	if (chaos(dpu, CHAOS_CQE_INDEX))
		cqe->queue_index = htole32(chaos_value(dpu, CHAOS_CQE_INDEX));
	if (chaos(dpu, CHAOS_CQE_BACK))
		cqe->queue_index = htole32(-le32toh(cqe->queue_index));
	if (chaos(dpu, CHAOS_CQE_LENGTH))
		cqe->byte_len = ~0ULL;
	if (chaos(dpu, CHAOS_CQE_OPCODE))
		cqe->opcode = chaos_value(dpu, CHAOS_CQE_OPCODE);
	if (chaos(dpu, CHAOS_CQE_PHASE))
		cqe->phase ^= DOCA_CQE_PHASE_ODD;
	if (chaos(dpu, CHAOS_CQE_DROP))
		return 0;
	return chaos(dpu, CHAOS_CQE_DUPLICATE) ? 2 : 1;
}

/* Changes an event; how often is it written? */
unsigned int chaos_event(struct dpu *dpu, struct doca_eqe *eqe)
{
	if (chaos(dpu, CHAOS_EQE_ID))
		eqe->id = ~eqe->id;
	if (chaos(dpu, CHAOS_EQE_TYPE))
		eqe->type = chaos_value(dpu, CHAOS_EQE_TYPE);
	if (chaos(dpu, CHAOS_EQE_PHASE))
		eqe->phase ^= DOCA_CQE_PHASE_ODD;
	if (chaos(dpu, CHAOS_EQE_DROP))
		return 0;
	return chaos(dpu, CHAOS_EQE_DUPLICATE) ? 2 : 1;
}

/* Interrupts for nothing. Lets the caller sleep until *@next at most. */
void chaos_storm(struct dpu *dpu, uint64_t *next)
{
	uint64_t then;
	uint32_t i;

	if (!chaos(dpu, CHAOS_IRQ_STORM))
		return;
	for (i = 0; i < dpu->config.vectors; i++)
		dpu->ops->interrupt(dpu->opaque, i);
	then = dpu_now() + chaos_value(dpu, CHAOS_IRQ_STORM) * 1000ULL;
	if (!*next || then < *next)
		*next = then;
}

/* What a register reads as. */
uint32_t chaos_register(struct dpu *dpu, uint64_t offset, uint32_t value)
{
	if (chaos(dpu, CHAOS_REGS))
		return chaos_value(dpu, CHAOS_REGS);
	switch (offset) {
	case DOCA_REG_STATUS:
		if (chaos(dpu, CHAOS_RESET_STUCK))
			value |= DOCA_STATUS_RESETTING;
		if (chaos(dpu, CHAOS_READY_STUCK))
			value &= ~DOCA_STATUS_READY;
		break;
	case DOCA_REG_NUM_DOORBELLS:
		if (chaos(dpu, CHAOS_DOORBELLS))
			value = chaos_value(dpu, CHAOS_DOORBELLS);
		break;
	case DOCA_REG_DOORBELL_SHIFT:
		if (chaos(dpu, CHAOS_SHIFT))
			value = chaos_value(dpu, CHAOS_SHIFT);
		break;
	case DOCA_REG_NUM_VECTORS:
		if (chaos(dpu, CHAOS_VECTORS))
			value = chaos_value(dpu, CHAOS_VECTORS);
		break;
	case DOCA_REG_ADMIN_TIMEOUT:
	case DOCA_REG_RESET_TIMEOUT:
		if (chaos(dpu, CHAOS_TIMEOUTS))
			value = chaos_value(dpu, CHAOS_TIMEOUTS);
		break;
	}
	return value;
}

void chaos_caps(struct dpu *dpu, struct doca_hw_caps *caps)
{
	uint32_t value = htole32(chaos_value(dpu, CHAOS_CAPS));
	unsigned int i;

	if (!chaos(dpu, CHAOS_CAPS))
		return;
	memset(caps->model, 0xff, sizeof(caps->model));
	caps->max_keys = value;
	caps->max_cqs = value;
	caps->max_queues = value;
	caps->max_eqs = value;
	caps->max_cq_entries = value;
	caps->max_key_pages = value;
	for (i = 0; i < DOCA_NUM_ENGINES; i++) {
		caps->engines[i].supported = htole32(1);
		caps->engines[i].max_list_len = value;
		caps->engines[i].max_queue_entries = value;
		caps->engines[i].max_transfer = (uint64_t)value << 32 | value;
	}
}
