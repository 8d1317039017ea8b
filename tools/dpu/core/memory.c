// SPDX-License-Identifier: MIT
/*
 * Bus addresses, page lists, keys.
 */
#include <stdlib.h>
#include <string.h>
#include "dpu_priv.h"

void *dpu_map(struct dpu *dpu, uint64_t iova, size_t *len, bool write)
{
	if (chaos(dpu, CHAOS_DMA_FAULT))
		return NULL;
	if (chaos(dpu, CHAOS_DMA_BAR))
		iova = dpu->ops->bar(dpu->opaque);
	return dpu->ops->map(dpu->opaque, iova, len, write);
}

void dpu_unmap(struct dpu *dpu, void *p, size_t len, bool write, size_t done)
{
	dpu->ops->unmap(dpu->opaque, p, len, write, done);
}

bool dpu_read(struct dpu *dpu, uint64_t iova, void *buf, size_t len)
{
	while (len) {
		size_t n = len;
		void *p = dpu_map(dpu, iova, &n, false);

		if (!p)
			return false;
		memcpy(buf, p, n);
		dpu_unmap(dpu, p, n, false, 0);
		iova += n;
		buf = (char *)buf + n;
		len -= n;
	}
	return true;
}

bool dpu_write(struct dpu *dpu, uint64_t iova, const void *buf, size_t len)
{
	while (len) {
		size_t n = len;
		void *p = dpu_map(dpu, iova, &n, true);

		if (!p)
			return false;
		memcpy(p, buf, n);
		dpu_unmap(dpu, p, n, true, n);
		iova += n;
		buf = (const char *)buf + n;
		len -= n;
	}
	return true;
}

/*
 * Writes an entry of a ring, whose last eight bytes hold its phase. They go
 * last, in one aligned store: who sees the phase sees the entry.
 */
bool ring_write(struct dpu *dpu, uint64_t iova, const void *entry, size_t size)
{
	uint64_t tail;
	size_t n = size;
	char *p = dpu_map(dpu, iova, &n, true);

	if (!p || n < size) {
		if (p)
			dpu_unmap(dpu, p, n, true, 0);
		return false;
	}
	memcpy(&tail, (const char *)entry + size - 8, 8);
	memcpy(p, entry, size - 8);
	atomic_store_explicit((_Atomic uint64_t *)(p + size - 8), tail,
			      memory_order_release);
	dpu_unmap(dpu, p, n, true, size);
	return true;
}

/* Fills addr[0..count) from the block (levels > 0) or page (0) at @root. */
static bool pages_walk(struct dpu *dpu, uint64_t root, unsigned int levels,
		       uint64_t *addr, uint64_t count)
{
	uint64_t block[DOCA_LIST_BLOCK_ENTRIES];
	uint64_t per_entry = 1;
	uint64_t i, n;

	if (!levels) {
		*addr = root;
		return true;
	}
	for (i = 1; i < levels; i++)
		per_entry *= DOCA_LIST_BLOCK_ENTRIES;
	n = (count + per_entry - 1) / per_entry;
	if (!dpu_read(dpu, root, block, n * sizeof(block[0])))
		return false;
	for (i = 0; i < n; i++) {
		uint64_t part = count - i * per_entry;

		if (part > per_entry)
			part = per_entry;
		if (!pages_walk(dpu, le64toh(block[i]), levels - 1,
				addr + i * per_entry, part))
			return false;
	}
	return true;
}

/*
 * Copies a page list that has to cover @bytes bytes. Called without the lock:
 * reading the list is DMA.
 */
