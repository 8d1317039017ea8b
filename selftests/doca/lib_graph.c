// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdoca: graphs of tasks and functions.
 */
#include <poll.h>

#include "lib_utils.h"
#include <doca_graph.h>

#define NUM_INSTANCES	8
#define LEN		4096UL

/* What callbacks saw. */
struct trace {
	int calls;
	int order[64];
	int done, failed, task_callbacks;
	struct doca_graph_instance *last;
	uint64_t last_user_data;
	int resubmit;
	bool destroy;		/* the instance, in its callback */
	bool end;		/* and the graph */
	doca_error_t result;
	struct doca_graph *graph;
};

static struct trace trace;

FIXTURE(graph) {
	struct baseline base;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_mmap *map;
	struct doca_buf_inventory *inventory;
	struct doca_graph *graph;
	char *mem;
	size_t size;
};

typedef FIXTURE_DATA(graph) fixture;

static void on_task(struct doca_dma_task_memcpy *task, union doca_data user_data,
		    union doca_data ctx_data)
{
	trace.task_callbacks++;
}

/* A function that notes its number: the cookie. */
static doca_error_t note(void *cookie)
{
	if (trace.calls < ARRAY_SIZE(trace.order))
		trace.order[trace.calls] = (intptr_t)cookie;
	trace.calls++;
	return DOCA_SUCCESS;
}

static doca_error_t fail(void *cookie)
{
	note(cookie);
	return DOCA_ERROR_UNEXPECTED;
}

static void on_end(struct doca_graph_instance *instance, union doca_data instance_data)
{
	trace.last = instance;
	trace.last_user_data = instance_data.u64;
	if (trace.resubmit) {
		trace.resubmit--;
		trace.result = doca_graph_instance_submit(instance);
	}
	if (trace.destroy)
		trace.result = doca_graph_instance_destroy(instance);
	if (trace.end && trace.result == DOCA_SUCCESS) {
		trace.result = doca_graph_stop(trace.graph);
		if (trace.result == DOCA_SUCCESS)
			trace.result = doca_graph_destroy(trace.graph);
		trace.graph = NULL;
	}
}

static void on_done(struct doca_graph_instance *instance, union doca_data instance_data,
		    union doca_data graph_data)
{
	*(int *)graph_data.ptr += 1;
	on_end(instance, instance_data);
}

static void on_error(struct doca_graph_instance *instance, union doca_data instance_data,
		     union doca_data graph_data)
{
	trace.failed++;
	on_end(instance, instance_data);
}

static doca_error_t new_graph(struct doca_pe *pe, struct doca_graph **graph)
{
	union doca_data data = { .ptr = &trace.done };
	doca_error_t err = doca_graph_create(pe, graph);

	if (err == DOCA_SUCCESS)
		err = doca_graph_set_conf(*graph, on_done, on_error, NUM_INSTANCES);
	if (err == DOCA_SUCCESS)
		err = doca_graph_set_user_data(*graph, data);
	return err;
}

FIXTURE_SETUP(graph)
{
	baseline_take(&self->base);
	memset(&trace, 0, sizeof(trace));
	self->size = 64 * LEN;
	self->mem = mem_alloc(self->size);
	ASSERT_NE(NULL, self->mem);
	mem_fill(self->mem, LEN, 1);
	ASSERT_OK(open_device(0, &self->dev));
	ASSERT_OK(map_memory(self->dev, self->mem, self->size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
			     &self->map));
	ASSERT_OK(doca_buf_inventory_create(64, &self->inventory));
	ASSERT_OK(doca_buf_inventory_start(self->inventory));
	ASSERT_OK(doca_pe_create(&self->pe));
	ASSERT_OK(doca_dma_create(self->dev, &self->dma));
	self->ctx = doca_dma_as_ctx(self->dma);
	ASSERT_OK(doca_dma_task_memcpy_set_conf(self->dma, on_task, on_task, 32));
	ASSERT_OK(doca_pe_connect_ctx(self->pe, self->ctx));
	ASSERT_OK(doca_ctx_start(self->ctx));
	ASSERT_OK(new_graph(self->pe, &self->graph));
	trace.graph = self->graph;
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state = 99;

	doca_ctx_get_state(ctx, &state);
	return state;
}

