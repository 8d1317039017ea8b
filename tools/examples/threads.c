// SPDX-License-Identifier: MIT
/*
 * One progress engine per thread: the way in which DOCA programs use several threads.
 *
 * A block of memory is copied piece by piece. The main thread hands the pieces to the
 * workers; each worker has a progress engine, a DMA context and an inventory of its own,
 * which nobody else touches, and hands the pieces back when they are done. Two things are
 * shared: the memory map, which is made thread safe, and the queues between the threads,
 * which need no lock since each has one writer and one reader.
 *
 *	main --pieces--> worker 0: PE, DMA context, tasks --done--> main
 *	     --pieces--> worker 1: ...
 *
 *   threads                      with 1, 2 and 4 workers
 *   threads --threads 3          with 3
 *
 * DOCA_CHECK_THREADS=1 in the environment makes the library watch over the rule.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_ALLOW_EXPERIMENTAL_API
#endif

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>

DOCA_LOG_REGISTER(THREADS);

#define MAX_WORKERS	16
#define PIECE		4096UL
#define NUM_PIECES	4096U
#define DEPTH		64U		/* tasks of one worker */

#define CHECK(call) do {						\
	doca_error_t __err = (call);					\
									\
	if (__err != DOCA_SUCCESS) {					\
		DOCA_LOG_ERR("%s: %s", #call, doca_error_get_descr(__err)); \
		return __err;						\
	}								\
} while (0)

/*
 * A queue of numbers with one writer and one reader, so that no lock is needed. The
 * writer's index is published with release and read with acquire: who sees it sees the
 * entries before it. The other way round, the reader's index tells the writer which
 * entries are free again. It has room for all pieces: it is never full.
 */
struct fifo {
	_Alignas(64) atomic_uint written;
	_Alignas(64) atomic_uint read;
	uint32_t entries[NUM_PIECES];
};

static void fifo_put(struct fifo *fifo, uint32_t entry)
{
	unsigned int at = atomic_load_explicit(&fifo->written,
					       memory_order_relaxed);

	fifo->entries[at % NUM_PIECES] = entry;
	atomic_store_explicit(&fifo->written, at + 1, memory_order_release);
}

static bool fifo_take(struct fifo *fifo, uint32_t *entry)
{
	unsigned int at = atomic_load_explicit(&fifo->read,
					       memory_order_relaxed);

	if (at == atomic_load_explicit(&fifo->written, memory_order_acquire))
		return false;
	*entry = fifo->entries[at % NUM_PIECES];
	atomic_store_explicit(&fifo->read, at + 1, memory_order_release);
	return true;
}

/* What all threads share. */
struct shared {
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	char *src, *dst;
	atomic_bool end;
};

struct worker {
	struct shared *shared;
	pthread_t thread;
	struct fifo todo, done;
	doca_error_t result;

	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf_inventory *inventory;
	unsigned int in_flight;
	unsigned int copied;
};

/*
 * The worker's thread
 */
static void give_back(struct doca_dma_task_memcpy *memcpy_task,
		      struct worker *worker)
{
	struct doca_buf *src, *dst;

	src = (struct doca_buf *)doca_dma_task_memcpy_get_src(memcpy_task);
	dst = doca_dma_task_memcpy_get_dst(memcpy_task);
	doca_task_free(doca_dma_task_memcpy_as_task(memcpy_task));
	doca_buf_dec_refcount(src, NULL);
	doca_buf_dec_refcount(dst, NULL);
	worker->in_flight--;
}

static void on_done(struct doca_dma_task_memcpy *task,
		    union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct worker *worker = ctx_user_data.ptr;

	give_back(task, worker);
	worker->copied++;
	fifo_put(&worker->done, task_user_data.u64);
}

static void on_error(struct doca_dma_task_memcpy *task,
		     union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct worker *worker = ctx_user_data.ptr;

	(void)task_user_data;
	worker->result = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	give_back(task, worker);
}

static doca_error_t submit(struct worker *worker, uint32_t piece)
{
	struct shared *shared = worker->shared;
	union doca_data data = { .u64 = piece };
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;

	CHECK(doca_buf_inventory_buf_get_by_data(worker->inventory, shared->mmap,
						 shared->src + piece * PIECE,
						 PIECE, &src));
	CHECK(doca_buf_inventory_buf_get_by_addr(worker->inventory, shared->mmap,
						 shared->dst + piece * PIECE,
						 PIECE, &dst));
	CHECK(doca_dma_task_memcpy_alloc_init(worker->dma, src, dst, data, &task));
	CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	worker->in_flight++;
	return DOCA_SUCCESS;
}

