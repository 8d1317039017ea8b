// SPDX-License-Identifier: MIT
/*
 * The device as a whole: models, registers, reset, threads.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "dpu_priv.h"

#define ADMIN_RESET_TIMEOUT_MS	5000

#define COMMON_LIMITS					\
	.engines = {					\
		[DOCA_ENGINE_DMA] = {			\
			.opcodes = 1U << DOCA_DMA_OP_MEMCPY,	\
			.max_list_len = DPU_MAX_LIST,	\
			.max_queue_entries = 1U << 17,	\
			.max_transfer = 2U << 20,	\
		},					\
		[DOCA_ENGINE_RDMA] = {			\
			.opcodes = 1U << DOCA_RDMA_OP_WRITE,	\
			.max_list_len = 32,		\
			.max_queue_entries = 1U << 17,	\
			.max_transfer = 1U << 30,	\
		},					\
	},						\
	.max_keys = 1U << 16,				\
	.max_cqs = 8192,				\
	.max_queues = 8192,				\
	.max_cq_entries = 1U << 18,			\
	.max_key_pages = 1U << 20,			\
	.max_memory = 256U << 20

/* DMA and RDMA are on both cards; what sets them apart is other engines. */
static const struct model models[] = {
	{ .name = "bf2", COMMON_LIMITS },
	{ .name = "bf3", COMMON_LIMITS },
	{ .name = "all", COMMON_LIMITS },
};

uint64_t dpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* At most ten lines a second: a guest must not fill a disk. */
void dpu_log(struct dpu *dpu, enum dpu_log_level level, const char *fmt, ...)
{
	uint64_t second = dpu_now() / 1000000000ULL;
	char text[200];
	va_list args;

	/*
	 * Called with and without the lock: two threads at the turn of a
	 * second may log a few lines more.
	 */
	if (atomic_exchange(&dpu->log_second, second) != second)
		atomic_store(&dpu->log_lines, 0);
	if (atomic_fetch_add(&dpu->log_lines, 1) >= 10)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	dpu->ops->log(dpu->opaque, level, text);
}

void dpu_interrupt(struct dpu *dpu, uint32_t vector)
{
	if (chaos(dpu, CHAOS_IRQ_DROP))
		return;
	dpu->stats.interrupts++;
	dpu->ops->interrupt(dpu->opaque, vector);
}

/* Waits for @cond, with the lock; @until 0: for ever. */
bool dpu_wait(struct dpu *dpu, pthread_cond_t *cond, uint64_t until)
{
	struct timespec ts = {
		.tv_sec = until / 1000000000ULL,
		.tv_nsec = until % 1000000000ULL,
	};

	if (!until)
		return !pthread_cond_wait(cond, &dpu->lock);
	return !pthread_cond_timedwait(cond, &dpu->lock, &ts);
}

/*
 * Forgets every object. With the lock, in the thread that runs admin commands,
 * so that no command is under way. Transfers see that their keys die and their
 * queues abort; nothing new starts while reset_pending is set.
 */
static void reset_now(struct dpu *dpu)
{
	const struct model *model = &dpu->model;
	uint32_t i, used;

	for (i = 0; i < dpu->model.max_keys; i++)
		if (dpu->keys[i])
			atomic_store(&dpu->keys[i]->dying, true);
	for (i = 0; i < model->max_queues; i++)
		if (dpu->queues[i])
			atomic_store(&dpu->queues[i]->abort, true);
	for (;;) {
		used = dpu->running;
		for (i = 0; i < dpu->model.max_keys; i++)
			used += dpu->keys[i] ? dpu->keys[i]->refs : 0;
		for (i = 0; i < model->max_queues; i++)
			used += dpu->queues[i] ? dpu->queues[i]->inbound : 0;
		if (!used)
			break;
		pthread_cond_wait(&dpu->changed, &dpu->lock);
	}
	dpu->ready_first = NULL;
	dpu->ready_last = &dpu->ready_first;
	dpu->parked = NULL;
	for (i = 0; i < model->max_queues; i++) {
		if (!dpu->queues[i])
			continue;
		free(dpu->queues[i]->pages.addr);
		free(dpu->queues[i]);
		dpu->queues[i] = NULL;
	}
	for (i = 0; i < dpu->model.max_keys; i++) {
		if (!dpu->keys[i])
			continue;
		free(dpu->keys[i]->pages.addr);
		free(dpu->keys[i]);
		dpu->keys[i] = NULL;
	}
	for (i = 0; i < model->max_cqs; i++) {
		if (!dpu->cqs[i])
			continue;
		free(dpu->cqs[i]->pages.addr);
		free(dpu->cqs[i]);
		dpu->cqs[i] = NULL;
	}
	for (i = 0; i < dpu->config.vectors; i++) {
		if (!dpu->eqs[i])
			continue;
		free(dpu->eqs[i]->pages.addr);
		free(dpu->eqs[i]);
		dpu->eqs[i] = NULL;
	}
	dpu->memory = 0;
	dpu->ctrl = 0;
	dpu->admin_sq = 0;
	dpu->admin_cq = 0;
	dpu->admin_log = 0;
	dpu->admin_pi = 0;
	dpu->admin_ci = 0;
	dpu->admin_cq_pi = 0;
	dpu->ready = false;
	dpu->fatal = false;
	dpu->reset_pending = false;
	pthread_cond_broadcast(&dpu->changed);
	pthread_cond_broadcast(&dpu->worker_wake);
}

