// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI function: probe, interrupts, reset, removal.
 */
#include <linux/delay.h>
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "doca.h"

#define DOCA_MAX_DEVICES	256

/* Never longer than this, whatever the device says of itself. */
#define RESET_TIMEOUT_MAX_MS	10000
#define READY_TIMEOUT_MS	5000

static struct class *doca_class;
static dev_t doca_devt;
static DEFINE_IDA(doca_minors);

/**
 * doca_enter - begin a section in which the device stays up
 * @file: file of the generation that is meant
 *
 * Sections have to be bounded: see doca.h.
 *
 * Return: a value for doca_leave(), not negative, or -ENODEV.
 */
int doca_enter(struct doca_file *file)
{
	struct doca_device *doca = file->doca;
	int idx = srcu_read_lock(&doca->srcu);

	if (READ_ONCE(doca->up) && doca->generation == file->generation) {
		/* For sparse: the section ends elsewhere. */
		__release(&doca->srcu);
		return idx;
	}
	srcu_read_unlock(&doca->srcu, idx);
	return -ENODEV;
}

void doca_leave(struct doca_device *doca, int idx)
{
	__acquire(&doca->srcu);
	srcu_read_unlock(&doca->srcu, idx);
}

/* The device does not do what it should: take it down, and up again. */
void doca_device_failed(struct doca_device *doca)
{
	doca_admin_abort(doca);
	queue_work(system_long_wq, &doca->recover);
}

/*
 * Ends all DMA. If the device does not answer, it may not be a bus master any
 * more, which has the same effect.
 */
static int device_quiesce(struct doca_device *doca)
{
	u32 status;
	int err;

	if (readl(doca->regs + DOCA_REG_MAGIC) != DOCA_MAGIC) {
		/* Nobody at the other end. */
		pci_clear_master(doca->pdev);
		return -ENODEV;
	}
	writel(DOCA_CTRL_RESET, doca->regs + DOCA_REG_CTRL);
	err = readl_poll_timeout(doca->regs + DOCA_REG_STATUS, status,
				 status == ~0U ||
				 !(status & DOCA_STATUS_RESETTING), 1000,
				 doca->reset_timeout * 1000ULL);
	if (err || status == ~0U) {
		dev_err(&doca->dev,
			"reset not done after %u ms (status %#x): DMA is switched off at the bus\n",
			doca->reset_timeout, status);
		pci_clear_master(doca->pdev);
		return -EIO;
	}
	return 0;
}

static int check_limit(struct doca_device *doca, const char *what, u64 value,
		       u64 max)
{
	if (value && value <= max)
		return 0;
	dev_err(&doca->dev, "the device says %s is %llu, outside of 1 to %llu\n",
		what, value, max);
	return -EINVAL;
}

/* Numbers that sizes of memory and loops depend on. */
static int check_caps(struct doca_device *doca)
{
	const struct doca_hw_caps *caps = &doca->caps;
	unsigned int i;
	int err;

	err = check_limit(doca, "max_keys", le32_to_cpu(caps->max_keys),
			  1U << (32 - DOCA_HANDLE_GEN_BITS)) ?:
	      check_limit(doca, "max_cqs", le32_to_cpu(caps->max_cqs), 1U << 20) ?:
	      check_limit(doca, "max_queues", le32_to_cpu(caps->max_queues),
			  1U << 20) ?:
	      check_limit(doca, "max_eqs", le32_to_cpu(caps->max_eqs), 1U << 16) ?:
	      check_limit(doca, "max_cq_entries",
			  le32_to_cpu(caps->max_cq_entries), 1U << 20) ?:
	      check_limit(doca, "max_key_pages",
			  le32_to_cpu(caps->max_key_pages), 1U << 24);
	if (!err && (caps->side > DOCA_SIDE_DPU ||
		     caps->function >= DOCA_MAX_FUNCTIONS)) {
		dev_err(&doca->dev, "the device says it is function %u on side %u of its card\n",
			caps->function, caps->side);
		err = -EINVAL;
	}
	for (i = 0; !err && i < DOCA_NUM_ENGINES; i++) {
		const struct doca_hw_engine_caps *engine = &caps->engines[i];

		if (!engine->supported)
			continue;
		err = check_limit(doca, "max_queue_entries",
				  le32_to_cpu(engine->max_queue_entries),
				  1U << 20) ?:
		      check_limit(doca, "max_list_len",
				  le32_to_cpu(engine->max_list_len), 255) ?:
		      check_limit(doca, "max_transfer",
				  le64_to_cpu(engine->max_transfer),
				  1ULL << 62);
	}
	return err;
}

