/* SPDX-License-Identifier: MIT */
/**
 * DOCA graphs: tasks and functions that run in the order of their dependencies.
 *
 * A graph consists of nodes. A node stands for a task of a context, for a function of the
 * application, or for another graph; it runs when all nodes that it depends on are done. A
 * graph is built once and run many times: each run is an instance, which holds the tasks and
 * cookies for its nodes. Instances of a graph run side by side.
 *
 *   doca_graph_create(pe, &graph);
 *   doca_graph_node_create_from_ctx(graph, ctx, &copy);
 *   doca_graph_node_create_from_user(graph, check_cb, &check);
 *   doca_graph_add_dependency(graph, copy, check);
 *   doca_graph_set_conf(graph, done_cb, error_cb, num_instances);
 *   doca_graph_start(graph);
 *   doca_graph_instance_create(graph, &instance);
 *   doca_graph_instance_set_ctx_node_data(instance, copy, task);
 *   doca_graph_instance_set_user_node_data(instance, check, cookie);
 *   doca_graph_instance_submit(instance);
 *   while (!done)
 *	doca_pe_progress(pe);
 *
 * One callback tells the end of an instance, whatever its nodes are: the callbacks of tasks
 * are not called while they run as nodes, and those of sub graphs neither. If a node fails,
 * no further one is started, those that run are waited for, and the instance ends with the
 * error callback. A task that fails ends the run of its context, as always (doca_ctx.h).
 * Functions and callbacks are called in doca_pe_progress() only.
 *
 * The contexts of a graph, the tasks and the sub instances of an instance have to stay as long
 * as the graph or the instance.
 *
 * Threads: a graph belongs to the thread of its progress engine (doca_pe.h).
 *
 * SDK behaviour, unless said otherwise.
 */
#ifndef DOCA_GRAPH_H_
#define DOCA_GRAPH_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_graph;
struct doca_graph_instance;
struct doca_graph_node;
struct doca_pe;
struct doca_task;

/**
 * typedef doca_graph_completion_cb_t - an instance is done, or has failed
 * @instance: the instance; it may be submitted again or destroyed here
 * @instance_user_data: of the instance
 * @graph_user_data: of the graph
 */
typedef void (*doca_graph_completion_cb_t)(struct doca_graph_instance *instance,
					   union doca_data instance_user_data,
					   union doca_data graph_user_data);

