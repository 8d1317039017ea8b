// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every ioctl of /dev/doca/<n>: good use, sizes, flags, reserved fields,
 * pointers, identifiers, order, limits. Table driven: a new command gets a row.
 */
#include "doca_utils.h"

union arg {
	__u32 size;
	struct doca_device_info device_info;
	struct doca_engine_info engine_info;
	struct doca_domain_alloc domain_alloc;
	struct doca_region_share region_share;
	struct doca_function_info function_info;
	struct doca_region_create region_create;
	struct doca_channel_create channel_create;
	struct doca_queue_create queue_create;
	struct doca_queue_connect queue_connect;
	struct doca_queue_stop queue_stop;
	struct doca_destroy destroy;
	unsigned char raw[4096];
};

FIXTURE(ioctl) {
	struct baseline base;
	struct dom dom;
	struct chan chan;
	struct queue dma;
	struct queue rdma;
	struct region region;
	struct doca_device_info info;
	struct doca_engine_info dma_info;
	char *mem;
	size_t mem_size;
};

FIXTURE_SETUP(ioctl)
{
	struct doca_engine_info engine = { .engine = DOCA_ENGINE_DMA };

	baseline_take(&self->base);
	ASSERT_EQ(0, dom_open(&self->dom));
	ASSERT_EQ(0, do_device_info(self->dom.fd, &self->info));
	ASSERT_EQ(0, do_engine_info(self->dom.fd, &engine));
	self->dma_info = engine;
	ASSERT_EQ(0, chan_create(&self->dom, &self->chan, 1024));
	ASSERT_EQ(0, queue_create(&self->dom, &self->chan, &self->dma, DOCA_ENGINE_DMA, 16, 1));
	ASSERT_EQ(0, queue_create(&self->dom, &self->chan, &self->rdma, DOCA_ENGINE_RDMA, 16, 2));
	self->mem_size = 4 * page_size();
	self->mem = mem_alloc(self->mem_size);
	ASSERT_NE(NULL, self->mem);
	ASSERT_EQ(0, region_create(&self->dom, &self->region, self->mem, self->mem_size,
				   DOCA_KEY_LOCAL_WRITE));
}

FIXTURE_TEARDOWN(ioctl)
{
	munmap(self->dma.ring, self->dma.ring_size);
	munmap(self->rdma.ring, self->rdma.ring_size);
	munmap((void *)self->chan.ring, self->chan.ring_size);
	close(self->chan.fd);
	dom_close(&self->dom);
	munmap(self->mem, self->mem_size);
	EXPECT_BASELINE(&self->base);
}

typedef FIXTURE_DATA(ioctl) fixture;

/*
 * One command. @good fills in what a good call needs and leaves the out_*
 * fields alone; what it creates for that is gone after @done, which gets the
 * call's result.
 */
struct command {
	const char *name;
	unsigned long number;
	size_t size;
	size_t first_size;		/* as first published, if it has grown */
	bool inputs_grew;		/* the new fields are not only answers */
	unsigned int reserved;		/* offset of the reserved field, or 0 */
	__u32 flags;			/* that are allowed */
	bool no_flags;			/* has no such field */
	bool no_domain;			/* works without a domain */
	bool has_out;
	int (*good)(fixture *self, union arg *arg);
	void (*done)(fixture *self, union arg *arg, int fd, int err);
};

static int good_device_info(fixture *self, union arg *arg)
{
	struct doca_device_info *a = &arg->device_info;

	a->flags = 0;
	a->__reserved0 = 0;
	memset(a->__reserved1, 0, sizeof(a->__reserved1));
	return self->dom.fd;
}

static int good_engine_info(fixture *self, union arg *arg)
{
	arg->engine_info.flags = 0;
	arg->engine_info.engine = DOCA_ENGINE_DMA;
	return self->dom.fd;
}

/* Can be done once per file: takes a new one. */
static int good_domain_alloc(fixture *self, union arg *arg)
{
	arg->domain_alloc.flags = 0;
	arg->domain_alloc.__reserved = 0;
	return open(NODE, O_RDWR | O_CLOEXEC);
}

static void done_domain_alloc(fixture *self, union arg *arg, int fd, int err)
{
	close(fd);
}

static int good_region_create(fixture *self, union arg *arg)
{
	struct doca_region_create *a = &arg->region_create;

	a->flags = 0;
	a->access = DOCA_KEY_LOCAL_WRITE;
	a->__reserved = 0;
	a->addr = (uintptr_t)self->mem;
	a->length = self->mem_size;
	a->dmabuf_fd = 0;
	a->__reserved1 = 0;
	a->dmabuf_offset = 0;
	return self->dom.fd;
}

static void done_region_create(fixture *self, union arg *arg, int fd, int err)
{
	if (!err)
		do_destroy(fd, arg->region_create.out_id);
}

static int good_channel_create(fixture *self, union arg *arg)
{
	struct doca_channel_create *a = &arg->channel_create;

	a->flags = O_CLOEXEC | O_NONBLOCK;
	a->entries = 16;
	a->comp_vector = DOCA_COMP_VECTOR_ANY;
	return self->dom.fd;
}

static void done_channel_create(fixture *self, union arg *arg, int fd, int err)
{
	if (err)
		return;
	close(arg->channel_create.out_fd);
	do_destroy(fd, arg->channel_create.out_id);
}

static int good_queue_create(fixture *self, union arg *arg)
{
	struct doca_queue_create *a = &arg->queue_create;

	a->flags = 0;
	a->engine = DOCA_ENGINE_DMA;
	a->channel_id = self->chan.id;
	a->entries = 16;
	a->tag = 77;
	a->__reserved = 0;
	return self->dom.fd;
}

static void done_queue_create(fixture *self, union arg *arg, int fd, int err)
{
	if (!err)
		do_destroy(fd, arg->queue_create.out_id);
}

