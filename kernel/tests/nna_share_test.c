// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares: the choice of clients, with a model of a ring and a device in virtual time. Each client
 * has one job size and always has jobs, except one that wakes later with a short job. Each is a
 * user of its own, unless nna_share_new_file() has added it.
 */

#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "nna_fake.h"
#include "../nna_share.h"

#define NNA_TEST_CLIENTS	64u
#define NNA_TEST_SLOTS		64u
#define NNA_TEST_NOISE		(5ull * NSEC_PER_MSEC)

struct nna_test_client {
	struct nna_share_user user;
	struct nna_share share;
	struct list_head queue;
	u64 size;
	u64 ran;
	u64 longest;
};

struct nna_share_test {
	struct nna_shares shares;
	struct nna_test_client clients[NNA_TEST_CLIENTS + 1];
	unsigned int count;
	/* The ring, a queue. */
	struct {
		struct nna_test_client *client;
		u64 charged;
	} ring[NNA_TEST_SLOTS];
	unsigned int head;
	unsigned int tail;
	u64 clock;
	/*
	 * One of @noisy jobs, if not 0, runs longer by NNA_TEST_NOISE; @noise is the sum of that.
	 */
	u32 noisy;
	u64 noise;
	struct rnd_state rnd;
};

static struct nna_share_test *nna_share_test(struct kunit *test)
{
	struct nna_share_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	nna_shares_init(&t->shares);
	return t;
}

/* A client has jobs from now on. */
static void nna_share_return(struct nna_share_test *t, struct nna_test_client *client)
{
	nna_share_add(&t->shares, &client->share, &client->queue);
}

/* Adds a client of a user of its own, without jobs. */
static struct nna_test_client *nna_share_new_idle(struct nna_share_test *t)
{
	struct nna_test_client *client = &t->clients[t->count++];

	nna_share_user_init(&client->user);
	nna_share_init(&client->share, &client->user);
	return client;
}

/* Adds a client that has jobs from now on, of @size ns each. */
static struct nna_test_client *nna_share_new(struct nna_share_test *t, u64 size)
{
	struct nna_test_client *client = nna_share_new_idle(t);

	client->size = size;
	nna_share_return(t, client);
	return client;
}

/* Adds one more client of the user of @first. */
static struct nna_test_client *nna_share_new_file(struct nna_share_test *t,
						  struct nna_test_client *first, u64 size)
{
	struct nna_test_client *client = &t->clients[t->count++];

	nna_share_init(&client->share, &first->user);
	client->size = size;
	nna_share_return(t, client);
	return client;
}

static void nna_share_rest(struct nna_share_test *t, struct nna_test_client *client)
{
	nna_share_remove(&t->shares, &client->share, &client->queue);
}

/* Puts a job of the client on the ring. */
static void nna_share_put(struct nna_share_test *t, struct nna_share *share)
{
	unsigned int slot = t->tail++ % NNA_TEST_SLOTS;

	t->ring[slot].client = container_of(share, struct nna_test_client, share);
	t->ring[slot].charged = nna_share_enter(&t->shares, share, 5ull * NSEC_PER_SEC);
}

/* Puts jobs on the ring until no client may add one. */
static void nna_share_fill(struct nna_share_test *t)
{
	struct nna_share *share;

	while (t->tail - t->head < NNA_TEST_SLOTS) {
		share = nna_share_next(&t->shares);
		if (!share)
			return;
		nna_share_put(t, share);
	}
}

/* Runs the first job of the ring, and returns its client. */
static struct nna_test_client *nna_share_run(struct kunit *test, struct nna_share_test *t)
{
	unsigned int slot = t->head % NNA_TEST_SLOTS;
	struct nna_test_client *client;
	u64 ran;

