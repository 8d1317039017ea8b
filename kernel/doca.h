/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * doca.ko, private declarations.
 *
 * Layers, each of which talks to the ones below it only:
 *
 *	pci.c		the PCI function: probe, interrupts, reset, removal
 *	sysfs.c		what the device is, and what is in use
 *	file.c		/dev/doca/<n>: ioctls and mappings
 *	region.c import.c channel.c queue.c	the objects of a file
 *	object.c	table, lifetime
 *	ring.c pagelist.c ids.c		memory of rings, page lists, identifiers
 *	admin.c		commands to the device
 *
 * Life of the device. It is *up* from doca_device_up() to doca_device_down(),
 * which come in pairs: probe and remove, before and after a reset, and around
 * a device that failed. Each up has a new generation, and a file belongs to
 * the generation that it was opened in: it never works again after a down.
 *
 * Whatever needs the device to stay up runs between doca_enter() and
 * doca_leave(), an SRCU read section. A down
 *	1. forbids new sections and new admin commands, wakes whoever waits for
 *	   an answer, and resets the device, after which it does no DMA;
 *	2. completes doca->quiesced, for which failed commands wait, so that
 *	   nobody frees memory that the device may still use;
 *	3. waits for the sections under way. They are bounded: nothing in
 *	   them waits for user space, and what waits for the device was woken;
 *	4. detaches every object of every file from the device.
 * It never waits for a process to close anything.
 *
 * Locks, outermost first:
 *
 *	doca->state_lock	one up or down at a time
 *	doca_enter()		(step 3 waits for it with state_lock held, so
 *				 state_lock is never taken inside)
 *	doca->files_lock	list of files. Detaching of a file's objects while
 *				the device is down
 *	file->lock		domain, list of objects
 *	doca->channels		table of channels, with interrupts off
 *	other xarrays, admin and channel spinlocks: leaves
 *
 * User memory is neither copied nor pinned under any of them: a fault may
 * take for ever. mmap() runs under mmap_lock and takes xarray locks only, so
 * that no cycle with a fault under file->lock can arise.
 */
#ifndef _DOCA_H
#define _DOCA_H

#include <linux/atomic.h>
#include <linux/cdev.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/semaphore.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <linux/doca.h>
#include <linux/doca_regs.h>

#include "compat.h"

#define DOCA_ADMIN_LOG		5
#define DOCA_ADMIN_SLOTS	(1U << DOCA_ADMIN_LOG)
#define DOCA_EQ_LOG		9
#define DOCA_MAX_VECTORS	64

/* For what a process chooses the size of: no trace in the log if it fails. */
#define DOCA_GFP_LARGE		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

/* mmap() keys, in pages. Rings have the ones from DOCA_KEY_RINGS on. */
#define DOCA_KEY_DOORBELL	1
#define DOCA_KEY_STATUS		2
#define DOCA_KEY_RINGS		16

struct doca_device;
struct doca_file;

/**
 * struct doca_admin_slot - a command that may be in flight
 * @done: completed by the answer
 * @id: command id on the wire: index and a generation
 * @taken: some caller's, until it has seen the answer
 * @busy: waits for an answer
 * @status: of the answer
 */
struct doca_admin_slot {
	struct completion done;
	u16 id;
	bool taken;
	bool busy;
	u8 status;
};

/**
 * struct doca_admin - the admin queue
 * @lock: all of the following but @free; taken in interrupts
 * @free: counts slots that are not taken
 * @up: commands may be sent
 * @sq: submission ring, coherent
 * @cq: completion ring, coherent
 * @sq_dma: bus address of @sq
 * @cq_dma: bus address of @cq
 * @pi: producer index of @sq
 * @ci: consumer index of @cq
 * @timeout: of a command, jiffies
 * @slots: by the low bits of the command id
 */
struct doca_admin {
	spinlock_t lock;
	struct semaphore free;
	bool up;
	struct doca_admin_sqe *sq;
	struct doca_admin_cqe *cq;
	dma_addr_t sq_dma;
	dma_addr_t cq_dma;
	u32 pi;
	u32 ci;
	unsigned long timeout;
	struct doca_admin_slot slots[DOCA_ADMIN_SLOTS];
};

/**
 * struct doca_ids - identifiers that the driver gives to device objects
 * @xa: those in use
 * @next: where to look first: an index is reused as late as possible
 * @max: indices are below it
 * @used: how many are in use
 * @gens: generation by index, changed at each free
 */
struct doca_ids {
	struct xarray xa;
	u32 next;
	u32 max;
	atomic_t used;
	u8 *gens;
};

/**
 * struct doca_eq - event ring, one for each interrupt vector
 * @doca: device
 * @id: of the ring, and of the vector
 * @ring: coherent
 * @dma: bus address of @ring
 * @ci: consumer index; used by the interrupt handler only
 * @irq_name: shown in /proc/interrupts
 */
struct doca_eq {
	struct doca_device *doca;
	u32 id;
	struct doca_eqe *ring;
	dma_addr_t dma;
	u32 ci;
	char irq_name[24];
};

