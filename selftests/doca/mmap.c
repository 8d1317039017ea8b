// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every rule of mmap() on /dev/doca/<n>: keys, sizes, protections; what
 * mremap, munmap, mprotect, fork, destroy and close may do to a mapping.
 */
#include "doca_utils.h"

FIXTURE(mmap) {
	struct baseline base;
	struct rig rig;
	size_t page;
	/* all four kinds */
	struct kind {
		const char *name;
		__u64 key;
		size_t size;
		int prot;
		char *mapped;
	} kinds[4];
};

#define BIG_ENTRIES	256	/* rings of several pages */

FIXTURE_SETUP(mmap)
{
	struct rig *rig = &self->rig;

	baseline_take(&self->base);
	self->page = page_size();
	ASSERT_EQ(0, rig_open(rig, DOCA_ENGINE_DMA, BIG_ENTRIES));
	ASSERT_LT(self->page, rig->queue.ring_size);
	ASSERT_LT(self->page, rig->chan.ring_size);
	self->kinds[0] = (struct kind) { "doorbell page", rig->dom.doorbell_key,
		rig->dom.page_size, PROT_WRITE, rig->dom.doorbell };
	self->kinds[1] = (struct kind) { "status page", rig->dom.status_key,
		rig->dom.page_size, PROT_READ, (char *)rig->dom.status };
	self->kinds[2] = (struct kind) { "completion ring", rig->chan.ring_key,
		rig->chan.ring_size, PROT_READ, (char *)rig->chan.ring };
	self->kinds[3] = (struct kind) { "submission ring", rig->queue.ring_key,
		rig->queue.ring_size, PROT_READ | PROT_WRITE, (char *)rig->queue.ring };
}

FIXTURE_TEARDOWN(mmap)
{
	/* nothing that was tried has broken the path */
	if (_metadata->passed && self->rig.queue.ring)
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, 100),
						rig_dst(&self->rig, 0, 100)));
	rig_close(&self->rig);
	EXPECT_BASELINE(&self->base);
}

#define FOR_EACH_KIND(k) \
	for (k = self->kinds; k < self->kinds + ARRAY_SIZE(self->kinds); k++)

/* errno of a mapping that must not work; 0 if it did. */
static int map_error(int fd, __u64 key, size_t size, int prot, int flags)
{
	void *p = mmap(NULL, size, prot, flags, fd, key);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, size);
	return 0;
}

TEST_F(mmap, sizes_other_than_the_given_one_fail)
{
	struct kind *k;

	FOR_EACH_KIND(k) {
		EXPECT_EQ(EINVAL, map_error(self->rig.dom.fd, k->key, 0, k->prot, MAP_SHARED))
			TH_LOG("%s, 0 bytes", k->name);
		EXPECT_EQ(EINVAL, map_error(self->rig.dom.fd, k->key, k->size + self->page,
					    k->prot, MAP_SHARED))
			TH_LOG("%s, a page more", k->name);
		EXPECT_EQ(EINVAL, map_error(self->rig.dom.fd, k->key, k->size * 2,
					    k->prot, MAP_SHARED))
			TH_LOG("%s, twice the size", k->name);
		if (k->size > self->page) {
			EXPECT_EQ(EINVAL, map_error(self->rig.dom.fd, k->key,
						    k->size - self->page, k->prot, MAP_SHARED))
				TH_LOG("%s, a page less", k->name);
			EXPECT_EQ(EINVAL, map_error(self->rig.dom.fd, k->key,
						    self->page, k->prot, MAP_SHARED))
				TH_LOG("%s, one page", k->name);
		}
		EXPECT_NE(0, map_error(self->rig.dom.fd, k->key, 1UL << 46, k->prot, MAP_SHARED))
			TH_LOG("%s, 64 TiB", k->name);
	}
}

static bool is_a_key(struct kind *kinds, int num, __u64 key)
{
	int i;

	for (i = 0; i < num; i++)
		if (kinds[i].key == key)
			return true;
	return false;
}

