/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that this module builds for, and nothing
 * else. Newer kernels' names are used everywhere.
 */
#ifndef _DOCA_COMPAT_H
#define _DOCA_COMPAT_H

#include <linux/device/class.h>
#include <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define DOCA_DEVNODE_CONST
#else
#define DOCA_DEVNODE_CONST	const
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define dma_buf_map_attachment_unlocked		dma_buf_map_attachment
#define dma_buf_unmap_attachment_unlocked	dma_buf_unmap_attachment
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define DOCA_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS(DMA_BUF)
#else
#define DOCA_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS("DMA_BUF")
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define doca_class_create(name)	class_create(THIS_MODULE, name)
#else
#define doca_class_create(name)	class_create(name)
#endif

#endif
