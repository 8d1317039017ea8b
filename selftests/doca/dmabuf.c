// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmabufs of other drivers as regions: vgem (a virtual GPU, by PRIME) and, where the kernel
 * has it, udmabuf. Data, offsets, rights, lifetime.
 */
#include "lib_utils.h"
#include "dmabuf_utils.h"

#define SIZE			(1024 * 1024UL)

FIXTURE(dmabuf) {
	struct baseline base;
	struct rig rig;
	int card, fd, memfd;
	char *bytes;		/* of the dmabuf, by another way */
};

FIXTURE_VARIANT(dmabuf) {
	bool udmabuf;
};

FIXTURE_VARIANT_ADD(dmabuf, vgem) {
	.udmabuf = false,
};

FIXTURE_VARIANT_ADD(dmabuf, udmabuf) {
	.udmabuf = true,
};

FIXTURE_SETUP(dmabuf)
{
	baseline_take(&self->base);
	self->card = -1;
	self->memfd = -1;
	if (variant->udmabuf) {
		self->memfd = memfd_create("dmabuf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ASSERT_LE(0, self->memfd);
		ASSERT_EQ(0, ftruncate(self->memfd, SIZE));
		ASSERT_EQ(0, fcntl(self->memfd, F_ADD_SEALS, F_SEAL_SHRINK));
		self->fd = udmabuf_dmabuf(self->memfd, 0, SIZE);
		self->bytes = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, self->memfd, 0);
	} else {
		self->card = open_vgem();
		self->fd = self->card < 0 ? -ENODEV : vgem_dmabuf(self->card, SIZE, true);
		self->bytes = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	}
	if (self->fd >= 0)
		ASSERT_NE(MAP_FAILED, (void *)self->bytes);
	ASSERT_EQ(0, rig_open(&self->rig, DOCA_ENGINE_DMA, 64));
}

FIXTURE_TEARDOWN(dmabuf)
{
	rig_close(&self->rig);
	if (self->bytes != MAP_FAILED)
		munmap(self->bytes, SIZE);
	if (self->fd >= 0)
		close(self->fd);
	if (self->card >= 0)
		close(self->card);
	if (self->memfd >= 0)
		close(self->memfd);
	EXPECT_BASELINE(&self->base);
}

#define NEED_DMABUF() do {							\
	if (self->fd < 0)							\
		SKIP(return, "no %s on this kernel (%s)",			\
		     variant->udmabuf ? "udmabuf" : "vgem", strerror(-self->fd)); \
} while (0)

TEST_F(dmabuf, data_both_ways)
{
	struct rig *rig = &self->rig;
	struct region region;

	NEED_DMABUF();
	/* an address at which nothing is */
	ASSERT_EQ(0, dmabuf_region(&rig->dom, &region, self->fd, 0x123456789000, 0, SIZE,
				   DOCA_KEY_LOCAL_WRITE));
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, rig_src(rig, 5, 50000),
					sge((void *)0x123456789003, region.mkey, 50000)));
	EXPECT_EQ(0, memcmp(rig->src + 5, self->bytes + 3, 50000));
	mem_fill(self->bytes, SIZE, 9);
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, sge((void *)(0x123456789000 + SIZE - 60001),
						 region.mkey, 60001), rig_dst(rig, 1, 60001)));
	EXPECT_EQ(0, memcmp(self->bytes + SIZE - 60001, rig->dst + 1, 60001));
	EXPECT_EQ(0, region_destroy(&region));
}

TEST_F(dmabuf, any_part_of_it_under_any_address)
{
	static const size_t offsets[] = { 0, 1, 4095, 4096, 4097, 70000, SIZE - 5000, SIZE - 1 };
	static const __u64 addrs[] = { 0, 1, 0x1000, 0xfff, 0x7fffffffffff, 1ULL << 62 };
	struct rig *rig = &self->rig;
	struct region region;
	int i, j;

	NEED_DMABUF();
	mem_fill(self->bytes, SIZE, 4);
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (j = 0; j < ARRAY_SIZE(addrs); j++) {
			size_t len = SIZE - offsets[i] < 5000 ? SIZE - offsets[i] : 5000;

			ASSERT_EQ(0, dmabuf_region(&rig->dom, &region, self->fd, addrs[j],
						   offsets[i], len, 0));
			memset(rig->dst, 0, rig->size);
			EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, sge((void *)addrs[j], region.mkey,
								 len), rig_dst(rig, 0, len)));
			EXPECT_EQ(0, memcmp(self->bytes + offsets[i], rig->dst, len))
				TH_LOG("offset %zu, address %#llx", offsets[i], addrs[j]);
			EXPECT_EQ(DOCA_CQE_LOCAL_BOUNDS,
				  rig_copy(rig, sge((void *)addrs[j], region.mkey, len + 1),
					   rig_dst(rig, 0, len + 1)));
			ASSERT_EQ(0, rig_new_queue(rig, DOCA_ENGINE_DMA));
			EXPECT_EQ(0, region_destroy(&region));
		}
	}
}

