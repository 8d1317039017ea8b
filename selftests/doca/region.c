// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions: which memory can be registered, how it is counted and
 * limited, and that the device sees the right pages.
 */
#include "doca_utils.h"
#include <sys/user.h>

FIXTURE(region) {
	struct baseline base;
	struct rig rig;
	struct dom *dom;
	size_t page;
	long pin;	/* with the rig's own regions */
};

FIXTURE_SETUP(region)
{
	baseline_take(&self->base);
	self->page = page_size();
	ASSERT_EQ(0, rig_open(&self->rig, DOCA_ENGINE_DMA, 64));
	self->dom = &self->rig.dom;
	self->pin = vm_pin_kb();
}

FIXTURE_TEARDOWN(region)
{
	/* whatever was refused: nothing stayed pinned, and the path works */
	if (_metadata->passed) {
		EXPECT_EQ(self->pin, vm_pin_kb());
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, 100),
						rig_dst(&self->rig, 0, 100)));
	}
	rig_close(&self->rig);
	EXPECT_BASELINE(&self->base);
}

static int try_region(struct dom *dom, __u64 addr, __u64 length, __u32 access)
{
	struct region region;
	int err = region_create(dom, &region, (void *)addr, length, access);

	if (!err)
		region_destroy(&region);
	return err;
}

/* B01 */
TEST_F(region, ranges_that_wrap_are_EOVERFLOW)
{
	static const struct {
		__u64 addr, length;
	} cases[] = {
		{ -4096ULL, 4097 },
		{ -4096ULL, -1ULL },
		{ -1ULL, 2 },
		{ -1ULL, -1ULL },
		{ 0x1000, -0x1000ULL + 1 },
		{ 0x1001, -0x1000ULL },
		{ 0x10, -1ULL },
		{ 1ULL << 63, (1ULL << 63) + 1 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT_EQ(-EOVERFLOW, try_region(self->dom, cases[i].addr, cases[i].length, 0))
			TH_LOG("%#llx + %#llx", cases[i].addr, cases[i].length);
}

/* These end exactly at, or wrap only when rounded up to, the end of the address space. */
TEST_F(region, ranges_up_to_the_very_end_fail)
{
	static const struct {
		__u64 addr, length;
	} cases[] = {
		{ -4096ULL, 4096 },
		{ -4096ULL, 4095 },
		{ -1ULL, 1 },
		{ 0, -1ULL },
		{ 0, 1ULL << 63 },
		{ 0x1000, -0x1000ULL },
		{ 0x1001, -0x1001ULL },
		{ 0x1001, -0x1002ULL },
		{ 0xffff888000000000ULL, 4096 },
		{ 0x00007ffffffff000ULL, 4096 },
		{ 0x00007fffffffe000ULL, 0x2000 },
	};
	int err, i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		err = try_region(self->dom, cases[i].addr, cases[i].length, 0);
		EXPECT_TRUE(err == -EOVERFLOW || err == -EINVAL || err == -EFAULT ||
			    err == -ENOMEM || err == -ENOSPC)
			TH_LOG("%#llx + %#llx: %d", cases[i].addr, cases[i].length, err);
	}
}

TEST_F(region, huge_lengths_fail_before_anything_is_allocated)
{
	static const __u64 lengths[] = { 1ULL << 40, 1ULL << 44, 1ULL << 46, 1ULL << 52, 1ULL << 62 };
	int err, i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		err = try_region(self->dom, (uintptr_t)self->rig.dst, lengths[i], 0);
		EXPECT_TRUE(err == -EFAULT || err == -ENOMEM || err == -ENOSPC || err == -EOVERFLOW)
			TH_LOG("%#llx bytes: %d", lengths[i], err);
		EXPECT_EQ(self->pin, vm_pin_kb());
	}
}

TEST_F(region, length_zero_is_EINVAL)
{
	EXPECT_EQ(-EINVAL, try_region(self->dom, (uintptr_t)self->rig.dst, 0, 0));
	EXPECT_EQ(-EINVAL, try_region(self->dom, 0, 0, 0));
	EXPECT_EQ(-EINVAL, try_region(self->dom, -1ULL, 0, 0));
}

