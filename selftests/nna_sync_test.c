// SPDX-License-Identifier: MIT
/*
 * In-fences and out-fences: binary and timeline syncobjs, sync_files, fences of other drivers, and
 * errors that jobs take over from their in-fences.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

/* Not in the headers of older distributions. */
#ifndef SYNC_IOC_SET_DEADLINE
struct sync_set_deadline {
	uint64_t deadline_ns, pad;
};

#define SYNC_IOC_SET_DEADLINE _IOW(SYNC_IOC_MAGIC, 5, struct sync_set_deadline)
#endif

/* Fences of the debug kernel that user space signals; this debugfs interface has no header. */
#define SW_SYNC "/sys/kernel/debug/sync/sw_sync"

struct sw_sync_fence {
	uint32_t value;
	char name[32];
	int32_t fence;
};

struct sw_sync_deadline {
	uint64_t deadline_ns;
	uint32_t pad;
	int32_t fence;
};

#define SW_SYNC_CREATE_FENCE _IOWR('W', 0, struct sw_sync_fence)
#define SW_SYNC_INC _IOW('W', 1, uint32_t)
#define SW_SYNC_GET_DEADLINE _IOWR('W', 2, struct sw_sync_deadline)

static int submit_syncs(struct env *env, struct drm_nna_sync *syncs, uint32_t count)
{
	struct drm_nna_submit args = env_submit(env);

	args.syncs = (struct drm_nna_obj_array)DRM_NNA_OBJ_ARRAY(count, syncs);
	return xioctl(env->fd, DRM_IOCTL_NNA_SUBMIT, &args);
}

TEST(binary_in_and_out)
{
	struct env env;
	uint32_t a, b;

	env_init(&env);
	a = syncobj_create(env.fd);
	b = syncobj_create(env.fd);
	stream_null(&env);
	EQ(submit(&env, 0, a), 0);
	EQ(submit(&env, a, b), 0);
	EQ(syncobj_wait(env.fd, b, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, a), 1);
	EQ(syncobj_status(env.fd, b), 1);
}

TEST(foreign_fence_holds_the_job)
{
	struct foreign f;
	struct env env;
	uint32_t in, out;

	env_init(&env);
	f = foreign_fence();
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, in, f.sync_file), 0);
	stream_begin(&env);
	stream_fill(&env, 0, 64, 5);
	stream_end(&env);
	stream_finish(&env);
	EQ(submit(&env, in, out), 0);
	EQ(syncobj_wait(env.fd, out, SECOND / 10), -ETIME);
	EQ(env.map[ENV_DATA], 0);
	foreign_signal(&f);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), 1);
	EQ(env.map[ENV_DATA], 5);
}

TEST(out_fence_as_sync_file)
{
	struct foreign f;
	struct pollfd p = { .events = POLLIN };
	struct env env;
	uint32_t in, out;

	env_init(&env);
	f = foreign_fence();
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, in, f.sync_file), 0);
	stream_null(&env);
	EQ(submit(&env, in, out), 0);
	EQ(drmSyncobjExportSyncFile(env.fd, out, &p.fd), 0);
	EQ(sync_file_status(p.fd), 0);
	EQ(poll(&p, 1, 50), 0);
	foreign_signal(&f);
	EQ(poll(&p, 1, LONG_WAIT / 1000000), 1);
	EQ(sync_file_status(p.fd), 1);
}

/* How long the device lets a ring wait for a slice; one that is boosted, an eighth of that. */
#define AGE (SECOND / 10)

/* The low job of fence_deadline got its turn ahead of the second higher one, or behind it. */
enum turn {
	AHEAD,
	BEHIND,
	TOLD_NOTHING,
};

/*
 * Waits until the driver has given @ring an entry, whose next one was to be @seqno, or the job of
 * @out has ended. Return: false after a long wait.
 */
static bool entry_wait(struct env *env, unsigned int ring, uint32_t seqno, uint32_t out)
{
	uint64_t end = now_ns() + LONG_WAIT / 2;

	while (ring_state(env->fd, ring).seqno == seqno &&
	       syncobj_wait(env->fd, out, 0) == -ETIME) {
		if (now_ns() >= end)
			return false;
		usleep(1000);
	}
	return true;
}

