// SPDX-License-Identifier: MIT
/*
 * BOX_WITH_NMS_LIMIT, DETECTION_POSTPROCESSING, GENERATE_PROPOSALS. The text does not say in which
 * order boxes are kept; here it is that of the published vectors. Numbers so close to each other
 * that fp32 may choose differently are refused with -EDOM.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/eval_box.h"

#define U NNR_EVAL_U

enum kernel { HARD, LINEAR, GAUSSIAN };

struct candidate {
	uint32_t row, class;
	double score;
	struct nnr_eval_box box;
};

/* Candidates; after nms() those that are kept, best first. */
struct list {
	struct candidate *at;
	uint32_t count;
};

struct rule {
	enum kernel kernel;
	double threshold, sigma, floor;
	uint32_t most;
};

static double overlap(const struct nnr_eval_box *a, const struct nnr_eval_box *b)
{
	double common = 1, area_a = 1, area_b = 1;

	for (int k = 0; k < 2; k++) {
		common *= fmax(0, fmin(a->high[k], b->high[k]) - fmax(a->low[k], b->low[k]));
		area_a *= a->high[k] - a->low[k];
		area_b *= b->high[k] - b->low[k];
	}
	return common / (area_a + area_b - common);
}

static void swap(struct candidate *a, struct candidate *b)
{
	struct candidate old = *a;

	*a = *b;
	*b = old;
}

/* Puts the best of [from, count) at @from. */
static int choose(struct list *list, uint32_t from)
{
	for (uint32_t i = from + 1; i < list->count; i++) {
		if (list->at[i].score > list->at[from].score)
			swap(&list->at[i], &list->at[from]);
	}
	for (uint32_t i = from + 1; i < list->count; i++) {
		if (nnr_eval_too_close(list->at[i].score, list->at[from].score))
			return -EDOM;
	}
	return 0;
}

/* Keeps the best @most, best first. */
static int sort(struct list *list, uint32_t most)
{
	uint32_t count = most < list->count ? most : list->count;
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++)
		ret = choose(list, i);
	list->count = count;
	return ret;
}

/* The score of a box that overlaps with one that is kept. */
static double decay(const struct rule *rule, double score, double iou)
{
	switch (rule->kernel) {
	case HARD:
		return iou < rule->threshold ? score : -INFINITY;
	case LINEAR:
		return iou < rule->threshold ? score : score * (1 - iou);
	default:
		return score * exp(-iou * iou / rule->sigma);
	}
}

static int nms(const struct rule *rule, struct list *list)
{
	uint32_t kept = 0;

	for (; kept < list->count && kept < rule->most; kept++) {
		uint32_t left = kept + 1;
		int ret = choose(list, kept);

		if (ret)
			return ret;
		for (uint32_t i = left; i < list->count; i++) {
			struct candidate *c = &list->at[i];
			double iou = overlap(&c->box, &list->at[kept].box);

			if (isnan(iou) ||
			    (rule->kernel != GAUSSIAN && nnr_eval_too_close(iou, rule->threshold)))
				return -EDOM;
			c->score = decay(rule, c->score, iou);
			if (isinf(c->score))
				continue;
			if (nnr_eval_too_close(c->score, rule->floor))
				return -EDOM;
			if (c->score > rule->floor)
				list->at[left++] = *c;
		}
		list->count = left;
	}
	list->count = kept;
	return 0;
}

/* Adds a candidate unless its score is below @least. */
static int add(struct list *list, const struct candidate *c, double least)
{
	if (nnr_eval_too_close(c->score, least))
		return -EDOM;
	if (c->score > least)
		list->at[list->count++] = *c;
	return 0;
}

static int by_class(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->score > b->score ? -1 : 1;
}

/* ---- BOX_WITH_NMS_LIMIT */

