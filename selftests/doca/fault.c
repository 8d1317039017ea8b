// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each way to success, with each allocation and each copy to or from the user
 * on it failing in turn (/proc/thread-self/fail-nth), until nothing is left to
 * fail. Whatever fails leaves everything as it was.
 *
 * Needs a kernel with fault injection: make debug-kernel.
 */
#include "card_utils.h"
#include "dmabuf_utils.h"
#include "function_utils.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define MAX_POINTS	5000

/* What an operation works on; prepared and undone without faults. */
struct stage {
	struct dom dom;
	struct region region;
	struct chan chan;
	struct queue queue;
	char *mem;
	size_t size;
	void *map;
	int fd, dmabuf;
	/* the two sides of a card */
	struct dom host, other;
	struct doca_region_import import;
	__u8 token[DOCA_TOKEN_LEN];
};

static int fail_nth_fd = -1;

static void knob(const char *what, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", what, name);
	write_file(path, value);
}

/* Everything may fail, and nobody has to be told of each. */
static bool faults_there(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		knob(kinds[i], "verbose", "0");
		knob(kinds[i], "ignore-gfp-wait", "N");
		knob(kinds[i], "ignore-gfp-highmem", "N");
		knob(kinds[i], "min-order", "0");
		knob(kinds[i], "cache-filter", "N");
	}
	fail_nth_fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	return fail_nth_fd >= 0;
}

static void faults_on(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	CHILD_CHECK(pwrite(fail_nth_fd, text, len, 0) == len);
}

/* Was there one? If not, it may hit the copies of this function itself. */
static bool faults_off(void)
{
	char text[16] = "";
	bool hit = false;

	if (pread(fail_nth_fd, text, sizeof(text) - 1, 0) > 0)
		hit = atoi(text) == 0;
	else
		CHILD_CHECK_EQ(EFAULT, errno);
	if (pwrite(fail_nth_fd, "0", 1, 0) != 1) {
		CHILD_CHECK_EQ(EFAULT, errno);
		CHILD_CHECK(!hit);
	}
	return hit;
}

FIXTURE(fault) {
	struct baseline base;
	struct stage stage;
};

FIXTURE_SETUP(fault)
{
	struct stage *s = &self->stage;

	baseline_take(&self->base);
	ASSERT_TRUE(faults_there());
	ASSERT_TRUE(find_device());
	s->size = 700 * page_size();
	s->mem = mem_alloc(s->size);
	ASSERT_NE(NULL, s->mem);
	memset(s->mem, 1, s->size);
	s->fd = -1;
	ASSERT_EQ(0, dom_open(&s->dom));
}

FIXTURE_TEARDOWN(fault)
{
	struct stage *s = &self->stage;

	if (s->dom.fd >= 0)
		dom_close(&s->dom);
	munmap(s->mem, s->size);
	close(fail_nth_fd);
	EXPECT_TRUE(next_one_works());
	EXPECT_EQ(0, device_counter("files"));
	EXPECT_EQ(0, device_counter("regions"));
	EXPECT_EQ(0, device_counter("channels"));
	EXPECT_EQ(0, device_counter("queues"));
	EXPECT_BASELINE(&self->base);
}

/* What may not change. */
struct counts {
	long pin, files, regions, channels, queues;
	int fds;
};

static struct counts counts_now(void)
{
	return (struct counts) {
		.pin = vm_pin_kb(),
		.files = device_counter("files"),
		.regions = device_counter("regions"),
		.channels = device_counter("channels"),
		.queues = device_counter("queues"),
		.fds = count_fds(),
	};
}

struct operation {
	int (*prepare)(struct stage *s);
	int (*run)(struct stage *s);	/* 0 or -errno */
	void (*undo)(struct stage *s);	/* after success */
	void (*always)(struct stage *s);	/* what prepare has made */
	bool keeps_nothing;		/* failed or not, it has to be undone */
};

static void sweep(struct __test_metadata *_metadata, struct stage *s,
		  const struct operation *op)
{
	unsigned int n, failures = 0;

	for (n = 1; n < MAX_POINTS; n++) {
		struct counts before, after;
		bool hit;
		int err;

		if (op->prepare)
			ASSERT_EQ(0, op->prepare(s))
				TH_LOG("point %u", n);
		before = counts_now();
		faults_on(n);
		err = op->run(s);
		hit = faults_off();
		if (!hit) {
			EXPECT_EQ(0, err)
				TH_LOG("failed without a fault");
		} else if (err) {
			failures++;
			EXPECT_TRUE(err == -ENOMEM || err == -EFAULT)
				TH_LOG("point %u: %s", n, strerror(-err));
		}
		if (err && !op->keeps_nothing) {
			after = counts_now();
			EXPECT_EQ(before.pin, after.pin)
				TH_LOG("point %u", n);
			EXPECT_EQ(before.files, after.files);
			EXPECT_EQ(before.regions, after.regions);
			EXPECT_EQ(before.channels, after.channels);
			EXPECT_EQ(before.queues, after.queues);
			EXPECT_EQ(before.fds, after.fds);
		}
		if ((!err || op->keeps_nothing) && op->undo)
			op->undo(s);
		if (op->always)
			op->always(s);
		if (!hit)
			break;
	}
	EXPECT_GT(MAX_POINTS, n);
	TH_LOG("%u points swept, %u of them made it fail", n - 1, failures);
}

