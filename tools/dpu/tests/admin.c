// SPDX-License-Identifier: MIT
/*
 * Registers and admin commands: what is taken, what is refused and with which
 * status, page lists of every depth.
 */
#include "rig.h"

static int setup(void **state)
{
	*state = rig_new(&rig_config);
	return 0;
}

static int teardown(void **state)
{
	rig_free(*state);
	return 0;
}

static void configurations_are_checked(void **state)
{
	static const struct {
		const char *what;
		struct dpu_config config;
	} bad[] = {
		{ "model", { "bf9", 9, 0, false, 4, 16, 12, 0, 1000, 0 } },
		{ "vectors", { "all", 9, 0, false, 0, 16, 12, 0, 1000, 0 } },
		{ "vectors", { "all", 9, 0, false, 65, 16, 12, 0, 1000, 0 } },
		{ "doorbells", { "all", 9, 0, false, 4, 1, 12, 0, 1000, 0 } },
		{ "doorbells", { "all", 9, 0, false, 4, 65537, 12, 0, 1000, 0 } },
		{ "doorbell shift", { "all", 9, 0, false, 4, 16, 11, 0, 1000, 0 } },
		{ "workers", { "all", 9, 0, false, 4, 16, 12, 9, 1000, 0 } },
		{ "admin timeout", { "all", 9, 0, false, 4, 16, 12, 0, 99, 0 } },
		{ "function", { "all", 9, 8, false, 4, 16, 12, 0, 1000, 0 } },
		{ "objects", { "all", 9, 0, false, 4, 16, 12, 0, 1000, 15 } },
		/* the device of setup() has it */
		{ "serial", { "all", 1, 0, false, 4, 16, 12, 0, 1000, 0 } },
	};
	const char *error;
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		error = NULL;
		assert_null(dpu_create(&rig_ops, *state, &bad[i].config, &error));
		assert_non_null(error);
		assert_int_equal(strncmp(error, bad[i].what, strlen(bad[i].what)), 0);
	}
}

static void registers_say_what_the_device_is(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_MAGIC), DOCA_MAGIC);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_VERSION),
			 DOCA_HW_VERSION_MAJOR << 16 | DOCA_HW_VERSION_MINOR);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_NUM_DOORBELLS), 16);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_DOORBELL_SHIFT), 12);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_NUM_VECTORS), 4);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_ADMIN_TIMEOUT), 1000);
	assert_in_range(dpu_reg_read(rig->dpu, DOCA_REG_RESET_TIMEOUT), 1, 60000);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_CTRL), DOCA_CTRL_ENABLE);
	/* what is not there reads as 0 and takes no write */
	dpu_reg_write(rig->dpu, 0x80, ~0U);
	assert_int_equal(dpu_reg_read(rig->dpu, 0x80), 0);
	dpu_reg_write(rig->dpu, DOCA_REG_MAGIC, 0);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_MAGIC), DOCA_MAGIC);
}

static void admin_rings_are_fixed_while_enabled(void **state)
{
	struct rig *rig = *state;

	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_SQ_LO, 0);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_LOG_ENTRIES, 7);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_ADMIN_SQ_LO),
			 (uint32_t)rig->admin_sq);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_ADMIN_SQ_HI),
			 rig->admin_sq >> 32);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_ADMIN_CQ_LO),
			 (uint32_t)rig->admin_cq);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_ADMIN_CQ_HI),
			 rig->admin_cq >> 32);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_ADMIN_LOG_ENTRIES),
			 RIG_ADMIN_LOG);
}

static void enable_needs_good_rings(void **state)
{
	static const struct { uint32_t log, sq, cq; } bad[] = {
		{ 0, 0, 0 }, { DOCA_ADMIN_MAX_LOG + 1, 0, 0 }, { 32, 0, 0 },
		{ 2, 32, 0 }, { 2, 0, 8 },
	};
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		dpu_reset(rig->dpu);
		assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_STATUS), 0);
		dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_SQ_LO, bad[i].sq);
		dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_CQ_LO, bad[i].cq);
		dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_LOG_ENTRIES, bad[i].log);
		dpu_reg_write(rig->dpu, DOCA_REG_CTRL, DOCA_CTRL_ENABLE);
		assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_STATUS), 0);
		assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_CTRL), 0);
	}
	rig_enable(rig);
	assert_int_equal(rig_handle_cmd(rig, 0xff, 0), DOCA_ADMIN_BAD_OPCODE);
}

