// SPDX-License-Identifier: GPL-2.0-only
/*
 * The objects of a file: table and lifetime.
 *
 * A create call
 *	doca_object_init()	reserves the id, which nobody can use yet
 *	(builds the object)
 *	doca_object_built()	from here on a down detaches it
 *	(copies the result to the user)
 *	doca_object_publish()	others can use the id; cannot fail
 * and doca_object_abort() undoes what was done at any point before the last.
 */
#include "doca.h"

/**
 * doca_object_init - reserve an id
 * @file: that the object shall belong to
 * @obj: zeroed
 * @type: kind
 * @ops: of its kind
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int doca_object_init(struct doca_file *file, struct doca_object *obj,
		     enum doca_object_type type,
		     const struct doca_object_ops *ops)
{
	int err;

	obj->file = file;
	obj->ops = ops;
	obj->type = type;
	INIT_LIST_HEAD(&obj->node);
	refcount_set(&obj->calls, 1);
	init_completion(&obj->idle);
	err = xa_alloc(&file->objects, &obj->id, NULL, XA_LIMIT(1, INT_MAX),
		       GFP_KERNEL_ACCOUNT);
	return err == -EBUSY ? -ENOSPC : err;
}

/* The device knows of the object. Between doca_enter() and doca_leave(). */
void doca_object_built(struct doca_object *obj)
{
	obj->built = true;
	mutex_lock(&obj->file->lock);
	list_add_tail(&obj->node, &obj->file->built);
	mutex_unlock(&obj->file->lock);
}

void doca_object_publish(struct doca_object *obj)
{
	/* The entry is reserved: storing into it needs no memory. */
	xa_store(&obj->file->objects, obj->id, obj, GFP_KERNEL_ACCOUNT);
}

static void object_detach(struct doca_object *obj)
{
	mutex_lock(&obj->file->lock);
	list_del_init(&obj->node);
	mutex_unlock(&obj->file->lock);
	if (!obj->detached) {
		obj->detached = true;
		obj->ops->detach(obj);
	}
}

/*
 * Nobody finds the object any more. While the device is up, a down waits for
 * this section to end; after that, files_lock keeps the two apart.
 */
static void object_teardown(struct doca_object *obj)
{
	struct doca_device *doca = obj->file->doca;
	int idx;

	idx = doca_enter(obj->file);
	if (idx >= 0) {
		object_detach(obj);
		doca_leave(doca, idx);
	} else {
		mutex_lock(&doca->files_lock);
		object_detach(obj);
		mutex_unlock(&doca->files_lock);
	}
	obj->ops->free(obj);
}

/**
 * doca_object_abort - undo an object that was not published
 * @obj: built or not; if not, the caller has undone what it built, and frees it
 */
void doca_object_abort(struct doca_object *obj)
{
	xa_erase(&obj->file->objects, obj->id);
	if (obj->built)
		object_teardown(obj);
}

static struct doca_object *object_find(struct doca_file *file, u32 id,
				       enum doca_object_type type)
{
	struct doca_object *obj = xa_load(&file->objects, id);

	lockdep_assert_held(&file->objects.xa_lock);
	if (!obj)
		return ERR_PTR(-ENOENT);
	if (obj->type != type)
		return ERR_PTR(-EINVAL);
	return obj;
}

/**
 * doca_object_get - find an object, and keep it from going during a call
 * @file: that it belongs to
 * @id: its id
 * @type: its kind
 *
 * Return: the object, for doca_object_put(), or ERR_PTR(): -ENOENT, or -EINVAL
 * if it is of another kind.
 */
struct doca_object *doca_object_get(struct doca_file *file, u32 id,
				    enum doca_object_type type)
{
	struct doca_object *obj;

	xa_lock(&file->objects);
	obj = object_find(file, id, type);
	if (!IS_ERR(obj))
		refcount_inc(&obj->calls);
	xa_unlock(&file->objects);
	return obj;
}

void doca_object_put(struct doca_object *obj)
{
	if (refcount_dec_and_test(&obj->calls))
		complete(&obj->idle);
}

/* As doca_object_get(), for an object that needs this one: destroy is EBUSY. */
struct doca_object *doca_object_depend(struct doca_file *file, u32 id,
				       enum doca_object_type type)
{
	struct doca_object *obj;

	xa_lock(&file->objects);
	obj = object_find(file, id, type);
	if (!IS_ERR(obj))
		obj->dependents++;
	xa_unlock(&file->objects);
	return obj;
}

void doca_object_undepend(struct doca_object *obj)
{
	xa_lock(&obj->file->objects);
	obj->dependents--;
	xa_unlock(&obj->file->objects);
}

/**
 * doca_object_destroy - the DESTROY command
 * @file: that the object belongs to
 * @id: its id
 *
 * Return: 0, -ENOENT or -EBUSY.
 */
int doca_object_destroy(struct doca_file *file, u32 id)
{
	struct doca_object *obj;
	int err = 0;

	xa_lock(&file->objects);
	obj = xa_load(&file->objects, id);
	if (!obj)
		err = -ENOENT;
	else if (obj->dependents)
		err = -EBUSY;
	else
		__xa_erase(&file->objects, id);
	xa_unlock(&file->objects);
	if (err)
		return err;
	/* Calls in flight are as bounded as the commands that they send. */
	doca_object_put(obj);
	wait_for_completion(&obj->idle);
	object_teardown(obj);
	return 0;
}

/**
 * doca_objects_detach - the device is going down, or the file is closed
 * @file: whose objects it is about
 *
 * Called between doca_enter() and doca_leave(), or with files_lock while the
 * device is down.
 */
void doca_objects_detach(struct doca_file *file)
{
	struct doca_object *obj, *next;
	LIST_HEAD(list);
	int type;

	mutex_lock(&file->lock);
	list_splice_init(&file->built, &list);
	mutex_unlock(&file->lock);
	for (type = 0; type < DOCA_NUM_OBJECT_TYPES; type++) {
		list_for_each_entry_safe(obj, next, &list, node) {
			if (obj->type != type)
				continue;
			list_del_init(&obj->node);
			if (!obj->detached) {
				obj->detached = true;
				obj->ops->detach(obj);
			}
			cond_resched();
		}
	}
}

/* At the end of the file, when all were detached. */
void doca_objects_free(struct doca_file *file)
{
	struct doca_object *obj;
	unsigned long id;
	int type;

	for (type = 0; type < DOCA_NUM_OBJECT_TYPES; type++) {
		xa_for_each(&file->objects, id, obj) {
			if (obj->type != type)
				continue;
			xa_erase(&file->objects, id);
			obj->ops->free(obj);
			cond_resched();
		}
	}
}
