// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdoca: memory of the host, reached by the DPU. Export over PCI, maps from an
 * export, representors. Needs a card with functions of both sides, which
 * tools/dpu-vm makes with --function side=dpu.
 */
#include <sys/socket.h>

#include "lib_utils.h"

#define SIZE		(16 * 4096UL)

static int host_number = -1, dpu_number = -1;

/* Numbers of two devices of one card, in the list. */
static bool find_card(void)
{
	struct doca_devinfo_caps caps[16];
	struct doca_devinfo **list;
	uint32_t num, i, j;

	if (doca_devinfo_create_list(&list, &num) != DOCA_SUCCESS)
		return false;
	if (num > ARRAY_SIZE(caps))
		num = ARRAY_SIZE(caps);
	for (i = 0; i < num; i++)
		doca_devinfo_get_caps(list[i], &caps[i]);
	for (i = 0; i < num && host_number < 0; i++)
		for (j = 0; j < num; j++)
			if (caps[i].serial == caps[j].serial &&
			    caps[i].caps & DOCA_DEVINFO_CAP_EXPORT_PCI &&
			    caps[j].caps & DOCA_DEVINFO_CAP_IMPORT_PCI) {
				host_number = i;
				dpu_number = j;
			}
	doca_devinfo_destroy_list(list);
	return host_number >= 0;
}

/* The host exports @mem for reading and @mem_rw; the DPU has a DMA context. */
FIXTURE(pci) {
	struct baseline base;
	struct doca_dev *host, *dpu;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_mmap *map, *map_rw, *local_map, *remote, *remote_rw;
	struct doca_buf_inventory *inventory;
	char *mem, *mem_rw, *local;
	const void *desc, *desc_rw;
	size_t desc_len, desc_rw_len;
	int done, failed;
	doca_error_t error;
};

typedef FIXTURE_DATA(pci) fixture;

static void on_done(struct doca_dma_task_memcpy *task, union doca_data user_data,
		    union doca_data ctx_data)
{
	fixture *self = ctx_data.ptr;

	self->done++;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data user_data,
		     union doca_data ctx_data)
{
	fixture *self = ctx_data.ptr;

	self->failed++;
	self->error = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

FIXTURE_SETUP(pci)
{
	union doca_data data = { .ptr = self };

	baseline_take(&self->base);
	self->mem = mem_alloc(SIZE);
	self->mem_rw = mem_alloc(SIZE);
	self->local = mem_alloc(SIZE);
	ASSERT_TRUE(self->mem && self->mem_rw && self->local);
	mem_fill(self->mem, SIZE, 1);
	mem_fill(self->mem_rw, SIZE, 2);
	ASSERT_OK(open_device(host_number, &self->host));
	ASSERT_OK(open_device(dpu_number, &self->dpu));
	ASSERT_OK(map_memory(self->host, self->mem, SIZE, DOCA_ACCESS_FLAG_PCI_READ_ONLY,
			     &self->map));
	ASSERT_OK(map_memory(self->host, self->mem_rw, SIZE, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
			     &self->map_rw));
	ASSERT_OK(map_memory(self->dpu, self->local, SIZE, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
			     &self->local_map));
	ASSERT_OK(doca_mmap_export_pci(self->map, self->host, &self->desc, &self->desc_len));
	ASSERT_OK(doca_mmap_export_pci(self->map_rw, self->host, &self->desc_rw,
				       &self->desc_rw_len));
	ASSERT_OK(doca_mmap_create_from_export(NULL, self->desc, self->desc_len, self->dpu,
					       &self->remote));
	ASSERT_OK(doca_mmap_create_from_export(NULL, self->desc_rw, self->desc_rw_len, self->dpu,
					       &self->remote_rw));
	ASSERT_OK(doca_buf_inventory_create(64, &self->inventory));
	ASSERT_OK(doca_buf_inventory_start(self->inventory));
	ASSERT_OK(doca_pe_create(&self->pe));
	ASSERT_OK(doca_dma_create(self->dpu, &self->dma));
	self->ctx = doca_dma_as_ctx(self->dma);
	ASSERT_OK(doca_dma_task_memcpy_set_conf(self->dma, on_done, on_error, 8));
	ASSERT_OK(doca_ctx_set_user_data(self->ctx, data));
	ASSERT_OK(doca_pe_connect_ctx(self->pe, self->ctx));
	ASSERT_OK(doca_ctx_start(self->ctx));
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state = 99;

	doca_ctx_get_state(ctx, &state);
	return state;
}

FIXTURE_TEARDOWN(pci)
{
	doca_ctx_stop(self->ctx);
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE));
	EXPECT_OK(doca_dma_destroy(self->dma));
	EXPECT_OK(doca_pe_destroy(self->pe));
	EXPECT_OK(doca_buf_inventory_destroy(self->inventory));
	if (self->remote)
		EXPECT_OK(doca_mmap_destroy(self->remote));
	EXPECT_OK(doca_mmap_destroy(self->remote_rw));
	EXPECT_OK(doca_mmap_destroy(self->local_map));
	if (self->map)
		EXPECT_OK(doca_mmap_destroy(self->map));
	EXPECT_OK(doca_mmap_destroy(self->map_rw));
	EXPECT_OK(doca_dev_close(self->dpu));
	EXPECT_OK(doca_dev_close(self->host));
	munmap(self->mem, SIZE);
	munmap(self->mem_rw, SIZE);
	munmap(self->local, SIZE);
	EXPECT_BASELINE(&self->base);
}