/* Can be done once per queue: takes a new one. */
static int good_queue_connect(fixture *self, union arg *arg)
{
	struct doca_queue_connect *a = &arg->queue_connect;
	struct doca_queue_create q = {
		.engine = DOCA_ENGINE_RDMA,
		.channel_id = self->chan.id,
		.entries = 16,
	};

	if (do_queue_create(self->dom.fd, &q))
		return -1;
	a->flags = 0;
	a->queue_id = q.out_id;
	a->remote_queue = self->rdma.queue;
	a->remote_gid = self->info.out_gid;
	a->retry_ms = 0;
	a->__reserved = 0;
	return self->dom.fd;
}

static void done_queue_connect(fixture *self, union arg *arg, int fd, int err)
{
	do_destroy(fd, arg->queue_connect.queue_id);
}

static int good_queue_stop(fixture *self, union arg *arg)
{
	arg->queue_stop.flags = 0;
	arg->queue_stop.queue_id = self->dma.id;
	arg->queue_stop.__reserved = 0;
	return self->dom.fd;
}

static int good_destroy(fixture *self, union arg *arg)
{
	struct doca_region_create r = {
		.addr = (uintptr_t)self->mem,
		.length = 1,
	};

	if (do_region_create(self->dom.fd, &r))
		return -1;
	arg->destroy.id = r.out_id;
	return self->dom.fd;
}

static void done_destroy(fixture *self, union arg *arg, int fd, int err)
{
	if (err)
		do_destroy(fd, arg->destroy.id);
}

/* Of a region with a right for the other side of the card. */
static int good_region_share(fixture *self, union arg *arg)
{
	struct doca_region_create r = {
		.access = DOCA_KEY_PCI_READ,
		.addr = (uintptr_t)self->mem,
		.length = 1,
	};

	if (do_region_create(self->dom.fd, &r))
		return -1;
	arg->region_share.flags = 0;
	arg->region_share.region_id = r.out_id;
	arg->region_share.__reserved = 0;
	return self->dom.fd;
}

static void done_region_share(fixture *self, union arg *arg, int fd, int err)
{
	do_destroy(fd, arg->region_share.region_id);
}

static int good_function_info(fixture *self, union arg *arg)
{
	arg->function_info.flags = 0;
	arg->function_info.function_number = self->info.out_function_number;
	arg->function_info.__reserved = 0;
	return self->dom.fd;
}

#define COMMAND(NAME, type)						\
	.name = #NAME,							\
	.number = DOCA_IOCTL_##NAME,					\
	.size = sizeof(struct doca_##type),				\
	.good = good_##type

static const struct command commands[] = {
	{ COMMAND(DEVICE_INFO, device_info), .no_domain = true, .has_out = true,
	  .first_size = offsetof(struct doca_device_info, out_side) },
	{ COMMAND(ENGINE_INFO, engine_info), .no_domain = true, .has_out = true },
	{ COMMAND(DOMAIN_ALLOC, domain_alloc), .no_domain = true, .has_out = true,
	  .reserved = offsetof(struct doca_domain_alloc, __reserved),
	  .done = done_domain_alloc },
	{ COMMAND(REGION_CREATE, region_create), .has_out = true,
	  .first_size = offsetof(struct doca_region_create, dmabuf_fd), .inputs_grew = true,
	  .reserved = offsetof(struct doca_region_create, __reserved),
	  .done = done_region_create },
	{ COMMAND(CHANNEL_CREATE, channel_create), .has_out = true,
	  .flags = O_CLOEXEC | O_NONBLOCK,
	  .done = done_channel_create },
	{ COMMAND(QUEUE_CREATE, queue_create), .has_out = true,
	  .reserved = offsetof(struct doca_queue_create, __reserved),
	  .done = done_queue_create },
	{ COMMAND(QUEUE_CONNECT, queue_connect),
	  .reserved = offsetof(struct doca_queue_connect, __reserved),
	  .done = done_queue_connect },
	{ COMMAND(QUEUE_STOP, queue_stop),
	  .reserved = offsetof(struct doca_queue_stop, __reserved) },
	{ COMMAND(DESTROY, destroy), .no_flags = true, .done = done_destroy },
	/* REGION_IMPORT needs another device: it is in share.c. */
	{ COMMAND(REGION_SHARE, region_share), .has_out = true,
	  .reserved = offsetof(struct doca_region_share, __reserved),
	  .done = done_region_share },
	{ COMMAND(FUNCTION_INFO, function_info), .no_domain = true, .has_out = true },
};

#define FOR_EACH_COMMAND(c) \
	for (c = commands; c < commands + ARRAY_SIZE(commands); c++)

/*
 * One call with a good struct that @tweak - if any - spoils. Prefilled with
 * @fill, so that what the kernel does not write stands out.
 */
static int call_filled(fixture *self, const struct command *c, unsigned char fill,
		       union arg *arg, unsigned int offset, __u32 value)
{
	int fd, err;

	memset(arg->raw, fill, c->size);
	memset(arg->raw + c->size, 0, sizeof(arg->raw) - c->size);
	fd = c->good(self, arg);
	if (fd < 0)
		return -EBADF;
	arg->size = c->size;
	if (offset != UINT_MAX)
		memcpy(arg->raw + offset, &value, sizeof(value));
	err = do_ioctl(fd, c->number, arg);
	if (c->done)
		c->done(self, arg, fd, err);
	return err;
}

#define NO_TWEAK UINT_MAX, 0

TEST_F(ioctl, good_use)
{
	const struct command *c;
	union arg arg;

	FOR_EACH_COMMAND(c) {
		EXPECT_EQ(0, call_filled(self, c, 0, &arg, NO_TWEAK))
			TH_LOG("%s", c->name);
		/* and again: it left nothing behind that is in its way */
		EXPECT_EQ(0, call_filled(self, c, 0, &arg, NO_TWEAK))
			TH_LOG("%s", c->name);
	}
}

TEST_F(ioctl, size_below_minimum_is_EINVAL)
{
	const struct command *c;
	union arg arg;
	__u32 size;

	FOR_EACH_COMMAND(c)
		for (size = 0; size < (c->first_size ?: c->size); size++)
			EXPECT_EQ(-EINVAL, call_filled(self, c, 0, &arg, 0, size))
				TH_LOG("%s, size %u", c->name, size);
}

/* A program that was built before the struct grew. */
TEST_F(ioctl, size_of_the_first_version_is_fine)
{
	const struct command *c;
	union arg arg;

	FOR_EACH_COMMAND(c) {
		if (!c->first_size)
			continue;
		EXPECT_EQ(0, call_filled(self, c, 0xa5, &arg, 0, c->first_size))
			TH_LOG("%s", c->name);
		EXPECT_TRUE(mem_is(arg.raw + c->first_size, c->size - c->first_size,
				   c->inputs_grew ? 0 : 0xa5));
	}
}

TEST_F(ioctl, larger_size_with_zero_tail_is_fine)
{
	static const unsigned int more[] = { 1, 4, 8, 64, 1024 };
	const struct command *c;
	union arg arg;
	int i;

	FOR_EACH_COMMAND(c) {
		for (i = 0; i < ARRAY_SIZE(more); i++) {
			EXPECT_EQ(0, call_filled(self, c, 0, &arg, 0, c->size + more[i]))
				TH_LOG("%s, %u bytes more", c->name, more[i]);
			EXPECT_TRUE(mem_is(arg.raw + c->size, more[i], 0))
				TH_LOG("%s wrote to the unknown tail", c->name);
		}
	}
}

TEST_F(ioctl, larger_size_with_garbage_tail_is_E2BIG)
{
	const struct command *c;
	union arg arg;
	int fd, err, i;

	FOR_EACH_COMMAND(c) {
		/* the first unknown byte, one in the middle, the last one */
		for (i = 0; i < 3; i++) {
			memset(arg.raw, 0, sizeof(arg.raw));
			fd = c->good(self, &arg);
			ASSERT_LE(0, fd);
			arg.size = c->size + 101;
			arg.raw[c->size + 50 * i] = 1;
			err = do_ioctl(fd, c->number, &arg);
			EXPECT_EQ(-E2BIG, err)
				TH_LOG("%s, byte %d of the tail", c->name, 50 * i);
			if (c->done)
				c->done(self, &arg, fd, err);
		}
	}
}

TEST_F(ioctl, absurd_sizes_fail)
{
	static const __u32 sizes[] = { 1U << 31, (1U << 31) - 1, UINT_MAX, UINT_MAX - 7, 1U << 20 };
	const struct command *c;
	union arg *arg;
	int fd, err, i;

	/* nothing readable follows */
	arg = mem_alloc_guarded(page_size());
	ASSERT_NE(NULL, arg);
	FOR_EACH_COMMAND(c) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			memset(arg, 0, page_size());
			fd = c->good(self, arg);
			ASSERT_LE(0, fd);
			arg->size = sizes[i];
			err = do_ioctl(fd, c->number, arg);
			EXPECT_TRUE(err == -EFAULT || err == -E2BIG || err == -EINVAL)
				TH_LOG("%s, size %#x: %d", c->name, sizes[i], err);
			if (c->done)
				c->done(self, arg, fd, err);
		}
	}
	mem_free_guarded(arg, page_size());
}