/*
 * Submits a job that is held and one more to a higher ring, then one to the low ring, with a waiter
 * who has set a deadline (wanted), or without. Which of the two that wait begins when the first has
 * ended?
 *
 * All three are on their rings, and the device knows of the deadline, before the first is released.
 * The higher ones are of two clients, as one has few long jobs on a ring. The device's clock says
 * whether this machine was quick enough: if the first job ended later than AGE after the low one
 * was submitted, that may have had its turn as every ring has that waits for so long.
 */
static enum turn turn_of_low(struct env *low, struct env high[2], bool wanted)
{
	struct env *of[3] = { &high[0], &high[1], low };
	struct sync_set_deadline deadline = { 0 };
	struct drm_nna_timestamp before;
	uint32_t out[3], seqno, next;
	int sync_file;
	int64_t took;

	for (int i = 0; i < 3; i++)
		out[i] = syncobj_create(of[i]->fd);
	stream_held(&high[0]);
	stream_null(&high[1]);
	stream_null(low);
	for (uint32_t i = 0; i < 2; i++) {
		EQ(submit(&high[i], 0, out[i]), 0);
		/*
		 * One after the other: the scheduler may see both at once, and then the client that
		 * has used less of the device has its turn first, whoever came first. The null job
		 * would end before the held one is on the ring.
		 */
		ring_wait(low->fd, DRM_NNA_CTX_PRIORITY_MEDIUM, i + 1);
	}
	seqno = ring_state(low->fd, NNAHW_CONTROL_RING).seqno;
	next = ring_state(low->fd, DRM_NNA_CTX_PRIORITY_LOW).seqno;
	EQ(query(low->fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &before, sizeof(before)), 0);
	EQ(submit(low, 0, out[2]), 0);
	EQ(drmSyncobjExportSyncFile(low->fd, out[2], &sync_file), 0);
	/* It may have had its turn before this thread sees it on the ring: then nothing is told. */
	if (!entry_wait(low, DRM_NNA_CTX_PRIORITY_LOW, next, out[2]))
		FAIL("the device is not given the job");
	deadline.deadline_ns = now_ns();
	if (wanted) {
		EQ(ioctl(sync_file, SYNC_IOC_SET_DEADLINE, &deadline), 0);
		if (!entry_wait(low, NNAHW_CONTROL_RING, seqno, out[2]))
			FAIL("the driver does not tell the device of the deadline");
		ring_wait(low->fd, NNAHW_CONTROL_RING, 0);
	}
	usleep(AGE / 6 / 1000);
	stream_release(&high[0]);
	for (int i = 0; i < 3; i++) {
		EQ(syncobj_wait(of[i]->fd, out[i], LONG_WAIT), 0);
		EQ(syncobj_status(of[i]->fd, out[i]), 1);
		drmSyncobjDestroy(of[i]->fd, out[i]);
	}
	close(sync_file);
	took = ticks_to_ns(low->fd, (int64_t)(env_report(&high[0])->end - before.tick));
	if (took >= (int64_t)AGE)
		return TOLD_NOTHING;
	return env_report(low)->begin < env_report(&high[1])->begin ? AHEAD : BEHIND;
}

/* Attempts until one tells something. */
static enum turn turn_at_last(struct env *low, struct env high[2], bool wanted)
{
	uint64_t end = now_ns() + LONG_WAIT / 2;
	enum turn turn;

	while ((turn = turn_of_low(low, high, wanted)) == TOLD_NOTHING)
		if (now_ns() >= end)
			FAIL("each attempt takes longer than a ring waits for its turn");
	return turn;
}

TEST(fence_deadline)
{
	struct env low, high[2];

	env_init(&low);
	EQ(ctx_destroy(low.fd, low.ctx), 0);
	EQ(ctx_create(low.fd, low.vm, DRM_NNA_CTX_PRIORITY_LOW, &low.ctx), 0);
	for (int i = 0; i < 2; i++)
		env_init_apart(&high[i]);
	EQ(turn_at_last(&low, high, false), BEHIND);
	EQ(turn_at_last(&low, high, true), AHEAD);
}

