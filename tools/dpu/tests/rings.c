// SPDX-License-Identifier: MIT
/*
 * Doorbells, submission rings, completion rings, event rings: order, wrapping,
 * arming, and what happens when a ring is full or a doorbell lies.
 */
#include "rig.h"

#define QUEUE	0x101U
#define MKEY	0x101U
#define DOMAIN	1U
#define LEN	64U

/* One DMA queue whose completions go to one ring. */
struct bench {
	struct rig *rig;
	struct ring eq, cq;
	struct sq q;
	uint64_t src, dst;
};

static struct bench *bench_new(uint32_t eq_log, uint32_t cq_log, uint32_t q_log)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert(b);
	b->rig = rig_new(&rig_config);
	b->src = rig_alloc(b->rig, RIG_PAGE);
	b->dst = rig_alloc(b->rig, RIG_PAGE);
	assert_int_equal(rig_create_eq(b->rig, &b->eq, 1, 2, eq_log), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_cq(b->rig, &b->cq, 7, DOMAIN, 1, cq_log),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_create_queue(b->rig, &b->q, QUEUE, DOMAIN, 7, q_log,
					  DOCA_ENGINE_DMA), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_key(b->rig, MKEY, DOMAIN, DOCA_KEY_LOCAL_WRITE,
					b->src, 2 * RIG_PAGE), DOCA_ADMIN_OK);
	return b;
}

static int setup(void **state)
{
	*state = bench_new(3, 4, 2);
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	rig_free(b->rig);
	free(b);
	return 0;
}

static void put(struct bench *b, uint32_t cookie)
{
	struct doca_sge src = sge(b->src, MKEY, LEN), dst = sge(b->dst, MKEY, LEN);

	rig_put(b->rig, &b->q, DOCA_DMA_OP_MEMCPY, cookie, &src, 1, &dst, 1);
}

/* A descriptor, rung in and done; its completion stays in the ring. */
static void run(struct bench *b, uint32_t cookie)
{
	put(b, cookie);
	rig_ring(b->rig, &b->q);
	rig_idle(b->rig);
}

static void arm(struct bench *b)
{
	rig_doorbell(b->rig, DOMAIN, DOCA_DB_ARM, b->cq.id, b->cq.ci);
	rig_idle(b->rig);
}

static void free_events(struct bench *b)
{
	rig_doorbell(b->rig, 0, DOCA_DB_EVENTS, b->eq.id, b->eq.ci);
	rig_idle(b->rig);
}

static uint64_t bad_doorbells(struct bench *b)
{
	struct dpu_stats stats;

	dpu_get_stats(b->rig->dpu, &stats);
	return stats.bad_doorbells;
}

static void completions_come_in_order_over_many_wraps(void **state)
{
	struct bench *b = *state;
	struct doca_cqe cqe;
	uint32_t i, n;

	for (i = 0; i < 100; i += n) {
		/* 1, 2, 3, 4, 1, ... at once in a ring of 4 */
		n = 1 + i % 4;
		for (uint32_t k = 0; k < n; k++)
			put(b, i + k);
		rig_ring(b->rig, &b->q);
		for (uint32_t k = 0; k < n; k++) {
			cqe = rig_cqe(b->rig, &b->cq);
			assert_int_equal(le32toh(cqe.cookie), i + k);
			assert_int_equal(le32toh(cqe.tag), TAG(QUEUE));
			assert_int_equal(cqe.status, DOCA_CQE_OK);
			assert_int_equal(cqe.opcode, DOCA_DMA_OP_MEMCPY);
			assert_int_equal(le64toh(cqe.byte_len), LEN);
			assert_int_equal(le32toh(cqe.queue_index), i + k + 1);
		}
	}
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
}

static void nothing_runs_before_the_doorbell(void **state)
{
	struct bench *b = *state;
	struct doca_cqe cqe;

	put(b, 1);
	rig_idle(b->rig);
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
	rig_ring(b->rig, &b->q);
	assert_int_equal(rig_cqe(b->rig, &b->cq).status, DOCA_CQE_OK);
}