TEST_F(ioctl, unknown_flags_are_EINVAL)
{
	const struct command *c;
	union arg arg;
	int bit;

	FOR_EACH_COMMAND(c) {
		if (c->no_flags)
			continue;
		for (bit = 0; bit < 32; bit++) {
			int expected = c->flags & 1U << bit ? 0 : -EINVAL;

			EXPECT_EQ(expected, call_filled(self, c, 0, &arg, 4, 1U << bit))
				TH_LOG("%s, flag bit %d", c->name, bit);
		}
	}
}

TEST_F(ioctl, reserved_fields_must_be_zero)
{
	const struct command *c;
	union arg arg;
	int bit;

	FOR_EACH_COMMAND(c) {
		if (!c->reserved)
			continue;
		for (bit = 0; bit < 32; bit++)
			EXPECT_EQ(-EINVAL, call_filled(self, c, 0, &arg, c->reserved, 1U << bit))
				TH_LOG("%s, bit %d", c->name, bit);
	}
}

/* B21: uninitialised reply bytes. */
TEST_F(ioctl, every_byte_of_the_answer_is_defined)
{
	const struct command *c;
	union arg one, two;
	size_t i;

	FOR_EACH_COMMAND(c) {
		ASSERT_EQ(0, call_filled(self, c, 0xa5, &one, NO_TWEAK))
			TH_LOG("%s", c->name);
		ASSERT_EQ(0, call_filled(self, c, 0x5a, &two, NO_TWEAK))
			TH_LOG("%s", c->name);
		for (i = 0; i < c->size; i++)
			EXPECT_FALSE(one.raw[i] == 0xa5 && two.raw[i] == 0x5a)
				TH_LOG("%s leaves byte %zu as it was", c->name, i);
	}
}

TEST_F(ioctl, struct_at_the_end_of_a_page_works)
{
	size_t page = page_size();
	const struct command *c;
	union arg *arg;
	char *mem;
	int fd, err;

	mem = mem_alloc_guarded(page);
	ASSERT_NE(NULL, mem);
	FOR_EACH_COMMAND(c) {
		memset(mem, 0x77, page);
		arg = (void *)(mem + page - c->size);
		memset(arg, 0, c->size);
		fd = c->good(self, arg);
		ASSERT_LE(0, fd);
		arg->size = c->size;
		err = do_ioctl(fd, c->number, arg);
		EXPECT_EQ(0, err)
			TH_LOG("%s", c->name);
		EXPECT_TRUE(mem_is(mem, page - c->size, 0x77))
			TH_LOG("%s wrote before the struct", c->name);
		if (c->done)
			c->done(self, arg, fd, err);

		/* at the start of a page: nothing before, nothing behind */
		memset(mem, 0x77, page);
		arg = (void *)mem;
		memset(arg, 0, c->size);
		fd = c->good(self, arg);
		ASSERT_LE(0, fd);
		arg->size = c->size;
		err = do_ioctl(fd, c->number, arg);
		EXPECT_EQ(0, err)
			TH_LOG("%s", c->name);
		EXPECT_TRUE(mem_is(mem + c->size, page - c->size, 0x77))
			TH_LOG("%s wrote behind the struct", c->name);
		if (c->done)
			c->done(self, arg, fd, err);
	}
	mem_free_guarded(mem, page);
}