TEST_F(dmabuf, ranges_that_are_not_in_it)
{
	static const struct {
		__u64 offset, length;
		int err;
	} cases[] = {
		{ 0, SIZE + 1, -EINVAL }, { SIZE, 1, -EINVAL }, { 1, SIZE, -EINVAL },
		{ -1ULL, 1, -EINVAL }, { -4096ULL, 8192, -EINVAL }, { 0, 0, -EINVAL },
		{ 0, -1ULL, -EOVERFLOW }, { 1ULL << 63, 1ULL << 62, -EINVAL },
	};
	struct region region;
	int i;

	NEED_DMABUF();
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT_EQ(cases[i].err, dmabuf_region(&self->rig.dom, &region, self->fd, 0,
						      cases[i].offset, cases[i].length, 0))
			TH_LOG("%#llx bytes at %#llx", cases[i].length, cases[i].offset);
	EXPECT_EQ(-EOVERFLOW, dmabuf_region(&self->rig.dom, &region, self->fd, -100ULL, 0, 4096, 0));
}

TEST_F(dmabuf, descriptors_that_are_none)
{
	struct doca_region_create arg = { .size = sizeof(arg), .length = 4096 };
	struct region region;
	int file;

	NEED_DMABUF();
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	EXPECT_EQ(-EBADF, dmabuf_region(&self->rig.dom, &region, -1, 0, 0, 4096, 0));
	EXPECT_EQ(-EBADF, dmabuf_region(&self->rig.dom, &region, 1000000, 0, 0, 4096, 0));
	EXPECT_EQ(-EINVAL, dmabuf_region(&self->rig.dom, &region, file, 0, 0, 4096, 0));
	EXPECT_EQ(-EINVAL, dmabuf_region(&self->rig.dom, &region, self->rig.dom.fd, 0, 0, 4096, 0));
	close(file);
	/* without the flag, its fields are 0 */
	arg.addr = (uintptr_t)self->rig.src;
	arg.dmabuf_fd = self->fd;
	EXPECT_EQ(-EINVAL, do_ioctl(self->rig.dom.fd, DOCA_IOCTL_REGION_CREATE, &arg));
	arg.dmabuf_fd = 0;
	arg.dmabuf_offset = 1;
	EXPECT_EQ(-EINVAL, do_ioctl(self->rig.dom.fd, DOCA_IOCTL_REGION_CREATE, &arg));
	arg.dmabuf_offset = 0;
	arg.__reserved1 = 1;
	EXPECT_EQ(-EINVAL, do_ioctl(self->rig.dom.fd, DOCA_IOCTL_REGION_CREATE, &arg));
	arg.__reserved1 = 0;
	arg.flags = 2;
	EXPECT_EQ(-EINVAL, do_ioctl(self->rig.dom.fd, DOCA_IOCTL_REGION_CREATE, &arg));
}

TEST_F(dmabuf, a_descriptor_for_reading_gives_no_right_to_write)
{
	struct region region;
	int fd;

	NEED_DMABUF();
	if (variant->udmabuf)
		SKIP(return, "its descriptors are always for writing, too");
	fd = vgem_dmabuf(self->card, SIZE, false);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EACCES, dmabuf_region(&self->rig.dom, &region, fd, 0, 0, SIZE,
					 DOCA_KEY_LOCAL_WRITE));
	EXPECT_EQ(-EACCES, dmabuf_region(&self->rig.dom, &region, fd, 0, 0, SIZE,
					 DOCA_KEY_RDMA_WRITE));
	EXPECT_EQ(0, dmabuf_region(&self->rig.dom, &region, fd, 0, 0, SIZE, DOCA_KEY_RDMA_READ));
	EXPECT_EQ(0, region_destroy(&region));
	close(fd);
}

/* The region keeps the memory when all else has let go of it. */
TEST_F(dmabuf, the_region_outlives_its_descriptor)
{
	struct rig *rig = &self->rig;
	struct region region;
	long pin = vm_pin_kb();

	NEED_DMABUF();
	mem_fill(self->bytes, SIZE, 5);
	ASSERT_EQ(0, dmabuf_region(&rig->dom, &region, self->fd, 0x1000, 0, SIZE, 0));
	/* charged to nobody */
	EXPECT_EQ(pin, vm_pin_kb());
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(DOCA_CQE_OK, rig_copy(rig, sge((void *)0x1000, region.mkey, 60000),
					rig_dst(rig, 0, 60000)));
	EXPECT_EQ(0, memcmp(self->bytes, rig->dst, 60000));
	/* the close of the file gives it back */
}

