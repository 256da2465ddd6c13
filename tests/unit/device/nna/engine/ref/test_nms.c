// SPDX-License-Identifier: MIT
/* NMS: random boxes against a plain computation in double, limits, hostile parameters. */
#include "tests/unit/device/nna/engine/case.h"

enum { MOST_ROWS = 12, MOST_CLASSES = 4, MOST_KEPT = MOST_ROWS * MOST_CLASSES };

struct kept {
	uint32_t row, class;
	double score;
	enum { LEFT, CHOSEN, TOLD } state;
};

static const struct nnadev_engine_operand *nms_operand(uint32_t i)
{
	return &c.cmd.operands[i];
}

static double nms_area(const double *a)
{
	return (a[2] - a[0]) * (a[3] - a[1]);
}

static void nms_box(uint32_t b, uint32_t row, uint32_t class, double *box)
{
	for (uint32_t k = 0; k < 4; k++)
		box[k] = value(nms_operand(NNAHW_NMS_BOXES), (uint32_t[]){ b, row, class, k });
}

static double nms_overlap(uint32_t b, uint32_t i, uint32_t k, uint32_t class)
{
	double x[4], y[4], w, h;

	nms_box(b, i, class, x);
	nms_box(b, k, class, y);
	w = fmax(fmin(x[2], y[2]) - fmax(x[0], y[0]), 0);
	h = fmax(fmin(x[3], y[3]) - fmax(x[1], y[1]), 0);
	return w * h / (nms_area(x) + nms_area(y) - w * h);
}

static double nms_score(uint32_t b, uint32_t row, uint32_t class, bool any_class)
{
	const struct nnadev_engine_operand *o = nms_operand(NNAHW_NMS_SCORES);
	double best = -INFINITY;

	if (!any_class)
		return value(o, (uint32_t[]){ b, row, class });
	for (uint32_t k = 0; k < o->desc.dims[2]; k++)
		best = fmax(best, value(o, (uint32_t[]){ b, row, k }));
	return best;
}

/* Rows [from, to) are a group; adds what a class keeps of it. */
static uint32_t nms_class(uint32_t b, uint32_t from, uint32_t to, uint32_t class, struct kept *kept)
{
	const struct nnahw_cmd_nms *p = (const void *)c.raw;
	const struct nnadev_engine_operand *mask = nms_operand(NNAHW_NMS_MASK);
	double score[MOST_ROWS];
	bool alive[MOST_ROWS], candidate[MOST_ROWS];
	uint32_t count = 0;

	for (uint32_t i = from; i < to; i++) {
		score[i] = nms_score(b, i, class, p->depth);
		candidate[i] = score[i] > (double)p->score_min;
	}
	for (uint32_t i = from; i < to; i++) {
		uint32_t better = 0;

		for (uint32_t k = from; k < to; k++)
			better += candidate[k] &&
				  (score[k] > score[i] || (score[k] == score[i] && k < i));
		alive[i] = candidate[i] && (!p->candidates || better < p->candidates) &&
			   (mask->desc.type == NNAHW_TYPE_NONE ||
			    number(mask, (uint32_t[]){ b, i }));
	}
	while (count < p->most_of_class) {
		uint32_t best = to;

		for (uint32_t i = from; i < to; i++)
			if (alive[i] && (best == to || score[i] > score[best]))
				best = i;
		if (best == to)
			break;
		alive[best] = false;
		kept[count++] = (struct kept){ best, class, score[best], LEFT };
		for (uint32_t i = from; i < to; i++) {
			double overlap = nms_overlap(b, i, best, class), factor = 1;

			if (!alive[i])
				continue;
			if (p->kind == NNAHW_NMS_SUPPRESS)
				alive[i] = !(overlap >= (double)p->threshold);
			else if (p->kind == NNAHW_NMS_GAUSSIAN)
				factor = exp(-overlap * overlap / (double)p->sigma);
			else if (!(overlap < (double)p->threshold))
				factor = p->kind == NNAHW_NMS_HARD ? 0 : 1 - overlap;
			score[i] *= factor;
			if (score[i] < (double)p->score_floor)
				alive[i] = false;
		}
	}
	return count;
}