TEST_F(region, access_bits)
{
	int bit, err;

	for (bit = 0; bit < 32; bit++) {
		err = try_region(self->dom, (uintptr_t)self->rig.dst, self->page, 1U << bit);
		EXPECT_EQ(1U << bit & DOCA_KEY_ACCESS_ALL ? 0 : -EINVAL, err)
			TH_LOG("bit %d", bit);
	}
	EXPECT_EQ(0, try_region(self->dom, (uintptr_t)self->rig.dst, self->page, 0));
	EXPECT_EQ(-EINVAL, try_region(self->dom, (uintptr_t)self->rig.dst, self->page, UINT_MAX));
}

/* Pages touched by any byte of the range count, and no others. */
TEST_F(region, pinned_memory_is_counted_exactly)
{
	size_t page = self->page;
	struct {
		size_t offset, length;
		int pages;
	} cases[] = {
		{ 0, 1, 1 }, { 0, page, 1 }, { 0, page + 1, 2 },
		{ page - 1, 1, 1 }, { page - 1, 2, 2 }, { 1, page, 2 },
		{ 1, page - 1, 1 }, { page / 2, 3 * page, 4 }, { 0, 8 * page, 8 },
		{ 8, 8, 1 }, { page - 8, 16, 2 },
	};
	struct region region;
	char *mem;
	int i;

	mem = mem_alloc_guarded(8 * page);
	ASSERT_NE(NULL, mem);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, region_create(self->dom, &region, mem + cases[i].offset,
					   cases[i].length, DOCA_KEY_LOCAL_WRITE))
			TH_LOG("%zu bytes at %zu", cases[i].length, cases[i].offset);
		EXPECT_EQ(self->pin + cases[i].pages * (long)(page / 1024), vm_pin_kb())
			TH_LOG("%zu bytes at %zu", cases[i].length, cases[i].offset);
		EXPECT_EQ(0, region_destroy(&region));
		EXPECT_EQ(self->pin, vm_pin_kb());
	}
	mem_free_guarded(mem, 8 * page);
}

TEST_F(region, close_gives_back_what_is_pinned)
{
	struct region region;
	struct dom dom;
	char *mem;
	int i;

	mem = mem_alloc(32 * self->page);
	ASSERT_NE(NULL, mem);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, dom_open(&dom));
		ASSERT_EQ(0, region_create(&dom, &region, mem, 32 * self->page,
					   DOCA_KEY_LOCAL_WRITE));
		ASSERT_EQ(0, region_create(&dom, &region, mem, self->page, 0));
		EXPECT_EQ(self->pin + 33 * (long)(self->page / 1024), vm_pin_kb());
		dom_close(&dom);
		/* at once, not some time later */
		ASSERT_EQ(self->pin, vm_pin_kb());
	}
	munmap(mem, 32 * self->page);
}

/* B19: fewer pages than asked for must not be taken as success. */
TEST_F(region, memory_with_a_hole_is_EFAULT)
{
	size_t page = self->page;
	char *mem = mem_alloc(8 * page);

	ASSERT_NE(NULL, mem);
	memset(mem, 1, 8 * page);
	ASSERT_EQ(0, munmap(mem + 7 * page, page));
	EXPECT_EQ(-EFAULT, try_region(self->dom, (uintptr_t)mem, 8 * page, 0))
		TH_LOG("the last page is not mapped");
	EXPECT_EQ(self->pin, vm_pin_kb());
	EXPECT_EQ(-EFAULT, try_region(self->dom, (uintptr_t)mem, 7 * page + 1, 0))
		TH_LOG("one byte of the last page");
	EXPECT_EQ(0, try_region(self->dom, (uintptr_t)mem, 7 * page, 0));

	ASSERT_EQ(0, munmap(mem + 3 * page, page));
	EXPECT_EQ(-EFAULT, try_region(self->dom, (uintptr_t)mem, 7 * page, 0))
		TH_LOG("a page in the middle is not mapped");
	EXPECT_EQ(self->pin, vm_pin_kb());

	ASSERT_EQ(0, munmap(mem, page));
	EXPECT_EQ(-EFAULT, try_region(self->dom, (uintptr_t)mem, 2 * page, 0))
		TH_LOG("the first page is not mapped");
	EXPECT_EQ(-EFAULT, try_region(self->dom, 0, page, 0));
	EXPECT_EQ(-EFAULT, try_region(self->dom, 0x1000, 1, 0));

	ASSERT_EQ(0, mprotect(mem + 5 * page, page, PROT_NONE));
	EXPECT_EQ(-EFAULT, try_region(self->dom, (uintptr_t)mem + 4 * page, 2 * page, 0))
		TH_LOG("a page is inaccessible");
	EXPECT_EQ(self->pin, vm_pin_kb());
	munmap(mem, 8 * page);
}

