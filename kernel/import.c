// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imported regions: keys for memory of the host, on the DPU's side of a card. The
 * device asks the exporting function at each access; nothing is pinned here.
 */
#include <linux/slab.h>

#include "doca.h"

/**
 * struct doca_import - an imported region
 * @obj: object
 * @key: identifier of the memory key
 * @mkey: handle
 */
struct doca_import {
	struct doca_object obj;
	u32 key;
	u32 mkey;
};

static struct doca_import *to_import(struct doca_object *obj)
{
	return container_of(obj, struct doca_import, obj);
}

static void import_detach(struct doca_object *obj)
{
	struct doca_import *import = to_import(obj);
	struct doca_device *doca = obj->file->doca;

	doca_admin_destroy(doca, DOCA_ADMIN_DESTROY_KEY, import->mkey);
	doca_ids_free(&doca->keys, import->key);
}

static void import_free(struct doca_object *obj)
{
	kfree(to_import(obj));
}

static const struct doca_object_ops import_ops = {
	.detach = import_detach,
	.free = import_free,
};

/* Between doca_enter() and doca_leave(). */
static int import_attach(struct doca_import *import,
			 struct doca_region_import *cmd)
{
	struct doca_device *doca = import->obj.file->doca;
	struct doca_admin_import_key params = { };
	int err;

	err = doca_ids_alloc(&doca->keys, &import->key);
	if (err)
		return err;
	import->mkey = doca_ids_handle(&doca->keys, import->key);
	params.mkey = cpu_to_le32(import->mkey);
	params.domain = cpu_to_le32(import->obj.file->domain);
	params.remote_mkey = cpu_to_le32(cmd->remote_mkey);
	params.function = cmd->function_number;
	memcpy(params.token, cmd->token, sizeof(params.token));
	err = doca_admin_import_key(doca, &params);
	if (err) {
		doca_ids_free(&doca->keys, import->key);
		return err;
	}
	doca_object_built(&import->obj);
	cmd->out_mkey = import->mkey;
	return 0;
}

int doca_region_import(struct doca_file *file, struct doca_region_import *cmd,
		       void __user *reply, size_t size)
{
	struct doca_device *doca = file->doca;
	struct doca_import *import;
	int err, idx;

	if (cmd->flags || cmd->function_number >= DOCA_MAX_FUNCTIONS)
		return -EINVAL;
	if (doca->caps.side != DOCA_SIDE_DPU)
		return -EOPNOTSUPP;
	import = kzalloc(sizeof(*import), GFP_KERNEL_ACCOUNT);
	if (!import)
		return -ENOMEM;
	err = doca_object_init(file, &import->obj, DOCA_OBJECT_IMPORT,
			       &import_ops);
	if (err)
		goto err_free;
	idx = doca_enter(file);
	if (idx < 0) {
		err = idx;
		goto err_abort;
	}
	err = import_attach(import, cmd);
	doca_leave(doca, idx);
	if (err)
		goto err_abort;
	cmd->out_id = import->obj.id;
	if (copy_to_user(reply, cmd, size)) {
		doca_object_abort(&import->obj);
		return -EFAULT;
	}
	doca_object_publish(&import->obj);
	return 0;

err_abort:
	doca_object_abort(&import->obj);
err_free:
	kfree(import);
	return err;
}
