// SPDX-License-Identifier: MIT
/*
 * The device misbehaves in the way that it was asked for, and in no other; and
 * it is itself again afterwards.
 */
#include "rig.h"

#define QUEUE	0x101U
#define MKEY	0x101U
#define DOMAIN	1U

struct bench {
	struct rig *rig;
	struct ring eq, cq;
	struct sq q;
	uint64_t mem;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert(b);
	b->rig = rig_new(&rig_config);
	b->mem = rig_alloc(b->rig, RIG_PAGE);
	rig_create_eq(b->rig, &b->eq, 1, 2, 4);
	rig_create_cq(b->rig, &b->cq, 7, DOMAIN, 1, 4);
	rig_create_queue(b->rig, &b->q, QUEUE, DOMAIN, 7, 4, DOCA_ENGINE_DMA);
	assert_int_equal(rig_create_key(b->rig, MKEY, DOMAIN, DOCA_KEY_LOCAL_WRITE,
					b->mem, RIG_PAGE), DOCA_ADMIN_OK);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	rig_free(b->rig);
	free(b);
	return 0;
}

static void submit(struct bench *b, uint32_t cookie)
{
	struct doca_sge src = sge(b->mem, MKEY, 64), dst = sge(b->mem + 64, MKEY, 64);

	rig_put(b->rig, &b->q, DOCA_DMA_OP_MEMCPY, cookie, &src, 1, &dst, 1);
	rig_ring(b->rig, &b->q);
	rig_idle(b->rig);
}

static struct doca_cqe one(struct bench *b, const char *chaos)
{
	assert_true(dpu_set_chaos(b->rig->dpu, chaos));
	submit(b, 5);
	assert_true(dpu_set_chaos(b->rig->dpu, ""));
	return rig_cqe(b->rig, &b->cq);
}

static void unknown_modes_change_nothing(void **state)
{
	static const char *const bad[] = {
		"nonsense", "cqe", "cqe-dropp", "cqe-drop+", "=", "cqe-drop=", "+",
		"cqe-drop nonsense", "cqe-drop+nonsense", "cqe-status=x",
	};
	struct bench *b = *state;
	struct doca_cqe cqe;
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		/* a + at the end is no harm */
		if (dpu_set_chaos(b->rig->dpu, bad[i]) && strcmp(bad[i], "cqe-drop+"))
			fail_msg("'%s' was taken", bad[i]);
		assert_true(dpu_set_chaos(b->rig->dpu, ""));
	}
	assert_non_null(strstr(dpu_chaos_modes(), "irq-storm, "));
	submit(b, 5);
	assert_true(rig_peek_cqe(b->rig, &b->cq, &cqe));
	assert_int_equal(cqe.status, DOCA_CQE_OK);
}

static void completions(void **state)
{
	struct bench *b = *state;
	struct doca_cqe cqe;

	assert_int_equal(one(b, "cqe-status").status, 0xee);
	assert_int_equal(one(b, "cqe-status=3").status, 3);
	assert_int_equal(one(b, "cqe-cookie").cookie, ~htole32(5));
	assert_int_equal(one(b, "cqe-tag").tag, ~htole32(TAG(QUEUE)));
	assert_int_equal(one(b, "cqe-index").queue_index, ~0U);
	assert_int_equal(le32toh(one(b, "cqe-index=77").queue_index), 77);
	assert_int_equal(le32toh(one(b, "cqe-back").queue_index), (uint32_t)-7);
	assert_int_equal(one(b, "cqe-length").byte_len, ~0ULL);
	cqe = one(b, "cqe-opcode=9+cqe-status=1");
	assert_int_equal(cqe.opcode, 9);
	assert_int_equal(cqe.status, 1);

	assert_true(dpu_set_chaos(b->rig->dpu, "cqe-duplicate"));
	submit(b, 6);
	assert_int_equal(le32toh(rig_cqe(b->rig, &b->cq).cookie), 6);
	assert_int_equal(le32toh(rig_cqe(b->rig, &b->cq).cookie), 6);

	assert_true(dpu_set_chaos(b->rig->dpu, "cqe-drop"));
	submit(b, 7);
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));

	assert_true(dpu_set_chaos(b->rig->dpu, "cqe-reorder"));
	submit(b, 8);
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
	submit(b, 9);
	assert_int_equal(le32toh(rig_cqe(b->rig, &b->cq).cookie), 9);
	assert_int_equal(le32toh(rig_cqe(b->rig, &b->cq).cookie), 8);

	assert_true(dpu_set_chaos(b->rig->dpu, "cqe-phase"));
	submit(b, 10);
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
}

