// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that the device and a process share: single pages, so that no ring
 * needs contiguous memory. A mapping holds references on the pages, and stays
 * valid memory whatever becomes of the ring.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "doca.h"

static void ring_free_pages(struct doca_file *file, struct doca_ring *ring)
{
	struct device *dma_dev = &file->doca->pdev->dev;

	while (ring->num_pages) {
		u32 i = --ring->num_pages;

		dma_free_pages(dma_dev, PAGE_SIZE, ring->pages[i],
			       ring->dma[i], DMA_BIDIRECTIONAL);
	}
}

/**
 * doca_ring_create - allocate a ring and give it an mmap() key
 * @file: whose device is up
 * @size: bytes, not 0
 * @writable: for the process
 *
 * Return: the ring, or ERR_PTR(): -ENOMEM, -ENOSPC.
 */
struct doca_ring *doca_ring_create(struct doca_file *file, size_t size,
				   bool writable)
{
	struct doca_device *doca = file->doca;
	struct device *dma_dev = &doca->pdev->dev;
	u32 num = DIV_ROUND_UP(size, PAGE_SIZE);
	struct doca_ring *ring;
	int err = -ENOMEM;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	kref_init(&ring->ref);
	ring->writable = writable;
	ring->pages = kvcalloc(num, sizeof(*ring->pages), DOCA_GFP_LARGE);
	ring->dma = kvcalloc(num, sizeof(*ring->dma), DOCA_GFP_LARGE);
	if (!ring->pages || !ring->dma)
		goto err_arrays;
	while (ring->num_pages < num) {
		dma_addr_t dma;
		struct page *page;

		page = dma_alloc_pages(dma_dev, PAGE_SIZE, &dma,
				       DMA_BIDIRECTIONAL,
				       GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!page)
			goto err_pages;
		/* Cannot be, but DMA_API_DEBUG wants to see it asked. */
		WARN_ON_ONCE(dma_mapping_error(dma_dev, dma));
		ring->pages[ring->num_pages] = page;
		ring->dma[ring->num_pages++] = dma;
		cond_resched();
	}
	err = xa_alloc(&file->rings, &ring->key, ring,
		       XA_LIMIT(DOCA_KEY_RINGS, INT_MAX), GFP_KERNEL_ACCOUNT);
	if (err) {
		if (err == -EBUSY)
			err = -ENOSPC;
		goto err_pages;
	}
	return ring;

err_pages:
	ring_free_pages(file, ring);
err_arrays:
	kvfree(ring->dma);
	kvfree(ring->pages);
	kfree(ring);
	return ERR_PTR(err);
}

/**
 * doca_ring_detach - end the device's share of the ring
 * @file: whose ring it is
 * @ring: the ring, which the device does not use any more
 *
 * No mmap() finds it from now on. The pages stay until the last user is gone.
 */
void doca_ring_detach(struct doca_file *file, struct doca_ring *ring)
{
	struct device *dma_dev = &file->doca->pdev->dev;
	u32 i;

	xa_erase(&file->rings, ring->key);
	for (i = 0; i < ring->num_pages; i++) {
		/* dma_free_pages() drops one reference; keep ours. */
		get_page(ring->pages[i]);
		dma_free_pages(dma_dev, PAGE_SIZE, ring->pages[i],
			       ring->dma[i], DMA_BIDIRECTIONAL);
	}
}

static void ring_release(struct kref *ref)
{
	struct doca_ring *ring = container_of(ref, struct doca_ring, ref);
	u32 i;

	for (i = 0; i < ring->num_pages; i++)
		put_page(ring->pages[i]);
	kvfree(ring->dma);
	kvfree(ring->pages);
	kfree(ring);
}

/* The ring was detached. */
void doca_ring_put(struct doca_ring *ring)
{
	kref_put(&ring->ref, ring_release);
}

/**
 * doca_ring_mmap - map a ring whole
 * @file: whose ring it is
 * @vma: where to
 *
 * Return: 0, or -EINVAL if the key, the size or the protection is wrong.
 */
int doca_ring_mmap(struct doca_file *file, struct vm_area_struct *vma)
{
	struct doca_ring *ring;
	unsigned long num;
	int err;

	xa_lock(&file->rings);
	ring = xa_load(&file->rings, vma->vm_pgoff);
	if (ring)
		kref_get(&ring->ref);
	xa_unlock(&file->rings);
	if (!ring)
		return -EINVAL;

	err = -EINVAL;
	num = ring->num_pages;
	if (vma_pages(vma) != num ||
	    (!ring->writable && (vma->vm_flags & VM_WRITE)))
		goto out;
	/* With VM_IO, madvise() cannot take VM_DONTCOPY away. */
	vm_flags_mod(vma, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC | (ring->writable ? 0 : VM_MAYWRITE));
	err = vm_insert_pages(vma, vma->vm_start, ring->pages, &num);
out:
	doca_ring_put(ring);
	return err;
}
