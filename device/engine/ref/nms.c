// SPDX-License-Identifier: MIT
/*
 * NMS, by definition. It has these phases:
 *
 *   PHASE_GROUPS  number the groups
 *   PHASE_LIST    list the candidates of each class
 *   PHASE_KEEP    keep boxes, a few in each repetition
 *   PHASE_MERGE   put the boxes of all classes together
 *
 * What one phase hands to the next lies in shared memory, so operands that change in between do no
 * harm.
 */
#include "device/engine/kernel.h"

#define STEP_WORK 16384u /* pairs of boxes */

enum { PHASE_GROUPS, PHASE_LIST, PHASE_KEEP, PHASE_MERGE, PHASES };

/**
 * struct nms_box - a candidate
 * @row: its row
 * @list: its class; 0 with depth
 * @score: as it is now
 */
struct nms_box {
	uint32_t row, list;
	float score;
};

/**
 * struct nms_list - the candidates of a class, in groups
 *
 *   [0, kept)      those that are kept
 *   [begin, end)   those pending of the current group
 *   [next, count)  those of the groups to come
 *
 * @taken: how many of the current group are kept
 */
struct nms_list {
	uint32_t kept, begin, end, next, count;
	uint32_t taken;
};

/**
 * struct nms - a command and its shared memory
 * @p: parameters
 * @cmd: the command
 * @batches, @rows, @classes: dims of scores
 * @lists: classes that compete separately
 * @list: [batches][lists]
 * @boxes: [batches][lists][rows]
 * @merged: [batches][lists * rows]
 * @group: [batches][rows]: number of the row's group, from 0 on
 */
struct nms {
	const struct nnahw_cmd_nms *p;
	const struct nnadev_engine_command *cmd;
	uint32_t batches, rows, classes, lists;
	struct nms_list *list;
	struct nms_box *boxes;
	struct nms_box *merged;
	uint32_t *group;
};

static struct nms nms_describe(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_nms *p = (const struct nnahw_cmd_nms *)cmd->raw;
	const uint32_t *dims = cmd->operands[NNAHW_NMS_SCORES].desc.dims;

	return (struct nms){
		.p = p,
		.cmd = cmd,
		.batches = dims[0],
		.rows = dims[1],
		.classes = dims[2],
		.lists = p->depth ? dims[2] != 0 : dims[2],
	};
}

/* The command of a plan, with its shared memory. */
static struct nms nms_layout(const struct nnadev_engine_plan *plan, void *shared)
{
	struct nms m = *(const struct nms *)nnadev_state(plan);
	const uint32_t lists = m.batches * m.lists;

	m.list = shared;
	m.boxes = (struct nms_box *)(m.list + lists);
	m.merged = m.boxes + lists * m.rows;
	m.group = (uint32_t *)(m.merged + lists * m.rows);
	return m;
}

static uint64_t nms_size(const struct nms *m)
{
	uint64_t lists = (uint64_t)m->batches * m->lists;

	return lists * (sizeof(*m->list) + 2ull * m->rows * sizeof(*m->boxes)) +
	       (uint64_t)m->batches * m->rows * sizeof(*m->group);
}

static float nms_score(const struct nms *m, uint32_t b, uint32_t row, uint32_t class)
{
	const struct nnadev_engine_operand *o = &m->cmd->operands[NNAHW_NMS_SCORES];

	return nnadev_load_value(o, nnadev_offset(&o->desc, (uint32_t[]){ b, row, class }));
}

/*
 * The class with the highest score of a row, among those whose score is below `above`, or equal to
 * it in a class behind `after`: called with what it returned it goes on to the next best class.
 */
static uint32_t nms_best_class(const struct nms *m, uint32_t b, uint32_t row, float above,
			       int64_t after, float *score)
{
	uint32_t best = 0;
	bool any = false;

	*score = -__builtin_inff();
	for (uint32_t k = 0; k < m->classes; k++) {
		const float s = nms_score(m, b, row, k);

		if ((s < above || (s == above && k > after)) && (!any || s > *score)) {
			*score = s;
			best = k;
			any = true;
		}
	}
	return best;
}