/* A copy by the DPU; the context runs again if it failed. */
static doca_error_t copy(fixture *self, struct doca_mmap *src_map, char *src_addr, size_t len,
			 struct doca_mmap *dst_map, char *dst_addr)
{
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;
	union doca_data data = {};
	doca_error_t err;

	err = doca_buf_inventory_buf_get_by_data(self->inventory, src_map, src_addr, len, &src);
	if (err != DOCA_SUCCESS)
		return err;
	err = doca_buf_inventory_buf_get_by_addr(self->inventory, dst_map, dst_addr, len, &dst);
	if (err != DOCA_SUCCESS)
		goto out_src;
	self->done = 0;
	self->failed = 0;
	self->error = DOCA_SUCCESS;
	err = doca_dma_task_memcpy_alloc_init(self->dma, src, dst, data, &task);
	if (err == DOCA_SUCCESS)
		err = doca_task_submit(doca_dma_task_memcpy_as_task(task));
	if (err == DOCA_SUCCESS) {
		err = DOCA_ERROR_TIME_OUT;
		if (PROGRESS_UNTIL(self->pe, self->done + self->failed))
			err = self->error;
		if (self->failed &&
		    PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE))
			doca_ctx_start(self->ctx);
	}
	doca_buf_dec_refcount(dst, NULL);
out_src:
	doca_buf_dec_refcount(src, NULL);
	return err;
}

TEST_F(pci, a_map_from_an_export_is_a_source)
{
	EXPECT_OK(copy(self, self->remote, self->mem + 3, SIZE - 3, self->local_map, self->local));
	EXPECT_EQ(0, memcmp(self->mem + 3, self->local, SIZE - 3));
}

TEST_F(pci, a_map_from_an_export_for_writing_is_a_destination)
{
	mem_fill(self->local, SIZE, 3);
	EXPECT_OK(copy(self, self->local_map, self->local, SIZE, self->remote_rw, self->mem_rw));
	EXPECT_EQ(0, memcmp(self->mem_rw, self->local, SIZE));
	/* both ends of the host's */
	EXPECT_OK(copy(self, self->remote, self->mem, SIZE, self->remote_rw, self->mem_rw));
	EXPECT_EQ(0, memcmp(self->mem_rw, self->mem, SIZE));
}

TEST_F(pci, writing_to_what_was_exported_for_reading_is_NOT_PERMITTED)
{
	char *before = malloc(SIZE);

	memcpy(before, self->mem, SIZE);
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    copy(self, self->local_map, self->local, 64, self->remote, self->mem));
	EXPECT_EQ(0, memcmp(before, self->mem, SIZE));
	free(before);
}

