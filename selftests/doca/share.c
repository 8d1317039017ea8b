// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two sides of a card: regions that the host shares and the DPU imports. Needs
 * a card with functions of both, which tools/dpu-vm makes with --function side=dpu.
 */
#include <signal.h>
#include <sys/socket.h>

#include "card_utils.h"

#define SIZE		(16 * 4096UL)

static int do_function_info(int fd, __u32 number, struct doca_function_info *arg)
{
	*arg = (struct doca_function_info) { .size = sizeof(*arg), .function_number = number };
	return do_ioctl(fd, DOCA_IOCTL_FUNCTION_INFO, arg);
}

/* The host shares @mem, for reading, and @mem_rw; the DPU has both, and @local. */
FIXTURE(share) {
	struct baseline base;
	struct dom host, dpu;
	struct chan chan;
	struct queue queue;
	char *mem, *mem_rw, *local;
	struct region region, region_rw, region_local;
	__u8 token[DOCA_TOKEN_LEN], token_rw[DOCA_TOKEN_LEN];
	struct doca_region_import import, import_rw;
};

FIXTURE_SETUP(share)
{
	baseline_take(&self->base);
	self->host.fd = -1;
	self->dpu.fd = -1;
	ASSERT_EQ(0, dom_open_node(&self->host, host_node));
	ASSERT_EQ(0, dom_open_node(&self->dpu, dpu_node));
	ASSERT_EQ(0, chan_create(&self->dpu, &self->chan, 64));
	ASSERT_EQ(0, queue_create(&self->dpu, &self->chan, &self->queue, DOCA_ENGINE_DMA, 64, 1));
	self->mem = mem_alloc_guarded(SIZE);
	self->mem_rw = mem_alloc_guarded(SIZE);
	self->local = mem_alloc_guarded(SIZE);
	ASSERT_TRUE(self->mem && self->mem_rw && self->local);
	mem_fill(self->mem, SIZE, 1);
	mem_fill(self->mem_rw, SIZE, 2);
	ASSERT_EQ(0, region_create(&self->host, &self->region, self->mem, SIZE,
				   DOCA_KEY_PCI_READ));
	ASSERT_EQ(0, region_create(&self->host, &self->region_rw, self->mem_rw, SIZE,
				   DOCA_KEY_PCI_WRITE));
	ASSERT_EQ(0, region_create(&self->dpu, &self->region_local, self->local, SIZE,
				   DOCA_KEY_LOCAL_WRITE));
	ASSERT_EQ(0, do_share(self->host.fd, self->region.id, self->token));
	ASSERT_EQ(0, do_share(self->host.fd, self->region_rw.id, self->token_rw));
	ASSERT_EQ(0, do_import(self->dpu.fd, host_info.out_function_number, self->region.mkey,
			       self->token, &self->import));
	ASSERT_EQ(0, do_import(self->dpu.fd, host_info.out_function_number, self->region_rw.mkey,
			       self->token_rw, &self->import_rw));
}

FIXTURE_TEARDOWN(share)
{
	if (self->queue.ring)
		munmap(self->queue.ring, self->queue.ring_size);
	if (self->chan.ring)
		munmap((void *)self->chan.ring, self->chan.ring_size);
	if (self->chan.fd > 0)
		close(self->chan.fd);
	dom_close(&self->dpu);
	dom_close(&self->host);
	mem_free_guarded(self->mem, SIZE);
	mem_free_guarded(self->mem_rw, SIZE);
	mem_free_guarded(self->local, SIZE);
	EXPECT_BASELINE(&self->base);
}

typedef FIXTURE_DATA(share) fixture;

/* A copy by the DPU, with a new queue if it failed. Its status, or -errno. */
static int copy(fixture *self, struct doca_sge src, struct doca_sge dst)
{
	struct done done;
	int err;

	queue_post(&self->queue, 1, src, dst);
	queue_ring(&self->queue);
	err = chan_wait(&self->chan, &done);
	if (err || !done.status)
		return err;
	err = queue_destroy(&self->queue);
	if (!err)
		err = queue_create(&self->dpu, &self->chan, &self->queue, DOCA_ENGINE_DMA, 64, 1);
	return err ? err : done.status;
}

static struct doca_sge remote(fixture *self, size_t offset, __u32 len)
{
	return sge(self->mem + offset, self->import.out_mkey, len);
}

static struct doca_sge remote_rw(fixture *self, size_t offset, __u32 len)
{
	return sge(self->mem_rw + offset, self->import_rw.out_mkey, len);
}