static void query_tells_capabilities(void **state)
{
	struct rig *rig = *state;
	uint64_t iova = rig_alloc(rig, sizeof(struct doca_hw_caps));
	struct doca_admin_sqe sqe = {
		.query.addr = htole64(iova),
		.query.len = htole32(sizeof(struct doca_hw_caps)),
	};
	struct doca_hw_caps *caps = rig_ptr(rig, iova);
	unsigned int i;

	assert_int_equal(rig_admin(rig, DOCA_ADMIN_QUERY_DEVICE, &sqe), DOCA_ADMIN_OK);
	assert_string_equal((char *)caps->model, "all");
	assert_int_equal(le64toh(caps->serial), 1);
	assert_int_equal(caps->gid.raw[0], 0xfe);
	assert_int_equal(caps->gid.raw[15], 1);
	/* unicast, locally administered */
	assert_int_equal(caps->mac[0] & 3, 2);
	assert_int_equal(le32toh(caps->max_eqs), 4);
	for (i = 0; i < DOCA_MAX_ENGINES; i++)
		assert_int_equal(le32toh(caps->engines[i].supported),
				 i < DOCA_NUM_ENGINES);
	assert_int_equal(le64toh(caps->engines[DOCA_ENGINE_DMA].max_transfer), 2 << 20);
	assert_int_equal(le32toh(caps->engines[DOCA_ENGINE_DMA].max_list_len), 64);
	assert_int_equal(le32toh(caps->engines[DOCA_ENGINE_RDMA].opcodes),
			 1 << DOCA_RDMA_OP_WRITE);

	sqe.query.len = htole32(sizeof(struct doca_hw_caps) - 1);
	assert_int_equal(rig_admin(rig, DOCA_ADMIN_QUERY_DEVICE, &sqe),
			 DOCA_ADMIN_BAD_FIELD);
	sqe.query.len = htole32(sizeof(struct doca_hw_caps));
	sqe.query.reserved = htole32(1);
	assert_int_equal(rig_admin(rig, DOCA_ADMIN_QUERY_DEVICE, &sqe),
			 DOCA_ADMIN_BAD_FIELD);
	sqe.query.reserved = 0;
	sqe.query.addr = htole64(RIG_BASE - RIG_PAGE);
	assert_int_equal(rig_admin(rig, DOCA_ADMIN_QUERY_DEVICE, &sqe),
			 DOCA_ADMIN_BUS_ERROR);
}

static void unknown_opcodes_and_reserved_bits(void **state)
{
	static const uint16_t opcodes[] = { 0, 3, 0x0f, 0x12, 0x44, 0xff, 0xffff };
	struct rig *rig = *state;
	struct doca_admin_sqe sqe = { .reserved = htole32(1) };
	unsigned int i;

	for (i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		assert_int_equal(rig_handle_cmd(rig, opcodes[i], 0),
				 DOCA_ADMIN_BAD_OPCODE);
	assert_int_equal(rig_admin(rig, DOCA_ADMIN_QUERY_DEVICE, &sqe),
			 DOCA_ADMIN_BAD_FIELD);
}

static void admin_ring_wraps(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < 5 << RIG_ADMIN_LOG; i++)
		assert_int_equal(rig_handle_cmd(rig, 0, i), DOCA_ADMIN_BAD_OPCODE);
}

static void several_commands_with_one_doorbell(void **state)
{
	struct doca_admin_sqe sqe = { .opcode = 0 };
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < 1 << RIG_ADMIN_LOG; i++)
		rig_admin_put(rig, &sqe);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_DOORBELL, rig->admin_pi);
	rig_idle(rig);
	for (i = 0; i < 1 << RIG_ADMIN_LOG; i++) {
		assert_true(rig_admin_done(rig, i));
		assert_int_equal(rig_admin_cqe(rig, i)->status, DOCA_ADMIN_BAD_OPCODE);
		assert_int_equal(le16toh(rig_admin_cqe(rig, i)->command_id), 0x4000 + i);
	}
	assert_int_equal(rig->interrupts[0], 1 << RIG_ADMIN_LOG);
}

