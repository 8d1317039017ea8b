// SPDX-License-Identifier: MIT
/*
 * Graphs: tasks and functions of the application in the order of their dependencies.
 *
 * A node of an instance is waiting (for its parents), ready, running or done. What is
 * ready is started in doca_graph_instance_submit() or, later, in doca_pe_progress():
 * a graph with an instance that has something ready, or has come to its end, is in the
 * PE's list of work. A task that runs as a node has the graph's callback in the place of
 * its own, so that submitting and reporting know nothing of graphs.
 */
#include <stdlib.h>

#include <doca_graph.h>

#include "core.h"

enum node_kind {
	NODE_CTX,
	NODE_USER,
	NODE_GRAPH,
};

/**
 * struct doca_graph_node - a node of a graph
 * @graph: that it belongs to
 * @next: next one of it
 * @index: number in it, and of the node's part in each instance
 * @kind: enum node_kind
 * @num_parents: nodes that it waits for
 * @num_children: nodes that wait for it
 * @children: those
 * @ctx: NODE_CTX: of its task
 * @cb: NODE_USER: to be called
 * @sub_graph: NODE_GRAPH: of its instance
 */
struct doca_graph_node {
	struct doca_graph *graph;
	struct doca_graph_node *next;
	uint32_t index;
	enum node_kind kind;
	uint32_t num_parents;
	uint32_t num_children;
	struct doca_graph_node **children;
	union {
		const struct doca_ctx *ctx;
		doca_graph_user_node_cb_t cb;
		struct doca_graph *sub_graph;
	};
};

/**
 * struct doca_graph - a graph
 * @pe: progress engine of all its contexts
 * @work: instances are to be advanced
 * @nodes: its nodes, the newest first
 * @num_nodes: how many
 * @started: no nodes are added any more, and instances may be made
 * @done: callbacks for success and for failure
 * @max_instances: as set
 * @num_instances: that there are
 * @num_running: of those, submitted and not reported
 * @num_uses: nodes of other graphs that it is
 * @active: instances with something to do
 * @active_end: where the next one goes
 * @user_data: the application's
 */
struct doca_graph {
	struct doca_pe *pe;
	struct lib_work work;
	struct doca_graph_node *nodes;
	uint32_t num_nodes;
	bool started;
	doca_graph_completion_cb_t done[2];
	uint32_t max_instances;
	uint32_t num_instances;
	uint32_t num_running;
	uint32_t num_uses;
	struct doca_graph_instance *active;
	struct doca_graph_instance **active_end;
	union doca_data user_data;
};

/**
 * struct part - a node of an instance
 * @instance: that it belongs to
 * @node: that it is
 * @has_data: one of the following was set
 * @task: NODE_CTX
 * @cookie: NODE_USER
 * @sub_instance: NODE_GRAPH
 * @num_waits: parents that are not done
 * @next_ready: next in the instance's list
 * @done: callbacks of the task while it runs here
 * @user_data: likewise
 */
struct part {
	struct doca_graph_instance *instance;
	const struct doca_graph_node *node;
	bool has_data;
	union {
		struct doca_task *task;
		void *cookie;
		struct doca_graph_instance *sub_instance;
	};
	uint32_t num_waits;
	struct part *next_ready;
	lib_task_cb done[2];
	union doca_data user_data;
};

/**
 * struct doca_graph_instance - one set of data for a graph
 * @graph: that it belongs to
 * @running: submitted and not reported
 * @failed: nothing more is started
 * @queued: in graph->active
 * @num_started: parts that run
 * @next_active: in graph->active
 * @ready: parts to be started
 * @ready_end: where the next one goes
 * @parent: part of another graph's instance that this one runs as, or NULL
 * @user_data: the application's
 * @parts: by the index of their node
 */
struct doca_graph_instance {
	struct doca_graph *graph;
	bool running;
	bool failed;
	bool queued;
	uint32_t num_started;
	struct doca_graph_instance *next_active;
	struct part *ready;
	struct part **ready_end;
	struct part *parent;
	union doca_data user_data;
	struct part parts[];
};

static void instance_begin(struct doca_graph_instance *instance,
			   struct part *parent);

/*
 * Running
 */
static void instance_activate(struct doca_graph_instance *instance)
{
	struct doca_graph *graph = instance->graph;

	if (instance->queued)
		return;
	instance->queued = true;
	instance->next_active = NULL;
	*graph->active_end = instance;
	graph->active_end = &instance->next_active;
	lib_pe_add_work(graph->pe, &graph->work);
}