/**
 * struct doca_device - a DPU function
 * @dev: class device; its release frees this struct
 * @cdev: /dev/doca/<n>
 * @pdev: valid until remove; used inside doca_enter() only
 * @regs: BAR 0
 * @events_db: page 0 of the doorbell BAR, for EVENTS
 * @doorbell_phys: start of the doorbell BAR
 * @doorbell_shift: log2 of the distance of its pages
 * @num_doorbells: its pages
 * @num_vectors: interrupt vectors in use, and event rings
 * @reset_timeout: limit of a reset, ms
 * @caps: what the device says of itself, checked
 * @eqs: event rings
 * @next_vector: for channels that don't care
 * @unexpected: answers and events that make no sense
 * @admin: admin queue
 * @keys: memory key identifiers
 * @cqs: completion ring identifiers
 * @queues: queue identifiers
 * @domains: protection domains, and so doorbell pages
 * @channels: by completion ring identifier, for interrupts
 * @state_lock: one up or down at a time
 * @srcu: readers need the device to stay up
 * @up: it is
 * @generation: counts ups
 * @starting: it is coming up, and nobody but who does that sends commands
 * @removing: it will not come up again
 * @quiesced: the device does no DMA any more
 * @recover: down and up again, after a failure
 * @status_page: struct doca_status_page of this generation
 * @files_lock: see the top of this file
 * @files: open files of which the device knows
 * @num_files: how many
 */
struct doca_device {
	struct device dev;
	struct cdev cdev;
	struct pci_dev *pdev;
	void __iomem *regs;
	void __iomem *events_db;
	phys_addr_t doorbell_phys;
	u32 doorbell_shift;
	u32 num_doorbells;
	u32 num_vectors;
	u32 reset_timeout;
	struct doca_hw_caps caps;
	struct doca_eq eqs[DOCA_MAX_VECTORS];
	atomic_t next_vector;
	atomic_t unexpected;
	struct doca_admin admin;

	struct doca_ids keys;
	struct doca_ids cqs;
	struct doca_ids queues;
	struct ida domains;
	struct xarray channels;

	struct mutex state_lock;
	struct srcu_struct srcu;
	bool up;
	u64 generation;
	bool starting;
	bool removing;
	struct completion quiesced;
	struct work_struct recover;
	struct page *status_page;

	struct mutex files_lock;
	struct list_head files;
	atomic_t num_files;
};

/* Order in which the objects of a file are torn down. */
enum doca_object_type {
	DOCA_OBJECT_QUEUE,
	DOCA_OBJECT_CHANNEL,
	DOCA_OBJECT_REGION,
	DOCA_OBJECT_IMPORT,
	DOCA_NUM_OBJECT_TYPES,
};

struct doca_object;

/**
 * struct doca_object_ops - what the kinds of object do differently
 * @detach: ends all that needs the device, once; the device may be down
 * @free: frees the rest
 */
struct doca_object_ops {
	void (*detach)(struct doca_object *obj);
	void (*free)(struct doca_object *obj);
};

/**
 * struct doca_object - what a file's objects have in common
 * @file: it belongs to
 * @ops: of its kind
 * @node: in file->built
 * @id: in file->objects
 * @type: kind
 * @built: doca_object_built() was called
 * @detached: ops->detach was called
 * @dependents: objects that need this one; under the lock of file->objects
 * @calls: calls that use it, and 1 while it is in the table
 * @idle: @calls is 0
 */
struct doca_object {
	struct doca_file *file;
	const struct doca_object_ops *ops;
	struct list_head node;
	u32 id;
	enum doca_object_type type;
	bool built;
	bool detached;
	unsigned int dependents;
	refcount_t calls;
	struct completion idle;
};

/**
 * struct doca_file - an open file
 * @doca: device
 * @filp: the file
 * @mm: of the process that opened it; compared, never used
 * @generation: of the device when it was opened
 * @node: in doca->files
 * @gone: doca_file_gone() was called; under files_lock
 * @lock: @built, @domain
 * @objects: by id; reserved entries are NULL
 * @built: objects that the device knows of
 * @rings: struct doca_ring by mmap() key
 * @domain: protection domain; 0: none yet
 * @status_page: of @generation
 * @dummy_page: takes doorbells when the device is gone
 */
struct doca_file {
	struct doca_device *doca;
	struct file *filp;
	struct mm_struct *mm;
	u64 generation;
	struct list_head node;
	bool gone;
	struct mutex lock;
	struct xarray objects;
	struct list_head built;
	struct xarray rings;
	u32 domain;
	struct page *status_page;
	struct page *dummy_page;
};

/**
 * struct doca_ring - memory that the device and a process share
 * @ref: held by the object and by mmap() calls; mappings hold the pages
 * @key: in file->rings
 * @writable: a process may write to it
 * @num_pages: in @pages
 * @pages: ...
 * @dma: their bus addresses
 */
struct doca_ring {
	struct kref ref;
	u32 key;
	bool writable;
	u32 num_pages;
	struct page **pages;
	u64 *dma;
};

/**
 * struct doca_pagelist - page list in the form that the device reads
 * @hw: goes into the command
 * @num_blocks: in @blocks
 * @blocks: ...
 * @dma: their bus addresses
 */
