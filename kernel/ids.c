// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identifiers of device objects. The driver chooses them, so that the device
 * cannot give one twice.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "doca.h"

/**
 * doca_ids_init - make an empty set
 * @ids: the set
 * @max: identifiers are below it
 *
 * Return: 0 or -ENOMEM.
 */
int doca_ids_init(struct doca_ids *ids, u32 max)
{
	xa_init_flags(&ids->xa, XA_FLAGS_ALLOC);
	ids->next = 0;
	ids->max = max;
	atomic_set(&ids->used, 0);
	ids->gens = __vmalloc(max, GFP_KERNEL | __GFP_NOWARN);
	if (!ids->gens)
		return -ENOMEM;
	/* No handle is 0, which is what forgotten ones are. */
	memset(ids->gens, 1, max);
	return 0;
}

void doca_ids_destroy(struct doca_ids *ids)
{
	xa_destroy(&ids->xa);
	vfree(ids->gens);
	ids->gens = NULL;
}

/**
 * doca_ids_alloc - take an identifier
 * @ids: the set
 * @index: the identifier
 *
 * Return: 0, -ENOSPC if all are taken, -ENOMEM.
 */
int doca_ids_alloc(struct doca_ids *ids, u32 *index)
{
	int err;

	err = xa_alloc_cyclic(&ids->xa, index, xa_mk_value(1),
			      XA_LIMIT(0, ids->max - 1), &ids->next,
			      GFP_KERNEL);
	if (err == -EBUSY)
		return -ENOSPC;
	if (err < 0)
		return err;
	atomic_inc(&ids->used);
	return 0;
}

void doca_ids_free(struct doca_ids *ids, u32 index)
{
	/* Before the index can be taken again. */
	if (!++ids->gens[index])
		ids->gens[index] = 1;
	xa_erase(&ids->xa, index);
	atomic_dec(&ids->used);
}

/* The handle of an identifier in use: changes with each use of the index. */
u32 doca_ids_handle(const struct doca_ids *ids, u32 index)
{
	return index << DOCA_HANDLE_GEN_BITS | ids->gens[index];
}
