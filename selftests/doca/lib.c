// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdoca: errors, discovery, devices, memory maps, bufs. What each call
 * promises in its comment, and what it answers when it is called wrongly.
 */
#include "lib_utils.h"

FIXTURE(lib) {
	struct baseline base;
	struct doca_dev *dev;
	char *mem;
	size_t size;
};

FIXTURE_SETUP(lib)
{
	baseline_take(&self->base);
	self->size = 16 * page_size();
	self->mem = mem_alloc(self->size);
	ASSERT_NE(NULL, self->mem);
	ASSERT_OK(open_device(0, &self->dev));
}

FIXTURE_TEARDOWN(lib)
{
	if (self->dev)
		EXPECT_OK(doca_dev_close(self->dev));
	munmap(self->mem, self->size);
	EXPECT_BASELINE(&self->base);
}

TEST_F(lib, error_names_and_descriptions)
{
	int i;

	EXPECT_STREQ("DOCA_SUCCESS", doca_error_get_name(DOCA_SUCCESS));
	EXPECT_STREQ("DOCA_ERROR_AGAIN", doca_error_get_name(DOCA_ERROR_AGAIN));
	EXPECT_STREQ("DOCA_ERROR_DEVICE_FATAL_ERROR",
		     doca_error_get_name(DOCA_ERROR_DEVICE_FATAL_ERROR));
	EXPECT_EQ(30, DOCA_ERROR_SKIPPED);
	for (i = 0; i <= DOCA_ERROR_DEVICE_FATAL_ERROR; i++) {
		const char *name = doca_error_get_name(i), *descr = doca_error_get_descr(i);
		int k;

		EXPECT_EQ(0, strncmp(name, "DOCA_", 5));
		EXPECT_LT(3, strlen(descr));
		EXPECT_STRNE("Unknown error code", descr);
		for (k = 0; k < i; k++)
			EXPECT_STRNE(name, doca_error_get_name(k));
	}
	for (i = 32; i < 1000; i += 100) {
		EXPECT_STREQ("DOCA_ERROR_UNKNOWN", doca_error_get_name(i));
		EXPECT_STREQ("Unknown error code", doca_error_get_descr(i));
	}
	EXPECT_STREQ("DOCA_ERROR_UNKNOWN", doca_error_get_name(-1));
}

TEST_F(lib, version_of_header_and_library_agree)
{
	EXPECT_STREQ(doca_version(), doca_version_runtime());
}