/* Rows [begin, end), all of one image: appends to @kept. Class 0 is the background. */
static int limit_image(const struct nnr_eval *e, uint32_t begin, uint32_t end,
		       struct candidate *room, struct list *kept)
{
	int64_t limit = nnr_eval_int(e, 4, -1);
	uint32_t classes = e->in[0].dims[1], most = limit < 0 ? UINT32_MAX : (uint32_t)limit;
	struct rule rule = { .kernel = (enum kernel)nnr_eval_int(e, 5, 0),
			     .threshold = nnr_eval_scalar(e, 6, 0),
			     .sigma = nnr_eval_scalar(e, 7, 0),
			     .floor = nnr_eval_scalar(e, 8, 0),
			     .most = most };
	struct list all = { .at = kept->at + kept->count };
	int ret = 0;

	for (uint32_t class = 1; class < classes && !ret; class ++) {
		struct list list = { .at = room };

		for (uint32_t row = begin; row < end && !ret; row++) {
			size_t i = (size_t)row * classes + class;
			struct candidate c = { row, class, e->in[0].v[i],
					       nnr_eval_box_load(e->in[1].v + 4 * i) };

			ret = add(&list, &c, nnr_eval_scalar(e, 3, 0));
		}
		if (!ret)
			ret = nms(&rule, &list);
		for (uint32_t i = 0; i < list.count; i++)
			all.at[all.count++] = list.at[i];
	}
	if (!ret && all.count > most)
		ret = sort(&all, most);
	qsort(all.at, all.count, sizeof(all.at[0]), by_class);
	kept->count += all.count;
	return ret;
}

/*
 * scores [n, classes], boxes [n, classes * 4], image of each row [n], least score, most boxes,
 * kernel, threshold, sigma, least score of what is left -> scores, boxes, classes, images
 */
static int limit_all(struct nnr_eval *e, struct candidate *room, struct list *kept)
{
	const struct nnr_eval_tensor *image = &e->in[2];
	uint32_t n = e->in[0].dims[0], begin = 0;
	int ret = 0;

	while (begin < n && !ret) {
		uint32_t end = begin;

		while (end < n && image->v[end] == image->v[begin])
			end++;
		ret = limit_image(e, begin, end, room, kept);
		begin = end;
	}
	for (uint32_t i = 0; i < 4 && !ret; i++)
		ret = nnr_eval_out(e, i, i == 1 ? 2 : 1, (uint32_t[]){ kept->count, 4 });
	e->out[0].exact = nnr_eval_int(e, 5, 0) == HARD;
	e->out[1].exact = true;
	for (uint32_t i = 0; i < kept->count && !ret; i++) {
		e->out[0].v[i] = kept->at[i].score;
		e->out[0].err[i] = 64 * U;
		nnr_eval_box_put(&e->out[1], i, &kept->at[i].box);
		e->out[2].v[i] = kept->at[i].class;
		e->out[3].v[i] = image->v[kept->at[i].row];
	}
	return ret;
}

static int eval_limit(struct nnr_eval *e)
{
	const uint32_t *scores = e->in[0].dims, *boxes = e->in[1].dims;
	struct list kept = { 0 };
	struct candidate *room;
	int ret = -ENOMEM;

	if (e->in[0].rank != 2 || e->in[1].rank != 2 || scores[1] < 2 || boxes[0] != scores[0] ||
	    boxes[1] != 4 * scores[1] || e->in[2].count != scores[0] ||
	    nnr_eval_int(e, 5, 0) > GAUSSIAN)
		return -EINVAL;
	/* Two NMS kernels divide or compare by a number that must be one. */
	if (!(nnr_eval_scalar(e, 7, 0) > 0) || !(nnr_eval_scalar(e, 8, 0) > 0))
		return -EDOM;
	room = calloc(e->in[0].count + 1, sizeof(*room));
	kept.at = calloc(e->in[0].count + 1, sizeof(*kept.at));
	if (room && kept.at)
		ret = limit_all(e, room, &kept);
	free(room);
	free(kept.at);
	return ret;
}

/* ---- DETECTION_POSTPROCESSING; directions: 0 is y, 1 is x */

static struct nnr_eval_box decode(const struct nnr_eval *e, uint32_t b, uint32_t anchor)
{
	const struct nnr_eval_tensor *deltas = &e->in[1];
	const double *a = e->in[2].v + 4 * (size_t)anchor;
	const double *delta = deltas->v + ((size_t)b * deltas->dims[1] + anchor) * deltas->dims[2];
	struct nnr_eval_box box = { .err = 0 };