	nna_share_fill(t);
	/* At least one client may always add a job. */
	KUNIT_ASSERT_NE(test, t->head, t->tail);
	client = t->ring[slot].client;
	ran = client->size;
	if (t->noisy && prandom_u32_state(&t->rnd) % t->noisy == 0) {
		ran += NNA_TEST_NOISE;
		t->noise += NNA_TEST_NOISE;
	}
	t->clock += ran;
	client->ran += ran;
	client->longest = max(client->longest, ran);
	nna_share_leave(&t->shares, &client->share, t->ring[slot].charged, &ran);
	t->head++;
	return client;
}

static void nna_share_run_until(struct kunit *test, struct nna_share_test *t, u64 clock)
{
	while (t->clock < clock)
		nna_share_run(test, t);
}

/* Job sizes from 10 us to 20 ms. */
static u64 nna_share_size(unsigned int i)
{
	static const u32 us[] = { 10, 10000, 100, 3000, 1000, 20000, 300, 30 };

	return (u64)us[i % ARRAY_SIZE(us)] * NSEC_PER_USEC;
}

/* A longer job raises the expected run time at once; shorter ones lower it slowly. */
static void nna_share_expects_long_jobs(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *client = nna_share_new(t, 100 * NSEC_PER_MSEC);

	nna_share_run(test, t);
	KUNIT_EXPECT_EQ(test, 100ull * NSEC_PER_MSEC, client->share.longest);
	client->size = 4 * NSEC_PER_MSEC;
	nna_share_run(test, t);
	KUNIT_EXPECT_EQ(test, 88ull * NSEC_PER_MSEC, client->share.longest);
	client->size = 90 * NSEC_PER_MSEC;
	nna_share_run(test, t);
	KUNIT_EXPECT_EQ(test, 90ull * NSEC_PER_MSEC, client->share.longest);
}

static const unsigned int nna_share_counts[] = { 1, 2, 4, 16, 64 };

static void nna_share_count_desc(const unsigned int *count, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u clients", *count);
}
KUNIT_ARRAY_PARAM(nna_share_count, nna_share_counts, nna_share_count_desc);

/* In any two seconds in which all clients have jobs each gets its share, within a fifth. */
static void nna_share_is_fair(struct kunit *test)
{
	const unsigned int count = *(const unsigned int *)test->param_value;
	struct nna_share_test *t = nna_share_test(test);
	const u64 window = 2ull * NSEC_PER_SEC, part = window / count;
	unsigned int i, k;

	for (i = 0; i < count; i++)
		nna_share_new(t, nna_share_size(i));
	for (k = 0; k < 5; k++) {
		u64 before[NNA_TEST_CLIENTS];

		for (i = 0; i < count; i++)
			before[i] = t->clients[i].ran;
		nna_share_run_until(test, t, t->clock + window);
		for (i = 0; i < count; i++) {
			u64 ran = t->clients[i].ran - before[i];

			/* At most two jobs of 20 ms are more than a fifth of a 64th. */
			KUNIT_EXPECT_GE_MSG(test, ran + part / 5 + 2 * t->clients[i].size, part,
					    "window %u, client %u", k, i);
			KUNIT_EXPECT_LE_MSG(test, ran, part + part / 5 + 2 * t->clients[i].size,
					    "window %u, client %u", k, i);
		}
	}
}

#define NNA_TEST_STEPS		20u
#define NNA_TEST_WINDOWS	40u

/*
 * The same, within a fifth and the client's longest job, if some jobs of a client run much longer
 * than others.
 */