uint8_t pages_copy(struct dpu *dpu, struct pages *pages,
		   const struct doca_hw_pages *desc, uint32_t max_pages,
		   uint64_t bytes)
{
	uint32_t num = le32toh(desc->num_pages);
	uint64_t reach = 1, size, covered;
	uint32_t i;

	if (!num || num > max_pages || desc->page_shift < 12 ||
	    desc->page_shift > 63 || desc->levels > DOCA_LIST_MAX_LEVELS ||
	    desc->reserved[0] || desc->reserved[1] || !bytes)
		return DOCA_ADMIN_BAD_FIELD;
	for (i = 0; i < desc->levels; i++)
		reach *= DOCA_LIST_BLOCK_ENTRIES;
	if (num > reach)
		return DOCA_ADMIN_BAD_FIELD;
	/* More than 2^64 bytes cover anything. */
	if (!__builtin_mul_overflow((uint64_t)num, 1ULL << desc->page_shift,
				    &covered) && covered < bytes)
		return DOCA_ADMIN_BAD_FIELD;

	size = (uint64_t)num * sizeof(pages->addr[0]);
	pthread_mutex_lock(&dpu->lock);
	if (size > dpu->model.max_memory - dpu->memory) {
		pthread_mutex_unlock(&dpu->lock);
		return DOCA_ADMIN_NO_RESOURCES;
	}
	dpu->memory += size;
	pthread_mutex_unlock(&dpu->lock);

	pages->num = num;
	pages->shift = desc->page_shift;
	pages->addr = malloc(size);
	if (!pages->addr) {
		pages_free(dpu, pages);
		return DOCA_ADMIN_NO_RESOURCES;
	}
	if (!pages_walk(dpu, le64toh(desc->root), desc->levels, pages->addr,
			num)) {
		pages_free(dpu, pages);
		return DOCA_ADMIN_BUS_ERROR;
	}
	for (i = 0; i < num; i++) {
		if (pages->addr[i] & ((1ULL << pages->shift) - 1)) {
			pages_free(dpu, pages);
			return DOCA_ADMIN_BAD_FIELD;
		}
	}
	return DOCA_ADMIN_OK;
}

void pages_free(struct dpu *dpu, struct pages *pages)
{
	free(pages->addr);
	pthread_mutex_lock(&dpu->lock);
	dpu->memory -= (uint64_t)pages->num * sizeof(pages->addr[0]);
	pthread_mutex_unlock(&dpu->lock);
	memset(pages, 0, sizeof(*pages));
}

/* Bus address of byte @offset, and in *@left how far its page goes. */
uint64_t pages_iova(const struct pages *pages, uint64_t offset, uint64_t *left)
{
	uint64_t size = 1ULL << pages->shift;
	uint64_t in = offset & (size - 1);

	*left = size - in;
	return pages->addr[offset >> pages->shift] + in;
}

uint8_t key_create(struct dpu *dpu, const struct doca_admin_create_key *cmd)
{
	uint32_t mkey = le32toh(cmd->mkey);
	uint32_t index = mkey >> DOCA_HANDLE_GEN_BITS;
	uint64_t addr = le64toh(cmd->addr);
	uint64_t length = le64toh(cmd->length);
	uint64_t offset = le64toh(cmd->offset);
	uint64_t last, bytes;
	struct key *key;
	uint8_t status;

	if (index >= dpu->model.max_keys ||
	    le32toh(cmd->domain) >= dpu->config.doorbells ||
	    le32toh(cmd->access) & ~DOCA_KEY_ACCESS_ALL || cmd->reserved ||
	    !length || __builtin_add_overflow(addr, length - 1, &last) ||
	    __builtin_add_overflow(offset, length, &bytes) ||
	    cmd->pages.page_shift > 63 || offset >> cmd->pages.page_shift)
		return DOCA_ADMIN_BAD_FIELD;
	/* Only this thread adds or removes keys. */
	if (dpu->keys[index])
		return DOCA_ADMIN_EXISTS;
	key = calloc(1, sizeof(*key));
	if (!key)
		return DOCA_ADMIN_NO_RESOURCES;
	status = pages_copy(dpu, &key->pages, &cmd->pages,
			    dpu->model.max_key_pages, bytes);
	if (status) {
		free(key);
		return status;
	}
	key->mkey = mkey;
	key->domain = le32toh(cmd->domain);
	key->access = le32toh(cmd->access);
	key->addr = addr;
	key->length = length;
	key->offset = offset;
	pthread_mutex_lock(&dpu->lock);
	dpu->keys[index] = key;
	pthread_mutex_unlock(&dpu->lock);
	return DOCA_ADMIN_OK;
}

/* Under the lock. */
static struct key *key_find(struct dpu *dpu, uint32_t mkey)
{
	uint32_t index = mkey >> DOCA_HANDLE_GEN_BITS;
	struct key *key;

	if (index >= dpu->model.max_keys)
		return NULL;
	key = dpu->keys[index];
	return key && key->mkey == mkey ? key : NULL;
}

/* In a time that does not tell how much of it is right. */
static bool same_token(const uint8_t *a, const uint8_t *b)
{
	uint8_t diff = 0;
	unsigned int i;

	for (i = 0; i < DOCA_TOKEN_LEN; i++)
		diff |= a[i] ^ b[i];
	return !diff;
}