TEST_F(ioctl, unreadable_struct_is_EFAULT)
{
	static const unsigned long bad[] = {
		0, 1, 8,
		0xffff888000000000UL,	/* the kernel's */
		0x8000000000000000UL,	/* not canonical */
		-4UL, -8UL, -4096UL,
	};
	size_t page = page_size();
	const struct command *c;
	union arg arg, *end;
	int fd, err, i;
	char *mem;

	mem = mem_alloc_guarded(page);
	ASSERT_NE(NULL, mem);
	FOR_EACH_COMMAND(c) {
		memset(&arg, 0, sizeof(arg));
		fd = c->good(self, &arg);
		ASSERT_LE(0, fd);
		arg.size = c->size;
		for (i = 0; i < ARRAY_SIZE(bad); i++)
			EXPECT_EQ(-EFAULT, do_ioctl(fd, c->number, (void *)bad[i]))
				TH_LOG("%s, pointer %#lx", c->name, bad[i]);

		/* the last byte, the last word, all but size are missing */
		end = (void *)(mem + page - c->size + 1);
		memcpy(end, &arg, c->size - 1);
		EXPECT_EQ(-EFAULT, do_ioctl(fd, c->number, end))
			TH_LOG("%s, one byte short", c->name);
		end = (void *)(mem + page - c->size + 4);
		memcpy(end, &arg, c->size - 4);
		EXPECT_EQ(-EFAULT, do_ioctl(fd, c->number, end))
			TH_LOG("%s, one word short", c->name);
		end = (void *)(mem + page - 4);
		memcpy(end, &arg, 4);
		EXPECT_EQ(-EFAULT, do_ioctl(fd, c->number, end))
			TH_LOG("%s, only the size is there", c->name);

		/* the struct is there, the tail that it claims is not */
		end = (void *)(mem + page - c->size);
		memcpy(end, &arg, c->size);
		end->size = c->size + 8;
		EXPECT_EQ(-EFAULT, do_ioctl(fd, c->number, end))
			TH_LOG("%s, tail missing", c->name);

		/* none of these has used up the good call */
		err = do_ioctl(fd, c->number, &arg);
		EXPECT_EQ(0, err)
			TH_LOG("%s afterwards", c->name);
		if (c->done)
			c->done(self, &arg, fd, err);
	}
	mem_free_guarded(mem, page);
}

/* B12: what was made has to go again when the answer cannot be delivered. */
TEST_F(ioctl, unwritable_answer_is_EFAULT_and_leaves_nothing)
{
	size_t page = page_size();
	long pin = vm_pin_kb();
	int fds = count_fds();
	const struct command *c;
	int fd, err, i;
	union arg *arg;

	FOR_EACH_COMMAND(c) {
		for (i = 0; i < 40; i++) {
			arg = mem_alloc(page);
			ASSERT_NE(NULL, arg);
			fd = c->good(self, arg);
			ASSERT_LE(0, fd);
			arg->size = c->size;
			ASSERT_EQ(0, mprotect(arg, page, PROT_READ));
			err = do_ioctl(fd, c->number, arg);
			EXPECT_EQ(c->has_out ? -EFAULT : 0, err)
				TH_LOG("%s", c->name);
			ASSERT_EQ(0, mprotect(arg, page, PROT_READ | PROT_WRITE));
			if (err && !strcmp(c->name, "DOMAIN_ALLOC"))
				EXPECT_EQ(0, do_ioctl(fd, c->number, arg))
					TH_LOG("the failed DOMAIN_ALLOC counted");
			if (c->done)
				c->done(self, arg, fd, err);
			munmap(arg, page);
		}
		EXPECT_EQ(pin, vm_pin_kb())
			TH_LOG("%s", c->name);
		EXPECT_EQ(fds, count_fds())
			TH_LOG("%s", c->name);
	}
}

TEST_F(ioctl, unknown_commands_are_ENOTTY)
{
	static const unsigned long unknown[] = {
		_IO(DOCA_IOCTL_TYPE, 0),
		_IO(DOCA_IOCTL_TYPE, DOCA_CMD_BASE - 1),
		_IO(DOCA_IOCTL_TYPE, DOCA_CMD_FUNCTION_INFO + 1),
		_IO(DOCA_IOCTL_TYPE, 0xff),
		_IO(DOCA_IOCTL_TYPE + 1, DOCA_CMD_DEVICE_INFO),
		_IO(0, DOCA_CMD_DEVICE_INFO),
		_IOWR(DOCA_IOCTL_TYPE, DOCA_CMD_DEVICE_INFO, struct doca_device_info),
		_IOR(DOCA_IOCTL_TYPE, DOCA_CMD_DESTROY, struct doca_destroy),
		0, 0xffffffff,
		0x5401,			/* TCGETS */
	};
	struct doca_device_info arg = { .size = sizeof(arg) };
	int i;

	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		EXPECT_EQ(-ENOTTY, do_ioctl(self->dom.fd, unknown[i], &arg))
			TH_LOG("command %#lx", unknown[i]);
	EXPECT_EQ(-ENOTTY, do_ioctl(self->chan.fd, DOCA_IOCTL_DEVICE_INFO, &arg));
	/* not even looked at */
	EXPECT_EQ(-ENOTTY, do_ioctl(self->dom.fd, _IO(DOCA_IOCTL_TYPE, 0xff), NULL));
}