TEST_F(lib, lists_of_both_families_agree)
{
	struct doca_devinfo_list *list;
	struct doca_devinfo **array;
	struct doca_devinfo *info;
	char one[DOCA_DEVINFO_PCI_ADDR_SIZE], two[DOCA_DEVINFO_PCI_ADDR_SIZE];
	uint32_t num, count, i;

	ASSERT_OK(doca_devinfo_list_create(&list));
	ASSERT_OK(doca_devinfo_list_get_count(list, &count));
	ASSERT_OK(doca_devinfo_create_list(&array, &num));
	EXPECT_LE(1, count);
	EXPECT_EQ(count, num);
	for (i = 0; i < num; i++) {
		ASSERT_OK(doca_devinfo_list_get_devinfo(list, i, &info));
		EXPECT_OK(doca_devinfo_get_pci_addr(info, one, sizeof(one)));
		EXPECT_OK(doca_devinfo_get_pci_addr_str(array[i], two));
		EXPECT_STREQ(one, two);
		EXPECT_EQ(12, strlen(one));
	}
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_get_devinfo(list, count, &info));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_devinfo_list_get_devinfo(list, UINT32_MAX, &info));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_get_devinfo(list, 0, NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_get_devinfo(NULL, 0, &info));
	EXPECT_OK(doca_devinfo_list_destroy(list));
	EXPECT_OK(doca_devinfo_destroy_list(array));
	EXPECT_OK(doca_devinfo_list_destroy(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_destroy_list(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_create(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_create_list(NULL, &num));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_create_list(&array, NULL));
}

TEST_F(lib, lists_leave_nothing_behind)
{
	struct doca_devinfo_list *list;
	struct doca_devinfo **array;
	int fds = count_fds(), i;
	uint32_t num;

	for (i = 0; i < 50; i++) {
		ASSERT_OK(doca_devinfo_list_create(&list));
		ASSERT_OK(doca_devinfo_list_destroy(list));
		ASSERT_OK(doca_devinfo_create_list(&array, &num));
		ASSERT_OK(doca_devinfo_destroy_list(array));
	}
	EXPECT_EQ(fds, count_fds());
}

TEST_F(lib, pci_addresses)
{
	const struct doca_devinfo *info = doca_dev_as_devinfo(self->dev);
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE], other[16], small[12];
	uint8_t equal = 7;
	int i;

	ASSERT_OK(doca_devinfo_get_pci_addr_str(info, addr));
	EXPECT_OK(doca_devinfo_is_equal_pci_addr(info, addr, &equal));
	EXPECT_EQ(1, equal);
	for (i = 0; addr[i]; i++)
		other[i] = addr[i] >= 'a' && addr[i] <= 'f' ? addr[i] - 32 : addr[i];
	other[i] = 0;
	EXPECT_OK(doca_devinfo_is_equal_pci_addr(info, other, &equal));
	EXPECT_EQ(1, equal);
	if (!strncmp(addr, "0000:", 5)) {
		EXPECT_OK(doca_devinfo_is_equal_pci_addr(info, addr + 5, &equal));
		EXPECT_EQ(1, equal);
	}
	strcpy(other, addr);
	other[11] ^= 1;
	EXPECT_OK(doca_devinfo_is_equal_pci_addr(info, other, &equal));
	EXPECT_EQ(0, equal);
	strcpy(other, addr);
	other[3] ^= 1;
	EXPECT_OK(doca_devinfo_is_equal_pci_addr(info, other, &equal));
	EXPECT_EQ(0, equal);

	static const char * const bad[] = {
		"", "3", "zz:00.0", "0000-3a:00.0", "0000:3a:00.", "0000:3a:00.00", "3a:00:0",
		"00000:3a:00.0", " 3a:00.0", "0x0:3a:00.0",
	};
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
			    doca_devinfo_is_equal_pci_addr(info, bad[i], &equal));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, NULL, &equal));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, addr, NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(NULL, addr, &equal));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_pci_addr(info, small, 12));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_pci_addr(info, NULL, 13));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_pci_addr_str(NULL, addr));
}

TEST_F(lib, properties)
{
	const struct doca_devinfo *info = doca_dev_as_devinfo(self->dev);
	char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint8_t mac[6] = {}, gid[16] = {}, ipv4[4];
	struct doca_devinfo_caps caps = {};

	EXPECT_OK(doca_devinfo_get_iface_name(info, name, sizeof(name)));
	EXPECT_STREQ("doca0", name);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_devinfo_get_iface_name(info, name, sizeof(name) - 1));
	EXPECT_OK(doca_devinfo_get_ibdev_name(info, name, DOCA_DEVINFO_IBDEV_NAME_SIZE));
	EXPECT_STREQ("doca0", name);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_devinfo_get_ibdev_name(info, name, DOCA_DEVINFO_IBDEV_NAME_SIZE - 1));
	EXPECT_OK(doca_devinfo_get_mac_addr(info, mac, sizeof(mac)));
	EXPECT_FALSE(mem_is(mac, sizeof(mac), 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_mac_addr(info, mac, 5));
	EXPECT_OK(doca_devinfo_get_ipv6_addr(info, gid, sizeof(gid)));
	EXPECT_FALSE(mem_is(gid, sizeof(gid), 0));
	EXPECT_DOCA(DOCA_ERROR_NOT_FOUND, doca_devinfo_get_ipv4_addr(info, ipv4, 4));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv4_addr(info, ipv4, 3));

	ASSERT_OK(doca_devinfo_get_caps(info, &caps));
	EXPECT_NE(0, caps.model[0]);
	EXPECT_LE(1, caps.num_comp_vectors);
	EXPECT_EQ(!(caps.caps & DOCA_DEVINFO_CAP_DMA_MEMCPY),
		  doca_dma_cap_task_memcpy_is_supported(info) != DOCA_SUCCESS);
	if (caps.caps & DOCA_DEVINFO_CAP_DMA_MEMCPY) {
		uint32_t len = 0;
		uint64_t max = 0;

		EXPECT_OK(doca_dma_cap_task_memcpy_get_max_buf_size(info, &max));
		EXPECT_EQ(caps.dma_max_buf_size, max);
		EXPECT_OK(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &len));
		EXPECT_EQ(caps.dma_max_buf_list_len, len);
	}
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_caps(NULL, &caps));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_caps(info, NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_is_supported(NULL));
}