static void admin_doorbell_out_of_range_is_counted(void **state)
{
	static const uint32_t bad[] = { 5, 0x80000000, ~0U };
	struct rig *rig = *state;
	struct dpu_stats stats;
	unsigned int i;

	for (i = 0; i < 3; i++)
		dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_DOORBELL, bad[i]);
	rig_idle(rig);
	dpu_get_stats(rig->dpu, &stats);
	assert_int_equal(stats.bad_doorbells, 3);
	assert_int_equal(stats.admin_commands, 0);
	/* and nothing is the worse for it */
	assert_int_equal(rig_handle_cmd(rig, 0, 0), DOCA_ADMIN_BAD_OPCODE);
}

static void unreadable_admin_ring_is_fatal_until_reset(void **state)
{
	struct doca_admin_sqe sqe = { .opcode = 0 };
	struct rig *rig = *state;

	rig->refuse = rig->admin_sq;
	rig->refuse_end = rig->admin_sq + RIG_PAGE;
	rig_admin_put(rig, &sqe);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_DOORBELL, rig->admin_pi);
	rig_idle(rig);
	assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_STATUS), DOCA_STATUS_FATAL);
	rig->refuse = rig->refuse_end = 0;
	dpu_reset(rig->dpu);
	rig_enable(rig);
	assert_int_equal(rig_handle_cmd(rig, 0, 0), DOCA_ADMIN_BAD_OPCODE);
}

static void unwritable_admin_answer_does_not_stop_the_device(void **state)
{
	struct doca_admin_sqe sqe = { .opcode = 0 };
	struct rig *rig = *state;

	rig->refuse = rig->admin_cq;
	rig->refuse_end = rig->admin_cq + RIG_PAGE;
	rig_admin_put(rig, &sqe);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_DOORBELL, rig->admin_pi);
	rig_idle(rig);
	rig->refuse = rig->refuse_end = 0;
	assert_int_equal(rig_handle_cmd(rig, 0, 0), DOCA_ADMIN_BAD_OPCODE);
}

static void event_rings_are_checked(void **state)
{
	struct rig *rig = *state;
	struct ring eq;

	assert_int_equal(rig_create_eq(rig, &eq, 4, 0, 4), DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_eq(rig, &eq, 0, 4, 4), DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_eq(rig, &eq, 0, 0, 17), DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_eq(rig, &eq, 3, 3, 4), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_eq(rig, &eq, 3, 3, 4), DOCA_ADMIN_EXISTS);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_EQ, 2),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_EQ, 4),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_EQ, ~0U),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_EQ, 3), DOCA_ADMIN_OK);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_EQ, 3),
			 DOCA_ADMIN_BAD_HANDLE);
}

static void completion_rings_are_checked(void **state)
{
	struct rig *rig = *state;
	struct ring eq, cq;

	assert_int_equal(rig_create_cq(rig, &cq, 0, 1, 0, 4), DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_create_eq(rig, &eq, 0, 0, 4), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_cq(rig, &cq, 8192, 1, 0, 4), DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_cq(rig, &cq, ~0U, 1, 0, 4), DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_cq(rig, &cq, 0, 16, 0, 4), DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_cq(rig, &cq, 0, 1, 0, 19), DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_cq(rig, &cq, 0, 1, 1, 4), DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_create_cq(rig, &cq, 0, 1, ~0U, 4), DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_create_cq(rig, &cq, 8191, 15, 0, 18), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_cq(rig, &cq, 8191, 15, 0, 4), DOCA_ADMIN_EXISTS);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_EQ, 0), DOCA_ADMIN_BUSY);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_CQ, 8191),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_CQ, 8191),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_CQ, ~0U),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_EQ, 0), DOCA_ADMIN_OK);
}

