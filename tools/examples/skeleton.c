// SPDX-License-Identifier: MIT
/*
 * The skeleton of a DOCA Core program, made complete: two processes, each with
 * 64 MiB of huge pages. The writer reads a file into its memory and moves it by
 * asynchronous RDMA writes into the memory of the target, which takes no part:
 * it exports its memory and waits. In the end the SHA-256 of the target's memory
 * has to be that of the file.
 *
 *   skeleton                     starts both
 *   skeleton --target SOCKET     one of them each, for two terminals; they find
 *   skeleton --writer SOCKET     each other by the Unix socket of that name
 *
 * The parts of DOCA Core in the order in which a program meets them:
 *
 *   1. open_device()      enumerate, select by capabilities, open
 *   2. register_memory()  huge pages, memory map, rights
 *   3. create_engine()    progress engine, event channel, context
 *   4. submit_task()      asynchronous tasks, submitted again from callbacks
 *   5. run()              the loop on doca_pe_progress()
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_ALLOW_EXPERIMENTAL_API
#endif

#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include "skeleton.h"

enum role {
	ROLE_BOTH,
	ROLE_TARGET,
	ROLE_WRITER,
};

struct config {
	enum role role;
	char socket[PATH_MAX];
	char file[PATH_MAX];
	char device[64];
	char target_device[64];
	size_t size;
	size_t chunk;
	int depth;
	int sdk_log_level;
	bool event_mode;
};

struct app {
	const struct config *config;
	int peer;			/* socket to the other process */
	int epoll;

	struct doca_dev *dev;
	size_t max_message;
	uint32_t max_depth;

	size_t mem_size;		/* the file's part, in whole huge pages */
	void *mem;
	struct doca_mmap *mmap;
	struct doca_mmap *remote_mmap;
	char *remote_mem;		/* an address in the target */
	struct doca_buf_inventory *inventory;

	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_event_channel *evch;
	struct doca_rdma_connection *connection;
	bool started;

	size_t submitted;		/* bytes */
	size_t written;			/* bytes */
	uint32_t tasks;			/* that are done */
	uint32_t in_flight;
	bool failed;
	doca_error_t error;		/* of the first task that failed */
	struct progress progress;
};

/* The library's last word on what went wrong. */
static char library_says[512];
static char library_line[512];

static void keep_library_message(char *line)
{
	char *text = strstr(line, "] ");

	snprintf(library_says, sizeof(library_says), "%s",
		 text ? text + 2 : line);
	library_says[strcspn(library_says, "\n")] = 0;
}

/* A DOCA call failed: what the error means, and the library's reason. */
static int doca_failed(const char *call, doca_error_t err)
{
	return fail("%s: %s%s%s%s", call, doca_error_get_descr(err),
		    library_says[0] ? " (" : "", library_says,
		    library_says[0] ? ")" : "");
}

/*
 * 1. Device: enumerate, select by name and capabilities, open
 */
static int no_device(doca_error_t err)
{
	if (err != DOCA_ERROR_NOT_FOUND)
		return doca_failed("doca_devinfo_list_create", err);
	if (access("/sys/module/doca", F_OK))
		return fail("no DPU can be used: the kernel module is not loaded; load it with: modprobe doca, or insmod doca.ko");
	return fail("no DPU found: doca.ko is loaded, but there is no device that it knows (see lspci and dmesg)");
}