	for (uint32_t k = 0; k < 2; k++) {
		double grow = delta[2 + k] / nnr_eval_scalar(e, 5 + k, 1);
		double move = delta[k] / nnr_eval_scalar(e, 3 + k, 1) * a[2 + k];
		double reach = exp(grow) * a[2 + k] / 2;

		box.low[k] = a[k] + move - reach;
		box.high[k] = a[k] + move + reach;
		box.err += 16 * U * (fabs(a[k]) + fabs(move) + fabs(reach) * (2 + fabs(grow)));
	}
	return box;
}

static double score_of(const struct nnr_eval *e, uint32_t b, uint32_t row, uint32_t class)
{
	const uint32_t *d = e->in[0].dims;

	return e->in[0].v[((size_t)b * d[1] + row) * d[2] + class];
}

/* Boxes compete within their class. */
static int detect_regular(const struct nnr_eval *e, uint32_t b, struct rule rule,
			  struct candidate *room, struct list *kept)
{
	const uint32_t *d = e->in[0].dims;
	int ret = 0;

	rule.most = (uint32_t)nnr_eval_int(e, 10, 0);
	for (uint32_t class = 1; class < d[2] && !ret; class ++) {
		struct list list = { .at = room };

		for (uint32_t row = 0; row < d[1] && !ret; row++) {
			struct candidate c = { row, class, score_of(e, b, row, class),
					       decode(e, b, row) };

			ret = add(&list, &c, nnr_eval_scalar(e, 11, 0));
		}
		if (!ret)
			ret = nms(&rule, &list);
		for (uint32_t i = 0; i < list.count; i++)
			kept->at[kept->count++] = list.at[i];
	}
	return ret ? ret : sort(kept, (uint32_t)nnr_eval_int(e, 8, 0));
}

/* The best class of each anchor competes; of those kept the @most best classes are told. */
static int detect_fast(const struct nnr_eval *e, uint32_t b, struct rule rule,
		       struct candidate *room, struct list *kept)
{
	uint32_t most = (uint32_t)nnr_eval_int(e, 9, 0);
	const uint32_t *d = e->in[0].dims;
	struct list list = { .at = room };
	int ret = 0;

	rule.most = (uint32_t)nnr_eval_int(e, 8, 0);
	for (uint32_t row = 0; row < d[1] && !ret; row++) {
		struct candidate c = { row, 1, score_of(e, b, row, 1), decode(e, b, row) };

		for (uint32_t class = 2; class < d[2]; class ++)
			c.score = fmax(c.score, score_of(e, b, row, class));
		ret = add(&list, &c, nnr_eval_scalar(e, 11, 0));
	}
	if (!ret)
		ret = nms(&rule, &list);
	for (uint32_t i = 0; i < list.count && !ret; i++) {
		struct list classes = { .at = kept->at + kept->count };

		for (uint32_t class = 1; class < d[2]; class ++) {
			struct candidate *c = &classes.at[classes.count++];

			*c = list.at[i];
			c->class = class;
			c->score = score_of(e, b, c->row, class);
		}
		ret = sort(&classes, most);
		kept->count += classes.count;
	}
	return ret;
}

/* The text does not say what stands in rows that are not used. */
static void put_detections(struct nnr_eval *e, uint32_t b, const struct list *kept)
{
	uint32_t room = e->out[0].dims[1], first_label = nnr_eval_int(e, 13, 0) ? 0 : 1;
	const struct nnr_eval_box unused = { .err = INFINITY };

	for (uint32_t i = 0; i < room; i++) {
		size_t at = (size_t)b * room + i;

		if (i < kept->count) {
			e->out[0].v[at] = kept->at[i].score;
			nnr_eval_box_put(&e->out[1], at, &kept->at[i].box);
			e->out[2].v[at] = kept->at[i].class - first_label;
		} else {
			e->out[0].err[at] = INFINITY;
			nnr_eval_box_put(&e->out[1], at, &unused);
			e->out[2].err[at] = INFINITY;
		}
	}
	e->out[3].v[b] = kept->count;
}

