// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/doca/<n>: open, ioctls, mappings, close.
 */
#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "doca.h"

union doca_cmd {
	u32 size;
	struct doca_device_info device_info;
	struct doca_engine_info engine_info;
	struct doca_domain_alloc domain_alloc;
	struct doca_region_create region_create;
	struct doca_channel_create channel_create;
	struct doca_queue_create queue_create;
	struct doca_queue_connect queue_connect;
	struct doca_queue_stop queue_stop;
	struct doca_destroy destroy;
	struct doca_region_share region_share;
	struct doca_region_import region_import;
	struct doca_function_info function_info;
};

/*
 * A handler returns with *cmd as the caller shall see it, or, if it creates
 * something, has copied @size bytes of it to @reply itself.
 */
typedef int (*doca_handler)(struct doca_file *file, union doca_cmd *cmd,
			    void __user *reply, size_t size);

static int ioctl_device_info(struct doca_file *file, union doca_cmd *cmd,
			     void __user *reply, size_t size)
{
	struct doca_device_info *info = &cmd->device_info;
	struct doca_device *doca = file->doca;
	const struct doca_hw_caps *caps = &doca->caps;
	unsigned int i;
	int idx;

	if (info->flags || info->__reserved0 || info->__reserved1[0] ||
	    info->__reserved1[1])
		return -EINVAL;
	idx = doca_enter(file);
	if (idx < 0)
		return idx;
	memset((void *)info + offsetof(struct doca_device_info, out_abi_version),
	       0, sizeof(*info) -
	       offsetof(struct doca_device_info, out_abi_version));
	info->out_abi_version = DOCA_ABI_VERSION;
	info->out_pci_domain = pci_domain_nr(doca->pdev->bus);
	info->out_pci_bus = doca->pdev->bus->number;
	info->out_pci_device = PCI_SLOT(doca->pdev->devfn);
	info->out_pci_function = PCI_FUNC(doca->pdev->devfn);
	for (i = 0; i < DOCA_NUM_ENGINES; i++)
		if (caps->engines[i].supported)
			info->out_engines |= BIT(i);
	strscpy(info->out_name, dev_name(&doca->dev), sizeof(info->out_name));
	memcpy(info->out_model, caps->model, sizeof(info->out_model));
	info->out_model[sizeof(info->out_model) - 1] = 0;
	info->out_serial = le64_to_cpu(caps->serial);
	info->out_gid = caps->gid;
	memcpy(info->out_mac, caps->mac, sizeof(info->out_mac));
	info->out_num_comp_vectors = doca->num_vectors;
	info->out_max_regions = le32_to_cpu(caps->max_keys);
	info->out_max_channels = le32_to_cpu(caps->max_cqs);
	info->out_max_queues = le32_to_cpu(caps->max_queues);
	info->out_max_channel_entries = le32_to_cpu(caps->max_cq_entries);
	info->out_max_region_pages = le32_to_cpu(caps->max_key_pages);
	info->out_side = caps->side;
	info->out_function_number = caps->function;
	doca_leave(doca, idx);
	return 0;
}

static int ioctl_engine_info(struct doca_file *file, union doca_cmd *cmd,
			     void __user *reply, size_t size)
{
	struct doca_engine_info *info = &cmd->engine_info;
	const struct doca_hw_engine_caps *caps;
	int idx, err = 0;

	if (info->flags || info->engine >= DOCA_NUM_ENGINES)
		return -EINVAL;
	idx = doca_enter(file);
	if (idx < 0)
		return idx;
	caps = &file->doca->caps.engines[info->engine];
	if (caps->supported) {
		info->out_opcodes = le32_to_cpu(caps->opcodes);
		info->out_max_list_len = le32_to_cpu(caps->max_list_len);
		info->out_max_queue_entries =
			le32_to_cpu(caps->max_queue_entries);
		info->out_max_transfer = le64_to_cpu(caps->max_transfer);
	} else {
		err = -EOPNOTSUPP;
	}
	doca_leave(file->doca, idx);
	return err;
}