static void queues_are_checked(void **state)
{
	struct rig *rig = *state;
	struct ring eq, cq;
	struct sq q;

	assert_int_equal(rig_create_eq(rig, &eq, 0, 0, 4), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_cq(rig, &cq, 5, 2, 0, 4), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_queue(rig, &q, 8192 << 8, 2, 5, 4, 0),
			 DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_queue(rig, &q, 0x101, 16, 5, 4, 0),
			 DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_queue(rig, &q, 0x101, 2, 5, 4, DOCA_NUM_ENGINES),
			 DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_queue(rig, &q, 0x101, 2, 5, 4, 255),
			 DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_create_queue(rig, &q, 0x101, 2, 5, 18, 0),
			 DOCA_ADMIN_BAD_FIELD);
	/* no ring, and the ring of another domain */
	assert_int_equal(rig_create_queue(rig, &q, 0x101, 2, 6, 4, 0),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_create_queue(rig, &q, 0x101, 3, 5, 4, 0),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_create_queue(rig, &q, 0x101, 2, ~0U, 4, 0),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_create_queue(rig, &q, 0x101, 2, 5, 4, 0), DOCA_ADMIN_OK);
	/* the index counts, not the generation */
	assert_int_equal(rig_create_queue(rig, &q, 0x102, 2, 5, 4, 0),
			 DOCA_ADMIN_EXISTS);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_CQ, 5), DOCA_ADMIN_BUSY);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_STOP_QUEUE, 0x102),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_QUEUE, 0x102),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_QUEUE, ~0U),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_STOP_QUEUE, 0x101),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_STOP_QUEUE, 0x101),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_QUEUE, 0x101),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_CQ, 5), DOCA_ADMIN_OK);
}

static void connections_are_checked(void **state)
{
	struct rig *rig = *state;
	struct ring eq, cq;
	struct sq dma, rdma;

	rig_create_eq(rig, &eq, 0, 0, 4);
	rig_create_cq(rig, &cq, 0, 2, 0, 4);
	rig_create_queue(rig, &dma, 0x101, 2, 0, 2, DOCA_ENGINE_DMA);
	rig_create_queue(rig, &rdma, 0x201, 2, 0, 2, DOCA_ENGINE_RDMA);
	assert_int_equal(rig_connect(rig, 0x101, 1, 0x201, 1), DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(rig_connect(rig, 0x301, 1, 0x201, 1), DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_connect(rig, 0x201, 1, 0x201, 1), DOCA_ADMIN_OK);
	assert_int_equal(rig_connect(rig, 0x201, 1, 0x201, 1), DOCA_ADMIN_BAD_STATE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_STOP_QUEUE, 0x201),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_connect(rig, 0x201, 1, 0x201, 1), DOCA_ADMIN_BAD_STATE);
}

static void keys_are_checked(void **state)
{
	static const struct {
		const char *what;
		uint32_t mkey, domain, access;
		uint64_t addr, length, offset;
		uint32_t reserved;
	} bad[] = {
		{ "index", 65536U << 8, 1, 0, 0x1000, 64, 0, 0 },
		{ "domain", 0x101, 16, 0, 0x1000, 64, 0, 0 },
		{ "access", 0x101, 1, 0x80, 0x1000, 64, 0, 0 },
		{ "length 0", 0x101, 1, 0, 0x1000, 0, 0, 0 },
		{ "address wraps", 0x101, 1, 0, -63ULL, 64, 0, 0 },
		{ "offset wraps", 0x101, 1, 0, 0x1000, 64, -1ULL, 0 },
		{ "offset behind the first page", 0x101, 1, 0, 0x1000, 64, 4096, 0 },
		{ "longer than the pages", 0x101, 1, 0, 0x1000, 4097, 0, 0 },
		{ "longer by the offset", 0x101, 1, 0, 0x1000, 4096, 1, 0 },
		{ "reserved", 0x101, 1, 0, 0x1000, 64, 0, 1 },
	};
	struct rig *rig = *state;
	uint64_t iova = rig_alloc(rig, RIG_PAGE);
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct doca_admin_sqe sqe = {
			.create_key.mkey = htole32(bad[i].mkey),
			.create_key.domain = htole32(bad[i].domain),
			.create_key.access = htole32(bad[i].access),
			.create_key.addr = htole64(bad[i].addr),
			.create_key.length = htole64(bad[i].length),
			.create_key.offset = htole64(bad[i].offset),
			.create_key.reserved = htole32(bad[i].reserved),
			.create_key.pages = rig_pages(iova, RIG_PAGE),
		};
		uint8_t status = rig_admin(rig, DOCA_ADMIN_CREATE_KEY, &sqe);

		if (status != DOCA_ADMIN_BAD_FIELD)
			fail_msg("%s: status %u", bad[i].what, status);
	}
	assert_int_equal(rig_create_key(rig, 0x101, 1, 0x7f, iova, 4096), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_key(rig, 0x102, 1, 0, iova, 4096), DOCA_ADMIN_EXISTS);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_KEY, 0x102),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_KEY, ~0U),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_KEY, 0x101),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_KEY, 0x101),
			 DOCA_ADMIN_BAD_HANDLE);
	/* the last byte of the address space can be registered */
	{
		struct doca_admin_sqe sqe = {
			.create_key.mkey = htole32(0x102),
			.create_key.domain = htole32(1),
			.create_key.addr = htole64(-64ULL),
			.create_key.length = htole64(64),
			.create_key.pages = rig_pages(iova, RIG_PAGE),
		};

		assert_int_equal(rig_admin(rig, DOCA_ADMIN_CREATE_KEY, &sqe),
				 DOCA_ADMIN_OK);
	}
}

