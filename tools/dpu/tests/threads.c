// SPDX-License-Identifier: MIT
/*
 * The core with its threads, as in QEMU: objects that go while they are used,
 * resets in the middle of transfers, devices that come and go at the other end.
 * What is compared is that everything ends, once, and with a known status; the
 * sanitizers see to the rest.
 */
#include "rig.h"

#define ROUNDS		200
#define DOMAIN		1U
#define MKEY		0x101U
#define AREA		(4U << 20)
#define Q_LOG		6

static const struct dpu_config threaded[2] = {
	{ "bf2", 1, 0, false, 4, 16, RIG_DB_SHIFT, 4, 1000, 0 },
	{ "bf3", 2, 0, false, 4, 16, RIG_DB_SHIFT, 1, 1000, 0 },
};

struct bench {
	struct rig *rig;
	struct ring eq, cq;
	struct sq q;
	uint64_t src, dst;
};

static void objects(struct bench *b, uint32_t queue, uint8_t engine)
{
	assert_int_equal(rig_create_eq(b->rig, &b->eq, 0, 1, 4), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_cq(b->rig, &b->cq, 1, DOMAIN, 0, Q_LOG),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_create_queue(b->rig, &b->q, queue, DOMAIN, 1, Q_LOG,
					  engine), DOCA_ADMIN_OK);
	assert_int_equal(rig_create_key(b->rig, MKEY, DOMAIN,
					DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE,
					b->src, 2 * AREA), DOCA_ADMIN_OK);
}

static struct bench *bench_new(unsigned int which, uint8_t engine)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert(b);
	b->rig = rig_new(&threaded[which]);
	b->src = rig_alloc(b->rig, 2 * AREA);
	b->dst = b->src + AREA;
	objects(b, 0x101, engine);
	return b;
}

static void bench_free(struct bench *b)
{
	rig_free(b->rig);
	free(b);
}

static void put(struct bench *b, struct bench *to, uint8_t opcode, uint32_t cookie,
		uint32_t len)
{
	struct doca_sge src = sge(b->src, MKEY, len), dst = sge(to->dst, MKEY, len);

	rig_put(b->rig, &b->q, opcode, cookie, &src, 1, &dst, 1);
}

static void many_tasks_run_in_order(void **state)
{
	struct bench *b = bench_new(0, DOCA_ENGINE_DMA);
	uint32_t done = 0, sent = 0;

	while (done < 20000) {
		while (sent - done < 1U << Q_LOG && sent < 20000) {
			put(b, b, DOCA_DMA_OP_MEMCPY, sent, 64);
			sent++;
			rig_ring(b->rig, &b->q);
		}
		{
			struct doca_cqe cqe = rig_cqe(b->rig, &b->cq);

			assert_int_equal(cqe.status, DOCA_CQE_OK);
			assert_int_equal(le32toh(cqe.cookie), done);
			done++;
		}
	}
	bench_free(b);
}

/* Arm, sleep until the interrupt, poll: no completion may be slept through. */
static void no_completion_is_lost_between_poll_and_arm(void **state)
{
	struct bench *b = bench_new(0, DOCA_ENGINE_DMA);
	uint32_t i;

	for (i = 0; i < 5000; i++) {
		unsigned int before = b->rig->interrupts[1], tries;
		struct doca_cqe cqe;
		struct doca_eqe eqe;

		put(b, b, DOCA_DMA_OP_MEMCPY, i, 64);
		rig_ring(b->rig, &b->q);
		rig_doorbell(b->rig, DOMAIN, DOCA_DB_ARM, b->cq.id, b->cq.ci);
		for (tries = 0; b->rig->interrupts[1] == before; tries++) {
			if (tries > RIG_LIMIT / 10)
				fail_msg("completion %u raised no interrupt", i);
			rig_work(b->rig);
		}
		/* it is there by the time the interrupt is */
		assert_true(rig_peek_eqe(b->rig, &b->eq, &eqe));
		assert_true(rig_peek_cqe(b->rig, &b->cq, &cqe));
		assert_int_equal(le32toh(cqe.cookie), i);
		rig_doorbell(b->rig, 0, DOCA_DB_EVENTS, b->eq.id, b->eq.ci);
	}
	bench_free(b);
}