FIXTURE_TEARDOWN(graph)
{
	if (self->graph) {
		EXPECT_OK(doca_graph_stop(self->graph));
		EXPECT_OK(doca_graph_destroy(self->graph));
	}
	doca_ctx_stop(self->ctx);
	EXPECT_TRUE(PROGRESS_UNTIL(self->pe, state_of(self->ctx) == DOCA_CTX_STATE_IDLE));
	EXPECT_OK(doca_dma_destroy(self->dma));
	EXPECT_OK(doca_pe_destroy(self->pe));
	EXPECT_OK(doca_buf_inventory_destroy(self->inventory));
	EXPECT_OK(doca_mmap_destroy(self->map));
	EXPECT_OK(doca_dev_close(self->dev));
	munmap(self->mem, self->size);
	EXPECT_BASELINE(&self->base);
}

struct copy {
	struct doca_buf *src, *dst;
	struct doca_task *task;
};

/* A copy of the first LEN bytes to place @n, or, if @len is 0, one that fails. */
static doca_error_t copy_alloc(fixture *self, unsigned int n, size_t len, struct copy *copy)
{
	struct doca_dma_task_memcpy *task;
	union doca_data data = { .u64 = 77 };
	doca_error_t err;

	err = doca_buf_inventory_buf_get_by_data(self->inventory, self->map, self->mem, len,
						 &copy->src);
	if (err == DOCA_SUCCESS)
		err = doca_buf_inventory_buf_get_by_addr(self->inventory, self->map,
							 self->mem + n * LEN, LEN, &copy->dst);
	if (err == DOCA_SUCCESS)
		err = doca_dma_task_memcpy_alloc_init(self->dma, copy->src, copy->dst, data, &task);
	if (err == DOCA_SUCCESS)
		copy->task = doca_dma_task_memcpy_as_task(task);
	return err;
}

static void copy_free(struct copy *copy)
{
	doca_task_free(copy->task);
	doca_buf_dec_refcount(copy->src, NULL);
	doca_buf_dec_refcount(copy->dst, NULL);
}

static bool copied(fixture *self, unsigned int n)
{
	return !memcmp(self->mem, self->mem + n * LEN, LEN);
}

/* first -> (left, right) -> last, all of them functions */
TEST_F(graph, nodes_run_in_the_order_of_their_dependencies)
{
	struct doca_graph_node *first, *left, *right, *last;
	struct doca_graph_instance *instance;
	union doca_data data = { .u64 = 4711 };

	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &last));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &left));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &first));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &right));
	ASSERT_OK(doca_graph_add_dependency(self->graph, left, last));
	ASSERT_OK(doca_graph_add_dependency(self->graph, first, left));
	ASSERT_OK(doca_graph_add_dependency(self->graph, right, last));
	ASSERT_OK(doca_graph_add_dependency(self->graph, first, right));
	/* twice is once */
	ASSERT_OK(doca_graph_add_dependency(self->graph, first, right));
	ASSERT_OK(doca_graph_start(self->graph));
	ASSERT_OK(doca_graph_instance_create(self->graph, &instance));
	ASSERT_OK(doca_graph_instance_set_user_node_data(instance, first, (void *)1));
	ASSERT_OK(doca_graph_instance_set_user_node_data(instance, left, (void *)2));
	ASSERT_OK(doca_graph_instance_set_user_node_data(instance, right, (void *)3));
	ASSERT_OK(doca_graph_instance_set_user_node_data(instance, last, (void *)4));
	ASSERT_OK(doca_graph_instance_set_user_data(instance, data));
	ASSERT_OK(doca_graph_instance_submit(instance));
	/* nothing of the application's is called outside of progress */
	EXPECT_EQ(0, trace.calls);
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done));
	EXPECT_EQ(4, trace.calls);
	EXPECT_EQ(1, trace.order[0]);
	EXPECT_EQ(5, trace.order[1] + trace.order[2]);
	EXPECT_EQ(4, trace.order[3]);
	EXPECT_EQ(instance, trace.last);
	EXPECT_EQ(4711, trace.last_user_data);
	EXPECT_EQ(0, doca_pe_progress(self->pe));
	EXPECT_OK(doca_graph_instance_destroy(instance));
}