static void nms_expect(uint32_t b, uint32_t at, const struct kept *k, uint32_t class, double score)
{
	const struct nnahw_cmd_nms *p = (const void *)c.raw;
	const struct nnadev_engine_operand *groups = nms_operand(NNAHW_NMS_GROUPS),
					*scores = nms_operand(NNAHW_NMS_KEPT_SCORES);
	double slack = is_float(scores->desc.type) ? 1e-5 : 0.500001 * (double)scores->desc.scale;
	double group = 0;

	if (k && groups->desc.type != NNAHW_TYPE_NONE)
		group = number(groups, (uint32_t[]){ b, k->row });
	if (!(fabs(value(scores, (uint32_t[]){ b, at }) - score) <= slack))
		fail_msg("entry %u has score %g, not %g", at, value(scores, (uint32_t[]){ b, at }),
			 score);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(value(nms_operand(NNAHW_NMS_KEPT_BOXES), (uint32_t[]){ b, at, i }) ==
			    (k ? value(nms_operand(NNAHW_NMS_BOXES),
				       (uint32_t[]){ b, k->row, k->class, i })
			       : 0));
	assert_true(number(nms_operand(NNAHW_NMS_KEPT_CLASSES), (uint32_t[]){ b, at }) ==
		    (k ? (double)class + p->class_base : 0));
	assert_true(number(nms_operand(NNAHW_NMS_KEPT_GROUPS), (uint32_t[]){ b, at }) == group);
}

/* The best classes of a row, from the best on. */
static uint32_t nms_expect_classes(uint32_t b, uint32_t at, const struct kept *k)
{
	const struct nnahw_cmd_nms *p = (const void *)c.raw;
	uint32_t classes = nms_operand(NNAHW_NMS_SCORES)->desc.dims[2], told = 0, count = 0;

	while (count < p->depth && count < classes) {
		uint32_t best = classes;

		for (uint32_t i = 0; i < classes; i++)
			if (!(told >> i & 1) &&
			    (best == classes ||
			     nms_score(b, k->row, i, false) > nms_score(b, k->row, best, false)))
				best = i;
		told |= 1u << best;
		nms_expect(b, at + count++, k, best, nms_score(b, k->row, best, false));
	}
	return count;
}

static bool nms_before(const struct kept *x, const struct kept *y, bool by_class)
{
	if (by_class && x->class != y->class)
		return x->class < y->class;
	if (x->score != y->score)
		return x->score > y->score;
	return x->class != y->class ? x->class < y->class : x->row < y->row;
}

/* The next one in order among those in a state. */
static struct kept *nms_next(struct kept *kept, uint32_t count, uint32_t state, bool by_class)
{
	struct kept *best = NULL;

	for (uint32_t i = 0; i < count; i++)
		if (kept[i].state == state && (!best || nms_before(&kept[i], best, by_class)))
			best = &kept[i];
	return best;
}

static uint32_t nms_verify_batch(uint32_t b, uint32_t room)
{
	const struct nnahw_cmd_nms *p = (const void *)c.raw;
	const struct nnadev_engine_operand *groups = nms_operand(NNAHW_NMS_GROUPS);
	const uint32_t *dims = nms_operand(NNAHW_NMS_SCORES)->desc.dims;
	uint32_t used = 0;

	for (uint32_t from = 0, to; from < dims[1]; from = to) {
		struct kept kept[MOST_KEPT], *next;
		uint32_t count = 0, left;

		for (to = from + 1; to < dims[1]; to++)
			if (groups->desc.type != NNAHW_TYPE_NONE &&
			    number(groups, (uint32_t[]){ b, to }) !=
				    number(groups, (uint32_t[]){ b, from }))
				break;
		for (uint32_t k = 0; k < (p->depth ? 1 : dims[2]); k++)
			count += nms_class(b, from, to, k, kept + count);
		for (left = p->most; left && (next = nms_next(kept, count, LEFT, false)); left--)
			next->state = CHOSEN;
		while ((next = nms_next(kept, count, CHOSEN, p->by_class))) {
			next->state = TOLD;
			if (p->depth)
				used += nms_expect_classes(b, used, next);
			else
				nms_expect(b, used++, next, next->class, next->score);
		}
	}
	for (uint32_t i = used; i < room; i++)
		nms_expect(b, i, NULL, 0, 0);
	return used;
}

