// SPDX-License-Identifier: MIT
/*
 * The two sides of a card: what the host shares, the DPU reaches, and nothing else.
 */
#include "rig.h"

#define DOMAIN		1U
#define OTHER_DOMAIN	2U
#define AREA		(4U << 20)
#define KEY_HOST	0x101U		/* host: may be read by the DPU */
#define KEY_HOST_RW	0x201U		/* host: and written */
#define KEY_PRIVATE	0x301U		/* host: no PCI right */
#define KEY_LOCAL	0x101U		/* DPU: its own memory */
#define KEY_IMPORT	0x201U		/* DPU: KEY_HOST */
#define KEY_IMPORT_RW	0x301U		/* DPU: KEY_HOST_RW */
#define KEY_SPARE	0x401U
#define QUEUE		0x101U
#define COOKIE		7U

static const struct dpu_config host_config = {
	"all", 1, 0, false, 4, 16, RIG_DB_SHIFT, 0, 1000, 0
};
static const struct dpu_config dpu_config = {
	"all", 1, 1, true, 4, 16, RIG_DB_SHIFT, 0, 1000, 0
};
static const uint8_t token[DOCA_TOKEN_LEN] = "0123456789abcdef";
static const uint8_t wrong[DOCA_TOKEN_LEN] = "0123456789abcdeF";

struct card {
	struct rig *host, *dpu;
	struct ring eq, cq;
	struct sq q;
	uint64_t host_mem, host_rw, dpu_mem;
};

static uint8_t share(struct rig *rig, uint32_t mkey, const uint8_t *t)
{
	struct doca_admin_sqe sqe = { .share_key.mkey = htole32(mkey) };

	memcpy(sqe.share_key.token, t, DOCA_TOKEN_LEN);
	return rig_admin(rig, DOCA_ADMIN_SHARE_KEY, &sqe);
}

static uint8_t import(struct rig *rig, uint32_t mkey, uint32_t function,
		      uint32_t remote, const uint8_t *t)
{
	struct doca_admin_sqe sqe = {
		.import_key.mkey = htole32(mkey),
		.import_key.domain = htole32(DOMAIN),
		.import_key.remote_mkey = htole32(remote),
		.import_key.function = function,
	};

	memcpy(sqe.import_key.token, t, DOCA_TOKEN_LEN);
	return rig_admin(rig, DOCA_ADMIN_IMPORT_KEY, &sqe);
}

static void host_keys(struct card *card)
{
	assert_int_equal(rig_create_key(card->host, KEY_HOST, 5,
					DOCA_KEY_PCI_READ, card->host_mem, AREA),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_create_key(card->host, KEY_HOST_RW, 5,
					DOCA_KEY_PCI_WRITE, card->host_rw, AREA),
			 DOCA_ADMIN_OK);
	assert_int_equal(rig_create_key(card->host, KEY_PRIVATE, 5,
					DOCA_KEY_LOCAL_WRITE | DOCA_KEY_RDMA_WRITE,
					card->host_mem, AREA), DOCA_ADMIN_OK);
}

static void new_queue(struct card *card)
{
	assert_int_equal(rig_create_queue(card->dpu, &card->q, QUEUE, DOMAIN, 1,
					  6, DOCA_ENGINE_DMA), DOCA_ADMIN_OK);
}

