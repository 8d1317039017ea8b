/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulated DPU in QEMU: a PCI Express endpoint around the device core.
 * Built as a shared object and preloaded into the distribution's QEMU.
 *
 * The core's threads never take the big QEMU lock (BQL): DMA goes through
 * dma_memory_map(), which needs none for RAM, and anything but RAM is refused;
 * interrupts are noted in a bitmap and sent by a bottom half. Reset and
 * unplug run with the BQL held and wait for these threads, which is safe for
 * this reason alone.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qemu/rcu.h"
#include "qemu/units.h"
#include "exec/memory.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_aer.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "sysemu/dma.h"

#include <linux/doca_regs.h>
#include "dpu.h"

#define TYPE_DOCA_DPU "doca-dpu"
OBJECT_DECLARE_SIMPLE_TYPE(DocaDpu, DOCA_DPU)

#define DOORBELL_SHIFT	16	/* a page of its own on hosts of any page size */
#define PCIE_CAP	0x80

struct DocaDpu {
	PCIDevice parent;
	MemoryRegion regs;
	MemoryRegion doorbells;
	QEMUBH *interrupt_bh;
	unsigned long interrupts[BITS_TO_LONGS(DPU_MAX_VECTORS)];
	struct dpu *dpu;

	char *model;
	uint64_t serial;
	char *side;
	uint32_t vectors;
	uint32_t num_doorbells;
	uint32_t workers;
	uint32_t admin_timeout_ms;
	uint32_t objects;
	char *chaos;
	uint32_t delay_us;
	uint32_t admin_delay_ms;
};

static void *doca_map(void *opaque, uint64_t iova, size_t *len, bool write)
{
	DocaDpu *d = opaque;
	AddressSpace *as = pci_get_address_space(&d->parent);
	DMADirection dir = write ? DMA_DIRECTION_FROM_DEVICE :
				   DMA_DIRECTION_TO_DEVICE;
	dma_addr_t n = *len;
	ram_addr_t offset;
	void *p;

	/* The mapping outlives the RCU section: it holds its memory region. */
	p = dma_memory_map(as, iova, &n, dir, MEMTXATTRS_UNSPECIFIED);
	if (!p)
		return NULL;
	/* Not RAM: QEMU's bounce buffer, whose end would be an MMIO access. */
	if (!memory_region_from_host(p, &offset)) {
		dma_memory_unmap(as, p, n, DMA_DIRECTION_TO_DEVICE, 0);
		return NULL;
	}
	*len = n;
	return p;
}

static void doca_unmap(void *opaque, void *p, size_t len, bool write,
		       size_t done)
{
	DocaDpu *d = opaque;

	dma_memory_unmap(pci_get_address_space(&d->parent), p, len,
			 write ? DMA_DIRECTION_FROM_DEVICE :
				 DMA_DIRECTION_TO_DEVICE, done);
}

static uint64_t doca_bar(void *opaque)
{
	DocaDpu *d = opaque;

	return pci_get_bar_addr(&d->parent, DOCA_BAR_REGS);
}

static uint16_t doca_pci_address(void *opaque)
{
	DocaDpu *d = opaque;

	return PCI_BUILD_BDF(pci_bus_num(pci_get_bus(&d->parent)),
			     d->parent.devfn);
}

static void doca_interrupt(void *opaque, uint32_t vector)
{
	DocaDpu *d = opaque;

	set_bit_atomic(vector, d->interrupts);
	qemu_bh_schedule(d->interrupt_bh);
}

static void doca_interrupt_bh(void *opaque)
{
	DocaDpu *d = opaque;
	unsigned int i;

	for (i = 0; i < d->vectors; i++) {
		unsigned long bit = BIT_MASK(i);

		if (qatomic_fetch_and(&d->interrupts[BIT_WORD(i)], ~bit) & bit)
			msix_notify(&d->parent, i);
	}
}