TEST_F(ioctl, before_the_domain_is_ENOTCONN)
{
	const struct command *c;
	union arg arg;
	int fd, err, own;

	fd = open(NODE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	FOR_EACH_COMMAND(c) {
		memset(&arg, 0, sizeof(arg));
		own = c->good(self, &arg);
		ASSERT_LE(0, own);
		arg.size = c->size;
		err = do_ioctl(c->no_domain ? own : fd, c->number, &arg);
		EXPECT_EQ(c->no_domain ? 0 : -ENOTCONN, err)
			TH_LOG("%s", c->name);
		if (c->done)
			c->done(self, &arg, own, err);
	}
	close(fd);
}

TEST_F(ioctl, second_domain_is_EEXIST)
{
	struct doca_domain_alloc arg = {};

	EXPECT_EQ(-EEXIST, do_domain_alloc(self->dom.fd, &arg));
	/* the first one is as good as before */
	EXPECT_EQ(0, self->dom.status->removed);
	EXPECT_EQ(0, do_queue_stop(self->dom.fd, self->dma.id));
}

TEST_F(ioctl, from_a_forked_child_is_EPERM)
{
	const struct command *c;
	int fd, err, status;
	union arg arg;

	FOR_EACH_COMMAND(c) {
		memset(&arg, 0, sizeof(arg));
		fd = c->good(self, &arg);
		ASSERT_LE(0, fd);
		arg.size = c->size;
		status = IN_CHILD(CHILD_CHECK_EQ(-EPERM, do_ioctl(fd, c->number, &arg)));
		EXPECT_EQ(0, status)
			TH_LOG("%s", c->name);
		/* the parent can, as before */
		err = do_ioctl(fd, c->number, &arg);
		EXPECT_EQ(0, err)
			TH_LOG("%s", c->name);
		if (c->done)
			c->done(self, &arg, fd, err);
	}
}

/* The same table in 32-bit callers' way: int 0x80, pointers below 4 GiB. */
TEST_F(ioctl, from_32_bit_code)
{
#ifdef __x86_64__
	const struct command *c;
	union arg *arg;
	long fd, err;

	arg = mmap(NULL, sizeof(*arg), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, arg);
	FOR_EACH_COMMAND(c) {
		memset(arg, 0, sizeof(*arg));
		fd = c->good(self, arg);
		ASSERT_LE(0, fd);
		arg->size = c->size;
		asm volatile("int $0x80" : "=a" (err) :
			     "a" (54L), "b" (fd), "c" (c->number), "d" (arg) :
			     "memory", "r8", "r9", "r10", "r11");
		if ((int)err == -ENOSYS) {
			if (c->done)
				c->done(self, arg, fd, -1);
			munmap(arg, sizeof(*arg));
			SKIP(return, "no 32-bit system calls in this kernel");
		}
		EXPECT_EQ(0, (int)err)
			TH_LOG("%s", c->name);
		if (c->done)
			c->done(self, arg, fd, (int)err);
	}
	munmap(arg, sizeof(*arg));
#else
	SKIP(return, "x86-64 only");
#endif
}

TEST_F(ioctl, device_info_makes_sense)
{
	struct doca_device_info *i = &self->info;
	char address[64], path[128];
	int n;

	EXPECT_EQ(DOCA_ABI_VERSION, i->out_abi_version);
	EXPECT_STREQ("doca0", (char *)i->out_name);
	EXPECT_NE(0, i->out_model[0]);
	EXPECT_EQ(0, i->out_model[DOCA_NAME_LEN - 1]);
	EXPECT_NE(0, i->out_engines & 1 << DOCA_ENGINE_DMA);
	EXPECT_LE(1, i->out_num_comp_vectors);
	EXPECT_LE(2, i->out_max_regions);
	EXPECT_LE(2, i->out_max_channels);
	EXPECT_LE(2, i->out_max_queues);
	EXPECT_LE(64, i->out_max_channel_entries);
	EXPECT_LE(512, i->out_max_region_pages);
	EXPECT_FALSE(mem_is(i->out_gid.raw, sizeof(i->out_gid.raw), 0));
	EXPECT_FALSE(mem_is(i->out_mac, sizeof(i->out_mac), 0));
	EXPECT_EQ(0, i->out_mac[0] & 1)
		TH_LOG("a multicast address");

	snprintf(address, sizeof(address), "%04x:%02x:%02x.%x", i->out_pci_domain,
		 i->out_pci_bus, i->out_pci_device, i->out_pci_function);
	n = snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", address);
	EXPECT_LT(n, sizeof(path));
	EXPECT_EQ(0, access(path, F_OK))
		TH_LOG("no driver at %s", address);
}

TEST_F(ioctl, engine_info_for_each_engine_there_and_not_there)
{
	static const __u32 others[] = { DOCA_NUM_ENGINES, 31, 32, 33, 63, 64, 255, 256,
					1U << 31, UINT_MAX };
	struct doca_engine_info arg;
	int err, i;

	for (i = 0; i < DOCA_NUM_ENGINES; i++) {
		arg = (struct doca_engine_info) { .engine = i };
		err = do_engine_info(self->dom.fd, &arg);
		if (!(self->info.out_engines & 1U << i)) {
			EXPECT_EQ(-EOPNOTSUPP, err);
			continue;
		}
		EXPECT_EQ(0, err);
		EXPECT_NE(0, arg.out_opcodes & 1 << 1);
		EXPECT_LE(1, arg.out_max_list_len);
		EXPECT_GE(255, arg.out_max_list_len);
		EXPECT_LE(16, arg.out_max_queue_entries);
		EXPECT_LE(4096, arg.out_max_transfer);
	}
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		arg = (struct doca_engine_info) { .engine = others[i] };
		err = do_engine_info(self->dom.fd, &arg);
		EXPECT_TRUE(err == -EINVAL || err == -EOPNOTSUPP)
			TH_LOG("engine %u: %d", others[i], err);
	}
}