static void reset_request(struct dpu *dpu)
{
	dpu->reset_pending = true;
	pthread_cond_broadcast(&dpu->changed);
	pthread_cond_broadcast(&dpu->admin_wake);
}

void dpu_reset(struct dpu *dpu)
{
	pthread_mutex_lock(&dpu->lock);
	reset_request(dpu);
	if (!dpu->num_threads)
		reset_now(dpu);
	while (dpu->reset_pending)
		pthread_cond_wait(&dpu->changed, &dpu->lock);
	pthread_mutex_unlock(&dpu->lock);
}

static void *admin_thread(void *arg)
{
	struct dpu *dpu = arg;

	if (dpu->ops->thread_start)
		dpu->ops->thread_start(dpu->opaque);
	pthread_mutex_lock(&dpu->lock);
	while (!dpu->exiting) {
		if (dpu->reset_pending)
			reset_now(dpu);
		else if (!admin_step(dpu))
			dpu_wait(dpu, &dpu->admin_wake, 0);
	}
	pthread_mutex_unlock(&dpu->lock);
	if (dpu->ops->thread_stop)
		dpu->ops->thread_stop(dpu->opaque);
	return NULL;
}

static void *worker_thread(void *arg)
{
	struct dpu *dpu = arg;
	uint64_t next;

	if (dpu->ops->thread_start)
		dpu->ops->thread_start(dpu->opaque);
	pthread_mutex_lock(&dpu->lock);
	while (!dpu->exiting) {
		if (!queue_run_next(dpu, &next)) {
			chaos_storm(dpu, &next);
			dpu_wait(dpu, &dpu->worker_wake, next);
		}
	}
	pthread_mutex_unlock(&dpu->lock);
	if (dpu->ops->thread_stop)
		dpu->ops->thread_stop(dpu->opaque);
	return NULL;
}

bool dpu_step(struct dpu *dpu)
{
	uint64_t next;
	bool did;

	pthread_mutex_lock(&dpu->lock);
	if (dpu->reset_pending) {
		reset_now(dpu);
		did = true;
	} else {
		did = admin_step(dpu);
		did |= queue_run_next(dpu, &next);
	}
	pthread_mutex_unlock(&dpu->lock);
	return did;
}

static void stop_threads(struct dpu *dpu)
{
	pthread_mutex_lock(&dpu->lock);
	dpu->exiting = true;
	pthread_cond_broadcast(&dpu->admin_wake);
	pthread_cond_broadcast(&dpu->worker_wake);
	pthread_mutex_unlock(&dpu->lock);
	while (dpu->num_threads)
		pthread_join(dpu->threads[--dpu->num_threads], NULL);
}

static void free_device(struct dpu *dpu)
{
	pthread_cond_destroy(&dpu->changed);
	pthread_cond_destroy(&dpu->worker_wake);
	pthread_cond_destroy(&dpu->admin_wake);
	pthread_mutex_destroy(&dpu->lock);
	free(dpu->queues);
	free(dpu->cqs);
	free(dpu->keys);
	free(dpu);
}

static const char *check_config(const struct dpu_config *config)
{
	if (!config->vectors || config->vectors > DPU_MAX_VECTORS)
		return "vectors: 1 to 64";
	if (config->doorbells < 2 || config->doorbells > 65536)
		return "doorbells: 2 to 65536";
	if (config->doorbell_shift < 12 || config->doorbell_shift > 20)
		return "doorbell shift: 12 to 20";
	if (config->function >= DOCA_MAX_FUNCTIONS)
		return "function: 0 to 7";
	if (config->workers > DPU_MAX_WORKERS)
		return "workers: at most 8";
	if (config->admin_timeout_ms < 100 || config->admin_timeout_ms > 60000)
		return "admin timeout: 100 to 60000 ms";
	if (config->objects && config->objects < 16)
		return "objects: at least 16";
	return NULL;
}

