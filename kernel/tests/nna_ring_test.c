// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings: each request completes once, with the completion of its own entry.
 */

#include "nna_fake.h"
#include "../nna_ring.h"

#define NNA_TEST_REQUESTS	200u

struct nna_test_request {
	struct nna_ring_request req;
	struct nna_ring_entry entry;
	bool may_resubmit;
	bool refuse_yield;
	bool refuse_rewrite;
	unsigned int yields;
	unsigned int calls;
	unsigned int order;
	u16 status;
	u64 detail;
	int error;
};

struct nna_ring_test {
	struct nna_test_request requests[NNA_TEST_REQUESTS];
	unsigned int pushed;
	unsigned int completed;
};

/* The state of the running test; KUnit runs one at a time. */
static struct nna_ring_test *nna_test;

static void nna_test_complete(struct nna_ring_request *req, u16 status, u64 detail, int error)
{
	struct nna_test_request *c = container_of(req, struct nna_test_request, req);

	c->calls++;
	c->order = nna_test->completed++;
	c->status = status;
	c->detail = detail;
	c->error = error;
}

static bool nna_test_may_resubmit(struct nna_ring_request *req)
{
	return container_of(req, struct nna_test_request, req)->may_resubmit;
}

static bool nna_test_yielded(struct nna_ring_request *req, const struct nna_ring_entry *rest,
			     u64 detail)
{
	struct nna_test_request *c = container_of(req, struct nna_test_request, req);

	c->entry.start = rest->start;
	c->yields++;
	return !c->refuse_yield;
}

static bool nna_test_rewrite(struct nna_ring_request *req)
{
	return !container_of(req, struct nna_test_request, req)->refuse_rewrite;
}

static struct nna_ring *nna_test_ring(struct kunit *test)
{
	return &to_nna_fake(test)->nna->rings[2];
}

static int nna_test_push(struct kunit *test)
{
	struct nna_test_request *c = &nna_test->requests[nna_test->pushed];
	int ret;

	c->req.complete = nna_test_complete;
	c->req.may_resubmit = nna_test_may_resubmit;
	c->req.yielded = nna_test_yielded;
	c->req.rewrite = nna_test_rewrite;
	c->entry.type = cpu_to_le32(NNA_ENTRY_NOP);
	ret = nna_ring_push(nna_test_ring(test), &c->entry, &c->req);
	if (!ret)
		nna_test->pushed++;
	return ret;
}

static int nna_ring_test_init(struct kunit *test)
{
	nna_test = kunit_kzalloc(test, sizeof(*nna_test), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, nna_test);
	return nna_fake_init(test);
}

static void nna_ring_writes_entries(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring_entry entry;

	KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, 2));
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, 2, &entry));
	KUNIT_EXPECT_EQ(test, nna_test->requests[0].req.seqno, le32_to_cpu(entry.seqno));
	KUNIT_EXPECT_EQ(test, NNA_ENTRY_NOP, le32_to_cpu(entry.type));
	KUNIT_EXPECT_EQ(test, 0u, nna_test->requests[0].calls);
}

static void nna_ring_completes(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);

	KUNIT_EXPECT_TRUE(test, nna_ring_is_empty(nna_test_ring(test)));
	KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	KUNIT_EXPECT_FALSE(test, nna_ring_is_empty(nna_test_ring(test)));
	nna_fake_complete(fake, 2, NNA_STATUS_BAD_SHAPE, 0x123456789ull);
	KUNIT_EXPECT_TRUE(test, nna_ring_is_empty(nna_test_ring(test)));
	KUNIT_EXPECT_EQ(test, 1u, nna_test->requests[0].calls);
	KUNIT_EXPECT_EQ(test, NNA_STATUS_BAD_SHAPE, nna_test->requests[0].status);
	KUNIT_EXPECT_EQ(test, 0x123456789ull, nna_test->requests[0].detail);
	KUNIT_EXPECT_EQ(test, 0, nna_test->requests[0].error);
	KUNIT_EXPECT_EQ(test, 1ull, nna_test_ring(test)->completions);
}

static void nna_ring_completes_in_order(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	unsigned int i;

	for (i = 0; i < 10; i++)
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	/* One interrupt for three completions. */
	for (i = 0; i < 9; i++) {
		nna_fake_write_completion(fake, 2, NNA_STATUS_OK, i);
		if (i % 3 == 2)
			nna_fake_irq(fake, 2);
	}
	KUNIT_EXPECT_EQ(test, 9u, nna_test->completed);
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, i < 9, nna_test->requests[i].calls);
		KUNIT_EXPECT_EQ(test, i < 9 ? i : 0, nna_test->requests[i].order);
		KUNIT_EXPECT_EQ(test, i < 9 ? i : 0, nna_test->requests[i].detail);
	}
}

