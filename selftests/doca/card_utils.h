/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card with functions of both sides: finding it, sharing and importing.
 */
#ifndef _CARD_UTILS_H
#define _CARD_UTILS_H

#include "doca_utils.h"

static char host_node[32], dpu_node[32];
static struct doca_device_info host_info, dpu_info;

/* Two nodes with the same serial number, one of each side. */
static inline bool find_card(void)
{
	struct doca_device_info info[16] = {};
	int fd, i, j;

	for (i = 0; i < ARRAY_SIZE(info); i++) {
		snprintf(host_node, sizeof(host_node), "/dev/doca/%d", i);
		fd = open(host_node, O_RDWR | O_CLOEXEC);
		if (fd < 0 || do_device_info(fd, &info[i]))
			info[i].out_serial = 0;
		if (fd >= 0)
			close(fd);
	}
	for (i = 0; i < ARRAY_SIZE(info); i++) {
		for (j = 0; j < ARRAY_SIZE(info); j++) {
			if (!info[i].out_serial || info[i].out_serial != info[j].out_serial ||
			    info[i].out_side != DOCA_SIDE_HOST || info[j].out_side != DOCA_SIDE_DPU)
				continue;
			host_info = info[i];
			dpu_info = info[j];
			snprintf(host_node, sizeof(host_node), "/dev/doca/%d", i);
			snprintf(dpu_node, sizeof(dpu_node), "/dev/doca/%d", j);
			return true;
		}
	}
	return false;
}

static inline int do_share(int fd, __u32 id, __u8 *token)
{
	struct doca_region_share arg = { .size = sizeof(arg), .region_id = id };
	int err = do_ioctl(fd, DOCA_IOCTL_REGION_SHARE, &arg);

	if (!err)
		memcpy(token, arg.out_token, sizeof(arg.out_token));
	return err;
}

static inline int do_import(int fd, __u32 function, __u32 mkey, const __u8 *token,
		     struct doca_region_import *arg)
{
	*arg = (struct doca_region_import) {
		.size = sizeof(*arg),
		.function_number = function,
		.remote_mkey = mkey,
	};
	memcpy(arg->token, token, sizeof(arg->token));
	return do_ioctl(fd, DOCA_IOCTL_REGION_IMPORT, arg);
}

#endif /* _CARD_UTILS_H */