TEST_F(region, read_only_memory_only_for_reading)
{
	static const __u32 writing[] = { DOCA_KEY_LOCAL_WRITE, DOCA_KEY_RDMA_WRITE,
					 DOCA_KEY_RDMA_ATOMIC, DOCA_KEY_PCI_WRITE };
	size_t page = self->page;
	char *mem = mem_alloc(4 * page);
	struct region region;
	int i;

	ASSERT_NE(NULL, mem);
	mem_fill(mem, 4 * page, 7);
	ASSERT_EQ(0, mprotect(mem + 3 * page, page, PROT_READ));
	for (i = 0; i < ARRAY_SIZE(writing); i++)
		EXPECT_EQ(-EFAULT, try_region(self->dom, (uintptr_t)mem, 4 * page, writing[i]))
			TH_LOG("access %#x", writing[i]);
	EXPECT_EQ(self->pin, vm_pin_kb());
	ASSERT_EQ(0, region_create(self->dom, &region, mem, 4 * page,
				   DOCA_KEY_RDMA_READ | DOCA_KEY_PCI_READ));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, sge(mem + 3 * page, region.mkey, page),
					rig_dst(&self->rig, 0, page)));
	EXPECT_EQ(0, memcmp(self->rig.dst, mem + 3 * page, page));
	EXPECT_EQ(0, region_destroy(&region));
	munmap(mem, 4 * page);
}

/* The zero page, and other processes' data behind a private file mapping, stay unharmed. */
TEST_F(region, untouched_memory_gets_pages_of_its_own)
{
	size_t page = self->page;
	struct region region;
	char *mem, *other;

	mem = mem_alloc(2 * page);
	other = mem_alloc(page);
	ASSERT_NE(NULL, mem);
	ASSERT_NE(NULL, other);
	/* reading maps the zero page */
	EXPECT_EQ(0, mem[0] | mem[page] | other[0]);
	ASSERT_EQ(0, region_create(self->dom, &region, mem, 2 * page, DOCA_KEY_LOCAL_WRITE));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, 2 * page),
					sge(mem, region.mkey, 2 * page)));
	EXPECT_EQ(0, memcmp(mem, self->rig.src, 2 * page));
	EXPECT_TRUE(mem_is(other, page, 0));
	EXPECT_EQ(0, region_destroy(&region));
	munmap(mem, 2 * page);
	munmap(other, page);
}

TEST_F(region, pages_read_only_pinned_follow_later_writes)
{
	size_t page = self->page;
	struct region region;
	char *mem = mem_alloc(page);

	ASSERT_NE(NULL, mem);
	/* not touched yet: a pinned zero page would stay zero for the device */
	ASSERT_EQ(0, region_create(self->dom, &region, mem, page, 0));
	mem_fill(mem, page, 9);
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, sge(mem, region.mkey, page),
					rig_dst(&self->rig, 0, page)));
	EXPECT_EQ(0, memcmp(self->rig.dst, mem, page))
		TH_LOG("the device sees an old page");
	EXPECT_EQ(0, region_destroy(&region));
	munmap(mem, page);
}

TEST_F(region, device_memory_is_refused)
{
	int err;

	/* the file's own doorbell page and a ring: not the user's memory to register */
	err = try_region(self->dom, (uintptr_t)self->rig.dom.doorbell, self->page,
			 DOCA_KEY_LOCAL_WRITE);
	EXPECT_EQ(-EFAULT, err);
	err = try_region(self->dom, (uintptr_t)self->rig.dom.status, self->page,
			 DOCA_KEY_LOCAL_WRITE);
	EXPECT_EQ(-EFAULT, err);
	err = try_region(self->dom, (uintptr_t)self->rig.chan.ring, self->page,
			 DOCA_KEY_LOCAL_WRITE);
	EXPECT_EQ(-EFAULT, err);
	EXPECT_EQ(self->pin, vm_pin_kb());
}

