// SPDX-License-Identifier: MIT
/*
 * The optional check of the thread rules: DOCA_CHECK_THREADS in the environment.
 *
 * An object belongs to the thread that used it first, until that thread has ended: then
 * to the next one that uses it. Creating and configuring an object is no use, so that one
 * thread may make what another one runs. The first call of another thread is reported on
 * stderr, with both threads; with DOCA_CHECK_THREADS=abort the process ends there.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"

bool lib_check_threads;

static bool abort_then;
static __thread pid_t my_tid;

__attribute__((constructor))
static void read_environment(void)
{
	const char *value = getenv("DOCA_CHECK_THREADS");

	lib_check_threads = value && *value && strcmp(value, "0");
	abort_then = value && !strcmp(value, "abort");
}

static bool has_ended(pid_t tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH;
}

static void report(const struct lib_owner *owner, pid_t tid, const char *what,
		   const char *call)
{
	char name[sizeof(owner->name)] = "";

	prctl(PR_GET_NAME, name);
	fprintf(stderr,
		"libdoca: thread rule broken: %s by thread \"%s\" (%d), but the %s belongs to thread \"%s\" (%d), which used it first: %s\n"
		"libdoca: a progress engine, its contexts and tasks, an inventory and its bufs, a memory map without doca_mmap_enable_thread_safety(): one thread at a time\n",
		call, name, (int)tid, what, owner->name, (int)owner->tid,
		owner->call);
	if (abort_then)
		abort();
	lib_check_threads = false;
}

void lib_owner_check(struct lib_owner *owner, const char *what,
		     const char *call, bool claim)
{
	pid_t tid, expected = 0;

	if (!my_tid)
		my_tid = syscall(SYS_gettid);
	tid = __atomic_load_n(&owner->tid, __ATOMIC_ACQUIRE);
	if (tid == my_tid)
		return;
	if (tid && !has_ended(tid)) {
		report(owner, my_tid, what, call);
		return;
	}
	if (!claim)
		return;
	expected = tid;
	if (!__atomic_compare_exchange_n(&owner->tid, &expected, my_tid, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		report(owner, my_tid, what, call);
		return;
	}
	owner->call = call;
	prctl(PR_GET_NAME, owner->name);
}