static void doca_log(void *opaque, enum dpu_log_level level, const char *text)
{
	DocaDpu *d = opaque;

	if (level == DPU_LOG_ERROR)
		qemu_log_mask(LOG_GUEST_ERROR, "doca-dpu %s: %s\n",
			      d->parent.qdev.id ?: "", text);
}

static void doca_thread_start(void *opaque)
{
	rcu_register_thread();
}

static void doca_thread_stop(void *opaque)
{
	rcu_unregister_thread();
}

static const struct dpu_ops doca_ops = {
	.map = doca_map,
	.unmap = doca_unmap,
	.bar = doca_bar,
	.pci_address = doca_pci_address,
	.interrupt = doca_interrupt,
	.log = doca_log,
	.thread_start = doca_thread_start,
	.thread_stop = doca_thread_stop,
};

static uint64_t doca_regs_read(void *opaque, hwaddr addr, unsigned int size)
{
	DocaDpu *d = opaque;

	return dpu_reg_read(d->dpu, addr);
}

static void doca_regs_write(void *opaque, hwaddr addr, uint64_t value,
			    unsigned int size)
{
	DocaDpu *d = opaque;

	dpu_reg_write(d->dpu, addr, value);
}

static const MemoryRegionOps doca_regs_ops = {
	.read = doca_regs_read,
	.write = doca_regs_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 4, .max_access_size = 4 },
	.impl = { .min_access_size = 4, .max_access_size = 4 },
};

static uint64_t doca_doorbell_read(void *opaque, hwaddr addr, unsigned int size)
{
	return 0;
}

static void doca_doorbell_write(void *opaque, hwaddr addr, uint64_t value,
				unsigned int size)
{
	DocaDpu *d = opaque;

	dpu_doorbell(d->dpu, addr, size, value);
}

static const MemoryRegionOps doca_doorbell_ops = {
	.read = doca_doorbell_read,
	.write = doca_doorbell_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 8 },
	.impl = { .min_access_size = 1, .max_access_size = 8 },
};

static void doca_config_write(PCIDevice *pci, uint32_t addr, uint32_t value,
			      int len)
{
	pci_default_write_config(pci, addr, value, len);
	pcie_cap_flr_write_config(pci, addr, value, len);
	pcie_aer_write_config(pci, addr, value, len);
}

static void doca_bad_chaos(const char *modes, Error **errp)
{
	error_setg(errp, "chaos=%s: modes, with + between them, are: %s", modes,
		   dpu_chaos_modes());
}

/* The functions of a slot are one card: what the first one says holds for all. */
static void doca_follow_first(DocaDpu *d)
{
	PCIDevice *pci = &d->parent, *first;
	DocaDpu *f;

	first = pci_get_bus(pci)->devices[PCI_DEVFN(PCI_SLOT(pci->devfn), 0)];
	if (!first || first == pci)
		return;
	f = (DocaDpu *)object_dynamic_cast(OBJECT(first), TYPE_DOCA_DPU);
	if (!f)
		return;
	if (!d->serial)
		d->serial = f->serial;
	if (!d->model)
		d->model = g_strdup(f->model);
}