static void nna_ring_many_laps(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	unsigned int i;

	for (i = 0; i < NNA_TEST_REQUESTS; i++) {
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
		if (i < 5)
			continue;
		nna_fake_complete(fake, 2, NNA_STATUS_OK, i);
		KUNIT_ASSERT_EQ(test, i - 4, nna_test->completed);
	}
	KUNIT_EXPECT_GT(test, NNA_TEST_REQUESTS, 3 * nna_test_ring(test)->size);
	for (i = 0; i < NNA_TEST_REQUESTS; i++)
		KUNIT_EXPECT_EQ(test, i < NNA_TEST_REQUESTS - 5, nna_test->requests[i].calls);
}

static void nna_ring_full(struct kunit *test)
{
	struct nna_ring *ring = nna_test_ring(test);
	unsigned int i;

	for (i = 0; i < ring->size; i++)
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_test_push(test));
	KUNIT_EXPECT_EQ(test, ring->size, nna_fake_pending(to_nna_fake(test), 2));
	nna_fake_complete(to_nna_fake(test), 2, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_test_push(test));
	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_test_push(test));
}

static void nna_ring_process_counts(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);

	KUNIT_EXPECT_EQ(test, 0, nna_ring_process(ring));
	KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	KUNIT_EXPECT_EQ(test, 0, nna_ring_process(ring));
	nna_fake_write_completion(fake, 2, NNA_STATUS_OK, 0);
	nna_fake_write_completion(fake, 2, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 2, nna_ring_process(ring));
	KUNIT_EXPECT_EQ(test, 0, nna_ring_process(ring));
	/* The interrupt comes late, and there is nothing to do. */
	nna_fake_irq(fake, 2);
	KUNIT_EXPECT_EQ(test, 2u, nna_test->completed);
}

static void nna_ring_detach_waiting(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);
	unsigned int i;

	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	KUNIT_EXPECT_TRUE(test, nna_ring_detach(ring, &nna_test->requests[1].req));
	KUNIT_EXPECT_FALSE(test, nna_ring_detach(ring, &nna_test->requests[1].req));
	for (i = 0; i < 3; i++)
		nna_fake_complete(fake, 2, NNA_STATUS_OK, i);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, i != 1, nna_test->requests[i].calls);
	/* The slot of the detached request is skipped: the others get their own completions. */
	KUNIT_EXPECT_EQ(test, 2ull, nna_test->requests[2].detail);
}

/* nna_ring_find() finds the pending entries of an owner, also across the end of the ring. */
static void nna_ring_finds_entries(struct kunit *test)
{
	struct nna_ring *ring = nna_test_ring(test);
	u32 seqnos[NNA_RING_SIZE], i;
	int owner, other;

	for (i = 0; i < ring->size - 2; i++) {
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
		nna_fake_complete(to_nna_fake(test), ring->index, NNA_STATUS_OK, 0);
	}
	KUNIT_EXPECT_EQ(test, 0u, nna_ring_find(ring, &owner, seqnos));
	for (i = 0; i < 6; i++) {
		nna_test->requests[nna_test->pushed].req.owner = i % 2 ? &owner : &other;
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	}
	i = nna_test->pushed;
	KUNIT_ASSERT_EQ(test, 3u, nna_ring_find(ring, &owner, seqnos));
	KUNIT_EXPECT_EQ(test, nna_test->requests[i - 5].req.seqno, seqnos[0]);
	KUNIT_EXPECT_EQ(test, nna_test->requests[i - 3].req.seqno, seqnos[1]);
	KUNIT_EXPECT_EQ(test, nna_test->requests[i - 1].req.seqno, seqnos[2]);

	KUNIT_EXPECT_TRUE(test, nna_ring_detach(ring, &nna_test->requests[i - 3].req));
	KUNIT_ASSERT_EQ(test, 2u, nna_ring_find(ring, &owner, seqnos));
	KUNIT_EXPECT_EQ(test, nna_test->requests[i - 1].req.seqno, seqnos[1]);
	KUNIT_EXPECT_EQ(test, 3u, nna_ring_find(ring, &other, seqnos));
	nna_fake_complete(to_nna_fake(test), ring->index, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 2u, nna_ring_find(ring, &other, seqnos));
}