static void stop_with_work_in_flight_completes_each_once(void **state)
{
	struct bench *b = bench_new(0, DOCA_ENGINE_DMA);
	uint32_t handle = 0x101;
	unsigned int round, i;

	for (round = 0; round < ROUNDS; round++) {
		bool flushed = false;
		struct doca_cqe cqe;

		for (i = 0; i < 1U << Q_LOG; i++)
			put(b, b, DOCA_DMA_OP_MEMCPY, i, 4096);
		rig_ring(b->rig, &b->q);
		assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_STOP_QUEUE, handle),
				 DOCA_ADMIN_OK);
		/* all of them, now; those done, then those flushed */
		for (i = 0; i < 1U << Q_LOG; i++) {
			assert_true(rig_peek_cqe(b->rig, &b->cq, &cqe));
			assert_int_equal(le32toh(cqe.cookie), i);
			if (cqe.status == DOCA_CQE_FLUSHED)
				flushed = true;
			else
				assert_int_equal(cqe.status, DOCA_CQE_OK);
			assert_true(!flushed || cqe.status == DOCA_CQE_FLUSHED);
		}
		assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_DESTROY_QUEUE, handle),
				 DOCA_ADMIN_OK);
		handle ^= 3;	/* another generation */
		b->rig->used = b->dst + AREA - RIG_BASE + (1 << 20);
		assert_int_equal(rig_create_queue(b->rig, &b->q, handle, DOMAIN, 1, Q_LOG,
						  DOCA_ENGINE_DMA), DOCA_ADMIN_OK);
	}
	bench_free(b);
}

/* The answer to DESTROY_KEY is the promise that nobody touches the memory. */
static void nothing_is_written_after_a_key_is_gone(void **state)
{
	struct bench *b = bench_new(0, DOCA_ENGINE_DMA);
	uint8_t *dst = rig_ptr(b->rig, b->dst);
	uint32_t handle = 0x101;
	unsigned int round, i;

	memset(rig_ptr(b->rig, b->src), 0x55, AREA);
	for (round = 0; round < ROUNDS; round++) {
		uint8_t status;

		for (i = 0; i < 4; i++)
			put(b, b, DOCA_DMA_OP_MEMCPY, i, 2 << 20);
		rig_ring(b->rig, &b->q);
		usleep(round * 7 % 400);
		assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_DESTROY_KEY, MKEY),
				 DOCA_ADMIN_OK);
		memset(dst, 0xaa, 4096);
		memset(dst + (2 << 20) - 4096, 0xaa, 4096);
		for (i = 0; i < 4; i++) {
			status = rig_cqe(b->rig, &b->cq).status;
			assert_true(status == DOCA_CQE_OK || status == DOCA_CQE_LOCAL_KEY ||
				    status == DOCA_CQE_FLUSHED);
		}
		for (i = 0; i < 4096; i++) {
			assert_int_equal(dst[i], 0xaa);
			assert_int_equal(dst[(2 << 20) - 1 - i], 0xaa);
		}
		assert_int_equal(rig_create_key(b->rig, MKEY, DOMAIN,
						DOCA_KEY_LOCAL_WRITE, b->src, 2 * AREA),
				 DOCA_ADMIN_OK);
		assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_DESTROY_QUEUE, handle),
				 DOCA_ADMIN_OK);
		handle ^= 3;
		b->rig->used = b->dst + AREA - RIG_BASE + (1 << 20);
		assert_int_equal(rig_create_queue(b->rig, &b->q, handle, DOMAIN, 1, Q_LOG,
						  DOCA_ENGINE_DMA), DOCA_ADMIN_OK);
	}
	bench_free(b);
}

/*
 * The same from the other side of the card: the host takes a key, or its whole function,
 * away from under the DPU's copies, and what it gets back nobody writes to.
 */