static void doca_realize(PCIDevice *pci, Error **errp)
{
	DocaDpu *d = DOCA_DPU(pci);
	static uint64_t next_serial = 1;
	struct dpu_config config;
	const char *error;
	unsigned int i;

	if (!is_power_of_2(d->num_doorbells)) {
		error_setg(errp, "doorbells=%u: a power of two from 2 to 65536",
			   d->num_doorbells);
		return;
	}
	if (!d->workers) {
		error_setg(errp, "workers=0: 1 to %d", DPU_MAX_WORKERS);
		return;
	}
	if (d->side && strcmp(d->side, "host") && strcmp(d->side, "dpu")) {
		error_setg(errp, "side=%s: host or dpu", d->side);
		return;
	}
	doca_follow_first(d);
	if (!d->serial)
		d->serial = 0xd0ca0000ULL + next_serial++;
	config = (struct dpu_config) {
		.model = d->model ?: "all",
		.serial = d->serial,
		.function = PCI_FUNC(pci->devfn),
		.dpu_side = !g_strcmp0(d->side, "dpu"),
		.vectors = d->vectors,
		.doorbells = d->num_doorbells,
		.doorbell_shift = DOORBELL_SHIFT,
		.workers = d->workers,
		.admin_timeout_ms = d->admin_timeout_ms,
		.objects = d->objects,
	};
	d->interrupt_bh = qemu_bh_new(doca_interrupt_bh, d);
	d->dpu = dpu_create(&doca_ops, d, &config, &error);
	if (!d->dpu) {
		error_setg(errp, "bad property: %s", error);
		goto err_bh;
	}
	dpu_set_delay_us(d->dpu, d->delay_us);
	dpu_set_admin_delay_ms(d->dpu, d->admin_delay_ms);
	if (!dpu_set_chaos(d->dpu, d->chaos ?: "")) {
		doca_bad_chaos(d->chaos, errp);
		goto err_dpu;
	}

	if (pcie_endpoint_cap_init(pci, PCIE_CAP) < 0) {
		error_setg(errp, "no room for the PCI Express capability");
		goto err_dpu;
	}
	pcie_cap_deverr_init(pci);
	pcie_cap_flr_init(pci);
	if (pcie_aer_init(pci, PCI_ERR_VER, 0x100, PCI_ERR_SIZEOF, errp) < 0)
		goto err_pcie;
	memory_region_init_io(&d->regs, OBJECT(d), &doca_regs_ops, d,
			      "doca-regs", DOCA_REGS_SIZE);
	pci_register_bar(pci, DOCA_BAR_REGS, PCI_BASE_ADDRESS_SPACE_MEMORY |
			 PCI_BASE_ADDRESS_MEM_TYPE_64, &d->regs);
	memory_region_init_io(&d->doorbells, OBJECT(d), &doca_doorbell_ops, d,
			      "doca-doorbells",
			      pow2ceil(dpu_chaos_bar(d->dpu, (uint64_t)d->num_doorbells <<
							     DOORBELL_SHIFT)));
	pci_register_bar(pci, DOCA_BAR_DOORBELLS,
			 PCI_BASE_ADDRESS_SPACE_MEMORY |
			 PCI_BASE_ADDRESS_MEM_TYPE_64 |
			 PCI_BASE_ADDRESS_MEM_PREFETCH, &d->doorbells);
	if (msix_init_exclusive_bar(pci, d->vectors, DOCA_BAR_MSIX, errp))
		goto err_aer;
	for (i = 0; i < d->vectors; i++)
		msix_vector_use(pci, i);
	return;

err_aer:
	pcie_aer_exit(pci);
err_pcie:
	pcie_cap_exit(pci);
err_dpu:
	dpu_destroy(d->dpu);
	d->dpu = NULL;
err_bh:
	qemu_bh_delete(d->interrupt_bh);
	d->interrupt_bh = NULL;
}

static void doca_exit(PCIDevice *pci)
{
	DocaDpu *d = DOCA_DPU(pci);

	dpu_destroy(d->dpu);
	d->dpu = NULL;
	qemu_bh_delete(d->interrupt_bh);
	msix_uninit_exclusive_bar(pci);
	pcie_aer_exit(pci);
	pcie_cap_exit(pci);
}

static void doca_reset(DeviceState *dev)
{
	DocaDpu *d = DOCA_DPU(dev);

	if (!d->dpu)
		return;
	dpu_reset(d->dpu);
	pcie_cap_deverr_reset(&d->parent);
	bitmap_zero(d->interrupts, DPU_MAX_VECTORS);
}