static void nna_share_is_fair_despite_noise(struct kunit *test)
{
	const u64 step = NSEC_PER_SEC / 10, part = NNA_TEST_STEPS * step / NNA_TEST_CLIENTS;
	struct nna_share_test *t = nna_share_test(test);
	u64 (*ran)[NNA_TEST_CLIENTS];
	unsigned int i, k;
	u64 most = 0;

	ran = kunit_kcalloc(test, NNA_TEST_STEPS + NNA_TEST_WINDOWS, sizeof(*ran), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ran);
	prandom_seed_state(&t->rnd, 1);
	t->noisy = 50;
	for (i = 0; i < NNA_TEST_CLIENTS; i++)
		nna_share_new(t, (1 + i % 8) * 70 * NSEC_PER_USEC);
	for (k = 0; k < NNA_TEST_STEPS + NNA_TEST_WINDOWS; k++) {
		nna_share_run_until(test, t, (k + 1) * step);
		for (i = 0; i < NNA_TEST_CLIENTS; i++)
			ran[k][i] = t->clients[i].ran;
	}
	for (k = 0; k < NNA_TEST_WINDOWS; k++) {
		for (i = 0; i < NNA_TEST_CLIENTS; i++) {
			u64 got = ran[k + NNA_TEST_STEPS][i] - ran[k][i];
			u64 off = got > part ? got - part : part - got;

			most = max(most, off - min(off, t->clients[i].longest));
		}
	}
	KUNIT_EXPECT_LE(test, most, part / 5);
}

/*
 * A client that wakes with a short job waits for at most two jobs of each other client and 20 ms.
 */
static void nna_share_wait(struct kunit *test)
{
	const unsigned int count = *(const unsigned int *)test->param_value;
	struct nna_share_test *t = nna_share_test(test);
	u64 most = 20ull * NSEC_PER_MSEC, since;
	struct nna_test_client *late;
	unsigned int i;

	for (i = 0; i < count; i++) {
		nna_share_new(t, nna_share_size(i + 1));
		most += 2 * nna_share_size(i + 1);
	}
	nna_share_run_until(test, t, 10ull * NSEC_PER_SEC);
	nna_share_fill(t);
	since = t->clock;
	late = nna_share_new(t, 1000);
	while (nna_share_run(test, t) != late)
		;
	KUNIT_EXPECT_LE(test, t->clock - since, most);
}

/*
 * The same, a hundred times, if some jobs of a client run much longer than others. The jobs ahead
 * may then run longer, but there are not more of them.
 */
static void nna_share_wait_despite_noise(struct kunit *test)
{
	const unsigned int count = *(const unsigned int *)test->param_value;
	struct nna_share_test *t = nna_share_test(test);
	u64 most = 20ull * NSEC_PER_MSEC, longest = 0;
	struct nna_test_client *late;
	unsigned int i;

	prandom_seed_state(&t->rnd, 1);
	t->noisy = 50;
	for (i = 0; i < count; i++) {
		u64 size = (1 + i % 8) * 100 * NSEC_PER_USEC;

		nna_share_new(t, size);
		most += 2 * size;
	}
	for (i = 0; i < 100; i++) {
		u64 since, noise;

		nna_share_run_until(test, t, t->clock + 100 * NSEC_PER_MSEC);
		nna_share_fill(t);
		since = t->clock;
		noise = t->noise;
		t->count = count;
		late = nna_share_new(t, 1000);
		while (nna_share_run(test, t) != late)
			;
		longest = max(longest, t->clock - since - (t->noise - noise));
		nna_share_rest(t, late);
		while (late->user.entries)
			nna_share_run(test, t);
		*late = (struct nna_test_client) {};
	}
	KUNIT_EXPECT_LE(test, longest, most);
}

/* A client that wakes again and again does not go first while it is ahead. */
static void nna_share_waits_when_ahead(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *busy = nna_share_new(t, NSEC_PER_MSEC), *greedy;
	u64 ran, before;
	unsigned int i;

	nna_share_run_until(test, t, 100ull * NSEC_PER_MSEC);
	greedy = nna_share_new(t, 10 * NSEC_PER_MSEC);
	before = busy->ran;
	for (i = 0; i < 20; i++) {
		ran = greedy->ran;
		while (greedy->ran == ran) {
			nna_share_run(test, t);
			/* It waits for its one job. */
			if (!list_empty(&greedy->share.runnable) && greedy->user.entries)
				nna_share_rest(t, greedy);
		}
		nna_share_return(t, greedy);
	}
	KUNIT_EXPECT_GE(test, busy->ran - before, 180ull * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, busy->ran - before, 220ull * NSEC_PER_MSEC);
}