static uint8_t key_of_pages(struct rig *rig, struct doca_hw_pages pages, uint64_t length)
{
	struct doca_admin_sqe sqe = {
		.create_key.mkey = htole32(0x101),
		.create_key.domain = htole32(1),
		.create_key.addr = htole64(0x1000000000),
		.create_key.length = htole64(length),
		.create_key.pages = pages,
	};
	uint8_t status = rig_admin(rig, DOCA_ADMIN_CREATE_KEY, &sqe);

	if (!status)
		rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_KEY, 0x101);
	return status;
}

static void page_lists_are_checked(void **state)
{
	struct rig *rig = *state;
	uint64_t page = rig_alloc(rig, RIG_PAGE), block = rig_alloc(rig, RIG_PAGE);
	const struct doca_hw_pages good = rig_pages(page, RIG_PAGE);
	struct doca_hw_pages pages;
	uint64_t *entry = rig_ptr(rig, block);

	assert_int_equal(key_of_pages(rig, good, 1), DOCA_ADMIN_OK);
	pages = good, pages.num_pages = 0;
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages = good, pages.num_pages = htole32(2);	/* more than level 0 holds */
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages = good, pages.page_shift = 11;
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages = good, pages.page_shift = 64;
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages = good, pages.page_shift = 255;
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages = good, pages.levels = 5;
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages = good, pages.reserved[1] = 1;
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages = good, pages.root = htole64(page + 64);
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	/* 2^63 bytes per page */
	pages = good, pages.page_shift = 63, pages.root = 0;
	assert_int_equal(key_of_pages(rig, pages, 1ULL << 63), DOCA_ADMIN_OK);

	/* a block: of 512, but not of 513; with a page that is not aligned */
	pages = good, pages.levels = 1, pages.root = htole64(block);
	pages.num_pages = htole32(513);
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages.num_pages = htole32(512);
	assert_int_equal(key_of_pages(rig, pages, 512 * RIG_PAGE), DOCA_ADMIN_OK);
	entry[511] = htole64(page + 1);
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages.num_pages = htole32(511);
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_OK);

	/* a block that is not there, at each level */
	pages.root = htole64(RIG_BASE - RIG_PAGE);
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BUS_ERROR);
	entry[0] = htole64(RIG_BASE - RIG_PAGE);
	pages.root = htole64(block), pages.levels = 2;
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BUS_ERROR);

	/* more pages than a key has */
	pages.levels = 4, pages.num_pages = htole32((1U << 20) + 1);
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
	pages.num_pages = htole32(~0U);
	assert_int_equal(key_of_pages(rig, pages, 1), DOCA_ADMIN_BAD_FIELD);
}

/* A list that points at itself is as deep as it says, and no deeper. */
static void page_list_that_points_at_itself(void **state)
{
	struct rig *rig = *state;
	uint64_t block = rig_alloc(rig, RIG_PAGE), *entry = rig_ptr(rig, block);
	struct doca_hw_pages pages = {
		.root = htole64(block), .num_pages = htole32(1 << 20),
		.page_shift = 12, .levels = 4,
	};
	unsigned int i;

	for (i = 0; i < DOCA_LIST_BLOCK_ENTRIES; i++)
		entry[i] = htole64(block);
	assert_int_equal(key_of_pages(rig, pages, 1ULL << 32), DOCA_ADMIN_OK);
}

