// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands to the device: the admin queue, and one typed function a command.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>

#include "doca.h"

/* Never longer than this, whatever the device says of itself. */
#define ADMIN_TIMEOUT_MIN_MS	100
#define ADMIN_TIMEOUT_MAX_MS	30000

#define ADMIN_SLOT_MASK		(DOCA_ADMIN_SLOTS - 1)

int doca_admin_alloc(struct doca_device *doca)
{
	struct doca_admin *admin = &doca->admin;
	unsigned int i;

	spin_lock_init(&admin->lock);
	sema_init(&admin->free, DOCA_ADMIN_SLOTS);
	for (i = 0; i < DOCA_ADMIN_SLOTS; i++) {
		init_completion(&admin->slots[i].done);
		admin->slots[i].id = i;
	}
	admin->sq = dma_alloc_coherent(&doca->pdev->dev,
				       DOCA_ADMIN_SLOTS * sizeof(*admin->sq),
				       &admin->sq_dma, GFP_KERNEL);
	if (!admin->sq)
		return -ENOMEM;
	admin->cq = dma_alloc_coherent(&doca->pdev->dev,
				       DOCA_ADMIN_SLOTS * sizeof(*admin->cq),
				       &admin->cq_dma, GFP_KERNEL);
	if (!admin->cq) {
		dma_free_coherent(&doca->pdev->dev,
				  DOCA_ADMIN_SLOTS * sizeof(*admin->sq),
				  admin->sq, admin->sq_dma);
		return -ENOMEM;
	}
	return 0;
}

void doca_admin_free(struct doca_device *doca)
{
	struct doca_admin *admin = &doca->admin;

	dma_free_coherent(&doca->pdev->dev,
			  DOCA_ADMIN_SLOTS * sizeof(*admin->cq), admin->cq,
			  admin->cq_dma);
	dma_free_coherent(&doca->pdev->dev,
			  DOCA_ADMIN_SLOTS * sizeof(*admin->sq), admin->sq,
			  admin->sq_dma);
}

/* The device was reset, and gets its rings before it is enabled. */
void doca_admin_start(struct doca_device *doca)
{
	struct doca_admin *admin = &doca->admin;
	u32 timeout;

	spin_lock_irq(&admin->lock);
	memset(admin->cq, 0, DOCA_ADMIN_SLOTS * sizeof(*admin->cq));
	admin->pi = 0;
	admin->ci = 0;
	timeout = clamp_t(u32, readl(doca->regs + DOCA_REG_ADMIN_TIMEOUT),
			  ADMIN_TIMEOUT_MIN_MS, ADMIN_TIMEOUT_MAX_MS);
	admin->timeout = msecs_to_jiffies(timeout);
	admin->up = true;
	spin_unlock_irq(&admin->lock);

	writel(lower_32_bits(admin->sq_dma), doca->regs + DOCA_REG_ADMIN_SQ_LO);
	writel(upper_32_bits(admin->sq_dma), doca->regs + DOCA_REG_ADMIN_SQ_HI);
	writel(lower_32_bits(admin->cq_dma), doca->regs + DOCA_REG_ADMIN_CQ_LO);
	writel(upper_32_bits(admin->cq_dma), doca->regs + DOCA_REG_ADMIN_CQ_HI);
	writel(DOCA_ADMIN_LOG, doca->regs + DOCA_REG_ADMIN_LOG_ENTRIES);
}

/* No command is sent from now on, and nobody waits for an answer. */
void doca_admin_abort(struct doca_device *doca)
{
	struct doca_admin *admin = &doca->admin;
	unsigned int i;

	spin_lock_irq(&admin->lock);
	admin->up = false;
	for (i = 0; i < DOCA_ADMIN_SLOTS; i++)
		if (admin->slots[i].busy)
			complete(&admin->slots[i].done);
	spin_unlock_irq(&admin->lock);
}

/*
 * Takes answers from the ring. Each is read once, and counts only if it names
 * a command in flight: a late, doubled or invented one is dropped.
 */