TEST_F(lib, a_device_is_opened_once_however_often)
{
	struct doca_dev *again = NULL;
	int fds = count_fds();

	ASSERT_OK(open_device(0, &again));
	EXPECT_EQ((void *)self->dev, (void *)again);
	EXPECT_EQ(fds, count_fds());
	EXPECT_OK(doca_dev_close(again));
	/* one reference is left: it still works */
	struct doca_mmap *map;

	ASSERT_OK(map_memory(self->dev, self->mem, self->size, 1, &map));
	EXPECT_OK(doca_mmap_destroy(map));
}

TEST_F(lib, close_of_nothing_and_open_of_nothing)
{
	struct doca_dev *dev;

	EXPECT_OK(doca_dev_close(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_dev_open(NULL, &dev));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_dev_open(doca_dev_as_devinfo(self->dev), NULL));
	EXPECT_EQ(NULL, doca_dev_as_devinfo(NULL));
}

TEST_F(lib, the_devinfo_of_an_open_device_outlives_the_list)
{
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];

	/* open_device() has destroyed the list */
	EXPECT_OK(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(self->dev), addr));
}

TEST_F(lib, close_in_use)
{
	struct doca_mmap *map;
	struct doca_dma *dma;

	ASSERT_OK(map_memory(self->dev, self->mem, self->size, 1, &map));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_dev_close(self->dev));
	ASSERT_OK(doca_mmap_stop(map));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_dev_close(self->dev));
	EXPECT_OK(doca_mmap_destroy(map));
	ASSERT_OK(doca_dma_create(self->dev, &dma));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_dev_close(self->dev));
	EXPECT_OK(doca_dma_destroy(dma));
}

TEST_F(lib, open_and_close_leave_nothing_behind)
{
	struct doca_dev *dev;
	int i;

	ASSERT_OK(doca_dev_close(self->dev));
	self->dev = NULL;
	for (i = 0; i < 50; i++) {
		ASSERT_OK(open_device(0, &dev));
		ASSERT_OK(doca_dev_close(dev));
		ASSERT_EQ(0, count_maps());
	}
}

TEST_F(lib, no_node_is_NOT_FOUND)
{
	/* another mount namespace in which there is no /dev/doca */
	int status = IN_CHILD({
		struct doca_devinfo **list;
		uint32_t num;

		if (unshare(CLONE_NEWNS)) {
			fprintf(stderr, "# no namespaces: %d\n", errno);
			_exit(77);
		}
		if (syscall(SYS_mount, "none", "/", NULL, 0x40000 | 0x4000, NULL) ||
		    syscall(SYS_mount, "none", "/dev/doca", "tmpfs", 0, NULL))
			_exit(77);
		CHILD_CHECK_EQ(DOCA_ERROR_NOT_FOUND, doca_devinfo_create_list(&list, &num));
	});

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP(return, "no mount namespaces");
	EXPECT_EQ(0, status);
}

TEST_F(lib, a_node_without_permission_is_NOT_PERMITTED)
{
	int status = IN_CHILD({
		struct doca_devinfo **list;
		uint32_t num;

		if (unshare(CLONE_NEWNS) ||
		    syscall(SYS_mount, "none", "/", NULL, 0x40000 | 0x4000, NULL) ||
		    syscall(SYS_mount, "none", "/dev/doca", "tmpfs", 0, NULL) ||
		    mknod("/dev/doca/0", S_IFCHR | 0600, 0) || chmod("/dev/doca/0", 0600))
			_exit(77);
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(DOCA_ERROR_NOT_PERMITTED, doca_devinfo_create_list(&list, &num));
	});

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP(return, "no mount namespaces");
	EXPECT_EQ(0, status);
}

