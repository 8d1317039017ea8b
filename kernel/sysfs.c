// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/doca/doca<n>/: what the device is, and what is in use.
 */
#include "doca.h"

static struct doca_device *to_doca(struct device *dev)
{
	return container_of(dev, struct doca_device, dev);
}

static ssize_t model_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%.*s\n", DOCA_MODEL_NAME_LEN,
			  to_doca(dev)->caps.model);
}
static DEVICE_ATTR_RO(model);

static ssize_t serial_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%#llx\n",
			  le64_to_cpu(to_doca(dev)->caps.serial));
}
static DEVICE_ATTR_RO(serial);

static ssize_t state_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  READ_ONCE(to_doca(dev)->up) ? "up" : "down");
}
static DEVICE_ATTR_RO(state);

#define COUNTER(_name, _member)						\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%d\n",					\
			  atomic_read(&to_doca(dev)->_member));		\
}									\
static DEVICE_ATTR_RO(_name)

COUNTER(files, num_files);
COUNTER(regions, keys.used);
COUNTER(channels, cqs.used);
COUNTER(queues, queues.used);
COUNTER(unexpected, unexpected);

static struct attribute *doca_attrs[] = {
	&dev_attr_model.attr,
	&dev_attr_serial.attr,
	&dev_attr_state.attr,
	&dev_attr_files.attr,
	&dev_attr_regions.attr,
	&dev_attr_channels.attr,
	&dev_attr_queues.attr,
	&dev_attr_unexpected.attr,
	NULL
};

static const struct attribute_group doca_group = {
	.attrs = doca_attrs,
};

const struct attribute_group *doca_groups[] = {
	&doca_group,
	NULL
};