static void nms_init(uint32_t batches, uint32_t rows, uint32_t classes, uint32_t room)
{
	static const uint32_t types[] = { NNAHW_TYPE_F32, NNAHW_TYPE_U8 };
	uint32_t type = types[rng_next(&r) % 2],
		 box = type == NNAHW_TYPE_U8 ? NNAHW_TYPE_U16 : NNAHW_TYPE_F32;
	const uint32_t kept[] = { batches, room, 4 }, in[] = { batches, rows, classes, 4 };
	struct nnadev_engine_operand *scores;

	call_init(&c, NNAHW_OP_NMS, sizeof(struct nnahw_cmd_nms), 9);
	call_operand(&c, &r, NNAHW_NMS_COUNT, NNAHW_TYPE_S32, 1, kept, spread());
	call_operand(&c, &r, NNAHW_NMS_KEPT_SCORES, type, 2, kept, spread());
	call_operand(&c, &r, NNAHW_NMS_KEPT_BOXES, box, 3, kept, spread());
	call_operand(&c, &r, NNAHW_NMS_KEPT_CLASSES, NNAHW_TYPE_S32, 2, kept, spread());
	call_operand(&c, &r, NNAHW_NMS_KEPT_GROUPS, NNAHW_TYPE_S32, 2, kept, spread());
	scores = call_operand(&c, &r, NNAHW_NMS_SCORES, type, 3, in, spread());
	operand_floats(&c, &r, NNAHW_NMS_SCORES, 0, 1);
	call_operand(&c, &r, NNAHW_NMS_BOXES, box, 4, in, spread());
	if (flip())
		call_operand(&c, &r, NNAHW_NMS_GROUPS, NNAHW_TYPE_S32, 2, in, spread());
	if (flip())
		call_operand(&c, &r, NNAHW_NMS_MASK, NNAHW_TYPE_BOOL8, 2, in, spread());
	if (type == NNAHW_TYPE_U8) {
		operand_quantise(scores, 1.0f / 256, 0);
		operand_quantise(&c.cmd.operands[NNAHW_NMS_KEPT_SCORES], 1.0f / 256, 0);
		operand_quantise(&c.cmd.operands[NNAHW_NMS_BOXES], 0.125f, 0);
		operand_quantise(&c.cmd.operands[NNAHW_NMS_KEPT_BOXES], 0.125f, 0);
	}
}

static void nms_fill(uint32_t batches, uint32_t rows, uint32_t classes)
{
	uint32_t index[4] = { 0 };
	int group = 0;

	if (!c.cmd.operands[NNAHW_NMS_SCORES].count)
		return;
	for (index[0] = 0; index[0] < batches; index[0]++)
		for (index[1] = 0; index[1] < rows; index[1]++) {
			group += rng_next(&r) % 4 == 0;
			if (c.cmd.operands[NNAHW_NMS_GROUPS].desc.type)
				set_number(&c.cmd.operands[NNAHW_NMS_GROUPS], index, group);
			if (c.cmd.operands[NNAHW_NMS_MASK].desc.type)
				set_number(&c.cmd.operands[NNAHW_NMS_MASK], index,
					   rng_next(&r) % 4 != 0);
			for (index[2] = 0; index[2] < classes; index[2]++) {
				int64_t x = rng_range(&r, 0, 8), y = rng_range(&r, 0, 8);
				const double box[] = { x, y, x + rng_range(&r, 3, 8),
						       y + rng_range(&r, 3, 8) };

				for (index[3] = 0; index[3] < 4; index[3]++)
					set_number(&c.cmd.operands[NNAHW_NMS_BOXES], index,
						   box[index[3]]);
			}
		}
}