static struct doca_sge local(fixture *self, size_t offset, __u32 len)
{
	return sge(self->local + offset, self->region_local.mkey, len);
}

TEST_F(share, the_functions_of_the_card)
{
	struct doca_function_info info;
	unsigned int i, found = 0;
	int err;

	EXPECT_NE(host_info.out_function_number, dpu_info.out_function_number);
	for (i = 0; i < DOCA_MAX_FUNCTIONS; i++) {
		err = do_function_info(self->dpu.fd, i, &info);
		if (err) {
			EXPECT_EQ(-ENOENT, err);
			continue;
		}
		if (i == host_info.out_function_number) {
			found++;
			EXPECT_EQ(DOCA_SIDE_HOST, info.out_side);
			EXPECT_EQ(host_info.out_pci_bus, info.out_pci_bus);
			EXPECT_EQ(host_info.out_pci_device, info.out_pci_device);
			EXPECT_EQ(host_info.out_pci_function, info.out_pci_function);
		} else if (i == dpu_info.out_function_number) {
			found++;
			EXPECT_EQ(DOCA_SIDE_DPU, info.out_side);
			EXPECT_EQ(dpu_info.out_pci_function, info.out_pci_function);
		}
	}
	EXPECT_EQ(2, found);
	EXPECT_EQ(-EINVAL, do_function_info(self->dpu.fd, DOCA_MAX_FUNCTIONS, &info));
	EXPECT_EQ(-EINVAL, do_function_info(self->dpu.fd, UINT_MAX, &info));
	EXPECT_EQ(0, do_function_info(self->host.fd, dpu_info.out_function_number, &info));
}

TEST_F(share, the_dpu_reads_memory_of_the_host)
{
	EXPECT_EQ(DOCA_CQE_OK, copy(self, remote(self, 3, SIZE - 7), local(self, 1, SIZE - 7)));
	EXPECT_EQ(0, memcmp(self->mem + 3, self->local + 1, SIZE - 7));
}

TEST_F(share, the_dpu_writes_memory_of_the_host)
{
	mem_fill(self->local, SIZE, 3);
	EXPECT_EQ(DOCA_CQE_OK, copy(self, local(self, 5, 9000), remote_rw(self, 4000, 9000)));
	EXPECT_EQ(0, memcmp(self->mem_rw + 4000, self->local + 5, 9000));
	/* from the host to the host, and back */
	EXPECT_EQ(DOCA_CQE_OK, copy(self, remote(self, 0, SIZE), remote_rw(self, 0, SIZE)));
	EXPECT_EQ(0, memcmp(self->mem, self->mem_rw, SIZE));
	EXPECT_EQ(DOCA_CQE_OK, copy(self, remote_rw(self, 0, SIZE), local(self, 0, SIZE)));
	EXPECT_EQ(0, memcmp(self->mem, self->local, SIZE));
}

TEST_F(share, rights_and_bounds_are_those_of_the_region)
{
	char *before = malloc(SIZE);

	memcpy(before, self->mem, SIZE);
	EXPECT_EQ(DOCA_CQE_LOCAL_ACCESS, copy(self, local(self, 0, 64), remote(self, 0, 64)));
	EXPECT_EQ(DOCA_CQE_LOCAL_BOUNDS, copy(self, remote(self, SIZE - 63, 64),
					      local(self, 0, 64)));
	EXPECT_EQ(DOCA_CQE_LOCAL_BOUNDS, copy(self, remote(self, -1, 64), local(self, 0, 64)));
	EXPECT_EQ(DOCA_CQE_LOCAL_BOUNDS, copy(self, local(self, 0, 64),
					      remote_rw(self, SIZE - 63, 64)));
	/* the host's key means nothing on the DPU's function, and the other way round */
	if (self->region.mkey != self->region_local.mkey &&
	    self->region.mkey != self->import.out_mkey)
		EXPECT_NE(DOCA_CQE_OK, copy(self, sge(self->mem, self->region.mkey, 64),
					    local(self, 0, 64)));
	EXPECT_EQ(0, memcmp(before, self->mem, SIZE));
	free(before);
}