static void nna_ring_detach_completed(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	nna_fake_complete(to_nna_fake(test), 2, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_FALSE(test, nna_ring_detach(nna_test_ring(test), &nna_test->requests[0].req));
}

static void nna_ring_disable_fails_all(struct kunit *test)
{
	struct nna_ring *ring = nna_test_ring(test);
	unsigned int i;

	for (i = 0; i < 5; i++)
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	nna_fake_complete(to_nna_fake(test), 2, NNA_STATUS_OK, 0);
	nna_ring_disable(ring, -ECANCELED);
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, 1u, nna_test->requests[i].calls);
		KUNIT_EXPECT_EQ(test, i, nna_test->requests[i].order);
		KUNIT_EXPECT_EQ(test, i ? -ECANCELED : 0, nna_test->requests[i].error);
	}
	KUNIT_EXPECT_EQ(test, -EIO, nna_test_push(test));
	nna_ring_disable(ring, -ENODEV);
	KUNIT_EXPECT_EQ(test, 5u, nna_test->completed);
}

static void nna_ring_late_completion_after_disable(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);

	KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	nna_fake_write_completion(fake, 2, NNA_STATUS_OK, 0);
	nna_ring_disable(nna_test_ring(test), -ECANCELED);
	nna_fake_irq(fake, 2);
	KUNIT_EXPECT_EQ(test, 1u, nna_test->requests[0].calls);
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_test->requests[0].error);
}

static void nna_ring_enable_again(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);
	u32 seqno;
	unsigned int i;

	for (i = 0; i < ring->size + 3; i++) {
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
		nna_fake_complete(fake, 2, NNA_STATUS_OK, 0);
	}
	seqno = nna_test->requests[i - 1].req.seqno;
	nna_ring_disable(ring, -ECANCELED);
	KUNIT_ASSERT_EQ(test, 0, nna_ring_enable(ring));
	/* Records of earlier laps do not count as new, and sequence numbers are not reused. */
	KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	KUNIT_EXPECT_EQ(test, seqno + 1, nna_test->requests[i].req.seqno);
	KUNIT_EXPECT_EQ(test, 0, nna_ring_process(ring));
	nna_fake_complete(fake, 2, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 1u, nna_test->requests[i].calls);
}

static void nna_ring_refused(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);

	nna_ring_disable(ring, -ECANCELED);
	fake->refuse_ring = 2;
	KUNIT_EXPECT_EQ(test, -EIO, nna_ring_enable(ring));
	KUNIT_EXPECT_EQ(test, -EIO, nna_test_push(test));
}

static void nna_ring_wrong_seqno(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);

	KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	/* No interrupt: its handler would reset the device. */
	fake->drop_irqs = 1;
	nna_fake_corrupt(fake, 2);
	KUNIT_EXPECT_EQ(test, -EIO, nna_ring_process(ring));
	KUNIT_EXPECT_EQ(test, 0u, nna_test->requests[0].calls);
}

static void nna_ring_seqno_wraps(struct kunit *test)
{
	struct nna_ring *ring = nna_test_ring(test);
	unsigned int i;

	ring->seqno = U32_MAX - 2;
	for (i = 0; i < 6; i++)
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	for (i = 0; i < 6; i++)
		nna_fake_complete(to_nna_fake(test), 2, NNA_STATUS_OK, i);
	KUNIT_EXPECT_EQ(test, 6u, nna_test->completed);
	KUNIT_EXPECT_EQ(test, 2u, nna_test->requests[5].req.seqno);
}

static void nna_ring_counters_wrap(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);
	unsigned int i;

	/* Set the counts to values just before they wrap. */
	ring->tail = 0u - 64;
	ring->done = 0u - 64;
	fake->rings[2].doorbell = 0u - 64;
	fake->rings[2].done = 0u - 64;
	/* The phase bits are those of the lap before. */
	for (i = 0; i < ring->size; i++)
		ring->cq[i].flags = cpu_to_le16(NNA_COMPLETION_PHASE);
	for (i = 0; i < 150; i++) {
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
		KUNIT_ASSERT_EQ(test, 0, nna_ring_process(ring));
		nna_fake_complete(fake, 2, NNA_STATUS_OK, i);
		KUNIT_ASSERT_EQ(test, i + 1, nna_test->completed);
	}
}

