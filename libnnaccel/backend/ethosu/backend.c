// SPDX-License-Identifier: MIT
/*
 * The backend: finds the kind of each operation, and has it accepted, completed and written.
 *
 * A stream of the library has the form of Vela's payloads, so that what reads those reads it, too.
 */
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/ethosu/ethosu.h"
#include "libnnaccel/backend/ethosu/table.h"
#include "libnnaccel/backend/ethosu/text.h"

#define VERSION 1u

/* What a payload begins with (stream.h): its name, the NPU, the length of the stream. */
#define PAYLOAD_WORDS 5u
#define ACTION_NPU 1u
#define ACTION_STREAM 2u
#define WORDS_MOST 0xffffffu
#define ID_U65 0x10066001u
#define ID_U85 0x20007000u

/* The registers CONFIG of the NPUs. Without a device, an operation is judged for the first one. */
static const struct nna_backend_configuration configurations[] = {
	{ "ethos-u65-256", 0x10003008 },
	{ "ethos-u65-512", 0x10006009 },
	{ "ethos-u85-128", 0x20000117 },
	{ "ethos-u85-256", 0x20000118 },
	{ "ethos-u85-512", 0x20001119 },
	{ "ethos-u85-1024", 0x2000251a },
	{ "ethos-u85-2048", 0x2000261b },
	{ 0 },
};

static const struct nna_ethosu_kind *const kinds[NNA_IR_KINDS] = {
	[NNA_IR_CONV2D] = &nna_ethosu_convolution,
	[NNA_IR_BINARY] = &nna_ethosu_elementwise,
	[NNA_IR_UNARY] = &nna_ethosu_unary,
	[NNA_IR_RESCALE] = &nna_ethosu_unary,
	[NNA_IR_CLAMP] = &nna_ethosu_unary,
	[NNA_IR_COPY] = &nna_ethosu_copy,
	[NNA_IR_FILL] = &nna_ethosu_fill,
	[NNA_IR_POOL] = &nna_ethosu_pool,
	[NNA_IR_REDUCE] = &nna_ethosu_reduce,
	[NNA_IR_RESIZE] = &nna_ethosu_resize,
};

int nna_ethosu_refuse(char *reason, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, size, format, args);
	va_end(args);
	return -ENOTSUP;
}

static uint32_t config_of(const struct nna_lower *l)
{
	return l->configuration ? l->configuration : configurations[0].number;
}

static bool target_of(const struct nna_lower *l, struct nna_ethosu_target *target)
{
	return nna_ethosu_target_read(config_of(l), target);
}

static int ethosu_accepts(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
			  size_t size)
{
	struct nna_ethosu_target target;

	if (!target_of(l, &target))
		return nna_ethosu_refuse(reason, size, "no such NPU: CONFIG is 0x%08x",
					 l->configuration);
	if (!kinds[op->kind])
		return nna_ethosu_refuse(reason, size, "the NPU has no command for %s",
					 nna_ir_kind_name(op->kind));
	/* Without elements there is nothing to do. */
	for (uint32_t k = 0; k < op->operand_count; k++)
		if (op->values[k] != NNA_NO_VALUE &&
		    !nna_value_elements(&l->values[op->values[k]]))
			return nna_ethosu_refuse(reason, size, "an operand without elements");
	return kinds[op->kind]->accepts(l, &target, op, reason, size);
}

static bool ethosu_can_fuse(const struct nna_lower *l, const struct nna_ir_op *first,
			    const struct nna_ir_op *second)
{
	return false;
}

static uint32_t ethosu_in_place(const struct nna_ir_op *op)
{
	return 0;
}

/* All constants are made here, because pack() may be left out. */
static int ethosu_select(struct nna_lower *l)
{
	struct nna_ethosu_target target;
	int ret = target_of(l, &target) ? nna_ethosu_layout(l) : -ENODEV;

	for (uint32_t i = 0; i < l->op_count && !ret; i++)
		if (!l->ops[i].dead && kinds[l->ops[i].kind] && kinds[l->ops[i].kind]->pack)
			ret = kinds[l->ops[i].kind]->pack(l, &target, i);
	return ret;
}

/* Puts words into a payload. */
static int wrap(const struct nna_lower *l, const struct nna_ethosu_target *target,
		const uint32_t *words, uint32_t count, struct nna_stream *out)
{
	uint32_t *at;

	if (count > WORDS_MOST)
		return -ENOTSUP;
	out->size = (count + PAYLOAD_WORDS) * 4;
	out->bytes = malloc(out->size);
	if (!out->bytes)
		return -ENOMEM;
	memcpy(out->bytes, "COP1", 4);
	at = (uint32_t *)out->bytes + 1;
	*at++ = htole32(ACTION_NPU);
	*at++ = htole32(config_of(l));
	*at++ = htole32(target->generation == NNA_ETHOSU_U65 ? ID_U65 : ID_U85);
	*at++ = htole32(ACTION_STREAM | (count & 0xffff) << 16 | count >> 16 << 8);
	for (uint32_t i = 0; i < count; i++)
		*at++ = htole32(words[i]);
	return 0;
}