static int open_device(struct app *app, const char *wanted)
{
	struct doca_devinfo_caps caps;
	struct doca_devinfo_list *list;
	struct doca_devinfo *info;
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
	doca_error_t err;
	uint32_t i, num;
	int ret = -1;

	err = doca_devinfo_list_create(&list);
	if (err)
		return no_device(err);
	doca_devinfo_list_get_count(list, &num);

	for (i = 0; i < num; i++) {
		err = doca_devinfo_list_get_devinfo(list, i, &info);
		if (err)
			break;
		doca_devinfo_get_pci_addr(info, pci_addr, sizeof(pci_addr));
		doca_devinfo_get_iface_name(info, name, sizeof(name));
		if (*wanted && strcmp(wanted, name) &&
		    strcmp(wanted, pci_addr) && strcmp(wanted, pci_addr + 5))
			continue;

		/* Models differ: ask, don't assume. */
		err = doca_devinfo_get_caps(info, &caps);
		if (!err && (caps.caps & DOCA_DEVINFO_CAP_RDMA_WRITE) &&
		    (caps.caps & DOCA_DEVINFO_CAP_EXPORT_RDMA))
			break;
		say("1. %s (%s) cannot do RDMA writes", name, pci_addr);
	}
	if (i == num) {
		if (*wanted)
			fail("none of the %u DPUs is '%s' and can do RDMA writes",
			     num, wanted);
		else
			fail("none of the %u DPUs can do RDMA writes", num);
		goto out;
	}
	if (err) {
		doca_failed("doca_devinfo_get_caps", err);
		goto out;
	}

	err = doca_dev_open(info, &app->dev);
	if (err) {
		app->dev = NULL;
		doca_failed("doca_dev_open", err);
		goto out;
	}
	app->max_message = caps.rdma_max_message_size;
	app->max_depth = caps.rdma_max_send_queue_size;
	say("1. device %s (%s), model %.*s: opened; RDMA writes of up to %zu KiB, %u in flight",
	    name, pci_addr, (int)sizeof(caps.model), caps.model,
	    app->max_message >> 10, app->max_depth);
	ret = 0;
out:
	doca_devinfo_list_destroy(list);
	return ret;
}

/*
 * 2. Memory: huge pages, registered with the rights that its use needs
 */
static int register_memory(struct app *app, uint32_t rights)
{
	size_t size = app->mem_size;
	doca_error_t err;
	uint32_t mkey;

	app->mem = mmap_hugepage(size);
	if (!app->mem)
		return -1;

	err = doca_mmap_create(&app->mmap);
	if (err)
		return doca_failed("doca_mmap_create", err);
	err = doca_mmap_add_dev(app->mmap, app->dev);
	if (err)
		return doca_failed("doca_mmap_add_dev", err);
	err = doca_mmap_set_memrange(app->mmap, app->mem, size);
	if (err)
		return doca_failed("doca_mmap_set_memrange", err);
	err = doca_mmap_set_permissions(app->mmap, rights);
	if (err)
		return doca_failed("doca_mmap_set_permissions", err);
	err = doca_mmap_start(app->mmap);
	if (err) {
		if (err == DOCA_ERROR_NO_MEMORY)
			check_memlock(size);
		return doca_failed("doca_mmap_start", err);
	}

	err = doca_mmap_get_mkey(app->mmap, app->dev, &mkey);
	if (err)
		return doca_failed("doca_mmap_get_mkey", err);
	say("2. memory: %zu MiB on %zu huge pages at %p, registered for PCI read and write%s, mkey 0x%x",
	    size >> 20, size / HUGE_PAGE_SIZE, app->mem,
	    rights & DOCA_ACCESS_FLAG_RDMA_WRITE ? " and RDMA write" : "",
	    mkey);
	return 0;
}

/*
 * 4. Tasks: submitted here, and again from the callbacks of those that are done
 */
static int submit_task(struct app *app)
{
	union doca_data user_data = { .ptr = app };
	const struct config *config = app->config;
	struct doca_rdma_task_write *task;
	struct doca_buf *src, *dst;
	size_t offset = app->submitted;
	size_t len = config->size - offset;
	doca_error_t err;

	if (len > config->chunk)
		len = config->chunk;
	err = doca_buf_inventory_buf_get_by_data(app->inventory, app->mmap,
						 (char *)app->mem + offset,
						 len, &src);
	if (err)
		return doca_failed("doca_buf_inventory_buf_get_by_data", err);
	err = doca_buf_inventory_buf_get_by_addr(app->inventory,
						 app->remote_mmap,
						 app->remote_mem + offset, len,
						 &dst);
	if (err) {
		doca_buf_dec_refcount(src, NULL);
		return doca_failed("doca_buf_inventory_buf_get_by_addr", err);
	}

	err = doca_rdma_task_write(app->rdma, app->connection, src, dst,
				   user_data, &task);
	if (err) {
		doca_buf_dec_refcount(dst, NULL);
		doca_buf_dec_refcount(src, NULL);
		return doca_failed("doca_rdma_task_write", err);
	}
	app->submitted += len;
	app->in_flight++;
	return 0;
}