TEST_F(region, shared_memory_works)
{
	size_t size = 8 * self->page;
	struct region region;
	char *one, *two;
	int fd;

	fd = memfd_create("region", MFD_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, size));
	one = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	two = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, one);
	ASSERT_NE(MAP_FAILED, two);
	ASSERT_EQ(0, region_create(self->dom, &region, one, size, DOCA_KEY_LOCAL_WRITE));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, size),
					sge(one, region.mkey, size)));
	EXPECT_EQ(0, memcmp(two, self->rig.src, size));
	EXPECT_EQ(0, region_destroy(&region));

	/* beyond the end of the file there is no page */
	ASSERT_EQ(0, ftruncate(fd, size - self->page));
	EXPECT_EQ(-EFAULT, try_region(self->dom, (uintptr_t)one, size, DOCA_KEY_LOCAL_WRITE));
	munmap(one, size);
	munmap(two, size);
	close(fd);
}

TEST_F(region, unmapped_after_registration_the_pages_stay)
{
	size_t size = 4 * self->page;
	struct region region;
	char *mem = mem_alloc(size);

	ASSERT_NE(NULL, mem);
	mem_fill(mem, size, 3);
	ASSERT_EQ(0, region_create(self->dom, &region, mem, size, DOCA_KEY_LOCAL_WRITE));
	ASSERT_EQ(0, munmap(mem, size));
	EXPECT_EQ(self->pin + (long)(size / 1024), vm_pin_kb());
	/* the key is still good for the same pages, wherever they are mapped now */
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, sge(mem, region.mkey, size),
					rig_dst(&self->rig, 0, size)));
	mem = mem_alloc(size);
	ASSERT_NE(NULL, mem);
	mem_fill(mem, size, 3);
	EXPECT_EQ(0, memcmp(mem, self->rig.dst, size));
	EXPECT_EQ(0, region_destroy(&region));
	EXPECT_EQ(self->pin, vm_pin_kb());
	munmap(mem, size);
}

/* A2, B33: the child gets copies, the device keeps the parent's pages. */
TEST_F(region, fork_leaves_the_parents_pages_to_the_device)
{
	size_t size = 4 * self->page;
	struct region region;
	char *mem, *want;
	int status;

	mem = mem_alloc(size);
	want = mem_alloc(size);
	ASSERT_NE(NULL, mem);
	ASSERT_NE(NULL, want);
	mem_fill(mem, size, 11);
	ASSERT_EQ(0, region_create(self->dom, &region, mem, size, DOCA_KEY_LOCAL_WRITE));

	status = IN_CHILD({
		/* as it was at the fork, and free to write */
		mem_fill(want, size, 11);
		CHILD_CHECK(!memcmp(want, mem, size));
		memset(mem, 0xcc, size);
	});
	EXPECT_EQ(0, status);
	mem_fill(want, size, 11);
	EXPECT_EQ(0, memcmp(mem, want, size));

	/* a child that lives on while the parent writes */
	mem_fill(mem, size, 12);
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, sge(mem, region.mkey, size),
					rig_dst(&self->rig, 0, size)));
	EXPECT_EQ(0, memcmp(mem, self->rig.dst, size))
		TH_LOG("the device reads another page than the parent writes");
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, size),
					sge(mem, region.mkey, size)));
	EXPECT_EQ(0, memcmp(mem, self->rig.src, size))
		TH_LOG("the device writes another page than the parent reads");
	EXPECT_EQ(0, region_destroy(&region));
	munmap(mem, size);
	munmap(want, size);
}