/* B47 */
TEST_F(mmap, offsets_other_than_the_keys_fail)
{
	__u64 far[] = { 1ULL << 40, 1ULL << 52, 1ULL << 62, 1ULL << 63,
			-(__u64)self->page };
	struct kind *k;
	__u64 key;
	int i;

	FOR_EACH_KIND(k) {
		__u64 near[] = { k->key + self->page, k->key - self->page,
				 k->key + k->size, k->key + k->size - self->page,
				 k->key ^ 1ULL << 31, k->key ^ 1ULL << 32,
				 k->key ^ 1ULL << 44, k->key + (1ULL << 56) };

		for (i = 0; i < ARRAY_SIZE(near); i++) {
			key = near[i];
			if (is_a_key(self->kinds, ARRAY_SIZE(self->kinds), key))
				continue;
			EXPECT_NE(0, map_error(self->rig.dom.fd, key, k->size, k->prot, MAP_SHARED))
				TH_LOG("%s, offset %#llx", k->name, key);
			EXPECT_NE(0, map_error(self->rig.dom.fd, key, self->page, k->prot, MAP_SHARED))
				TH_LOG("%s, offset %#llx, one page", k->name, key);
		}
		for (i = 0; i < ARRAY_SIZE(far); i++) {
			if (is_a_key(self->kinds, ARRAY_SIZE(self->kinds), far[i]))
				continue;
			EXPECT_NE(0, map_error(self->rig.dom.fd, far[i], k->size, k->prot, MAP_SHARED))
				TH_LOG("offset %#llx", far[i]);
		}
	}
}

/* Whatever is not a key, near the ones that are: no way to anything else. */
TEST_F(mmap, a_search_through_small_offsets_finds_only_the_keys)
{
	static const int prots[] = { PROT_READ, PROT_WRITE };
	unsigned long i, p, found = 0;

	for (i = 0; i < 2000; i++) {
		__u64 key = i * self->page;

		if (is_a_key(self->kinds, ARRAY_SIZE(self->kinds), key))
			continue;
		for (p = 0; p < ARRAY_SIZE(prots); p++)
			found += !map_error(self->rig.dom.fd, key, self->page, prots[p], MAP_SHARED);
	}
	EXPECT_EQ(0, found);
}

TEST_F(mmap, private_mappings_fail)
{
	struct kind *k;

	FOR_EACH_KIND(k)
		EXPECT_EQ(EINVAL, map_error(self->rig.dom.fd, k->key, k->size, k->prot,
					    MAP_PRIVATE))
			TH_LOG("%s", k->name);
}

TEST_F(mmap, executable_mappings_fail)
{
	struct kind *k;

	FOR_EACH_KIND(k) {
		EXPECT_NE(0, map_error(self->rig.dom.fd, k->key, k->size, k->prot | PROT_EXEC,
				       MAP_SHARED))
			TH_LOG("%s", k->name);
		EXPECT_EQ(-1, mprotect(k->mapped, k->size, k->prot | PROT_EXEC))
			TH_LOG("%s by mprotect", k->name);
		EXPECT_EQ(EACCES, errno);
	}
}

TEST_F(mmap, only_the_given_protection)
{
	struct rig *rig = &self->rig;
	int fd = rig->dom.fd;

	EXPECT_NE(0, map_error(fd, rig->dom.doorbell_key, rig->dom.page_size,
			       PROT_READ, MAP_SHARED));
	EXPECT_NE(0, map_error(fd, rig->dom.doorbell_key, rig->dom.page_size,
			       PROT_READ | PROT_WRITE, MAP_SHARED));
	EXPECT_NE(0, map_error(fd, rig->dom.status_key, rig->dom.page_size,
			       PROT_WRITE, MAP_SHARED));
	EXPECT_NE(0, map_error(fd, rig->dom.status_key, rig->dom.page_size,
			       PROT_READ | PROT_WRITE, MAP_SHARED));
	EXPECT_NE(0, map_error(fd, rig->chan.ring_key, rig->chan.ring_size,
			       PROT_READ | PROT_WRITE, MAP_SHARED));
	EXPECT_NE(0, map_error(fd, rig->chan.ring_key, rig->chan.ring_size,
			       PROT_WRITE, MAP_SHARED));
}