static doca_error_t both_copied(void *cookie)
{
	fixture *self = cookie;

	note(NULL);
	return copied(self, 1) && copied(self, 2) ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
}

TEST_F(graph, tasks_are_done_before_the_function_that_waits_for_them)
{
	struct doca_graph_node *copies[2], *check;
	struct doca_graph_instance *instance;
	struct copy copy[2];
	size_t len = 0;
	int i;

	ASSERT_OK(doca_graph_node_create_from_user(self->graph, both_copied, &check));
	for (i = 0; i < 2; i++) {
		ASSERT_OK(doca_graph_node_create_from_ctx(self->graph, self->ctx, &copies[i]));
		ASSERT_OK(doca_graph_add_dependency(self->graph, copies[i], check));
		ASSERT_OK(copy_alloc(self, 1 + i, LEN, &copy[i]));
	}
	ASSERT_OK(doca_graph_start(self->graph));
	ASSERT_OK(doca_graph_instance_create(self->graph, &instance));
	for (i = 0; i < 2; i++)
		ASSERT_OK(doca_graph_instance_set_ctx_node_data(instance, copies[i],
								copy[i].task));
	ASSERT_OK(doca_graph_instance_set_user_node_data(instance, check, self));
	ASSERT_OK(doca_graph_instance_submit(instance));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done + trace.failed));
	EXPECT_EQ(1, trace.done);
	EXPECT_EQ(1, trace.calls);
	/* as the SDK says, and the tasks are as they were before */
	EXPECT_EQ(0, trace.task_callbacks);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(77, doca_task_get_user_data(copy[i].task).u64);
		EXPECT_OK(doca_task_get_status(copy[i].task));
		EXPECT_OK(doca_buf_get_data_len(copy[i].dst, &len));
		EXPECT_EQ(LEN, len);
	}
	/* outside of a graph they have their callbacks again */
	doca_buf_reset_data_len(copy[0].dst);
	ASSERT_OK(doca_task_submit(copy[0].task));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.task_callbacks));
	EXPECT_OK(doca_graph_instance_destroy(instance));
	for (i = 0; i < 2; i++)
		copy_free(&copy[i]);
}

TEST_F(graph, instances_run_side_by_side)
{
	struct doca_graph_instance *instances[NUM_INSTANCES], *more;
	struct doca_graph_node *node, *after;
	struct copy copy[NUM_INSTANCES];
	int i;

	ASSERT_OK(doca_graph_node_create_from_ctx(self->graph, self->ctx, &node));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &after));
	ASSERT_OK(doca_graph_add_dependency(self->graph, node, after));
	ASSERT_OK(doca_graph_start(self->graph));
	for (i = 0; i < NUM_INSTANCES; i++) {
		ASSERT_OK(doca_graph_instance_create(self->graph, &instances[i]));
		ASSERT_OK(copy_alloc(self, 1 + i, LEN, &copy[i]));
		ASSERT_OK(doca_graph_instance_set_ctx_node_data(instances[i], node, copy[i].task));
	}
	EXPECT_DOCA(DOCA_ERROR_NO_MEMORY, doca_graph_instance_create(self->graph, &more));
	for (i = 0; i < NUM_INSTANCES; i++)
		ASSERT_OK(doca_graph_instance_submit(instances[i]));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done == NUM_INSTANCES));
	EXPECT_EQ(NUM_INSTANCES, trace.calls);
	for (i = 0; i < NUM_INSTANCES; i++) {
		EXPECT_TRUE(copied(self, 1 + i));
		EXPECT_OK(doca_graph_instance_destroy(instances[i]));
		copy_free(&copy[i]);
	}
}