TEST_F(region, fork_with_a_living_child_and_a_writing_parent)
{
	size_t size = 4 * self->page;
	struct region region;
	int go[2], status;
	char *mem, byte;
	pid_t pid;

	mem = mem_alloc(size);
	ASSERT_NE(NULL, mem);
	mem_fill(mem, size, 21);
	ASSERT_EQ(0, region_create(self->dom, &region, mem, size, 0));
	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(go[1]);
		CHILD_CHECK(read(go[0], &byte, 1) == 0);
		_exit(0);
	}
	close(go[0]);
	mem_fill(mem, size, 22);
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, sge(mem, region.mkey, size),
					rig_dst(&self->rig, 0, size)));
	EXPECT_EQ(0, memcmp(mem, self->rig.dst, size))
		TH_LOG("the device reads the page that the child kept");
	close(go[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, region_destroy(&region));
	munmap(mem, size);
}

TEST_F(region, part_of_a_heap_page_and_a_child_that_uses_the_heap)
{
	struct region region;
	char *heap = malloc(100);
	int status, i;

	ASSERT_NE(NULL, heap);
	ASSERT_EQ(0, region_create(self->dom, &region, heap + 1, 98, DOCA_KEY_LOCAL_WRITE));
	status = IN_CHILD({
		for (i = 0; i < 1000; i++)
			free(malloc(i));
		fclose(fopen("/dev/null", "we"));
	});
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, region_destroy(&region));
	free(heap);
}

TEST_F(region, the_same_page_many_times)
{
	enum { N = 200 };
	static struct region regions[N];
	int i, k, n = N;
	char *mem = mem_alloc(self->page);
	struct doca_device_info info = {};

	ASSERT_NE(NULL, mem);
	ASSERT_EQ(0, do_device_info(self->dom->fd, &info));
	if (n > info.out_max_regions / 2)
		n = info.out_max_regions / 2;
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, region_create(self->dom, &regions[i], mem, self->page, 0));
		for (k = 0; k < i; k++)
			ASSERT_NE(regions[k].mkey, regions[i].mkey);
	}
	EXPECT_EQ(self->pin + n * (long)(self->page / 1024), vm_pin_kb());
	/* each key is good for itself */
	mem_fill(mem, self->page, 5);
	for (i = 0; i < n; i += 2)
		EXPECT_EQ(0, region_destroy(&regions[i]));
	for (i = 1; i < n; i += 2) {
		ASSERT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, sge(mem, regions[i].mkey, 64),
						rig_dst(&self->rig, 0, 64)));
		EXPECT_EQ(0, region_destroy(&regions[i]));
	}
	munmap(mem, self->page);
}

TEST_F(region, register_and_destroy_in_a_loop)
{
	struct region region;
	char *mem = mem_alloc(16 * self->page);
	int i;

	ASSERT_NE(NULL, mem);
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, region_create(self->dom, &region, mem, 16 * self->page,
					   DOCA_KEY_LOCAL_WRITE))
			TH_LOG("round %d", i);
		ASSERT_EQ(0, region_destroy(&region));
	}
	munmap(mem, 16 * self->page);
}

static void *huge_alloc(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

TEST_F(region, huge_pages_are_given_to_the_device_as_they_are)
{
	size_t size = 64UL << 20, i;
	struct region region;
	char *mem;

	mem = huge_alloc(size);
	if (!mem)
		SKIP(return, "no 32 huge pages of 2 MiB free");
	ASSERT_EQ(0, region_create(self->dom, &region, mem, size, DOCA_KEY_PCI_WRITE));
	EXPECT_LE(21, region.page_shift);
	EXPECT_GE(32, region.num_pages);
	EXPECT_LE(size, (__u64)region.num_pages << region.page_shift);
	EXPECT_EQ(self->pin + (long)(size / 1024), vm_pin_kb());
	/* across a page boundary, the last byte, and some places between */
	for (i = HUGE_SIZE - 100; i < size - 200; i += 7 * HUGE_SIZE + 4096) {
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, 200),
						sge(mem + i, region.mkey, 200)));
		EXPECT_EQ(0, memcmp(mem + i, self->rig.src, 200))
			TH_LOG("at %#zx", i);
	}
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, 200),
					sge(mem + size - 200, region.mkey, 200)));
	EXPECT_EQ(0, memcmp(mem + size - 200, self->rig.src, 200));
	EXPECT_EQ(0, region_destroy(&region));
	EXPECT_EQ(self->pin, vm_pin_kb());
	munmap(mem, size);
}

