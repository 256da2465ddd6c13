// SPDX-License-Identifier: MIT
/*
 * Compares what the device computed with the evaluator, operation by operation, then a run with all
 * results as outputs with one that has only the graph's own outputs.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "tests/random/eval.h"

/* Largest number and half a step at 1 of a float type; the smallest step there is. */
static void float_facts(uint32_t type, double *most, double *half, double *tiny)
{
	bool fp16 = type == NNA_OPERAND_TENSOR_FLOAT16 || type == NNA_OPERAND_FLOAT16;

	*most = fp16 ? 65504 : FLT_MAX;
	*half = fp16 ? 0x1p-11 : 0x1p-24;
	*tiny = fp16 ? 0x1p-24 : 0x1p-149;
}

static bool float_agrees(const struct nnr_eval_tensor *want, double v, double err, double got,
			 double *off)
{
	double most, half, tiny, tolerance;

	float_facts(want->type, &most, &half, &tiny);
	*off = tolerance = want->exact ? 0 : err + 1.001 * half * fabs(v) + tiny;
	if (isnan(v))
		return want->exact ? isnan(got) : true;
	if (fabs(v) + tolerance > most * (1 + half)) {
		/* The result may be infinite, or as large as the tolerance allows. */
		return isinf(got) ? signbit(got) == signbit(v)
				  : fabs(v) - tolerance <= most && fabs(got - v) <= tolerance;
	}
	return fabs(got - v) <= tolerance;
}

/* *expected and *off: what would be right, and how far off that is tolerated. */
static bool element_agrees(const struct nnr_eval_tensor *want, size_t i, double got,
			   double *expected, double *off)
{
	double v = want->v[i], err = want->err[i];
	int64_t low, high;

	*expected = v;
	if (nnr_is_float(want->type))
		return float_agrees(want, v, err, got, off);
	nnr_type_range(want->type, &low, &high);
	*off = err;
	if (nnr_is_quantised(want->type)) {
		double scale = want->scale;

		v = v / scale + want->zero_point;
		*off = err / scale + (want->exact ? 1e-3 : want->steps + 1e-4);
		v = v < (double)low ? (double)low : v > (double)high ? (double)high : v;
		*expected = v;
	}
	return fabs(got - v) <= *off;
}

/* Whether the specification or the arithmetic leaves element @i open. */
static bool is_open(const struct nnr_eval_tensor *want, size_t i)
{
	int64_t low, high;

	/* With so large a bound a part of the sum may have left the range of the type. */
	if (!(want->err[i] < (want->type == NNA_OPERAND_TENSOR_FLOAT16 ? 6e4 : 1e30)))
		return true;
	if (isnan(want->v[i]))
		return !want->exact || !nnr_is_float(want->type);
	nnr_type_range(want->type, &low, &high);
	if (want->type == NNA_OPERAND_TENSOR_INT32 || want->type == NNA_OPERAND_INT32)
		return want->v[i] < (double)low || want->v[i] > (double)high;
	return false;
}

/* Fills in the report: a verdict, the operation that it is about (-1 for none), and why. */
static enum nnr_verdict __attribute__((format(printf, 4, 5)))
say(struct nnr_report *report, enum nnr_verdict verdict, int operation, const char *format, ...)
{
	va_list args;

	report->verdict = verdict;
	report->operation = operation;
	va_start(args, format);
	vsnprintf(report->text, sizeof(report->text), format, args);
	va_end(args);
	return verdict;
}

static const char *operation_name(const struct nnr_graph *graph, uint32_t k)
{
	const char *name = nna_operation_name(graph->operations[k].type);

	return name ? name : "?";
}

static bool same_dims(const struct nnr_operand *got, const struct nnr_eval_tensor *want)
{
	return got->rank == want->rank &&
	       !memcmp(got->dims, want->dims, want->rank * sizeof(want->dims[0]));
}