static void same_doorbell_twice_is_one(void **state)
{
	struct bench *b = *state;
	struct doca_cqe cqe;

	put(b, 1);
	rig_ring(b->rig, &b->q);
	rig_ring(b->rig, &b->q);
	rig_idle(b->rig);
	rig_ring(b->rig, &b->q);
	rig_idle(b->rig);
	assert_true(rig_peek_cqe(b->rig, &b->cq, &cqe));
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
	assert_int_equal(bad_doorbells(b), 0);
}

static void doorbell_too_far_ahead_fails_the_queue(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;
	struct doca_cqe cqe;

	rig_doorbell(b->rig, DOMAIN, DOCA_DB_SUBMIT, QUEUE, 5);
	rig_idle(b->rig);
	assert_int_equal(bad_doorbells(b), 1);
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_int_equal(eqe.type, DOCA_EVENT_QUEUE_ERROR);
	assert_int_equal(le32toh(eqe.id), QUEUE);
	/* what follows is flushed, and there is one event for the error */
	run(b, 9);
	cqe = rig_cqe(b->rig, &b->cq);
	assert_int_equal(cqe.status, DOCA_CQE_FLUSHED);
	assert_int_equal(le32toh(cqe.cookie), 9);
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
}

static void doorbell_backwards_fails_the_queue(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;

	dpu_set_delay_us(b->rig->dpu, 1000000);
	put(b, 0);
	put(b, 1);
	rig_ring(b->rig, &b->q);
	rig_doorbell(b->rig, DOMAIN, DOCA_DB_SUBMIT, QUEUE, 1);
	rig_idle(b->rig);
	assert_int_equal(bad_doorbells(b), 1);
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_int_equal(eqe.type, DOCA_EVENT_QUEUE_ERROR);
}

static void doorbells_of_strangers_do_nothing(void **state)
{
	static const struct { uint32_t domain, which, object, size; } bad[] = {
		{ 2, DOCA_DB_SUBMIT, QUEUE, 8 },		/* another domain */
		{ 0, DOCA_DB_SUBMIT, QUEUE, 8 },		/* the kernel's */
		{ DOMAIN, DOCA_DB_SUBMIT, QUEUE + 1, 8 },	/* stale handle */
		{ DOMAIN, DOCA_DB_SUBMIT, 0x201, 8 },		/* no queue */
		{ DOMAIN, DOCA_DB_SUBMIT, ~0U, 8 },
		{ DOMAIN, DOCA_DB_SUBMIT, QUEUE, 4 },		/* half a store */
		{ DOMAIN, DOCA_DB_SUBMIT + 8, QUEUE, 8 },	/* beside it */
		{ 2, DOCA_DB_ARM, 7, 8 },
		{ DOMAIN, DOCA_DB_ARM, 8, 8 },
		{ DOMAIN, DOCA_DB_ARM, ~0U, 8 },
		{ DOMAIN, DOCA_DB_EVENTS, 1, 8 },		/* not page 0 */
		{ 0, DOCA_DB_EVENTS, 0, 8 },			/* no such ring */
		{ 0, DOCA_DB_EVENTS, ~0U, 8 },
		{ 16, DOCA_DB_SUBMIT, QUEUE, 8 },		/* behind the BAR */
	};
	struct bench *b = *state;
	struct doca_eqe eqe;
	struct doca_cqe cqe;
	unsigned int i, interrupts = b->rig->interrupts[2];

	put(b, 1);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		dpu_doorbell(b->rig->dpu,
			     ((uint64_t)bad[i].domain << RIG_DB_SHIFT) + bad[i].which,
			     bad[i].size, (uint64_t)bad[i].object << 32 | 1);
		rig_idle(b->rig);
		if (bad_doorbells(b) != i + 1)
			fail_msg("case %u was not counted", i);
	}
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_int_equal(b->rig->interrupts[2], interrupts);
	rig_ring(b->rig, &b->q);
	assert_int_equal(rig_cqe(b->rig, &b->cq).status, DOCA_CQE_OK);
}

static void no_event_without_arm(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;

	run(b, 1);
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_int_equal(b->rig->interrupts[2], 0);
}

static void armed_ring_reports_the_next_completion_once(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;

	arm(b);
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	run(b, 1);
	run(b, 2);
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_int_equal(eqe.type, DOCA_EVENT_COMPLETION);
	assert_int_equal(le32toh(eqe.id), 7);
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_int_equal(b->rig->interrupts[2], 1);
}