TEST_F(region, a_part_of_huge_pages)
{
	size_t size = 3 * HUGE_SIZE;
	struct {
		size_t offset, length;
	} cases[] = {
		{ 1, 100 },
		{ 4096, 8192 },
		{ HUGE_SIZE - 5, 10 },
		{ HUGE_SIZE / 2, 2 * HUGE_SIZE },
		{ 12345, 3 * HUGE_SIZE - 12345 - 77 },
	};
	struct region region;
	size_t offset, first, last;
	char *mem;
	int i;

	mem = huge_alloc(size);
	if (!mem)
		SKIP(return, "no 3 huge pages of 2 MiB free");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(mem, 0x11, size);
		offset = cases[i].offset;
		ASSERT_EQ(0, region_create(self->dom, &region, mem + offset, cases[i].length,
					   DOCA_KEY_LOCAL_WRITE));
		first = offset / self->page;
		last = (offset + cases[i].length - 1) / self->page;
		EXPECT_EQ(self->pin + (long)((last - first + 1) * self->page / 1024), vm_pin_kb());
		/* first and last byte, and one beyond on either side */
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 7, 1),
						sge(mem + offset, region.mkey, 1)));
		EXPECT_EQ(self->rig.src[7], mem[offset]);
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 8, 1),
						sge(mem + offset + cases[i].length - 1,
						    region.mkey, 1)));
		EXPECT_EQ(self->rig.src[8], mem[offset + cases[i].length - 1]);
		EXPECT_EQ(DOCA_CQE_LOCAL_BOUNDS,
			  rig_copy(&self->rig, rig_src(&self->rig, 0, 1),
				   sge(mem + offset - 1, region.mkey, 1)));
		ASSERT_EQ(0, rig_new_queue(&self->rig, DOCA_ENGINE_DMA));
		EXPECT_EQ(DOCA_CQE_LOCAL_BOUNDS,
			  rig_copy(&self->rig, rig_src(&self->rig, 0, 1),
				   sge(mem + offset + cases[i].length, region.mkey, 1)));
		ASSERT_EQ(0, rig_new_queue(&self->rig, DOCA_ENGINE_DMA));
		EXPECT_EQ(0x11, mem[offset - 1]);
		EXPECT_EQ(0x11, mem[offset + cases[i].length]);
		EXPECT_EQ(0, region_destroy(&region));
	}
	munmap(mem, size);
}

/* Pages in an order that memory does not have: the device's list has to follow it. */
TEST_F(region, scattered_pages_are_found_in_their_order)
{
	enum { N = 300 };
	size_t page = self->page, size = N * page;
	struct region region;
	char *mem;
	int fd, i;

	fd = memfd_create("scattered", MFD_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, size));
	mem = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, mem);
	for (i = 0; i < N; i++)
		ASSERT_NE(MAP_FAILED, mmap(mem + i * page, page, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_FIXED, fd,
					   (off_t)(i * 7919 % N) * page));
	for (i = 0; i < N; i++)
		mem_fill(mem + i * page, page, i);
	ASSERT_EQ(0, region_create(self->dom, &region, mem, size, DOCA_KEY_LOCAL_WRITE));
	for (i = 0; i + 2 < N; i += 5) {
		/* begins and ends within pages */
		ASSERT_EQ(DOCA_CQE_OK, rig_copy(&self->rig,
						sge(mem + i * page + 100, region.mkey, 2 * page),
						rig_dst(&self->rig, 0, 2 * page)));
		ASSERT_EQ(0, memcmp(mem + i * page + 100, self->rig.dst, 2 * page))
			TH_LOG("page %d", i);
	}
	EXPECT_EQ(0, region_destroy(&region));
	munmap(mem, size);
	close(fd);
}