/* Once known, they stay: tables were made for what the device said first. */
static int query_caps(struct doca_device *doca, bool first)
{
	struct doca_hw_caps *caps;
	dma_addr_t dma;
	int err;

	caps = dma_alloc_coherent(&doca->pdev->dev, sizeof(*caps), &dma,
				  GFP_KERNEL);
	if (!caps)
		return -ENOMEM;
	err = doca_admin_query(doca, dma, sizeof(*caps));
	if (err)
		goto out;
	if (first) {
		doca->caps = *caps;
		err = check_caps(doca);
	} else if (memcmp(&doca->caps, caps, sizeof(*caps))) {
		dev_err(&doca->dev, "the device is another one after its reset\n");
		err = -EIO;
	}
out:
	dma_free_coherent(&doca->pdev->dev, sizeof(*caps), caps, dma);
	return err;
}

/* Admin queue, capabilities, event rings: after this, commands work. */
static int device_start(struct doca_device *doca, bool first)
{
	u32 status, i;
	int err;

	pci_set_master(doca->pdev);
	err = device_quiesce(doca);
	if (err)
		return err;
	reinit_completion(&doca->quiesced);
	WRITE_ONCE(doca->starting, true);
	doca_admin_start(doca);
	writel(DOCA_CTRL_ENABLE, doca->regs + DOCA_REG_CTRL);
	err = readl_poll_timeout(doca->regs + DOCA_REG_STATUS, status,
				 status == ~0U || status & DOCA_STATUS_READY,
				 1000, READY_TIMEOUT_MS * 1000);
	if (err || status == ~0U) {
		dev_err(&doca->dev, "not ready after %u ms (status %#x)\n",
			READY_TIMEOUT_MS, status);
		err = err ?: -ENODEV;
		goto err_quiesce;
	}
	err = query_caps(doca, first);
	if (err)
		goto err_quiesce;
	if (le32_to_cpu(doca->caps.max_eqs) < doca->num_vectors) {
		dev_err(&doca->dev, "%u event rings for %u interrupt vectors\n",
			le32_to_cpu(doca->caps.max_eqs), doca->num_vectors);
		err = -EINVAL;
		goto err_quiesce;
	}
	for (i = 0; i < doca->num_vectors; i++) {
		memset(doca->eqs[i].ring, 0,
		       sizeof(struct doca_eqe) << DOCA_EQ_LOG);
		doca->eqs[i].ci = 0;
		err = doca_admin_create_eq(doca, &doca->eqs[i]);
		if (err)
			goto err_quiesce;
	}
	WRITE_ONCE(doca->starting, false);
	return 0;

err_quiesce:
	WRITE_ONCE(doca->starting, false);
	doca_admin_abort(doca);
	device_quiesce(doca);
	complete_all(&doca->quiesced);
	return err;
}

static int device_up(struct doca_device *doca, bool first)
{
	struct page *status_page;
	int err;

	lockdep_assert_held(&doca->state_lock);

	status_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!status_page)
		return -ENOMEM;
	err = device_start(doca, first);
	if (err) {
		__free_page(status_page);
		return err;
	}
	/* For slot_reset; whoever restores it once takes it away. */
	pci_save_state(doca->pdev);
	mutex_lock(&doca->files_lock);
	doca->status_page = status_page;
	doca->generation++;
	/* Whoever sees it up sees all of the above. */
	smp_store_release(&doca->up, true);
	mutex_unlock(&doca->files_lock);
	return 0;
}

/* The steps are explained in doca.h. */
static void device_down(struct doca_device *doca)
{
	struct doca_status_page *status;
	struct doca_file *file;
	bool was_up;

	lockdep_assert_held(&doca->state_lock);

	mutex_lock(&doca->files_lock);
	was_up = doca->up;
	WRITE_ONCE(doca->up, false);
	mutex_unlock(&doca->files_lock);
	if (!was_up)
		return;
	doca_admin_abort(doca);
	device_quiesce(doca);
	complete_all(&doca->quiesced);

	/* Sleepers first: who has read that it is removed finds no open channel. */
	doca_channels_close(doca);
	status = page_address(doca->status_page);
	WRITE_ONCE(status->removed, 1);
	synchronize_srcu(&doca->srcu);

	mutex_lock(&doca->files_lock);
	list_for_each_entry(file, &doca->files, node)
		if (file->generation == doca->generation)
			doca_file_gone(file);
	put_page(doca->status_page);
	doca->status_page = NULL;
	mutex_unlock(&doca->files_lock);
}