static void completion_before_arming_reports_at_once(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;

	run(b, 1);
	arm(b);		/* ci 0, and entry 0 is there */
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
}

static void arming_behind_what_was_read_waits(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;

	run(b, 1);
	rig_cqe(b->rig, &b->cq);
	arm(b);		/* ci 1 */
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	run(b, 2);
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
}

static void arming_ahead_waits_for_that_entry(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;

	rig_doorbell(b->rig, DOMAIN, DOCA_DB_ARM, b->cq.id, 2);
	run(b, 1);
	run(b, 2);
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	run(b, 3);
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
}

static void interrupt_waits_for_the_events_doorbell(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		arm(b);
		run(b, i);
		rig_cqe(b->rig, &b->cq);
	}
	/* three events, one interrupt: nobody has answered it */
	assert_int_equal(b->rig->interrupts[2], 1);
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
	/* one of three read: there is more, so it comes at once */
	free_events(b);
	assert_int_equal(b->rig->interrupts[2], 2);
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
	free_events(b);
	assert_int_equal(b->rig->interrupts[2], 2);
	arm(b);
	run(b, 3);
	assert_int_equal(b->rig->interrupts[2], 3);
}

static void events_doorbell_out_of_range_is_dropped(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;

	arm(b);
	run(b, 0);
	rig_doorbell(b->rig, 0, DOCA_DB_EVENTS, b->eq.id, 2);
	rig_doorbell(b->rig, 0, DOCA_DB_EVENTS, b->eq.id, ~0U);
	assert_int_equal(bad_doorbells(b), 2);
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
	free_events(b);
	assert_int_equal(bad_doorbells(b), 2);
}

/* A ring of two events for three rings that report; nothing is overwritten. */
static void full_event_ring_loses_nothing(void **state)
{
	struct bench *b = bench_new(1, 4, 2);
	struct ring cq[3];
	struct sq q[3];
	struct doca_eqe eqe;
	uint32_t seen = 0, round, i;

	for (i = 0; i < 3; i++) {
		assert_int_equal(rig_create_cq(b->rig, &cq[i], 20 + i, DOMAIN, 1, 4),
				 DOCA_ADMIN_OK);
		assert_int_equal(rig_create_queue(b->rig, &q[i], (10 + i) << 8, DOMAIN,
						  20 + i, 2, DOCA_ENGINE_DMA),
				 DOCA_ADMIN_OK);
		/* each error has an event, and each completion another */
		rig_doorbell(b->rig, DOMAIN, DOCA_DB_ARM, 20 + i, 0);
		rig_put(b->rig, &q[i], 99, i, NULL, 0, NULL, 0);
		rig_ring(b->rig, &q[i]);
	}
	rig_idle(b->rig);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 2; i++) {
			assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
			if (eqe.type == DOCA_EVENT_COMPLETION)
				seen |= 1U << (le32toh(eqe.id) - 20);
			else
				seen |= 0x100U << ((le32toh(eqe.id) >> 8) - 10);
		}
		assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
		free_events(b);
	}
	assert_int_equal(seen, 0x707);
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	*state = b;
	teardown(state);
}

/* What waits for room goes when its object goes. */
static void waiting_event_of_a_destroyed_object_is_forgotten(void **state)
{
	struct bench *b = bench_new(0, 4, 2);
	struct ring cq[2];
	struct sq q[2];
	struct doca_eqe eqe;
	uint32_t i;

	for (i = 0; i < 2; i++) {
		rig_create_cq(b->rig, &cq[i], 20 + i, DOMAIN, 1, 4);
		rig_create_queue(b->rig, &q[i], (10 + i) << 8, DOMAIN, 20 + i, 2,
				 DOCA_ENGINE_DMA);
		rig_doorbell(b->rig, DOMAIN, DOCA_DB_ARM, 20 + i, 0);
		rig_put(b->rig, &q[i], 99, i, NULL, 0, NULL, 0);
		rig_ring(b->rig, &q[i]);
		rig_idle(b->rig);
	}
	/* in the ring: error of queue 10; waiting: ring 20, queue 11, ring 21 */
	assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_DESTROY_QUEUE, 11 << 8),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_DESTROY_CQ, 21),
			 DOCA_ADMIN_OK);
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_int_equal(eqe.type, DOCA_EVENT_QUEUE_ERROR);
	free_events(b);
	assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
	assert_int_equal(eqe.type, DOCA_EVENT_COMPLETION);
	assert_int_equal(le32toh(eqe.id), 20);
	free_events(b);
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	*state = b;
	teardown(state);
}

