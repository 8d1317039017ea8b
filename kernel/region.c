// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions: user memory, pinned, or memory of a dmabuf; mapped for DMA, and
 * known to the device by a key.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "doca.h"

/* Rights with which the device may write. */
#define DOCA_KEY_WRITES (DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE | \
			 DOCA_KEY_RDMA_ATOMIC | DOCA_KEY_PCI_WRITE)

/* Pages pinned between two looks at pending signals. */
#define PIN_BATCH	512

/* Largest page size that a key is given. */
#define MAX_KEY_PAGE_SHIFT	30

/*
 * Probe has made sure that there is nothing to sync; and the same page may be
 * in many regions, which is an error where caches are handed over and back.
 */
#define REGION_DMA_ATTRS	DMA_ATTR_SKIP_CPU_SYNC

/**
 * struct doca_region - a memory region
 * @obj: object
 * @dir: what the device may do with it; an IOMMU sees to that, too
 * @length: bytes
 * @head: bytes from the start of the first page that is mapped to the first byte
 * @start: address of that page, or NULL: the dmabuf decides how it is aligned
 * @map: bus addresses while attached
 * @skip: bytes of @map before the first page
 * @mm: charged for the pages
 * @writable: pinned for writing
 * @num_pages: pinned and charged, of PAGE_SIZE
 * @sgt: the pages
 * @dmabuf: in place of pages, or NULL
 * @attachment: to it
 * @key: identifier of the memory key
 * @mkey: handle
 * @shareable: has a right for the other side of the card, and so a token
 * @token: for importing it there
 */
struct doca_region {
	struct doca_object obj;
	enum dma_data_direction dir;
	u64 length;
	unsigned int head;
	u64 start;
	struct sg_table *map;
	u64 skip;
	struct mm_struct *mm;
	bool writable;
	unsigned long num_pages;
	struct sg_table sgt;
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attachment;
	u32 key;
	u32 mkey;
	bool shareable;
	u8 token[DOCA_TOKEN_LEN];
};

static struct doca_region *to_region(struct doca_object *obj)
{
	return container_of(obj, struct doca_region, obj);
}

static int region_charge(struct doca_region *region, unsigned long num)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	u64 total = atomic64_add_return(num, &current->mm->pinned_vm);

	if (total > limit && !capable(CAP_IPC_LOCK)) {
		atomic64_sub(num, &current->mm->pinned_vm);
		return -EDQUOT;
	}
	/* Whoever gives it back, gives it back here. */
	mmgrab(current->mm);
	region->mm = current->mm;
	region->num_pages = num;
	return 0;
}

static void region_uncharge(struct doca_region *region)
{
	atomic64_sub(region->num_pages, &region->mm->pinned_vm);
	mmdrop(region->mm);
}

static int pin_pages(unsigned long start, unsigned long num,
		     unsigned int gup_flags, struct page **pages)
{
	unsigned long done = 0;
	int ret;

	while (done < num) {
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			goto err;
		}
		ret = pin_user_pages_fast(start + done * PAGE_SIZE,
					  min_t(unsigned long, num - done,
						PIN_BATCH),
					  gup_flags | FOLL_LONGTERM,
					  pages + done);
		if (!ret)
			ret = -EFAULT;
		if (ret < 0)
			goto err;
		done += ret;
		cond_resched();
	}
	return 0;

err:
	unpin_user_pages(pages, done);
	return ret;
}

/* No lock is held: pinning takes as long as the memory's owner likes. */
static int region_pin(struct doca_region *region, unsigned long start)
{
	unsigned long num = region->num_pages;
	struct page **pages;
	int err;

	pages = kvmalloc_array(num, sizeof(*pages), DOCA_GFP_LARGE);
	if (!pages)
		return -ENOMEM;
	/*
	 * Pinned for writing also when the device will only read: a page that is
	 * not yet there, or shared since a fork, would otherwise be replaced at
	 * the process's next write, and the device read the old one for ever.
	 * Memory that the process itself cannot write has no such next write.
	 */
	err = pin_pages(start, num, FOLL_WRITE, pages);
	if (!err)
		region->writable = true;
	else if (err == -EFAULT && !region->writable)
		err = pin_pages(start, num, 0, pages);
	if (err)
		goto out;
	err = sg_alloc_table_from_pages_segment(&region->sgt, pages, num, 0,
						num << PAGE_SHIFT,
						UINT_MAX & PAGE_MASK,
						GFP_KERNEL_ACCOUNT);
	if (err)
		unpin_user_pages(pages, num);
out:
	kvfree(pages);
	/* What drivers of the memory's kind say when it cannot be pinned. */
	return err == -EOPNOTSUPP || err == -EINVAL ? -EFAULT : err;
}