/* Gives back a task with its buffers. Returns the bytes that it wrote. */
static size_t free_task(struct app *app, struct doca_rdma_task_write *task)
{
	struct doca_buf *src, *dst;
	size_t len;

	src = (struct doca_buf *)doca_rdma_task_write_get_src_buf(task);
	dst = doca_rdma_task_write_get_dst_buf(task);
	doca_buf_get_data_len(src, &len);
	doca_task_free(doca_rdma_task_write_as_task(task));
	doca_buf_dec_refcount(dst, NULL);
	doca_buf_dec_refcount(src, NULL);
	app->in_flight--;
	return len;
}

/* A task is done: count it, free it, submit the next one. */
static void write_done(struct doca_rdma_task_write *task,
		       union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	struct app *app = task_user_data.ptr;

	(void)ctx_user_data;
	app->written += free_task(app, task);
	app->tasks++;
	show_progress(&app->progress, app->written);
	if (!app->failed && app->submitted < app->config->size &&
	    submit_task(app))
		app->failed = true;
}

static void write_failed(struct doca_rdma_task_write *task,
			 union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	doca_error_t err = doca_task_get_status(doca_rdma_task_write_as_task(task));
	struct app *app = task_user_data.ptr;

	(void)ctx_user_data;
	/* The first is the cause, the others are flushed because of it. */
	if (!app->failed)
		app->error = err;
	app->failed = true;
	free_task(app, task);
}

/*
 * 3. Engine: progress engine, RDMA context, and the event channel between them
 */
static int create_engine(struct app *app)
{
	const struct config *config = app->config;
	doca_notification_handle_t handle;
	struct epoll_event event = { .events = EPOLLIN };
	struct doca_ctx *ctx;
	doca_error_t err;

	err = doca_pe_create(&app->pe);
	if (err)
		return doca_failed("doca_pe_create", err);
	err = doca_rdma_create(app->dev, &app->rdma);
	if (err)
		return doca_failed("doca_rdma_create", err);
	ctx = doca_rdma_as_ctx(app->rdma);
	err = doca_rdma_set_permissions(app->rdma,
					DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
					DOCA_ACCESS_FLAG_RDMA_WRITE);
	if (err)
		return doca_failed("doca_rdma_set_permissions", err);
	if (config->role == ROLE_WRITER) {
		err = doca_rdma_task_write_set_conf(app->rdma, write_done,
						    write_failed,
						    config->depth);
		if (err)
			return doca_failed("doca_rdma_task_write_set_conf",
					   err);
	}

	/* context -> event channel -> PE -> callback */
	err = doca_rdma_create_event_channel(app->rdma, &app->evch);
	if (err)
		return doca_failed("doca_rdma_create_event_channel", err);
	err = doca_pe_connect_event_channel(app->pe, app->evch);
	if (err)
		return doca_failed("doca_pe_connect_event_channel", err);
	err = doca_ctx_start(ctx);
	if (err)
		return doca_failed("doca_ctx_start", err);
	app->started = true;

	app->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (app->epoll < 0)
		return fail("epoll_create1: %m");
	err = doca_pe_get_notification_handle(app->pe, &handle);
	if (err)
		return doca_failed("doca_pe_get_notification_handle", err);
	event.data.fd = handle;
	if (epoll_ctl(app->epoll, EPOLL_CTL_ADD, handle, &event))
		return fail("epoll_ctl: %m");
	event.data.fd = app->peer;
	event.events = EPOLLIN | EPOLLRDHUP;
	if (epoll_ctl(app->epoll, EPOLL_CTL_ADD, app->peer, &event))
		return fail("epoll_ctl: %m");
	say("3. engine: RDMA context started, its event channel connected to the progress engine");
	return 0;
}