/* The order of scores, better ones first. */
static bool nms_by_score(const struct nms_box *x, const struct nms_box *y)
{
	if (x->score != y->score)
		return x->score > y->score;
	return x->list != y->list ? x->list < y->list : x->row < y->row;
}

static bool nms_by_class(const struct nms_box *x, const struct nms_box *y)
{
	return x->list != y->list ? x->list < y->list : nms_by_score(x, y);
}

static void nms_sift(struct nms_box *box, uint32_t at, uint32_t count,
		     bool (*before)(const struct nms_box *x, const struct nms_box *y))
{
	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		const struct nms_box moved = box[at];

		if (child + 1 < count && before(&box[child], &box[child + 1]))
			child++;
		if (!before(&moved, &box[child]))
			return;
		box[at] = box[child];
		box[child] = moved;
	}
}

/* Heap sort; the top of the heap is the one that comes last. */
static void nms_sort(struct nms_box *box, uint32_t count,
		     bool (*before)(const struct nms_box *x, const struct nms_box *y))
{
	for (uint32_t i = count / 2; i-- > 0;)
		nms_sift(box, i, count, before);
	while (count > 1) {
		const struct nms_box last = box[0];

		box[0] = box[--count];
		box[count] = last;
		nms_sift(box, 0, count, before);
	}
}

static void nms_number_groups(const struct nms *m, uint32_t b)
{
	const struct nnadev_engine_operand *groups = &m->cmd->operands[NNAHW_NMS_GROUPS];
	uint32_t *ordinal = m->group + (size_t)b * m->rows;
	int64_t last = 0;

	for (uint32_t i = 0; i < m->rows; i++) {
		int64_t number = 0;

		if (nnadev_present(groups))
			number = nnadev_load_integer(
				groups, nnadev_offset(&groups->desc, (uint32_t[]){ b, i }));
		ordinal[i] = i ? ordinal[i - 1] + (number != last) : 0;
		last = number;
	}
}

static void nms_fill_list(const struct nms *m, uint32_t b, uint32_t l)
{
	struct nms_list *list = &m->list[(size_t)b * m->lists + l];
	struct nms_box *box = m->boxes + ((size_t)b * m->lists + l) * m->rows;

	*list = (struct nms_list){ 0 };
	for (uint32_t i = 0; i < m->rows; i++) {
		float score;

		if (m->p->depth)
			nms_best_class(m, b, i, __builtin_inff(), -1, &score);
		else
			score = nms_score(m, b, i, l);
		if (score > m->p->score_min)
			box[list->count++] = (struct nms_box){ i, l, score };
	}
}

/* Makes the candidates of the next group the pending ones. */
static void nms_open_group(const struct nms *m, uint32_t b, struct nms_list *list,
			   struct nms_box *box)
{
	const struct nnadev_engine_operand *mask = &m->cmd->operands[NNAHW_NMS_MASK];
	const uint32_t *group = m->group + (size_t)b * m->rows;
	uint32_t end, from = list->next;

	for (end = from; end < list->count && group[box[end].row] == group[box[from].row];)
		end++;
	list->begin = list->end = from;
	list->next = end;
	list->taken = 0;
	if (m->p->candidates && end - from > m->p->candidates) {
		nms_sort(box + from, end - from, nms_by_score);
		end = from + m->p->candidates;
	}
	for (uint32_t i = from; i < end; i++)
		if (!nnadev_present(mask) ||
		    nnadev_load_integer(mask,
					nnadev_offset(&mask->desc, (uint32_t[]){ b, box[i].row })))
			box[list->end++] = box[i];
}

static void nms_load_box(const struct nms *m, uint32_t b, const struct nms_box *box, float *corner)
{
	const struct nnadev_engine_operand *o = &m->cmd->operands[NNAHW_NMS_BOXES];

	for (uint32_t k = 0; k < 4; k++)
		corner[k] = nnadev_load_value(
			o, nnadev_offset(&o->desc, (uint32_t[]){ b, box->row, box->list, k }));
}