static void region_unpin(struct doca_region *region)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(&region->sgt, sg, i) {
		unpin_user_page_range_dirty_lock(sg_page(sg),
						 DIV_ROUND_UP(sg->length,
							      PAGE_SIZE),
						 region->writable);
		cond_resched();
	}
	sg_free_table(&region->sgt);
}

/* The pieces of a region that are contiguous on the bus, one after the other. */
struct piece {
	struct scatterlist *sg;
	unsigned int left;
	u64 skip;		/* bytes before the first piece */
	u64 todo;		/* bytes behind this one */
	u64 dma;
	u64 len;
};

static void piece_start(struct piece *piece, struct doca_region *region)
{
	piece->sg = region->map->sgl;
	piece->left = region->map->nents;
	piece->skip = region->skip;
	piece->todo = PAGE_ALIGN(region->head + region->length);
}

static bool piece_next(struct piece *piece)
{
	piece->len = 0;
	while (piece->left && piece->todo) {
		u64 dma = sg_dma_address(piece->sg) + piece->skip;
		u64 len = sg_dma_len(piece->sg);

		if (piece->skip >= len) {
			piece->skip -= len;
		} else if (!piece->len || dma == piece->dma + piece->len) {
			len = min(len - piece->skip, piece->todo);
			piece->skip = 0;
			if (!piece->len)
				piece->dma = dma;
			piece->len += len;
			piece->todo -= len;
		} else {
			break;
		}
		piece->sg = sg_next(piece->sg);
		piece->left--;
	}
	return piece->len;
}

/*
 * Largest page size for which the mapping is a list of pages: bus and user
 * addresses agree below it, and pieces begin and end at its multiples, except
 * for the first one's start and the last one's end.
 */
static unsigned int region_page_shift(struct doca_region *region)
{
	u64 start = region->start, va = start, mask = 0;
	struct piece piece;

	piece_start(&piece, region);
	while (piece_next(&piece)) {
		if (va != start)
			mask |= va;
		mask |= va ^ piece.dma;
		va += piece.len;
	}
	/* Pages need not be larger than the region. */
	mask |= roundup_pow_of_two(va - start);
	return min_t(unsigned int, __ffs64(mask), MAX_KEY_PAGE_SHIFT);
}

static int region_create_key(struct doca_region *region,
			     struct doca_region_create *cmd)
{
	struct doca_device *doca = region->obj.file->doca;
	unsigned int shift = region_page_shift(region);
	u64 size = BIT_ULL(shift), offset, num, *addrs, page, i = 0;
	struct doca_admin_create_key params = { };
	struct doca_pagelist list;
	struct piece piece;
	int err;

	/* A dmabuf may be mapped in smaller pages than ours. */
	if (shift < PAGE_SHIFT)
		return -EOPNOTSUPP;
	offset = (region->start + region->head) & (size - 1);
	num = (offset + cmd->length + size - 1) >> shift;
	if (num > le32_to_cpu(doca->caps.max_key_pages)) {
		dev_dbg(&doca->dev, "region of %llu pages, the limit is %u\n",
			num, le32_to_cpu(doca->caps.max_key_pages));
		return -ENOSPC;
	}
	addrs = kvmalloc_array(num, sizeof(*addrs), DOCA_GFP_LARGE);
	if (!addrs)
		return -ENOMEM;
	piece_start(&piece, region);
	while (piece_next(&piece)) {
		for (page = piece.dma & ~(size - 1);
		     page < piece.dma + piece.len && i < num; page += size)
			addrs[i++] = page;
	}
	err = -EIO;
	if (i != num) {
		dev_err_ratelimited(&doca->dev,
				    "region: the mapping has %llu pages of %llu\n",
				    i, num);
		goto out_addrs;
	}
	err = doca_pagelist_build(doca, &list, addrs, num, shift);
	if (err)
		goto out_addrs;

	params.mkey = cpu_to_le32(region->mkey);
	params.domain = cpu_to_le32(region->obj.file->domain);
	params.access = cpu_to_le32(cmd->access);
	params.addr = cpu_to_le64(cmd->addr);
	params.length = cpu_to_le64(cmd->length);
	params.offset = cpu_to_le64(offset);
	params.pages = list.hw;
	err = doca_admin_create_key(doca, &params);
	doca_pagelist_destroy(doca, &list);
	cmd->out_mkey = region->mkey;
	cmd->out_page_shift = shift;
	cmd->out_num_pages = num;
out_addrs:
	kvfree(addrs);
	return err;
}