struct doca_pagelist {
	struct doca_hw_pages hw;
	u32 num_blocks;
	void **blocks;
	dma_addr_t *dma;
};

/* pci.c */
int doca_enter(struct doca_file *file);
void doca_leave(struct doca_device *doca, int idx);
void doca_device_failed(struct doca_device *doca);

/* sysfs.c */
extern const struct attribute_group *doca_groups[];

/* file.c */
extern const struct file_operations doca_fops;
void doca_file_gone(struct doca_file *file);

/* admin.c */
int doca_admin_alloc(struct doca_device *doca);
void doca_admin_free(struct doca_device *doca);
void doca_admin_start(struct doca_device *doca);
void doca_admin_abort(struct doca_device *doca);
void doca_admin_interrupt(struct doca_device *doca);
int doca_admin_query(struct doca_device *doca, dma_addr_t addr, u32 len);
int doca_admin_create_eq(struct doca_device *doca, const struct doca_eq *eq);
int doca_admin_create_key(struct doca_device *doca,
			  const struct doca_admin_create_key *params);
int doca_admin_share_key(struct doca_device *doca, u32 mkey, const u8 *token);
int doca_admin_import_key(struct doca_device *doca,
			  const struct doca_admin_import_key *params);
int doca_admin_query_function(struct doca_device *doca, dma_addr_t addr,
			      u32 len, u32 function);
int doca_admin_create_cq(struct doca_device *doca,
			 const struct doca_admin_create_cq *params);
int doca_admin_create_queue(struct doca_device *doca,
			    const struct doca_admin_create_queue *params);
int doca_admin_connect_queue(struct doca_device *doca,
			     const struct doca_admin_connect_queue *params);
int doca_admin_stop_queue(struct doca_device *doca, u32 queue);
void doca_admin_destroy(struct doca_device *doca, u16 opcode, u32 id);

/* ids.c */
int doca_ids_init(struct doca_ids *ids, u32 max);
void doca_ids_destroy(struct doca_ids *ids);
int doca_ids_alloc(struct doca_ids *ids, u32 *index);
void doca_ids_free(struct doca_ids *ids, u32 index);
u32 doca_ids_handle(const struct doca_ids *ids, u32 index);

/* pagelist.c */
int doca_pagelist_build(struct doca_device *doca, struct doca_pagelist *list,
			const u64 *addrs, u32 num, unsigned int page_shift);
void doca_pagelist_destroy(struct doca_device *doca,
			   struct doca_pagelist *list);

/* ring.c */
struct doca_ring *doca_ring_create(struct doca_file *file, size_t size,
				   bool writable);
void doca_ring_detach(struct doca_file *file, struct doca_ring *ring);
void doca_ring_put(struct doca_ring *ring);
int doca_ring_mmap(struct doca_file *file, struct vm_area_struct *vma);

static inline u64 doca_ring_key(const struct doca_ring *ring)
{
	return (u64)ring->key << PAGE_SHIFT;
}

static inline u64 doca_ring_size(const struct doca_ring *ring)
{
	return (u64)ring->num_pages << PAGE_SHIFT;
}

/* object.c */
int doca_object_init(struct doca_file *file, struct doca_object *obj,
		     enum doca_object_type type,
		     const struct doca_object_ops *ops);
void doca_object_built(struct doca_object *obj);
void doca_object_publish(struct doca_object *obj);
void doca_object_abort(struct doca_object *obj);
struct doca_object *doca_object_get(struct doca_file *file, u32 id,
				    enum doca_object_type type);
struct doca_object *doca_object_depend(struct doca_file *file, u32 id,
				       enum doca_object_type type);
void doca_object_undepend(struct doca_object *obj);
void doca_object_put(struct doca_object *obj);
int doca_object_destroy(struct doca_file *file, u32 id);
void doca_objects_detach(struct doca_file *file);
void doca_objects_free(struct doca_file *file);

/* region.c, import.c, channel.c, queue.c: the ioctls; @reply copies *cmd to the user */
int doca_region_create(struct doca_file *file, struct doca_region_create *cmd,
		       void __user *reply, size_t size);
int doca_region_share(struct doca_file *file, struct doca_region_share *cmd);
int doca_region_import(struct doca_file *file, struct doca_region_import *cmd,
		       void __user *reply, size_t size);
int doca_channel_create(struct doca_file *file, struct doca_channel_create *cmd,
			void __user *reply, size_t size);
void doca_channel_event(struct doca_device *doca, u32 cq);
void doca_channels_close(struct doca_device *doca);
int doca_queue_create(struct doca_file *file, struct doca_queue_create *cmd,
		      void __user *reply, size_t size);
int doca_queue_connect(struct doca_file *file, struct doca_queue_connect *cmd);
int doca_queue_stop(struct doca_file *file, struct doca_queue_stop *cmd);

/* channel.c, for queue.c */
int doca_channel_reserve(struct doca_object *channel, u32 entries);
void doca_channel_unreserve(struct doca_object *channel, u32 entries);
u32 doca_channel_cq(struct doca_object *channel);

#endif