TEST_F(pci, the_range_is_the_exporters)
{
	struct doca_buf *buf;
	void *addr = NULL;
	size_t len = 0;

	EXPECT_OK(doca_mmap_get_memrange(self->remote, &addr, &len));
	EXPECT_EQ((void *)self->mem, addr);
	EXPECT_EQ(SIZE, len);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_inventory_buf_get_by_addr(self->inventory, self->remote,
						       self->mem + 1, SIZE, &buf));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_inventory_buf_get_by_addr(self->inventory, self->remote,
						       self->mem - 1, 1, &buf));
}

TEST_F(pci, a_map_from_an_export_cannot_be_changed)
{
	const void *desc;
	uint8_t is = 9;
	size_t len;

	EXPECT_OK(doca_mmap_get_from_export(self->remote, &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_mmap_get_exported(self->remote, &is));
	EXPECT_EQ(0, is);
	EXPECT_OK(doca_mmap_get_exported(self->map, &is));
	EXPECT_EQ(1, is);
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_mmap_set_memrange(self->remote, self->local, SIZE));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_permissions(self->remote, 0));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(self->remote, self->host));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(self->remote, self->dpu));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(self->remote));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_mmap_export_pci(self->remote, self->dpu, &desc, &len));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_mmap_export_rdma(self->remote, self->dpu, &desc, &len));
}

TEST_F(pci, a_descriptor_has_less_than_1024_bytes_and_stays_the_same)
{
	const void *again;
	size_t len;

	EXPECT_GE(1024, self->desc_len);
	ASSERT_OK(doca_mmap_export_pci(self->map, self->host, &again, &len));
	EXPECT_EQ(self->desc, again);
	EXPECT_EQ(self->desc_len, len);
}

TEST_F(pci, who_may_export)
{
	struct doca_mmap *map;
	const void *desc;
	uint8_t is = 9;
	size_t len;

	/* no PCI permission */
	ASSERT_OK(map_memory(self->host, self->local, SIZE,
			     DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ, &map));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(map, self->host, &desc, &len));
	EXPECT_OK(doca_mmap_destroy(map));
	/* a device that it does not have */
	EXPECT_DOCA(DOCA_ERROR_NOT_FOUND, doca_mmap_export_pci(self->map, self->dpu, &desc, &len));
	/* a function of the DPU */
	ASSERT_OK(map_memory(self->dpu, self->local, SIZE, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &map));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_pci(map, self->dpu, &desc, &len));
	EXPECT_OK(doca_mmap_destroy(map));
	/* not started */
	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(map, self->host, &desc, &len));
	EXPECT_OK(doca_mmap_destroy(map));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_pci(NULL, self->host, &desc, &len));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_export_pci(self->map, self->host, NULL, &len));

	EXPECT_OK(doca_mmap_cap_is_export_pci_supported(doca_dev_as_devinfo(self->host), &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_mmap_cap_is_export_pci_supported(doca_dev_as_devinfo(self->dpu), &is));
	EXPECT_EQ(0, is);
	EXPECT_OK(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(self->dpu),
								    &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(self->host),
								    &is));
	EXPECT_EQ(0, is);
}

TEST_F(pci, who_may_import)
{
	struct doca_dev *other;
	struct doca_mmap *map;

	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED,
		    doca_mmap_create_from_export(NULL, self->desc, self->desc_len, self->host,
						 &map));
	/* another card, if there is one */
	if (host_number != 0 && open_device(0, &other) == DOCA_SUCCESS) {
		EXPECT_NE(DOCA_SUCCESS,
			  doca_mmap_create_from_export(NULL, self->desc, self->desc_len, other,
						       &map));
		doca_dev_close(other);
	}
}

/* Whatever is changed in it, it gives no access to anything. */
TEST_F(pci, descriptors_that_are_none)
{
	struct doca_mmap *map;
	doca_error_t err;
	char desc[256];
	size_t i, taken = 0;

	ASSERT_GE(sizeof(desc), self->desc_len);
	for (i = 0; i < self->desc_len; i++)
		EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
			    doca_mmap_create_from_export(NULL, self->desc, i, self->dpu, &map));
	for (i = 0; i < self->desc_len * 8; i++) {
		memcpy(desc, self->desc, self->desc_len);
		desc[i / 8] ^= 1 << i % 8;
		err = doca_mmap_create_from_export(NULL, desc, self->desc_len, self->dpu, &map);
		if (err != DOCA_SUCCESS)
			continue;
		/* range, rights and network address are checked by the device when used */
		taken++;
		EXPECT_OK(doca_mmap_destroy(map));
	}
	EXPECT_GE(8 * (8 + 8 + 4 + 16), taken);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_create_from_export(NULL, NULL, 8, self->dpu, &map));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_create_from_export(NULL, self->desc, self->desc_len, NULL, &map));
}