TEST_F(graph, submitted_again_in_its_own_callback)
{
	struct doca_graph_instance *instance;
	struct doca_graph_node *node;
	struct copy copy;

	/* without data in the source buffer's way: the destination is full after one */
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &node));
	ASSERT_OK(doca_graph_start(self->graph));
	ASSERT_OK(doca_graph_instance_create(self->graph, &instance));
	trace.resubmit = 20;
	ASSERT_OK(doca_graph_instance_submit(instance));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done == 21));
	EXPECT_OK(trace.result);
	EXPECT_EQ(21, trace.calls);
	EXPECT_OK(doca_graph_instance_destroy(instance));
	/* the context was not needed */
	ASSERT_OK(copy_alloc(self, 1, LEN, &copy));
	copy_free(&copy);
}

TEST_F(graph, destroyed_with_its_graph_in_its_own_callback)
{
	struct doca_graph_instance *instance;
	struct doca_graph_node *node;

	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &node));
	ASSERT_OK(doca_graph_start(self->graph));
	ASSERT_OK(doca_graph_instance_create(self->graph, &instance));
	trace.destroy = true;
	trace.end = true;
	ASSERT_OK(doca_graph_instance_submit(instance));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done));
	EXPECT_OK(trace.result);
	EXPECT_EQ(NULL, trace.graph);
	self->graph = NULL;
	EXPECT_EQ(0, doca_pe_progress(self->pe));
}

TEST_F(graph, a_failing_function_ends_the_instance)
{
	struct doca_graph_node *bad, *after, *beside;
	struct doca_graph_instance *instance;

	ASSERT_OK(doca_graph_node_create_from_user(self->graph, fail, &bad));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &after));
	ASSERT_OK(doca_graph_add_dependency(self->graph, bad, after));
	ASSERT_OK(doca_graph_start(self->graph));
	ASSERT_OK(doca_graph_instance_create(self->graph, &instance));
	ASSERT_OK(doca_graph_instance_set_user_node_data(instance, bad, (void *)1));
	ASSERT_OK(doca_graph_instance_submit(instance));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done + trace.failed));
	EXPECT_EQ(1, trace.failed);
	EXPECT_EQ(0, trace.done);
	/* what waits for it is not called */
	EXPECT_EQ(1, trace.calls);
	/* it can be run again, and fails again */
	ASSERT_OK(doca_graph_instance_submit(instance));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.failed == 2));
	EXPECT_EQ(2, trace.calls);
	EXPECT_OK(doca_graph_instance_destroy(instance));
	EXPECT_OK(doca_graph_stop(self->graph));
	/* stopped, nodes can be added */
	EXPECT_OK(doca_graph_node_create_from_user(self->graph, note, &beside));
}

TEST_F(graph, a_failing_task_ends_the_instance_and_its_context)
{
	struct doca_graph_node *copies[2], *after;
	struct doca_graph_instance *instance;
	struct copy copy[2];
	int i;

	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &after));
	for (i = 0; i < 2; i++) {
		ASSERT_OK(doca_graph_node_create_from_ctx(self->graph, self->ctx, &copies[i]));
		ASSERT_OK(doca_graph_add_dependency(self->graph, copies[i], after));
	}
	ASSERT_OK(copy_alloc(self, 1, 0, &copy[0]));
	ASSERT_OK(copy_alloc(self, 2, LEN, &copy[1]));
	ASSERT_OK(doca_graph_start(self->graph));
	ASSERT_OK(doca_graph_instance_create(self->graph, &instance));
	for (i = 0; i < 2; i++)
		ASSERT_OK(doca_graph_instance_set_ctx_node_data(instance, copies[i],
								copy[i].task));
	ASSERT_OK(doca_graph_instance_submit(instance));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done + trace.failed));
	EXPECT_EQ(1, trace.failed);
	EXPECT_EQ(0, trace.calls);
	EXPECT_EQ(0, trace.task_callbacks);
	EXPECT_EQ(DOCA_CTX_STATE_STOPPING, state_of(self->ctx));
	/* which is why it cannot run again */
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_graph_instance_submit(instance));
	EXPECT_OK(doca_graph_instance_destroy(instance));
	for (i = 0; i < 2; i++)
		copy_free(&copy[i]);
}

