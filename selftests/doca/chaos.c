// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device that does not keep to the interface. For each way to break it
 * (tools/dpu/core/chaos.c): probe, use and remove, each with a limit in time,
 * and with an error for the users and a line in the log where there is
 * something to say; afterwards the device works again.
 *
 * Needs QEMU's monitor. Limits are those of the driver: some of these modes
 * are noticed only because an answer does not come.
 */
#include "function_utils.h"

/* Of any one operation: several commands that are not answered, and resets. */
#define LIMIT_S		120
/* As short as a slow machine allows. */
#define ADMIN_TIMEOUT_MS	"3000"
#define MAX_LINES	60
#define SHORT_MS	200

enum outcome { WORKS, FAILS, EITHER };

FIXTURE(chaos) {
	struct baseline base;
	long pinned;
};

FIXTURE_VARIANT(chaos) {
	const char *mode;
	enum outcome probe;
	const char *says;	/* in the log, when probe fails */
};

#define MODE(_name, _mode, _probe, _says)				\
	FIXTURE_VARIANT_ADD(chaos, _name) {				\
		.mode = _mode, .probe = _probe, .says = _says,		\
	}

MODE(completion_status, "cqe-status", WORKS, NULL);
MODE(completion_cookie, "cqe-cookie", WORKS, NULL);
MODE(completion_tag, "cqe-tag", WORKS, NULL);
MODE(completion_index, "cqe-index", WORKS, NULL);
MODE(completion_index_backwards, "cqe-back", WORKS, NULL);
MODE(completion_length, "cqe-length", WORKS, NULL);
MODE(completion_phase, "cqe-phase", WORKS, NULL);
MODE(completion_missing, "cqe-drop", WORKS, NULL);
MODE(completion_twice, "cqe-duplicate", WORKS, NULL);
MODE(completion_late, "cqe-reorder", WORKS, NULL);
MODE(event_id, "eqe-id", WORKS, NULL);
MODE(event_type, "eqe-type", WORKS, NULL);
MODE(event_fatal, "eqe-type=3", WORKS, NULL);
MODE(event_phase, "eqe-phase", WORKS, NULL);
MODE(event_missing, "eqe-drop", WORKS, NULL);
MODE(event_on_another_vector, "eqe-ring", WORKS, NULL);
MODE(event_twice, "eqe-duplicate", WORKS, NULL);
MODE(interrupt_missing, "irq-drop", EITHER, NULL);
/* B37: also while event descriptors are opened, read, polled and closed. */
MODE(interrupt_storm, "irq-storm", WORKS, NULL);
MODE(interrupt_storm_at_full_speed, "irq-storm=1", WORKS, NULL);
MODE(answer_missing, "admin-drop", FAILS, "was not answered");
MODE(answer_late, "admin-late=5000", FAILS, "was not answered");
MODE(answer_status_1, "admin-status=1", FAILS, "status 1");
MODE(answer_status_2, "admin-status=2", FAILS, "status 2");
MODE(answer_status_3, "admin-status=3", FAILS, "status 3");
MODE(answer_status_4, "admin-status=4", FAILS, "status 4");
MODE(answer_status_5, "admin-status=5", FAILS, "status 5");
MODE(answer_status_6, "admin-status=6", FAILS, "status 6");
MODE(answer_status_7, "admin-status=7", FAILS, "status 7");
MODE(answer_status_8, "admin-status=8", FAILS, "status 8");
MODE(answer_status_9, "admin-status=9", FAILS, "status 9");
MODE(answer_status_255, "admin-status=255", FAILS, "status 255");
/* Everything is fine, says the device, and does nothing. */
MODE(answer_without_work, "admin-status=0", FAILS, "outside of 1 to");
MODE(answer_id, "admin-id", FAILS, "which is not in flight");
MODE(answer_id_of_another, "admin-id=1", FAILS, "which is not in flight");
MODE(answer_phase, "admin-phase", FAILS, "was not answered");
MODE(answer_twice, "admin-duplicate", WORKS, NULL);
MODE(registers_all_ones, "regs", FAILS, "no DPU of version");
MODE(registers_all_zero, "regs=0", FAILS, "no DPU of version");
MODE(reset_never_ends, "reset-stuck", FAILS, "reset not done");
MODE(never_ready, "ready-stuck", FAILS, "not ready");
MODE(doorbell_pages_none, "doorbells=0", FAILS, "doorbell pages");
MODE(doorbell_pages_too_many, "doorbells", FAILS, "doorbell pages");
MODE(doorbell_pages_more_than_the_bar, "doorbells=0x8000", FAILS, "are needed");
MODE(doorbell_distance, "doorbell-shift", FAILS, "at a distance of");
MODE(doorbell_distance_less_than_a_page, "doorbell-shift=6", FAILS, "at a distance of");
MODE(vectors_none, "vectors=0", WORKS, NULL);
MODE(vectors_too_many, "vectors", WORKS, NULL);
MODE(time_limits_none, "timeouts", WORKS, NULL);
MODE(time_limits_for_ever, "timeouts=0xffffffff", WORKS, NULL);
MODE(capabilities_none, "caps", FAILS, "outside of 1 to");
MODE(capabilities_too_many, "caps=0xffffffff", FAILS, "outside of 1 to");
MODE(dma_refused, "dma-fault", FAILS, "was not answered");
/* B40 */
MODE(dma_to_itself, "dma-bar", FAILS, "was not answered");
MODE(all_at_once, "cqe-duplicate+cqe-cookie+eqe-duplicate+irq-storm+admin-duplicate", WORKS, NULL);

