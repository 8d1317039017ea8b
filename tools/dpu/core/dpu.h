/* SPDX-License-Identifier: MIT */
/*
 * The emulated DPU without its surroundings: registers, admin commands, key
 * table, rings, engines. QEMU, unit tests and benchmarks bind it to theirs
 * through struct dpu_ops. The interface that it implements is in
 * uapi/linux/doca_regs.h and doca_queue.h.
 */
#ifndef DPU_H
#define DPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dpu;

enum dpu_log_level {
	DPU_LOG_ERROR,		/* the guest broke a rule */
	DPU_LOG_DEBUG,
};

/**
 * struct dpu_ops - what the core needs
 * @map: host address of bus address @iova for reading or writing; shortens
 *	*@len to what is contiguous. NULL: the bus refuses the access
 * @unmap: undoes it; @done bytes were written
 * @bar: bus address of the device's own registers
 * @pci_address: bus << 8 | device << 3 | function; called by other devices, too
 * @interrupt: raises an MSI-X vector
 * @log: one line, without newline
 * @thread_start: called first in each thread of the core; may be NULL
 * @thread_stop: called last in it; may be NULL
 *
 * All of them are called from the core's threads, and must not wait for the
 * caller of dpu_reset() or dpu_destroy().
 */
struct dpu_ops {
	void *(*map)(void *opaque, uint64_t iova, size_t *len, bool write);
	void (*unmap)(void *opaque, void *ptr, size_t len, bool write, size_t done);
	uint64_t (*bar)(void *opaque);
	uint16_t (*pci_address)(void *opaque);
	void (*interrupt)(void *opaque, uint32_t vector);
	void (*log)(void *opaque, enum dpu_log_level level, const char *text);
	void (*thread_start)(void *opaque);
	void (*thread_stop)(void *opaque);
};

#define DPU_MAX_WORKERS		8
#define DPU_MAX_VECTORS		64

/**
 * struct dpu_config - properties
 * @model: "bf2", "bf3" or "all"
 * @serial: of the card; devices with the same one are its functions
 * @function: number in the card, 0 to 7, of its own
 * @dpu_side: a function of the DPU, and not of the host
 * @vectors: MSI-X vectors, 1 to DPU_MAX_VECTORS
 * @doorbells: doorbell pages, 2 to 65536
 * @doorbell_shift: log2 of their distance in bytes
 * @workers: engine threads, 1 to DPU_MAX_WORKERS; 0: none, not even one for
 *	the admin queue, and the caller steps the device with dpu_step()
 * @admin_timeout_ms: what the register says
 * @objects: at most so many memory keys, completion rings and queues, 16 or more;
 *	0: as many as the model has
 */
struct dpu_config {
	const char *model;
	uint64_t serial;
	uint32_t function;
	bool dpu_side;
	uint32_t vectors;
	uint32_t doorbells;
	uint32_t doorbell_shift;
	uint32_t workers;
	uint32_t admin_timeout_ms;
	uint32_t objects;
};

/* NULL on a bad configuration or no memory; the reason is in *@error. */
struct dpu *dpu_create(const struct dpu_ops *ops, void *opaque,
		       const struct dpu_config *config, const char **error);
void dpu_destroy(struct dpu *dpu);

/* All objects are gone and no DMA is under way when it returns. */
void dpu_reset(struct dpu *dpu);

uint32_t dpu_reg_read(struct dpu *dpu, uint64_t offset);
void dpu_reg_write(struct dpu *dpu, uint64_t offset, uint32_t value);

/* A store of @size bytes at @offset into the doorbell BAR. */
void dpu_doorbell(struct dpu *dpu, uint64_t offset, uint32_t size,
		  uint64_t value);

/* Delays, in effect for what starts from now on. */
void dpu_set_delay_us(struct dpu *dpu, uint32_t us);
void dpu_set_admin_delay_ms(struct dpu *dpu, uint32_t ms);

/*
 * Makes the device misbehave: a list of modes, "name[=value]+...", or "none". False:
 * there is no such mode, and nothing has changed. dpu_chaos_modes() lists their
 * names, and chaos.c says what they do.
 */
bool dpu_set_chaos(struct dpu *dpu, const char *modes);
const char *dpu_chaos_modes(void);

/* Size that the doorbell BAR shall have, instead of @size. */
uint64_t dpu_chaos_bar(struct dpu *dpu, uint64_t size);

/* Without threads: does what is due; false: there was nothing. */
bool dpu_step(struct dpu *dpu);

/**
 * struct dpu_stats - counters since creation
 */
struct dpu_stats {
	uint64_t tasks;			/* completed without error */
	uint64_t errors;		/* completed with one */
	uint64_t bytes;
	uint64_t bad_doorbells;
	uint64_t interrupts;
	uint64_t admin_commands;
};

void dpu_get_stats(struct dpu *dpu, struct dpu_stats *stats);

#endif