static int setup(void **state)
{
	struct card *card = calloc(1, sizeof(*card));

	assert(card);
	card->host = rig_new(&host_config);
	card->dpu = rig_new(&dpu_config);
	card->host_mem = rig_alloc(card->host, AREA);
	card->host_rw = rig_alloc(card->host, AREA);
	card->dpu_mem = rig_alloc(card->dpu, AREA);
	/* Memory of the two has the same bus addresses: a mix-up would show. */
	rig_fill(card->host, card->host_mem, AREA, 1);
	rig_fill(card->host, card->host_rw, AREA, 2);
	rig_fill(card->dpu, card->dpu_mem, AREA, 3);
	host_keys(card);
	assert_int_equal(share(card->host, KEY_HOST, token), DOCA_ADMIN_OK);
	assert_int_equal(share(card->host, KEY_HOST_RW, token), DOCA_ADMIN_OK);
	rig_create_eq(card->dpu, &card->eq, 0, 0, 6);
	rig_create_cq(card->dpu, &card->cq, 1, DOMAIN, 0, 8);
	new_queue(card);
	assert_int_equal(rig_create_key(card->dpu, KEY_LOCAL, DOMAIN,
					DOCA_KEY_LOCAL_WRITE, card->dpu_mem,
					AREA), DOCA_ADMIN_OK);
	assert_int_equal(import(card->dpu, KEY_IMPORT, 0, KEY_HOST, token),
			 DOCA_ADMIN_OK);
	assert_int_equal(import(card->dpu, KEY_IMPORT_RW, 0, KEY_HOST_RW, token),
			 DOCA_ADMIN_OK);
	*state = card;
	return 0;
}

static int teardown(void **state)
{
	struct card *card = *state;

	if (card->host)
		rig_free(card->host);
	rig_free(card->dpu);
	free(card);
	return 0;
}

static uint8_t copy(struct card *card, const struct doca_sge *src,
		    unsigned int num_src, const struct doca_sge *dst,
		    unsigned int num_dst)
{
	struct doca_cqe cqe;

	rig_put(card->dpu, &card->q, DOCA_DMA_OP_MEMCPY, COOKIE, src, num_src,
		dst, num_dst);
	rig_ring(card->dpu, &card->q);
	cqe = rig_cqe(card->dpu, &card->cq);
	assert_int_equal(le32toh(cqe.cookie), COOKIE);
	if (cqe.status) {
		/* The queue is in error. */
		assert_int_equal(rig_handle_cmd(card->dpu,
						DOCA_ADMIN_DESTROY_QUEUE, QUEUE),
				 DOCA_ADMIN_OK);
		new_queue(card);
	}
	return cqe.status;
}

static uint8_t copy_one(struct card *card, struct doca_sge src,
			struct doca_sge dst)
{
	return copy(card, &src, 1, &dst, 1);
}

static void the_dpu_reads_what_the_host_shares(void **state)
{
	struct card *card = *state;

	assert_int_equal(copy_one(card, sge(card->host_mem + 5, KEY_IMPORT, 70000),
				  sge(card->dpu_mem + 9, KEY_LOCAL, 70000)),
			 DOCA_CQE_OK);
	assert_memory_equal(rig_ptr(card->dpu, card->dpu_mem + 9),
			    rig_ptr(card->host, card->host_mem + 5), 70000);
}

static void the_dpu_writes_with_the_right_to_write(void **state)
{
	struct card *card = *state;

	assert_int_equal(copy_one(card, sge(card->dpu_mem, KEY_LOCAL, 4096),
				  sge(card->host_rw + 1, KEY_IMPORT_RW, 4096)),
			 DOCA_CQE_OK);
	assert_memory_equal(rig_ptr(card->host, card->host_rw + 1),
			    rig_ptr(card->dpu, card->dpu_mem), 4096);
	/* The right to write implies the one to read. */
	assert_int_equal(copy_one(card, sge(card->host_rw, KEY_IMPORT_RW, 64),
				  sge(card->dpu_mem, KEY_LOCAL, 64)),
			 DOCA_CQE_OK);
	assert_int_equal(copy_one(card, sge(card->dpu_mem, KEY_LOCAL, 64),
				  sge(card->host_mem, KEY_IMPORT, 64)),
			 DOCA_CQE_LOCAL_ACCESS);
}