/* The way to the other process's queue and memory. */
static int connect_peer(struct app *app)
{
	bool target = app->config->role == ROLE_TARGET;
	struct message msg;
	const void *desc;
	doca_error_t err;
	size_t len;

	err = doca_rdma_export(app->rdma, &desc, &len, &app->connection);
	if (err)
		return doca_failed("doca_rdma_export", err);
	if (send_message(app->peer, MSG_CONNECTION, desc, len) ||
	    receive_message(app->peer, MSG_CONNECTION, &msg))
		return -1;
	err = doca_rdma_connect(app->rdma, msg.data, msg.len, app->connection);
	if (err)
		return doca_failed("doca_rdma_connect", err);

	if (target) {
		err = doca_mmap_export_rdma(app->mmap, app->dev, &desc, &len);
		if (err)
			return doca_failed("doca_mmap_export_rdma", err);
		if (send_message(app->peer, MSG_MEMORY, desc, len) ||
		    send_message(app->peer, MSG_READY, NULL, 0))
			return -1;
		say("   connected; memory exported, a descriptor of %zu bytes; now only waiting",
		    len);
		return 0;
	}

	if (receive_message(app->peer, MSG_MEMORY, &msg))
		return -1;
	err = doca_mmap_create_from_export(NULL, msg.data, msg.len, app->dev,
					   &app->remote_mmap);
	if (err)
		return doca_failed("doca_mmap_create_from_export", err);
	err = doca_mmap_get_memrange(app->remote_mmap,
				     (void **)&app->remote_mem, &len);
	if (err)
		return doca_failed("doca_mmap_get_memrange", err);
	if (len < app->config->size)
		return fail("the target has %zu bytes only, for a file of %zu; give both the same --size",
			    len, app->config->size);
	if (receive_message(app->peer, MSG_READY, &msg))
		return -1;
	say("   connected; the target's memory is %zu MiB at its address %p",
	    len >> 20, (void *)app->remote_mem);
	return 0;
}

/* Sleeps until the event channel, or the target, has news. */
static int wait_for_event(struct app *app)
{
	struct epoll_event event;
	doca_error_t err;
	int num;

	err = doca_pe_request_notification(app->pe);
	if (err)
		return doca_failed("doca_pe_request_notification", err);
	num = epoll_wait(app->epoll, &event, 1, -1);
	if (num < 0 && errno != EINTR)
		return fail("epoll_wait: %m");
	err = doca_pe_clear_notification(app->pe, 0);
	if (err)
		return doca_failed("doca_pe_clear_notification", err);
	return 0;
}

/*
 * 5. The loop. It ends when all is written, when a task failed, or when the
 * target calls: it has no reason to, unless something is wrong there.
 */
static int run(struct app *app)
{
	const struct config *config = app->config;
	double check = now() + 0.1;
	struct message msg;
	double start;
	int i;

	app->progress = (struct progress){
		.what = "writing", .total = config->size,
	};
	say("4. tasks: %zu of up to %zu KiB each, %d in flight, mode %s",
	    (config->size + config->chunk - 1) / config->chunk,
	    config->chunk >> 10, config->depth,
	    config->event_mode ? "event" : "poll");
	start = now();
	for (i = 0; i < config->depth && app->submitted < config->size; i++)
		if (submit_task(app))
			return -1;

	while (app->in_flight && !app->failed) {
		if (doca_pe_progress(app->pe))
			continue;
		if (config->event_mode) {
			if (wait_for_event(app))
				return -1;
		} else {
			/* Time for other work; here there is none. */
			sched_yield();
			if (now() < check)
				continue;
			check = now() + 0.1;
		}
		if (peer_calls(app->peer))
			return receive_message(app->peer, 0, &msg);
	}
	if (app->failed) {
		/* Perhaps because the target is gone, or gave up. */
		if (peer_calls(app->peer))
			return receive_message(app->peer, 0, &msg);
		return doca_failed("an RDMA write", app->error);
	}
	say("5. progress: %zu bytes written in %u tasks, %.3f s, %.1f MiB/s",
	    app->written, app->tasks, now() - start,
	    MIB(app->written) / (now() - start));
	return 0;
}