TEST_F(ioctl, queue_of_an_engine_not_there)
{
	static const __u32 others[] = { DOCA_NUM_ENGINES, 31, 32, 255, 256, 1U << 31, UINT_MAX };
	int err, i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		struct doca_queue_create arg = {
			.engine = others[i],
			.channel_id = self->chan.id,
			.entries = 16,
		};

		err = do_queue_create(self->dom.fd, &arg);
		EXPECT_TRUE(err == -EINVAL || err == -EOPNOTSUPP)
			TH_LOG("engine %u: %d", others[i], err);
	}
}

TEST_F(ioctl, bad_identifiers_are_ENOENT)
{
	static const __u32 bad[] = { 0, 1000000, INT_MAX, 1U << 31, UINT_MAX };
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct doca_queue_create create = { .channel_id = bad[i], .entries = 16 };
		struct doca_queue_connect connect = { .queue_id = bad[i] };

		EXPECT_EQ(-ENOENT, do_queue_create(self->dom.fd, &create));
		EXPECT_EQ(-ENOENT, do_queue_connect(self->dom.fd, &connect));
		EXPECT_EQ(-ENOENT, do_queue_stop(self->dom.fd, bad[i]));
		EXPECT_EQ(-ENOENT, do_destroy(self->dom.fd, bad[i]));
	}
}

TEST_F(ioctl, identifiers_mean_nothing_in_another_file)
{
	struct doca_queue_create create = { .channel_id = self->chan.id, .entries = 16 };
	struct doca_queue_connect connect = { .queue_id = self->rdma.id };
	struct dom other;

	ASSERT_EQ(0, dom_open(&other));
	EXPECT_EQ(-ENOENT, do_queue_create(other.fd, &create));
	EXPECT_EQ(-ENOENT, do_queue_connect(other.fd, &connect));
	EXPECT_EQ(-ENOENT, do_queue_stop(other.fd, self->dma.id));
	EXPECT_EQ(-ENOENT, do_destroy(other.fd, self->region.id));
	EXPECT_EQ(-ENOENT, do_destroy(other.fd, self->chan.id));
	dom_close(&other);
	/* all still there */
	EXPECT_EQ(0, do_queue_stop(self->dom.fd, self->dma.id));
}

TEST_F(ioctl, objects_of_the_wrong_kind_are_EINVAL)
{
	__u32 not_channels[] = { self->region.id, self->dma.id, self->rdma.id };
	__u32 not_queues[] = { self->region.id, self->chan.id };
	int i;

	for (i = 0; i < ARRAY_SIZE(not_channels); i++) {
		struct doca_queue_create arg = { .channel_id = not_channels[i], .entries = 16 };

		EXPECT_EQ(-EINVAL, do_queue_create(self->dom.fd, &arg));
	}
	for (i = 0; i < ARRAY_SIZE(not_queues); i++) {
		struct doca_queue_connect arg = { .queue_id = not_queues[i] };

		EXPECT_EQ(-EINVAL, do_queue_stop(self->dom.fd, not_queues[i]));
		EXPECT_EQ(-EINVAL, do_queue_connect(self->dom.fd, &arg));
	}
}

TEST_F(ioctl, connect_rules)
{
	struct doca_queue_connect arg = {
		.queue_id = self->dma.id,
		.remote_queue = self->rdma.queue,
		.remote_gid = self->info.out_gid,
	};

	EXPECT_EQ(-EINVAL, do_queue_connect(self->dom.fd, &arg))
		TH_LOG("a DMA queue");
	arg.queue_id = self->rdma.id;
	arg.retry_ms = DOCA_RETRY_MAX_MS + 1;
	EXPECT_EQ(-EINVAL, do_queue_connect(self->dom.fd, &arg));
	arg.retry_ms = UINT_MAX;
	EXPECT_EQ(-EINVAL, do_queue_connect(self->dom.fd, &arg));
	arg.retry_ms = DOCA_RETRY_MAX_MS;
	EXPECT_EQ(0, do_queue_connect(self->dom.fd, &arg));
	EXPECT_EQ(-EEXIST, do_queue_connect(self->dom.fd, &arg));
}

TEST_F(ioctl, destroy_of_a_channel_with_queues_is_EBUSY)
{
	EXPECT_EQ(-EBUSY, do_destroy(self->dom.fd, self->chan.id));
	EXPECT_EQ(0, do_destroy(self->dom.fd, self->dma.id));
	EXPECT_EQ(-EBUSY, do_destroy(self->dom.fd, self->chan.id));
	EXPECT_EQ(0, do_destroy(self->dom.fd, self->rdma.id));
	EXPECT_EQ(0, do_destroy(self->dom.fd, self->chan.id));
}

TEST_F(ioctl, destroyed_twice_is_ENOENT)
{
	EXPECT_EQ(0, do_destroy(self->dom.fd, self->region.id));
	EXPECT_EQ(-ENOENT, do_destroy(self->dom.fd, self->region.id));
	EXPECT_EQ(0, do_destroy(self->dom.fd, self->dma.id));
	EXPECT_EQ(-ENOENT, do_destroy(self->dom.fd, self->dma.id));
	EXPECT_EQ(-ENOENT, do_queue_stop(self->dom.fd, self->dma.id));
}