/**
 * typedef doca_graph_user_node_cb_t - the function of a node
 * @cookie: given with doca_graph_instance_set_user_node_data(), NULL without
 *
 * May do all that callbacks of tasks may do.
 *
 * Return: DOCA_SUCCESS; anything else fails the instance
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/**
 * doca_graph_create - make a graph
 * @pe: progress engine, to which all its contexts are connected
 * @graph: the new graph, without nodes
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_NO_MEMORY
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph);

/**
 * doca_graph_destroy - end a graph and its nodes
 * @graph: the graph
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @graph is NULL; DOCA_ERROR_BAD_STATE if
 * it is started, has instances, or is a node of another graph
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_destroy(struct doca_graph *graph);

/**
 * doca_graph_set_conf - what an instance's end calls, and how many instances there may be
 * @graph: the graph, not started
 * @graph_completion_cb: all nodes are done
 * @graph_error_cb: a node has failed; may be the same
 * @num_instances: limit for the instances that exist at a time, not 0
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL or 0;
 * DOCA_ERROR_BAD_STATE if the graph is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_conf(struct doca_graph *graph,
				 doca_graph_completion_cb_t graph_completion_cb,
				 doca_graph_completion_cb_t graph_error_cb,
				 uint32_t num_instances);

/**
 * doca_graph_set_user_data - what the callbacks are to get
 * @graph: the graph, not started
 * @user_data: anything
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @graph is NULL; DOCA_ERROR_BAD_STATE if
 * it is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_user_data(struct doca_graph *graph,
				      union doca_data user_data);

/**
 * doca_graph_get_user_data - what was set
 * @graph: the graph
 * @user_data: as set; 0 if it was not
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_get_user_data(const struct doca_graph *graph,
				      union doca_data *user_data);

/**
 * doca_graph_node_create_from_ctx - a node that runs a task of a context
 * @graph: the graph, not started and without instances
 * @ctx: context, connected to the progress engine of the graph
 * @node: the new node; it belongs to the graph and goes with it
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL, or @ctx is connected elsewhere
 * DOCA_ERROR_BAD_STATE		the graph is started or has instances
 * DOCA_ERROR_NO_MEMORY
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph,
					     const struct doca_ctx *ctx,
					     struct doca_graph_node **node);

/**
 * doca_graph_node_create_from_user - a node that calls a function
 * @graph: the graph, not started and without instances
 * @cb: the function
 * @node: the new node; it belongs to the graph and goes with it
 *
 * Return: as doca_graph_node_create_from_ctx()
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
					      doca_graph_user_node_cb_t cb,
					      struct doca_graph_node **node);

/**
 * doca_graph_node_create_from_graph - a node that runs an instance of another graph
 * @graph: the graph, not started and without instances
 * @sub_graph: the other graph, started
 * @node: the new node; it belongs to the graph and goes with it
 *
 * Return: as doca_graph_node_create_from_ctx(), and DOCA_ERROR_NOT_PERMITTED if @sub_graph is
 * not started, is @graph, or belongs to another progress engine
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
					       struct doca_graph *sub_graph,
					       struct doca_graph_node **node);

/**
 * doca_graph_add_dependency - one node waits for another
 * @graph: the graph, not started and without instances
 * @from: runs first
 * @to: runs when @from, and all others that it depends on, are done
 *
 * The same dependency twice is the same as once.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL
 * DOCA_ERROR_BAD_STATE		the graph is started or has instances
 * DOCA_ERROR_NOT_PERMITTED	a node of another graph, or twice the same node
 * DOCA_ERROR_NO_MEMORY
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_add_dependency(struct doca_graph *graph,
				       struct doca_graph_node *from,
				       struct doca_graph_node *to);

/**
 * doca_graph_start - check a graph and allow instances
 * @graph: the graph
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	@graph is NULL, has no nodes or no configuration, or nodes that
 *				wait for each other
 * DOCA_ERROR_BAD_STATE		it is started
 * DOCA_ERROR_NO_MEMORY
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_start(struct doca_graph *graph);

/**
 * doca_graph_stop - allow no more instances
 * @graph: the graph; nothing happens if it is not started
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if @graph is NULL; DOCA_ERROR_IN_USE while
 * instances run
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_stop(struct doca_graph *graph);

/**
 * doca_graph_instance_create - make an instance
 * @graph: the graph, started
 * @graph_instance: the new instance, without data
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 * DOCA_ERROR_BAD_STATE if the graph is not started; DOCA_ERROR_NO_MEMORY, also if there are as
 * many as doca_graph_set_conf() allows
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
					struct doca_graph_instance **graph_instance);

/**
 * doca_graph_instance_destroy - end an instance
 * @graph_instance: the instance
 *
 * Its tasks are still allocated.
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if it is NULL; DOCA_ERROR_IN_USE if it was
 * submitted and its callback was not called yet
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_destroy(struct doca_graph_instance *graph_instance);

/**
 * doca_graph_instance_set_user_data - what the callbacks are to get
 * @graph_instance: the instance
 * @user_data: anything
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if it is NULL; DOCA_ERROR_IN_USE if it runs
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
				  union doca_data user_data);

/**
 * doca_graph_instance_get_user_data - what was set
 * @graph_instance: the instance
 * @user_data: as set; 0 if it was not
 *
 * Return: DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE if an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
				  union doca_data *user_data);

/**
 * doca_graph_instance_set_ctx_node_data - the task of a node
 * @graph_instance: the instance
 * @node: made by doca_graph_node_create_from_ctx()
 * @task: a task of the node's context. While the instance runs it belongs to the library
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	an argument is NULL, or a task of another context
 * DOCA_ERROR_BAD_STATE		the instance runs
 * DOCA_ERROR_NOT_PERMITTED	the node is of another graph or of another kind
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
				      struct doca_graph_node *node,
				      struct doca_task *task);

/**
 * doca_graph_instance_set_user_node_data - the argument of a node's function
 * @graph_instance: the instance
 * @node: made by doca_graph_node_create_from_user()
 * @cookie: anything
 *
 * Return: as doca_graph_instance_set_ctx_node_data()
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
				       struct doca_graph_node *node,
				       void *cookie);

/**
 * doca_graph_instance_set_sub_graph_node_data - the instance that a node runs
 * @graph_instance: the instance
 * @node: made by doca_graph_node_create_from_graph()
 * @sub_graph_instance: an instance of the node's graph
 *
 * Return: as doca_graph_instance_set_ctx_node_data()
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
					    struct doca_graph_node *node,
					    struct doca_graph_instance *sub_graph_instance);

/**
 * doca_graph_instance_submit - run an instance
 * @graph_instance: the instance, with data for each node of a context or a graph
 *
 * Exactly one callback of the graph is called for it, in doca_pe_progress().
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE	it is NULL, or a node has no data
 * DOCA_ERROR_IN_USE		it, a sub instance, or a task of it is running
 * DOCA_ERROR_BAD_STATE		the graph is not started, or a context is not running
 * DOCA_ERROR_NOT_PERMITTED	called in a child of the process that made the graph
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GRAPH_H_ */
