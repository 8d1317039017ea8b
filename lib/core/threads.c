// SPDX-License-Identifier: MIT
/*
 * The optional check of the thread rules: DOCA_CHECK_THREADS in the environment.
 *
 * An object belongs to the thread that used it first, until that thread has ended: then
 * to the next one that uses it. Creating and configuring an object is no use, so that one
 * thread may make what another one runs. The first call of another thread is reported on
 * stderr, with both threads; with DOCA_CHECK_THREADS=abort the process ends there.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core.h"

/*
 * A thread that has used the library. Kept to the end of the process, as what it owned may
 * outlive it.
 */
struct lib_thread {
	struct lib_thread *next;
	pid_t tid;
	bool ended;
};

bool lib_check_threads;

static bool abort_then;
static pthread_key_t at_end;
static struct lib_thread *threads;
static __thread struct lib_thread *me;

/*
 * Runs in the thread that ends, before pthread_join() returns in another one. Asking the
 * kernel whether there is such a thread would find it for some time after that.
 */
static void thread_ends(void *thread)
{
	me = NULL;
	__atomic_store_n(&((struct lib_thread *)thread)->ended, true, __ATOMIC_RELEASE);
}

__attribute__((constructor))
static void read_environment(void)
{
	const char *value = getenv("DOCA_CHECK_THREADS");

	abort_then = value && !strcmp(value, "abort");
	lib_check_threads = value && *value && strcmp(value, "0") &&
			    !pthread_key_create(&at_end, thread_ends);
}

static struct lib_thread *this_thread(void)
{
	struct lib_thread *thread = me;

	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread || pthread_setspecific(at_end, thread)) {
		free(thread);
		return NULL;
	}
	thread->tid = gettid();
	thread->next = __atomic_load_n(&threads, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&threads, &thread->next, thread, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	me = thread;
	return thread;
}

static void report(const struct lib_owner *owner, const struct lib_thread *thread,
		   const char *what, const char *call)
{
	char name[sizeof(owner->name)] = "";

	prctl(PR_GET_NAME, name);
	fprintf(stderr,
		"libdoca: thread rule broken: %s by thread \"%s\" (%d), but the %s belongs to thread \"%s\" (%d), which used it first: %s\n"
		"libdoca: a progress engine, its contexts and tasks, an inventory and its bufs, a memory map without doca_mmap_enable_thread_safety(): one thread at a time\n",
		call, name, (int)thread->tid, what, owner->name,
		(int)owner->thread->tid, owner->call);
	if (abort_then)
		abort();
	lib_check_threads = false;
}

void lib_owner_check(struct lib_owner *owner, const char *what,
		     const char *call, bool claim)
{
	struct lib_thread *thread = this_thread();
	struct lib_thread *before = __atomic_load_n(&owner->thread, __ATOMIC_ACQUIRE);

	if (!thread || before == thread)
		return;
	if (before && !__atomic_load_n(&before->ended, __ATOMIC_ACQUIRE)) {
		report(owner, thread, what, call);
		return;
	}
	if (!claim)
		return;
	/* fails when another thread takes it just now: then there are two */
	if (!__atomic_compare_exchange_n(&owner->thread, &before, thread, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		report(owner, thread, what, call);
		return;
	}
	owner->call = call;
	prctl(PR_GET_NAME, owner->name);
}
