// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event channels: a completion ring, and a file that becomes readable when the
 * armed ring gets an entry.
 */
#include <linux/anon_inodes.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "doca.h"

/**
 * struct doca_events - what the channel and its event file share
 * @ref: held by either
 * @lock: @count, @closed; taken in interrupts
 * @wait: readers and pollers
 * @count: events since the last read
 * @closed: there will be no more
 */
struct doca_events {
	struct kref ref;
	spinlock_t lock;
	wait_queue_head_t wait;
	u64 count;
	bool closed;
};

/**
 * struct doca_channel - an event channel
 * @obj: object
 * @ring: completion ring
 * @events: shared with the event file
 * @cq: identifier of the ring
 * @vector: that it interrupts on
 * @entries: of the ring
 * @lock: @reserved
 * @reserved: entries that queues may use
 */
struct doca_channel {
	struct doca_object obj;
	struct doca_ring *ring;
	struct doca_events *events;
	u32 cq;
	u32 vector;
	u32 entries;
	spinlock_t lock;
	u32 reserved;
};

static struct doca_channel *to_channel(struct doca_object *obj)
{
	return container_of(obj, struct doca_channel, obj);
}

static void events_release(struct kref *ref)
{
	kfree(container_of(ref, struct doca_events, ref));
}

static void events_close(struct doca_events *events)
{
	unsigned long flags;

	spin_lock_irqsave(&events->lock, flags);
	events->closed = true;
	spin_unlock_irqrestore(&events->lock, flags);
	wake_up_poll(&events->wait, EPOLLIN | EPOLLERR | EPOLLHUP);
}

/*
 * In an interrupt handler: @cq comes from the device, and names anything, on
 * any vector. A channel is taken out under the lock of the table before it is
 * freed, whichever handler may have found it.
 */
void doca_channel_event(struct doca_device *doca, u32 cq)
{
	struct doca_channel *channel;
	unsigned long flags;

	if (cq >= le32_to_cpu(doca->caps.max_cqs)) {
		atomic_inc(&doca->unexpected);
		dev_err_ratelimited(&doca->dev,
				    "event for completion ring %#x, of %u that there are\n",
				    cq, le32_to_cpu(doca->caps.max_cqs));
		return;
	}
	xa_lock_irqsave(&doca->channels, flags);
	channel = xa_load(&doca->channels, cq);
	if (channel) {
		struct doca_events *events = channel->events;

		spin_lock(&events->lock);
		events->count++;
		spin_unlock(&events->lock);
		wake_up_poll(&events->wait, EPOLLIN);
	}
	xa_unlock_irqrestore(&doca->channels, flags);
	/* It may have gone in between. */
	if (!channel)
		dev_dbg_ratelimited(&doca->dev,
				    "event for completion ring %u, which has no channel\n",
				    cq);
}

/* There will be no more events: wakes whoever waits for one. */
void doca_channels_close(struct doca_device *doca)
{
	struct doca_channel *channel;
	unsigned long cq;

	/* A channel is taken out under this lock before it is freed. */
	xa_lock_irq(&doca->channels);
	xa_for_each(&doca->channels, cq, channel)
		events_close(channel->events);
	xa_unlock_irq(&doca->channels);
}

static ssize_t events_read(struct file *filp, char __user *buf, size_t len,
			   loff_t *pos)
{
	struct doca_events *events = filp->private_data;
	u64 count;
	bool closed;
	int err;

	if (len < sizeof(count))
		return -EINVAL;
	for (;;) {
		spin_lock_irq(&events->lock);
		count = events->count;
		closed = events->closed;
		spin_unlock_irq(&events->lock);
		if (closed)
			return -ENODEV;
		if (count)
			break;
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(events->wait,
					       READ_ONCE(events->count) ||
					       READ_ONCE(events->closed));
		if (err)
			return err;
	}
	/* Counted off only when the reader has it. */
	if (copy_to_user(buf, &count, sizeof(count)))
		return -EFAULT;
	spin_lock_irq(&events->lock);
	/* Another reader may have had some of them as well. */
	events->count -= min(count, events->count);
	spin_unlock_irq(&events->lock);
	return sizeof(count);
}