TEST_F(graph, a_graph_as_a_node_of_another)
{
	struct doca_graph_instance *outer, *inner;
	struct doca_graph_node *node, *first, *last, *sub;
	struct doca_graph *graph;
	struct copy copy;

	/* the inner one: a copy; the outer one: function -> inner -> function */
	ASSERT_OK(new_graph(self->pe, &graph));
	ASSERT_OK(doca_graph_node_create_from_ctx(graph, self->ctx, &node));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_graph_node_create_from_graph(self->graph, graph, &sub));
	ASSERT_OK(doca_graph_start(graph));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_graph_node_create_from_graph(self->graph, self->graph, &sub));
	ASSERT_OK(doca_graph_node_create_from_graph(self->graph, graph, &sub));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &first));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &last));
	ASSERT_OK(doca_graph_add_dependency(self->graph, first, sub));
	ASSERT_OK(doca_graph_add_dependency(self->graph, sub, last));
	ASSERT_OK(doca_graph_start(self->graph));

	ASSERT_OK(doca_graph_instance_create(graph, &inner));
	ASSERT_OK(doca_graph_instance_create(self->graph, &outer));
	ASSERT_OK(copy_alloc(self, 1, LEN, &copy));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_submit(outer));
	ASSERT_OK(doca_graph_instance_set_sub_graph_node_data(outer, sub, inner));
	/* the inner one has no task yet */
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_submit(outer));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_graph_instance_set_sub_graph_node_data(outer, sub, outer));
	ASSERT_OK(doca_graph_instance_set_ctx_node_data(inner, node, copy.task));
	ASSERT_OK(doca_graph_instance_submit(outer));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done + trace.failed));
	/* only the outer one is reported */
	EXPECT_EQ(1, trace.done);
	EXPECT_EQ(outer, trace.last);
	EXPECT_EQ(2, trace.calls);
	EXPECT_TRUE(copied(self, 1));
	EXPECT_OK(doca_graph_instance_destroy(outer));
	EXPECT_OK(doca_graph_instance_destroy(inner));
	EXPECT_OK(doca_graph_stop(graph));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_graph_destroy(graph));
	EXPECT_OK(doca_graph_stop(self->graph));
	EXPECT_OK(doca_graph_destroy(self->graph));
	self->graph = NULL;
	EXPECT_OK(doca_graph_destroy(graph));
	copy_free(&copy);
}

TEST_F(graph, nodes_that_wait_for_each_other_are_INVALID_VALUE)
{
	struct doca_graph_node *a, *b, *c;

	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_start(self->graph));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &a));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &b));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &c));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED, doca_graph_add_dependency(self->graph, a, a));
	ASSERT_OK(doca_graph_add_dependency(self->graph, a, b));
	ASSERT_OK(doca_graph_add_dependency(self->graph, b, c));
	ASSERT_OK(doca_graph_add_dependency(self->graph, c, b));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_start(self->graph));
}