/* A range that was made larger by hand reaches no byte more. */
TEST_F(pci, a_larger_range_in_the_descriptor_is_NOT_FOUND)
{
	struct doca_mmap *map;
	uint64_t len;
	char desc[256];

	memcpy(desc, self->desc, self->desc_len);
	memcpy(&len, desc + 16, sizeof(len));
	ASSERT_EQ(SIZE, len);
	len += 64;
	memcpy(desc + 16, &len, sizeof(len));
	ASSERT_OK(doca_mmap_create_from_export(NULL, desc, self->desc_len, self->dpu, &map));
	EXPECT_DOCA(DOCA_ERROR_NOT_FOUND,
		    copy(self, map, self->mem + SIZE, 64, self->local_map, self->local));
	EXPECT_OK(doca_mmap_destroy(map));
}

TEST_F(pci, stop_of_the_exported_map_ends_the_others)
{
	struct doca_mmap *map;
	char desc[256];

	memcpy(desc, self->desc, self->desc_len);
	EXPECT_OK(copy(self, self->remote, self->mem, 64, self->local_map, self->local));
	EXPECT_OK(doca_mmap_stop(self->map));
	EXPECT_DOCA(DOCA_ERROR_NOT_FOUND,
		    copy(self, self->remote, self->mem, 64, self->local_map, self->local));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_mmap_create_from_export(NULL, desc, self->desc_len, self->dpu, &map));
	/* destroying the other one is fine, in any order */
	EXPECT_OK(doca_mmap_destroy(self->map));
	self->map = NULL;
	EXPECT_OK(doca_mmap_stop(self->remote));
	EXPECT_OK(doca_mmap_destroy(self->remote));
	self->remote = NULL;
}

/* The host's program and the DPU's, each with its own device. */
TEST_F(pci, another_process_imports_what_it_was_sent)
{
	int sv[2], status;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		char desc[1024];
		ssize_t len;
		struct doca_dev *dev;
		fixture dpu = {};
		union doca_data data = { .ptr = &dpu };

		len = read(sv[1], desc, sizeof(desc));
		CHILD_CHECK(len > 0);
		CHILD_CHECK_EQ(DOCA_SUCCESS, open_device(dpu_number, &dev));
		dpu.local = mem_alloc(SIZE);
		CHILD_CHECK_EQ(DOCA_SUCCESS, map_memory(dev, dpu.local, SIZE,
							DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
							&dpu.local_map));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_mmap_create_from_export(NULL, desc, len, dev,
									  &dpu.remote_rw));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_buf_inventory_create(4, &dpu.inventory));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_buf_inventory_start(dpu.inventory));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_pe_create(&dpu.pe));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_dma_create(dev, &dpu.dma));
		dpu.ctx = doca_dma_as_ctx(dpu.dma);
		doca_dma_task_memcpy_set_conf(dpu.dma, on_done, on_error, 8);
		doca_ctx_set_user_data(dpu.ctx, data);
		doca_pe_connect_ctx(dpu.pe, dpu.ctx);
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_ctx_start(dpu.ctx));
		memset(dpu.local, 0x5a, SIZE);
		CHILD_CHECK_EQ(DOCA_SUCCESS, copy(&dpu, dpu.local_map, dpu.local, SIZE,
						  dpu.remote_rw, self->mem_rw));
		_exit(0);
	}
	ASSERT_EQ(self->desc_rw_len, write(sv[0], self->desc_rw, self->desc_rw_len));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	EXPECT_TRUE(mem_is(self->mem_rw, SIZE, 0x5a));
	close(sv[0]);
	close(sv[1]);
}