static int region_map_pages(struct doca_region *region, struct device *dma_dev)
{
	int err;

	err = dma_map_sgtable(dma_dev, &region->sgt, region->dir,
			      REGION_DMA_ATTRS);
	if (err)
		return err == -EREMOTEIO ? -EIO : err;
	region->map = &region->sgt;
	return 0;
}

static void region_unmap(struct doca_region *region, struct device *dma_dev)
{
	if (region->dmabuf) {
		dma_buf_unmap_attachment_unlocked(region->attachment,
						  region->map, region->dir);
		dma_buf_detach(region->dmabuf, region->attachment);
	} else {
		dma_unmap_sgtable(dma_dev, &region->sgt, region->dir,
				  REGION_DMA_ATTRS);
	}
}

/* The attachment is not dynamic: the exporter keeps the memory in its place. */
static int region_map_dmabuf(struct doca_region *region, struct device *dma_dev)
{
	struct dma_buf_attachment *attachment;
	struct piece piece;
	int err;

	attachment = dma_buf_attach(region->dmabuf, dma_dev);
	if (IS_ERR(attachment))
		return PTR_ERR(attachment);
	region->map = dma_buf_map_attachment_unlocked(attachment, region->dir);
	if (IS_ERR_OR_NULL(region->map)) {
		err = region->map ? PTR_ERR(region->map) : -ENOMEM;
		dma_buf_detach(region->dmabuf, attachment);
		return err;
	}
	region->attachment = attachment;
	/* Descriptors may call it by any address: its place on the bus counts. */
	piece_start(&piece, region);
	if (!piece_next(&piece)) {
		region_unmap(region, dma_dev);
		return -EIO;
	}
	region->start = piece.dma;
	return 0;
}

static int region_map(struct doca_region *region, struct device *dma_dev)
{
	return region->dmabuf ? region_map_dmabuf(region, dma_dev) :
				region_map_pages(region, dma_dev);
}

/* Gives back what region_take_pages() or region_take_dmabuf() took. */
static void region_drop(struct doca_region *region)
{
	if (region->dmabuf) {
		dma_buf_put(region->dmabuf);
	} else {
		region_unpin(region);
		region_uncharge(region);
	}
}

/* Between doca_enter() and doca_leave(). */
static int region_attach(struct doca_region *region,
			 struct doca_region_create *cmd)
{
	struct doca_device *doca = region->obj.file->doca;
	int err;

	err = region_map(region, &doca->pdev->dev);
	if (err)
		return err;
	err = doca_ids_alloc(&doca->keys, &region->key);
	if (err)
		goto err_unmap;
	region->mkey = doca_ids_handle(&doca->keys, region->key);
	err = region_create_key(region, cmd);
	if (err)
		goto err_id;
	doca_object_built(&region->obj);
	return 0;

err_id:
	doca_ids_free(&doca->keys, region->key);
err_unmap:
	region_unmap(region, &doca->pdev->dev);
	return err;
}

static void region_detach(struct doca_object *obj)
{
	struct doca_region *region = to_region(obj);
	struct doca_device *doca = obj->file->doca;

	doca_admin_destroy(doca, DOCA_ADMIN_DESTROY_KEY, region->mkey);
	doca_ids_free(&doca->keys, region->key);
	region_unmap(region, &doca->pdev->dev);
	region_drop(region);
}

static void region_free(struct doca_object *obj)
{
	kfree(to_region(obj));
}

static const struct doca_object_ops region_ops = {
	.detach = region_detach,
	.free = region_free,
};

/* Number of pages that the range touches; 0 if it wraps. */
static u64 range_pages(u64 addr, u64 length)
{
	u64 end, end_aligned;

	if (check_add_overflow(addr, length, &end) ||
	    check_add_overflow(end, (u64)PAGE_SIZE - 1, &end_aligned))
		return 0;
	return (end_aligned >> PAGE_SHIFT) - (addr >> PAGE_SHIFT);
}