static struct doca_graph_instance *graph_take_active(struct doca_graph *graph)
{
	struct doca_graph_instance *instance = graph->active;

	if (!instance)
		return NULL;
	graph->active = instance->next_active;
	if (!graph->active)
		graph->active_end = &graph->active;
	instance->queued = false;
	return instance;
}

static void part_set_ready(struct part *part)
{
	struct doca_graph_instance *instance = part->instance;

	part->next_ready = NULL;
	*instance->ready_end = part;
	instance->ready_end = &part->next_ready;
}

static void part_end(struct part *part, doca_error_t status)
{
	struct doca_graph_instance *instance = part->instance;
	const struct doca_graph_node *node = part->node;
	struct part *child;
	uint32_t i;

	instance->num_started--;
	if (status != DOCA_SUCCESS)
		instance->failed = true;
	for (i = 0; !instance->failed && i < node->num_children; i++) {
		child = &instance->parts[node->children[i]->index];
		if (!--child->num_waits)
			part_set_ready(child);
	}
	if (instance->ready || !instance->num_started)
		instance_activate(instance);
}

/* The callback of a task that runs as a node. */
static void part_task_end(void *arg, union doca_data task_user_data,
			  union doca_data ctx_user_data)
{
	struct part *part = task_user_data.ptr;
	struct doca_task *task = arg;

	(void)ctx_user_data;
	task->done[0] = part->done[0];
	task->done[1] = part->done[1];
	task->user_data = part->user_data;
	part_end(part, task->status);
}

static doca_error_t part_start_task(struct part *part)
{
	struct doca_task *task = part->task;
	doca_error_t result;

	result = doca_task_submit(task);
	if (result != DOCA_SUCCESS)
		return result;
	part->done[0] = task->done[0];
	part->done[1] = task->done[1];
	part->user_data = task->user_data;
	task->done[0] = part_task_end;
	task->done[1] = part_task_end;
	task->user_data.ptr = part;
	return DOCA_SUCCESS;
}

/*
 * Starts a part. AGAIN: there was no room for its task. *@happened counts what the
 * application has noticed.
 */
static doca_error_t part_start(struct part *part, unsigned int *happened)
{
	doca_error_t result = DOCA_SUCCESS;

	part->instance->num_started++;
	switch (part->node->kind) {
	case NODE_CTX:
		result = part_start_task(part);
		if (result == DOCA_ERROR_AGAIN)
			part->instance->num_started--;
		else if (result != DOCA_SUCCESS)
			part_end(part, result);
		break;
	case NODE_USER:
		++*happened;
		part_end(part, part->node->cb(part->cookie));
		break;
	case NODE_GRAPH:
		if (part->sub_instance->running) {
			lib_err("graph: an instance is used by two nodes at a time");
			part_end(part, DOCA_ERROR_IN_USE);
		} else {
			instance_begin(part->sub_instance, part);
		}
		break;
	}
	return result;
}

/*
 * Starts what is ready, but functions of the application only up to @budget. False: the
 * instance has to come again.
 */
static bool instance_start_ready(struct doca_graph_instance *instance,
				 unsigned int budget, unsigned int *happened)
{
	struct part *part;

	while ((part = instance->ready) && !instance->failed) {
		if (part->node->kind == NODE_USER && *happened >= budget)
			return false;
		instance->ready = part->next_ready;
		if (!instance->ready)
			instance->ready_end = &instance->ready;
		if (part_start(part, happened) == DOCA_ERROR_AGAIN) {
			part->next_ready = instance->ready;
			if (!instance->ready)
				instance->ready_end = &part->next_ready;
			instance->ready = part;
			return false;
		}
	}
	return true;
}

/* Afterwards the instance, and its graph, may be gone. */
static unsigned int instance_end(struct doca_graph_instance *instance)
{
	struct doca_graph *graph = instance->graph;
	struct part *parent = instance->parent;

	instance->running = false;
	graph->num_running--;
	if (parent) {
		part_end(parent, instance->failed ? DOCA_ERROR_IO_FAILED :
						    DOCA_SUCCESS);
		return 0;
	}
	graph->done[instance->failed](instance, instance->user_data,
				      graph->user_data);
	return 1;
}