TEST_F(pci, representors_stand_for_the_functions_of_the_host)
{
	char addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE], own[DOCA_DEVINFO_PCI_ADDR_SIZE];
	struct doca_devinfo *host = doca_dev_as_devinfo(self->host);
	char vuid[DOCA_DEVINFO_REP_VUID_SIZE], name[DOCA_DEVINFO_IFACE_NAME_SIZE];
	struct doca_devinfo_rep **list;
	enum doca_pci_func_type type;
	struct doca_dev_rep *rep;
	uint16_t id, own_id;
	uint32_t num;
	uint8_t is;

	ASSERT_OK(doca_devinfo_rep_create_list(self->dpu, DOCA_DEVINFO_REP_FILTER_ALL, &list,
					       &num));
	ASSERT_EQ(1, num);
	EXPECT_EQ(NULL, list[1]);
	ASSERT_OK(doca_devinfo_rep_get_pci_addr_str(list[0], addr));
	ASSERT_OK(doca_devinfo_get_pci_addr_str(host, own));
	EXPECT_STREQ(own, addr);
	EXPECT_OK(doca_devinfo_rep_is_equal_pci_addr(list[0], own, &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_devinfo_rep_is_equal_pci_addr(list[0], own + 5, &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_devinfo_rep_is_equal_pci_addr(list[0], "ff:1f.7", &is));
	EXPECT_EQ(0, is);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_devinfo_rep_is_equal_pci_addr(list[0], "nonsense", &is));
	EXPECT_OK(doca_devinfo_rep_get_vhca_id(list[0], &id));
	EXPECT_OK(doca_devinfo_get_vhca_id(host, &own_id));
	EXPECT_EQ(own_id, id);
	EXPECT_OK(doca_devinfo_rep_get_pci_func_type(list[0], &type));
	EXPECT_EQ(DOCA_PCI_FUNC_TYPE_PF, type);
	EXPECT_OK(doca_devinfo_rep_get_is_hotplug(list[0], &is));
	EXPECT_EQ(0, is);
	EXPECT_OK(doca_devinfo_rep_get_iface_name(list[0], name, sizeof(name)));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_devinfo_rep_get_vuid(list[0], vuid, sizeof(vuid) - 1));
	EXPECT_OK(doca_devinfo_rep_get_vuid(list[0], vuid, sizeof(vuid)));
	EXPECT_LT(10, strlen(vuid));

	/* list and representor keep the device open */
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_dev_close(self->dpu));
	ASSERT_OK(doca_dev_rep_open(list[0], &rep));
	EXPECT_OK(doca_devinfo_rep_destroy_list(list));
	EXPECT_OK(doca_devinfo_rep_get_pci_addr_str(doca_dev_rep_as_devinfo(rep), addr));
	EXPECT_STREQ(own, addr);
	EXPECT_OK(doca_dev_rep_close(rep));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_close(NULL));
}

TEST_F(pci, filters_of_representors)
{
	struct doca_devinfo_rep **list;
	uint32_t num;
	uint8_t is = 9;

	ASSERT_OK(doca_devinfo_rep_create_list(self->dpu, DOCA_DEVINFO_REP_FILTER_NET, &list,
					       &num));
	EXPECT_EQ(1, num);
	EXPECT_OK(doca_devinfo_rep_destroy_list(list));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED,
		    doca_devinfo_rep_create_list(self->dpu, DOCA_DEVINFO_REP_FILTER_EMULATED,
						 &list, &num));
	EXPECT_DOCA(DOCA_ERROR_NOT_SUPPORTED,
		    doca_devinfo_rep_create_list(self->host, DOCA_DEVINFO_REP_FILTER_ALL, &list,
						 &num));
	EXPECT_EQ(0, num);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_devinfo_rep_create_list(self->dpu, 1, &list, &num));
	EXPECT_OK(doca_devinfo_rep_cap_is_filter_all_supported(doca_dev_as_devinfo(self->dpu),
							       &is));
	EXPECT_EQ(1, is);
	EXPECT_OK(doca_devinfo_rep_cap_is_filter_all_supported(doca_dev_as_devinfo(self->host),
							       &is));
	EXPECT_EQ(0, is);
}

DOCA_TEST_MAIN_IF(find_card(), "no card with functions of both sides (tools/dpu-vm --function side=dpu)")