FIXTURE_SETUP(chaos)
{
	baseline_take(&self->base);
	self->pinned = pinned_pages();
	ASSERT_TRUE(find_device())
		TH_LOG("no device at %s", NODE);
	ASSERT_TRUE(next_one_works());
}

static bool device_is_there(void)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", driver_path, pci_address);
	return !access(path, F_OK);
}

FIXTURE_TEARDOWN(chaos)
{
	EXPECT_EQ(0, device_chaos(""));
	if (device_is_there())
		EXPECT_EQ(0, do_unbind());
	EXPECT_EQ(0, do_bind());
	EXPECT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
	EXPECT_TRUE(next_one_works());
	EXPECT_TRUE(WAIT_FOR(pinned_pages() <= self->pinned))
		TH_LOG("%ld pages pinned in the system, %ld before", pinned_pages(), self->pinned);
	EXPECT_EQ(0, device_counter("files"));
	EXPECT_EQ(0, device_counter("regions"));
	EXPECT_EQ(0, device_counter("channels"));
	EXPECT_EQ(0, device_counter("queues"));
	EXPECT_BASELINE(&self->base);
}

/* Everything that there is, with whatever result; the process ends well. */
static void use_it(struct rig *old)
{
	struct done done;
	struct rig rig;
	int i, err;

	alarm(LIMIT_S);
	if (old) {
		chan_arm(&old->chan, 0);
		for (i = 0; i < 8; i++)
			queue_post(&old->queue, i, rig_src(old, 0, 64), rig_dst(old, 0, 64));
		queue_ring(&old->queue);
		fd_poll(old->chan.fd, SHORT_MS);
		for (i = 0; i < 100 && !chan_try(&old->chan, &done); i++)
			chan_arm(&old->chan, old->chan.ci);
		fd_poll(old->chan.fd, SHORT_MS);
		if (fd_poll(old->chan.fd, 0) & POLLIN)
			fd_events(old->chan.fd);
	}
	err = rig_open(&rig, DOCA_ENGINE_DMA, 64);
	if (!err) {
		chan_arm(&rig.chan, 0);
		queue_post(&rig.queue, 1, rig_src(&rig, 0, 64), rig_dst(&rig, 0, 64));
		queue_ring(&rig.queue);
		fd_poll(rig.chan.fd, SHORT_MS);
		chan_try(&rig.chan, &done);
		do_queue_stop(rig.dom.fd, rig.queue.id);
		do_destroy(rig.dom.fd, rig.queue.id);
		do_destroy(rig.dom.fd, rig.chan.id);
		rig_close(&rig);
	} else if (rig.dom.fd >= 0) {
		/* what there is of it goes with the file */
		close(rig.dom.fd);
	}
	if (old) {
		do_queue_stop(old->dom.fd, old->queue.id);
		do_destroy(old->dom.fd, old->queue.id);
		do_destroy(old->dom.fd, old->chan.id);
		rig_close(old);
	}
	_exit(0);
}