/* Clients that wake all the time take no share from one that is never idle. */
static void nna_share_stays_beside_wakers(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *stays = nna_share_new(t, NSEC_PER_MSEC), *wakers[8], *c;
	unsigned int i, k;
	u64 most = 0;

	for (k = 0; k < ARRAY_SIZE(wakers); k++) {
		wakers[k] = nna_share_new(t, NSEC_PER_MSEC);
		nna_share_rest(t, wakers[k]);
	}
	nna_share_run_until(test, t, 100ull * NSEC_PER_MSEC);
	stays->ran = 0;
	for (i = 0; i < 10000; i++) {
		for (k = 0; k < ARRAY_SIZE(wakers); k++) {
			c = wakers[k];
			if (list_empty(&c->share.runnable) && !c->user.entries)
				nna_share_return(t, c);
		}
		nna_share_fill(t);
		for (k = 0; k < ARRAY_SIZE(wakers); k++) {
			c = wakers[k];
			if (c->user.entries && !list_empty(&c->share.runnable))
				nna_share_rest(t, c);
		}
		if (t->head != t->tail)
			nna_share_run(test, t);
	}
	for (k = 0; k < ARRAY_SIZE(wakers); k++)
		most = max(most, wakers[k]->ran);
	KUNIT_EXPECT_GE(test, stays->ran, most * 9 / 10);
}

/* With many clients the ring has two jobs of each, and more for NNA_SHARE_SPARE_NS. */
static void nna_share_spares_the_ring(struct kunit *test)
{
	const u64 size = 300 * NSEC_PER_USEC;
	struct nna_share_test *t = nna_share_test(test);
	const unsigned int count = 12;
	unsigned int i, entries;

	for (i = 0; i < count; i++)
		nna_share_new(t, size);
	nna_share_run_until(test, t, NSEC_PER_SEC);
	for (i = 0; i < 200; i++) {
		nna_share_run(test, t);
		nna_share_fill(t);
		entries = t->tail - t->head;
		KUNIT_EXPECT_GE(test, entries * size, count * size + NNA_SHARE_SPARE_NS);
		KUNIT_EXPECT_LE(test, entries * size, (2 * count + 1) * size + NNA_SHARE_SPARE_NS);
	}
}

/* A client does not wait because its jobs were shorter than expected. */
static void nna_share_wait_after_a_long_job(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *client = nna_share_new(t, 18 * NSEC_PER_MSEC), *late;
	unsigned int i;
	u64 since;

	nna_share_run(test, t);
	client->size = 100 * NSEC_PER_USEC;
	for (i = 0; i < 3; i++)
		nna_share_run(test, t);
	nna_share_fill(t);
	KUNIT_EXPECT_EQ(test, 2u, client->user.entries);
	KUNIT_EXPECT_GT(test, client->share.longest, 10ull * NSEC_PER_MSEC);
	since = t->clock;
	late = nna_share_new(t, 1000);
	while (nna_share_run(test, t) != late)
		;
	KUNIT_EXPECT_LE(test, t->clock - since, 1ull * NSEC_PER_MSEC);
}

/*
 * A client that wakes again and again with short jobs goes first each time. It does not count as
 * ahead merely because others have not caught up with the client last served.
 */
static void nna_share_comes_often(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *often;
	unsigned int i;

	for (i = 0; i < 16; i++)
		nna_share_new(t, 10 * NSEC_PER_USEC);
	nna_share_run_until(test, t, NSEC_PER_SEC);
	often = nna_share_new(t, 1000);
	nna_share_rest(t, often);
	/* The state after a client that was ahead has become idle. */
	t->shares.now += NNA_SHARE_LEAD_NS;
	for (i = 0; i < 20; i++) {
		nna_share_run(test, t);
		nna_share_fill(t);
		nna_share_return(t, often);
		KUNIT_ASSERT_PTR_EQ(test, &often->share, nna_share_next(&t->shares));
		nna_share_put(t, &often->share);
		nna_share_rest(t, often);
		while (nna_share_run(test, t) != often)
			;
	}
}