/* A reset keeps requests that the device had not begun and that may be resubmitted. */
static void nna_ring_rewinds(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);
	struct nna_ring_entry entry;
	unsigned int i;
	u32 seqno;

	for (i = 0; i < 6; i++) {
		nna_test->requests[i].may_resubmit = i != 4;
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	}
	nna_fake_complete(fake, 2, NNA_STATUS_OK, 0);
	seqno = nna_test->requests[5].req.seqno;
	nna_ring_rewind(ring, 3, -ECANCELED);
	KUNIT_EXPECT_EQ(test, 4u, nna_test->completed);
	for (i = 1; i < 6; i++) {
		bool kept = i == 3 || i == 5;

		KUNIT_EXPECT_EQ(test, !kept, nna_test->requests[i].calls);
		KUNIT_EXPECT_EQ(test, kept ? 0 : -ECANCELED, nna_test->requests[i].error);
	}
	KUNIT_ASSERT_EQ(test, 0, nna_ring_enable(ring));
	KUNIT_EXPECT_EQ(test, 2u, nna_fake_pending(fake, 2));
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, 2, &entry));
	KUNIT_EXPECT_EQ(test, seqno + 1, le32_to_cpu(entry.seqno));
	KUNIT_EXPECT_EQ(test, seqno + 1, nna_test->requests[3].req.seqno);
	KUNIT_EXPECT_EQ(test, seqno + 2, nna_test->requests[5].req.seqno);
	nna_fake_complete(fake, 2, NNA_STATUS_OK, 7);
	nna_fake_complete(fake, 2, NNA_STATUS_OK, 8);
	KUNIT_EXPECT_EQ(test, 1u, nna_test->requests[3].calls);
	KUNIT_EXPECT_EQ(test, 7ull, nna_test->requests[3].detail);
	KUNIT_EXPECT_EQ(test, 8ull, nna_test->requests[5].detail);
}

/* An impossible head, as from a device that is gone: all entries count as begun. */
static void nna_ring_rewinds_by_nonsense(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		nna_test->requests[i].may_resubmit = true;
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	}
	nna_ring_rewind(nna_test_ring(test), U32_MAX, -ECANCELED);
	KUNIT_EXPECT_EQ(test, 3u, nna_test->completed);
}

/* Completes the oldest entry as YIELDED, with what is left of it in memory. */
static void nna_test_yield(struct kunit *test, u32 start)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);

	ring->entries[ring->done & (ring->size - 1)].start = cpu_to_le32(start);
	nna_fake_complete(fake, 2, NNA_STATUS_YIELDED, 0);
}

/* Requests that have yielded are written again, before those that had not been begun. */
static void nna_ring_yields(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);
	static const u8 order[] = { 1, 2, 5 };
	struct nna_ring_entry entry;
	u32 seqno, told = 0;
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, nna_ring_yield(ring, &told));
	for (i = 0; i < 6; i++) {
		nna_test->requests[i].may_resubmit = true;
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	}
	nna_test->requests[3].refuse_yield = true;
	seqno = nna_test->requests[5].req.seqno;
	KUNIT_EXPECT_TRUE(test, nna_ring_yield(ring, &told));
	KUNIT_EXPECT_EQ(test, seqno, told);
	KUNIT_EXPECT_FALSE(test, nna_ring_yield(ring, &told));
	/* One ends nevertheless, two yield, one does not want to, one stays begun, one is not. */
	nna_fake_complete(fake, 2, NNA_STATUS_OK, 0);
	for (i = 1; i < 4; i++)
		nna_test_yield(test, 64 * i);
	KUNIT_EXPECT_EQ(test, NNA_STATUS_YIELDED, nna_test->requests[3].status);
	KUNIT_EXPECT_EQ(test, 2u, nna_test->completed);
	nna_ring_rewind(ring, 5, -ECANCELED);
	KUNIT_EXPECT_EQ(test, 3u, nna_test->completed);
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_test->requests[4].error);
	KUNIT_EXPECT_FALSE(test, nna_ring_yield(ring, &told));
	KUNIT_ASSERT_EQ(test, 0, nna_ring_enable(ring));
	KUNIT_EXPECT_EQ(test, 3u, nna_fake_pending(fake, 2));
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		struct nna_test_request *c = &nna_test->requests[order[i]];

		KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, 2, &entry));
		KUNIT_EXPECT_EQ(test, seqno + 1 + i, le32_to_cpu(entry.seqno));
		KUNIT_EXPECT_EQ(test, seqno + 1 + i, c->req.seqno);
		KUNIT_EXPECT_EQ(test, order[i] < 4 ? 64 * order[i] : 0, le32_to_cpu(entry.start));
		nna_fake_complete(fake, 2, NNA_STATUS_OK, i);
		KUNIT_EXPECT_EQ(test, 1u, c->calls);
		KUNIT_EXPECT_EQ(test, i, c->detail);
	}
}