/* Smallest, largest, just over, and where 32 bits wrap (B02, B03). */
TEST_F(ioctl, channel_entries)
{
	__u32 max = self->info.out_max_channel_entries;
	struct {
		__u32 entries;
		int expected;
	} cases[] = {
		{ 0, -EINVAL },
		{ 1, 0 }, { 2, 0 }, { 3, 0 }, { 63, 0 }, { 65, 0 },
		{ max - 1, 0 }, { max, 0 },
		{ max + 1, -EINVAL }, { 2 * max, -EINVAL },
		{ 1U << 27, -EINVAL }, { (1U << 27) + 1, -EINVAL },
		{ 1U << 31, -EINVAL }, { (1U << 31) + 1, -EINVAL },
		{ UINT_MAX - 1, -EINVAL }, { UINT_MAX, -EINVAL },
	};
	int err, i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct doca_channel_create arg = {
			.entries = cases[i].entries,
			.comp_vector = DOCA_COMP_VECTOR_ANY,
		};

		err = do_channel_create(self->dom.fd, &arg);
		EXPECT_EQ(cases[i].expected, err)
			TH_LOG("%u entries", cases[i].entries);
		if (err)
			continue;
		EXPECT_LE(cases[i].entries, arg.out_entries);
		EXPECT_EQ(0, arg.out_entries & (arg.out_entries - 1));
		EXPECT_GE(max, arg.out_entries);
		EXPECT_LE(arg.out_entries * sizeof(struct doca_cqe), arg.out_ring_size);
		EXPECT_EQ(0, arg.out_ring_size % page_size());
		EXPECT_EQ(0, arg.out_ring_key % page_size());
		close(arg.out_fd);
		EXPECT_EQ(0, do_destroy(self->dom.fd, arg.out_id));
	}
}

TEST_F(ioctl, queue_entries)
{
	__u32 max = self->dma_info.out_max_queue_entries;
	struct {
		__u32 entries;
		int expected;
	} cases[] = {
		{ 0, -EINVAL },
		{ 1, 0 }, { 2, 0 }, { 3, 0 }, { 63, 0 }, { 65, 0 },
		{ max - 1, 0 }, { max, 0 },
		{ max + 1, -EINVAL }, { 2 * max, -EINVAL },
		{ 1U << 26, -EINVAL }, { (1U << 26) + 1, -EINVAL },
		{ 1U << 31, -EINVAL }, { (1U << 31) + 1, -EINVAL },
		{ UINT_MAX - 1, -EINVAL }, { UINT_MAX, -EINVAL },
	};
	struct chan chan;
	int err, i;

	ASSERT_LE(max, self->info.out_max_channel_entries);
	ASSERT_EQ(0, chan_create(&self->dom, &chan, max));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct doca_queue_create arg = {
			.channel_id = chan.id,
			.entries = cases[i].entries,
		};

		err = do_queue_create(self->dom.fd, &arg);
		EXPECT_EQ(cases[i].expected, err)
			TH_LOG("%u entries", cases[i].entries);
		if (err)
			continue;
		EXPECT_LE(cases[i].entries, arg.out_entries);
		EXPECT_EQ(0, arg.out_entries & (arg.out_entries - 1));
		EXPECT_LE(arg.out_entries * sizeof(struct doca_sqe), arg.out_ring_size);
		EXPECT_EQ(0, arg.out_ring_size % page_size());
		EXPECT_EQ(0, do_destroy(self->dom.fd, arg.out_id));
	}
	EXPECT_EQ(0, chan_destroy(&chan));
}

TEST_F(ioctl, queues_of_a_channel_have_room_in_it_together)
{
	struct doca_queue_create arg;
	struct chan chan;
	__u32 ids[4];
	int i;

	ASSERT_EQ(0, chan_create(&self->dom, &chan, 64));
	ASSERT_EQ(64, chan.entries);
	for (i = 0; i < 4; i++) {
		arg = (struct doca_queue_create) { .channel_id = chan.id, .entries = 16 };
		EXPECT_EQ(0, do_queue_create(self->dom.fd, &arg));
		ids[i] = arg.out_id;
	}
	arg = (struct doca_queue_create) { .channel_id = chan.id, .entries = 1 };
	EXPECT_EQ(-ENOSPC, do_queue_create(self->dom.fd, &arg));
	/* what goes is given back */
	EXPECT_EQ(0, do_destroy(self->dom.fd, ids[2]));
	arg = (struct doca_queue_create) { .channel_id = chan.id, .entries = 17 };
	EXPECT_EQ(-ENOSPC, do_queue_create(self->dom.fd, &arg));
	arg = (struct doca_queue_create) { .channel_id = chan.id, .entries = 16 };
	EXPECT_EQ(0, do_queue_create(self->dom.fd, &arg));
	ids[2] = arg.out_id;
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, do_destroy(self->dom.fd, ids[i]));
	EXPECT_EQ(0, chan_destroy(&chan));
}

/* B07 */
TEST_F(ioctl, completion_vectors)
{
	__u32 num = self->info.out_num_comp_vectors;
	struct {
		__u32 vector;
		int expected;
	} cases[] = {
		{ 0, 0 }, { num - 1, 0 }, { DOCA_COMP_VECTOR_ANY, 0 },
		{ num, -EINVAL }, { num + 1, -EINVAL },
		{ 1U << 31, -EINVAL }, { DOCA_COMP_VECTOR_ANY - 1, -EINVAL },
	};
	int err, i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct doca_channel_create arg = {
			.entries = 16,
			.comp_vector = cases[i].vector,
		};

		err = do_channel_create(self->dom.fd, &arg);
		EXPECT_EQ(cases[i].expected, err)
			TH_LOG("vector %u", cases[i].vector);
		if (!err) {
			close(arg.out_fd);
			EXPECT_EQ(0, do_destroy(self->dom.fd, arg.out_id));
		}
	}
}

TEST_F(ioctl, channel_flags_reach_the_descriptor)
{
	struct doca_channel_create arg = {
		.entries = 1,
		.comp_vector = DOCA_COMP_VECTOR_ANY,
	};

	ASSERT_EQ(0, do_channel_create(self->dom.fd, &arg));
	EXPECT_EQ(0, fcntl(arg.out_fd, F_GETFD) & FD_CLOEXEC);
	EXPECT_EQ(0, fcntl(arg.out_fd, F_GETFL) & O_NONBLOCK);
	close(arg.out_fd);
	EXPECT_EQ(0, do_destroy(self->dom.fd, arg.out_id));

	arg.flags = O_CLOEXEC | O_NONBLOCK;
	ASSERT_EQ(0, do_channel_create(self->dom.fd, &arg));
	EXPECT_EQ(FD_CLOEXEC, fcntl(arg.out_fd, F_GETFD) & FD_CLOEXEC);
	EXPECT_EQ(O_NONBLOCK, fcntl(arg.out_fd, F_GETFL) & O_NONBLOCK);
	close(arg.out_fd);
	EXPECT_EQ(0, do_destroy(self->dom.fd, arg.out_id));
}