TEST_F(share, calls_that_are_refused)
{
	struct doca_region_share share = { .size = sizeof(share), .region_id = self->region.id };
	struct doca_region_import import;
	__u8 token[DOCA_TOKEN_LEN];
	struct region region;

	EXPECT_EQ(-ENOENT, do_share(self->host.fd, 12345, token));
	EXPECT_EQ(-EOPNOTSUPP, do_share(self->dpu.fd, self->region_local.id, token));
	ASSERT_EQ(0, region_create(&self->host, &region, self->mem, SIZE,
				   DOCA_KEY_RDMA_READ | DOCA_KEY_RDMA_WRITE));
	EXPECT_EQ(-EINVAL, do_share(self->host.fd, region.id, token));
	EXPECT_EQ(0, region_destroy(&region));
	share.flags = 1;
	EXPECT_EQ(-EINVAL, do_ioctl(self->host.fd, DOCA_IOCTL_REGION_SHARE, &share));
	share.flags = 0;
	share.__reserved = 1;
	EXPECT_EQ(-EINVAL, do_ioctl(self->host.fd, DOCA_IOCTL_REGION_SHARE, &share));

	EXPECT_EQ(-EOPNOTSUPP, do_import(self->host.fd, host_info.out_function_number,
					 self->region.mkey, self->token, &import));
	EXPECT_EQ(-EINVAL, do_import(self->dpu.fd, DOCA_MAX_FUNCTIONS, self->region.mkey,
				     self->token, &import));
	EXPECT_EQ(-ENOENT, do_import(self->dpu.fd, dpu_info.out_function_number,
				     self->region.mkey, self->token, &import));
	EXPECT_EQ(-ENOENT, do_import(self->dpu.fd, DOCA_MAX_FUNCTIONS - 1, self->region.mkey,
				     self->token, &import));
	EXPECT_EQ(-ENOENT, do_import(self->dpu.fd, host_info.out_function_number,
				     self->region.mkey ^ 1, self->token, &import));
	EXPECT_EQ(-ENOENT, do_import(self->dpu.fd, host_info.out_function_number,
				     self->region_rw.mkey, self->token, &import));
	/* an import is no region: it cannot be shared on */
	EXPECT_EQ(-EOPNOTSUPP, do_share(self->dpu.fd, self->import.out_id, token));
}

/* Each of its bits counts, and no two are the same. */
TEST_F(share, the_token)
{
	__u8 tokens[64][DOCA_TOKEN_LEN], ones[DOCA_TOKEN_LEN] = {}, zeros[DOCA_TOKEN_LEN] = {};
	struct doca_region_import import;
	struct region region;
	int i, j;

	for (i = 0; i < DOCA_TOKEN_LEN * 8; i++) {
		__u8 token[DOCA_TOKEN_LEN];

		memcpy(token, self->token, sizeof(token));
		token[i / 8] ^= 1 << i % 8;
		EXPECT_EQ(-ENOENT, do_import(self->dpu.fd, host_info.out_function_number,
					     self->region.mkey, token, &import))
			TH_LOG("bit %d", i);
	}
	for (i = 0; i < ARRAY_SIZE(tokens); i++) {
		ASSERT_EQ(0, region_create(&self->host, &region, self->mem, 1, DOCA_KEY_PCI_READ));
		ASSERT_EQ(0, do_share(self->host.fd, region.id, tokens[i]));
		ASSERT_EQ(0, region_destroy(&region));
		for (j = 0; j < i; j++)
			EXPECT_NE(0, memcmp(tokens[i], tokens[j], DOCA_TOKEN_LEN));
		for (j = 0; j < DOCA_TOKEN_LEN; j++) {
			ones[j] |= tokens[i][j];
			zeros[j] |= ~tokens[i][j];
		}
	}
	for (j = 0; j < DOCA_TOKEN_LEN; j++) {
		/* in 64 random ones each bit is set and not set, but for 1 in 2^56 times */
		EXPECT_EQ(0xff, ones[j]);
		EXPECT_EQ(0xff, zeros[j]);
	}
	/* the same one as long as the region lives */
	ASSERT_EQ(0, do_share(self->host.fd, self->region.id, tokens[0]));
	EXPECT_EQ(0, memcmp(tokens[0], self->token, DOCA_TOKEN_LEN));
}

TEST_F(share, imports_belong_to_their_file)
{
	struct doca_region_import mine;
	struct dom other;

	ASSERT_EQ(0, dom_open_node(&other, dpu_node));
	/* known to whoever has the token, but each has a key of its own */
	ASSERT_EQ(0, do_import(other.fd, host_info.out_function_number, self->region.mkey,
			       self->token, &mine));
	EXPECT_NE(mine.out_mkey, self->import.out_mkey);
	EXPECT_EQ(DOCA_CQE_LOCAL_KEY, copy(self, sge(self->mem, mine.out_mkey, 64),
					   local(self, 0, 64)));
	dom_close(&other);
	EXPECT_EQ(DOCA_CQE_OK, copy(self, remote(self, 0, 64), local(self, 0, 64)));
}