/* --- memory maps --------------------------------------------------------------- */

TEST_F(lib, mmap_life)
{
	struct doca_mmap *map;
	void *addr;
	size_t len;
	long pin = vm_pin_kb();
	uint32_t mkey;
	int i;

	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_mmap_get_memrange(map, &addr, &len));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(map));
	EXPECT_OK(doca_mmap_set_memrange(map, self->mem, self->size));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(map));
	EXPECT_OK(doca_mmap_add_dev(map, self->dev));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_mmap_get_mkey(map, self->dev, &mkey));
	for (i = 0; i < 3; i++) {
		ASSERT_OK(doca_mmap_start(map));
		EXPECT_EQ(pin + (long)(self->size / 1024), vm_pin_kb());
		EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_mmap_start(map));
		EXPECT_OK(doca_mmap_get_mkey(map, self->dev, &mkey));
		EXPECT_NE(0, mkey);
		EXPECT_OK(doca_mmap_get_memrange(map, &addr, &len));
		EXPECT_EQ((void *)self->mem, addr);
		EXPECT_EQ(self->size, len);
		ASSERT_OK(doca_mmap_stop(map));
		EXPECT_EQ(pin, vm_pin_kb());
		EXPECT_OK(doca_mmap_stop(map));
	}
	ASSERT_OK(doca_mmap_start(map));
	/* destroy implies stop */
	EXPECT_OK(doca_mmap_destroy(map));
	EXPECT_EQ(pin, vm_pin_kb());
}

TEST_F(lib, mmap_range_rules)
{
	struct doca_mmap *map;

	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(NULL, self->mem, 1));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(map, NULL, 1));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(map, self->mem, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(map, self->mem, SIZE_MAX));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_set_memrange(map, (void *)-1UL, 2));
	EXPECT_OK(doca_mmap_set_memrange(map, self->mem + 3, 1));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(map, self->mem, self->size));
	EXPECT_OK(doca_mmap_add_dev(map, self->dev));
	ASSERT_OK(doca_mmap_start(map));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_mmap_set_memrange(map, self->mem, self->size));
	EXPECT_OK(doca_mmap_destroy(map));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_create(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_destroy(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_stop(NULL));
}

TEST_F(lib, mmap_permission_rules)
{
	struct doca_mmap *map;
	int bit;

	ASSERT_OK(doca_mmap_create(&map));
	for (bit = 0; bit < 32; bit++) {
		if (bit < 6)
			EXPECT_OK(doca_mmap_set_permissions(map, 1U << bit));
		else if (bit > 6)
			EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
				    doca_mmap_set_permissions(map, 1U << bit));
	}
	EXPECT_OK(doca_mmap_set_permissions(map, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_ONLY |
					      DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_permissions(NULL, 0));
	EXPECT_OK(doca_mmap_set_memrange(map, self->mem, self->size));
	EXPECT_OK(doca_mmap_add_dev(map, self->dev));
	ASSERT_OK(doca_mmap_start(map));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE,
		    doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	EXPECT_OK(doca_mmap_destroy(map));
}

TEST_F(lib, mmap_device_rules)
{
	struct doca_mmap *map;
	uint32_t num = 0;

	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_OK(doca_mmap_get_max_num_devices(map, &num));
	EXPECT_EQ(16, num);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_devices(map, 0));
	EXPECT_OK(doca_mmap_set_max_num_devices(map, 1));
	EXPECT_OK(doca_mmap_add_dev(map, self->dev));
	EXPECT_DOCA(DOCA_ERROR_ALREADY_EXIST, doca_mmap_add_dev(map, self->dev));
	EXPECT_OK(doca_mmap_rm_dev(map, self->dev));
	EXPECT_DOCA(DOCA_ERROR_NOT_FOUND, doca_mmap_rm_dev(map, self->dev));
	EXPECT_OK(doca_mmap_add_dev(map, self->dev));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_mmap_add_dev(map, NULL));
	EXPECT_OK(doca_mmap_set_memrange(map, self->mem, self->size));
	ASSERT_OK(doca_mmap_start(map));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(map, self->dev));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(map, self->dev));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(map, 4));
	EXPECT_OK(doca_mmap_destroy(map));
}