static void rings_of_one_entry(void **state)
{
	struct bench *b = bench_new(0, 0, 0);
	struct doca_eqe eqe;
	uint32_t i;

	for (i = 0; i < 10; i++) {
		arm(b);
		run(b, i);
		assert_int_equal(le32toh(rig_cqe(b->rig, &b->cq).cookie), i);
		assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
		free_events(b);
	}
	assert_int_equal(b->rig->interrupts[2], 10);
	*state = b;
	teardown(state);
}

static void descriptor_wraps_around_the_end(void **state)
{
	struct bench *b = *state;
	struct doca_sge src[8], dst = sge(b->dst, MKEY, 8 * LEN);
	struct doca_cqe cqe;
	unsigned int i;

	for (i = 0; i < 8; i++)
		src[i] = sge(b->src + i * LEN, MKEY, LEN);
	rig_fill(b->rig, b->src, 8 * LEN, 3);
	/* 3 entries each in a ring of 4: it begins at every place */
	for (i = 0; i < 8; i++) {
		memset(rig_ptr(b->rig, b->dst), 0, 8 * LEN);
		rig_put(b->rig, &b->q, DOCA_DMA_OP_MEMCPY, i, src, 8, &dst, 1);
		rig_ring(b->rig, &b->q);
		cqe = rig_cqe(b->rig, &b->cq);
		assert_int_equal(cqe.status, DOCA_CQE_OK);
		assert_int_equal(le32toh(cqe.queue_index), 3 * (i + 1));
		assert_memory_equal(rig_ptr(b->rig, b->dst),
				    rig_ptr(b->rig, b->src), 8 * LEN);
	}
}

/* The rest of a descriptor that was not rung in is nothing the device reads. */
static void descriptor_longer_than_what_was_rung_in(void **state)
{
	struct bench *b = *state;
	struct doca_sge src[8], dst = sge(b->dst, MKEY, 8 * LEN);
	struct doca_cqe cqe;
	unsigned int i;

	for (i = 0; i < 8; i++)
		src[i] = sge(b->src, MKEY, LEN);
	rig_put(b->rig, &b->q, DOCA_DMA_OP_MEMCPY, 5, src, 8, &dst, 1);
	b->q.pi = 2;
	rig_ring(b->rig, &b->q);
	cqe = rig_cqe(b->rig, &b->cq);
	assert_int_equal(cqe.status, DOCA_CQE_BAD_DESCRIPTOR);
	assert_int_equal(le32toh(cqe.cookie), 5);
	assert_int_equal(le32toh(cqe.queue_index), 1);
	assert_int_equal(le64toh(cqe.byte_len), 0);
	assert_int_equal(rig_cqe(b->rig, &b->cq).status, DOCA_CQE_FLUSHED);
}

static void submission_ring_that_cannot_be_read(void **state)
{
	struct bench *b = *state;
	struct doca_cqe cqe;

	put(b, 1);
	b->rig->refuse = b->q.iova;
	b->rig->refuse_end = b->q.iova + RIG_PAGE;
	rig_ring(b->rig, &b->q);
	cqe = rig_cqe(b->rig, &b->cq);
	assert_int_equal(cqe.status, DOCA_CQE_MEMORY_FAULT);
	assert_int_equal(le32toh(cqe.queue_index), 1);
}

static void completion_ring_that_cannot_be_written(void **state)
{
	struct bench *b = *state;
	struct doca_cqe cqe;

	b->rig->refuse = b->cq.iova;
	b->rig->refuse_end = b->cq.iova + RIG_PAGE;
	run(b, 1);
	b->rig->refuse = b->rig->refuse_end = 0;
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
	/* its place is taken: the next one does not slip into it */
	run(b, 2);
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
	b->cq.ci++;
	assert_int_equal(le32toh(rig_cqe(b->rig, &b->cq).cookie), 2);
}