static enum nnr_verdict judge_output(const struct nnr_graph *graph, uint32_t k, uint32_t i,
				     const struct nnr_eval_tensor *want, struct nnr_report *report)
{
	const struct nnr_operand *got = graph->operands[graph->operations[k].out[i]];
	size_t wrong = 0, first = 0;
	double expected = 0, off = 0, first_expected = 0, first_off = 0;

	if (!same_dims(got, want))
		return say(report, NNR_SHAPE, (int)k,
			   "%s (operation %u): output %u has other dimensions",
			   operation_name(graph, k), k, i);
	for (size_t n = 0; n < want->count; n++) {
		double v = nnr_load(got->type, got->data, n);

		if (is_open(want, n)) {
			report->unchecked++;
			continue;
		}
		report->checked++;
		if (element_agrees(want, n, v, &expected, &off))
			continue;
		if (!wrong++) {
			first = n;
			first_expected = expected;
			first_off = off;
		}
	}
	if (!wrong)
		return NNR_AGREES;
	return say(report, NNR_DIFFERS, (int)k,
		   "%s %s (operation %u): output %u, element %zu: expected %.9g, got %.9g "
		   "(tolerance %.3g); %zu of %zu differ",
		   operation_name(graph, k), nnr_type_text(got->type), k, i, first, first_expected,
		   nnr_load(got->type, got->data, first), first_off, wrong, want->count);
}

/*
 * Moves what is expected by two and a half steps of what is stored. A comparison that works must
 * see that somewhere: --bias shows that this one does.
 */
static void bias_results(struct nnr_eval *e)
{
	for (uint32_t i = 0; i < e->output_count; i++) {
		struct nnr_eval_tensor *t = &e->out[i];

		for (size_t n = 0; n < t->count; n++)
			t->v[n] += nnr_is_float(t->type) ? fabs(t->v[n]) * 0.01 + 0.01
							 : 2.5 * (t->scale != 0 ? t->scale : 1);
	}
}

static enum nnr_verdict judge_operation(const struct nnr_graph *graph, uint32_t k,
					const struct nnr_options *options,
					struct nnr_report *report)
{
	const struct nnr_operation *operation = &graph->operations[k];
	enum nnr_verdict verdict = NNR_AGREES;
	struct nnr_eval e;
	int ret = nnr_eval_operation(graph, operation, &e);

	/* The device's inputs may leave a decision open that the evaluator's own left clear. */
	if (ret == -EDOM)
		report->unchecked++;
	else if (ret)
		verdict = say(report, NNR_SENSELESS, (int)k,
			      "%s (operation %u): the evaluator says %s", operation_name(graph, k),
			      k, strerror(-ret));
	else if (options->biased)
		bias_results(&e);
	for (uint32_t i = 0; i < operation->output_count && verdict == NNR_AGREES && !ret; i++)
		verdict = judge_output(graph, k, i, &e.out[i], report);
	nnr_eval_end(&e);
	return verdict;
}

/* Changes one bit of what the device computed, which must be found: --flip shows that it is. */
static void flip_bit(struct nnr_graph *graph)
{
	struct nnr_operand *operand = graph->operands[graph->operations[0].out[0]];

	if (operand->size)
		operand->data[nna_operand_type_size(operand->type) - 1] ^= 0x40;
}

/*
 * Operations that may add up in another order where the layout of their operands is another, or
 * whose last bits are another kernel's where operations are joined.
 */
