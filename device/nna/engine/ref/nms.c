// SPDX-License-Identifier: MIT
/*
 * NMS, by definition. It has these phases:
 *
 *   PHASE_GROUPS  numbers the groups
 *   PHASE_LIST    lists the candidates of each class
 *   PHASE_KEEP    keeps boxes, a few in each round
 *   PHASE_MERGE   merges the boxes of all classes
 *
 * Phases pass their results in shared memory, so operands that change between phases do no harm.
 *
 * The run time depends on the data, because each kept box is compared with all pending ones. A tile
 * therefore does a limited amount of work for its class or batch, counted by struct work, and
 * stores its progress with the class or batch. Rounds continue until all classes or batches are
 * done.
 */
#include "device/nna/engine/kernel.h"

#define TILE_WORK 98304u /* in units of struct work; a unit is a comparison of two scores */
#define ROWS_IN_TILE 65536u /* rows whose groups a tile numbers */

#define COUNTS_SIZE 16u /* bytes of the counters at the start of shared memory */

enum { PHASE_GROUPS, PHASE_LIST, PHASE_KEEP, PHASE_MERGE, PHASES };

/* Units of work that a tile has left; below 0 the tile stops at its next check. */
struct work {
	int64_t left;
};

/* Counts work. Return: true if the tile may continue. */
static bool nms_may(struct work *work, uint32_t units)
{
	work->left -= units;
	return work->left >= 0;
}

/**
 * struct nms_box - a candidate
 * @row: its row
 * @list: its class; 0 with depth
 * @score: its current score
 */
struct nms_box {
	uint32_t row, list;
	float score;
};

/**
 * struct nms_sort - a heap sort in progress
 * @rest: boxes that are not in the heap yet; at 0 the heap is complete and is taken apart
 * @count: boxes that are not at their final position
 */
struct nms_sort {
	uint32_t rest, count;
};

/**
 * struct nms_list - the candidates of a class, in groups
 *
 *   [0, kept)      kept boxes
 *   [begin, end)   pending boxes of the current group
 *   [next, count)  boxes of later groups
 *
 * @kept, @begin, @end, @next, @count: limits of these ranges
 * @taken: kept boxes of the current group; in PHASE_MERGE, kept boxes that are collected
 * @done: the last phase that has finished the list
 * @stage: current stage, an enum nms_stage
 * @at, @to, @limit, @best: progress of the stage
 * @sort: progress of the stage
 * @score: best score so far of the current row
 */
struct nms_list {
	uint32_t kept, begin, end, next, count;
	uint32_t taken;
	uint32_t done, stage, at, to, limit, best;
	struct nms_sort sort;
	float score;
};

enum nms_stage { STAGE_NEXT, STAGE_GROUP, STAGE_SORT, STAGE_MASK, STAGE_BEST, STAGE_DECAY };

/**
 * struct nms_batch - progress of merging the boxes of a batch
 * @stage: current stage, an enum nms_merge_stage
 * @group, @list: group and list that are collected
 * @total: boxes of the groups before
 * @count: boxes of this group
 * @used: entries of the output in use
 * @at: box that is written
 * @written: classes of that box that are written
 * @class: class that is compared
 * @best: class with the best score in this walk over the classes
 * @any: @best is valid
 * @done: the batch is finished
 * @after: class of the last entry, or -1
 * @above: score of the last entry
 * @score: score of @best
 * @sort: progress of the sort
 */
struct nms_batch {
	uint32_t stage, group, list, total, count, used, at, written, class, best;
	bool any, done;
	int32_t after;
	float above, score;
	struct nms_sort sort;
};

enum nms_merge_stage { MERGE_COLLECT, MERGE_BY_SCORE, MERGE_BY_CLASS, MERGE_WRITE, MERGE_CLEAR };

/**
 * struct nms - a command and its shared memory
 * @p: parameters
 * @cmd: the command
 * @batches, @rows, @classes: dims of scores
 * @lists: classes that compete separately
 * @left: [PHASES]: lists or batches that are not finished
 * @batch: [batches]
 * @list: [batches][lists]
 * @boxes: [batches][lists][rows]
 * @merged: [batches][lists * rows]
 * @group: [batches][rows]: number of the row's group, from 0 on
 */