static unsigned int graph_advance(struct lib_work *work, unsigned int budget)
{
	struct doca_graph *graph = lib_container_of(work, struct doca_graph,
						    work);
	struct doca_graph_instance *instance;
	unsigned int happened = 0;

	/* One instance at a time: who is called may end the graph. */
	instance = graph_take_active(graph);
	if (!instance)
		return 0;
	if (!instance_start_ready(instance, budget, &happened))
		instance_activate(instance);
	if (graph->active)
		lib_pe_add_work(graph->pe, &graph->work);
	/* What was started may have ended at once, and is active again then. */
	if (!instance->queued && !instance->num_started)
		happened += instance_end(instance);
	return happened;
}

static void instance_begin(struct doca_graph_instance *instance,
			   struct part *parent)
{
	struct doca_graph *graph = instance->graph;
	uint32_t i;

	instance->running = true;
	instance->failed = false;
	instance->parent = parent;
	instance->num_started = 0;
	instance->ready = NULL;
	instance->ready_end = &instance->ready;
	graph->num_running++;
	for (i = 0; i < graph->num_nodes; i++) {
		struct part *part = &instance->parts[i];

		part->num_waits = part->node->num_parents;
		if (!part->num_waits)
			part_set_ready(part);
	}
	instance_activate(instance);
}

/*
 * Instances
 */
doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
					struct doca_graph_instance **graph_instance)
{
	/* Only what is counted and listed in it changes. */
	struct doca_graph *g = (struct doca_graph *)(uintptr_t)graph;
	struct doca_graph_instance *new;
	struct doca_graph_node *node;
	size_t size;

	if (!graph || !graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	if (!graph->started)
		return DOCA_ERROR_BAD_STATE;
	if (graph->num_instances == graph->max_instances) {
		lib_err("graph: it has %u instances, its limit",
			graph->max_instances);
		return DOCA_ERROR_NO_MEMORY;
	}
	if (__builtin_mul_overflow((size_t)graph->num_nodes,
				   sizeof(new->parts[0]), &size) ||
	    __builtin_add_overflow(size, sizeof(*new), &size))
		return DOCA_ERROR_NO_MEMORY;
	new = calloc(1, size);
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->graph = g;
	for (node = g->nodes; node; node = node->next) {
		new->parts[node->index].instance = new;
		new->parts[node->index].node = node;
	}
	g->num_instances++;
	*graph_instance = new;
	return DOCA_SUCCESS;
}

doca_error_t
doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
{
	if (!graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph_instance->running) {
		lib_err("graph: an instance is destroyed that is running");
		return DOCA_ERROR_IN_USE;
	}
	graph_instance->graph->num_instances--;
	free(graph_instance);
	return DOCA_SUCCESS;
}

doca_error_t
doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
				  union doca_data user_data)
{
	if (!graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph_instance->running)
		return DOCA_ERROR_IN_USE;
	graph_instance->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t
doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
				  union doca_data *user_data)
{
	if (!graph_instance || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = graph_instance->user_data;
	return DOCA_SUCCESS;
}

static doca_error_t find_part(struct doca_graph_instance *instance,
			      const struct doca_graph_node *node,
			      enum node_kind kind, struct part **part)
{
	if (!instance || !node)
		return DOCA_ERROR_INVALID_VALUE;
	if (instance->running)
		return DOCA_ERROR_BAD_STATE;
	if (node->graph != instance->graph || node->kind != kind) {
		lib_err("graph: the node is %s",
			node->kind == kind ? "one of another graph" :
					     "not of this kind");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	*part = &instance->parts[node->index];
	return DOCA_SUCCESS;
}

doca_error_t
doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
				      struct doca_graph_node *node,
				      struct doca_task *task)
{
	doca_error_t result;
	struct part *part;

	if (!task)
		return DOCA_ERROR_INVALID_VALUE;
	result = find_part(graph_instance, node, NODE_CTX, &part);
	if (result != DOCA_SUCCESS)
		return result;
	if (task->ctx != node->ctx) {
		lib_err("graph: the task is one of another context than the node");
		return DOCA_ERROR_INVALID_VALUE;
	}
	part->task = task;
	part->has_data = true;
	return DOCA_SUCCESS;
}

doca_error_t
doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
				       struct doca_graph_node *node,
				       void *cookie)
{
	doca_error_t result;
	struct part *part;

	result = find_part(graph_instance, node, NODE_USER, &part);
	if (result != DOCA_SUCCESS)
		return result;
	part->cookie = cookie;
	part->has_data = true;
	return DOCA_SUCCESS;
}

doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
					    struct doca_graph_node *node,
					    struct doca_graph_instance *sub_graph_instance)
{
	doca_error_t result;
	struct part *part;