TEST_F(mmap, mprotect_gives_nothing_that_mmap_would_not)
{
	struct rig *rig = &self->rig;

	EXPECT_EQ(-1, mprotect((void *)rig->dom.status, rig->dom.page_size,
			       PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect((void *)rig->chan.ring, rig->chan.ring_size,
			       PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(rig->dom.doorbell, rig->dom.page_size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
}

TEST_F(mmap, a_write_to_what_is_mapped_for_reading_is_SIGSEGV)
{
	struct rig *rig = &self->rig;
	pid_t pid;
	int status, i;

	for (i = 0; i < 2; i++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct rig own;

			CHILD_CHECK_EQ(0, rig_open(&own, DOCA_ENGINE_DMA, 16));
			signal(SIGSEGV, SIG_DFL);
			if (i)
				*(volatile __u32 *)own.dom.status = 1;
			else
				*(volatile __u32 *)own.chan.ring = 1;
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_EQ(SIGSEGV, WTERMSIG(status));
	}
	EXPECT_EQ(0, rig->dom.status->removed);
}

/* B25 */
TEST_F(mmap, mremap_fails)
{
	struct kind *k;
	void *target;

	FOR_EACH_KIND(k) {
		EXPECT_EQ(MAP_FAILED, mremap(k->mapped, k->size, k->size + self->page, 0))
			TH_LOG("%s grows", k->name);
		EXPECT_EQ(MAP_FAILED, mremap(k->mapped, k->size, k->size * 4, MREMAP_MAYMOVE))
			TH_LOG("%s grows and moves", k->name);
		if (k->size > self->page)
			EXPECT_EQ(MAP_FAILED, mremap(k->mapped, k->size, k->size - self->page, 0))
				TH_LOG("%s shrinks", k->name);
		/* a second mapping of the same pages */
		EXPECT_EQ(MAP_FAILED, mremap(k->mapped, 0, k->size, MREMAP_MAYMOVE))
			TH_LOG("%s is doubled", k->name);

		target = mmap(NULL, k->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_NE(MAP_FAILED, target);
		EXPECT_EQ(MAP_FAILED, mremap(k->mapped, k->size, k->size,
					     MREMAP_MAYMOVE | MREMAP_FIXED, target))
			TH_LOG("%s moves", k->name);
#ifdef MREMAP_DONTUNMAP
		EXPECT_EQ(MAP_FAILED, mremap(k->mapped, k->size, k->size,
					     MREMAP_MAYMOVE | MREMAP_DONTUNMAP))
			TH_LOG("%s moves and leaves a hole", k->name);
#endif
		munmap(target, k->size);
	}
}

/* B25: a mapping cannot be split, by whatever means. */
TEST_F(mmap, a_mapping_cannot_be_split)
{
	struct kind *k;

	FOR_EACH_KIND(k) {
		if (k->size == self->page)
			continue;
		EXPECT_EQ(-1, munmap(k->mapped, self->page))
			TH_LOG("%s: unmap the first page", k->name);
		EXPECT_EQ(-1, munmap(k->mapped + k->size - self->page, self->page))
			TH_LOG("%s: unmap the last page", k->name);
		EXPECT_EQ(-1, mprotect(k->mapped, self->page, PROT_NONE))
			TH_LOG("%s: protect the first page", k->name);
		EXPECT_EQ(MAP_FAILED, mmap(k->mapped, self->page, PROT_READ,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0))
			TH_LOG("%s: map over the first page", k->name);
	}
}

TEST_F(mmap, mapping_over_a_whole_mapping_works)
{
	struct rig *rig = &self->rig;
	void *p;

	p = mmap(rig->queue.ring, rig->queue.ring_size, PROT_READ,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ASSERT_EQ((void *)rig->queue.ring, p);
	EXPECT_EQ(0, *(char *)p);
	munmap(p, rig->queue.ring_size);
	/* and the ring can be mapped again */
	p = map_key(rig->dom.fd, rig->queue.ring_key, rig->queue.ring_size,
		    PROT_READ | PROT_WRITE);
	ASSERT_NE(MAP_FAILED, p);
	rig->queue.ring = p;
}

TEST_F(mmap, whole_unmap_and_map_again_as_often_as_you_like)
{
	struct kind *k;
	void *p;
	int i;

	FOR_EACH_KIND(k) {
		for (i = 0; i < 200; i++) {
			p = map_key(self->rig.dom.fd, k->key, k->size, k->prot);
			ASSERT_NE(MAP_FAILED, p)
				TH_LOG("%s, round %d", k->name, i);
			ASSERT_EQ(0, munmap(p, k->size));
		}
	}
}

TEST_F(mmap, two_mappings_show_the_same_memory)
{
	struct rig *rig = &self->rig;
	const volatile struct doca_cqe *ring;
	struct doca_sqe *again;

	again = map_key(rig->dom.fd, rig->queue.ring_key, rig->queue.ring_size,
			PROT_READ | PROT_WRITE);
	ASSERT_NE(MAP_FAILED, again);
	ring = map_key(rig->dom.fd, rig->chan.ring_key, rig->chan.ring_size, PROT_READ);
	ASSERT_NE(MAP_FAILED, ring);
	rig->queue.ring[BIG_ENTRIES - 1].cookie = htole32(0x1234567);
	EXPECT_EQ(htole32(0x1234567), again[BIG_ENTRIES - 1].cookie);
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, 8), rig_dst(rig, 0, 8)));
	EXPECT_EQ(rig->chan.ring[0].cookie, ring[0].cookie);
	EXPECT_EQ(1, ring[0].phase);
	munmap(again, rig->queue.ring_size);
	munmap((void *)ring, rig->chan.ring_size);
}

TEST_F(mmap, a_fresh_ring_holds_only_zeros)
{
	struct chan chan;
	struct queue queue;
	int i;

	/* some dirt first, for a ring that gets the same pages */
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, chan_create(&self->rig.dom, &chan, BIG_ENTRIES));
		ASSERT_EQ(0, queue_create(&self->rig.dom, &chan, &queue, DOCA_ENGINE_DMA,
					  BIG_ENTRIES, 0));
		EXPECT_TRUE(mem_is((void *)chan.ring, chan.ring_size, 0));
		EXPECT_TRUE(mem_is(queue.ring, queue.ring_size, 0));
		memset(queue.ring, 0xff, queue.ring_size);
		EXPECT_EQ(0, queue_destroy(&queue));
		EXPECT_EQ(0, chan_destroy(&chan));
	}
}

/* A4: keys mean something only on the file that they came from. */
TEST_F(mmap, keys_do_not_work_on_a_fresh_file)
{
	struct kind *k;
	int fd;

	fd = open(NODE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	FOR_EACH_KIND(k)
		EXPECT_NE(0, map_error(fd, k->key, k->size, k->prot, MAP_SHARED))
			TH_LOG("%s", k->name);
	close(fd);
}

TEST_F(mmap, keys_of_another_file_never_lead_to_its_rings)
{
	struct doca_sqe *p;
	struct rig other;

	ASSERT_EQ(0, rig_open(&other, DOCA_ENGINE_DMA, BIG_ENTRIES));
	memset(self->rig.queue.ring, 0xee, self->rig.queue.ring_size);
	p = map_key(other.dom.fd, self->rig.queue.ring_key, self->rig.queue.ring_size,
		    PROT_READ | PROT_WRITE);
	if (p != MAP_FAILED) {
		/* the number is the same: then it is the other file's own ring */
		EXPECT_EQ(other.queue.ring_key, self->rig.queue.ring_key);
		EXPECT_NE(0xee, p->opcode);
		munmap(p, self->rig.queue.ring_size);
	}
	memset(self->rig.queue.ring, 0, self->rig.queue.ring_size);
	rig_close(&other);
}

TEST_F(mmap, not_inherited_over_fork)
{
	struct kind *k;
	int status;

	FOR_EACH_KIND(k) {
		status = IN_CHILD({
			signal(SIGSEGV, SIG_DFL);
			if (k->prot & PROT_READ)
				*(volatile char *)k->mapped;
			else
				*(volatile __u64 *)k->mapped = 0;
		});
		EXPECT_TRUE(WIFSIGNALED(status))
			TH_LOG("%s is there in the child", k->name);
		EXPECT_EQ(SIGSEGV, WTERMSIG(status));
	}
	EXPECT_EQ(0, IN_CHILD(CHILD_CHECK_EQ(0, count_maps())));
}

/* madvise() undoes VM_DONTCOPY, unless the mapping is of a kind that forbids it. */
TEST_F(mmap, madvise_cannot_make_it_inherited)
{
	struct kind *k;

	FOR_EACH_KIND(k) {
		EXPECT_EQ(-1, madvise(k->mapped, k->size, MADV_DOFORK))
			TH_LOG("%s", k->name);
	}
	EXPECT_EQ(0, IN_CHILD(CHILD_CHECK_EQ(0, count_maps())));
}

TEST_F(mmap, a_child_cannot_map)
{
	struct kind *k;
	int status;

	FOR_EACH_KIND(k) {
		status = IN_CHILD(CHILD_CHECK(map_error(self->rig.dom.fd, k->key, k->size,
							k->prot, MAP_SHARED) != 0));
		EXPECT_EQ(0, status)
			TH_LOG("%s", k->name);
	}
}

TEST_F(mmap, rings_stay_valid_memory_after_destroy)
{
	struct rig *rig = &self->rig;
	struct doca_sqe *ring = rig->queue.ring;
	size_t i;

	ASSERT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, 8), rig_dst(rig, 0, 8)));
	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->queue.id));
	ASSERT_EQ(0, do_destroy(rig->dom.fd, rig->chan.id));
	/* the keys are gone, the mappings are not */
	EXPECT_NE(0, map_error(rig->dom.fd, rig->queue.ring_key, rig->queue.ring_size,
			       PROT_READ | PROT_WRITE, MAP_SHARED));
	EXPECT_NE(0, map_error(rig->dom.fd, rig->chan.ring_key, rig->chan.ring_size,
			       PROT_READ, MAP_SHARED));
	EXPECT_EQ(1, rig->chan.ring[0].phase);
	memset(ring, 0x33, rig->queue.ring_size);
	for (i = 0; i < rig->queue.ring_size; i += self->page)
		EXPECT_EQ(0x33, ((char *)ring)[i]);
	/* a doorbell for what is no more is nothing */
	dom_ring(&rig->dom, DOCA_DB_SUBMIT, rig->queue.queue, 5);
	dom_ring(&rig->dom, DOCA_DB_ARM, rig->chan.cq, 0);
	munmap(ring, rig->queue.ring_size);
	rig->queue.ring = NULL;
}