TEST_F(lib, mmap_of_memory_that_is_not_there)
{
	struct doca_mmap *map;
	long pin = vm_pin_kb();

	ASSERT_EQ(0, mprotect(self->mem + page_size(), page_size(), PROT_READ));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    map_memory(self->dev, self->mem, self->size,
			       DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &map));
	ASSERT_OK(map_memory(self->dev, self->mem, self->size,
			     DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &map));
	EXPECT_OK(doca_mmap_destroy(map));
	ASSERT_EQ(0, munmap(self->mem + page_size(), page_size()));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    map_memory(self->dev, self->mem, self->size,
			       DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &map));
	EXPECT_EQ(pin, vm_pin_kb());
}

TEST_F(lib, mmap_over_the_memlock_limit_is_NO_MEMORY)
{
	EXPECT_EQ(0, IN_CHILD({
		char *mem = mem_alloc(self->size);
		struct doca_mmap *map;
		struct doca_dev *dev;

		CHILD_CHECK_EQ(0, set_memlock(4 * page_size()));
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(DOCA_SUCCESS, open_device(0, &dev));
		CHILD_CHECK_EQ(DOCA_ERROR_NO_MEMORY, map_memory(dev, mem, 5 * page_size(), 1, &map));
		CHILD_CHECK_EQ(DOCA_SUCCESS, map_memory(dev, mem, 4 * page_size(), 1, &map));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_mmap_destroy(map));
		CHILD_CHECK_EQ(DOCA_SUCCESS, doca_dev_close(dev));
		CHILD_CHECK_EQ(0, vm_pin_kb());
	}));
}

static void *freed_addr;
static size_t freed_len;
static void *freed_cookie;

static void on_free(void *addr, size_t len, void *cookie)
{
	freed_addr = addr;
	freed_len = len;
	freed_cookie = cookie;
}

TEST_F(lib, mmap_free_callback)
{
	struct doca_mmap *map;
	int cookie;

	/* never started: not called */
	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_OK(doca_mmap_set_memrange(map, self->mem, self->size));
	EXPECT_OK(doca_mmap_set_free_cb(map, on_free, &cookie));
	EXPECT_OK(doca_mmap_destroy(map));
	EXPECT_EQ(NULL, freed_addr);

	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_OK(doca_mmap_set_memrange(map, self->mem, self->size));
	EXPECT_OK(doca_mmap_add_dev(map, self->dev));
	EXPECT_OK(doca_mmap_set_free_cb(map, on_free, &cookie));
	ASSERT_OK(doca_mmap_start(map));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_mmap_set_free_cb(map, NULL, NULL));
	ASSERT_OK(doca_mmap_stop(map));
	EXPECT_EQ(NULL, freed_addr);
	EXPECT_OK(doca_mmap_destroy(map));
	EXPECT_EQ((void *)self->mem, freed_addr);
	EXPECT_EQ(self->size, freed_len);
	EXPECT_EQ((void *)&cookie, freed_cookie);
}

TEST_F(lib, mmap_user_data)
{
	union doca_data data = { .u64 = 0x1234 };
	struct doca_mmap *map;

	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_OK(doca_mmap_get_user_data(map, &data));
	EXPECT_EQ(0, data.u64);
	data.u64 = 0x5678;
	EXPECT_OK(doca_mmap_set_user_data(map, data));
	data.u64 = 0;
	EXPECT_OK(doca_mmap_get_user_data(map, &data));
	EXPECT_EQ(0x5678, data.u64);
	EXPECT_OK(doca_mmap_destroy(map));
}

/* --- bufs -------------------------------------------------------------------------- */

FIXTURE(buf) {
	struct baseline base;
	struct doca_dev *dev;
	struct doca_mmap *map;
	struct doca_buf_inventory *inventory;
	char *mem;
	size_t size;
};

FIXTURE_SETUP(buf)
{
	baseline_take(&self->base);
	self->size = 16 * page_size();
	self->mem = mem_alloc(self->size);
	ASSERT_NE(NULL, self->mem);
	ASSERT_OK(open_device(0, &self->dev));
	ASSERT_OK(map_memory(self->dev, self->mem, self->size,
			     DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &self->map));
	ASSERT_OK(doca_buf_inventory_create(8, &self->inventory));
	ASSERT_OK(doca_buf_inventory_start(self->inventory));
}