/* Takes everything down again, from wherever it got to. */
static void clean_up(struct app *app)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
	struct doca_ctx *ctx;
	doca_error_t err = DOCA_SUCCESS;

	app->failed = true;	/* no more submitting from callbacks */
	if (app->started) {
		/* Tasks in flight come back through their callbacks. */
		ctx = doca_rdma_as_ctx(app->rdma);
		err = doca_ctx_stop(ctx);
		if (err && err != DOCA_ERROR_IN_PROGRESS)
			doca_failed("doca_ctx_stop", err);
		while (!doca_ctx_get_state(ctx, &state) &&
		       state != DOCA_CTX_STATE_IDLE)
			doca_pe_progress(app->pe);
	}
	if (app->inventory) {
		err = doca_buf_inventory_destroy(app->inventory);
		if (err)
			doca_failed("doca_buf_inventory_destroy", err);
	}
	if (app->remote_mmap) {
		err = doca_mmap_destroy(app->remote_mmap);
		if (err)
			doca_failed("doca_mmap_destroy", err);
	}
	if (app->rdma) {
		err = doca_rdma_destroy(app->rdma);
		if (err)
			doca_failed("doca_rdma_destroy", err);
	}
	if (app->evch) {
		err = doca_event_channel_destroy(app->evch);
		if (err)
			doca_failed("doca_event_channel_destroy", err);
	}
	if (app->pe) {
		err = doca_pe_destroy(app->pe);
		if (err)
			doca_failed("doca_pe_destroy", err);
	}
	if (app->mmap) {
		err = doca_mmap_destroy(app->mmap);
		if (err)
			doca_failed("doca_mmap_destroy", err);
	}
	if (app->mem)
		munmap(app->mem, app->mem_size);
	if (app->dev) {
		err = doca_dev_close(app->dev);
		if (err)
			doca_failed("doca_dev_close", err);
	}
	if (app->epoll >= 0)
		close(app->epoll);
}

static int check_limits(struct app *app, struct config *config)
{
	if (!config->chunk)
		config->chunk = app->max_message < 1 << 20 ?
				app->max_message : 1 << 20;
	if (config->chunk > app->max_message)
		return fail("a chunk of %zu bytes is above the device's limit of %zu",
			    config->chunk, app->max_message);
	if (config->depth > (int)app->max_depth)
		return fail("%d tasks in flight are above the device's limit of %u",
			    config->depth, app->max_depth);
	return 0;
}

static int writer(struct app *app, struct config *config)
{
	struct written written = { 0 };
	struct message msg;
	doca_error_t err;

	if (open_device(app, config->device) || check_limits(app, config) ||
	    register_memory(app, DOCA_ACCESS_FLAG_PCI_READ_WRITE))
		return -1;
	say("   reading %zu bytes of %s", config->size, config->file);
	if (read_file(config->file, app->mem, config->size, written.sha))
		return -1;
	say("   sha256 of the file: %s", sha_text(written.sha));
	if (create_engine(app) || connect_peer(app))
		return -1;

	/* Each task in flight has a source and a destination. */
	err = doca_buf_inventory_create(2 * (size_t)config->depth,
					&app->inventory);
	if (err)
		return doca_failed("doca_buf_inventory_create", err);
	err = doca_buf_inventory_start(app->inventory);
	if (err)
		return doca_failed("doca_buf_inventory_start", err);
	if (run(app))
		return -1;

	written.bytes = app->written;
	written.tasks = app->tasks;
	if (send_message(app->peer, MSG_WRITTEN, &written, sizeof(written)) ||
	    receive_message(app->peer, MSG_HASH, &msg))
		return -1;
	if (msg.len != SHA256_LEN || memcmp(msg.data, written.sha, SHA256_LEN))
		return fail("the sha256 of the target's memory is not that of the file");
	return 0;
}