/*
 * scores [batch, anchors, classes], deltas [batch, anchors, 4 or more], anchors [anchors, 4],
 * scales of the deltas, regular, most detections, most classes, most detections of a class, least
 * score, threshold, labels have the background -> scores, boxes, labels, counts
 */
static int eval_detection(struct nnr_eval *e)
{
	const uint32_t *d = e->in[0].dims, *deltas = e->in[1].dims;
	struct rule rule = { .threshold = nnr_eval_scalar(e, 12, 0), .floor = -INFINITY };
	bool regular = nnr_eval_int(e, 7, 0);
	uint32_t batch = d[0];
	int64_t most = nnr_eval_int(e, 8, 0) * (regular ? 1 : nnr_eval_int(e, 9, 0));
	struct candidate *room, *kept;
	int ret;

	if (e->in[0].rank != 3 || e->in[1].rank != 3 || d[2] < 2 || deltas[0] != batch ||
	    deltas[1] != d[1] || deltas[2] < 4 || !(most > 0) || most > NNR_MAX_ELEMENTS ||
	    e->in[2].rank != 2 || e->in[2].dims[0] != d[1] || e->in[2].dims[1] != 4)
		return -EINVAL;
	ret = nnr_eval_out(e, 3, 1, &batch);
	for (uint32_t i = 0; i < 3 && !ret; i++)
		ret = nnr_eval_out(e, i, i == 1 ? 3 : 2, (uint32_t[]){ batch, (uint32_t)most, 4 });
	e->out[0].exact = true;
	room = calloc(e->in[0].count + 1, sizeof(*room));
	kept = calloc(e->in[0].count + 1, sizeof(*kept));
	if (!room || !kept)
		ret = -ENOMEM;
	for (uint32_t b = 0; b < batch && !ret; b++) {
		struct list list = { .at = kept };

		ret = (regular ? detect_regular : detect_fast)(e, b, rule, room, &list);
		if (!ret)
			put_detections(e, b, &list);
	}
	free(room);
	free(kept);
	return ret;
}

/* ---- GENERATE_PROPOSALS */

/* Whether all anchors are boxes, and all images have a size. */
static bool is_proposable(const struct nnr_eval *e)
{
	for (uint32_t i = 0; i < e->in[2].dims[0]; i++) {
		struct nnr_eval_box box = nnr_eval_box_load(e->in[2].v + 4 * (size_t)i);

		for (uint32_t k = 0; k < e->in[3].dims[0]; k++) {
			if (!nnr_eval_box_valid(&box, e->in[3].v + 2 * (size_t)k))
				return false;
		}
	}
	return true;
}

/* The box of anchor @a at (y, x). */
static struct nnr_eval_box propose(const struct nnr_eval *e, uint32_t image, const double *delta,
				   uint32_t y, uint32_t x, uint32_t a)
{
	const double *size = e->in[3].v + 2 * (size_t)image;
	double shift[] = { x * nnr_eval_scalar(e, 5, 1), y * nnr_eval_scalar(e, 4, 1) };
	struct nnr_eval_box box = nnr_eval_box_load(e->in[2].v + 4 * (size_t)a);

	for (int k = 0; k < 2; k++) {
		box.low[k] += shift[k];
		box.high[k] += shift[k];
	}
	return nnr_eval_box_move(box, delta, (double[]){ size[1], size[0] });
}