static int ioctl_domain_alloc(struct doca_file *file, union doca_cmd *cmd,
			      void __user *reply, size_t size)
{
	struct doca_domain_alloc *alloc = &cmd->domain_alloc;
	struct doca_device *doca = file->doca;
	int idx, domain, err = 0;

	if (alloc->flags || alloc->__reserved)
		return -EINVAL;
	alloc->out_page_size = PAGE_SIZE;
	alloc->out_doorbell_key = (u64)DOCA_KEY_DOORBELL << PAGE_SHIFT;
	alloc->out_status_key = (u64)DOCA_KEY_STATUS << PAGE_SHIFT;
	if (READ_ONCE(file->domain))
		return -EEXIST;
	/* All is known beforehand: nothing can fail once there is a domain. */
	if (copy_to_user(reply, alloc, size))
		return -EFAULT;
	idx = doca_enter(file);
	if (idx < 0)
		return idx;
	mutex_lock(&file->lock);
	if (file->domain) {
		err = -EEXIST;
		goto out;
	}
	if (!file->dummy_page) {
		file->dummy_page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!file->dummy_page) {
			err = -ENOMEM;
			goto out;
		}
	}
	/* Domain 0 is the kernel's. */
	domain = ida_alloc_range(&doca->domains, 1, doca->num_doorbells - 1,
				 GFP_KERNEL_ACCOUNT);
	if (domain < 0)
		err = domain;
	else
		WRITE_ONCE(file->domain, domain);
out:
	mutex_unlock(&file->lock);
	doca_leave(doca, idx);
	return err;
}

static int query_function(struct doca_device *doca, u32 number,
			  struct doca_hw_function *function)
{
	dma_addr_t dma;
	int err;

	dma = dma_map_single(&doca->pdev->dev, function, sizeof(*function),
			     DMA_FROM_DEVICE);
	if (dma_mapping_error(&doca->pdev->dev, dma))
		return -ENOMEM;
	err = doca_admin_query_function(doca, dma, sizeof(*function), number);
	dma_unmap_single(&doca->pdev->dev, dma, sizeof(*function),
			 DMA_FROM_DEVICE);
	if (!err && function->side > DOCA_SIDE_DPU) {
		dev_err_ratelimited(&doca->dev, "function %u on side %u\n",
				    number, function->side);
		err = -EIO;
	}
	return err;
}

static int ioctl_function_info(struct doca_file *file, union doca_cmd *cmd,
			       void __user *reply, size_t size)
{
	struct doca_function_info *info = &cmd->function_info;
	struct doca_hw_function *function;
	int idx, err;

	if (info->flags || info->__reserved ||
	    info->function_number >= DOCA_MAX_FUNCTIONS)
		return -EINVAL;
	function = kzalloc(sizeof(*function), GFP_KERNEL);
	if (!function)
		return -ENOMEM;
	idx = doca_enter(file);
	if (idx < 0) {
		err = idx;
		goto out;
	}
	err = query_function(file->doca, info->function_number, function);
	doca_leave(file->doca, idx);
	if (err)
		goto out;
	info->out_side = function->side;
	info->out_pci_domain = le32_to_cpu(function->pci_domain);
	info->out_pci_bus = function->pci_bus;
	info->out_pci_device = PCI_SLOT(function->pci_devfn);
	info->out_pci_function = PCI_FUNC(function->pci_devfn);
out:
	kfree(function);
	return err;
}

static int ioctl_region_create(struct doca_file *file, union doca_cmd *cmd,
			       void __user *reply, size_t size)
{
	return doca_region_create(file, &cmd->region_create, reply, size);
}

static int ioctl_region_share(struct doca_file *file, union doca_cmd *cmd,
			      void __user *reply, size_t size)
{
	return doca_region_share(file, &cmd->region_share);
}

static int ioctl_region_import(struct doca_file *file, union doca_cmd *cmd,
			       void __user *reply, size_t size)
{
	return doca_region_import(file, &cmd->region_import, reply, size);
}

static int ioctl_channel_create(struct doca_file *file, union doca_cmd *cmd,
				void __user *reply, size_t size)
{
	return doca_channel_create(file, &cmd->channel_create, reply, size);
}

static int ioctl_queue_create(struct doca_file *file, union doca_cmd *cmd,
			      void __user *reply, size_t size)
{
	return doca_queue_create(file, &cmd->queue_create, reply, size);
}

static int ioctl_queue_connect(struct doca_file *file, union doca_cmd *cmd,
			       void __user *reply, size_t size)
{
	return doca_queue_connect(file, &cmd->queue_connect);
}

static int ioctl_queue_stop(struct doca_file *file, union doca_cmd *cmd,
			    void __user *reply, size_t size)
{
	return doca_queue_stop(file, &cmd->queue_stop);
}

static int ioctl_destroy(struct doca_file *file, union doca_cmd *cmd,
			 void __user *reply, size_t size)
{
	return doca_object_destroy(file, cmd->destroy.id);
}

/**
 * struct doca_command - a row of the table of commands
 * @handler: carries it out
 * @size: of its struct, as it is known here
 * @min_size: of its struct, as it was first published
 * @needs_device: ENODEV without; without it, what is there can still be destroyed
 * @needs_domain: ENOTCONN without
 * @replies: the handler has copied the struct back, or has nothing to say
 */