static void memory_for_page_lists_is_limited(void **state)
{
	struct rig *rig = *state;
	uint64_t block = rig_alloc(rig, RIG_PAGE), *entry = rig_ptr(rig, block);
	struct doca_admin_sqe sqe = {
		.create_key.domain = htole32(1),
		.create_key.length = htole64(1),
		.create_key.pages = {
			.root = htole64(block), .num_pages = htole32(1 << 20),
			.page_shift = 12, .levels = 4,
		},
	};
	unsigned int i, num;

	for (i = 0; i < DOCA_LIST_BLOCK_ENTRIES; i++)
		entry[i] = htole64(block);
	for (num = 0; num < 100; num++) {
		sqe.create_key.mkey = htole32(num << 8);
		if (rig_admin(rig, DOCA_ADMIN_CREATE_KEY, &sqe))
			break;
	}
	/* 256 MiB, 8 MiB each */
	assert_int_equal(num, 32);
	assert_int_equal(rig_admin(rig, DOCA_ADMIN_CREATE_KEY, &sqe),
			 DOCA_ADMIN_NO_RESOURCES);
	assert_int_equal(rig_handle_cmd(rig, DOCA_ADMIN_DESTROY_KEY, 0), DOCA_ADMIN_OK);
	assert_int_equal(rig_admin(rig, DOCA_ADMIN_CREATE_KEY, &sqe), DOCA_ADMIN_OK);
	/* a reset gives it all back */
	dpu_reset(rig->dpu);
	rig_enable(rig);
	for (i = 0; i < num; i++) {
		sqe.create_key.mkey = htole32(i << 8);
		assert_int_equal(rig_admin(rig, DOCA_ADMIN_CREATE_KEY, &sqe),
				 DOCA_ADMIN_OK);
	}
}

static void reset_forgets_everything(void **state)
{
	struct rig *rig = *state;
	uint64_t iova = rig_alloc(rig, RIG_PAGE);
	unsigned int round;

	for (round = 0; round < 3; round++) {
		struct ring eq, cq;
		struct sq q;

		assert_int_equal(rig_create_eq(rig, &eq, 0, 0, 4), DOCA_ADMIN_OK);
		assert_int_equal(rig_create_cq(rig, &cq, 0, 1, 0, 4), DOCA_ADMIN_OK);
		assert_int_equal(rig_create_queue(rig, &q, 0x101, 1, 0, 4, 0),
				 DOCA_ADMIN_OK);
		assert_int_equal(rig_create_key(rig, 0x101, 1, 0, iova, 64),
				 DOCA_ADMIN_OK);
		rig_put(rig, &q, DOCA_DMA_OP_MEMCPY, 0, NULL, 0, NULL, 0);
		rig_ring(rig, &q);
		if (round == 1) {
			/* as the driver does it */
			dpu_reg_write(rig->dpu, DOCA_REG_CTRL, DOCA_CTRL_RESET);
			assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_STATUS) &
					 DOCA_STATUS_RESETTING, DOCA_STATUS_RESETTING);
			/* nothing is taken until it is done */
			dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_LOG_ENTRIES, 5);
			rig_idle(rig);
		} else {
			dpu_reset(rig->dpu);
		}
		assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_STATUS), 0);
		assert_int_equal(dpu_reg_read(rig->dpu, DOCA_REG_ADMIN_LOG_ENTRIES), 0);
		rig_enable(rig);
		rig_idle(rig);
		/* the descriptor was dropped */
		assert_int_equal(((struct doca_cqe *)rig_ptr(rig, cq.iova))->phase, 0);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(configurations_are_checked),
		TEST(registers_say_what_the_device_is),
		TEST(admin_rings_are_fixed_while_enabled),
		TEST(enable_needs_good_rings),
		TEST(query_tells_capabilities),
		TEST(unknown_opcodes_and_reserved_bits),
		TEST(admin_ring_wraps),
		TEST(several_commands_with_one_doorbell),
		TEST(admin_doorbell_out_of_range_is_counted),
		TEST(unreadable_admin_ring_is_fatal_until_reset),
		TEST(unwritable_admin_answer_does_not_stop_the_device),
		TEST(event_rings_are_checked),
		TEST(completion_rings_are_checked),
		TEST(queues_are_checked),
		TEST(connections_are_checked),
		TEST(keys_are_checked),
		TEST(page_lists_are_checked),
		TEST(page_list_that_points_at_itself),
		TEST(memory_for_page_lists_is_limited),
		TEST(reset_forgets_everything),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("admin", tests, NULL, NULL);
}