static __poll_t events_poll(struct file *filp, poll_table *table)
{
	struct doca_events *events = filp->private_data;
	__poll_t mask = 0;

	poll_wait(filp, &events->wait, table);
	spin_lock_irq(&events->lock);
	if (events->closed)
		mask = EPOLLERR | EPOLLHUP;
	else if (events->count)
		mask = EPOLLIN | EPOLLRDNORM;
	spin_unlock_irq(&events->lock);
	return mask;
}

static int events_file_release(struct inode *inode, struct file *filp)
{
	struct doca_events *events = filp->private_data;

	kref_put(&events->ref, events_release);
	return 0;
}

static const struct file_operations events_fops = {
	.owner = THIS_MODULE,
	.read = events_read,
	.poll = events_poll,
	.release = events_file_release,
	.llseek = noop_llseek,
};

/* Between doca_enter() and doca_leave(). */
static int channel_attach(struct doca_channel *channel)
{
	struct doca_file *file = channel->obj.file;
	struct doca_device *doca = file->doca;
	struct doca_admin_create_cq params = { };
	struct doca_pagelist list;
	int err;

	channel->ring = doca_ring_create(file, (size_t)channel->entries *
					 sizeof(struct doca_cqe), false);
	if (IS_ERR(channel->ring))
		return PTR_ERR(channel->ring);
	err = doca_ids_alloc(&doca->cqs, &channel->cq);
	if (err)
		goto err_ring;
	/* Found by interrupts from the first completion on. */
	err = xa_err(xa_store_irq(&doca->channels, channel->cq, channel,
				  GFP_KERNEL_ACCOUNT));
	if (err)
		goto err_id;
	err = doca_pagelist_build(doca, &list, channel->ring->dma,
				  channel->ring->num_pages, PAGE_SHIFT);
	if (err)
		goto err_unpublish;
	params.id = cpu_to_le32(channel->cq);
	params.domain = cpu_to_le32(file->domain);
	params.eq = cpu_to_le32(channel->vector);
	params.log_entries = cpu_to_le32(ilog2(channel->entries));
	params.pages = list.hw;
	err = doca_admin_create_cq(doca, &params);
	doca_pagelist_destroy(doca, &list);
	if (err)
		goto err_unpublish;
	doca_object_built(&channel->obj);
	return 0;

err_unpublish:
	xa_erase_irq(&doca->channels, channel->cq);
err_id:
	doca_ids_free(&doca->cqs, channel->cq);
err_ring:
	doca_ring_detach(file, channel->ring);
	doca_ring_put(channel->ring);
	return err;
}

static void channel_detach(struct doca_object *obj)
{
	struct doca_channel *channel = to_channel(obj);
	struct doca_device *doca = obj->file->doca;

	doca_admin_destroy(doca, DOCA_ADMIN_DESTROY_CQ, channel->cq);
	xa_erase_irq(&doca->channels, channel->cq);
	doca_ids_free(&doca->cqs, channel->cq);
	doca_ring_detach(obj->file, channel->ring);
	events_close(channel->events);
}

static void channel_free(struct doca_object *obj)
{
	struct doca_channel *channel = to_channel(obj);

	doca_ring_put(channel->ring);
	kref_put(&channel->events->ref, events_release);
	kfree(channel);
}

static const struct doca_object_ops channel_ops = {
	.detach = channel_detach,
	.free = channel_free,
};

static struct doca_channel *
channel_alloc(struct doca_file *file, const struct doca_channel_create *cmd)
{
	struct doca_device *doca = file->doca;
	struct doca_channel *channel;

	channel = kzalloc(sizeof(*channel), GFP_KERNEL_ACCOUNT);
	if (!channel)
		return NULL;
	channel->events = kzalloc(sizeof(*channel->events), GFP_KERNEL_ACCOUNT);
	if (!channel->events) {
		kfree(channel);
		return NULL;
	}
	kref_init(&channel->events->ref);
	spin_lock_init(&channel->events->lock);
	init_waitqueue_head(&channel->events->wait);
	spin_lock_init(&channel->lock);
	channel->entries = roundup_pow_of_two(cmd->entries);
	channel->vector = cmd->comp_vector;
	if (cmd->comp_vector == DOCA_COMP_VECTOR_ANY)
		channel->vector = (u32)atomic_inc_return(&doca->next_vector) %
				  doca->num_vectors;
	return channel;
}