static bool rounds_floats(const struct nnr_graph *graph)
{
	for (uint32_t k = 0; k < graph->operation_count; k++) {
		switch (graph->operations[k].type) {
		case NNA_OPERATION_CONV_2D:
		case NNA_OPERATION_GROUPED_CONV_2D:
		case NNA_OPERATION_DEPTHWISE_CONV_2D:
		case NNA_OPERATION_TRANSPOSE_CONV_2D:
		case NNA_OPERATION_ELU:
		case NNA_OPERATION_EXP:
		case NNA_OPERATION_LOGISTIC:
		case NNA_OPERATION_MEAN:
		case NNA_OPERATION_REDUCE_SUM:
		case NNA_OPERATION_FULLY_CONNECTED:
		case NNA_OPERATION_BATCH_MATMUL:
		case NNA_OPERATION_LOCAL_RESPONSE_NORMALIZATION:
		case NNA_OPERATION_RNN:
		case NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_RNN:
		case NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_RNN:
		case NNA_OPERATION_SVDF:
		case NNA_OPERATION_TANH:
		case NNA_OPERATION_LSTM:
		case NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM:
		case NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_LSTM:
			if (nnr_is_float(graph->operands[graph->operations[k].in[0]]->type))
				return true;
		}
	}
	for (uint32_t i = 0; i < graph->subgraph_count; i++) {
		if (rounds_floats(graph->subgraphs[i]))
			return true;
	}
	return false;
}

/*
 * With SOFTMAX among the operations that are joined, the exponentials of a row are added up as SUM
 * adds, which rounds once and not for each of them: the last bits differ with every kernel.
 */
static bool has_softmax(const struct nnr_graph *graph)
{
	for (uint32_t k = 0; k < graph->operation_count; k++) {
		if (graph->operations[k].type == NNA_OPERATION_SOFTMAX &&
		    nnr_is_float(graph->operands[graph->operations[k].in[0]]->type))
			return true;
	}
	for (uint32_t i = 0; i < graph->subgraph_count; i++) {
		if (has_softmax(graph->subgraphs[i]))
			return true;
	}
	return false;
}

/* The same bytes, but for the sign of a zero: a clamp gives +0 before rounding, -0 after it. */
static bool same_element(const struct nnr_operand *a, const struct nnr_operand *b, size_t i)
{
	size_t size = nna_operand_type_size(a->type);

	return !memcmp(a->data + i * size, b->data + i * size, size) ||
	       (nnr_is_float(a->type) && nnr_load(a->type, a->data, i) == 0 &&
		nnr_load(b->type, b->data, i) == 0);
}

/* Floats within 1e-5. */
static bool near_element(const struct nnr_operand *a, const struct nnr_operand *b, size_t i)
{
	double x, y;

	if (!nnr_is_float(a->type))
		return false;
	x = nnr_load(a->type, a->data, i);
	y = nnr_load(b->type, b->data, i);
	return fabs(x - y) <= fmax(fabs(x), 1) * 1e-5;
}

/*
 * Compares the outputs of @again, a run of @graph without intermediate results, with @graph's. With
 * @near floats may differ as near_element() says.
 */
static enum nnr_verdict compare_ends(const struct nnr_graph *graph, const struct nnr_graph *again,
				     bool near, struct nnr_report *report)
{
	for (uint32_t k = 0; k < graph->operation_count; k++) {
		for (uint32_t i = 0; i < graph->operations[k].output_count; i++) {
			const struct nnr_operand *a = graph->operands[graph->operations[k].out[i]];
			const struct nnr_operand *b = again->operands[graph->operations[k].out[i]];
			size_t n = 0, count = nnr_elements(a);

			if (!a->output)
				continue;
			while (n < count && a->size == b->size &&
			       (same_element(a, b, n) || (near && near_element(a, b, n))))
				n++;
			if (n == count && a->size == b->size)
				continue;
			return say(report, NNR_FUSED, (int)k,
				   "%s %s (operation %u): output %u differs from element %zu of "
				   "%zu on when intermediate results are not outputs",
				   operation_name(graph, k), nnr_type_text(a->type), k, i, n,
				   count);
		}
	}
	return NNR_AGREES;
}

/*
 * Runs the graph without its intermediate results, and compares its outputs with those that @graph
 * holds, or, with @rerun, with those of another run that has all results.
 */