static void limit(uint32_t *max, uint32_t wish)
{
	if (wish && wish < *max)
		*max = wish;
}

struct dpu *dpu_create(const struct dpu_ops *ops, void *opaque,
		       const struct dpu_config *config, const char **error)
{
	const struct model *model = NULL;
	pthread_condattr_t attr;
	struct dpu *dpu;
	unsigned int i;

	*error = check_config(config);
	if (*error)
		return NULL;
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (!strcmp(config->model, models[i].name))
			model = &models[i];
	if (!model) {
		*error = "model: bf2, bf3 or all";
		return NULL;
	}
	*error = "out of memory";
	dpu = calloc(1, sizeof(*dpu));
	if (!dpu)
		return NULL;
	dpu->ops = ops;
	dpu->opaque = opaque;
	dpu->config = *config;
	dpu->model = *model;
	limit(&dpu->model.max_keys, config->objects);
	limit(&dpu->model.max_cqs, config->objects);
	limit(&dpu->model.max_queues, config->objects);
	dpu->ready_last = &dpu->ready_first;
	/* fe80::/32, the function and the serial number */
	dpu->gid.raw[0] = 0xfe;
	dpu->gid.raw[1] = 0x80;
	dpu->gid.raw[7] = config->function;
	for (i = 0; i < 8; i++)
		dpu->gid.raw[8 + i] = config->serial >> (56 - 8 * i);
	pthread_mutex_init(&dpu->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&dpu->admin_wake, &attr);
	pthread_cond_init(&dpu->worker_wake, &attr);
	pthread_cond_init(&dpu->changed, &attr);
	pthread_condattr_destroy(&attr);
	dpu->keys = calloc(dpu->model.max_keys, sizeof(dpu->keys[0]));
	dpu->cqs = calloc(dpu->model.max_cqs, sizeof(dpu->cqs[0]));
	dpu->queues = calloc(dpu->model.max_queues, sizeof(dpu->queues[0]));
	if (!dpu->keys || !dpu->cqs || !dpu->queues)
		goto err_free;
	if (!fabric_add(dpu)) {
		*error = "serial: another DPU of this process has it, with the same function number";
		goto err_free;
	}
	*error = "a thread could not be started";
	for (i = 0; config->workers && i <= config->workers; i++) {
		if (pthread_create(&dpu->threads[i], NULL,
				   i ? worker_thread : admin_thread, dpu))
			goto err_threads;
		dpu->num_threads++;
	}
	*error = NULL;
	return dpu;

err_threads:
	stop_threads(dpu);
	fabric_remove(dpu);
err_free:
	free_device(dpu);
	return NULL;
}

void dpu_destroy(struct dpu *dpu)
{
	dpu_reset(dpu);
	stop_threads(dpu);
	fabric_remove(dpu);
	free_device(dpu);
}

uint32_t dpu_reg_read(struct dpu *dpu, uint64_t offset)
{
	uint32_t value = 0;

	pthread_mutex_lock(&dpu->lock);
	switch (offset) {
	case DOCA_REG_MAGIC:
		value = DOCA_MAGIC;
		break;
	case DOCA_REG_VERSION:
		value = DOCA_HW_VERSION_MAJOR << 16 | DOCA_HW_VERSION_MINOR;
		break;
	case DOCA_REG_STATUS:
		value = (dpu->ready ? DOCA_STATUS_READY : 0) |
			(dpu->reset_pending ? DOCA_STATUS_RESETTING : 0) |
			(dpu->fatal ? DOCA_STATUS_FATAL : 0);
		break;
	case DOCA_REG_CTRL:
		value = dpu->ctrl;
		break;
	case DOCA_REG_NUM_DOORBELLS:
		value = dpu->config.doorbells;
		break;
	case DOCA_REG_DOORBELL_SHIFT:
		value = dpu->config.doorbell_shift;
		break;
	case DOCA_REG_NUM_VECTORS:
		value = dpu->config.vectors;
		break;
	case DOCA_REG_ADMIN_TIMEOUT:
		value = dpu->config.admin_timeout_ms;
		break;
	case DOCA_REG_RESET_TIMEOUT:
		value = ADMIN_RESET_TIMEOUT_MS;
		break;
	case DOCA_REG_ADMIN_SQ_LO:
		value = dpu->admin_sq;
		break;
	case DOCA_REG_ADMIN_SQ_HI:
		value = dpu->admin_sq >> 32;
		break;
	case DOCA_REG_ADMIN_CQ_LO:
		value = dpu->admin_cq;
		break;
	case DOCA_REG_ADMIN_CQ_HI:
		value = dpu->admin_cq >> 32;
		break;
	case DOCA_REG_ADMIN_LOG_ENTRIES:
		value = dpu->admin_log;
		break;
	}
	pthread_mutex_unlock(&dpu->lock);
	return chaos_register(dpu, offset, value);
}