static void stop_flushes_all_and_destroy_drops_all(void **state)
{
	struct bench *b = *state;
	struct doca_eqe eqe;
	struct doca_cqe cqe;
	unsigned int i;

	dpu_set_delay_us(b->rig->dpu, 100000000);
	for (i = 0; i < 4; i++)
		put(b, i);
	rig_ring(b->rig, &b->q);
	rig_idle(b->rig);
	assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_STOP_QUEUE, QUEUE),
			 DOCA_ADMIN_OK);
	for (i = 0; i < 4; i++) {
		assert_true(rig_peek_cqe(b->rig, &b->cq, &cqe));
		assert_int_equal(cqe.status, DOCA_CQE_FLUSHED);
		assert_int_equal(le32toh(cqe.cookie), i);
	}
	/* it was asked for: no error event */
	assert_false(rig_peek_eqe(b->rig, &b->eq, &eqe));
	run(b, 4);
	assert_int_equal(rig_cqe(b->rig, &b->cq).status, DOCA_CQE_FLUSHED);
	assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_DESTROY_QUEUE, QUEUE),
			 DOCA_ADMIN_OK);

	/* and with work in flight */
	assert_int_equal(rig_create_queue(b->rig, &b->q, QUEUE + 1, DOMAIN, 7, 2,
					  DOCA_ENGINE_DMA), DOCA_ADMIN_OK);
	put(b, 5);
	rig_ring(b->rig, &b->q);
	rig_idle(b->rig);
	assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_DESTROY_QUEUE, QUEUE + 1),
			 DOCA_ADMIN_OK);
	dpu_set_delay_us(b->rig->dpu, 0);
	rig_idle(b->rig);
	assert_false(rig_peek_cqe(b->rig, &b->cq, &cqe));
}

static void two_queues_share_a_ring_and_take_turns(void **state)
{
	struct bench *b = bench_new(3, 10, 8);
	struct doca_sge src = sge(b->src, MKEY, LEN), dst = sge(b->dst, MKEY, LEN);
	uint32_t next[2] = { 0 }, first = 0, i;
	struct sq other;

	assert_int_equal(rig_create_queue(b->rig, &other, 0x201, DOMAIN, 7, 8,
					  DOCA_ENGINE_DMA), DOCA_ADMIN_OK);
	for (i = 0; i < 256; i++) {
		put(b, i);
		rig_put(b->rig, &other, DOCA_DMA_OP_MEMCPY, i, &src, 1, &dst, 1);
	}
	rig_ring(b->rig, &b->q);
	rig_ring(b->rig, &other);
	for (i = 0; i < 512; i++) {
		struct doca_cqe cqe = rig_cqe(b->rig, &b->cq);
		unsigned int which = le32toh(cqe.tag) == TAG(0x201);

		assert_int_equal(le32toh(cqe.cookie), next[which]++);
		if (which && !first)
			first = i;
	}
	/* the second queue did not wait for the first one's end */
	assert_in_range(first, 1, 100);
	*state = b;
	teardown(state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(completions_come_in_order_over_many_wraps),
		TEST(nothing_runs_before_the_doorbell),
		TEST(same_doorbell_twice_is_one),
		TEST(doorbell_too_far_ahead_fails_the_queue),
		TEST(doorbell_backwards_fails_the_queue),
		TEST(doorbells_of_strangers_do_nothing),
		TEST(no_event_without_arm),
		TEST(armed_ring_reports_the_next_completion_once),
		TEST(completion_before_arming_reports_at_once),
		TEST(arming_behind_what_was_read_waits),
		TEST(arming_ahead_waits_for_that_entry),
		TEST(interrupt_waits_for_the_events_doorbell),
		TEST(events_doorbell_out_of_range_is_dropped),
		cmocka_unit_test(full_event_ring_loses_nothing),
		cmocka_unit_test(waiting_event_of_a_destroyed_object_is_forgotten),
		cmocka_unit_test(rings_of_one_entry),
		TEST(descriptor_wraps_around_the_end),
		TEST(descriptor_longer_than_what_was_rung_in),
		TEST(submission_ring_that_cannot_be_read),
		TEST(completion_ring_that_cannot_be_written),
		TEST(stop_flushes_all_and_destroy_drops_all),
		cmocka_unit_test(two_queues_share_a_ring_and_take_turns),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rings", tests, NULL, NULL);
}