int doca_channel_create(struct doca_file *file, struct doca_channel_create *cmd,
			void __user *reply, size_t size)
{
	struct doca_device *doca = file->doca;
	struct doca_channel *channel;
	struct file *filp;
	int err, fd, idx;

	if (cmd->flags & ~(O_CLOEXEC | O_NONBLOCK) || !cmd->entries ||
	    cmd->entries > le32_to_cpu(doca->caps.max_cq_entries) ||
	    (cmd->comp_vector != DOCA_COMP_VECTOR_ANY &&
	     cmd->comp_vector >= doca->num_vectors)) {
		dev_dbg(&doca->dev,
			"channel: flags %#x, %u entries of at most %u, vector %u of %u\n",
			cmd->flags, cmd->entries,
			le32_to_cpu(doca->caps.max_cq_entries),
			cmd->comp_vector, doca->num_vectors);
		return -EINVAL;
	}
	channel = channel_alloc(file, cmd);
	if (!channel)
		return -ENOMEM;
	fd = get_unused_fd_flags(cmd->flags & O_CLOEXEC);
	if (fd < 0) {
		err = fd;
		goto err_free;
	}
	filp = anon_inode_getfile("[doca_events]", &events_fops,
				  channel->events,
				  O_RDONLY | (cmd->flags & O_NONBLOCK));
	if (IS_ERR(filp)) {
		err = PTR_ERR(filp);
		goto err_fd;
	}
	/* For the file, whose release drops it. */
	kref_get(&channel->events->ref);
	err = doca_object_init(file, &channel->obj, DOCA_OBJECT_CHANNEL,
			       &channel_ops);
	if (err)
		goto err_filp;
	idx = doca_enter(file);
	if (idx < 0) {
		err = idx;
		goto err_abort;
	}
	err = channel_attach(channel);
	doca_leave(doca, idx);
	if (err)
		goto err_abort;
	cmd->out_id = channel->obj.id;
	cmd->out_fd = fd;
	cmd->out_cq = channel->cq;
	cmd->out_entries = channel->entries;
	cmd->out_ring_key = doca_ring_key(channel->ring);
	cmd->out_ring_size = doca_ring_size(channel->ring);
	if (copy_to_user(reply, cmd, size)) {
		fput(filp);
		put_unused_fd(fd);
		doca_object_abort(&channel->obj);
		return -EFAULT;
	}
	doca_object_publish(&channel->obj);
	fd_install(fd, filp);
	return 0;

err_abort:
	doca_object_abort(&channel->obj);
err_filp:
	fput(filp);
err_fd:
	put_unused_fd(fd);
err_free:
	kref_put(&channel->events->ref, events_release);
	kfree(channel);
	return err;
}

/**
 * doca_channel_reserve - room in the completion ring
 * @obj: channel
 * @entries: completions that can be outstanding
 *
 * Return: 0 or -ENOSPC.
 */
int doca_channel_reserve(struct doca_object *obj, u32 entries)
{
	struct doca_channel *channel = to_channel(obj);
	int err = 0;

	spin_lock(&channel->lock);
	if (entries > channel->entries - channel->reserved)
		err = -ENOSPC;
	else
		channel->reserved += entries;
	spin_unlock(&channel->lock);
	return err;
}

void doca_channel_unreserve(struct doca_object *obj, u32 entries)
{
	struct doca_channel *channel = to_channel(obj);

	spin_lock(&channel->lock);
	channel->reserved -= entries;
	spin_unlock(&channel->lock);
}

u32 doca_channel_cq(struct doca_object *obj)
{
	return to_channel(obj)->cq;
}