struct doca_command {
	doca_handler handler;
	u16 size;
	u16 min_size;
	bool needs_device;
	bool needs_domain;
	bool replies;
};

#define COMMAND(_cmd, _name, _last, _domain, _replies)			\
	[DOCA_CMD_##_cmd - DOCA_CMD_BASE] = {				\
		.handler = ioctl_##_name,				\
		.size = sizeof(struct doca_##_name) +			\
			BUILD_BUG_ON_ZERO(DOCA_IOCTL_##_cmd !=		\
					  _IO(DOCA_IOCTL_TYPE,		\
					      DOCA_CMD_##_cmd)),	\
		.min_size = offsetofend(struct doca_##_name, _last),	\
		.needs_device = DOCA_CMD_##_cmd != DOCA_CMD_DESTROY,	\
		.needs_domain = _domain,				\
		.replies = _replies,					\
	}

static const struct doca_command doca_commands[] = {
	COMMAND(DEVICE_INFO, device_info, out_max_region_pages, false, false),
	COMMAND(ENGINE_INFO, engine_info, out_max_transfer, false, false),
	COMMAND(DOMAIN_ALLOC, domain_alloc, out_status_key, false, true),
	COMMAND(REGION_CREATE, region_create, out_num_pages, true, true),
	COMMAND(CHANNEL_CREATE, channel_create, out_ring_size, true, true),
	COMMAND(QUEUE_CREATE, queue_create, out_ring_size, true, true),
	COMMAND(QUEUE_CONNECT, queue_connect, __reserved, true, true),
	COMMAND(QUEUE_STOP, queue_stop, __reserved, true, true),
	COMMAND(DESTROY, destroy, id, true, true),
	COMMAND(REGION_SHARE, region_share, out_token, true, false),
	COMMAND(REGION_IMPORT, region_import, out_mkey, true, true),
	COMMAND(FUNCTION_INFO, function_info, __reserved, false, false),
};

static bool file_alive(struct doca_file *file)
{
	int idx = doca_enter(file);

	if (idx < 0)
		return false;
	doca_leave(file->doca, idx);
	return true;
}

static long doca_ioctl(struct file *filp, unsigned int nr, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct doca_file *file = filp->private_data;
	const struct doca_command *command;
	union doca_cmd cmd = { };
	u32 size;
	int err;

	if (_IOC_TYPE(nr) != DOCA_IOCTL_TYPE || _IOC_NR(nr) < DOCA_CMD_BASE ||
	    _IOC_NR(nr) - DOCA_CMD_BASE >= ARRAY_SIZE(doca_commands) ||
	    nr != _IO(DOCA_IOCTL_TYPE, _IOC_NR(nr)))
		return -ENOTTY;
	if (file->mm != current->mm)
		return -EPERM;
	command = &doca_commands[_IOC_NR(nr) - DOCA_CMD_BASE];
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < command->min_size) {
		dev_dbg(&file->doca->dev, "command %#x: size %u, at least %u\n",
			_IOC_NR(nr), size, command->min_size);
		return -EINVAL;
	}
	err = copy_struct_from_user(&cmd, command->size, user, size);
	if (err)
		return err;
	/* What was checked may have been changed in between. */
	cmd.size = size;
	/* Whatever else is wrong, a device that is gone comes first. */
	if (command->needs_device && !file_alive(file))
		return -ENODEV;
	if (command->needs_domain && !READ_ONCE(file->domain))
		return -ENOTCONN;
	size = min_t(u32, size, command->size);
	err = command->handler(file, &cmd, user, size);
	if (!err && !command->replies && copy_to_user(user, &cmd, size))
		err = -EFAULT;
	return err;
}

static vm_fault_t doorbell_fault(struct vm_fault *vmf)
{
	struct doca_file *file = vmf->vma->vm_file->private_data;
	struct doca_device *doca = file->doca;
	phys_addr_t addr;
	vm_fault_t ret;
	int idx;

	idx = doca_enter(file);
	if (idx < 0)
		/* The device is gone; what is stored goes nowhere. */
		return vmf_insert_pfn(vmf->vma, vmf->address,
				      page_to_pfn(file->dummy_page));
	addr = doca->doorbell_phys +
	       ((phys_addr_t)file->domain << doca->doorbell_shift);
	ret = vmf_insert_pfn(vmf->vma, vmf->address, addr >> PAGE_SHIFT);
	doca_leave(doca, idx);
	return ret;
}

static int doca_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static int doca_vma_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static const struct vm_operations_struct doorbell_vm_ops = {
	.fault = doorbell_fault,
	.may_split = doca_vma_may_split,
	.mremap = doca_vma_mremap,
};

static const struct vm_operations_struct ring_vm_ops = {
	.may_split = doca_vma_may_split,
	.mremap = doca_vma_mremap,
};

static int mmap_doorbell(struct doca_file *file, struct vm_area_struct *vma)
{
	if (vma_pages(vma) != 1 || !READ_ONCE(file->domain) ||
	    vma->vm_flags & VM_READ || !(vma->vm_flags & VM_WRITE))
		return -EINVAL;
	vm_flags_mod(vma, VM_PFNMAP | VM_IO | VM_DONTCOPY | VM_DONTEXPAND |
		     VM_DONTDUMP, VM_MAYREAD | VM_MAYEXEC);
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	vma->vm_ops = &doorbell_vm_ops;
	return 0;
}

static int mmap_status(struct doca_file *file, struct vm_area_struct *vma)
{
	if (vma_pages(vma) != 1 || !READ_ONCE(file->domain) ||
	    vma->vm_flags & VM_WRITE)
		return -EINVAL;
	vm_flags_mod(vma, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_ops = &ring_vm_ops;
	return vm_insert_page(vma, vma->vm_start, file->status_page);
}

static int doca_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct doca_file *file = filp->private_data;
	int err;

	if (file->mm != current->mm)
		return -EPERM;
	if (!file_alive(file))
		return -ENODEV;
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	switch (vma->vm_pgoff) {
	case DOCA_KEY_DOORBELL:
		return mmap_doorbell(file, vma);
	case DOCA_KEY_STATUS:
		return mmap_status(file, vma);
	default:
		err = doca_ring_mmap(file, vma);
		if (!err)
			vma->vm_ops = &ring_vm_ops;
		return err;
	}
}

static int doca_open(struct inode *inode, struct file *filp)
{
	struct doca_device *doca = container_of(inode->i_cdev,
						struct doca_device, cdev);
	struct doca_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	file->doca = doca;
	file->filp = filp;
	mutex_init(&file->lock);
	xa_init_flags(&file->objects, XA_FLAGS_ALLOC1);
	INIT_LIST_HEAD(&file->built);
	xa_init_flags(&file->rings, XA_FLAGS_ALLOC);

	mutex_lock(&doca->files_lock);
	if (!doca->up) {
		mutex_unlock(&doca->files_lock);
		kfree(file);
		return -ENODEV;
	}
	file->generation = doca->generation;
	file->status_page = doca->status_page;
	get_page(file->status_page);
	list_add(&file->node, &doca->files);
	atomic_inc(&doca->num_files);
	mutex_unlock(&doca->files_lock);

	get_device(&doca->dev);
	/* Kept, so that another mm cannot have the same address later. */
	mmgrab(current->mm);
	file->mm = current->mm;
	filp->private_data = file;
	return nonseekable_open(inode, filp);
}

/*
 * The file is done with the device, or the other way round: with files_lock.
 * Its doorbells go to its dummy page from the next fault on.
 */
void doca_file_gone(struct doca_file *file)
{
	lockdep_assert_held(&file->doca->files_lock);

	if (file->gone)
		return;
	file->gone = true;
	unmap_mapping_range(file->filp->f_mapping,
			    (loff_t)DOCA_KEY_DOORBELL << PAGE_SHIFT, PAGE_SIZE,
			    1);
	doca_objects_detach(file);
	if (file->domain)
		ida_free(&file->doca->domains, file->domain);
}

static int doca_release(struct inode *inode, struct file *filp)
{
	struct doca_file *file = filp->private_data;
	struct doca_device *doca = file->doca;
	int idx;

	/*
	 * What is in flight ends before its memory is unpinned. If the device is
	 * up, that takes commands, for which nobody else should have to wait. If
	 * it is going down, either that has come to this file already, or the
	 * file goes first, and commands wait until the device is quiet.
	 */
	idx = doca_enter(file);
	if (idx >= 0) {
		doca_objects_detach(file);
		doca_leave(doca, idx);
	}
	mutex_lock(&doca->files_lock);
	doca_file_gone(file);
	list_del(&file->node);
	atomic_dec(&doca->num_files);
	mutex_unlock(&doca->files_lock);

	doca_objects_free(file);
	xa_destroy(&file->objects);
	xa_destroy(&file->rings);
	if (file->dummy_page)
		__free_page(file->dummy_page);
	put_page(file->status_page);
	mmdrop(file->mm);
	mutex_destroy(&file->lock);
	kfree(file);
	put_device(&doca->dev);
	return 0;
}

const struct file_operations doca_fops = {
	.owner = THIS_MODULE,
	.open = doca_open,
	.release = doca_release,
	.unlocked_ioctl = doca_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = doca_mmap,
};