static int run_open(struct stage *s)
{
	s->fd = open(NODE, O_RDWR | O_CLOEXEC);
	return s->fd < 0 ? -errno : 0;
}

static void undo_open(struct stage *s)
{
	close(s->fd);
	s->fd = -1;
}

TEST_F(fault, open)
{
	sweep(_metadata, &self->stage, &(struct operation) { .run = run_open, .undo = undo_open });
}

static int run_device_info(struct stage *s)
{
	struct doca_device_info info = {};

	return do_device_info(s->dom.fd, &info);
}

TEST_F(fault, device_info)
{
	sweep(_metadata, &self->stage, &(struct operation) { .run = run_device_info });
}

static int run_engine_info(struct stage *s)
{
	struct doca_engine_info info = { .engine = DOCA_ENGINE_DMA };

	return do_engine_info(s->dom.fd, &info);
}

TEST_F(fault, engine_info)
{
	sweep(_metadata, &self->stage, &(struct operation) { .run = run_engine_info });
}

static int run_domain_alloc(struct stage *s)
{
	struct doca_domain_alloc alloc = {};

	return do_domain_alloc(s->fd, &alloc);
}

TEST_F(fault, domain_alloc)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.prepare = run_open, .run = run_domain_alloc, .always = undo_open,
	});
}

static int run_region_small(struct stage *s)
{
	return region_create(&s->dom, &s->region, s->mem + 100, 5000, DOCA_KEY_LOCAL_WRITE);
}

static int run_region_large(struct stage *s)
{
	return region_create(&s->dom, &s->region, s->mem, s->size, DOCA_KEY_LOCAL_WRITE);
}

static void undo_region(struct stage *s)
{
	CHILD_CHECK_EQ(0, region_destroy(&s->region));
}

TEST_F(fault, region_create_of_two_pages)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.run = run_region_small, .undo = undo_region,
	});
}

TEST_F(fault, region_create_of_many_pages)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.run = run_region_large, .undo = undo_region,
	});
}

static int run_dmabuf_region(struct stage *s)
{
	return dmabuf_region(&s->dom, &s->region, s->dmabuf, 0, 0, 65536, DOCA_KEY_LOCAL_WRITE);
}

TEST_F(fault, region_create_of_a_dmabuf)
{
	struct stage *s = &self->stage;
	int memfd = memfd_create("fault", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ASSERT_LE(0, memfd);
	ASSERT_EQ(0, ftruncate(memfd, 65536));
	ASSERT_EQ(0, fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK));
	s->dmabuf = udmabuf_dmabuf(memfd, 0, 65536);
	close(memfd);
	if (s->dmabuf == -ENOENT)
		SKIP(return, "no udmabuf in this kernel");
	ASSERT_LE(0, s->dmabuf);
	sweep(_metadata, s, &(struct operation) {
		.run = run_dmabuf_region, .undo = undo_region,
	});
	close(s->dmabuf);
}

static int prepare_share(struct stage *s)
{
	return region_create(&s->dom, &s->region, s->mem, 100, DOCA_KEY_PCI_READ);
}

static int run_share(struct stage *s)
{
	return do_share(s->dom.fd, s->region.id, s->token);
}

TEST_F(fault, region_share)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.prepare = prepare_share, .run = run_share, .always = undo_region,
	});
}

static int run_function_info(struct stage *s)
{
	struct doca_function_info info = { .size = sizeof(info) };

	return do_ioctl(s->dom.fd, DOCA_IOCTL_FUNCTION_INFO, &info);
}

TEST_F(fault, function_info)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.run = run_function_info,
	});
}

static int prepare_import(struct stage *s)
{
	int err = dom_open_node(&s->host, host_node);

	if (!err)
		err = dom_open_node(&s->other, dpu_node);
	if (!err)
		err = region_create(&s->host, &s->region, s->mem, 100, DOCA_KEY_PCI_READ);
	return err ? err : do_share(s->host.fd, s->region.id, s->token);
}

static int run_import(struct stage *s)
{
	return do_import(s->other.fd, host_info.out_function_number, s->region.mkey, s->token,
			 &s->import);
}

static void undo_import(struct stage *s)
{
	CHILD_CHECK_EQ(0, do_destroy(s->other.fd, s->import.out_id));
}