static void nothing_is_written_after_a_shared_key_is_gone(void **state)
{
	static const struct dpu_config sides[2] = {
		{ "all", 3, 0, false, 4, 16, RIG_DB_SHIFT, 1, 1000, 0 },
		{ "all", 3, 1, true, 4, 16, RIG_DB_SHIFT, 2, 1000, 0 },
	};
	struct rig *host = rig_new(&sides[0]);
	struct bench dpu = { .rig = rig_new(&sides[1]) };
	uint64_t mem = rig_alloc(host, 2 << 20);
	uint8_t *bytes = rig_ptr(host, mem), status;
	struct doca_admin_sqe share = { .share_key.mkey = htole32(MKEY) };
	struct doca_admin_sqe import = {
		.import_key.mkey = htole32(MKEY + 0x100),
		.import_key.domain = htole32(DOMAIN),
		.import_key.remote_mkey = htole32(MKEY),
	};
	uint32_t handle = 0x101, round, i;

	dpu.src = rig_alloc(dpu.rig, 2 * AREA);
	dpu.dst = dpu.src + AREA;
	objects(&dpu, handle, DOCA_ENGINE_DMA);
	memset(rig_ptr(dpu.rig, dpu.src), 0x55, AREA);
	memcpy(share.share_key.token, "token", 5);
	memcpy(import.import_key.token, "token", 5);
	for (round = 0; round < ROUNDS; round++) {
		struct doca_sge src = sge(dpu.src, MKEY, 2 << 20);
		struct doca_sge dst = sge(mem, MKEY + 0x100, 2 << 20);

		assert_int_equal(rig_create_key(host, MKEY, 5, DOCA_KEY_PCI_WRITE, mem, 2 << 20),
				 DOCA_ADMIN_OK);
		assert_int_equal(rig_admin(host, DOCA_ADMIN_SHARE_KEY, &share), DOCA_ADMIN_OK);
		assert_int_equal(rig_admin(dpu.rig, DOCA_ADMIN_IMPORT_KEY, &import),
				 DOCA_ADMIN_OK);
		for (i = 0; i < 4; i++)
			rig_put(dpu.rig, &dpu.q, DOCA_DMA_OP_MEMCPY, i, &src, 1, &dst, 1);
		rig_ring(dpu.rig, &dpu.q);
		usleep(round * 7 % 400);
		if (round % 4 == 3) {
			dpu_reset(host->dpu);
			rig_enable(host);
		} else {
			assert_int_equal(rig_handle_cmd(host, DOCA_ADMIN_DESTROY_KEY, MKEY),
					 DOCA_ADMIN_OK);
		}
		memset(bytes, 0xaa, 4096);
		memset(bytes + (2 << 20) - 4096, 0xaa, 4096);
		for (i = 0; i < 4; i++) {
			status = rig_cqe(dpu.rig, &dpu.cq).status;
			assert_true(status == DOCA_CQE_OK || status == DOCA_CQE_LOCAL_KEY ||
				    status == DOCA_CQE_FLUSHED);
		}
		for (i = 0; i < 4096; i++) {
			assert_int_equal(bytes[i], 0xaa);
			assert_int_equal(bytes[(2 << 20) - 1 - i], 0xaa);
		}
		assert_int_equal(rig_handle_cmd(dpu.rig, DOCA_ADMIN_DESTROY_KEY, MKEY + 0x100),
				 DOCA_ADMIN_OK);
		assert_int_equal(rig_handle_cmd(dpu.rig, DOCA_ADMIN_DESTROY_QUEUE, handle),
				 DOCA_ADMIN_OK);
		handle ^= 3;
		dpu.rig->used = dpu.dst + AREA - RIG_BASE + (1 << 20);
		assert_int_equal(rig_create_queue(dpu.rig, &dpu.q, handle, DOMAIN, 1, Q_LOG,
						  DOCA_ENGINE_DMA), DOCA_ADMIN_OK);
	}
	rig_free(host);
	rig_free(dpu.rig);
}

static void nothing_is_written_after_a_reset(void **state)
{
	struct bench *b = bench_new(0, DOCA_ENGINE_DMA);
	uint8_t *dst = rig_ptr(b->rig, b->dst);
	unsigned int round, i;

	memset(rig_ptr(b->rig, b->src), 0x55, AREA);
	for (round = 0; round < ROUNDS; round++) {
		uint8_t *ring;

		for (i = 0; i < 8; i++)
			put(b, b, DOCA_DMA_OP_MEMCPY, i, 2 << 20);
		rig_doorbell(b->rig, DOMAIN, DOCA_DB_ARM, b->cq.id, b->cq.ci);
		rig_ring(b->rig, &b->q);
		usleep(round * 11 % 700);
		dpu_reset(b->rig->dpu);
		assert_int_equal(b->rig->mapped, 0);
		ring = rig_ptr(b->rig, b->cq.iova);
		memset(dst, 0xaa, 4096);
		memset(ring, 0xaa, sizeof(struct doca_cqe) << Q_LOG);
		rig_enable(b->rig);
		/* the new admin queue works, and takes a while doing so */
		assert_int_equal(rig_handle_cmd(b->rig, 0, 0), DOCA_ADMIN_BAD_OPCODE);
		for (i = 0; i < 4096; i++)
			assert_int_equal(dst[i], 0xaa);
		for (i = 0; i < sizeof(struct doca_cqe) << Q_LOG; i++)
			assert_int_equal(ring[i], 0xaa);
		memset(ring, 0, sizeof(struct doca_cqe) << Q_LOG);
		b->rig->used = b->dst + AREA - RIG_BASE;
		objects(b, 0x101, DOCA_ENGINE_DMA);
	}
	bench_free(b);
}