FIXTURE_TEARDOWN(buf)
{
	EXPECT_OK(doca_buf_inventory_destroy(self->inventory));
	EXPECT_OK(doca_mmap_destroy(self->map));
	EXPECT_OK(doca_dev_close(self->dev));
	munmap(self->mem, self->size);
	EXPECT_BASELINE(&self->base);
}

TEST_F(buf, windows_and_data)
{
	struct doca_buf *buf;
	void *p = NULL;
	size_t n = 0;

	ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->inventory, self->map, self->mem + 5,
						     100, &buf));
	EXPECT_OK(doca_buf_get_head(buf, &p));
	EXPECT_EQ((void *)(self->mem + 5), p);
	EXPECT_OK(doca_buf_get_len(buf, &n));
	EXPECT_EQ(100, n);
	EXPECT_OK(doca_buf_get_data_len(buf, &n));
	EXPECT_EQ(0, n);
	EXPECT_OK(doca_buf_set_data(buf, self->mem + 10, 20));
	EXPECT_OK(doca_buf_get_data(buf, &p));
	EXPECT_EQ((void *)(self->mem + 10), p);
	EXPECT_OK(doca_buf_get_data_len(buf, &n));
	EXPECT_EQ(20, n);
	EXPECT_OK(doca_buf_reset_data_len(buf));
	EXPECT_OK(doca_buf_get_data_len(buf, &n));
	EXPECT_EQ(0, n);
	EXPECT_OK(doca_buf_dec_refcount(buf, NULL));

	ASSERT_OK(doca_buf_inventory_buf_get_by_data(self->inventory, self->map, self->mem, 50,
						     &buf));
	EXPECT_OK(doca_buf_get_data_len(buf, &n));
	EXPECT_EQ(50, n);
	EXPECT_OK(doca_buf_dec_refcount(buf, NULL));
}

TEST_F(buf, windows_outside_of_the_map_are_INVALID_VALUE)
{
	struct {
		char *addr;
		size_t len;
	} cases[] = {
		{ self->mem + self->size, 1 }, { self->mem + self->size - 1, 2 },
		{ self->mem - 1, 1 }, { self->mem - 1, 2 }, { self->mem, self->size + 1 },
		{ self->mem, SIZE_MAX }, { self->mem + 1, SIZE_MAX },
		{ (char *)-1L, 2 }, { self->mem + 8, -8UL },
	};
	struct doca_buf *buf;
	uint32_t num = 9;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
			    doca_buf_inventory_buf_get_by_addr(self->inventory, self->map,
							       cases[i].addr, cases[i].len, &buf));
	/* data outside of the window */
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_inventory_buf_get_by_args(self->inventory, self->map, self->mem, 10,
						       self->mem + 5, 6, &buf));
	EXPECT_OK(doca_mmap_get_num_bufs(self->map, &num));
	EXPECT_EQ(0, num);
	ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->inventory, self->map, self->mem,
						     self->size, &buf));
	EXPECT_OK(doca_mmap_get_num_bufs(self->map, &num));
	EXPECT_EQ(1, num);
	EXPECT_OK(doca_buf_dec_refcount(buf, NULL));
}

TEST_F(buf, the_inventory_runs_empty_and_fills_again)
{
	struct doca_buf *bufs[8], *one;
	uint32_t num = 0;
	int i, round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 8; i++)
			ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->inventory, self->map,
								     self->mem, 8, &bufs[i]));
		EXPECT_DOCA(DOCA_ERROR_NO_MEMORY,
			    doca_buf_inventory_buf_get_by_addr(self->inventory, self->map,
							       self->mem, 8, &one));
		EXPECT_OK(doca_buf_inventory_get_num_free_elements(self->inventory, &num));
		EXPECT_EQ(0, num);
		EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_buf_inventory_destroy(self->inventory));
		EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(self->map));
		EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(self->map));
		for (i = 0; i < 8; i++)
			EXPECT_OK(doca_buf_dec_refcount(bufs[i], NULL));
		EXPECT_OK(doca_buf_inventory_get_num_free_elements(self->inventory, &num));
		EXPECT_EQ(8, num);
	}
}