static void recover_work(struct work_struct *work)
{
	struct doca_device *doca = container_of(work, struct doca_device,
						recover);

	mutex_lock(&doca->state_lock);
	if (!doca->removing && doca->up) {
		device_down(doca);
		if (device_up(doca, false))
			dev_err(&doca->dev, "the device stays out of use\n");
		else
			dev_info(&doca->dev, "the device is in use again\n");
	}
	mutex_unlock(&doca->state_lock);
}

static irqreturn_t doca_interrupt(int irq, void *data)
{
	struct doca_eq *eq = data;
	struct doca_device *doca = eq->doca;
	unsigned int budget = 1U << DOCA_EQ_LOG;
	u32 id;

	if (!eq->id)
		doca_admin_interrupt(doca);
	while (budget--) {
		struct doca_eqe *eqe =
			&eq->ring[eq->ci & ((1U << DOCA_EQ_LOG) - 1)];

		if (READ_ONCE(eqe->phase) !=
		    doca_cqe_phase(eq->ci, DOCA_EQ_LOG))
			break;
		/* The rest of the entry is read after its phase. */
		dma_rmb();
		id = le32_to_cpu(READ_ONCE(eqe->id));
		switch (READ_ONCE(eqe->type)) {
		case DOCA_EVENT_COMPLETION:
			doca_channel_event(doca, id);
			break;
		case DOCA_EVENT_QUEUE_ERROR:
			dev_dbg_ratelimited(&doca->dev, "queue %#x is in error\n",
					    id);
			break;
		case DOCA_EVENT_FATAL:
			dev_err_ratelimited(&doca->dev,
					    "the device reports a fatal error\n");
			queue_work(system_long_wq, &doca->recover);
			break;
		default:
			atomic_inc(&doca->unexpected);
			dev_err_ratelimited(&doca->dev,
					    "event of a type that there is not\n");
			break;
		}
		eq->ci++;
	}
	/* Frees the entries; interrupts again if there are more. */
	writeq((u64)eq->id << 32 | eq->ci, doca->events_db + DOCA_DB_EVENTS);
	return IRQ_HANDLED;
}

static void eqs_free(struct doca_device *doca)
{
	u32 i;

	for (i = 0; i < doca->num_vectors; i++)
		if (doca->eqs[i].ring)
			dma_free_coherent(&doca->pdev->dev,
					  sizeof(struct doca_eqe) << DOCA_EQ_LOG,
					  doca->eqs[i].ring, doca->eqs[i].dma);
}

static int eqs_alloc(struct doca_device *doca)
{
	u32 i;

	for (i = 0; i < doca->num_vectors; i++) {
		struct doca_eq *eq = &doca->eqs[i];

		eq->doca = doca;
		eq->id = i;
		eq->ring = dma_alloc_coherent(&doca->pdev->dev,
					      sizeof(*eq->ring) << DOCA_EQ_LOG,
					      &eq->dma, GFP_KERNEL);
		if (!eq->ring) {
			eqs_free(doca);
			return -ENOMEM;
		}
	}
	return 0;
}

static void irqs_free(struct doca_device *doca, u32 num)
{
	while (num--)
		free_irq(pci_irq_vector(doca->pdev, num), &doca->eqs[num]);
}

static int irqs_request(struct doca_device *doca)
{
	u32 i;
	int err;

	for (i = 0; i < doca->num_vectors; i++) {
		struct doca_eq *eq = &doca->eqs[i];

		snprintf(eq->irq_name, sizeof(eq->irq_name), "%s-%u",
			 dev_name(&doca->dev), i);
		err = request_irq(pci_irq_vector(doca->pdev, i), doca_interrupt,
				  0, eq->irq_name, eq);
		if (err) {
			irqs_free(doca, i);
			return err;
		}
	}
	return 0;
}