TEST_F(dmabuf, created_and_destroyed_in_a_loop)
{
	struct region region;
	int i;

	NEED_DMABUF();
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, dmabuf_region(&self->rig.dom, &region, self->fd, 0, 0, SIZE,
					   DOCA_KEY_LOCAL_WRITE));
		ASSERT_EQ(0, region_destroy(&region));
	}
}

static int ended;

static void on_end(struct doca_dma_task_memcpy *task, union doca_data user_data,
		   union doca_data ctx_data)
{
	ended++;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

/* A map without an address in this process: bufs count from 0. */
TEST_F(dmabuf, by_the_library)
{
	struct doca_buf_inventory *inventory;
	struct doca_dma_task_memcpy *task;
	struct doca_mmap *map, *local;
	struct doca_buf *src, *dst;
	union doca_data data = {};
	struct doca_dma *dma;
	struct doca_dev *dev;
	struct doca_pe *pe;
	char *mem;

	NEED_DMABUF();
	mem = mem_alloc(4096);
	mem_fill(self->bytes, SIZE, 6);
	ASSERT_OK(open_device(0, &dev));
	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, -1, NULL, 0, 8));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_set_dmabuf_memrange(map, 100000, NULL, 0, 8));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_set_dmabuf_memrange(map, self->fd, NULL, 0, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_set_dmabuf_memrange(map, self->fd, NULL, SIZE_MAX, 8));
	ASSERT_OK(doca_mmap_set_dmabuf_memrange(map, self->fd, NULL, 8192, SIZE - 8192));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_mmap_set_dmabuf_memrange(map, self->fd, NULL, 0, SIZE));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(map, mem, 4096));
	ASSERT_OK(doca_mmap_add_dev(map, dev));
	ASSERT_OK(doca_mmap_start(map));
	ASSERT_OK(map_memory(dev, mem, 4096, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &local));
	ASSERT_OK(doca_buf_inventory_create(2, &inventory));
	ASSERT_OK(doca_buf_inventory_start(inventory));
	ASSERT_OK(doca_buf_inventory_buf_get_by_data(inventory, map, NULL, 1000, &src));
	ASSERT_OK(doca_buf_inventory_buf_get_by_addr(inventory, local, mem, 4096, &dst));
	ASSERT_OK(doca_pe_create(&pe));
	ASSERT_OK(doca_dma_create(dev, &dma));
	doca_dma_task_memcpy_set_conf(dma, on_end, on_end, 1);
	doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma));
	ASSERT_OK(doca_ctx_start(doca_dma_as_ctx(dma)));
	ASSERT_OK(doca_dma_task_memcpy_alloc_init(dma, src, dst, data, &task));
	ASSERT_OK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	ended = 0;
	ASSERT_TRUE(PROGRESS_UNTIL(pe, ended));
	EXPECT_EQ(0, memcmp(mem, self->bytes + 8192, 1000));
	EXPECT_OK(doca_ctx_stop(doca_dma_as_ctx(dma)));
	EXPECT_OK(doca_dma_destroy(dma));
	EXPECT_OK(doca_pe_destroy(pe));
	EXPECT_OK(doca_buf_dec_refcount(src, NULL));
	EXPECT_OK(doca_buf_dec_refcount(dst, NULL));
	EXPECT_OK(doca_buf_inventory_destroy(inventory));
	EXPECT_OK(doca_mmap_destroy(local));
	EXPECT_OK(doca_mmap_destroy(map));
	/* not a dmabuf, and larger than it is */
	ASSERT_OK(doca_mmap_create(&map));
	ASSERT_OK(doca_mmap_set_dmabuf_memrange(map, 0, NULL, 0, 8));
	ASSERT_OK(doca_mmap_add_dev(map, dev));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(map));
	EXPECT_OK(doca_mmap_destroy(map));
	ASSERT_OK(doca_mmap_create(&map));
	ASSERT_OK(doca_mmap_set_dmabuf_memrange(map, self->fd, NULL, 0, SIZE + 1));
	ASSERT_OK(doca_mmap_add_dev(map, dev));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(map));
	EXPECT_OK(doca_mmap_destroy(map));
	EXPECT_OK(doca_dev_close(dev));
	munmap(mem, 4096);
}

DOCA_TEST_MAIN