static void lists_may_mix_both_sides(void **state)
{
	struct card *card = *state;
	struct doca_sge src[3] = {
		sge(card->dpu_mem, KEY_LOCAL, 1000),
		sge(card->host_mem, KEY_IMPORT, 1000),
		sge(card->host_rw + AREA - 1000, KEY_IMPORT_RW, 1000),
	};
	struct doca_sge dst[2] = {
		sge(card->host_rw, KEY_IMPORT_RW, 1500),
		sge(card->dpu_mem + 8192, KEY_LOCAL, 1500),
	};
	char want[3000];

	memcpy(want, rig_ptr(card->dpu, card->dpu_mem), 1000);
	memcpy(want + 1000, rig_ptr(card->host, card->host_mem), 1000);
	memcpy(want + 2000, rig_ptr(card->host, card->host_rw + AREA - 1000), 1000);
	assert_int_equal(copy(card, src, 3, dst, 2), DOCA_CQE_OK);
	assert_memory_equal(rig_ptr(card->host, card->host_rw), want, 1500);
	assert_memory_equal(rig_ptr(card->dpu, card->dpu_mem + 8192),
			    want + 1500, 1500);
}

static void bounds_are_those_of_the_host(void **state)
{
	struct card *card = *state;
	struct doca_sge dst = sge(card->dpu_mem, KEY_LOCAL, 64);

	assert_int_equal(copy_one(card, sge(card->host_mem + AREA - 64, KEY_IMPORT, 64),
				  dst), DOCA_CQE_OK);
	assert_int_equal(copy_one(card, sge(card->host_mem + AREA - 63, KEY_IMPORT, 64),
				  dst), DOCA_CQE_LOCAL_BOUNDS);
	assert_int_equal(copy_one(card, sge(card->host_mem - 1, KEY_IMPORT, 64),
				  dst), DOCA_CQE_LOCAL_BOUNDS);
	assert_int_equal(copy_one(card, sge(~0ULL - 10, KEY_IMPORT, 64), dst),
			 DOCA_CQE_LOCAL_BOUNDS);
}

static void without_the_token_nothing_is_there(void **state)
{
	struct card *card = *state;

	assert_int_equal(import(card->dpu, KEY_SPARE, 0, KEY_HOST, wrong),
			 DOCA_ADMIN_NOT_FOUND);
	assert_int_equal(import(card->dpu, KEY_SPARE, 0, KEY_HOST ^ 1, token),
			 DOCA_ADMIN_NOT_FOUND);
	assert_int_equal(import(card->dpu, KEY_SPARE, 0, ~0U, token),
			 DOCA_ADMIN_NOT_FOUND);
	assert_int_equal(import(card->dpu, KEY_SPARE, 0, KEY_PRIVATE, token),
			 DOCA_ADMIN_NOT_FOUND);
	/* not even with what an array of bytes is filled with at first */
	assert_int_equal(import(card->dpu, KEY_SPARE, 0, KEY_PRIVATE,
				(const uint8_t[DOCA_TOKEN_LEN]){ 0 }),
			 DOCA_ADMIN_NOT_FOUND);
	/* functions that are not there, or have no such key */
	assert_int_equal(import(card->dpu, KEY_SPARE, 3, KEY_HOST, token),
			 DOCA_ADMIN_NOT_FOUND);
	assert_int_equal(import(card->dpu, KEY_SPARE, 255, KEY_HOST, token),
			 DOCA_ADMIN_NOT_FOUND);
	assert_int_equal(import(card->dpu, KEY_SPARE, 1, KEY_LOCAL, token),
			 DOCA_ADMIN_NOT_FOUND);
}