static void end_import(struct stage *s)
{
	dom_close(&s->other);
	dom_close(&s->host);
}

TEST_F(fault, region_import)
{
	if (!find_card())
		SKIP(return, "no card with functions of both sides");
	sweep(_metadata, &self->stage, &(struct operation) {
		.prepare = prepare_import, .run = run_import, .undo = undo_import,
		.always = end_import,
	});
}

static int run_channel(struct stage *s)
{
	struct doca_channel_create cmd = {
		.flags = O_CLOEXEC | O_NONBLOCK, .entries = 1024,
		.comp_vector = DOCA_COMP_VECTOR_ANY,
	};
	int err = do_channel_create(s->dom.fd, &cmd);

	s->chan.id = cmd.out_id;
	s->chan.fd = cmd.out_fd;
	s->chan.ring_key = cmd.out_ring_key;
	s->chan.ring_size = cmd.out_ring_size;
	s->chan.cq = cmd.out_cq;
	return err;
}

static void undo_channel(struct stage *s)
{
	CHILD_CHECK_EQ(0, do_destroy(s->dom.fd, s->chan.id));
	close(s->chan.fd);
}

/* B14: the event file is there before all else has succeeded. */
TEST_F(fault, channel_create)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.run = run_channel, .undo = undo_channel,
	});
}

static int run_queue(struct stage *s)
{
	struct doca_queue_create cmd = {
		.channel_id = s->chan.id, .engine = DOCA_ENGINE_RDMA, .entries = 256,
	};
	int err = do_queue_create(s->dom.fd, &cmd);

	s->queue.id = cmd.out_id;
	s->queue.queue = cmd.out_queue;
	return err;
}

static void undo_queue(struct stage *s)
{
	CHILD_CHECK_EQ(0, do_destroy(s->dom.fd, s->queue.id));
}

TEST_F(fault, queue_create)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.prepare = run_channel, .run = run_queue, .undo = undo_queue,
		.always = undo_channel,
	});
}

static int prepare_queue(struct stage *s)
{
	int err = run_channel(s);

	return err ? err : run_queue(s);
}

static void undo_both(struct stage *s)
{
	undo_queue(s);
	undo_channel(s);
}

static int run_connect(struct stage *s)
{
	struct doca_queue_connect cmd = {
		.queue_id = s->queue.id, .remote_queue = s->queue.queue, .retry_ms = 1,
	};

	memset(&cmd.remote_gid, 0xfe, sizeof(cmd.remote_gid));
	return do_queue_connect(s->dom.fd, &cmd);
}

TEST_F(fault, queue_connect)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.prepare = prepare_queue, .run = run_connect, .always = undo_both,
	});
}

static int run_stop(struct stage *s)
{
	return do_queue_stop(s->dom.fd, s->queue.id);
}

TEST_F(fault, queue_stop)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.prepare = prepare_queue, .run = run_stop, .always = undo_both,
	});
}

/* A destroy that fails, fails before it has done anything. */
static int run_destroy_region(struct stage *s)
{
	return do_destroy(s->dom.fd, s->region.id);
}

static void destroy_region_again(struct stage *s)
{
	int err = do_destroy(s->dom.fd, s->region.id);

	CHILD_CHECK(!err || err == -ENOENT);
}

TEST_F(fault, destroy_region)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.prepare = run_region_large, .run = run_destroy_region,
		.always = destroy_region_again,
	});
}

static int run_map_ring(struct stage *s)
{
	s->map = mmap(NULL, s->chan.ring_size, PROT_READ, MAP_SHARED, s->dom.fd, s->chan.ring_key);
	return s->map == MAP_FAILED ? -errno : 0;
}

static void undo_map_ring(struct stage *s)
{
	munmap(s->map, s->chan.ring_size);
}

TEST_F(fault, map_ring)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.prepare = run_channel, .run = run_map_ring, .undo = undo_map_ring,
		.always = undo_channel,
	});
}

static int run_map_doorbell(struct stage *s)
{
	s->map = mmap(NULL, page_size(), PROT_WRITE, MAP_SHARED, s->dom.fd, s->dom.doorbell_key);
	return s->map == MAP_FAILED ? -errno : 0;
}

static void undo_map_doorbell(struct stage *s)
{
	*(volatile __u64 *)((char *)s->map + DOCA_DB_ARM) = ~0ULL;
	munmap(s->map, page_size());
}

TEST_F(fault, map_doorbell)
{
	sweep(_metadata, &self->stage, &(struct operation) {
		.run = run_map_doorbell, .undo = undo_map_doorbell,
	});
}