/* A YIELDED that nobody has asked for is a completion. Entries that have yielded take up room. */
static void nna_ring_yields_on_demand(struct kunit *test)
{
	struct nna_ring *ring = nna_test_ring(test);
	unsigned int i;
	u32 told;

	KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	nna_test_yield(test, 64);
	KUNIT_EXPECT_EQ(test, 0u, nna_test->requests[0].yields);
	KUNIT_EXPECT_EQ(test, NNA_STATUS_YIELDED, nna_test->requests[0].status);
	for (i = 0; i < ring->size; i++)
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	KUNIT_ASSERT_TRUE(test, nna_ring_yield(ring, &told));
	for (i = 0; i < ring->size; i++) {
		nna_test_yield(test, 64);
		KUNIT_ASSERT_EQ(test, -ENOSPC, nna_test_push(test));
	}
	KUNIT_EXPECT_EQ(test, 1u, nna_test->completed);
	nna_ring_disable(ring, -ENODEV);
	KUNIT_EXPECT_EQ(test, 1 + ring->size, nna_test->completed);
	for (i = 1; i <= ring->size; i++) {
		KUNIT_EXPECT_EQ(test, 1u, nna_test->requests[i].calls);
		KUNIT_EXPECT_EQ(test, -ENODEV, nna_test->requests[i].error);
	}
}

/* Requests that may not be written again by then end; the others move up. */
static void nna_ring_rewrites(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *ring = nna_test_ring(test);
	unsigned int i;

	for (i = 0; i < 4; i++) {
		nna_test->requests[i].may_resubmit = true;
		nna_test->requests[i].refuse_rewrite = i % 2 == 0;
		KUNIT_ASSERT_EQ(test, 0, nna_test_push(test));
	}
	nna_ring_rewind(ring, 0, -EIO);
	KUNIT_EXPECT_EQ(test, 0u, nna_test->completed);
	KUNIT_ASSERT_EQ(test, 0, nna_ring_enable(ring));
	KUNIT_EXPECT_EQ(test, 2u, nna_test->completed);
	KUNIT_EXPECT_EQ(test, 2u, nna_fake_pending(fake, 2));
	nna_fake_complete(fake, 2, NNA_STATUS_OK, 1);
	nna_fake_complete(fake, 2, NNA_STATUS_OK, 3);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, 1u, nna_test->requests[i].calls);
		KUNIT_EXPECT_EQ(test, i % 2 ? 0 : -ECANCELED, nna_test->requests[i].error);
		KUNIT_EXPECT_EQ(test, i % 2 ? i : 0, nna_test->requests[i].detail);
	}
}

static void nna_ring_test_exit(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);

	/* The requests are in memory that is freed with the test. */
	if (fake && fake->nna)
		nna_ring_disable(nna_test_ring(test), -ECANCELED);
	nna_fake_exit(test);
}

static struct kunit_case nna_ring_cases[] = {
	KUNIT_CASE(nna_ring_writes_entries),
	KUNIT_CASE(nna_ring_completes),
	KUNIT_CASE(nna_ring_completes_in_order),
	KUNIT_CASE(nna_ring_many_laps),
	KUNIT_CASE(nna_ring_full),
	KUNIT_CASE(nna_ring_process_counts),
	KUNIT_CASE(nna_ring_detach_waiting),
	KUNIT_CASE(nna_ring_finds_entries),
	KUNIT_CASE(nna_ring_detach_completed),
	KUNIT_CASE(nna_ring_disable_fails_all),
	KUNIT_CASE(nna_ring_late_completion_after_disable),
	KUNIT_CASE(nna_ring_enable_again),
	KUNIT_CASE(nna_ring_refused),
	KUNIT_CASE(nna_ring_wrong_seqno),
	KUNIT_CASE(nna_ring_seqno_wraps),
	KUNIT_CASE(nna_ring_counters_wrap),
	KUNIT_CASE(nna_ring_rewinds),
	KUNIT_CASE(nna_ring_rewinds_by_nonsense),
	KUNIT_CASE(nna_ring_yields),
	KUNIT_CASE(nna_ring_yields_on_demand),
	KUNIT_CASE(nna_ring_rewrites),
	{}
};

static struct kunit_suite nna_ring_suite = {
	.name = "nna_ring",
	.init = nna_ring_test_init,
	.exit = nna_ring_test_exit,
	.test_cases = nna_ring_cases,
};
kunit_test_suite(nna_ring_suite);