static int bars_map(struct doca_device *doca)
{
	struct pci_dev *pdev = doca->pdev;
	u32 magic, version;
	u64 size;

	if (pci_resource_len(pdev, DOCA_BAR_REGS) < DOCA_REGS_SIZE) {
		dev_err(&pdev->dev, "BAR %u has %llu bytes, %u are needed\n",
			DOCA_BAR_REGS,
			(u64)pci_resource_len(pdev, DOCA_BAR_REGS),
			DOCA_REGS_SIZE);
		return -ENODEV;
	}
	doca->regs = pci_iomap(pdev, DOCA_BAR_REGS, DOCA_REGS_SIZE);
	if (!doca->regs)
		return -ENOMEM;
	magic = readl(doca->regs + DOCA_REG_MAGIC);
	version = readl(doca->regs + DOCA_REG_VERSION);
	if (magic != DOCA_MAGIC || version >> 16 != DOCA_HW_VERSION_MAJOR) {
		dev_err(&pdev->dev,
			"no DPU of version %u here (magic %#x, version %#x)\n",
			DOCA_HW_VERSION_MAJOR, magic, version);
		goto err;
	}
	doca->num_doorbells = readl(doca->regs + DOCA_REG_NUM_DOORBELLS);
	doca->doorbell_shift = readl(doca->regs + DOCA_REG_DOORBELL_SHIFT);
	doca->reset_timeout = clamp_t(u32,
				      readl(doca->regs + DOCA_REG_RESET_TIMEOUT),
				      100, RESET_TIMEOUT_MAX_MS);
	if (doca->doorbell_shift < PAGE_SHIFT || doca->doorbell_shift > 30 ||
	    doca->num_doorbells < 2 || doca->num_doorbells > 1U << 16) {
		dev_err(&pdev->dev,
			"%u doorbell pages at a distance of 2^%u bytes: a page has 2^%u\n",
			doca->num_doorbells, doca->doorbell_shift, PAGE_SHIFT);
		goto err;
	}
	size = (u64)doca->num_doorbells << doca->doorbell_shift;
	if (pci_resource_len(pdev, DOCA_BAR_DOORBELLS) < size) {
		dev_err(&pdev->dev, "BAR %u has %llu bytes, %llu are needed\n",
			DOCA_BAR_DOORBELLS,
			(u64)pci_resource_len(pdev, DOCA_BAR_DOORBELLS), size);
		goto err;
	}
	doca->doorbell_phys = pci_resource_start(pdev, DOCA_BAR_DOORBELLS);
	doca->events_db = ioremap(doca->doorbell_phys, PAGE_SIZE);
	if (!doca->events_db)
		goto err;
	return 0;

err:
	pci_iounmap(pdev, doca->regs);
	return -ENODEV;
}

static void bars_unmap(struct doca_device *doca)
{
	iounmap(doca->events_db);
	pci_iounmap(doca->pdev, doca->regs);
}

static int ids_init(struct doca_device *doca)
{
	int err;

	err = doca_ids_init(&doca->keys, le32_to_cpu(doca->caps.max_keys));
	if (err)
		return err;
	err = doca_ids_init(&doca->cqs, le32_to_cpu(doca->caps.max_cqs));
	if (err)
		goto err_keys;
	err = doca_ids_init(&doca->queues, le32_to_cpu(doca->caps.max_queues));
	if (err)
		goto err_cqs;
	return 0;

err_cqs:
	doca_ids_destroy(&doca->cqs);
err_keys:
	doca_ids_destroy(&doca->keys);
	return err;
}

static void ids_destroy(struct doca_device *doca)
{
	doca_ids_destroy(&doca->queues);
	doca_ids_destroy(&doca->cqs);
	doca_ids_destroy(&doca->keys);
}

/* The last reference is gone: the function was removed, no file is open. */
static void doca_device_release(struct device *dev)
{
	struct doca_device *doca = container_of(dev, struct doca_device, dev);

	ida_destroy(&doca->domains);
	xa_destroy(&doca->channels);
	cleanup_srcu_struct(&doca->srcu);
	mutex_destroy(&doca->files_lock);
	mutex_destroy(&doca->state_lock);
	kfree(doca);
}

/* On success, put_device() frees it. */
static struct doca_device *doca_device_alloc(struct pci_dev *pdev)
{
	struct doca_device *doca;
	int err, minor;

	doca = kzalloc(sizeof(*doca), GFP_KERNEL);
	if (!doca)
		return ERR_PTR(-ENOMEM);
	err = init_srcu_struct(&doca->srcu);
	if (err)
		goto err_free;
	minor = ida_alloc_max(&doca_minors, DOCA_MAX_DEVICES - 1, GFP_KERNEL);
	if (minor < 0) {
		err = minor;
		goto err_srcu;
	}
	doca->pdev = pdev;
	mutex_init(&doca->state_lock);
	mutex_init(&doca->files_lock);
	INIT_LIST_HEAD(&doca->files);
	init_completion(&doca->quiesced);
	INIT_WORK(&doca->recover, recover_work);
	ida_init(&doca->domains);
	xa_init_flags(&doca->channels, XA_FLAGS_LOCK_IRQ);