/* An event that could not be copied to the reader is there for the next one. */
TEST_F(fault, read_events)
{
	struct rig rig;
	unsigned int n;

	ASSERT_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
	for (n = 1; n < MAX_POINTS; n++) {
		__u64 count = 0;
		ssize_t got;
		bool hit;

		chan_arm(&rig.chan, rig.chan.ci);
		ASSERT_EQ(DOCA_CQE_OK, rig_copy(&rig, rig_src(&rig, 0, 64), rig_dst(&rig, 0, 64)));
		ASSERT_EQ(POLLIN, fd_poll(rig.chan.fd, WAIT_MS));
		faults_on(n);
		got = read(rig.chan.fd, &count, sizeof(count));
		hit = faults_off();
		if (got < 0) {
			EXPECT_EQ(EFAULT, errno);
			EXPECT_EQ(POLLIN, fd_poll(rig.chan.fd, 0));
			got = read(rig.chan.fd, &count, sizeof(count));
		}
		EXPECT_EQ((ssize_t)sizeof(count), got);
		EXPECT_EQ(1, count);
		if (!hit)
			break;
	}
	TH_LOG("%u points swept", n - 1);
	rig_close(&rig);
}

/* close() has no way to fail: everything is given back whatever happens in it. */
static int prepare_everything(struct stage *s)
{
	int err = dom_open(&s->dom);

	if (!err)
		err = run_region_large(s);
	if (!err)
		err = prepare_queue(s);
	if (err)
		return err;
	close(s->chan.fd);
	/* unmapping may fail, and would keep the file */
	munmap(s->dom.doorbell, s->dom.page_size);
	munmap((void *)s->dom.status, s->dom.page_size);
	s->dom.doorbell = NULL;
	s->dom.status = NULL;
	return 0;
}

static int run_close(struct stage *s)
{
	dom_close(&s->dom);
	s->dom.fd = -1;
	return 0;
}

TEST_F(fault, close_with_everything_open)
{
	dom_close(&self->stage.dom);
	sweep(_metadata, &self->stage, &(struct operation) {
		.prepare = prepare_everything, .run = run_close,
	});
}

/* B15: whatever happened to an open before, the next one is used in full. */
TEST_F(fault, failed_open_then_use)
{
	unsigned int n;

	for (n = 1; n < 40; n++) {
		struct stage *s = &self->stage;

		faults_on(n);
		if (!run_open(s)) {
			faults_off();
			undo_open(s);
		} else {
			faults_off();
		}
		ASSERT_TRUE(next_one_works())
			TH_LOG("point %u", n);
	}
}

/*
 * The interrupt core goes on without an entry in /proc that it could not make,
 * and warns of its absence when it removes it. So only what kmalloc() gives may
 * fail in probe and remove, and the caches for that are marked at boot.
 */
static bool only_kmalloc_fails(void)
{
	char marked[4] = "";
	int fd = open("/sys/kernel/slab/kmalloc-64/failslab", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, marked, 3) < 0)
		marked[0] = 0;
	close(fd);
	knob("failslab", "cache-filter", "Y");
	return marked[0] == '1';
}

static bool bound(void)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", driver_path, pci_address);
	return !access(path, F_OK);
}

/* B17: probe; after each failure nothing is left, and it can be tried again. */
TEST_F(fault, probe)
{
	unsigned int n, failures = 0;
	bool hit = true;

	if (!only_kmalloc_fails())
		SKIP(return, "kernel not booted with slub_debug=A,kmalloc-*");
	dom_close(&self->stage.dom);
	self->stage.dom.fd = -1;
	for (n = 1; hit && n < MAX_POINTS; n++) {
		ASSERT_EQ(0, do_unbind());
		faults_on(n);
		do_bind();
		hit = faults_off();
		if (!bound()) {
			failures++;
			EXPECT_TRUE(hit);
			EXPECT_NE(0, access(NODE, F_OK));
			ASSERT_EQ(0, do_bind())
				TH_LOG("point %u", n);
		}
		/* the node itself may have failed: devtmpfs has no error for it */
		if (access(NODE, F_OK)) {
			ASSERT_EQ(0, do_unbind());
			ASSERT_EQ(0, do_bind());
		}
		ASSERT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
	}
	TH_LOG("%u points swept, %u of them made it fail", n - 2, failures);
}

TEST_F(fault, remove)
{
	unsigned int n;
	bool hit = true;

	if (!only_kmalloc_fails())
		SKIP(return, "kernel not booted with slub_debug=A,kmalloc-*");
	dom_close(&self->stage.dom);
	self->stage.dom.fd = -1;
	for (n = 1; hit && n < MAX_POINTS; n++) {
		faults_on(n);
		do_unbind();
		hit = faults_off();
		if (bound())
			continue;
		ASSERT_EQ(0, do_bind());
		ASSERT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
	}
	TH_LOG("%u points swept", n - 2);
}

DOCA_TEST_MAIN_IF(!access("/sys/kernel/debug/failslab", F_OK),
		  "no fault injection in this kernel")