TEST_F(mmap, mappings_stay_valid_after_close)
{
	struct rig *rig = &self->rig;

	ASSERT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 0, 8), rig_dst(rig, 0, 8)));
	close(rig->dom.fd);
	rig->dom.fd = -1;
	EXPECT_EQ(1, rig->chan.ring[0].phase);
	memset(rig->queue.ring, 0, rig->queue.ring_size);
	*(volatile __u64 *)rig->dom.doorbell = 0;
	*(volatile __u32 *)rig->dom.status;
	munmap(rig->queue.ring, rig->queue.ring_size);
	rig->queue.ring = NULL;
}

/* Reads, other sizes, other offsets: dropped by the device. */
TEST_F(mmap, odd_stores_to_the_doorbell_page_do_nothing)
{
	struct rig *rig = &self->rig;
	volatile char *db = rig->dom.doorbell;
	size_t i;

	queue_post(&rig->queue, 1, rig_src(rig, 0, 8), rig_dst(rig, 0, 8));
	for (i = 0; i < rig->dom.page_size; i += 8) {
		if (i == DOCA_DB_SUBMIT || i == DOCA_DB_ARM)
			continue;
		*(volatile __u64 *)(db + i) = htole64((__u64)rig->queue.queue << 32 | 1);
	}
	*(volatile __u8 *)(db + DOCA_DB_SUBMIT) = 1;
	*(volatile __u16 *)(db + DOCA_DB_SUBMIT) = 1;
	*(volatile __u32 *)(db + DOCA_DB_SUBMIT) = 1;
	*(volatile __u32 *)(db + DOCA_DB_SUBMIT + 4) = htole32(rig->queue.queue);
	EXPECT_EQ(0, chan_quiet(&rig->chan));
	rig->queue.pi = 0;
	/* the teardown's copy shows that the queue is as good as before */
}

DOCA_TEST_MAIN