static void events_and_interrupts(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;
	static const char *const modes[] = {
		"eqe-id", "eqe-type", "eqe-duplicate", "eqe-drop", "irq-drop", "eqe-phase",
	};
	unsigned int i, before;

	for (i = 0; i < 6; i++) {
		before = b->rig->interrupts[2];
		assert_true(dpu_set_chaos(b->rig->dpu, modes[i]));
		rig_doorbell(b->rig, DOMAIN, DOCA_DB_ARM, 7, b->cq.ci);
		submit(b, i);
		rig_cqe(b->rig, &b->cq);
		assert_int_equal(b->rig->interrupts[2] - before, i != 4);
		if (i == 3 || i == 5) {
			assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
			b->eq.ci += i == 5;
		} else {
			assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
			assert_int_equal(le32toh(eqe.id), i == 0 ? ~7U : 7);
			assert_int_equal(eqe.type, i == 1 ? 0xee : DOCA_EVENT_COMPLETION);
			assert_int_equal(rig_peek_eqe(b->rig, &b->eq, &eqe), i == 2);
		}
		rig_doorbell(b->rig, 0, DOCA_DB_EVENTS, 1, b->eq.ci);
	}
}

static void events_on_another_ring(void **state)
{
	struct bench *b = *state;
	struct ring other;
	struct doca_eqe eqe;

	assert_int_equal(rig_create_eq(b->rig, &other, 3, 3, 4), DOCA_ADMIN_OK);
	assert_true(dpu_set_chaos(b->rig->dpu, "eqe-ring"));
	rig_doorbell(b->rig, DOMAIN, DOCA_DB_ARM, 7, b->cq.ci);
	submit(b, 1);
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_true(rig_peek_eqe(b->rig, &other, &eqe));
	assert_int_equal(le32toh(eqe.id), 7);
	assert_int_equal(b->rig->interrupts[3], 1);
}

static void storm_of_interrupts(void **state)
{
	struct dpu_config config = rig_config;
	struct rig *rig;
	unsigned int i, v;

	config.serial = 9;
	config.workers = 1;
	rig = rig_new(&config);
	assert_true(dpu_set_chaos(rig->dpu, "irq-storm=1"));
	for (i = 0; rig->interrupts[3] < 100; i++) {
		assert_true(i < RIG_LIMIT / 10);
		usleep(10);
	}
	for (v = 0; v < 3; v++)
		assert_true(rig->interrupts[v] >= 99);
	assert_true(dpu_set_chaos(rig->dpu, ""));
	assert_int_equal(rig_handle_cmd(rig, 0, 0), DOCA_ADMIN_BAD_OPCODE);
	rig_free(rig);
}

static bool admin_answered(struct bench *b, const char *chaos, uint8_t *status)
{
	struct doca_admin_sqe sqe = { .opcode = htole16(0xff) };
	uint32_t index = rig_admin_put(b->rig, &sqe);

	assert_true(dpu_set_chaos(b->rig->dpu, chaos));
	dpu_reg_write(b->rig->dpu, DOCA_REG_ADMIN_DOORBELL, b->rig->admin_pi);
	rig_idle(b->rig);
	assert_true(dpu_set_chaos(b->rig->dpu, ""));
	*status = rig_admin_cqe(b->rig, index)->status;
	return rig_admin_done(b->rig, index);
}

static void admin_answers(void **state)
{
	struct bench *b = *state;
	uint32_t index;
	uint8_t status;

	assert_true(admin_answered(b, "", &status));
	assert_int_equal(status, DOCA_ADMIN_BAD_OPCODE);
	assert_true(admin_answered(b, "admin-status=7", &status));
	assert_int_equal(status, 7);
	assert_true(admin_answered(b, "admin-late=1", &status));
	index = b->rig->admin_pi;
	assert_true(admin_answered(b, "admin-id=1", &status));
	assert_int_equal(le16toh(rig_admin_cqe(b->rig, index)->command_id),
			 (0x4000 + index) ^ 1);
	assert_true(admin_answered(b, "admin-duplicate", &status));
	assert_true(rig_admin_done(b->rig, b->rig->admin_pi));
	dpu_reset(b->rig->dpu);
	rig_enable(b->rig);
	assert_false(admin_answered(b, "admin-drop", &status));
	dpu_reset(b->rig->dpu);
	rig_enable(b->rig);
	assert_false(admin_answered(b, "admin-phase", &status));
}

