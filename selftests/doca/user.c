// SPDX-License-Identifier: GPL-2.0-only
/*
 * A normal user, with no capability at all, can use a DPU.
 */
#include "doca_utils.h"
#include <linux/capability.h>

FIXTURE(user) {
	struct baseline base;
};

FIXTURE_SETUP(user)
{
	baseline_take(&self->base);
	ASSERT_EQ(0, geteuid())
		TH_LOG("needs root, to become somebody else");
}

FIXTURE_TEARDOWN(user)
{
	EXPECT_BASELINE(&self->base);
}

/* B63: octal. */
TEST_F(user, mode_of_the_node)
{
	struct stat st;

	ASSERT_EQ(0, stat(NODE, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0666, st.st_mode & 07777);
	EXPECT_EQ(0, st.st_uid);
}

TEST_F(user, no_capability_is_left)
{
	EXPECT_EQ(0, IN_CHILD({
		struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
		struct __user_cap_data_struct data[2] = {};

		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(0, syscall(SYS_capget, &header, data));
		CHILD_CHECK_EQ(0, data[0].effective | data[0].permitted);
		CHILD_CHECK_EQ(0, data[1].effective | data[1].permitted);
		CHILD_CHECK_EQ(65534, geteuid());
	}));
}

TEST_F(user, dma_from_end_to_end)
{
	EXPECT_EQ(0, IN_CHILD({
		struct doca_device_info info = {};
		struct rig rig;

		CHILD_CHECK_EQ(0, set_memlock(1 << 20));
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
		CHILD_CHECK_EQ(0, do_device_info(rig.dom.fd, &info));
		chan_arm(&rig.chan, 0);
		CHILD_CHECK_EQ(DOCA_CQE_OK, rig_copy(&rig, rig_src(&rig, 0, rig.size),
						     rig_dst(&rig, 0, rig.size)));
		CHILD_CHECK(!memcmp(rig.src, rig.dst, rig.size));
		CHILD_CHECK_EQ(POLLIN, fd_poll(rig.chan.fd, WAIT_MS));
		CHILD_CHECK_EQ(1, fd_events(rig.chan.fd));
		CHILD_CHECK_EQ(2 * rig.size / 1024, vm_pin_kb());
		rig_close(&rig);
		CHILD_CHECK_EQ(0, vm_pin_kb());
	}));
}

TEST_F(user, rdma_from_end_to_end)
{
	EXPECT_EQ(0, IN_CHILD({
		struct rig one;
		struct rig two;

		CHILD_CHECK_EQ(0, set_memlock(1 << 20));
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(0, rig_open(&one, DOCA_ENGINE_RDMA, 64));
		CHILD_CHECK_EQ(0, rig_open(&two, DOCA_ENGINE_RDMA, 64));
		CHILD_CHECK_EQ(0, rig_connect(&one, &two));
		CHILD_CHECK_EQ(DOCA_CQE_OK, rig_copy(&one, rig_src(&one, 0, one.size),
						     rig_dst(&two, 0, two.size)));
		CHILD_CHECK(!memcmp(one.src, two.dst, one.size));
	}));
}

TEST_F(user, the_usual_memlock_limit_of_8_MiB)
{
	EXPECT_EQ(0, IN_CHILD({
		size_t limit = 8 << 20;
		char *mem = mem_alloc(limit + 4096);
		struct region region;
		struct dom dom;

		CHILD_CHECK_EQ(0, set_memlock(limit));
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(0, dom_open(&dom));
		CHILD_CHECK_EQ(-EDQUOT, region_create(&dom, &region, mem, limit + 1, 0));
		CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, limit, 0));
		CHILD_CHECK_EQ(limit / 1024, vm_pin_kb());
	}));
}

/* A descriptor that root opened and handed over: the opener's process counts, not its user. */
TEST_F(user, opened_before_root_was_dropped)
{
	EXPECT_EQ(0, IN_CHILD({
		char *mem = mem_alloc(3 * page_size());
		struct region region;
		struct dom dom;

		CHILD_CHECK_EQ(0, set_memlock(2 * page_size()));
		CHILD_CHECK_EQ(0, dom_open(&dom));
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(-EDQUOT, region_create(&dom, &region, mem, 3 * page_size(), 0));
		CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, 2 * page_size(), 0));
	}));
}

TEST_F(user, cannot_load_or_unload_or_unbind)
{
	EXPECT_EQ(0, IN_CHILD({
		CHILD_CHECK_EQ(0, drop_root());
		CHILD_CHECK_EQ(-1, syscall(SYS_delete_module, "doca", O_NONBLOCK));
		CHILD_CHECK_EQ(EPERM, errno);
		CHILD_CHECK_EQ(-1, open("/sys/bus/pci/drivers/doca/unbind", O_WRONLY));
	}));
}

DOCA_TEST_MAIN