/* A large region of small pages: a page list of several levels. */
TEST_F(region, many_small_pages)
{
	size_t size = 16UL << 20, i;
	struct doca_device_info info = {};
	struct region region;
	char *mem;

	ASSERT_EQ(0, do_device_info(self->dom->fd, &info));
	if (info.out_max_region_pages < size / self->page)
		SKIP(return, "the device takes %u pages", info.out_max_region_pages);
	mem = mem_alloc(size);
	ASSERT_NE(NULL, mem);
	madvise(mem, size, MADV_NOHUGEPAGE);
	for (i = 0; i < size; i += self->page)
		*(size_t *)(mem + i) = i;
	ASSERT_EQ(0, region_create(self->dom, &region, mem, size, 0));
	EXPECT_EQ(self->pin + (long)(size / 1024), vm_pin_kb());
	for (i = 0; i < size; i += 67 * self->page) {
		ASSERT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, sge(mem + i, region.mkey, 8),
						rig_dst(&self->rig, 0, 8)));
		ASSERT_EQ(i, *(size_t *)self->rig.dst);
	}
	EXPECT_EQ(0, region_destroy(&region));
	munmap(mem, size);
}

/* A1: exactly the limit works, one page more does not, and nothing is left of the attempt. */
TEST_F(region, memlock_limit_is_kept_exactly)
{
	size_t page = self->page;
	int status;

	status = IN_CHILD({
		char *mem = mem_alloc(64 * page);
		struct region region, second;
		struct dom dom, dom2;

		CHILD_CHECK(mem);
		CHILD_CHECK_EQ(0, set_memlock(16 * page));
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(0, dom_open(&dom));
		CHILD_CHECK_EQ(0, dom_open(&dom2));
		CHILD_CHECK_EQ(0, vm_pin_kb());
		CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, 16 * page, 0));
		CHILD_CHECK_EQ(16 * page / 1024, vm_pin_kb());
		CHILD_CHECK_EQ(-EDQUOT, region_create(&dom, &second, mem, 1, 0));
		/* one limit for all files of the process */
		CHILD_CHECK_EQ(-EDQUOT, region_create(&dom2, &second, mem, 1, 0));
		CHILD_CHECK_EQ(16 * page / 1024, vm_pin_kb());
		CHILD_CHECK_EQ(0, region_destroy(&region));
		CHILD_CHECK_EQ(-EDQUOT, region_create(&dom, &region, mem, 16 * page + 1, 0));
		CHILD_CHECK_EQ(0, vm_pin_kb());
		CHILD_CHECK_EQ(-EDQUOT, region_create(&dom, &region, mem + 1, 16 * page, 0));
		CHILD_CHECK_EQ(0, vm_pin_kb());
		CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, 10 * page, 0));
		CHILD_CHECK_EQ(0, region_create(&dom2, &second, mem, 6 * page, 0));
		CHILD_CHECK_EQ(16 * page / 1024, vm_pin_kb());
		dom_close(&dom2);
		CHILD_CHECK_EQ(10 * page / 1024, vm_pin_kb());
		dom_close(&dom);
		CHILD_CHECK_EQ(0, vm_pin_kb());
	});
	EXPECT_EQ(0, status);
}

TEST_F(region, memlock_limit_of_nothing)
{
	int status;

	status = IN_CHILD({
		char *mem = mem_alloc(self->page);
		struct region region;
		struct dom dom;

		CHILD_CHECK_EQ(0, set_memlock(0));
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(0, dom_open(&dom));
		CHILD_CHECK(region_create(&dom, &region, mem, 1, 0) == -EDQUOT);
		CHILD_CHECK_EQ(0, vm_pin_kb());
	});
	EXPECT_EQ(0, status);
}

TEST_F(region, a_failed_pin_does_not_use_up_the_limit)
{
	size_t page = self->page;
	int status, i;

	status = IN_CHILD({
		char *mem = mem_alloc(16 * page);
		struct region region;
		struct dom dom;

		CHILD_CHECK_EQ(0, munmap(mem + 15 * page, page));
		CHILD_CHECK_EQ(0, set_memlock(16 * page));
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(0, dom_open(&dom));
		for (i = 0; i < 50; i++)
			CHILD_CHECK_EQ(-EFAULT, region_create(&dom, &region, mem, 16 * page, 0));
		CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, 15 * page, 0));
	});
	EXPECT_EQ(0, status);
}

TEST_F(region, root_is_not_limited)
{
	int status;

	status = IN_CHILD({
		char *mem = mem_alloc(64 * self->page);
		struct region region;
		struct dom dom;

		CHILD_CHECK_EQ(0, set_memlock(self->page));
		CHILD_CHECK_EQ(0, dom_open(&dom));
		CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, 64 * self->page, 0));
		CHILD_CHECK_EQ(64 * self->page / 1024, vm_pin_kb());
	});
	EXPECT_EQ(0, status);
}