static void reset_interrupts_a_slow_command(void **state)
{
	struct bench *b = bench_new(0, DOCA_ENGINE_DMA);
	struct doca_admin_sqe sqe = { .opcode = 0 };
	unsigned int i;

	dpu_set_admin_delay_ms(b->rig->dpu, 1000000);
	for (i = 0; i < 10; i++) {
		rig_admin_put(b->rig, &sqe);
		dpu_reg_write(b->rig->dpu, DOCA_REG_ADMIN_DOORBELL, b->rig->admin_pi);
		usleep(1000);
		dpu_reset(b->rig->dpu);
		assert_false(rig_admin_done(b->rig, b->rig->admin_pi - 1));
		rig_enable(b->rig);
	}
	bench_free(b);
}

struct writer {
	struct bench *from, *to;
	atomic_bool stop;
	unsigned int ok, flushed, other;
};

/* Writes into the peer for ever; a queue in error is replaced. */
static void *write_all_the_time(void *arg)
{
	struct writer *w = arg;
	uint32_t handle = w->from->q.handle;
	uint64_t used = w->from->rig->used;

	while (!atomic_load(&w->stop)) {
		struct doca_cqe cqe;

		put(w->from, w->to, DOCA_RDMA_OP_WRITE, 1, 1 << 20);
		rig_ring(w->from->rig, &w->from->q);
		cqe = rig_cqe(w->from->rig, &w->from->cq);
		if (cqe.status == DOCA_CQE_OK) {
			w->ok++;
			continue;
		}
		if (cqe.status == DOCA_CQE_FLUSHED || cqe.status == DOCA_CQE_RETRY_EXCEEDED ||
		    cqe.status == DOCA_CQE_REMOTE_KEY)
			w->flushed++;
		else
			w->other++;
		rig_handle_cmd(w->from->rig, DOCA_ADMIN_DESTROY_QUEUE, handle);
		w->from->rig->used = used;
		rig_create_queue(w->from->rig, &w->from->q, handle, DOMAIN, 1, Q_LOG,
				 DOCA_ENGINE_RDMA);
		rig_connect(w->from->rig, handle, 2, 0x101, 2);
	}
	return NULL;
}

static void peer_is_reset_all_the_time(void **state)
{
	struct bench *a = bench_new(0, DOCA_ENGINE_RDMA);
	struct bench *b = bench_new(1, DOCA_ENGINE_RDMA);
	struct writer w = { .from = a, .to = b };
	pthread_t thread;
	unsigned int i;

	rig_connect(a->rig, 0x101, 2, 0x101, 2);
	assert_int_equal(pthread_create(&thread, NULL, write_all_the_time, &w), 0);
	for (i = 0; i < ROUNDS; i++) {
		uint64_t used;

		rig_connect(b->rig, 0x101, 1, 0x101, 2);
		usleep(i * 13 % 3000);
		dpu_reset(b->rig->dpu);
		assert_int_equal(b->rig->mapped, 0);
		rig_enable(b->rig);
		used = b->dst + AREA - RIG_BASE;
		b->rig->used = used;
		objects(b, 0x101, DOCA_ENGINE_RDMA);
	}
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	assert_int_equal(w.other, 0);
	assert_true(w.flushed > 0);
	bench_free(b);
	bench_free(a);
}