TEST(context_order_holds_behind_a_fence)
{
	struct foreign f;
	struct env env;
	uint32_t in, first, second;

	env_init(&env);
	f = foreign_fence();
	in = syncobj_create(env.fd);
	first = syncobj_create(env.fd);
	second = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, in, f.sync_file), 0);
	stream_null(&env);
	EQ(submit(&env, in, first), 0);
	EQ(submit(&env, 0, second), 0);
	EQ(syncobj_wait(env.fd, second, SECOND / 10), -ETIME);
	foreign_signal(&f);
	EQ(syncobj_wait(env.fd, second, LONG_WAIT), 0);
	EQ(syncobj_wait(env.fd, first, 0), 0);
}

TEST(other_contexts_do_not_wait)
{
	struct foreign f;
	struct env env, other;
	uint32_t in, out;

	env_init(&env);
	env_init_sibling(&other, &env);
	f = foreign_fence();
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, in, f.sync_file), 0);
	stream_null(&env);
	stream_null(&other);
	EQ(submit(&env, in, out), 0);
	EQ(submit_and_wait(&other), 0);
	EQ(syncobj_wait(env.fd, out, 0), -ETIME);
	foreign_signal(&f);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
}

/* Opens a timeline of sw_sync. */
static int sw_sync_open(void)
{
	int fd = open(SW_SYNC, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		SKIP("no " SW_SYNC);
	return fd;
}

/* Creates a fence of a point on it: imports it to syncobj in, and returns its sync_file. */
static int sw_sync_in(struct env *env, int timeline, uint32_t value, uint32_t in)
{
	struct sw_sync_fence fence = { .value = value, .name = "nna" };

	EQ(xioctl(timeline, SW_SYNC_CREATE_FENCE, &fence), 0);
	EQ(drmSyncobjImportSyncFile(env->fd, in, fence.fence), 0);
	return fence.fence;
}

TEST(sw_sync_holds_the_job)
{
	uint32_t in[2], out[2], one = 1;
	int timeline = sw_sync_open();
	struct env env;

	env_init(&env);
	stream_null(&env);
	for (uint32_t i = 0; i < 2; i++) {
		in[i] = syncobj_create(env.fd);
		out[i] = syncobj_create(env.fd);
		sw_sync_in(&env, timeline, i + 1, in[i]);
		EQ(submit(&env, in[i], out[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		EQ(syncobj_wait(env.fd, out[i], SECOND / 10), -ETIME);
		EQ(xioctl(timeline, SW_SYNC_INC, &one), 0);
		EQ(syncobj_wait(env.fd, out[i], LONG_WAIT), 0);
		EQ(syncobj_status(env.fd, out[i]), 1);
	}
}

/* Closing a timeline makes its fences fail, and jobs that wait for them fail, too. */
TEST(sw_sync_that_goes)
{
	int timeline = sw_sync_open();
	struct env env;
	uint32_t in, out;

	env_init(&env);
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	stream_null(&env);
	sw_sync_in(&env, timeline, 1, in);
	EQ(submit(&env, in, out), 0);
	close(timeline);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), -ENOENT);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	EQ(submit_and_wait(&env), 0);
}

/* A job's deadline is set on its in-fence, where the driver of that sees it. */
TEST(deadline_is_handed_on)
{
	struct sw_sync_deadline deadline = { 0 };
	int timeline = sw_sync_open();
	struct drm_nna_submit args;
	struct env env;
	uint32_t in, out, one = 1;

	env_init(&env);
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	stream_null(&env);
	deadline.fence = sw_sync_in(&env, timeline, 1, in);
	args = env_submit(&env);
	args.deadline_ns = now_ns() + 20 * SECOND;
	EQ(submit_args(&env, &args, in, out), 0);
	EQ(xioctl(timeline, SW_SYNC_GET_DEADLINE, &deadline), 0);
	EQ(deadline.deadline_ns, args.deadline_ns);
	EQ(xioctl(timeline, SW_SYNC_INC, &one), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), 1);
}

TEST(timeline)
{
	struct env env;
	struct drm_nna_sync syncs[2];
	uint32_t tl;
	uint64_t value = 0;

	env_init(&env);
	tl = syncobj_create(env.fd);
	stream_null(&env);
	for (uint64_t i = 1; i <= 20; i++) {
		syncs[0] = (struct drm_nna_sync){ .handle = tl,
						  .flags = DRM_NNA_SYNC_TYPE_TIMELINE |
							   DRM_NNA_SYNC_SIGNAL,
						  .point = i };
		syncs[1] = (struct drm_nna_sync){
			.handle = tl, .flags = DRM_NNA_SYNC_TYPE_TIMELINE, .point = i - 1 };
		EQ(submit_syncs(&env, syncs, i > 1 ? 2 : 1), 0);
	}
	EQ(timeline_wait(env.fd, tl, 20, LONG_WAIT), 0);
	EQ(drmSyncobjQuery(env.fd, &tl, &value, 1), 0);
	EQ(value, 20);
}

/* Jobs that wait for jobs of another context, on the same ring and on another one. */
TEST(across_contexts)
{
	struct env a, b;
	uint32_t mid, end;

	env_init(&a);
	env_init_sibling(&b, &a);
	for (uint32_t p = 0; p < 3; p++) {
		EQ(ctx_create(b.fd, b.vm, p, &b.ctx), 0);
		mid = syncobj_create(a.fd);
		end = syncobj_create(a.fd);
		stream_begin(&a);
		for (int i = 0; i < 50; i++)
			stream_fill(&a, 0, 0x20000, (uint8_t)i);
		stream_end(&a);
		stream_finish(&a);
		stream_null(&b);
		EQ(submit(&a, 0, mid), 0);
		EQ(submit(&b, mid, end), 0);
		EQ(syncobj_wait(a.fd, end, LONG_WAIT), 0);
		CHECK(env_report(&b)->begin >= env_report(&a)->end);
	}
}

/* A job whose in-fence fails does not run, has its error, and bans nobody. */
TEST(error_travels)
{
	struct env a, b;
	uint32_t mid, end;

	for (int priority = 0; priority < 3; priority++) {
		env_init(&a);
		env_init_sibling(&b, &a);
		EQ(ctx_create(b.fd, b.vm, (uint32_t)priority, &b.ctx), 0);
		mid = syncobj_create(a.fd);
		end = syncobj_create(a.fd);
		stream_null(&a);
		a.map[ENV_STREAM] ^= 1; /* the magic */
		stream_null(&b);
		EQ(submit(&a, 0, mid), 0);
		EQ(submit(&b, mid, end), 0);
		EQ(syncobj_wait(a.fd, end, LONG_WAIT), 0);
		EQ(syncobj_status(a.fd, mid), -EINVAL);
		EQ(syncobj_status(a.fd, end), -EINVAL);
		EQ(env_report(&b)->status, 0xffffffffu);
		EQ(ctx_state(b.fd, b.ctx).state, 0);
		EQ(submit_and_wait(&b), 0);
		env_fini(&a);
	}
}

/* The same within one context, where the scheduler itself does not wait for the in-fence. */
TEST(error_travels_within_a_context)
{
	struct env env;
	struct drm_nna_submit args;
	uint32_t mid, end;

	env_init(&env);
	mid = syncobj_create(env.fd);
	end = syncobj_create(env.fd);
	stream_endless(&env);
	args = env_submit(&env);
	args.loop_limit_ns = SECOND / 20;
	EQ(submit_args(&env, &args, 0, mid), 0);
	args.loop_limit_ns = 0;
	args.start = 0;
	EQ(submit_args(&env, &args, mid, end), 0);
	EQ(syncobj_wait(env.fd, end, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, mid), -ETIMEDOUT);
	EQ(syncobj_status(env.fd, end), -ETIMEDOUT);
	/* It has not run: else it would have looped until the job limit, and been banned. */
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
}

TEST(error_travels_through_a_timeline)
{
	struct env a, b;
	uint32_t tl, end;
	struct drm_nna_sync syncs[2];

	env_init(&a);
	env_init_sibling(&b, &a);
	tl = syncobj_create(a.fd);
	end = syncobj_create(a.fd);
	stream_null(&a);
	a.map[ENV_STREAM] ^= 1;
	stream_null(&b);
	syncs[0] = (struct drm_nna_sync){ .handle = tl,
					  .flags = DRM_NNA_SYNC_TYPE_TIMELINE | DRM_NNA_SYNC_SIGNAL,
					  .point = 3 };
	EQ(submit_syncs(&a, syncs, 1), 0);
	syncs[0] = (struct drm_nna_sync){ .handle = tl,
					  .flags = DRM_NNA_SYNC_TYPE_TIMELINE,
					  .point = 3 };
	syncs[1] = (struct drm_nna_sync){ .handle = end, .flags = DRM_NNA_SYNC_SIGNAL };
	EQ(submit_syncs(&b, syncs, 2), 0);
	EQ(syncobj_wait(a.fd, end, LONG_WAIT), 0);
	EQ(syncobj_status(a.fd, end), -EINVAL);
}

/* The status of a null job with a duration, which its in-fence has held for longer than that. */
static int status_of_held(uint64_t duration)
{
	struct foreign f;
	struct env env;
	struct drm_nna_submit args;
	uint32_t in, out;
	int status;

	env_init(&env);
	f = foreign_fence();
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, in, f.sync_file), 0);
	stream_null(&env);
	args = env_submit(&env);
	args.duration_ns = duration;
	EQ(submit_args(&env, &args, in, out), 0);
	EQ(syncobj_wait(env.fd, out, duration + duration / 8), -ETIME);
	foreign_signal(&f);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	status = syncobj_status(env.fd, out);
	env_fini(&env);
	return status;
}