static float nms_area(const float *box)
{
	return (box[2] - box[0]) * (box[3] - box[1]);
}

static float nms_overlap(const float *x, const float *y)
{
	const float left = x[0] > y[0] ? x[0] : y[0], top = x[1] > y[1] ? x[1] : y[1];
	const float right = x[2] < y[2] ? x[2] : y[2], bottom = x[3] < y[3] ? x[3] : y[3];
	const float w = right - left > 0 ? right - left : 0,
		    h = bottom - top > 0 ? bottom - top : 0;

	return w * h / (nms_area(x) + nms_area(y) - w * h);
}

/* What a box that is kept makes of another one's score; false if that is removed. */
static bool nms_decay(const struct nnahw_cmd_nms *p, float overlap, float *score)
{
	float factor = 1;

	switch (p->kind) {
	case NNAHW_NMS_SUPPRESS:
		if (overlap >= p->threshold)
			return false;
		break;
	case NNAHW_NMS_HARD:
		factor = overlap < p->threshold ? 1 : 0;
		break;
	case NNAHW_NMS_LINEAR:
		factor = overlap < p->threshold ? 1 : 1 - overlap;
		break;
	case NNAHW_NMS_GAUSSIAN:
		factor = nnadev_expf(-(overlap * overlap) / p->sigma);
		break;
	}
	*score *= factor;
	return !(*score < p->score_floor);
}

/* Keeps the best of the pending boxes. */
static void nms_keep(const struct nms *m, uint32_t b, struct nms_list *list, struct nms_box *box)
{
	uint32_t best = list->begin, to;
	float kept[4], other[4];
	struct nms_box chosen;

	for (uint32_t i = best + 1; i < list->end; i++)
		if (nms_by_score(&box[i], &box[best]))
			best = i;
	chosen = box[best];
	box[best] = box[list->begin++];
	box[list->kept++] = chosen;
	list->taken++;
	nms_load_box(m, b, &chosen, kept);
	to = list->begin;
	for (uint32_t i = list->begin; i < list->end; i++) {
		struct nms_box pending = box[i];

		nms_load_box(m, b, &pending, other);
		if (nms_decay(m->p, nms_overlap(other, kept), &pending.score))
			box[to++] = pending;
	}
	list->end = to;
}

static void nms_advance(const struct nms *m, uint32_t b, uint32_t l, uint32_t steps)
{
	struct nms_list *list = &m->list[(size_t)b * m->lists + l];
	struct nms_box *box = m->boxes + ((size_t)b * m->lists + l) * m->rows;

	while (steps--) {
		if (list->begin < list->end && list->taken < m->p->most_of_class)
			nms_keep(m, b, list, box);
		else if (list->next < list->count)
			nms_open_group(m, b, list, box);
		else
			return;
	}
}

/* Collects a batch's boxes, groups in their order; returns how many there are. */
static uint32_t nms_collect(const struct nms *m, uint32_t b, struct nms_box *merged)
{
	const uint32_t *group = m->group + (size_t)b * m->rows;
	struct nms_list *list = m->list + (size_t)b * m->lists;
	const uint32_t groups = m->rows ? group[m->rows - 1] + 1 : 0;
	uint32_t total = 0;

	for (uint32_t l = 0; l < m->lists; l++)
		list[l].begin = 0;
	for (uint32_t g = 0; g < groups; g++) {
		uint32_t count = 0;

		for (uint32_t l = 0; l < m->lists; l++) {
			const struct nms_box *box = m->boxes + ((size_t)b * m->lists + l) * m->rows;

			while (list[l].begin < list[l].kept && group[box[list[l].begin].row] == g)
				merged[total + count++] = box[list[l].begin++];
		}
		nms_sort(merged + total, count, nms_by_score);
		count = count < m->p->most ? count : m->p->most;
		if (m->p->by_class)
			nms_sort(merged + total, count, nms_by_class);
		total += count;
	}
	return total;
}