static void set_half(uint64_t *reg, bool high, uint32_t value)
{
	if (high)
		*reg = (uint64_t)value << 32 | (uint32_t)*reg;
	else
		*reg = (*reg & ~0xffffffffULL) | value;
}

static void write_ctrl(struct dpu *dpu, uint32_t value)
{
	if (value & DOCA_CTRL_RESET) {
		reset_request(dpu);
		return;
	}
	if (!(value & DOCA_CTRL_ENABLE) || dpu->ready)
		return;
	if (!dpu->admin_log || dpu->admin_log > DOCA_ADMIN_MAX_LOG ||
	    (dpu->admin_sq & 63) || (dpu->admin_cq & 15)) {
		dpu_log(dpu, DPU_LOG_ERROR,
			"ENABLE with log2 of admin entries %u (1 to %u), or unaligned rings",
			dpu->admin_log, DOCA_ADMIN_MAX_LOG);
		return;
	}
	dpu->ctrl = DOCA_CTRL_ENABLE;
	dpu->ready = true;
}

static void admin_doorbell(struct dpu *dpu, uint32_t pi)
{
	if (!dpu->ready || pi - dpu->admin_ci > 1U << dpu->admin_log ||
	    pi - dpu->admin_ci < dpu->admin_pi - dpu->admin_ci) {
		dpu->stats.bad_doorbells++;
		dpu_log(dpu, DPU_LOG_ERROR,
			"admin doorbell: index %u after %u, %u done", pi,
			dpu->admin_pi, dpu->admin_ci);
		return;
	}
	dpu->admin_pi = pi;
	pthread_cond_signal(&dpu->admin_wake);
}

void dpu_reg_write(struct dpu *dpu, uint64_t offset, uint32_t value)
{
	pthread_mutex_lock(&dpu->lock);
	if (dpu->reset_pending) {
		pthread_mutex_unlock(&dpu->lock);
		return;
	}
	switch (offset) {
	case DOCA_REG_CTRL:
		write_ctrl(dpu, value);
		break;
	case DOCA_REG_ADMIN_DOORBELL:
		admin_doorbell(dpu, value);
		break;
	case DOCA_REG_ADMIN_SQ_LO:
	case DOCA_REG_ADMIN_SQ_HI:
		if (!dpu->ready)
			set_half(&dpu->admin_sq,
				 offset == DOCA_REG_ADMIN_SQ_HI, value);
		break;
	case DOCA_REG_ADMIN_CQ_LO:
	case DOCA_REG_ADMIN_CQ_HI:
		if (!dpu->ready)
			set_half(&dpu->admin_cq,
				 offset == DOCA_REG_ADMIN_CQ_HI, value);
		break;
	case DOCA_REG_ADMIN_LOG_ENTRIES:
		if (!dpu->ready)
			dpu->admin_log = value;
		break;
	}
	pthread_mutex_unlock(&dpu->lock);
}

void dpu_doorbell(struct dpu *dpu, uint64_t offset, uint32_t size,
		  uint64_t value)
{
	uint64_t page = offset >> dpu->config.doorbell_shift;
	uint64_t in = offset & ((1ULL << dpu->config.doorbell_shift) - 1);
	uint32_t object = value >> 32, index = value;

	pthread_mutex_lock(&dpu->lock);
	if (dpu->reset_pending)
		;
	else if (size != 8 || page >= dpu->config.doorbells)
		dpu->stats.bad_doorbells++;
	else if (in == DOCA_DB_SUBMIT)
		queue_doorbell(dpu, page, object, index);
	else if (in == DOCA_DB_ARM)
		cq_doorbell(dpu, page, object, index);
	else if (in == DOCA_DB_EVENTS && !page)
		eq_doorbell(dpu, object, index);
	else
		dpu->stats.bad_doorbells++;
	pthread_mutex_unlock(&dpu->lock);
}

void dpu_set_delay_us(struct dpu *dpu, uint32_t us)
{
	atomic_store(&dpu->delay_us, us);
}

void dpu_set_admin_delay_ms(struct dpu *dpu, uint32_t ms)
{
	atomic_store(&dpu->admin_delay_ms, ms);
}

void dpu_get_stats(struct dpu *dpu, struct dpu_stats *stats)
{
	pthread_mutex_lock(&dpu->lock);
	*stats = dpu->stats;
	pthread_mutex_unlock(&dpu->lock);
}