TEST_F(graph, calls_in_the_wrong_order)
{
	struct doca_graph_instance *instance, *other_instance;
	struct doca_graph_node *node, *user, *other_node, *none;
	struct doca_graph *other, *unset;
	struct doca_dma *dma;
	struct copy copy;

	ASSERT_OK(doca_graph_create(self->pe, &unset));
	ASSERT_OK(doca_graph_node_create_from_user(unset, note, &none));
	/* no configuration */
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_start(unset));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_set_conf(unset, on_done, on_error, 0));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_set_conf(unset, NULL, on_error, 1));
	EXPECT_OK(doca_graph_destroy(unset));

	ASSERT_OK(new_graph(self->pe, &other));
	ASSERT_OK(doca_graph_node_create_from_user(other, note, &other_node));
	ASSERT_OK(doca_graph_start(other));
	ASSERT_OK(doca_graph_instance_create(other, &other_instance));

	/* a context of no progress engine, or of another one */
	ASSERT_OK(doca_dma_create(self->dev, &dma));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_graph_node_create_from_ctx(self->graph, doca_dma_as_ctx(dma), &none));
	EXPECT_OK(doca_dma_destroy(dma));

	ASSERT_OK(doca_graph_node_create_from_ctx(self->graph, self->ctx, &node));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &user));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_graph_add_dependency(self->graph, node, other_node));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_graph_instance_create(self->graph, &instance));
	ASSERT_OK(doca_graph_start(self->graph));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_graph_start(self->graph));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE,
		    doca_graph_node_create_from_user(self->graph, note, &none));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_graph_add_dependency(self->graph, node, user));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_graph_set_conf(self->graph, on_done, on_error, 1));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_graph_destroy(self->graph));

	ASSERT_OK(doca_graph_instance_create(self->graph, &instance));
	ASSERT_OK(copy_alloc(self, 1, LEN, &copy));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_submit(instance));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_graph_instance_set_ctx_node_data(instance, user, copy.task));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_graph_instance_set_user_node_data(instance, other_node, NULL));
	EXPECT_DOCA(DOCA_ERROR_NOT_PERMITTED,
		    doca_graph_instance_set_sub_graph_node_data(instance, node, other_instance));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_graph_instance_set_ctx_node_data(instance, node, NULL));
	ASSERT_OK(doca_graph_instance_set_ctx_node_data(instance, node, copy.task));
	/* stopping does not end what is there, but forbids more */
	EXPECT_OK(doca_graph_stop(self->graph));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_graph_instance_submit(instance));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE, doca_graph_destroy(self->graph));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE,
		    doca_graph_node_create_from_user(self->graph, note, &none));
	ASSERT_OK(doca_graph_start(self->graph));

	ASSERT_OK(doca_graph_instance_submit(instance));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_graph_instance_submit(instance));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_graph_instance_destroy(instance));
	EXPECT_DOCA(DOCA_ERROR_BAD_STATE,
		    doca_graph_instance_set_ctx_node_data(instance, node, copy.task));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_graph_stop(self->graph));
	EXPECT_DOCA(DOCA_ERROR_IN_USE, doca_pe_destroy(self->pe));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done));
	EXPECT_OK(doca_graph_instance_destroy(instance));
	EXPECT_OK(doca_graph_instance_destroy(other_instance));
	EXPECT_OK(doca_graph_stop(other));
	EXPECT_OK(doca_graph_destroy(other));
	copy_free(&copy);
}

TEST_F(graph, NULL_is_INVALID_VALUE)
{
	union doca_data data = {};

	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_create(NULL, &self->graph));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_create(self->pe, NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_destroy(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_start(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_stop(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_set_user_data(NULL, data));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_get_user_data(self->graph, NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_submit(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_destroy(NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_graph_node_create_from_user(self->graph, NULL, NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE,
		    doca_graph_node_create_from_ctx(self->graph, NULL, NULL));
	EXPECT_DOCA(DOCA_ERROR_INVALID_VALUE, doca_graph_add_dependency(self->graph, NULL, NULL));
}

/* A program that sleeps on the notification handle. */
TEST_F(graph, a_graph_of_functions_raises_the_notification)
{
	struct doca_graph_instance *instance;
	struct pollfd pfd = { .events = POLLIN };
	struct doca_graph_node *a, *b;

	ASSERT_OK(doca_pe_get_notification_handle(self->pe, &pfd.fd));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &a));
	ASSERT_OK(doca_graph_node_create_from_user(self->graph, note, &b));
	ASSERT_OK(doca_graph_add_dependency(self->graph, a, b));
	ASSERT_OK(doca_graph_start(self->graph));
	ASSERT_OK(doca_graph_instance_create(self->graph, &instance));
	ASSERT_OK(doca_pe_request_notification(self->pe));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	ASSERT_OK(doca_graph_instance_submit(instance));
	EXPECT_EQ(1, poll(&pfd, 1, WAIT_MS));
	ASSERT_OK(doca_pe_clear_notification(self->pe, pfd.fd));
	ASSERT_TRUE(PROGRESS_UNTIL(self->pe, trace.done));
	EXPECT_OK(doca_graph_instance_destroy(instance));
}

DOCA_TEST_MAIN