/* A busy machine may take longer than the shorter durations for a job that does nothing. */
TEST(duration_counts_from_the_in_fence)
{
	int status = -ETIMEDOUT;

	for (uint64_t s = 1; s <= 8 && status == -ETIMEDOUT; s *= 2)
		status = status_of_held(s * SECOND);
	EQ(status, 1);
}

TEST(deadline_passes_behind_the_in_fence)
{
	struct foreign f;
	struct env env;
	struct drm_nna_submit args;
	uint32_t in, out;

	env_init(&env);
	f = foreign_fence();
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, in, f.sync_file), 0);
	stream_null(&env);
	args = env_submit(&env);
	args.deadline_ns = now_ns() + SECOND / 10;
	EQ(submit_args(&env, &args, in, out), 0);
	EQ(syncobj_wait(env.fd, out, SECOND / 5), -ETIME);
	foreign_signal(&f);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), -ETIMEDOUT);
	EQ(env_report(&env)->status, 0xffffffffu);
}

/* The job ends at once: it waits neither for the foreign fence nor for anything else. */
TEST(closed_while_waiting_for_a_fence)
{
	struct foreign f;
	struct env env;
	uint32_t in, out;
	struct pollfd p = { .events = POLLIN };

	env_init(&env);
	f = foreign_fence();
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, in, f.sync_file), 0);
	stream_null(&env);
	EQ(submit(&env, in, out), 0);
	EQ(drmSyncobjExportSyncFile(env.fd, out, &p.fd), 0);
	env_fini(&env);
	EQ(poll(&p, 1, LONG_WAIT / 1000000), 1);
	EQ(sync_file_status(p.fd), -ESRCH);
	CHECK(sync_file_before(p.fd, f.sync_file));
}