TEST_F(ioctl, no_free_descriptor_is_EMFILE_and_leaves_nothing)
{
	struct doca_channel_create arg;
	struct rlimit limit, low;
	int i, fds = count_fds();
	__u32 last = 0;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	low = limit;
	low.rlim_cur = 0;
	for (i = 0; i < 40; i++) {
		ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &low));
		arg = (struct doca_channel_create) {
			.entries = 16,
			.comp_vector = DOCA_COMP_VECTOR_ANY,
		};
		EXPECT_EQ(-EMFILE, do_channel_create(self->dom.fd, &arg));
		ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	}
	EXPECT_EQ(fds, count_fds());
	arg.size = sizeof(arg);
	ASSERT_EQ(0, do_channel_create(self->dom.fd, &arg));
	last = arg.out_id;
	close(arg.out_fd);
	EXPECT_EQ(0, do_destroy(self->dom.fd, last));
}

/* Takes all of a kind, gives it back by closing, and can take as many again. */
static int take_all(fixture *self, const struct command *c, unsigned int limit, int *last)
{
	union arg arg = {};
	struct dom dom;
	__u32 chan = 0;
	int n;

	*last = dom_open(&dom);
	if (*last)
		return -1;
	if (c->number == DOCA_IOCTL_QUEUE_CREATE) {
		arg.channel_create = (struct doca_channel_create) {
			.entries = self->info.out_max_channel_entries,
			.comp_vector = DOCA_COMP_VECTOR_ANY,
		};
		*last = do_channel_create(dom.fd, &arg.channel_create);
		if (*last)
			return -1;
		close(arg.channel_create.out_fd);
		chan = arg.channel_create.out_id;
	}
	for (n = 0; n <= limit; n++) {
		memset(&arg, 0, sizeof(arg));
		c->good(self, &arg);
		arg.size = c->size;
		if (c->number == DOCA_IOCTL_QUEUE_CREATE) {
			arg.queue_create.channel_id = chan;
			arg.queue_create.entries = 1;
		} else if (c->number == DOCA_IOCTL_CHANNEL_CREATE) {
			arg.channel_create.entries = 1;
		} else {
			arg.region_create.length = 1;
			/* DMA-API debugging takes many writable ones for a leak. */
			arg.region_create.access = 0;
		}
		*last = do_ioctl(dom.fd, c->number, &arg);
		if (*last)
			break;
		if (c->number == DOCA_IOCTL_CHANNEL_CREATE)
			close(arg.channel_create.out_fd);
	}
	dom_close(&dom);
	return n;
}

TEST_F(ioctl, the_last_object_is_followed_by_ENOSPC_and_all_come_back)
{
	struct {
		const char *name;
		unsigned int limit;
	} kinds[] = {
		{ "REGION_CREATE", self->info.out_max_regions },
		{ "CHANNEL_CREATE", self->info.out_max_channels },
		{ "QUEUE_CREATE", self->info.out_max_queues },
	};
	const struct command *c;
	int first, second, last, i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		FOR_EACH_COMMAND(c)
			if (!strcmp(c->name, kinds[i].name))
				break;
		first = take_all(self, c, kinds[i].limit, &last);
		EXPECT_EQ(-ENOSPC, last)
			TH_LOG("%s: after %d of %u", c->name, first, kinds[i].limit);
		EXPECT_LT(0, first);
		EXPECT_GE(kinds[i].limit, first);
		second = take_all(self, c, kinds[i].limit, &last);
		EXPECT_EQ(first, second)
			TH_LOG("%s: lost some by closing", c->name);
	}
}

TEST_F(ioctl, the_last_domain_is_followed_by_ENOSPC_and_all_come_back)
{
	struct doca_domain_alloc arg;
	struct rlimit limit;
	int *fds, n[2], round, err, i, fd;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	fds = calloc(limit.rlim_cur, sizeof(*fds));
	ASSERT_NE(NULL, fds);
	for (round = 0; round < 2; round++) {
		err = 0;
		for (n[round] = 0; !err;) {
			fd = open(NODE, O_RDWR | O_CLOEXEC);
			if (fd < 0)
				break;
			arg = (struct doca_domain_alloc) {};
			err = do_domain_alloc(fd, &arg);
			fds[n[round]] = fd;
			if (!err)
				n[round]++;
			else
				close(fd);
		}
		for (i = 0; i < n[round]; i++)
			close(fds[i]);
		if (!err)
			break;
		EXPECT_EQ(-ENOSPC, err);
		EXPECT_LT(1, n[round]);
	}
	free(fds);
	if (round < 2)
		SKIP(return, "more doorbell pages than descriptors");
	EXPECT_EQ(n[0], n[1]);
}

TEST_F(ioctl, open_for_reading_only_and_for_writing_only)
{
	struct doca_device_info info = {};
	int fd;

	fd = open(NODE, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, do_device_info(fd, &info));
	close(fd);
	fd = open(NODE, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, do_device_info(fd, &info));
	close(fd);
}

TEST_F(ioctl, read_and_write_of_the_node_fail)
{
	char byte = 0;

	EXPECT_EQ(-1, read(self->dom.fd, &byte, 1));
	EXPECT_EQ(-1, write(self->dom.fd, &byte, 1));
	EXPECT_EQ(-1, write(self->chan.fd, &byte, 1));
}

DOCA_TEST_MAIN