/* Delays can be changed while the machine runs, with qom-set. */
static void doca_set_delay(Object *obj, Visitor *v, const char *name,
			   void *opaque, Error **errp)
{
	DocaDpu *d = DOCA_DPU(obj);
	uint32_t value;

	if (!visit_type_uint32(v, name, &value, errp))
		return;
	if ((uintptr_t)opaque == offsetof(DocaDpu, delay_us)) {
		d->delay_us = value;
		if (d->dpu)
			dpu_set_delay_us(d->dpu, value);
	} else {
		d->admin_delay_ms = value;
		if (d->dpu)
			dpu_set_admin_delay_ms(d->dpu, value);
	}
}

static void doca_get_delay(Object *obj, Visitor *v, const char *name,
			   void *opaque, Error **errp)
{
	DocaDpu *d = DOCA_DPU(obj);
	uint32_t value = *(uint32_t *)((char *)d + (uintptr_t)opaque);

	visit_type_uint32(v, name, &value, errp);
}

static void doca_set_chaos(Object *obj, const char *value, Error **errp)
{
	DocaDpu *d = DOCA_DPU(obj);

	if (d->dpu && !dpu_set_chaos(d->dpu, value)) {
		doca_bad_chaos(value, errp);
		return;
	}
	g_free(d->chaos);
	d->chaos = g_strdup(value);
}

static char *doca_get_chaos(Object *obj, Error **errp)
{
	return g_strdup(DOCA_DPU(obj)->chaos ?: "");
}

static Property doca_properties[] = {
	DEFINE_PROP_STRING("model", DocaDpu, model),
	DEFINE_PROP_UINT64("serial", DocaDpu, serial, 0),
	DEFINE_PROP_STRING("side", DocaDpu, side),
	DEFINE_PROP_UINT32("vectors", DocaDpu, vectors, 8),
	DEFINE_PROP_UINT32("doorbells", DocaDpu, num_doorbells, 256),
	DEFINE_PROP_UINT32("workers", DocaDpu, workers, 1),
	DEFINE_PROP_UINT32("admin-timeout-ms", DocaDpu, admin_timeout_ms, 10000),
	DEFINE_PROP_UINT32("objects", DocaDpu, objects, 0),
	DEFINE_PROP_END_OF_LIST(),
};

static void doca_class_init(ObjectClass *klass, void *data)
{
	PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
	DeviceClass *dc = DEVICE_CLASS(klass);
	ObjectProperty *prop;

	pc->realize = doca_realize;
	pc->exit = doca_exit;
	pc->config_write = doca_config_write;
	pc->vendor_id = DOCA_PCI_VENDOR_ID;
	pc->device_id = DOCA_PCI_DEVICE_ID;
	pc->class_id = 0x1200;
	dc->reset = doca_reset;
	dc->desc = "Emulated DOCA DPU";
	device_class_set_props(dc, doca_properties);
	prop = object_class_property_add(klass, "delay-us", "uint32",
		doca_get_delay, doca_set_delay, NULL,
		(void *)offsetof(DocaDpu, delay_us));
	object_class_property_set_description(klass, prop->name,
		"least time of each task, microseconds");
	prop = object_class_property_add(klass, "admin-delay-ms", "uint32",
		doca_get_delay, doca_set_delay, NULL,
		(void *)offsetof(DocaDpu, admin_delay_ms));
	object_class_property_set_description(klass, prop->name,
		"least time of each admin command, milliseconds");
	prop = object_class_property_add_str(klass, "chaos", doca_get_chaos,
					     doca_set_chaos);
	object_class_property_set_description(klass, prop->name,
		"how it misbehaves: a wrong value lists the modes");
	set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

static void doca_finalize(Object *obj)
{
	g_free(DOCA_DPU(obj)->chaos);
}

static const TypeInfo doca_info = {
	.name = TYPE_DOCA_DPU,
	.parent = TYPE_PCI_DEVICE,
	.instance_size = sizeof(DocaDpu),
	.instance_finalize = doca_finalize,
	.class_init = doca_class_init,
	.interfaces = (InterfaceInfo[]) { { INTERFACE_PCIE_DEVICE }, { } },
};

static void doca_register(void)
{
	type_register_static(&doca_info);
}
type_init(doca_register)