	if (!sub_graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	result = find_part(graph_instance, node, NODE_GRAPH, &part);
	if (result != DOCA_SUCCESS)
		return result;
	if (sub_graph_instance->graph != node->sub_graph) {
		lib_err("graph: the instance is one of another graph than the node");
		return DOCA_ERROR_INVALID_VALUE;
	}
	part->sub_instance = sub_graph_instance;
	part->has_data = true;
	return DOCA_SUCCESS;
}

/* Whether the instance, and those in it, could be submitted. */
static doca_error_t instance_check(const struct doca_graph_instance *instance)
{
	doca_error_t result;
	uint32_t i;

	if (instance->running)
		return DOCA_ERROR_IN_USE;
	if (!instance->graph->started)
		return DOCA_ERROR_BAD_STATE;
	for (i = 0; i < instance->graph->num_nodes; i++) {
		const struct part *part = &instance->parts[i];

		/* A function can do without. */
		if (!part->has_data && part->node->kind != NODE_USER) {
			lib_err("graph: node %u of the instance has no %s", i,
				part->node->kind == NODE_CTX ? "task" :
							       "instance");
			return DOCA_ERROR_INVALID_VALUE;
		}
		if (part->node->kind == NODE_CTX) {
			if (part->task->state == LIB_TASK_INFLIGHT)
				return DOCA_ERROR_IN_USE;
			if (part->node->ctx->state != DOCA_CTX_STATE_RUNNING) {
				lib_err("graph: the %s context of node %u is not running",
					part->node->ctx->ops->name, i);
				return DOCA_ERROR_BAD_STATE;
			}
		} else if (part->node->kind == NODE_GRAPH) {
			result = instance_check(part->sub_instance);
			if (result != DOCA_SUCCESS)
				return result;
		}
	}
	return DOCA_SUCCESS;
}

doca_error_t
doca_graph_instance_submit(struct doca_graph_instance *graph_instance)
{
	unsigned int happened = 0;
	doca_error_t result;

	if (!graph_instance)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph_instance->graph->pe->forked)
		return DOCA_ERROR_NOT_PERMITTED;
	result = instance_check(graph_instance);
	if (result != DOCA_SUCCESS)
		return result;
	instance_begin(graph_instance, NULL);
	/* Tasks begin now; functions are called in doca_pe_progress() only. */
	instance_start_ready(graph_instance, 0, &happened);
	return DOCA_SUCCESS;
}

