// SPDX-License-Identifier: MIT
/*
 * The network between the DPUs, and the cards that they are functions of: all
 * devices of this process, by address.
 */
#include <string.h>
#include "dpu_priv.h"

static pthread_mutex_t fabric_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fabric_changed = PTHREAD_COND_INITIALIZER;
static struct dpu *fabric;		/* under fabric_lock */

static struct dpu *fabric_find(const struct doca_gid *gid)
{
	struct dpu *dpu;

	for (dpu = fabric; dpu; dpu = dpu->fabric_next)
		if (!memcmp(&dpu->gid, gid, sizeof(*gid)))
			break;
	return dpu;
}

bool fabric_add(struct dpu *dpu)
{
	bool added = false;

	pthread_mutex_lock(&fabric_lock);
	if (!fabric_find(&dpu->gid)) {
		dpu->fabric_next = fabric;
		fabric = dpu;
		added = true;
	}
	pthread_mutex_unlock(&fabric_lock);
	return added;
}

/* Returns when no peer has a hold on the device. */
void fabric_remove(struct dpu *dpu)
{
	struct dpu **p;

	pthread_mutex_lock(&fabric_lock);
	for (p = &fabric; *p; p = &(*p)->fabric_next) {
		if (*p == dpu) {
			*p = dpu->fabric_next;
			break;
		}
	}
	while (dpu->fabric_users)
		pthread_cond_wait(&fabric_changed, &fabric_lock);
	pthread_mutex_unlock(&fabric_lock);
}

struct dpu *fabric_get(const struct doca_gid *gid)
{
	struct dpu *dpu;

	pthread_mutex_lock(&fabric_lock);
	dpu = fabric_find(gid);
	if (dpu)
		dpu->fabric_users++;
	pthread_mutex_unlock(&fabric_lock);
	return dpu;
}

/* A function of the same card. */
struct dpu *fabric_get_function(const struct dpu *dpu, uint32_t function)
{
	struct dpu *d;

	pthread_mutex_lock(&fabric_lock);
	for (d = fabric; d; d = d->fabric_next)
		if (d->config.serial == dpu->config.serial &&
		    d->config.function == function)
			break;
	if (d)
		d->fabric_users++;
	pthread_mutex_unlock(&fabric_lock);
	return d;
}

void fabric_put(struct dpu *dpu)
{
	pthread_mutex_lock(&fabric_lock);
	if (!--dpu->fabric_users)
		pthread_cond_broadcast(&fabric_changed);
	pthread_mutex_unlock(&fabric_lock);
}