static doca_error_t worker_start(struct worker *worker)
{
	union doca_data data = { .ptr = worker };

	CHECK(doca_buf_inventory_create(2 * DEPTH, &worker->inventory));
	CHECK(doca_buf_inventory_start(worker->inventory));
	CHECK(doca_pe_create(&worker->pe));
	CHECK(doca_dma_create(worker->shared->dev, &worker->dma));
	worker->ctx = doca_dma_as_ctx(worker->dma);
	CHECK(doca_dma_task_memcpy_set_conf(worker->dma, on_done, on_error,
					    DEPTH));
	CHECK(doca_ctx_set_user_data(worker->ctx, data));
	CHECK(doca_pe_connect_ctx(worker->pe, worker->ctx));
	CHECK(doca_ctx_start(worker->ctx));
	return DOCA_SUCCESS;
}

static doca_error_t worker_run(struct worker *worker)
{
	uint32_t piece;

	while (worker->result == DOCA_SUCCESS) {
		while (worker->in_flight < DEPTH &&
		       fifo_take(&worker->todo, &piece))
			CHECK(submit(worker, piece));
		if (doca_pe_progress(worker->pe))
			continue;
		if (!worker->in_flight && atomic_load(&worker->shared->end))
			break;
		sched_yield();
	}
	return worker->result;
}

static void worker_stop(struct worker *worker)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	if (worker->ctx) {
		doca_ctx_stop(worker->ctx);
		while (doca_ctx_get_state(worker->ctx, &state) == DOCA_SUCCESS &&
		       state != DOCA_CTX_STATE_IDLE)
			doca_pe_progress(worker->pe);
		doca_dma_destroy(worker->dma);
	}
	if (worker->pe)
		doca_pe_destroy(worker->pe);
	if (worker->inventory)
		doca_buf_inventory_destroy(worker->inventory);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	doca_error_t result;

	result = worker_start(worker);
	if (result == DOCA_SUCCESS)
		result = worker_run(worker);
	worker_stop(worker);
	worker->result = result;
	/* the main thread shall not wait for pieces that nobody copies */
	if (result != DOCA_SUCCESS)
		atomic_store(&worker->shared->end, true);
	return NULL;
}

/*
 * The main thread
 */
static doca_error_t copy_all(struct shared *shared, struct worker *workers,
			     unsigned int num)
{
	uint32_t piece, left = NUM_PIECES;
	unsigned int i;
	bool seen;

	for (piece = 0; piece < NUM_PIECES; piece++)
		fifo_put(&workers[piece % num].todo, piece);
	while (left && !atomic_load(&shared->end)) {
		seen = false;
		for (i = 0; i < num; i++)
			while (fifo_take(&workers[i].done, &piece)) {
				/* the memory of a piece that is done is ours again */
				if (memcmp(shared->src + piece * PIECE,
					   shared->dst + piece * PIECE, PIECE)) {
					DOCA_LOG_ERR("piece %u differs", piece);
					return DOCA_ERROR_UNEXPECTED;
				}
				left--;
				seen = true;
			}
		if (!seen)
			sched_yield();
	}
	return left ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

static doca_error_t run(struct shared *shared, unsigned int num)
{
	doca_error_t result = DOCA_SUCCESS;
	struct timespec begin, end;
	struct worker *workers;
	unsigned int i, started;
	double seconds;
	char name[24];

	memset(shared->dst, 0, NUM_PIECES * PIECE);
	atomic_store(&shared->end, false);
	workers = aligned_alloc(64, num * sizeof(*workers));
	if (!workers)
		return DOCA_ERROR_NO_MEMORY;
	memset(workers, 0, num * sizeof(*workers));
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (started = 0; started < num; started++) {
		workers[started].shared = shared;
		if (pthread_create(&workers[started].thread, NULL, worker_main,
				   &workers[started])) {
			DOCA_LOG_ERR("thread %u cannot be started", started);
			result = DOCA_ERROR_OPERATING_SYSTEM;
			break;
		}
		snprintf(name, sizeof(name), "worker-%u", started);
		pthread_setname_np(workers[started].thread, name);
	}
	if (result == DOCA_SUCCESS)
		result = copy_all(shared, workers, num);
	atomic_store(&shared->end, true);
	clock_gettime(CLOCK_MONOTONIC, &end);
	seconds = end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9;
	printf("threads: %2u worker%s %6.3f s  pieces:", num,
	       num == 1 ? " " : "s", seconds);
	for (i = 0; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
		printf(" %u", workers[i].copied);
		if (result == DOCA_SUCCESS)
			result = workers[i].result;
	}
	printf("\n");
	free(workers);
	return result;
}

static doca_error_t open_device(struct doca_dev **dev)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	struct doca_devinfo **list;
	uint32_t num, i;

	CHECK(doca_devinfo_create_list(&list, &num));
	for (i = 0; i < num && result != DOCA_SUCCESS; i++)
		if (doca_dma_cap_task_memcpy_is_supported(list[i]) ==
		    DOCA_SUCCESS)
			result = doca_dev_open(list[i], dev);
	doca_devinfo_destroy_list(list);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("no device can copy memory: %s",
			     doca_error_get_descr(result));
	return result;
}