	device_initialize(&doca->dev);
	doca->dev.class = doca_class;
	doca->dev.groups = doca_groups;
	doca->dev.parent = &pdev->dev;
	doca->dev.release = doca_device_release;
	doca->dev.devt = MKDEV(MAJOR(doca_devt), minor);
	cdev_init(&doca->cdev, &doca_fops);
	doca->cdev.owner = THIS_MODULE;
	err = dev_set_name(&doca->dev, "doca%d", minor);
	if (err) {
		ida_free(&doca_minors, minor);
		put_device(&doca->dev);
		return ERR_PTR(err);
	}
	return doca;

err_srcu:
	cleanup_srcu_struct(&doca->srcu);
err_free:
	kfree(doca);
	return ERR_PTR(err);
}

/*
 * Processes and the device look at the same memory at the same time, and
 * nobody could make copies or flush caches between them. dma_need_sync() is not
 * the question: before 6.10 it says yes for any IOMMU.
 */
static int check_dma(struct pci_dev *pdev)
{
	if (!dev_is_dma_coherent(&pdev->dev)) {
		dev_err(&pdev->dev, "DMA of this platform is not coherent with the caches, as a DPU needs it\n");
		return -EOPNOTSUPP;
	}
	if (dma_max_mapping_size(&pdev->dev) != SIZE_MAX) {
		dev_err(&pdev->dev, "DMA would go through bounce buffers of up to %zu bytes: a DPU needs an IOMMU here that trusts it\n",
			dma_max_mapping_size(&pdev->dev));
		return -EOPNOTSUPP;
	}
	return 0;
}

static int doca_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct doca_device *doca;
	int err;

	doca = doca_device_alloc(pdev);
	if (IS_ERR(doca))
		return PTR_ERR(doca);
	err = pci_enable_device_mem(pdev);
	if (err)
		goto err_put;
	err = pci_request_mem_regions(pdev, KBUILD_MODNAME);
	if (err)
		goto err_disable;
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		goto err_regions;
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	err = check_dma(pdev);
	if (err)
		goto err_regions;
	err = bars_map(doca);
	if (err)
		goto err_regions;
	err = pci_alloc_irq_vectors(pdev, 1,
				    min3(num_online_cpus(),
					 (unsigned int)DOCA_MAX_VECTORS,
					 max(readl(doca->regs +
						   DOCA_REG_NUM_VECTORS), 1U)),
				    PCI_IRQ_MSIX | PCI_IRQ_AFFINITY);
	if (err < 0) {
		dev_err(&pdev->dev, "no MSI-X vector: %d\n", err);
		goto err_bars;
	}
	doca->num_vectors = err;
	err = eqs_alloc(doca);
	if (err)
		goto err_vectors;
	err = doca_admin_alloc(doca);
	if (err)
		goto err_eqs;
	err = irqs_request(doca);
	if (err)
		goto err_admin;
	mutex_lock(&doca->state_lock);
	err = device_up(doca, true);
	mutex_unlock(&doca->state_lock);
	if (err)
		goto err_irqs;
	err = ids_init(doca);
	if (err)
		goto err_down;
	pci_set_drvdata(pdev, doca);
	/* Whoever waits for the node can use it. */
	err = cdev_device_add(&doca->cdev, &doca->dev);
	if (err)
		goto err_ids;
	dev_info(&doca->dev, "%.*s DPU, serial %#llx, %u interrupt vectors\n",
		 DOCA_MODEL_NAME_LEN, doca->caps.model,
		 le64_to_cpu(doca->caps.serial), doca->num_vectors);
	return 0;

err_ids:
	ids_destroy(doca);
err_down:
	mutex_lock(&doca->state_lock);
	doca->removing = true;
	device_down(doca);
	mutex_unlock(&doca->state_lock);
err_irqs:
	irqs_free(doca, doca->num_vectors);
	cancel_work_sync(&doca->recover);
err_admin:
	doca_admin_free(doca);
err_eqs:
	eqs_free(doca);
err_vectors:
	pci_free_irq_vectors(pdev);
err_bars:
	bars_unmap(doca);
err_regions:
	pci_clear_master(pdev);
	pci_release_mem_regions(pdev);
err_disable:
	pci_disable_device(pdev);
err_put:
	ida_free(&doca_minors, MINOR(doca->dev.devt));
	put_device(&doca->dev);
	return err;
}