static void who_may_share_and_import(void **state)
{
	struct card *card = *state;

	assert_int_equal(share(card->host, KEY_PRIVATE, token),
			 DOCA_ADMIN_BAD_STATE);
	assert_int_equal(share(card->host, KEY_HOST, token), DOCA_ADMIN_OK);
	assert_int_equal(share(card->host, KEY_HOST, wrong), DOCA_ADMIN_BAD_STATE);
	assert_int_equal(share(card->host, KEY_SPARE, token),
			 DOCA_ADMIN_BAD_HANDLE);
	assert_int_equal(share(card->dpu, KEY_LOCAL, token), DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(share(card->dpu, KEY_IMPORT, token),
			 DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(import(card->host, KEY_SPARE, 0, KEY_HOST, token),
			 DOCA_ADMIN_BAD_FIELD);
	assert_int_equal(import(card->dpu, KEY_IMPORT, 0, KEY_HOST, token),
			 DOCA_ADMIN_EXISTS);
	assert_int_equal(import(card->dpu, ~0U, 0, KEY_HOST, token),
			 DOCA_ADMIN_BAD_FIELD);
}

static void an_import_belongs_to_its_domain(void **state)
{
	struct card *card = *state;
	struct doca_sge src = sge(card->host_mem, KEY_IMPORT, 64);
	struct doca_sge dst = sge(card->dpu_mem, KEY_SPARE, 64);
	struct ring cq;
	struct sq q;

	rig_create_cq(card->dpu, &cq, 2, OTHER_DOMAIN, 0, 4);
	rig_create_queue(card->dpu, &q, 0x201, OTHER_DOMAIN, 2, 4,
			 DOCA_ENGINE_DMA);
	rig_create_key(card->dpu, KEY_SPARE, OTHER_DOMAIN, DOCA_KEY_LOCAL_WRITE,
		       card->dpu_mem, AREA);
	rig_put(card->dpu, &q, DOCA_DMA_OP_MEMCPY, 0, &src, 1, &dst, 1);
	rig_ring(card->dpu, &q);
	assert_int_equal(rig_cqe(card->dpu, &cq).status, DOCA_CQE_LOCAL_KEY);
}

static void the_end_of_the_key_ends_its_imports(void **state)
{
	struct card *card = *state;
	struct doca_sge dst = sge(card->dpu_mem, KEY_LOCAL, 64);
	struct doca_sge src = sge(card->host_mem, KEY_IMPORT, 64);

	assert_int_equal(copy_one(card, src, dst), DOCA_CQE_OK);
	assert_int_equal(rig_handle_cmd(card->host, DOCA_ADMIN_DESTROY_KEY,
					KEY_HOST), DOCA_ADMIN_OK);
	assert_int_equal(copy_one(card, src, dst), DOCA_CQE_LOCAL_KEY);
	/* The same handle, but not shared, or with another token */
	assert_int_equal(rig_create_key(card->host, KEY_HOST, 5,
					DOCA_KEY_PCI_READ, card->host_mem, AREA),
			 DOCA_ADMIN_OK);
	assert_int_equal(copy_one(card, src, dst), DOCA_CQE_LOCAL_KEY);
	assert_int_equal(share(card->host, KEY_HOST, wrong), DOCA_ADMIN_OK);
	assert_int_equal(copy_one(card, src, dst), DOCA_CQE_LOCAL_KEY);
	/* the import can still be ended */
	assert_int_equal(rig_handle_cmd(card->dpu, DOCA_ADMIN_DESTROY_KEY,
					KEY_IMPORT), DOCA_ADMIN_OK);
	assert_int_equal(rig_handle_cmd(card->dpu, DOCA_ADMIN_DESTROY_KEY,
					KEY_IMPORT), DOCA_ADMIN_BAD_HANDLE);
}

static void a_reset_or_removal_of_the_host_ends_imports(void **state)
{
	struct card *card = *state;
	struct doca_sge dst = sge(card->dpu_mem, KEY_LOCAL, 64);
	struct doca_sge src = sge(card->host_mem, KEY_IMPORT, 64);

	dpu_reset(card->host->dpu);
	assert_int_equal(copy_one(card, src, dst), DOCA_CQE_LOCAL_KEY);
	rig_free(card->host);
	card->host = NULL;
	assert_int_equal(copy_one(card, src, dst), DOCA_CQE_LOCAL_KEY);
	assert_int_equal(import(card->dpu, KEY_SPARE, 0, KEY_HOST, token),
			 DOCA_ADMIN_NOT_FOUND);
}

static void imports_are_no_targets_of_RDMA(void **state)
{
	struct card *card = *state;
	struct doca_sge src = sge(card->dpu_mem, KEY_LOCAL, 64);
	struct doca_sge dst = sge(card->host_rw, KEY_IMPORT_RW, 64);
	struct doca_admin_sqe sqe = {
		.connect_queue.queue = htole32(0x201),
		.connect_queue.remote_queue = htole32(0x201),
	};
	struct sq q;

	rig_create_queue(card->dpu, &q, 0x201, DOMAIN, 1, 4, DOCA_ENGINE_RDMA);
	sqe.connect_queue.remote_gid.raw[0] = 0xfe;
	sqe.connect_queue.remote_gid.raw[1] = 0x80;
	sqe.connect_queue.remote_gid.raw[7] = 1;
	sqe.connect_queue.remote_gid.raw[15] = 1;
	assert_int_equal(rig_admin(card->dpu, DOCA_ADMIN_CONNECT_QUEUE, &sqe),
			 DOCA_ADMIN_OK);
	rig_put(card->dpu, &q, DOCA_RDMA_OP_WRITE, 0, &src, 1, &dst, 1);
	rig_ring(card->dpu, &q);
	assert_int_equal(rig_cqe(card->dpu, &card->cq).status,
			 DOCA_CQE_REMOTE_ACCESS);
}

static void memory_faults_are_those_of_the_host(void **state)
{
	struct card *card = *state;

	card->host->refuse = card->host_mem + 4096;
	card->host->refuse_end = card->host_mem + 8192;
	assert_int_equal(copy_one(card, sge(card->host_mem, KEY_IMPORT, 8192),
				  sge(card->dpu_mem, KEY_LOCAL, 8192)),
			 DOCA_CQE_MEMORY_FAULT);
}

static void functions_of_the_card(void **state)
{
	struct card *card = *state;
	uint64_t at = rig_alloc(card->dpu, 4096);
	const struct doca_hw_function *answer = rig_ptr(card->dpu, at);
	struct doca_admin_sqe sqe = {
		.query_function.addr = htole64(at),
		.query_function.len = htole32(sizeof(*answer)),
	};

	assert_int_equal(rig_admin(card->dpu, DOCA_ADMIN_QUERY_FUNCTION, &sqe),
			 DOCA_ADMIN_OK);
	assert_int_equal(answer->side, DOCA_SIDE_HOST);
	assert_int_equal(answer->function, 0);
	assert_int_equal(answer->pci_bus, 0x12);
	assert_int_equal(answer->pci_devfn, 0x34);
	sqe.query_function.function = htole32(1);
	assert_int_equal(rig_admin(card->dpu, DOCA_ADMIN_QUERY_FUNCTION, &sqe),
			 DOCA_ADMIN_OK);
	assert_int_equal(answer->side, DOCA_SIDE_DPU);
	sqe.query_function.function = htole32(2);
	assert_int_equal(rig_admin(card->dpu, DOCA_ADMIN_QUERY_FUNCTION, &sqe),
			 DOCA_ADMIN_NOT_FOUND);
	sqe.query_function.function = htole32(0);
	sqe.query_function.len = htole32(sizeof(*answer) - 1);
	assert_int_equal(rig_admin(card->dpu, DOCA_ADMIN_QUERY_FUNCTION, &sqe),
			 DOCA_ADMIN_BAD_FIELD);
	sqe.query_function.len = htole32(sizeof(*answer));
	sqe.query_function.addr = htole64(RIG_BASE - 4096);
	assert_int_equal(rig_admin(card->dpu, DOCA_ADMIN_QUERY_FUNCTION, &sqe),
			 DOCA_ADMIN_BUS_ERROR);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_dpu_reads_what_the_host_shares),
		TEST(the_dpu_writes_with_the_right_to_write),
		TEST(lists_may_mix_both_sides),
		TEST(bounds_are_those_of_the_host),
		TEST(without_the_token_nothing_is_there),
		TEST(who_may_share_and_import),
		TEST(an_import_belongs_to_its_domain),
		TEST(the_end_of_the_key_ends_its_imports),
		TEST(a_reset_or_removal_of_the_host_ends_imports),
		TEST(imports_are_no_targets_of_RDMA),
		TEST(memory_faults_are_those_of_the_host),
		TEST(functions_of_the_card),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