/* Entry i of what is kept; box is NULL for one that is not used. */
static void nms_write(const struct nms *m, uint32_t b, uint32_t i, const struct nms_box *box,
		      uint32_t class, float score)
{
	const struct nnadev_engine_operand *scores = &m->cmd->operands[NNAHW_NMS_KEPT_SCORES],
					*to = &m->cmd->operands[NNAHW_NMS_KEPT_BOXES],
					*from = &m->cmd->operands[NNAHW_NMS_BOXES],
					*classes = &m->cmd->operands[NNAHW_NMS_KEPT_CLASSES],
					*kept_groups = &m->cmd->operands[NNAHW_NMS_KEPT_GROUPS],
					*groups = &m->cmd->operands[NNAHW_NMS_GROUPS];
	const uint32_t at[2] = { b, i };
	int64_t group = 0;

	nnadev_store_value(scores, nnadev_offset(&scores->desc, at), score, INT32_MIN, INT32_MAX);
	for (uint32_t k = 0; k < 4; k++) {
		float corner = 0;

		if (box)
			corner = nnadev_load_value(
				from, nnadev_offset(&from->desc,
						    (uint32_t[]){ b, box->row, box->list, k }));
		nnadev_store_value(to, nnadev_offset(&to->desc, (uint32_t[]){ b, i, k }), corner,
				   INT32_MIN, INT32_MAX);
	}
	if (nnadev_present(classes))
		nnadev_store_integer(classes, nnadev_offset(&classes->desc, at),
				     box ? (int64_t)class + m->p->class_base : 0);
	if (box && nnadev_present(groups))
		group = nnadev_load_integer(
			groups, nnadev_offset(&groups->desc, (uint32_t[]){ b, box->row }));
	if (nnadev_present(kept_groups))
		nnadev_store_integer(kept_groups, nnadev_offset(&kept_groups->desc, at), group);
}

static uint32_t nms_merge(const struct nms *m, uint32_t b)
{
	const struct nnadev_engine_operand *count = &m->cmd->operands[NNAHW_NMS_COUNT];
	const uint32_t room = m->cmd->operands[NNAHW_NMS_KEPT_SCORES].desc.dims[1];
	const uint32_t depth = m->p->depth < m->classes ? m->p->depth : m->classes;
	struct nms_box *merged = m->merged + (size_t)b * m->lists * m->rows;
	const uint32_t kept = nms_collect(m, b, merged);
	uint32_t used = 0;

	if ((uint64_t)kept * (depth ? depth : 1) > room)
		return NNAHW_STATUS_OUTPUT_SIZE;
	for (uint32_t i = 0; i < kept; i++) {
		float score = __builtin_inff();
		int64_t class = -1;

		if (!depth)
			nms_write(m, b, used++, &merged[i], merged[i].list, merged[i].score);
		for (uint32_t k = 0; k < depth; k++) {
			class = nms_best_class(m, b, merged[i].row, score, class, &score);
			nms_write(m, b, used++, &merged[i], (uint32_t)class, score);
		}
	}
	for (uint32_t i = used; i < room; i++)
		nms_write(m, b, i, NULL, 0, 0);
	nnadev_store_integer(count, nnadev_offset(&count->desc, &b), used);
	return NNAHW_STATUS_OK;
}

static uint32_t nms_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nms m = nms_layout(plan, shared);

	switch (phase) {
	case PHASE_GROUPS:
		nms_number_groups(&m, tile);
		return NNAHW_STATUS_OK;
	case PHASE_LIST:
		nms_fill_list(&m, tile / m.lists, tile % m.lists);
		return NNAHW_STATUS_OK;
	case PHASE_KEEP:
		nms_advance(&m, tile / m.lists, tile % m.lists, plan->per_tile);
		return NNAHW_STATUS_OK;
	default:
		return nms_merge(&m, tile);
	}
}