static int target(struct app *app, const struct config *config)
{
	uint8_t sha[SHA256_LEN];
	struct written written;
	struct message msg;

	if (open_device(app, *config->target_device ? config->target_device :
			config->device) ||
	    register_memory(app, DOCA_ACCESS_FLAG_PCI_READ_WRITE |
				 DOCA_ACCESS_FLAG_RDMA_WRITE) ||
	    create_engine(app) || connect_peer(app) ||
	    receive_message(app->peer, MSG_WRITTEN, &msg))
		return -1;
	if (msg.len != sizeof(written))
		return fail("the writer does not speak this language");
	memcpy(&written, msg.data, sizeof(written));
	if (written.bytes != config->size)
		return fail("the writer wrote %" PRIu64 " bytes, not %zu; give both the same --size",
			    written.bytes, config->size);

	if (hash_memory(app->mem, config->size, sha))
		return -1;
	say("   sha256 of the memory: %s", sha_text(sha));
	if (send_message(app->peer, MSG_HASH, sha, sizeof(sha)))
		return -1;
	app->written = written.bytes;
	app->tasks = written.tasks;
	if (memcmp(sha, written.sha, SHA256_LEN))
		return fail("the sha256 of the memory is not that of the file");
	return 0;
}

/* The last line. */
static int verdict(const struct app *app)
{
	if (isatty(STDOUT_FILENO) && failure[0])
		printf("\n");
	if (failure[0])
		printf("skeleton: FAILED: %s\n", failure);
	else
		printf("skeleton: OK, %zu bytes written in %u tasks, sha256 match\n",
		       app->written, app->tasks);
	fflush(stdout);
	return failure[0] ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The other process may be waiting. */
static void tell_failure(const struct app *app)
{
	char reason[sizeof(failure)];

	if (!failure[0] || app->peer < 0)
		return;
	memcpy(reason, failure, sizeof(reason));
	send_message(app->peer, MSG_FAILED, reason, strlen(reason));
}

/* One of the two processes. */
static int run_role(struct config *config)
{
	bool is_target = config->role == ROLE_TARGET;
	struct app app = {
		.config = config,
		.peer = -1,
		.epoll = -1,
		.mem_size = (config->size + HUGE_PAGE_SIZE - 1) &
			    ~(HUGE_PAGE_SIZE - 1),
	};
	struct message msg;
	bool started_by_us;

	role_name = is_target ? "target" : "writer";
	app.peer = inherited_socket(config->socket);
	started_by_us = app.peer >= 0;
	if (app.peer < 0)
		app.peer = is_target ? accept_writer(config->socket) :
				       connect_target(config->socket);
	if (app.peer >= 0) {
		if (is_target)
			target(&app, config);
		else
			writer(&app, config);
	}
	tell_failure(&app);
	clean_up(&app);

	/* The target ends first: the writer has the last word. */
	if (app.peer >= 0) {
		if (is_target && !failure[0])
			send_message(app.peer, MSG_READY, NULL, 0);
		else if (!is_target && !failure[0])
			receive_message(app.peer, MSG_READY, &msg);
		tell_failure(&app);
		shutdown(app.peer, SHUT_WR);
		while (!is_target && recv(app.peer, &msg, sizeof(msg), 0) > 0)
			;
		close(app.peer);
	}
	if (is_target && started_by_us)
		return failure[0] ? EXIT_FAILURE : EXIT_SUCCESS;
	return verdict(&app);
}

/*
 * Without a role: both processes, started by this one
 */
static pid_t start_role(const struct config *config, const char *role,
			int socket, int other)
{
	char name[16], size[24], chunk[24], depth[16], level[16];
	const char *argv[] = {
		"skeleton", role, name, "--file", config->file, "--size", size,
		"--chunk", chunk, "--depth", depth, "--mode",
		config->event_mode ? "event" : "poll", "--device",
		config->device, "--target-device", config->target_device,
		"--sdk-log-level", level, NULL,
	};
	pid_t parent = getpid();
	pid_t pid;

	snprintf(name, sizeof(name), "fd:%d", socket);
	snprintf(size, sizeof(size), "%zu", config->size);
	snprintf(chunk, sizeof(chunk), "%zu", config->chunk);
	snprintf(depth, sizeof(depth), "%d", config->depth);
	snprintf(level, sizeof(level), "%d", config->sdk_log_level);

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return fail("fork: %m");
	if (pid)
		return pid;

	/* If this process is killed, so is the child. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	close(other);
	fcntl(socket, F_SETFD, 0);
	execv("/proc/self/exe", (char **)argv);
	fprintf(stderr, "skeleton: cannot start itself again: %m\n");
	_exit(127);
}

/* Waits for a child. Whether it ended by itself; if not, the reason is kept. */
static bool ended(pid_t pid, const char *role, int *status)
{
	if (pid < 0)
		return false;
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return false;
	if (WIFSIGNALED(*status))
		fail("the %s was killed by signal %d (%s)", role,
		     WTERMSIG(*status), strsignal(WTERMSIG(*status)));
	return WIFEXITED(*status) && WEXITSTATUS(*status) != 127;
}

static int run_both(const struct config *config)
{
	size_t mem_size = (config->size + HUGE_PAGE_SIZE - 1) &
			  ~(HUGE_PAGE_SIZE - 1);
	const struct app nothing = { 0 };
	int writer_status = 0, target_status = 0;
	pid_t target_pid, writer_pid = -1;
	bool target_ended, writer_ended;
	int sockets[2];

	if (check_hugepages(mem_size, 2))
		return verdict(&nothing);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		fail("cannot make a socket: %m");
		return verdict(&nothing);
	}
	target_pid = start_role(config, "--target", sockets[0], sockets[1]);
	if (target_pid > 0)
		writer_pid = start_role(config, "--writer", sockets[1],
					sockets[0]);
	close(sockets[0]);
	close(sockets[1]);

	writer_ended = ended(writer_pid, "writer", &writer_status);
	target_ended = ended(target_pid, "target", &target_status);
	/* The writer has said how it went; if it could, that is. */
	if (writer_ended)
		return WEXITSTATUS(writer_status);
	if (!target_ended)
		fail("the target did not end well");
	fail("the writer did not end well");
	return verdict(&nothing);
}

/*
 * Options
 */
__attribute__((format(printf, 1, 0)))
static doca_error_t bad_option(const char *format, const char *value)
{
	fail(format, value);
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t copy_text(char *to, size_t size, const char *text)
{
	if (snprintf(to, size, "%s", text) >= (int)size)
		return bad_option("'%s' is too long", text);
	return DOCA_SUCCESS;
}

static doca_error_t set_role(struct config *config, enum role role,
			     const char *socket)
{
	if (config->role != ROLE_BOTH)
		return bad_option("%s", "a process is writer or target, not both; without --writer and --target both are started");
	config->role = role;
	return copy_text(config->socket, sizeof(config->socket), socket);
}

static doca_error_t opt_target(void *value, void *config)
{
	return set_role(config, ROLE_TARGET, value);
}

static doca_error_t opt_writer(void *value, void *config)
{
	return set_role(config, ROLE_WRITER, value);
}

static doca_error_t opt_file(void *value, void *config)
{
	struct config *c = config;

	return copy_text(c->file, sizeof(c->file), value);
}

static doca_error_t opt_device(void *value, void *config)
{
	struct config *c = config;

	return copy_text(c->device, sizeof(c->device), value);
}

static doca_error_t opt_target_device(void *value, void *config)
{
	struct config *c = config;

	return copy_text(c->target_device, sizeof(c->target_device), value);
}

static doca_error_t opt_size(void *value, void *config)
{
	struct config *c = config;

	c->size = parse_size(value);
	if (!c->size || c->size > (size_t)1 << 40)
		return bad_option("'%s' is not a size from 1 byte to 1024 G: use for example 4096, 512K or 64M",
				  value);
	return DOCA_SUCCESS;
}

static doca_error_t opt_chunk(void *value, void *config)
{
	struct config *c = config;

	c->chunk = parse_size(value);
	if (!c->chunk && strcmp(value, "0"))
		return bad_option("'%s' is not a size: use for example 4096, 512K or 64M",
				  value);
	return DOCA_SUCCESS;
}

static doca_error_t opt_depth(void *value, void *config)
{
	struct config *c = config;

	c->depth = *(int *)value;
	if (c->depth < 1)
		return bad_option("%s", "at least one task has to be in flight");
	return DOCA_SUCCESS;
}

static doca_error_t opt_mode(void *value, void *config)
{
	struct config *c = config;

	c->event_mode = !strcmp(value, "event");
	if (!c->event_mode && strcmp(value, "poll"))
		return bad_option("mode '%s' is neither poll nor event", value);
	return DOCA_SUCCESS;
}

static const struct option_descr {
	const char *short_name;
	const char *long_name;
	const char *arguments;
	const char *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
} options[] = {
	{ "f", "file", "<file>", "File to move (default: a large one that is found on the machine)",
	  opt_file, DOCA_ARGP_TYPE_STRING },
	{ "s", "size", "<bytes>", "How much of it, from its start (default: 64M)",
	  opt_size, DOCA_ARGP_TYPE_STRING },
	{ "c", "chunk", "<bytes>", "Bytes per task (default: 1M, or the device's limit)",
	  opt_chunk, DOCA_ARGP_TYPE_STRING },
	{ "n", "depth", "<number>", "Tasks in flight (default: 16)",
	  opt_depth, DOCA_ARGP_TYPE_INT },
	{ "m", "mode", "poll|event", "Poll for completions, or sleep until the event channel has some\n(default: poll)",
	  opt_mode, DOCA_ARGP_TYPE_STRING },
	{ "d", "device", "<device>", "DPU by name (doca0) or PCI address (default: the first one that\ncan do RDMA writes)",
	  opt_device, DOCA_ARGP_TYPE_STRING },
	{ "td", "target-device", "<device>", "DPU of the target, if it is another one",
	  opt_target_device, DOCA_ARGP_TYPE_STRING },
	{ "t", "target", "<socket>", "Be the target, wait for a writer at this Unix socket",
	  opt_target, DOCA_ARGP_TYPE_STRING },
	{ "w", "writer", "<socket>", "Be the writer, connect to the target at this Unix socket",
	  opt_writer, DOCA_ARGP_TYPE_STRING },
};

static doca_error_t parse_options(int argc, char **argv, struct config *config)
{
	struct doca_argp_param *param;
	doca_error_t err;
	size_t i;

	err = doca_argp_init("skeleton", config);
	if (err)
		return err;
	for (i = 0; i < sizeof(options) / sizeof(options[0]) && !err; i++) {
		err = doca_argp_param_create(&param);
		if (err)
			break;
		doca_argp_param_set_short_name(param, options[i].short_name);
		doca_argp_param_set_long_name(param, options[i].long_name);
		doca_argp_param_set_arguments(param, options[i].arguments);
		doca_argp_param_set_description(param, options[i].description);
		doca_argp_param_set_callback(param, options[i].callback);
		doca_argp_param_set_type(param, options[i].type);
		err = doca_argp_register_param(param);
	}
	if (!err)
		err = doca_argp_start(argc, argv);
	doca_argp_get_sdk_log_level(&config->sdk_log_level);
	doca_argp_destroy();
	return err;
}

static doca_error_t start_logging(const struct config *config)
{
	struct doca_log_backend *backend;
	doca_error_t err;

	/* The library says why a call failed: that goes into the last line. */
	err = doca_log_backend_create_with_buf_sdk(library_line,
						   sizeof(library_line),
						   keep_library_message,
						   &backend);
	if (!err)
		err = doca_log_backend_set_sdk_level(backend,
						     DOCA_LOG_LEVEL_ERROR);
	/* Somebody wants to know more than that. */
	if (!err && config->sdk_log_level > DOCA_LOG_LEVEL_WARNING)
		err = doca_log_backend_create_with_file_sdk(stderr, &backend);
	return err;
}

int main(int argc, char **argv)
{
	struct config config = {
		.size = (size_t)64 << 20,
		.depth = 16,
	};
	const struct app nothing = { 0 };
	doca_error_t err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	err = parse_options(argc, argv, &config);
	if (err) {
		fail("bad option: %s", doca_error_get_descr(err));
		return verdict(&nothing);
	}

	err = start_logging(&config);
	if (err) {
		doca_failed("doca_log_backend_create", err);
		return verdict(&nothing);
	}

	if (config.role != ROLE_TARGET && !config.file[0] &&
	    find_big_file(config.size, config.file))
		return verdict(&nothing);
	if (config.role == ROLE_BOTH)
		return run_both(&config);
	return run_role(&config);
}