/*
 * Urgent users do not move virtual time: one that wakes again and again with short jobs is urgent
 * until it is ahead, and then waits like others.
 */
static void nna_share_urgent_moves_nothing(struct kunit *test)
{
	const u64 ran = NNA_SHARE_LEAD_NS - 1;
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *often;
	unsigned int i;
	u64 now;

	nna_share_new(t, NSEC_PER_MSEC);
	nna_share_run_until(test, t, NSEC_PER_SEC);
	often = nna_share_new_idle(t);
	now = t->shares.now;
	for (i = 0; i < 10; i++) {
		u64 charged;

		nna_share_return(t, often);
		if (list_empty(&often->user.urgent))
			break;
		KUNIT_ASSERT_PTR_EQ(test, &often->share, nna_share_next(&t->shares));
		charged = nna_share_enter(&t->shares, &often->share, ran);
		KUNIT_EXPECT_EQ(test, now, t->shares.now);
		nna_share_rest(t, often);
		nna_share_leave(&t->shares, &often->share, charged, &ran);
	}
	/* At first, and when it is ahead by less than NNA_SHARE_LEAD_NS. */
	KUNIT_EXPECT_EQ(test, 2u, i);
}

static const unsigned int nna_share_entries[] = { 2, 3, 4, 5, 6, 8, 16 };

static void nna_share_entry_desc(const unsigned int *entries, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u jobs of each", *entries);
}
KUNIT_ARRAY_PARAM(nna_share_entry, nna_share_entries, nna_share_entry_desc);

/*
 * The same when all clients wake at once and short jobs are expected: each puts as many jobs on the
 * ring as it may.
 */
static void nna_share_wait_behind_short_jobs(struct kunit *test)
{
	const unsigned int entries = *(const unsigned int *)test->param_value;
	const unsigned int count = NNA_TEST_SLOTS / entries;
	/* All but the last are just below NNA_SHARE_RING_NS. */
	const u64 size = NNA_SHARE_RING_NS / (entries - 1) - 100;
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *late;
	unsigned int i;
	u64 since;

	for (i = 0; i < count; i++)
		nna_share_new(t, size);
	nna_share_run_until(test, t, 10ull * NSEC_PER_SEC);
	for (i = 0; i < count; i++)
		nna_share_rest(t, &t->clients[i]);
	while (t->head != t->tail)
		nna_share_run(test, t);
	for (i = 0; i < count; i++)
		nna_share_return(t, &t->clients[i]);
	nna_share_fill(t);
	for (i = 0; i < count; i++)
		KUNIT_EXPECT_GE(test, t->clients[i].user.entries, 2u);
	since = t->clock;
	late = nna_share_new(t, 1000);
	while (nna_share_run(test, t) != late)
		;
	KUNIT_EXPECT_LE(test, t->clock - since, 2 * count * size + 20ull * NSEC_PER_MSEC);
}

/* A client has one long job on the ring, also at first: others wait for no more than that. */
static void nna_share_long_jobs(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *late;
	unsigned int i;
	u64 since;

	nna_share_new(t, 900ull * NSEC_PER_MSEC);
	for (i = 0; i < 20; i++) {
		nna_share_fill(t);
		KUNIT_EXPECT_EQ(test, 1u, t->tail - t->head);
		since = t->clock;
		t->count = 1;
		late = nna_share_new(t, 1000);
		while (nna_share_run(test, t) != late)
			;
		KUNIT_EXPECT_LT(test, t->clock - since, 1ull * NSEC_PER_SEC);
		nna_share_rest(t, late);
		while (t->head != t->tail)
			nna_share_run(test, t);
		*late = (struct nna_test_client) {};
	}
}