struct nms {
	const struct nnahw_cmd_nms *p;
	const struct nnadev_engine_command *cmd;
	uint32_t batches, rows, classes, lists;
	_Atomic uint32_t *left;
	struct nms_batch *batch;
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

/* Return: the command of a plan, with its shared memory. */
static struct nms nms_layout(const struct nnadev_engine_plan *plan, void *shared)
{
	struct nms m = *(const struct nms *)nnadev_state(plan);
	const uint32_t lists = m.batches * m.lists;

	m.left = shared;
	m.batch = (struct nms_batch *)((uint8_t *)shared + COUNTS_SIZE);
	m.list = (struct nms_list *)(m.batch + m.batches);
	m.boxes = (struct nms_box *)(m.list + lists);
	m.merged = m.boxes + lists * m.rows;
	m.group = (uint32_t *)(m.merged + lists * m.rows);
	return m;
}

static uint64_t nms_size(const struct nms *m)
{
	uint64_t lists = (uint64_t)m->batches * m->lists;

	return COUNTS_SIZE + (uint64_t)m->batches * sizeof(*m->batch) +
	       lists * (sizeof(*m->list) + 2ull * m->rows * sizeof(*m->boxes)) +
	       (uint64_t)m->batches * m->rows * sizeof(*m->group);
}

static float nms_score(const struct nms *m, uint32_t b, uint32_t row, uint32_t class)
{
	const struct nnadev_engine_operand *o = &m->cmd->operands[NNAHW_NMS_SCORES];

	return nnadev_load_value(o, nnadev_offset(&o->desc, (uint32_t[]){ b, row, class }));
}

/* Order by score, better ones first. */
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

/* Starts a heap sort. The top of the heap is the box that comes last. */
static struct nms_sort nms_sort_begin(uint32_t count)
{
	return (struct nms_sort){ count / 2, count };
}

/* Continues a heap sort of @size boxes. Return: true if it is finished. */
static bool nms_sort(struct nms_sort *s, struct nms_box *box, uint32_t size, struct work *work,
		     bool (*before)(const struct nms_box *x, const struct nms_box *y))
{
	while (s->rest || s->count > 1) {
		if (!nms_may(work, 96))
			return false;
		if (s->rest) {
			nms_sift(box, --s->rest, size, before);
		} else {
			const struct nms_box last = box[0];

			box[0] = box[--s->count];
			box[s->count] = last;
			nms_sift(box, 0, s->count, before);
		}
	}
	return true;
}

/* Numbers the groups of a range of rows. The row before the range has its number. */
static void nms_number_groups(const struct nms *m, uint32_t b, uint32_t begin)
{
	const struct nnadev_engine_operand *groups = &m->cmd->operands[NNAHW_NMS_GROUPS];
	uint32_t *ordinal = m->group + (size_t)b * m->rows;
	const uint32_t end = m->rows - begin < ROWS_IN_TILE ? m->rows : begin + ROWS_IN_TILE;
	int64_t last = 0;

	for (uint32_t i = begin ? begin - 1 : 0; i < end; i++) {
		int64_t number = 0;

		if (nnadev_present(groups))
			number = nnadev_load_integer(
				groups, nnadev_offset(&groups->desc, (uint32_t[]){ b, i }));
		if (i >= begin)
			ordinal[i] = i ? ordinal[i - 1] + (number != last) : 0;
		last = number;
	}
}

/*
 * Lists the rows of a class whose score is high enough. With depth, a row's score is that of its
 * best class. Return: true if the list is complete.
 */
static bool nms_fill_list(const struct nms *m, uint32_t b, uint32_t l, struct work *work)
{
	struct nms_list *list = &m->list[(size_t)b * m->lists + l];
	struct nms_box *box = m->boxes + ((size_t)b * m->lists + l) * m->rows;
	const uint32_t width = m->p->depth ? m->classes : 1;

	for (; list->at < m->rows * width; list->at++) {
		const uint32_t row = list->at / width, k = list->at % width;
		float score;

		if (!nms_may(work, 4))
			return false;
		score = nms_score(m, b, row, m->p->depth ? k : l);
		if (m->p->depth) {
			if (!k)
				list->score = -__builtin_inff();
			list->score = score > list->score ? score : list->score;
			score = list->score;
		}
		if (k == width - 1 && score > m->p->score_min)
			box[list->count++] = (struct nms_box){ row, l, score };
	}
	list->stage = STAGE_NEXT;
	return true;
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

/* Updates the score of a box that overlaps a kept box. Return: false if the box is removed. */
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

/* Opens the group at list->next by finding its end. Return: true if the end is found. */
static bool nms_open_group(const struct nms *m, uint32_t b, struct nms_list *list,
			   struct nms_box *box, struct work *work)
{
	const uint32_t *group = m->group + (size_t)b * m->rows;
	const uint32_t from = list->next;

	for (; list->at < list->count && group[box[list->at].row] == group[box[from].row];
	     list->at++)
		if (!nms_may(work, 2))
			return false;
	list->begin = list->end = from;
	list->next = list->limit = list->at;
	list->taken = 0;
	list->at = from;
	list->stage = STAGE_MASK;
	if (m->p->candidates && list->next - from > m->p->candidates) {
		list->sort = nms_sort_begin(list->next - from);
		list->limit = from + m->p->candidates;
		list->stage = STAGE_SORT;
	}
	return true;
}

/* Makes the candidates of a group pending, except masked ones. Return: true if finished. */
static bool nms_mask(const struct nms *m, uint32_t b, struct nms_list *list, struct nms_box *box,
		     struct work *work)
{
	const struct nnadev_engine_operand *mask = &m->cmd->operands[NNAHW_NMS_MASK];

	for (; list->at < list->limit; list->at++) {
		const struct nms_box candidate = box[list->at];

		if (!nms_may(work, 4))
			return false;
		if (!nnadev_present(mask) ||
		    nnadev_load_integer(mask, nnadev_offset(&mask->desc,
							    (uint32_t[]){ b, candidate.row })))
			box[list->end++] = candidate;
	}
	list->stage = STAGE_NEXT;
	return true;
}

/* Finds the best of the pending boxes and keeps it. Return: true if finished. */
static bool nms_keep(struct nms_list *list, struct nms_box *box, struct work *work)
{
	struct nms_box chosen;

	for (; list->at < list->end; list->at++) {
		if (!nms_may(work, 1))
			return false;
		if (nms_by_score(&box[list->at], &box[list->best]))
			list->best = list->at;
	}
	chosen = box[list->best];
	box[list->best] = box[list->begin++];
	box[list->kept++] = chosen;
	list->taken++;
	list->at = list->to = list->begin;
	list->stage = STAGE_DECAY;
	return true;
}

/* Updates the scores of pending boxes after a box was kept. Return: true if finished. */
static bool nms_suppress(const struct nms *m, uint32_t b, struct nms_list *list,
			 struct nms_box *box, struct work *work)
{
	float kept[4], other[4];

	nms_load_box(m, b, &box[list->kept - 1], kept);
	for (; list->at < list->end; list->at++) {
		struct nms_box pending = box[list->at];

		if (!nms_may(work, 16))
			return false;
		nms_load_box(m, b, &pending, other);
		if (nms_decay(m->p, nms_overlap(other, kept), &pending.score))
			box[list->to++] = pending;
	}
	list->end = list->to;
	list->stage = STAGE_NEXT;
	return true;
}

/* Continues a list. Return: true if it is finished. */
static bool nms_advance(const struct nms *m, uint32_t b, uint32_t l, struct work *work)
{
	struct nms_list *list = &m->list[(size_t)b * m->lists + l];
	struct nms_box *box = m->boxes + ((size_t)b * m->lists + l) * m->rows;
	bool on = true;

	while (on && nms_may(work, 8)) {
		switch (list->stage) {
		case STAGE_NEXT:
			if (list->begin < list->end && list->taken < m->p->most_of_class) {
				list->best = list->begin;
				list->at = list->begin + 1;
				list->stage = STAGE_BEST;
			} else if (list->next < list->count) {
				list->at = list->next;
				list->stage = STAGE_GROUP;
			} else {
				return true;
			}
			break;
		case STAGE_GROUP:
			on = nms_open_group(m, b, list, box, work);
			break;
		case STAGE_SORT:
			on = nms_sort(&list->sort, box + list->begin, list->next - list->begin,
				      work, nms_by_score);
			if (on)
				list->stage = STAGE_MASK;
			break;
		case STAGE_MASK:
			on = nms_mask(m, b, list, box, work);
			break;
		case STAGE_BEST:
			on = nms_keep(list, box, work);
			break;
		default:
			on = nms_suppress(m, b, list, box, work);
			break;
		}
	}
	return false;
}

/* Collects a batch's boxes of a group from all lists. Return: true if finished. */
static bool nms_collect(const struct nms *m, uint32_t b, struct nms_batch *batch,
			struct nms_box *merged, struct work *work)
{
	const uint32_t *group = m->group + (size_t)b * m->rows;
	struct nms_list *list = m->list + (size_t)b * m->lists;

	for (; batch->list < m->lists; batch->list++) {
		struct nms_list *from = &list[batch->list];
		const struct nms_box *box = m->boxes +
					    ((size_t)b * m->lists + batch->list) * m->rows;

		if (!nms_may(work, 4))
			return false;
		/* A list's kept boxes are consumed from the front; @taken counts them. */
		while (from->taken < from->kept && group[box[from->taken].row] == batch->group) {
			merged[batch->total + batch->count++] = box[from->taken++];
			if (!nms_may(work, 4))
				return false;
		}
	}
	return true;
}

/* Writes entry @i of the output. @box is NULL for an unused entry. */
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

/*
 * Searches the classes of the box that is written for the highest score among those that come after
 * the last entry: a lower score, or an equal score and a higher class. Return: true if finished.
 */
static bool nms_best_class(const struct nms *m, uint32_t b, struct nms_batch *batch, uint32_t row,
			   struct work *work)
{
	for (; batch->class < m->classes; batch->class++) {
		float s;

		if (!nms_may(work, 4))
			return false;
		s = nms_score(m, b, row, batch->class);
		if ((s < batch->above ||
		     (s == batch->above && (int32_t)batch->class > batch->after)) &&
		    (!batch->any || s > batch->score)) {
			batch->score = s;
			batch->best = batch->class;
			batch->any = true;
		}
	}
	return true;
}

static void nms_next_class(struct nms_batch *batch)
{
	batch->class = 0;
	batch->best = 0;
	batch->any = false;
	batch->score = -__builtin_inff();
}

static void nms_next_box(struct nms_batch *batch)
{
	batch->written = 0;
	batch->after = -1;
	batch->above = __builtin_inff();
	nms_next_class(batch);
}

/* Writes the kept boxes, each with its class or its best classes. Return: true if finished. */
static bool nms_write_all(const struct nms *m, uint32_t b, struct nms_batch *batch,
			  const struct nms_box *merged, struct work *work)
{
	const uint32_t depth = m->p->depth < m->classes ? m->p->depth : m->classes;

	while (batch->at < batch->total) {
		const struct nms_box *box = &merged[batch->at];

		if (!nms_may(work, 32))
			return false;
		if (!depth) {
			nms_write(m, b, batch->used++, box, box->list, box->score);
			batch->at++;
			continue;
		}
		if (!nms_best_class(m, b, batch, box->row, work))
			return false;
		nms_write(m, b, batch->used++, box, batch->best, batch->score);
		batch->after = (int32_t)batch->best;
		batch->above = batch->score;
		nms_next_class(batch);
		if (++batch->written == depth) {
			batch->at++;
			nms_next_box(batch);
		}
	}
	return true;
}

/* Continues a batch. *done is set when the batch is finished. Return: a status. */
static uint32_t nms_merge(const struct nms *m, uint32_t b, struct work *work, bool *done)
{
	const struct nnadev_engine_operand *count = &m->cmd->operands[NNAHW_NMS_COUNT];
	const uint32_t room = m->cmd->operands[NNAHW_NMS_KEPT_SCORES].desc.dims[1];
	const uint32_t depth = m->p->depth < m->classes ? m->p->depth : m->classes;
	const uint32_t *group = m->group + (size_t)b * m->rows;
	const uint32_t groups = m->rows ? group[m->rows - 1] + 1 : 0;
	struct nms_box *merged = m->merged + (size_t)b * m->lists * m->rows;
	struct nms_batch *batch = &m->batch[b];

	while (nms_may(work, 8)) {
		switch (batch->stage) {
		case MERGE_COLLECT:
			if (batch->group == groups) {
				if ((uint64_t)batch->total * (depth ? depth : 1) > room)
					return NNAHW_STATUS_OUTPUT_SIZE;
				nms_next_box(batch);
				batch->stage = MERGE_WRITE;
				break;
			}
			if (!nms_collect(m, b, batch, merged, work))
				return NNAHW_STATUS_OK;
			batch->sort = nms_sort_begin(batch->count);
			batch->stage = MERGE_BY_SCORE;
			break;
		case MERGE_BY_SCORE:
			if (!nms_sort(&batch->sort, merged + batch->total, batch->count, work,
				      nms_by_score))
				return NNAHW_STATUS_OK;
			batch->count = batch->count < m->p->most ? batch->count : m->p->most;
			batch->sort = nms_sort_begin(m->p->by_class ? batch->count : 0);
			batch->stage = MERGE_BY_CLASS;
			break;
		case MERGE_BY_CLASS:
			if (!nms_sort(&batch->sort, merged + batch->total, batch->count, work,
				      nms_by_class))
				return NNAHW_STATUS_OK;
			batch->total += batch->count;
			batch->count = 0;
			batch->list = 0;
			batch->group++;
			batch->stage = MERGE_COLLECT;
			break;
		case MERGE_WRITE:
			if (!nms_write_all(m, b, batch, merged, work))
				return NNAHW_STATUS_OK;
			batch->at = batch->used;
			batch->stage = MERGE_CLEAR;
			break;
		default:
			for (; batch->at < room; batch->at++) {
				if (!nms_may(work, 32))
					return NNAHW_STATUS_OK;
				nms_write(m, b, batch->at, NULL, 0, 0);
			}
			nnadev_store_integer(count, nnadev_offset(&count->desc, &b), batch->used);
			*done = true;
			return NNAHW_STATUS_OK;
		}
	}
	return NNAHW_STATUS_OK;
}

/* Sets the counters of the next phases. */
static void nms_start(const struct nms *m, uint32_t b)
{
	if (!b) {
		atomic_store(&m->left[PHASE_LIST], m->batches * m->lists);
		atomic_store(&m->left[PHASE_KEEP], m->batches * m->lists);
		atomic_store(&m->left[PHASE_MERGE], m->batches);
	}
	m->batch[b] = (struct nms_batch){ 0 };
}

static uint32_t nms_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nms m = nms_layout(plan, shared);
	struct work work = { TILE_WORK };
	uint32_t status = NNAHW_STATUS_OK;
	bool done = false;

	switch (phase) {
	case PHASE_GROUPS:
		nms_number_groups(&m, tile, (uint32_t)plan->round * ROWS_IN_TILE);
		if (!plan->round)
			nms_start(&m, tile);
		return NNAHW_STATUS_OK;
	case PHASE_LIST:
	case PHASE_KEEP:
		if (phase == PHASE_LIST && !plan->round)
			m.list[tile] = (struct nms_list){ 0 };
		if (m.list[tile].done >= phase)
			return NNAHW_STATUS_OK;
		done = (phase == PHASE_LIST ? nms_fill_list : nms_advance)(
			&m, tile / m.lists, tile % m.lists, &work);
		if (done) {
			m.list[tile].done = phase;
			*(phase == PHASE_LIST ? &m.list[tile].at : &m.list[tile].taken) = 0;
		}
		break;
	default:
		if (m.batch[tile].done)
			return NNAHW_STATUS_OK;
		status = nms_merge(&m, tile, &work, &done);
		m.batch[tile].done = done;
		break;
	}
	if (done)
		atomic_fetch_sub(&m.left[phase], 1);
	return status;
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
	/* Each factor is below 2^32. */
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
	uint64_t size;

	*m = nms_describe(cmd);
	size = nms_size(m);
	plan->phases = m->batches ? PHASES : 0;
	plan->phase_tiles[PHASE_GROUPS] = m->batches;
	plan->phase_tiles[PHASE_LIST] = m->batches * m->lists;
	plan->phase_tiles[PHASE_KEEP] = m->batches * m->lists;
	plan->phase_tiles[PHASE_MERGE] = m->batches;
	plan->rounds[PHASE_GROUPS] = nnadev_div_up(m->rows, ROWS_IN_TILE);
	plan->counted = 1 << PHASE_LIST | 1 << PHASE_KEEP | 1 << PHASE_MERGE;
	plan->shared_size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

NNADEV_STATE_FITS(struct nms);
NNADEV_KERNEL(nms) = { NNAHW_OP_NMS, NNADEV_ENGINE_SCALAR, nms_accepts, nms_plan, nms_tile };