static void peer_comes_and_goes(void **state)
{
	struct bench *a = bench_new(0, DOCA_ENGINE_RDMA);
	struct bench *b = bench_new(1, DOCA_ENGINE_RDMA);
	struct writer w = { .from = a, .to = b };
	uint64_t dst = b->dst;
	pthread_t thread;
	unsigned int i;

	/* the writer needs the address only, which is the same each time */
	w.to = calloc(1, sizeof(*w.to));
	w.to->dst = dst;
	rig_connect(a->rig, 0x101, 2, 0x101, 2);
	assert_int_equal(pthread_create(&thread, NULL, write_all_the_time, &w), 0);
	for (i = 0; i < 50; i++) {
		rig_connect(b->rig, 0x101, 1, 0x101, 2);
		usleep(i * 97 % 3000);
		bench_free(b);
		b = bench_new(1, DOCA_ENGINE_RDMA);
		assert_int_equal(b->dst, dst);
	}
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	assert_int_equal(w.other, 0);
	bench_free(b);
	bench_free(a);
	free(w.to);
}

/* Each writes into the other while both are reset: nobody waits for anybody. */
static void two_devices_reset_each_other(void **state)
{
	struct bench *b[2] = { bench_new(0, DOCA_ENGINE_RDMA),
			       bench_new(1, DOCA_ENGINE_RDMA) };
	unsigned int round, i, k;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < 2; i++)
			assert_int_equal(rig_connect(b[i]->rig, 0x101, 2 - i, 0x101, 100),
					 DOCA_ADMIN_OK);
		for (i = 0; i < 2; i++) {
			for (k = 0; k < 16; k++)
				put(b[i], b[!i], DOCA_RDMA_OP_WRITE, k, 2 << 20);
			rig_ring(b[i]->rig, &b[i]->q);
		}
		usleep(round * 17 % 1000);
		for (i = 0; i < 2; i++)
			dpu_reset(b[i]->rig->dpu);
		for (i = 0; i < 2; i++) {
			assert_int_equal(b[i]->rig->mapped, 0);
			rig_enable(b[i]->rig);
			b[i]->rig->used = b[i]->dst + AREA - RIG_BASE;
			objects(b[i], 0x101, DOCA_ENGINE_RDMA);
		}
	}
	bench_free(b[0]);
	bench_free(b[1]);
}

static void *ring_all_doorbells(void *arg)
{
	struct writer *w = arg;
	uint64_t random = 88172645463325252ULL;

	while (!atomic_load(&w->stop)) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		dpu_doorbell(w->from->rig->dpu, random % (17 << RIG_DB_SHIFT) & ~63ULL,
			     8, (random & 0x3ffULL) << 32 | (random >> 32 & 0x7f));
		w->ok++;
	}
	return NULL;
}

static void doorbells_at_random_while_objects_come_and_go(void **state)
{
	struct bench *b = bench_new(0, DOCA_ENGINE_DMA);
	struct writer w = { .from = b };
	uint32_t handle = 0x101;
	struct ring cq;
	pthread_t thread;
	unsigned int i;

	assert_int_equal(pthread_create(&thread, NULL, ring_all_doorbells, &w), 0);
	for (i = 0; i < ROUNDS; i++) {
		assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_DESTROY_QUEUE, handle),
				 DOCA_ADMIN_OK);
		handle ^= 3;
		b->rig->used = b->dst + AREA - RIG_BASE + (1 << 20);
		assert_int_equal(rig_create_cq(b->rig, &cq, 2 + i % 4, DOMAIN, 0, 4),
				 DOCA_ADMIN_OK);
		assert_int_equal(rig_create_queue(b->rig, &b->q, handle, DOMAIN, 2 + i % 4, 4,
						  DOCA_ENGINE_DMA), DOCA_ADMIN_OK);
		if (i)
			assert_int_equal(rig_handle_cmd(b->rig, DOCA_ADMIN_DESTROY_CQ,
							2 + (i - 1) % 4), DOCA_ADMIN_OK);
	}
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	assert_true(w.ok > 0);
	bench_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_tasks_run_in_order),
		cmocka_unit_test(no_completion_is_lost_between_poll_and_arm),
		cmocka_unit_test(stop_with_work_in_flight_completes_each_once),
		cmocka_unit_test(nothing_is_written_after_a_key_is_gone),
		cmocka_unit_test(nothing_is_written_after_a_shared_key_is_gone),
		cmocka_unit_test(nothing_is_written_after_a_reset),
		cmocka_unit_test(reset_interrupts_a_slow_command),
		cmocka_unit_test(peer_is_reset_all_the_time),
		cmocka_unit_test(peer_comes_and_goes),
		cmocka_unit_test(two_devices_reset_each_other),
		cmocka_unit_test(doorbells_at_random_while_objects_come_and_go),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