TEST_F(chaos, probe)
{
	int log, err, lines;

	ASSERT_EQ(0, do_unbind());
	ASSERT_EQ(0, device_chaos(variant->mode));
	log = log_begin();
	alarm(LIMIT_S);
	err = do_bind();
	alarm(0);
	if (variant->probe == WORKS)
		EXPECT_EQ(0, err);
	if (variant->probe == FAILS) {
		EXPECT_NE(0, err);
		EXPECT_NE(0, log_lines(log, variant->says))
			TH_LOG("the log does not say '%s'", variant->says);
		lseek(log, 0, SEEK_END);
	}
	if (err) {
		EXPECT_FALSE(device_is_there());
		EXPECT_NE(0, access(NODE, F_OK));
	}
	lines = log_lines(log, "");
	EXPECT_GT(MAX_LINES, lines)
		TH_LOG("%d lines in the log", lines);
	close(log);
}

TEST_F(chaos, run)
{
	int ready[2], go[2], status, lines, log = log_begin();
	struct rig rig;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		CHILD_CHECK_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
		CHILD_CHECK(write(ready[1], "r", 1) == 1);
		CHILD_CHECK(read(go[0], &c, 1) == 1);
		use_it(&rig);
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(0, device_chaos(variant->mode));
	ASSERT_EQ(1, write(go[1], "g", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status)
		TH_LOG("%s", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "failed");
	lines = log_lines(log, "");
	EXPECT_GT(MAX_LINES, lines)
		TH_LOG("%d lines in the log", lines);
	close(log);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
}

TEST_F(chaos, remove)
{
	int ready[2], status, lines, log = log_begin();
	struct rig rig;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		CHILD_CHECK_EQ(0, rig_open(&rig, DOCA_ENGINE_DMA, 64));
		queue_post(&rig.queue, 1, rig_src(&rig, 0, 64), rig_dst(&rig, 0, 64));
		queue_ring(&rig.queue);
		CHILD_CHECK(write(ready[1], "r", 1) == 1);
		alarm(LIMIT_S);
		CHILD_CHECK(WAIT_FOR(rig.dom.status->removed));
		CHILD_CHECK_EQ(0, do_destroy(rig.dom.fd, rig.queue.id));
		rig_close(&rig);
		_exit(0);
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(0, device_chaos(variant->mode));
	alarm(LIMIT_S);
	EXPECT_EQ(0, do_unbind());
	alarm(0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	lines = log_lines(log, "");
	EXPECT_GT(MAX_LINES, lines)
		TH_LOG("%d lines in the log", lines);
	close(log);
	close(ready[0]);
}

/* B08: a BAR that is smaller than the registers say, from power on. */
TEST(small_bar)
{
	int log;

	ASSERT_TRUE(find_device());
	ASSERT_EQ(0, do_device_del());
	ASSERT_TRUE(WAIT_FOR(access(pci_path, F_OK)));
	log = log_begin();
	setenv("DOCA_DPU", "chaos=bar-small", 1);
	EXPECT_EQ(0, do_device_add());
	EXPECT_TRUE(WAIT_FOR(!access(pci_path, F_OK)));
	EXPECT_TRUE(WAIT_FOR(log_lines(log, "are needed")));
	EXPECT_NE(0, access(NODE, F_OK));
	close(log);
	EXPECT_EQ(0, do_device_del());
	EXPECT_TRUE(WAIT_FOR(access(pci_path, F_OK)));
	/* for the tests that come after this one */
	setenv("DOCA_DPU", "admin-timeout-ms=" ADMIN_TIMEOUT_MS, 1);
	EXPECT_EQ(0, do_device_add());
	EXPECT_TRUE(WAIT_FOR(!access(NODE, R_OK | W_OK)));
	EXPECT_TRUE(next_one_works());
}

DOCA_TEST_MAIN_IF(monitor_there(), "no monitor of QEMU")