static void admin_process(struct doca_device *doca)
{
	struct doca_admin *admin = &doca->admin;
	unsigned int budget = DOCA_ADMIN_SLOTS;

	lockdep_assert_held(&admin->lock);

	while (admin->up && budget--) {
		struct doca_admin_cqe *cqe =
			&admin->cq[admin->ci & ADMIN_SLOT_MASK];
		struct doca_admin_slot *slot;
		u16 id;

		if (READ_ONCE(cqe->phase) !=
		    doca_cqe_phase(admin->ci, DOCA_ADMIN_LOG))
			break;
		/* The rest of the entry is read after its phase. */
		dma_rmb();
		id = le16_to_cpu(READ_ONCE(cqe->command_id));
		admin->ci++;
		slot = &admin->slots[id & ADMIN_SLOT_MASK];
		if (!slot->busy || slot->id != id) {
			atomic_inc(&doca->unexpected);
			dev_err_ratelimited(&doca->dev,
					    "answer to command id %#x, which is not in flight\n",
					    id);
			continue;
		}
		slot->status = READ_ONCE(cqe->status);
		slot->busy = false;
		complete(&slot->done);
	}
}

void doca_admin_interrupt(struct doca_device *doca)
{
	unsigned long flags;

	spin_lock_irqsave(&doca->admin.lock, flags);
	admin_process(doca);
	spin_unlock_irqrestore(&doca->admin.lock, flags);
}

static int admin_errno(u8 status)
{
	switch (status) {
	case DOCA_ADMIN_OK:
		return 0;
	case DOCA_ADMIN_NO_RESOURCES:
		return -ENOSPC;
	case DOCA_ADMIN_BUSY:
		return -EBUSY;
	case DOCA_ADMIN_NOT_FOUND:
		return -ENOENT;
	default:
		return -EIO;
	}
}

/*
 * Sends a command and waits for its answer: for the device's own limit, and
 * not killable, since what the command names must not be freed before the
 * device has answered or was reset. -ENODEV: the device is down, and does no
 * DMA any more.
 */
static int admin_exec(struct doca_device *doca, u16 opcode,
		      struct doca_admin_sqe *sqe)
{
	struct doca_admin *admin = &doca->admin;
	struct doca_admin_slot *slot = NULL;
	bool answered, alive;
	unsigned int i;
	u8 status;

	/* A slot is free within the time that its command may take. */
	if (down_timeout(&admin->free, 2 * ADMIN_TIMEOUT_MAX_MS * HZ / 1000)) {
		doca_device_failed(doca);
		goto err_down;
	}
	spin_lock_irq(&admin->lock);
	if (!admin->up) {
		spin_unlock_irq(&admin->lock);
		up(&admin->free);
		goto err_down;
	}
	for (i = 0; i < DOCA_ADMIN_SLOTS; i++) {
		if (!admin->slots[i].taken) {
			slot = &admin->slots[i];
			break;
		}
	}
	if (WARN_ON_ONCE(!slot)) {
		spin_unlock_irq(&admin->lock);
		up(&admin->free);
		return -EIO;
	}
	/* The bits above the index are the generation. */
	slot->id += DOCA_ADMIN_SLOTS;
	slot->taken = true;
	slot->busy = true;
	reinit_completion(&slot->done);
	sqe->opcode = cpu_to_le16(opcode);
	sqe->command_id = cpu_to_le16(slot->id);
	admin->sq[admin->pi++ & ADMIN_SLOT_MASK] = *sqe;
	/* writel() orders the command before the doorbell. */
	writel(admin->pi, doca->regs + DOCA_REG_ADMIN_DOORBELL);
	spin_unlock_irq(&admin->lock);

	answered = wait_for_completion_timeout(&slot->done, admin->timeout);

	spin_lock_irq(&admin->lock);
	if (!answered) {
		admin_process(doca);
		if (!slot->busy)
			dev_err_ratelimited(&doca->dev,
					    "command %#x was answered, but its interrupt was lost\n",
					    opcode);
	}
	answered = !slot->busy;
	slot->busy = false;
	slot->taken = false;
	status = slot->status;
	alive = admin->up;
	spin_unlock_irq(&admin->lock);
	up(&admin->free);

	if (answered) {
		/* Not for users to fill the log with. */
		if (status == DOCA_ADMIN_NOT_FOUND)
			dev_dbg(&doca->dev, "command %#x: nothing found\n",
				opcode);
		else if (status && READ_ONCE(doca->starting))
			dev_err(&doca->dev, "command %#x: status %u\n", opcode,
				status);
		else if (status)
			dev_err_ratelimited(&doca->dev,
					    "command %#x: status %u\n", opcode,
					    status);
		return admin_errno(status);
	}
	if (READ_ONCE(doca->starting)) {
		/* Who brings it up takes it down again. */
		dev_err(&doca->dev, "command %#x was not answered in %u ms\n",
			opcode, jiffies_to_msecs(admin->timeout));
		return -ETIMEDOUT;
	}
	if (alive) {
		dev_err(&doca->dev,
			"command %#x was not answered in %u ms: resetting the device\n",
			opcode, jiffies_to_msecs(admin->timeout));
		doca_device_failed(doca);
	}
err_down:
	wait_for_completion(&doca->quiesced);
	return -ENODEV;
}