/*
 * A sync_file of the last of a dozen endless jobs of low priority, each of which may run for five
 * seconds: it does not signal before a test ends, even one that runs slowly.
 */
static int distant_fence(void)
{
	struct drm_nna_submit args;
	struct env env;
	uint32_t out;
	int sync_file;

	env_init(&env);
	stream_endless(&env);
	out = syncobj_create(env.fd);
	args = env_submit(&env);
	for (int i = 0; i < 12; i++) {
		EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_LOW, &args.ctx_id), 0);
		EQ(submit_args(&env, &args, 0, out), 0);
	}
	EQ(drmSyncobjExportSyncFile(env.fd, out, &sync_file), 0);
	return sync_file;
}

struct late {
	struct env *env;
	int result;
};

static void *submit_late(void *arg)
{
	struct late *late = arg;

	late->result = submit(late->env, 0, 0);
	return NULL;
}

/* As many jobs as a context may have wait for a fence: the next SUBMIT waits for room. */
TEST(submit_waits_for_room)
{
	struct drm_nna_submit args;
	struct env env, other;
	struct late late = { .env = &env, .result = 1 };
	pthread_t thread;
	uint32_t in;

	env_init(&env);
	env_init_sibling(&other, &env);
	stream_null(&env);
	stream_null(&other);
	in = syncobj_create(env.fd);
	EQ(drmSyncobjImportSyncFile(env.fd, in, distant_fence()), 0);
	for (uint32_t i = 0; i < hw_info(env.fd).max_ctx_jobs; i++)
		EQ(submit(&env, in, 0), 0);
	args = env_submit(&env);
	args.flags = DRM_NNA_SUBMIT_NONBLOCK;
	/* Not by xioctl(), which is libdrm's and repeats the call after EAGAIN. */
	CHECK(ioctl(env.fd, DRM_IOCTL_NNA_SUBMIT, &args));
	EQ(errno, EAGAIN);
	/* Another context has room. */
	EQ(submit_and_wait(&other), 0);
	CHECK(!pthread_create(&thread, NULL, submit_late, &late));
	usleep(50000);
	EQ(late.result, 1);
	/* The close of the context ends the wait. */
	EQ(ctx_destroy(env.fd, env.ctx), 0);
	pthread_join(thread, NULL);
	EQ(late.result, -ENOENT);
}