static uint32_t nms_accepts(const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *o = cmd->operands;
	const struct nnahw_tensor *scores = &o[NNAHW_NMS_SCORES].desc,
				*kept = &o[NNAHW_NMS_KEPT_SCORES].desc;
	const uint64_t b = scores->dims[0], n = scores->dims[1], k = scores->dims[2],
		       most = kept->dims[1];
	const struct nnahw_cmd_nms *p = (const struct nnahw_cmd_nms *)cmd->raw;
	const struct {
		uint32_t operand, rank;
		uint64_t dims[4];
	} shapes[] = {
		{ NNAHW_NMS_COUNT, 1, { b } },
		{ NNAHW_NMS_KEPT_SCORES, 2, { b, most } },
		{ NNAHW_NMS_KEPT_BOXES, 3, { b, most, 4 } },
		{ NNAHW_NMS_KEPT_CLASSES, 2, { b, most } },
		{ NNAHW_NMS_KEPT_GROUPS, 2, { b, most } },
		{ NNAHW_NMS_SCORES, 3, { b, n, k } },
		{ NNAHW_NMS_BOXES, 4, { b, n, k, 4 } },
		{ NNAHW_NMS_GROUPS, 2, { b, n } },
		{ NNAHW_NMS_MASK, 2, { b, n } },
	};

	if (p->kind > NNAHW_NMS_GAUSSIAN || p->by_class > 1)
		return NNAHW_STATUS_BAD_COMMAND;
	if (kept->type != scores->type || !nnadev_same_quantisation(kept, scores))
		return nnadev_bad_operand(plan, NNAHW_NMS_KEPT_SCORES);
	if (o[NNAHW_NMS_KEPT_BOXES].desc.type != o[NNAHW_NMS_BOXES].desc.type ||
	    !nnadev_same_quantisation(&o[NNAHW_NMS_KEPT_BOXES].desc, &o[NNAHW_NMS_BOXES].desc))
		return nnadev_bad_operand(plan, NNAHW_NMS_KEPT_BOXES);
	for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (nnadev_present(&o[shapes[i].operand]) &&
		    !nnadev_has_dims(&o[shapes[i].operand].desc, shapes[i].rank, shapes[i].dims))
			return NNAHW_STATUS_BAD_SHAPE;
	/* Each of the factors is below 2^32. */
	if (b > NNAHW_LIMIT_NMS_SCORES || n > NNAHW_LIMIT_NMS_SCORES ||
	    b * most > NNAHW_LIMIT_NMS_KEPT || b * (n ? n : 1) > NNAHW_LIMIT_NMS_SCORES ||
	    b * (n ? n : 1) * (k ? k : 1) > NNAHW_LIMIT_NMS_SCORES)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void nms_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		     struct nnadev_engine_plan *plan)
{
	struct nms *m = nnadev_state_new(plan);
	uint64_t steps;

	*m = nms_describe(cmd);
	/* A step opens a group or keeps a box. */
	steps = 1ull + (m->p->most_of_class < m->rows ? m->p->most_of_class : m->rows);
	if (nnadev_present(&cmd->operands[NNAHW_NMS_GROUPS]))
		steps = 2ull * m->rows;
	plan->per_tile = m->rows < STEP_WORK ? STEP_WORK / (m->rows ? m->rows : 1) : 1;
	plan->phases = m->batches ? PHASES : 0;
	plan->phase_tiles[PHASE_GROUPS] = m->batches;
	plan->phase_tiles[PHASE_LIST] = m->batches * m->lists;
	plan->phase_tiles[PHASE_KEEP] = m->batches * m->lists;
	plan->phase_tiles[PHASE_MERGE] = m->batches;
	plan->rounds[PHASE_KEEP] = (steps + plan->per_tile - 1) / plan->per_tile;
	plan->shared_size = (uint32_t)nms_size(m);
}

NNADEV_STATE_FITS(struct nms);
NNADEV_KERNEL(nms) = { NNAHW_OP_NMS, NNADEV_ENGINE_SCALAR, nms_accepts, nms_plan, nms_tile };