/* The pages are given back to the mm that they were charged to, whoever closes. */
TEST_F(region, closed_last_by_a_child)
{
	int go[2], ready[2], status;
	struct region region;
	struct dom dom;
	char *mem, byte;
	pid_t pid;

	mem = mem_alloc(8 * self->page);
	ASSERT_NE(NULL, mem);
	ASSERT_EQ(0, dom_open(&dom));
	ASSERT_EQ(0, region_create(&dom, &region, mem, 8 * self->page, 0));
	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(go[1]);
		close(ready[0]);
		CHILD_CHECK(read(go[0], &byte, 1) == 0);
		/* its own account was never charged */
		CHILD_CHECK_EQ(0, vm_pin_kb());
		close(dom.fd);
		CHILD_CHECK_EQ(0, vm_pin_kb());
		_exit(0);
	}
	close(go[0]);
	close(ready[1]);
	dom_close(&dom);
	/* the child still holds the file */
	EXPECT_EQ(self->pin + 8 * (long)(self->page / 1024), vm_pin_kb());
	close(go[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(self->pin, vm_pin_kb());
	close(ready[0]);
	munmap(mem, 8 * self->page);
}

TEST_F(region, exec_gives_back_what_is_pinned)
{
	long before = pinned_pages();
	int status;

	status = IN_CHILD({
		char *mem = mem_alloc(64 * self->page);
		struct region region;
		struct dom dom;

		CHILD_CHECK_EQ(0, dom_open(&dom));
		CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, 64 * self->page, 0));
		execl("/bin/sh", "sh", "-c",
		      "while read -r k v _; do [ \"$k\" != VmPin: ] || exit $v; done </proc/self/status",
		      (char *)NULL);
		_exit(99);
	});
	EXPECT_EQ(0, status);
	EXPECT_TRUE(WAIT_FOR(pinned_pages() <= before))
		TH_LOG("%ld pages pinned, %ld before", pinned_pages(), before);
}

TEST_F(region, page_counters_of_the_system_are_balanced)
{
	long before = pinned_pages();
	struct region region;
	char *mem;
	int i;

	mem = mem_alloc(100 * self->page);
	ASSERT_NE(NULL, mem);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, region_create(self->dom, &region, mem, 100 * self->page,
					   i % 2 ? DOCA_KEY_LOCAL_WRITE : 0));
		EXPECT_EQ(0, region_destroy(&region));
	}
	ASSERT_EQ(0, munmap(mem + 99 * self->page, self->page));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(-EFAULT, try_region(self->dom, (uintptr_t)mem, 100 * self->page, 0));
	/* others pin for moments; ours would stay */
	EXPECT_TRUE(WAIT_FOR(pinned_pages() <= before))
		TH_LOG("%ld pages pinned, %ld before", pinned_pages(), before);
	munmap(mem, 99 * self->page);
}

/* A2: a long-term pin may not let the device write behind a file system's back. */
TEST_F(region, a_file_on_disk_is_refused_or_works)
{
	char path[] = "/tmp/doca-region-XXXXXX";
	size_t size = 4 * self->page;
	struct region region;
	char *mem;
	int fd, err;

	fd = mkstemp(path);
	ASSERT_LE(0, fd);
	unlink(path);
	ASSERT_EQ(0, ftruncate(fd, size));
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, mem);
	mem_fill(mem, size, 4);
	err = region_create(self->dom, &region, mem, size, DOCA_KEY_LOCAL_WRITE);
	EXPECT_TRUE(!err || err == -EFAULT || err == -EOPNOTSUPP)
		TH_LOG("%d", err);
	if (!err) {
		EXPECT_EQ(DOCA_CQE_OK, rig_copy(&self->rig, rig_src(&self->rig, 0, size),
						sge(mem, region.mkey, size)));
		EXPECT_EQ(0, memcmp(mem, self->rig.src, size));
		EXPECT_EQ(0, region_destroy(&region));
	}
	EXPECT_EQ(self->pin, vm_pin_kb());
	munmap(mem, size);
	close(fd);
}

DOCA_TEST_MAIN
