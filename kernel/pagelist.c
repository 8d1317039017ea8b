// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page lists: trees of blocks of 512 addresses, as struct doca_hw_pages says.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "doca.h"

static u32 count_blocks(u32 num)
{
	u32 blocks = 0;

	while (num > 1) {
		num = DIV_ROUND_UP(num, DOCA_LIST_BLOCK_ENTRIES);
		blocks += num;
	}
	return blocks;
}

/**
 * doca_pagelist_build - describe pages to the device
 * @doca: device, which is up
 * @list: to be filled in
 * @addrs: bus address of each page, aligned to the page size
 * @num: pages, not 0
 * @page_shift: log2 of the page size
 *
 * The list has to stay until the device has answered the command.
 *
 * Return: 0 or -ENOMEM.
 */
int doca_pagelist_build(struct doca_device *doca, struct doca_pagelist *list,
			const u64 *addrs, u32 num, unsigned int page_shift)
{
	struct device *dma_dev = &doca->pdev->dev;
	u32 total = count_blocks(num), below, i, j;
	u8 levels = 0;
	u64 root = addrs[0];

	memset(list, 0, sizeof(*list));
	if (total) {
		list->blocks = kvcalloc(total, sizeof(*list->blocks),
					DOCA_GFP_LARGE);
		list->dma = kvcalloc(total, sizeof(*list->dma),
				     DOCA_GFP_LARGE);
		if (!list->blocks || !list->dma)
			goto err;
	}
	/* Level by level; what is below the first one are the pages. */
	below = num;
	while (below > 1) {
		u32 first = list->num_blocks;
		u32 here = DIV_ROUND_UP(below, DOCA_LIST_BLOCK_ENTRIES);

		for (i = 0; i < here; i++) {
			u32 start = i * DOCA_LIST_BLOCK_ENTRIES;
			u32 n = min_t(u32, below - start,
				      DOCA_LIST_BLOCK_ENTRIES);
			dma_addr_t dma;
			__le64 *block;

			block = kzalloc(DOCA_LIST_BLOCK_SIZE, GFP_KERNEL);
			if (!block)
				goto err;
			for (j = 0; j < n; j++) {
				u64 addr = levels ?
					list->dma[first - below + start + j] :
					addrs[start + j];

				block[j] = cpu_to_le64(addr);
			}
			dma = dma_map_single(dma_dev, block,
					     DOCA_LIST_BLOCK_SIZE,
					     DMA_TO_DEVICE);
			if (dma_mapping_error(dma_dev, dma)) {
				kfree(block);
				goto err;
			}
			list->blocks[list->num_blocks] = block;
			list->dma[list->num_blocks++] = dma;
			root = dma;
			cond_resched();
		}
		below = here;
		levels++;
	}
	list->hw.root = cpu_to_le64(root);
	list->hw.num_pages = cpu_to_le32(num);
	list->hw.page_shift = page_shift;
	list->hw.levels = levels;
	return 0;

err:
	doca_pagelist_destroy(doca, list);
	return -ENOMEM;
}

void doca_pagelist_destroy(struct doca_device *doca,
			   struct doca_pagelist *list)
{
	u32 i;

	for (i = 0; i < list->num_blocks; i++) {
		dma_unmap_single(&doca->pdev->dev, list->dma[i],
				 DOCA_LIST_BLOCK_SIZE, DMA_TO_DEVICE);
		kfree(list->blocks[i]);
	}
	kvfree(list->blocks);
	kvfree(list->dma);
	list->num_blocks = 0;
	list->blocks = NULL;
	list->dma = NULL;
}