int doca_admin_query(struct doca_device *doca, dma_addr_t addr, u32 len)
{
	struct doca_admin_sqe sqe = {
		.query.addr = cpu_to_le64(addr),
		.query.len = cpu_to_le32(len),
	};

	return admin_exec(doca, DOCA_ADMIN_QUERY_DEVICE, &sqe);
}

int doca_admin_create_eq(struct doca_device *doca, const struct doca_eq *eq)
{
	size_t size = sizeof(*eq->ring) << DOCA_EQ_LOG;
	struct doca_admin_sqe sqe = {
		.create_eq.id = cpu_to_le32(eq->id),
		.create_eq.vector = cpu_to_le32(eq->id),
		.create_eq.log_entries = cpu_to_le32(DOCA_EQ_LOG),
		/* Coherent memory is aligned to its size. */
		.create_eq.pages.root = cpu_to_le64(eq->dma),
		.create_eq.pages.num_pages = cpu_to_le32(1),
		.create_eq.pages.page_shift = PAGE_SHIFT + get_order(size),
	};

	return admin_exec(doca, DOCA_ADMIN_CREATE_EQ, &sqe);
}

int doca_admin_create_key(struct doca_device *doca,
			  const struct doca_admin_create_key *params)
{
	struct doca_admin_sqe sqe = { .create_key = *params };

	return admin_exec(doca, DOCA_ADMIN_CREATE_KEY, &sqe);
}

int doca_admin_share_key(struct doca_device *doca, u32 mkey, const u8 *token)
{
	struct doca_admin_sqe sqe = { .share_key.mkey = cpu_to_le32(mkey) };

	memcpy(sqe.share_key.token, token, sizeof(sqe.share_key.token));
	return admin_exec(doca, DOCA_ADMIN_SHARE_KEY, &sqe);
}

int doca_admin_import_key(struct doca_device *doca,
			  const struct doca_admin_import_key *params)
{
	struct doca_admin_sqe sqe = { .import_key = *params };

	return admin_exec(doca, DOCA_ADMIN_IMPORT_KEY, &sqe);
}

int doca_admin_query_function(struct doca_device *doca, dma_addr_t addr,
			      u32 len, u32 function)
{
	struct doca_admin_sqe sqe = {
		.query_function.addr = cpu_to_le64(addr),
		.query_function.len = cpu_to_le32(len),
		.query_function.function = cpu_to_le32(function),
	};

	return admin_exec(doca, DOCA_ADMIN_QUERY_FUNCTION, &sqe);
}

int doca_admin_create_cq(struct doca_device *doca,
			 const struct doca_admin_create_cq *params)
{
	struct doca_admin_sqe sqe = { .create_cq = *params };

	return admin_exec(doca, DOCA_ADMIN_CREATE_CQ, &sqe);
}

int doca_admin_create_queue(struct doca_device *doca,
			    const struct doca_admin_create_queue *params)
{
	struct doca_admin_sqe sqe = { .create_queue = *params };

	return admin_exec(doca, DOCA_ADMIN_CREATE_QUEUE, &sqe);
}

int doca_admin_connect_queue(struct doca_device *doca,
			     const struct doca_admin_connect_queue *params)
{
	struct doca_admin_sqe sqe = { .connect_queue = *params };

	return admin_exec(doca, DOCA_ADMIN_CONNECT_QUEUE, &sqe);
}

int doca_admin_stop_queue(struct doca_device *doca, u32 queue)
{
	struct doca_admin_sqe sqe = { .handle.id = cpu_to_le32(queue) };

	return admin_exec(doca, DOCA_ADMIN_STOP_QUEUE, &sqe);
}

/**
 * doca_admin_destroy - end an object
 * @doca: device, up or down
 * @opcode: DOCA_ADMIN_DESTROY_*
 * @id: object
 *
 * On return the device does not use the object's memory any more, whatever it
 * answered: one that refuses is reset.
 */
void doca_admin_destroy(struct doca_device *doca, u16 opcode, u32 id)
{
	struct doca_admin_sqe sqe = { .handle.id = cpu_to_le32(id) };
	int err;

	err = admin_exec(doca, opcode, &sqe);
	if (!err || err == -ENODEV)
		return;
	dev_err(&doca->dev,
		"the device refused to end object %#x (command %#x): resetting it\n",
		id, opcode);
	doca_device_failed(doca);
	wait_for_completion(&doca->quiesced);
}