TEST_F(share, the_end_of_an_import)
{
	__u32 stale = self->import.out_mkey;

	EXPECT_EQ(0, do_destroy(self->dpu.fd, self->import.out_id));
	EXPECT_EQ(DOCA_CQE_LOCAL_KEY, copy(self, sge(self->mem, stale, 64), local(self, 0, 64)));
	EXPECT_EQ(-ENOENT, do_destroy(self->dpu.fd, self->import.out_id));
	/* and a new one */
	ASSERT_EQ(0, do_import(self->dpu.fd, host_info.out_function_number, self->region.mkey,
			       self->token, &self->import));
	EXPECT_EQ(DOCA_CQE_OK, copy(self, remote(self, 0, 64), local(self, 0, 64)));
}

TEST_F(share, the_end_of_the_region_ends_its_imports)
{
	struct doca_region_import import;
	__u32 mkey = self->region.mkey;

	EXPECT_EQ(DOCA_CQE_OK, copy(self, remote(self, 0, 64), local(self, 0, 64)));
	ASSERT_EQ(0, region_destroy(&self->region));
	EXPECT_EQ(DOCA_CQE_LOCAL_KEY, copy(self, remote(self, 0, 64), local(self, 0, 64)));
	EXPECT_EQ(-ENOENT, do_import(self->dpu.fd, host_info.out_function_number, mkey,
				     self->token, &import));
	EXPECT_EQ(0, do_destroy(self->dpu.fd, self->import.out_id));
}

TEST_F(share, the_close_of_the_file_ends_all_imports)
{
	dom_close(&self->host);
	EXPECT_EQ(DOCA_CQE_LOCAL_KEY, copy(self, remote(self, 0, 64), local(self, 0, 64)));
	EXPECT_EQ(DOCA_CQE_LOCAL_KEY, copy(self, local(self, 0, 64), remote_rw(self, 0, 64)));
	EXPECT_EQ(0, do_destroy(self->dpu.fd, self->import.out_id));
}

/* A process that owns 8 MiB is killed in the middle of copies from it. */
TEST_F(share, the_exporter_is_killed_while_the_dpu_reads)
{
	const size_t size = 8 << 20;
	struct {
		__u64 addr;
		__u32 mkey;
		__u8 token[DOCA_TOKEN_LEN];
	} say;
	unsigned int rounds = env_number("DOCA_LOOPS", 10), i;
	struct doca_region_import import;
	int sv[2], status, err;
	struct done done;
	pid_t pid;

	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv));
		pid = fork();
		if (!pid) {
			struct region region;
			struct dom dom;
			void *mem = mem_alloc(size);

			CHILD_CHECK_EQ(0, dom_open_node(&dom, host_node));
			memset(mem, 0xa5, size);
			CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, size,
							DOCA_KEY_PCI_READ));
			say.addr = (uintptr_t)mem;
			say.mkey = region.mkey;
			CHILD_CHECK_EQ(0, do_share(dom.fd, region.id, say.token));
			CHILD_CHECK_EQ(sizeof(say), write(sv[1], &say, sizeof(say)));
			for (;;)
				pause();
		}
		ASSERT_LT(0, pid);
		ASSERT_EQ(sizeof(say), read(sv[0], &say, sizeof(say)));
		ASSERT_EQ(0, do_import(self->dpu.fd, host_info.out_function_number, say.mkey,
				       say.token, &import));
		EXPECT_EQ(DOCA_CQE_OK, copy(self, sge((void *)say.addr, import.out_mkey, SIZE),
					    local(self, 0, SIZE)));
		EXPECT_TRUE(mem_is(self->local, SIZE, 0xa5));
		queue_post(&self->queue, 1, sge((void *)say.addr, import.out_mkey, SIZE),
			   local(self, 0, SIZE));
		queue_ring(&self->queue);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, chan_wait(&self->chan, &done));
		EXPECT_TRUE(done.status == DOCA_CQE_OK || done.status == DOCA_CQE_LOCAL_KEY)
			TH_LOG("status %u", done.status);
		if (done.status) {
			ASSERT_EQ(0, queue_destroy(&self->queue));
			ASSERT_EQ(0, queue_create(&self->dpu, &self->chan, &self->queue,
						  DOCA_ENGINE_DMA, 64, 1));
		}
		err = copy(self, sge((void *)say.addr, import.out_mkey, 64), local(self, 0, 64));
		EXPECT_EQ(DOCA_CQE_LOCAL_KEY, err);
		EXPECT_EQ(0, do_destroy(self->dpu.fd, import.out_id));
		close(sv[0]);
		close(sv[1]);
	}
}