/* Short jobs fill the ring soon after a client has started, and soon after a long job. */
static void nna_share_short_jobs(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *client = nna_share_new(t, 10000);
	unsigned int i, k, tail;

	for (k = 0; k < 2; k++) {
		for (i = 0; i < 200; i++)
			nna_share_run(test, t);
		nna_share_fill(t);
		KUNIT_EXPECT_EQ(test, NNA_TEST_SLOTS, t->tail - t->head);
		client->size = 900ull * NSEC_PER_MSEC;
		nna_share_run(test, t);
		client->size = 10000;
		/* One more job, then none for a while. */
		nna_share_fill(t);
		tail = t->tail;
		for (i = 0; i < 20; i++)
			nna_share_run(test, t);
		KUNIT_EXPECT_EQ(test, tail, t->tail);
	}
}

/* A client that was idle gets no more than its share afterwards. */
static void nna_share_expect_no_savings(struct kunit *test, struct nna_share_test *t,
					const struct nna_test_client *busy,
					struct nna_test_client *idle)
{
	u64 before;

	nna_share_run_until(test, t, NSEC_PER_SEC);
	nna_share_rest(t, idle);
	nna_share_run_until(test, t, 5ull * NSEC_PER_SEC);
	nna_share_return(t, idle);
	before = busy->ran;
	nna_share_run_until(test, t, 6ull * NSEC_PER_SEC);
	KUNIT_EXPECT_GE(test, busy->ran - before, 480ull * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, busy->ran - before, 520ull * NSEC_PER_MSEC);
}

static void nna_share_idle_saves_nothing(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *busy = nna_share_new(t, NSEC_PER_MSEC);

	nna_share_expect_no_savings(test, t, busy, nna_share_new(t, NSEC_PER_MSEC));
}

/* The run time of a user whose clients are t->clients[first] to the one before @end. */
static u64 nna_share_ran(const struct nna_share_test *t, unsigned int first, unsigned int end)
{
	u64 ran = 0;

	for (; first < end; first++)
		ran += t->clients[first].ran;
	return ran;
}

/* A user with 32 files gets as much as one with a single file, and its files share that. */
static void nna_share_by_user(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *one = nna_share_new(t, NSEC_PER_MSEC), *many;
	const u64 part = NSEC_PER_SEC, each = part / 32;
	unsigned int i;

	many = nna_share_new(t, NSEC_PER_MSEC);
	for (i = 1; i < 32; i++)
		nna_share_new_file(t, many, (1 + i % 4) * NSEC_PER_MSEC);
	nna_share_run_until(test, t, 2 * part);
	KUNIT_EXPECT_GE(test, one->ran, part - part / 10);
	KUNIT_EXPECT_LE(test, one->ran, part + part / 10);
	KUNIT_EXPECT_GE(test, nna_share_ran(t, 1, t->count), part - part / 10);
	for (i = 1; i < t->count; i++) {
		KUNIT_EXPECT_GE_MSG(test, t->clients[i].ran + 8 * NSEC_PER_MSEC, each, "%u", i);
		KUNIT_EXPECT_LE_MSG(test, t->clients[i].ran, each + 8 * NSEC_PER_MSEC, "%u", i);
	}
}

/* The jobs of all files of a user on the ring are bounded together, also if each expects little. */
static void nna_share_ring_by_user(struct kunit *test)
{
	const u64 size = 300 * NSEC_PER_USEC;
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *many = nna_share_new(t, size), *late;
	unsigned int i, jobs = 0;

	for (i = 1; i < 32; i++)
		nna_share_new_file(t, many, size);
	nna_share_run_until(test, t, NSEC_PER_SEC);
	nna_share_fill(t);
	KUNIT_EXPECT_GE(test, many->user.entries, 2u);
	KUNIT_EXPECT_LE(test, many->user.entries, NNA_SHARE_RING_NS / (u32)size + 1);
	late = nna_share_new(t, 1000);
	while (nna_share_run(test, t) != late)
		jobs++;
	KUNIT_EXPECT_LE(test, jobs, NNA_SHARE_RING_NS / (u32)size + 1);
}