static enum nnr_verdict judge_ends(struct nna_device *device, const struct nnr_graph *graph,
				   bool rerun, struct nnr_report *report)
{
	struct nnr_graph *again = nnr_graph_copy(graph),
			 *full = rerun ? nnr_graph_copy(graph) : NULL;
	enum nnr_verdict verdict;
	const char *step = "memory";
	int ret = again && (full || !rerun) ? 0 : -ENOMEM;

	if (!ret && rerun)
		ret = nnr_run_graph(device, full, true, &step);
	if (!ret)
		ret = nnr_run_graph(device, again, false, &step);
	if (ret)
		verdict = say(report, NNR_REFUSED, -1, "with ends only: %s: %s", step,
			      strerror(-ret));
	else
		verdict = compare_ends(rerun ? full : graph, again,
				       rerun && has_softmax(graph), report);
	nnr_graph_free(again);
	nnr_graph_free(full);
	return verdict;
}

enum nnr_verdict nnr_judge(const struct nnr_device *device, struct nnr_graph *graph,
			   const struct nnr_options *options, struct nnr_report *report)
{
	enum nnr_verdict verdict = NNR_AGREES;
	struct nnr_log log = { .lines = 0 };
	const char *step;
	int ret;

	memset(report, 0, sizeof(*report));
	nnr_log_use(&log);
	ret = nnr_run_graph(device->main, graph, true, &step);
	if (ret)
		verdict = say(report,
			      ret == -ENOTSUP && (strstr(log.last, "is not supported") ||
						  !nnr_supports(device->main, graph)) ?
				      NNR_UNKNOWN :
				      NNR_REFUSED,
			      -1, "%s: %s", step, strerror(-ret));
	else if (options->flip)
		flip_bit(graph);
	for (uint32_t k = 0; k < graph->operation_count && verdict == NNR_AGREES; k++)
		verdict = judge_operation(graph, k, options, report);
	if (verdict == NNR_AGREES && !options->flip)
		verdict = judge_ends(device->main, graph, false, report);
	if (verdict == NNR_FUSED && device->plain &&
	    (rounds_floats(graph) || has_softmax(graph)))
		verdict = judge_ends(device->plain, graph, true, report);
	report->verdict = verdict;
	memcpy(report->log, log.last, sizeof(report->log));
	nnr_log_use(NULL);
	return verdict;
}

/* Whether a message says which operation or operand it is about, so that one can act on it. */
static bool names_something(const char *line)
{
	static const char *const words[] = { "operation ", "operand ", "input ", "output " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = strstr(line, words[i]);

		if (at && at[strlen(words[i])] >= '0' && at[strlen(words[i])] <= '9')
			return true;
	}
	return false;
}

enum nnr_verdict nnr_judge_mutant(const struct nnr_device *device, struct nnr_graph *graph,
				  bool invalid, const char *what, struct nnr_report *report)
{
	enum nnr_verdict verdict = NNR_AGREES;
	struct nnr_log log = { .lines = 0 };
	const char *step;
	int ret;

	memset(report, 0, sizeof(*report));
	nnr_log_use(&log);
	ret = nnr_run_graph(device->main, graph, graph->seed % 2, &step);
	if (!ret && invalid)
		verdict = say(report, NNR_TAKEN, -1, "%s: accepted", what);
	/* An output that is too small is told by its dimensions rather than by a message. */
	else if (ret && ret != -ENOSPC && ret != -ENOMEM && !names_something(log.last))
		verdict = say(report, NNR_SILENT, -1, "%s: %s: %s", what, step, strerror(-ret));
	else
		say(report, NNR_AGREES, -1, "%s: %s: %s", what, step, ret ? strerror(-ret) : "ran");
	report->verdict = verdict;
	report->checked = ret != 0;
	memcpy(report->log, log.last, sizeof(report->log));
	nnr_log_use(NULL);
	return verdict;
}