static void registers(void **state)
{
	static const struct { const char *chaos; uint32_t reg, value; } cases[] = {
		{ "regs", DOCA_REG_MAGIC, ~0U }, { "regs=0", DOCA_REG_STATUS, 0 },
		{ "reset-stuck", DOCA_REG_STATUS, DOCA_STATUS_READY | DOCA_STATUS_RESETTING },
		{ "ready-stuck", DOCA_REG_STATUS, 0 },
		{ "doorbells=3", DOCA_REG_NUM_DOORBELLS, 3 },
		{ "doorbell-shift", DOCA_REG_DOORBELL_SHIFT, 63 },
		{ "vectors", DOCA_REG_NUM_VECTORS, ~0U },
		{ "timeouts", DOCA_REG_ADMIN_TIMEOUT, 0 },
		{ "timeouts=9", DOCA_REG_RESET_TIMEOUT, 9 },
	};
	struct bench *b = *state;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(dpu_set_chaos(b->rig->dpu, cases[i].chaos));
		assert_int_equal(dpu_reg_read(b->rig->dpu, cases[i].reg), cases[i].value);
	}
	assert_true(dpu_set_chaos(b->rig->dpu, ""));
	assert_int_equal(dpu_reg_read(b->rig->dpu, DOCA_REG_STATUS), DOCA_STATUS_READY);
	assert_int_equal(dpu_chaos_bar(b->rig->dpu, 1 << 20), 1 << 20);
	assert_true(dpu_set_chaos(b->rig->dpu, "bar-small"));
	assert_int_equal(dpu_chaos_bar(b->rig->dpu, 1 << 20), 4096);
}

static void capabilities(void **state)
{
	struct bench *b = *state;
	uint64_t iova = rig_alloc(b->rig, sizeof(struct doca_hw_caps));
	struct doca_admin_sqe sqe = {
		.query.addr = htole64(iova),
		.query.len = htole32(sizeof(struct doca_hw_caps)),
	};
	struct doca_hw_caps *caps = rig_ptr(b->rig, iova);

	assert_true(dpu_set_chaos(b->rig->dpu, "caps=0xffffffff"));
	assert_int_equal(rig_admin(b->rig, DOCA_ADMIN_QUERY_DEVICE, &sqe), DOCA_ADMIN_OK);
	assert_int_equal(caps->max_keys, ~0U);
	assert_int_equal(caps->engines[0].max_transfer, ~0ULL);
	assert_int_equal(caps->model[15], 0xff);
	assert_true(dpu_set_chaos(b->rig->dpu, "caps"));
	assert_int_equal(rig_admin(b->rig, DOCA_ADMIN_QUERY_DEVICE, &sqe), DOCA_ADMIN_OK);
	assert_int_equal(caps->max_cq_entries, 0);
}

static void dma(void **state)
{
	static const char *const modes[] = { "dma-fault", "dma-bar" };
	struct bench *b = *state;
	struct doca_admin_sqe sqe = { .opcode = 0 };
	struct doca_cqe cqe;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		assert_true(dpu_set_chaos(b->rig->dpu, modes[i]));
		submit(b, i);
		assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
		rig_admin_put(b->rig, &sqe);
		dpu_reg_write(b->rig->dpu, DOCA_REG_ADMIN_DOORBELL, b->rig->admin_pi);
		rig_idle(b->rig);
		assert_int_equal(dpu_reg_read(b->rig->dpu, DOCA_REG_STATUS),
				 DOCA_STATUS_FATAL);
		assert_true(dpu_set_chaos(b->rig->dpu, ""));
		dpu_reset(b->rig->dpu);
		rig_enable(b->rig);
		assert_int_equal(rig_handle_cmd(b->rig, 0, 0), DOCA_ADMIN_BAD_OPCODE);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(unknown_modes_change_nothing),
		TEST(completions),
		TEST(events_and_interrupts),
		TEST(events_on_another_ring),
		cmocka_unit_test(storm_of_interrupts),
		TEST(admin_answers),
		TEST(registers),
		TEST(capabilities),
		TEST(dma),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("chaos", tests, NULL, NULL);
}