/* Long jobs of 60 files of one user: another one waits for one of them. */
static void nna_share_long_jobs_by_user(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *many = nna_share_new(t, 900ull * NSEC_PER_MSEC), *late;
	unsigned int i, jobs = 0;

	for (i = 1; i < 60; i++)
		nna_share_new_file(t, many, 900ull * NSEC_PER_MSEC);
	for (i = 0; i < 100; i++)
		nna_share_run(test, t);
	nna_share_fill(t);
	KUNIT_EXPECT_EQ(test, 1u, many->user.entries);
	late = nna_share_new(t, 1000);
	while (nna_share_run(test, t) != late)
		jobs++;
	KUNIT_EXPECT_EQ(test, 1u, jobs);
}

/* A file that has been idle saves no time up among the files of its user. */
static void nna_share_idle_file_saves_nothing(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *busy = nna_share_new(t, NSEC_PER_MSEC);

	nna_share_expect_no_savings(test, t, busy, nna_share_new_file(t, busy, NSEC_PER_MSEC));
}

/* A file that wakes is the next of its user, but does not make its user wake. */
static void nna_share_file_wakes(struct kunit *test)
{
	struct nna_share_test *t = nna_share_test(test);
	struct nna_test_client *many = nna_share_new(t, 2 * NSEC_PER_MSEC), *late;
	unsigned int i, jobs = 0;

	for (i = 1; i < 8; i++)
		nna_share_new_file(t, many, 2 * NSEC_PER_MSEC);
	nna_share_run_until(test, t, NSEC_PER_SEC);
	nna_share_fill(t);
	late = nna_share_new_file(t, many, 1000);
	KUNIT_EXPECT_EQ(test, 0u, t->shares.woken);
	while (nna_share_run(test, t) != late)
		jobs++;
	/* Those on the ring. */
	KUNIT_EXPECT_LE(test, jobs, 2u);
}

static struct kunit_case nna_share_cases[] = {
	KUNIT_CASE(nna_share_expects_long_jobs),
	KUNIT_CASE_PARAM(nna_share_is_fair, nna_share_count_gen_params),
	KUNIT_CASE(nna_share_is_fair_despite_noise),
	KUNIT_CASE_PARAM(nna_share_wait, nna_share_count_gen_params),
	KUNIT_CASE_PARAM(nna_share_wait_despite_noise, nna_share_count_gen_params),
	KUNIT_CASE(nna_share_waits_when_ahead),
	KUNIT_CASE(nna_share_stays_beside_wakers),
	KUNIT_CASE(nna_share_spares_the_ring),
	KUNIT_CASE(nna_share_wait_after_a_long_job),
	KUNIT_CASE(nna_share_comes_often),
	KUNIT_CASE(nna_share_urgent_moves_nothing),
	KUNIT_CASE_PARAM(nna_share_wait_behind_short_jobs, nna_share_entry_gen_params),
	KUNIT_CASE(nna_share_long_jobs),
	KUNIT_CASE(nna_share_short_jobs),
	KUNIT_CASE(nna_share_idle_saves_nothing),
	KUNIT_CASE(nna_share_by_user),
	KUNIT_CASE(nna_share_ring_by_user),
	KUNIT_CASE(nna_share_long_jobs_by_user),
	KUNIT_CASE(nna_share_idle_file_saves_nothing),
	KUNIT_CASE(nna_share_file_wakes),
	{}
};

static struct kunit_suite nna_share_suite = {
	.name = "nna_share",
	.test_cases = nna_share_cases,
};
kunit_test_suite(nna_share_suite);