static void test_nms(void **state)
{
	struct nnahw_cmd_nms *p = (struct nnahw_cmd_nms *)c.raw;

	r.state = 52;
	for (int i = 0; i < 1500; i++) {
		uint32_t batches = (uint32_t)rng_range(&r, 1, 2),
			 rows = (uint32_t)rng_range(&r, 0, MOST_ROWS);
		uint32_t classes = (uint32_t)rng_range(&r, 1, MOST_CLASSES);

		nms_init(batches, rows, classes, MOST_KEPT);
		nms_fill(batches, rows, classes);
		p->kind = rng_next(&r) % 4;
		p->by_class = flip();
		p->candidates = flip() ? 0 : (uint32_t)rng_range(&r, 1, MOST_ROWS);
		p->most_of_class = flip() ? UINT32_MAX : (uint32_t)rng_range(&r, 0, 6);
		p->most = flip() ? UINT32_MAX : (uint32_t)rng_range(&r, 0, 9);
		p->depth = flip() ? 0 : (uint32_t)rng_range(&r, 1, MOST_CLASSES);
		p->class_base = (int32_t)rng_range(&r, -1, 1);
		p->score_min = flip() ? -INFINITY : 0.25f;
		p->score_floor = flip() ? -INFINITY : 0.3f;
		p->threshold = rng_float(&r, 0.1f, 0.6f);
		p->sigma = 0.5f;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		for (uint32_t b = 0; b < batches; b++)
			assert_true(number(nms_operand(NNAHW_NMS_COUNT), &b) ==
				    nms_verify_batch(b, MOST_KEPT));
		call_free(&c);
	}
}

/* More are kept than there is room for; more boxes than the command takes. */
static void test_nms_limits(void **state)
{
	struct nnahw_cmd_nms *p = (struct nnahw_cmd_nms *)c.raw;

	r.state = 53;
	nms_init(1, 8, 2, 15);
	nms_fill(1, 8, 2);
	p->most = p->most_of_class = UINT32_MAX;
	p->score_min = p->score_floor = -INFINITY;
	p->threshold = 2;
	p->kind = NNAHW_NMS_SUPPRESS;
	if (c.cmd.operands[NNAHW_NMS_MASK].desc.type)
		memset(c.buffers[NNAHW_NMS_MASK], 1, c.sizes[NNAHW_NMS_MASK]);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OUTPUT_SIZE);
	p->most_of_class = 7;
	p->most = 15;
	if (!c.cmd.operands[NNAHW_NMS_GROUPS].desc.type)
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	p->by_class = 2;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
	call_free(&c);

	nms_init(1, 0, 0, 1);
	for (uint32_t i = NNAHW_NMS_SCORES; i <= NNAHW_NMS_BOXES; i++) {
		c.cmd.operands[i].desc.dims[1] = 0;
		c.cmd.operands[i].desc.dims[2] = NNAHW_LIMIT_NMS_SCORES + 1;
	}
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

/* Operands of nearly fitting shapes with any bytes in them, and any parameters. */
static void test_nms_hostile(void **state)
{
	int ok = 0, refused = 0;

	r.state = 54;
	for (int i = 0; i < 4000; i++) {
		uint32_t status;

		nms_init((uint32_t)rng_range(&r, 0, 2), (uint32_t)rng_range(&r, 0, 9),
			 (uint32_t)rng_range(&r, 0, 3), (uint32_t)rng_range(&r, 0, 30));
		status = run_hostile(sizeof(struct nnahw_cmd_nms), 0, 6);
		ok += status == NNAHW_STATUS_OK;
		refused += status != NNAHW_STATUS_OK;
		call_free(&c);
	}
	print_message("%d ran, %d refused\n", ok, refused);
	assert_true(ok > 500 && refused > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nms),
		cmocka_unit_test(test_nms_limits),
		cmocka_unit_test(test_nms_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