uint8_t key_share(struct dpu *dpu, const struct doca_admin_share_key *cmd)
{
	uint8_t status = DOCA_ADMIN_OK;
	struct key *key;

	if (cmd->reserved || dpu->config.dpu_side)
		return DOCA_ADMIN_BAD_FIELD;
	pthread_mutex_lock(&dpu->lock);
	key = key_find(dpu, le32toh(cmd->mkey));
	if (!key) {
		status = DOCA_ADMIN_BAD_HANDLE;
	} else if (!(key->access & (DOCA_KEY_PCI_READ | DOCA_KEY_PCI_WRITE)) ||
		   (key->shared && !same_token(key->token, cmd->token))) {
		status = DOCA_ADMIN_BAD_STATE;
	} else {
		memcpy(key->token, cmd->token, sizeof(key->token));
		key->shared = true;
	}
	pthread_mutex_unlock(&dpu->lock);
	return status;
}

/* Under the lock. NULL: no such key, or it is not shared with this token. */
struct key *key_get_shared(struct dpu *dpu, uint32_t mkey, const uint8_t *token)
{
	struct key *key = key_find(dpu, mkey);

	if (!key || !key->shared || !same_token(key->token, token) ||
	    atomic_load(&key->dying))
		return NULL;
	key->refs++;
	return key;
}

uint8_t key_import(struct dpu *dpu, const struct doca_admin_import_key *cmd)
{
	uint32_t mkey = le32toh(cmd->mkey), remote_mkey = le32toh(cmd->remote_mkey);
	uint32_t index = mkey >> DOCA_HANDLE_GEN_BITS;
	struct dpu *other;
	struct key *key;

	if (index >= dpu->model.max_keys || !dpu->config.dpu_side ||
	    le32toh(cmd->domain) >= dpu->config.doorbells || cmd->reserved[0] ||
	    cmd->reserved[1] || cmd->reserved[2])
		return DOCA_ADMIN_BAD_FIELD;
	/* Only this thread adds or removes keys. */
	if (dpu->keys[index])
		return DOCA_ADMIN_EXISTS;
	/* Looked for now as well, so that the wrong token is noticed early. */
	other = fabric_get_function(dpu, cmd->function);
	if (!other)
		return DOCA_ADMIN_NOT_FOUND;
	pthread_mutex_lock(&other->lock);
	key = key_get_shared(other, remote_mkey, cmd->token);
	if (key)
		key_put(other, key);
	pthread_mutex_unlock(&other->lock);
	fabric_put(other);
	if (!key)
		return DOCA_ADMIN_NOT_FOUND;

	key = calloc(1, sizeof(*key));
	if (!key)
		return DOCA_ADMIN_NO_RESOURCES;
	key->mkey = mkey;
	key->domain = le32toh(cmd->domain);
	key->imported = true;
	key->function = cmd->function;
	key->remote_mkey = remote_mkey;
	memcpy(key->token, cmd->token, sizeof(key->token));
	pthread_mutex_lock(&dpu->lock);
	dpu->keys[index] = key;
	pthread_mutex_unlock(&dpu->lock);
	return DOCA_ADMIN_OK;
}

uint8_t key_destroy(struct dpu *dpu, uint32_t mkey)
{
	struct key *key;

	pthread_mutex_lock(&dpu->lock);
	key = key_find(dpu, mkey);
	if (!key) {
		pthread_mutex_unlock(&dpu->lock);
		return DOCA_ADMIN_BAD_HANDLE;
	}
	dpu->keys[mkey >> DOCA_HANDLE_GEN_BITS] = NULL;
	atomic_store(&key->dying, true);
	while (key->refs)
		pthread_cond_wait(&dpu->changed, &dpu->lock);
	pthread_mutex_unlock(&dpu->lock);
	pages_free(dpu, &key->pages);
	free(key);
	return DOCA_ADMIN_OK;
}

/* Under the lock. NULL: @domain has no such key. */
struct key *key_get(struct dpu *dpu, uint32_t mkey, uint32_t domain)
{
	struct key *key = key_find(dpu, mkey);

	if (!key || key->domain != domain || atomic_load(&key->dying))
		return NULL;
	key->refs++;
	return key;
}

/* Under the lock. */
void key_put(struct dpu *dpu, struct key *key)
{
	if (!--key->refs && atomic_load(&key->dying))
		pthread_cond_broadcast(&dpu->changed);
}