static int ethosu_emit(const struct nna_lower *l, struct nna_stream *out)
{
	struct nna_ethosu_target target;
	struct nna_ethosu_writer w;
	uint32_t *words, count;
	int ret = 0;

	*out = (struct nna_stream){ 0 };
	if (!target_of(l, &target))
		return -ENODEV;
	nna_ethosu_writer_begin(&w, &target);
	for (uint32_t i = 0; i < l->op_count && !ret; i++) {
		const struct nna_ir_op *op = &l->ops[i];

		if (!op->dead)
			ret = kinds[op->kind] ? kinds[op->kind]->emit(l, &target, op, &w) :
						-ENOTSUP;
	}
	if (ret) {
		free(w.words);
		return ret;
	}
	ret = nna_ethosu_writer_finish(&w, &words, &count);
	if (ret)
		return ret;
	ret = wrap(l, &target, words, count, out);
	out->commands = w.operations;
	free(words);
	return ret;
}

static int ethosu_print(FILE *to, const void *stream, size_t size, const char *const *slot_names,
			uint32_t slot_count)
{
	char line[NNA_ETHOSU_LINE_SIZE > NNA_ETHOSU_ERROR_SIZE ? NNA_ETHOSU_LINE_SIZE :
								 NNA_ETHOSU_ERROR_SIZE];
	struct nna_ethosu_stream words;
	struct nna_ethosu_text text;
	int ret;

	for (uint32_t i = 0; i < slot_count; i++)
		fprintf(to, "region %u: %s\n", i, slot_names[i]);
	ret = nna_ethosu_payload_read(stream, size, &words, line);
	if (ret) {
		fprintf(to, "%s\n", line);
		return ret;
	}
	nna_ethosu_text_begin(&text, &words, nna_ethosu_generation(words.config));
	while (nna_ethosu_text_next(&text, line))
		fprintf(to, "%s\n", line);
	nna_ethosu_stream_free(&words);
	return ferror(to) ? -EIO : 0;
}

_Static_assert(sizeof(struct nna_ethosu_table) <= NNA_BACKEND_TABLE_SIZE &&
		       NNA_ETHOSU_REPORT_CONSTANT + NNA_ETHOSU_MARKER_SIZE <=
			       NNA_BACKEND_REPORT_SIZE, "room for table and report");

static void ethosu_prepare_job(void *table, const struct nna_area *areas, uint32_t count)
{
	struct nna_ethosu_table t = { 0 };

	for (uint32_t i = 0; i < count && i < NNA_ETHOSU_REGIONS; i++) {
		t.areas[i].address = areas[i].address;
		t.areas[i].size = areas[i].size;
	}
	memcpy(table, &t, sizeof(t));
}

static void ethosu_clear_report(void *report)
{
	memset((char *)report + NNA_ETHOSU_REPORT_MARKER, 0, NNA_ETHOSU_MARKER_SIZE);
	memcpy((char *)report + NNA_ETHOSU_REPORT_CONSTANT, nna_ethosu_marker,
	       NNA_ETHOSU_MARKER_SIZE);
}

static void ethosu_read_report(const void *report, uint64_t tick_hz, const void *stream,
			       size_t size, struct nna_report *out)
{
	*out = (struct nna_report){
		.reported = !memcmp((const char *)report + NNA_ETHOSU_REPORT_MARKER,
				    nna_ethosu_marker, NNA_ETHOSU_MARKER_SIZE),
		.origin = -1,
		.operand = -1,
	};
}

extern const struct nna_backend nna_backend_ethosu;
const struct nna_backend nna_backend_ethosu = {
	.name = "ethosu",
	.abi_major = VERSION,
	.stream_version = VERSION,
	.layout_version = VERSION,
	.max_slots = NNA_ETHOSU_REGIONS,
	.configurations = configurations,
	.accepts = ethosu_accepts,
	.can_fuse = ethosu_can_fuse,
	.in_place = ethosu_in_place,
	.select = ethosu_select,
	.emit = ethosu_emit,
	.print = ethosu_print,
	.prepare_job = ethosu_prepare_job,
	.clear_report = ethosu_clear_report,
	.read_report = ethosu_read_report,
};