TEST_F(buf, references)
{
	struct doca_buf *buf;
	uint16_t count = 99;

	ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->inventory, self->map, self->mem, 8,
						     &buf));
	EXPECT_OK(doca_buf_get_refcount(buf, &count));
	EXPECT_EQ(1, count);
	EXPECT_OK(doca_buf_inc_refcount(buf, &count));
	EXPECT_EQ(1, count);
	EXPECT_OK(doca_buf_inc_refcount(buf, NULL));
	EXPECT_OK(doca_buf_dec_refcount(buf, &count));
	EXPECT_EQ(3, count);
	EXPECT_OK(doca_buf_dec_refcount(buf, NULL));
	EXPECT_OK(doca_buf_dec_refcount(buf, &count));
	EXPECT_EQ(1, count);
}

TEST_F(buf, lists)
{
	struct doca_buf *b[4], *p;
	uint32_t len = 0, num = 0;
	uint8_t flag = 7;
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_OK(doca_buf_inventory_buf_get_by_addr(self->inventory, self->map,
							     self->mem + i * 8, 8, &b[i]));
	EXPECT_OK(doca_buf_is_in_list(b[0], &flag));
	EXPECT_EQ(0, flag);
	for (i = 1; i < 4; i++)
		ASSERT_OK(doca_buf_chain_list(b[0], b[i]));
	EXPECT_OK(doca_buf_get_list_len(b[0], &len));
	EXPECT_EQ(4, len);
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_buf_get_list_len(b[1], &len));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(b[0], b[0]));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_buf_dec_refcount(b[2], NULL));
	EXPECT_OK(doca_buf_get_last_in_list(b[0], &p));
	EXPECT_EQ((void *)b[3], (void *)p);
	ASSERT_OK(doca_buf_unchain_list(b[0], b[2]));
	EXPECT_OK(doca_buf_get_list_len(b[0], &len));
	EXPECT_EQ(2, len);
	EXPECT_OK(doca_buf_get_list_len(b[2], &len));
	EXPECT_EQ(2, len);
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_unchain_list(b[0], b[0]));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_unchain_list(b[0], b[3]));
	/* a list goes as a whole */
	EXPECT_OK(doca_buf_dec_refcount(b[0], NULL));
	EXPECT_OK(doca_buf_inventory_get_num_free_elements(self->inventory, &num));
	EXPECT_EQ(6, num);
	EXPECT_OK(doca_buf_dec_refcount(b[2], NULL));
	EXPECT_OK(doca_buf_inventory_get_num_free_elements(self->inventory, &num));
	EXPECT_EQ(8, num);
}

TEST_F(buf, inventory_rules)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;

	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(0, &inventory));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(SIZE_MAX, &inventory));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_buf_inventory_create(UINT32_MAX + 1UL, &inventory));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(1, NULL));
	ASSERT_OK(doca_buf_inventory_create(1, &inventory));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE,
		    doca_buf_inventory_buf_get_by_addr(inventory, self->map, self->mem, 8, &buf));
	ASSERT_OK(doca_buf_inventory_start(inventory));
	ASSERT_OK(doca_buf_inventory_buf_get_by_addr(inventory, self->map, self->mem, 8, &buf));
	/* stopped: what is out stays valid */
	EXPECT_OK(doca_buf_inventory_stop(inventory));
	EXPECT_OK(doca_buf_dec_refcount(buf, NULL));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE,
		    doca_buf_inventory_buf_get_by_addr(inventory, self->map, self->mem, 8, &buf));
	EXPECT_OK(doca_buf_inventory_destroy(inventory));
}

TEST_F(buf, of_a_map_that_is_not_started)
{
	struct doca_mmap *map;
	struct doca_buf *buf;

	ASSERT_OK(doca_mmap_create(&map));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE,
		    doca_buf_inventory_buf_get_by_addr(self->inventory, map, self->mem, 8, &buf));
	EXPECT_OK(doca_mmap_destroy(map));
}

DOCA_TEST_MAIN