/*
 * Graphs
 */
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph)
{
	struct doca_graph *new;

	if (!pe || !graph)
		return DOCA_ERROR_INVALID_VALUE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->pe = pe;
	new->work.run = graph_advance;
	new->active_end = &new->active;
	pe->num_graphs++;
	*graph = new;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
	struct doca_graph_node *node;

	if (!graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->started || graph->num_instances || graph->num_uses) {
		lib_err("graph: destroyed, but it %s",
			graph->started ? "is not stopped" :
			graph->num_instances ? "has instances" :
					       "is a node of another graph");
		return DOCA_ERROR_BAD_STATE;
	}
	while ((node = graph->nodes)) {
		graph->nodes = node->next;
		if (node->kind == NODE_GRAPH)
			node->sub_graph->num_uses--;
		free(node->children);
		free(node);
	}
	lib_pe_remove_work(graph->pe, &graph->work);
	graph->pe->num_graphs--;
	free(graph);
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_set_conf(struct doca_graph *graph,
				 doca_graph_completion_cb_t graph_completion_cb,
				 doca_graph_completion_cb_t graph_error_cb,
				 uint32_t num_instances)
{
	if (!graph || !graph_completion_cb || !graph_error_cb || !num_instances)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->started)
		return DOCA_ERROR_BAD_STATE;
	graph->done[0] = graph_completion_cb;
	graph->done[1] = graph_error_cb;
	graph->max_instances = num_instances;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_set_user_data(struct doca_graph *graph,
				      union doca_data user_data)
{
	if (!graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->started)
		return DOCA_ERROR_BAD_STATE;
	graph->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_get_user_data(const struct doca_graph *graph,
				      union doca_data *user_data)
{
	if (!graph || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = graph->user_data;
	return DOCA_SUCCESS;
}

static doca_error_t node_create(struct doca_graph *graph, enum node_kind kind,
				struct doca_graph_node **node)
{
	struct doca_graph_node *new;

	if (graph->started || graph->num_instances)
		return DOCA_ERROR_BAD_STATE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->graph = graph;
	new->kind = kind;
	new->index = graph->num_nodes++;
	new->next = graph->nodes;
	graph->nodes = new;
	*node = new;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph,
					     const struct doca_ctx *ctx,
					     struct doca_graph_node **node)
{
	doca_error_t result;

	if (!graph || !ctx || !node)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->pe != graph->pe) {
		lib_err("graph: the %s context is not connected to the graph's progress engine",
			ctx->ops->name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = node_create(graph, NODE_CTX, node);
	if (result == DOCA_SUCCESS)
		(*node)->ctx = ctx;
	return result;
}

doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
					      doca_graph_user_node_cb_t cb,
					      struct doca_graph_node **node)
{
	doca_error_t result;

	if (!graph || !cb || !node)
		return DOCA_ERROR_INVALID_VALUE;
	result = node_create(graph, NODE_USER, node);
	if (result == DOCA_SUCCESS)
		(*node)->cb = cb;
	return result;
}

doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
					       struct doca_graph *sub_graph,
					       struct doca_graph_node **node)
{
	doca_error_t result;

	if (!graph || !sub_graph || !node)
		return DOCA_ERROR_INVALID_VALUE;
	/*
	 * A graph that is not started gets no nodes of graphs that are not: so none
	 * can come to contain itself.
	 */
	if (sub_graph->pe != graph->pe || sub_graph == graph ||
	    !sub_graph->started) {
		lib_err("graph: the sub graph %s",
			sub_graph == graph ? "is the graph itself" :
			sub_graph->started ? "has another progress engine" :
					     "is not started");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	result = node_create(graph, NODE_GRAPH, node);
	if (result == DOCA_SUCCESS) {
		(*node)->sub_graph = sub_graph;
		sub_graph->num_uses++;
	}
	return result;
}

doca_error_t doca_graph_add_dependency(struct doca_graph *graph,
				       struct doca_graph_node *from,
				       struct doca_graph_node *to)
{
	struct doca_graph_node **children;
	uint32_t i;

	if (!graph || !from || !to)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->started || graph->num_instances)
		return DOCA_ERROR_BAD_STATE;
	if (from->graph != graph || to->graph != graph || from == to) {
		lib_err("graph: %s", from == to ?
			"a node cannot wait for itself" :
			"a node belongs to another graph");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	for (i = 0; i < from->num_children; i++)
		if (from->children[i] == to)
			return DOCA_SUCCESS;
	children = realloc(from->children,
			   (from->num_children + 1) * sizeof(*children));
	if (!children)
		return DOCA_ERROR_NO_MEMORY;
	from->children = children;
	children[from->num_children++] = to;
	to->num_parents++;
	return DOCA_SUCCESS;
}

/* Whether all nodes can be done one after the other. */
static doca_error_t graph_check(const struct doca_graph *graph)
{
	struct doca_graph_node *node, **order;
	uint32_t *waits, done, num = 0, i;
	doca_error_t result = DOCA_ERROR_NO_MEMORY;

	order = calloc(graph->num_nodes, sizeof(*order));
	waits = calloc(graph->num_nodes, sizeof(*waits));
	if (!order || !waits)
		goto out;
	for (node = graph->nodes; node; node = node->next) {
		waits[node->index] = node->num_parents;
		if (!node->num_parents)
			order[num++] = node;
	}
	for (done = 0; done < num; done++)
		for (i = 0; i < order[done]->num_children; i++)
			if (!--waits[order[done]->children[i]->index])
				order[num++] = order[done]->children[i];
	result = DOCA_SUCCESS;
	if (num != graph->num_nodes) {
		lib_err("graph: %u of its %u nodes wait for each other",
			graph->num_nodes - num, graph->num_nodes);
		result = DOCA_ERROR_INVALID_VALUE;
	}
out:
	free(order);
	free(waits);
	return result;
}

doca_error_t doca_graph_start(struct doca_graph *graph)
{
	doca_error_t result;

	if (!graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->started)
		return DOCA_ERROR_BAD_STATE;
	if (!graph->num_nodes || !graph->max_instances) {
		lib_err("graph: started without %s",
			graph->num_nodes ? "doca_graph_set_conf()" : "nodes");
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = graph_check(graph);
	if (result == DOCA_SUCCESS)
		graph->started = true;
	return result;
}

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
	if (!graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->num_running) {
		lib_err("graph: stopped with %u instances running",
			graph->num_running);
		return DOCA_ERROR_IN_USE;
	}
	graph->started = false;
	return DOCA_SUCCESS;
}
