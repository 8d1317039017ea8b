// SPDX-License-Identifier: MIT
/*
 * Representors: what the DPU's side of a card knows of the host's functions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/**
 * struct doca_devinfo_rep - what is known of a function of the host
 * @dev: device of the DPU that told
 * @info: what it told
 * @pci_addr: in the long form
 */
struct doca_devinfo_rep {
	struct doca_dev *dev;
	struct doca_function_info info;
	char pci_addr[LIB_PCI_ADDR_LEN];
};

struct doca_dev_rep {
	struct doca_devinfo_rep devinfo;
};

/**
 * struct rep_list - a list; the application has the array
 * @dev: device that it is of
 * @count: elements
 * @reps: their memory
 * @array: NULL-terminated
 */
struct rep_list {
	struct doca_dev *dev;
	uint32_t count;
	struct doca_devinfo_rep reps[DOCA_MAX_FUNCTIONS];
	struct doca_devinfo_rep *array[DOCA_MAX_FUNCTIONS + 1];
};

static doca_error_t list_add(struct rep_list *list, unsigned int number)
{
	struct doca_devinfo_rep *rep = &list->reps[list->count];
	struct doca_function_info *info = &rep->info;
	int err;

	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	info->function_number = number;
	err = lib_dev_ioctl(list->dev, DOCA_IOCTL_FUNCTION_INFO, info);
	if (err == -ENOENT || (!err && info->out_side != DOCA_SIDE_HOST))
		return DOCA_SUCCESS;
	if (err) {
		lib_err("%s: function %u of the card: %s",
			list->dev->devinfo.pci_addr, number, strerror(-err));
		return err == -ENOMEM ? DOCA_ERROR_NO_MEMORY :
					DOCA_ERROR_DRIVER;
	}
	rep->dev = list->dev;
	snprintf(rep->pci_addr, sizeof(rep->pci_addr), "%04x:%02x:%02x.%x",
		 info->out_pci_domain & 0xffff, info->out_pci_bus,
		 info->out_pci_device & 0x1f, info->out_pci_function & 7);
	list->array[list->count++] = rep;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	doca_error_t result = DOCA_SUCCESS;
	struct rep_list *list;
	unsigned int i;

	if (!dev || !dev_list_rep || !nb_devs_rep ||
	    filter & ~(DOCA_DEVINFO_REP_FILTER_NET |
		       DOCA_DEVINFO_REP_FILTER_EMULATED))
		return DOCA_ERROR_INVALID_VALUE;
	*dev_list_rep = NULL;
	*nb_devs_rep = 0;
	if (dev->devinfo.info.out_side != DOCA_SIDE_DPU) {
		lib_err("%s is a function of the host: only those of the DPU have representors",
			dev->devinfo.pci_addr);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (filter == DOCA_DEVINFO_REP_FILTER_EMULATED) {
		lib_err("%s has no emulated devices", dev->devinfo.pci_addr);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	list = calloc(1, sizeof(*list));
	if (!list)
		return DOCA_ERROR_NO_MEMORY;
	list->dev = dev;
	for (i = 0; i < DOCA_MAX_FUNCTIONS && result == DOCA_SUCCESS; i++)
		result = list_add(list, i);
	if (result != DOCA_SUCCESS) {
		free(list);
		return result;
	}
	lib_dev_get(dev);
	*dev_list_rep = list->array;
	*nb_devs_rep = list->count;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
	struct rep_list *list;

	if (!dev_list_rep)
		return DOCA_ERROR_INVALID_VALUE;
	list = lib_container_of(dev_list_rep, struct rep_list, array);
	lib_dev_put(list->dev);
	free(list);
	return DOCA_SUCCESS;
}

static doca_error_t has_reps(const struct doca_devinfo *devinfo, uint8_t *answer)
{
	if (!devinfo || !answer)
		return DOCA_ERROR_INVALID_VALUE;
	*answer = devinfo->info.out_side == DOCA_SIDE_DPU;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
					     uint8_t *filter_all_supported)
{
	return has_reps(devinfo, filter_all_supported);
}

doca_error_t
doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
					     uint8_t *filter_net_supported)
{
	return has_reps(devinfo, filter_net_supported);
}

doca_error_t
doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
						  uint8_t *filter_emulated_supported)
{
	if (!devinfo || !filter_emulated_supported)
		return DOCA_ERROR_INVALID_VALUE;
	*filter_emulated_supported = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep,
				       char *rep_vuid, uint32_t size)
{
	if (!devinfo_rep || !rep_vuid || size < DOCA_DEVINFO_REP_VUID_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	snprintf(rep_vuid, size, "DOCA%016llXF%u",
		 (unsigned long long)devinfo_rep->dev->devinfo.info.out_serial,
		 devinfo_rep->info.function_number);
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
				  char *pci_addr_str)
{
	if (!devinfo_rep || !pci_addr_str)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(pci_addr_str, devinfo_rep->pci_addr,
	       DOCA_DEVINFO_REP_PCI_ADDR_SIZE);
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
				   const char *pci_addr_str, uint8_t *is_equal)
{
	if (!devinfo_rep || !pci_addr_str || !is_equal)
		return DOCA_ERROR_INVALID_VALUE;
	return lib_pci_addr_is_equal(devinfo_rep->pci_addr, pci_addr_str,
				     is_equal);
}

doca_error_t
doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
				   enum doca_pci_func_type *pci_func_type)
{
	if (!devinfo_rep || !pci_func_type)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = DOCA_PCI_FUNC_TYPE_PF;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
				uint8_t *is_hotplug)
{
	if (!devinfo_rep || !is_hotplug)
		return DOCA_ERROR_INVALID_VALUE;
	*is_hotplug = 0;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
				char *iface_name, uint32_t size)
{
	if (!devinfo_rep || !iface_name || size < DOCA_DEVINFO_IFACE_NAME_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	snprintf(iface_name, size, "pf%uhpf", devinfo_rep->info.function_number);
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
			     uint16_t *vhca_id)
{
	if (!devinfo_rep || !vhca_id)
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = devinfo_rep->info.function_number;
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo,
			       struct doca_dev_rep **dev_rep)
{
	struct doca_dev_rep *new;

	if (!devinfo || !dev_rep)
		return DOCA_ERROR_INVALID_VALUE;
	new = malloc(sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->devinfo = *devinfo;
	lib_dev_get(devinfo->dev);
	*dev_rep = new;
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev)
{
	if (!dev)
		return DOCA_ERROR_INVALID_VALUE;
	lib_dev_put(dev->devinfo.dev);
	free(dev);
	return DOCA_SUCCESS;
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
	return dev_rep ? &dev_rep->devinfo : NULL;
}