static void doca_remove(struct pci_dev *pdev)
{
	struct doca_device *doca = pci_get_drvdata(pdev);

	/* No new opens; the open files go on without a device. */
	cdev_device_del(&doca->cdev, &doca->dev);
	/* Files that are still open do not keep the next one from the name. */
	ida_free(&doca_minors, MINOR(doca->dev.devt));
	mutex_lock(&doca->state_lock);
	doca->removing = true;
	device_down(doca);
	mutex_unlock(&doca->state_lock);
	/* Handlers and work use what is freed next, and start each other. */
	irqs_free(doca, doca->num_vectors);
	cancel_work_sync(&doca->recover);
	ids_destroy(doca);
	doca_admin_free(doca);
	eqs_free(doca);
	pci_free_irq_vectors(pdev);
	bars_unmap(doca);
	pci_clear_master(pdev);
	pci_release_mem_regions(pdev);
	pci_disable_device(pdev);
	put_device(&doca->dev);
}

static void doca_shutdown(struct pci_dev *pdev)
{
	struct doca_device *doca = pci_get_drvdata(pdev);

	mutex_lock(&doca->state_lock);
	doca->removing = true;
	device_down(doca);
	mutex_unlock(&doca->state_lock);
}

static void doca_reset_prepare(struct pci_dev *pdev)
{
	struct doca_device *doca = pci_get_drvdata(pdev);

	mutex_lock(&doca->state_lock);
	device_down(doca);
	mutex_unlock(&doca->state_lock);
}

static void doca_reset_done(struct pci_dev *pdev)
{
	struct doca_device *doca = pci_get_drvdata(pdev);

	mutex_lock(&doca->state_lock);
	if (!doca->removing && !doca->up && device_up(doca, false))
		dev_err(&doca->dev, "not usable after its reset\n");
	mutex_unlock(&doca->state_lock);
}

static pci_ers_result_t doca_error_detected(struct pci_dev *pdev,
					    pci_channel_state_t state)
{
	if (state == pci_channel_io_normal)
		return PCI_ERS_RESULT_CAN_RECOVER;
	doca_reset_prepare(pdev);
	return state == pci_channel_io_frozen ? PCI_ERS_RESULT_NEED_RESET :
						PCI_ERS_RESULT_DISCONNECT;
}

static pci_ers_result_t doca_slot_reset(struct pci_dev *pdev)
{
	/* doca_reset_done() follows. */
	pci_restore_state(pdev);
	return PCI_ERS_RESULT_RECOVERED;
}

static const struct pci_error_handlers doca_error_handlers = {
	.error_detected = doca_error_detected,
	.slot_reset = doca_slot_reset,
	.resume = doca_reset_done,
	.reset_prepare = doca_reset_prepare,
	.reset_done = doca_reset_done,
};

static const struct pci_device_id doca_pci_ids[] = {
	{ PCI_DEVICE(DOCA_PCI_VENDOR_ID, DOCA_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, doca_pci_ids);

static struct pci_driver doca_pci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = doca_pci_ids,
	.probe = doca_probe,
	.remove = doca_remove,
	.shutdown = doca_shutdown,
	.err_handler = &doca_error_handlers,
};

/* A normal user can use a DPU; Documentation/security.rst says what it gets. */
static char *doca_devnode(DOCA_DEVNODE_CONST struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return kasprintf(GFP_KERNEL, "doca/%u", MINOR(dev->devt));
}

static int __init doca_init(void)
{
	int err;

	err = alloc_chrdev_region(&doca_devt, 0, DOCA_MAX_DEVICES, "doca");
	if (err)
		return err;
	doca_class = doca_class_create("doca");
	if (IS_ERR(doca_class)) {
		err = PTR_ERR(doca_class);
		goto err_region;
	}
	doca_class->devnode = doca_devnode;
	err = pci_register_driver(&doca_pci_driver);
	if (err)
		goto err_class;
	return 0;

err_class:
	class_destroy(doca_class);
err_region:
	unregister_chrdev_region(doca_devt, DOCA_MAX_DEVICES);
	return err;
}
module_init(doca_init);

static void __exit doca_exit(void)
{
	pci_unregister_driver(&doca_pci_driver);
	class_destroy(doca_class);
	unregister_chrdev_region(doca_devt, DOCA_MAX_DEVICES);
}
module_exit(doca_exit);

MODULE_DESCRIPTION("DOCA DPU");
MODULE_AUTHOR("The DOCA project");
MODULE_LICENSE("GPL");
DOCA_IMPORT_NS_DMA_BUF;