/* Another process needs no more than the token. */
TEST_F(share, imported_by_another_process)
{
	int status;

	status = IN_CHILD({
		struct doca_region_import import;
		struct region region;
		struct queue queue;
		struct chan chan;
		struct done done;
		struct dom dom;
		char *mem = mem_alloc(SIZE);

		CHILD_CHECK_EQ(0, dom_open_node(&dom, dpu_node));
		CHILD_CHECK_EQ(0, chan_create(&dom, &chan, 64));
		CHILD_CHECK_EQ(0, queue_create(&dom, &chan, &queue, DOCA_ENGINE_DMA, 64, 1));
		CHILD_CHECK_EQ(0, region_create(&dom, &region, mem, SIZE, DOCA_KEY_LOCAL_WRITE));
		CHILD_CHECK_EQ(0, do_import(dom.fd, host_info.out_function_number,
					    self->region.mkey, self->token, &import));
		queue_post(&queue, 1, sge(self->mem, import.out_mkey, SIZE),
			   sge(mem, region.mkey, SIZE));
		queue_ring(&queue);
		CHILD_CHECK_EQ(0, chan_wait(&chan, &done));
		CHILD_CHECK_EQ(DOCA_CQE_OK, done.status);
		/* a fork has the same bytes */
		CHILD_CHECK_EQ(0, memcmp(mem, self->mem, SIZE));
	});
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
}

/* What cannot be copied to the user is undone. */
TEST_F(share, nowhere_to_write_the_answer_to)
{
	struct doca_region_import import = {
		.size = sizeof(import),
		.function_number = host_info.out_function_number,
		.remote_mkey = self->region.mkey,
	};
	struct doca_region_import *ro;
	struct doca_region_import again;
	int i;

	memcpy(import.token, self->token, sizeof(import.token));
	ro = mem_alloc(page_size());
	memcpy(ro, &import, sizeof(import));
	ASSERT_EQ(0, mprotect(ro, page_size(), PROT_READ));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(-EFAULT, do_ioctl(self->dpu.fd, DOCA_IOCTL_REGION_IMPORT, ro));
	munmap(ro, page_size());
	EXPECT_EQ(0, do_import(self->dpu.fd, host_info.out_function_number, self->region.mkey,
			       self->token, &again));
}

static int unbind_and_bind(const struct doca_device_info *info, bool bind)
{
	const char *path = bind ? "/sys/bus/pci/drivers/doca/bind" :
				  "/sys/bus/pci/drivers/doca/unbind";
	char address[32];

	snprintf(address, sizeof(address), "%04x:%02x:%02x.%x", info->out_pci_domain,
		 info->out_pci_bus, info->out_pci_device, info->out_pci_function);
	return write_file(path, address);
}

/* Either side can lose its driver; the other one gets errors and goes on. */
TEST_F(share, the_driver_leaves_the_host_function)
{
	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, unbind_and_bind(&host_info, false));
	EXPECT_EQ(DOCA_CQE_LOCAL_KEY, copy(self, remote(self, 0, 64), local(self, 0, 64)));
	EXPECT_EQ(0, do_destroy(self->dpu.fd, self->import.out_id));
	EXPECT_EQ(DOCA_CQE_LOCAL_KEY, copy(self, remote_rw(self, 0, 64), local(self, 0, 64)));
	ASSERT_EQ(0, unbind_and_bind(&host_info, true));
	ASSERT_TRUE(WAIT_FOR(!access(host_node, R_OK)));
}

TEST_F(share, the_driver_leaves_the_dpu_function)
{
	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, unbind_and_bind(&dpu_info, false));
	EXPECT_EQ(0, do_destroy(self->dpu.fd, self->import.out_id));
	EXPECT_EQ(0, region_destroy(&self->region));
	EXPECT_EQ(0, region_destroy(&self->region_rw));
	ASSERT_EQ(0, unbind_and_bind(&dpu_info, true));
	ASSERT_TRUE(WAIT_FOR(!access(dpu_node, R_OK)));
}

DOCA_TEST_MAIN_IF(find_card(), "no card with functions of both sides (tools/dpu-vm --function side=dpu)")