static void fill_image(const struct nnr_eval *e, uint32_t image, struct list *list)
{
	bool nchw = nnr_eval_int(e, 10, 0);
	const uint32_t *d = e->in[0].dims;
	uint32_t h = d[nchw ? 2 : 1], w = d[nchw ? 3 : 2], anchors = d[nchw ? 1 : 3];

	for (uint32_t i = 0; i < h * w * anchors; i++) {
		uint32_t y = i / anchors / w, x = i / anchors % w, a = i % anchors;
		uint32_t nhwc_at[] = { image, y, x, a }, nchw_at[] = { image, a, y, x };
		struct candidate *c = &list->at[list->count++];
		double delta[4];

		*c = (struct candidate){ .row = image };
		c->score = e->in[0].v[nnr_eval_ravel(4, d, nchw ? nchw_at : nhwc_at)];
		for (uint32_t k = 0; k < 4; k++) {
			nhwc_at[3] = nchw_at[1] = 4 * a + k;
			delta[k] = e->in[1].v[nnr_eval_ravel(4, e->in[1].dims,
							     nchw ? nchw_at : nhwc_at)];
		}
		c->box = propose(e, image, delta, y, x, a);
	}
}

/* Drops boxes smaller than the least size. */
static int drop_small(struct list *list, double least)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct nnr_eval_box *box = &list->at[i].box;
		double w = box->high[0] - box->low[0], h = box->high[1] - box->low[1];

		if (nnr_eval_too_close(w, least) || nnr_eval_too_close(h, least))
			return -EDOM;
		if (w > least && h > least)
			list->at[left++] = list->at[i];
	}
	list->count = left;
	return 0;
}

/*
 * scores [images, h, w, anchors], deltas [images, h, w, anchors * 4], anchors [anchors, 4], image
 * sizes [images, 2], ratios (height, width), most before NMS and after, threshold, least size, nchw
 * -> scores, boxes, images
 */
static int generate(struct nnr_eval *e, struct list *kept)
{
	int64_t before = nnr_eval_int(e, 6, 0), after = nnr_eval_int(e, 7, 0);
	struct rule rule = { .threshold = nnr_eval_scalar(e, 8, 0),
			     .floor = -INFINITY,
			     .most = after > 0 ? (uint32_t)after : UINT32_MAX };
	int ret = 0;

	for (uint32_t image = 0; image < e->in[0].dims[0] && !ret; image++) {
		struct list list = { .at = kept->at + kept->count };

		fill_image(e, image, &list);
		if (before > 0 && list.count > before)
			ret = sort(&list, (uint32_t)before);
		if (!ret)
			ret = drop_small(&list, nnr_eval_scalar(e, 9, 0));
		if (!ret)
			ret = nms(&rule, &list);
		kept->count += list.count;
	}
	for (uint32_t i = 0; i < 3 && !ret; i++)
		ret = nnr_eval_out(e, i, i == 1 ? 2 : 1, (uint32_t[]){ kept->count, 4 });
	e->out[0].exact = true;
	for (uint32_t i = 0; i < kept->count && !ret; i++) {
		e->out[0].v[i] = kept->at[i].score;
		nnr_eval_box_put(&e->out[1], i, &kept->at[i].box);
		e->out[2].v[i] = kept->at[i].row;
	}
	return ret;
}

static int eval_generate(struct nnr_eval *e)
{
	const uint32_t *d = e->in[0].dims, *deltas = e->in[1].dims;
	uint32_t c = nnr_eval_int(e, 10, 0) ? 1 : 3;
	struct list kept = { 0 };
	int ret = -ENOMEM;

	if (e->in[0].rank != 4 || e->in[1].rank != 4 || e->in[2].rank != 2 || e->in[3].rank != 2 ||
	    e->in[2].dims[0] != d[c] || e->in[2].dims[1] != 4 || e->in[3].dims[0] != d[0] ||
	    e->in[3].dims[1] != 2 || !is_proposable(e))
		return -EINVAL;
	for (uint32_t k = 0; k < 4; k++) {
		if (deltas[k] != (k == c ? 4 : 1) * d[k])
			return -EINVAL;
	}
	kept.at = calloc(e->in[0].count + 1, sizeof(*kept.at));
	if (kept.at)
		ret = generate(e, &kept);
	free(kept.at);
	return ret;
}

int nnr_eval_nms(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_BOX_WITH_NMS_LIMIT:
		return eval_limit(e);
	case NNA_OPERATION_DETECTION_POSTPROCESSING:
		return eval_detection(e);
	case NNA_OPERATION_GENERATE_PROPOSALS:
		return eval_generate(e);
	default:
		return -ENOTSUP;
	}
}