static int region_take_pages(struct doca_region *region,
			     const struct doca_region_create *cmd, u64 num)
{
	int err;

	/* No array of pages for the pinning is as large as INT_MAX bytes. */
	if (num > INT_MAX / sizeof(struct page *))
		return -ENOSPC;
	region->head = offset_in_page(cmd->addr);
	region->start = cmd->addr & PAGE_MASK;
	err = region_charge(region, num);
	if (err)
		return err;
	err = region_pin(region, region->start);
	if (err)
		region_uncharge(region);
	return err;
}

static int region_take_dmabuf(struct doca_region *region,
			      const struct doca_region_create *cmd)
{
	struct dma_buf *dmabuf;
	u64 end;
	int err;

	dmabuf = dma_buf_get(cmd->dmabuf_fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	err = -EINVAL;
	if (check_add_overflow(cmd->dmabuf_offset, cmd->length, &end) ||
	    end > dmabuf->size)
		goto err_put;
	err = -EACCES;
	if (region->writable && !(dmabuf->file->f_mode & FMODE_WRITE))
		goto err_put;
	region->head = offset_in_page(cmd->dmabuf_offset);
	region->skip = cmd->dmabuf_offset & PAGE_MASK;
	region->dmabuf = dmabuf;
	return 0;

err_put:
	dma_buf_put(dmabuf);
	return err;
}

int doca_region_create(struct doca_file *file, struct doca_region_create *cmd,
		       void __user *reply, size_t size)
{
	bool dmabuf = cmd->flags & DOCA_REGION_DMABUF;
	struct doca_device *doca = file->doca;
	struct doca_region *region;
	u64 num;
	int err, idx;

	if (cmd->flags & ~DOCA_REGION_DMABUF || cmd->__reserved ||
	    cmd->__reserved1 || cmd->access & ~DOCA_KEY_ACCESS_ALL ||
	    !cmd->length ||
	    (!dmabuf && (cmd->dmabuf_fd || cmd->dmabuf_offset))) {
		dev_dbg(&doca->dev,
			"region: flags %#x, access %#x, length %llu\n",
			cmd->flags, cmd->access, cmd->length);
		return -EINVAL;
	}
	num = range_pages(cmd->addr, cmd->length);
	if (!num || cmd->addr + cmd->length > (u64)ULONG_MAX)
		return -EOVERFLOW;

	region = kzalloc(sizeof(*region), GFP_KERNEL_ACCOUNT);
	if (!region)
		return -ENOMEM;
	region->writable = cmd->access & DOCA_KEY_WRITES;
	region->dir = region->writable ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE;
	region->shareable = cmd->access & (DOCA_KEY_PCI_READ |
					   DOCA_KEY_PCI_WRITE);
	if (region->shareable)
		get_random_bytes(region->token, sizeof(region->token));
	region->length = cmd->length;
	err = dmabuf ? region_take_dmabuf(region, cmd) :
		       region_take_pages(region, cmd, num);
	if (err)
		goto err_free;
	err = doca_object_init(file, &region->obj, DOCA_OBJECT_REGION,
			       &region_ops);
	if (err)
		goto err_drop;
	idx = doca_enter(file);
	if (idx < 0) {
		err = idx;
		goto err_abort;
	}
	err = region_attach(region, cmd);
	doca_leave(doca, idx);
	if (err)
		goto err_abort;
	cmd->out_id = region->obj.id;
	if (copy_to_user(reply, cmd, size)) {
		doca_object_abort(&region->obj);
		return -EFAULT;
	}
	doca_object_publish(&region->obj);
	return 0;

err_abort:
	doca_object_abort(&region->obj);
err_drop:
	region_drop(region);
err_free:
	kfree(region);
	return err;
}

int doca_region_share(struct doca_file *file, struct doca_region_share *cmd)
{
	struct doca_device *doca = file->doca;
	struct doca_region *region;
	struct doca_object *obj;
	int err, idx;

	if (cmd->flags || cmd->__reserved)
		return -EINVAL;
	if (doca->caps.side != DOCA_SIDE_HOST)
		return -EOPNOTSUPP;
	obj = doca_object_get(file, cmd->region_id, DOCA_OBJECT_REGION);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	region = to_region(obj);
	if (!region->shareable) {
		err = -EINVAL;
		goto out;
	}
	idx = doca_enter(file);
	if (idx < 0) {
		err = idx;
		goto out;
	}
	/* The device takes the same token twice, so that nobody has to wait. */
	err = doca_admin_share_key(doca, region->mkey, region->token);
	doca_leave(doca, idx);
	memcpy(cmd->out_token, region->token, sizeof(cmd->out_token));
out:
	doca_object_put(obj);
	return err;
}