/* A wrong sync beside a valid one: nothing is submitted, and the valid syncobj is unchanged. */
#define BAD_SYNC(test_name, bad, error) \
	TEST(test_name) \
	{ \
		struct env env; \
		struct drm_nna_sync syncs[2]; \
		uint32_t good, other; \
		env_init(&env); \
		stream_null(&env); \
		good = syncobj_create(env.fd); \
		other = syncobj_create(env.fd); \
		(void)other; \
		syncs[0] = (struct drm_nna_sync){ .handle = good, .flags = DRM_NNA_SYNC_SIGNAL }; \
		syncs[1] = (struct drm_nna_sync) bad; \
		EQ(submit_syncs(&env, syncs, 2), error); \
		EQ(syncobj_wait(env.fd, good, 0), -EINVAL); \
		EQ(submit_syncs(&env, syncs, 1), 0); \
		EQ(syncobj_wait(env.fd, good, LONG_WAIT), 0); \
	}

#define IN_BRACES(...) { __VA_ARGS__ }
BAD_SYNC(sync_unknown_in, IN_BRACES(.handle = 99), -ENOENT)
BAD_SYNC(sync_unknown_out, IN_BRACES(.handle = 99, .flags = DRM_NNA_SYNC_SIGNAL), -ENOENT)
BAD_SYNC(sync_without_fence, IN_BRACES(.handle = other), -EINVAL)
BAD_SYNC(sync_point_without_fence, IN_BRACES(.handle = other, .flags = 1, .point = 5), -EINVAL)
BAD_SYNC(sync_binary_with_point,
	 IN_BRACES(.handle = other, .flags = DRM_NNA_SYNC_SIGNAL, .point = 1), -EINVAL)
BAD_SYNC(sync_timeline_without_point, IN_BRACES(.handle = other, .flags = DRM_NNA_SYNC_SIGNAL | 1),
	 -EINVAL)
BAD_SYNC(sync_unknown_type, IN_BRACES(.handle = other, .flags = DRM_NNA_SYNC_SIGNAL | 2), -EINVAL)
BAD_SYNC(sync_unknown_flag, IN_BRACES(.handle = other, .flags = DRM_NNA_SYNC_SIGNAL | 0x100),
	 -EINVAL)

TEST(sync_too_many)
{
	struct env env;
	struct drm_nna_sync sync = { 0 };

	env_init(&env);
	stream_null(&env);
	EQ(submit_syncs(&env, &sync, hw_info(env.fd).max_syncs + 1), -E2BIG);
}

TEST(sync_as_many_as_allowed)
{
	struct env env;
	uint32_t max, last = 0;
	struct drm_nna_sync *syncs;

	env_init(&env);
	stream_null(&env);
	max = hw_info(env.fd).max_syncs;
	syncs = calloc(max, sizeof(*syncs));
	for (uint32_t i = 0; i < max; i++) {
		last = syncobj_create(env.fd);
		syncs[i] = (struct drm_nna_sync){ .handle = last, .flags = DRM_NNA_SYNC_SIGNAL };
	}
	EQ(submit_syncs(&env, syncs, max), 0);
	EQ(syncobj_wait(env.fd, last, LONG_WAIT), 0);
}

TEST(sync_bad_pointer)
{
	struct env env;

	env_init(&env);
	stream_null(&env);
	EQ(submit_syncs(&env, (struct drm_nna_sync *)8, 1), -EFAULT);
}