static doca_error_t run_all(struct shared *shared, int threads)
{
	static const unsigned int usual[] = { 1, 2, 4 };
	const size_t size = NUM_PIECES * PIECE;
	unsigned int i;
	size_t at;

	shared->src = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shared->src == MAP_FAILED)
		return DOCA_ERROR_NO_MEMORY;
	shared->dst = shared->src + size;
	for (at = 0; at < size; at++)
		shared->src[at] = at * 2654435761U >> 13;
	CHECK(open_device(&shared->dev));
	CHECK(doca_mmap_create(&shared->mmap));
	/* All threads make bufs in it. */
	CHECK(doca_mmap_enable_thread_safety(shared->mmap));
	CHECK(doca_mmap_set_memrange(shared->mmap, shared->src, 2 * size));
	CHECK(doca_mmap_add_dev(shared->mmap, shared->dev));
	CHECK(doca_mmap_start(shared->mmap));
	if (threads)
		CHECK(run(shared, threads));
	for (i = 0; !threads && i < sizeof(usual) / sizeof(usual[0]); i++)
		CHECK(run(shared, usual[i]));
	CHECK(doca_mmap_destroy(shared->mmap));
	CHECK(doca_dev_close(shared->dev));
	munmap(shared->src, 2 * size);
	return DOCA_SUCCESS;
}

static doca_error_t set_threads(void *param, void *config)
{
	int threads = *(int *)param;

	if (threads < 1 || threads > MAX_WORKERS) {
		DOCA_LOG_ERR("--threads %d: 1 to %d", threads, MAX_WORKERS);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*(int *)config = threads;
	return DOCA_SUCCESS;
}

static doca_error_t read_arguments(int argc, char **argv, int *threads)
{
	struct doca_argp_param *param;

	CHECK(doca_argp_init("threads", threads));
	CHECK(doca_argp_param_create(&param));
	doca_argp_param_set_short_name(param, "t");
	doca_argp_param_set_long_name(param, "threads");
	doca_argp_param_set_arguments(param, "<number>");
	doca_argp_param_set_description(param, "Number of workers (default: 1, 2 and 4 in turn)");
	doca_argp_param_set_callback(param, set_threads);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_INT);
	CHECK(doca_argp_register_param(param));
	CHECK(doca_argp_start(argc, argv));
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	struct doca_log_backend *sdk_log;
	struct shared shared = { 0 };
	doca_error_t result;
	int threads = 0;

	if (doca_log_backend_create_standard() != DOCA_SUCCESS ||
	    doca_log_backend_create_with_file_sdk(stderr, &sdk_log) != DOCA_SUCCESS ||
	    doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	result = read_arguments(argc, argv, &threads);
	if (result == DOCA_SUCCESS)
		result = run_all(&shared, threads);
	doca_argp_destroy();
	if (result != DOCA_SUCCESS) {
		printf("threads: FAILED: %s\n", doca_error_get_descr(result));
		return EXIT_FAILURE;
	}
	printf("threads: OK, %u pieces of %lu bytes each time\n", NUM_PIECES,
	       PIECE);
	return EXIT_SUCCESS;
}
