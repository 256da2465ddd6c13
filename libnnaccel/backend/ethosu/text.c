// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hw/ethosu/opcode.h"

enum npu { BOTH, U65, U85 };

/* How a number reads; command_list.h says what each means. */
enum reads {
	PLAIN, SIGNED, LESS_ONE, HEX, IFM_TYPE, OFM_TYPE, REGION, DMA_REGION, UPSCALE, STRIDES,
	ADDRESS, LENGTH, STRIDE, SCALE, WORD, MODE, JUMP,
};

/* A row of the list; @key is the opcode, with bit 14 for a command of two words. */
struct row {
	uint16_t key;
	enum npu npu;
	enum reads reads;
	const char *name;
};

#define LONG_KEY (1u << ETHOSU_WORD_FORM_SHIFT)

static const struct row rows[] = {
#define ETHOSU_OPERATION(code, name, npu) { (code), npu, MODE, #name },
#define ETHOSU_JUMP(code, name, npu) { (code) | LONG_KEY, npu, JUMP, #name },
#define ETHOSU_SHORT(code, name, npu, reads) { (code), npu, reads, #name },
#define ETHOSU_LONG(code, name, npu, reads) { (code) | LONG_KEY, npu, reads, #name },
#include "hw/ethosu/command_list.h"
};

/* A line that grows as far as there is room. */
struct line {
	char *text;
	size_t used;
};

static __attribute__((format(printf, 2, 3))) void add(struct line *line, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line->text + line->used, NNA_ETHOSU_LINE_SIZE - line->used, format, args);
	va_end(args);
	if (n > 0)
		line->used += (size_t)n;
	if (line->used >= NNA_ETHOSU_LINE_SIZE)
		line->used = NNA_ETHOSU_LINE_SIZE - 1;
}

static bool has(enum nna_ethosu_generation generation, enum npu npu)
{
	return npu == BOTH || generation == NNA_ETHOSU_UNKNOWN ||
	       (npu == U85) == (generation == NNA_ETHOSU_U85);
}

/* ---- state ---- */

static uint32_t get(const struct nna_ethosu_text *text, uint32_t opcode)
{
	return text->shorts[opcode - 0x100];
}

static uint64_t address(const struct nna_ethosu_text *text, uint32_t opcode)
{
	return text->payloads[opcode] | (uint64_t)(text->params[opcode] & 0xff) << 32;
}

static void set(struct nna_ethosu_text *text, const struct nna_ethosu_command *c)
{
	if (c->words == 1 && c->opcode - 0x100u < NNA_ETHOSU_CODES) {
		text->shorts[c->opcode - 0x100] = c->parameter;
	} else if (c->words == 2 && c->opcode < NNA_ETHOSU_CODES) {
		text->params[c->opcode] = c->parameter;
		text->payloads[c->opcode] = c->payload;
	}
}

/* ---- numbers ---- */

/* "s8"; @shift: where the width stands, which is after the sign in the OFM's word. */
static void add_type(struct line *line, uint32_t word, uint32_t shift)
{
	add(line, "%c%u", word & 1 ? 's' : 'u', 8u << (word >> shift & 3));
}

static void add_precision(const struct nna_ethosu_text *text, struct line *line, uint32_t word,
			  bool ofm)
{
	static const char *const storages[4] = { "", " in tiles 3x1", " chained", " not stored" };
	static const char *const roundings[4] = { " double", " to zero", " natural", " mode 3" };
	static const char *const layouts[4] = { "nhwc", "nhcwb16", "layout 2", "layout 3" };
	static const char *const turns[8] = { "", " whc", " hcw", " wch", " 4", " 5", " chw",
					      " cwh" };

	add_type(line, word, ofm ? 1 : 2);
	add(line, " %s", layouts[word >> 6 & 3]);
	if (ofm && word & 0x100)
		add(line, " one scale");
	if (text->generation == NNA_ETHOSU_U85) {
		add(line, "%s", storages[word >> 14 & 3]);
		if (ofm && word >> 11 & 7)
			add(line, " transposed%s", turns[word >> 11 & 7]);
		if (ofm && word >> 9 & 3)
			add(line, " reversed %c", " hwc"[word >> 9 & 3]);
	} else if (text->generation == NNA_ETHOSU_U65) {
		if (ofm)
			add(line, " rounding%s", roundings[word >> 14 & 3]);
		else if (word >> 8 & 3)
			add(line, " operand %u scaled", word >> 8 & 3);
	} else {
		add(line, " (0x%04x)", word);
	}
}

static void add_strides(struct line *line, uint32_t word)
{
	add(line, "%ux%u", 1 + (word >> 1 & 1) + (word >> 9 & 1) * 2,
	    1 + (word & 1) + (word >> 6 & 1) * 2);
	if (word >> 3 & 3)
		add(line, " dilation %ux%u", 1 + (word >> 4 & 1), 1 + (word >> 3 & 1));
	if (word >> 2 & 1)
		add(line, " part-kernel");
	if (word >> 5 & 1)
		add(line, " 4x4");
}

static void add_dma_region(struct line *line, uint32_t word)
{
	static const char *const modes[4] = { "", " 2D", " 3D", " mode 3" };

	if (word >> 8 & 1)
		add(line, "internal");
	else
		add(line, "%u", word & 7);
	add(line, "%s%s", modes[word >> 9 & 3], word >> 11 & 1 ? " by index" : "");
}

static void add_number(const struct nna_ethosu_text *text, struct line *line,
		       const struct nna_ethosu_command *c, enum reads reads)
{
	static const char *const upscales[4] = { "none", "nearest", "zeros", "3" };
	const uint64_t wide = c->payload | (uint64_t)(c->parameter & 0xff) << 32;

	switch (reads) {
	case PLAIN:
	case REGION:
	case MODE:
		add(line, "%u", c->parameter);
		return;
	case SIGNED:
		add(line, "%d", (int16_t)c->parameter);
		return;
	case LESS_ONE:
		add(line, "%u", c->parameter + 1u);
		return;
	case HEX:
		add(line, "0x%x", c->parameter);
		return;
	case IFM_TYPE:
	case OFM_TYPE:
		add_precision(text, line, c->parameter, reads == OFM_TYPE);
		return;
	case DMA_REGION:
		add_dma_region(line, c->parameter);
		return;
	case UPSCALE:
		add(line, "%s", upscales[c->parameter & 3]);
		return;
	case STRIDES:
		add_strides(line, c->parameter);
		return;
	case ADDRESS:
		add(line, "0x%" PRIx64, wide);
		return;
	case LENGTH:
		add(line, "%" PRIu64, wide);
		return;
	case STRIDE:
		add(line, "%" PRId64, (int64_t)(wide << 24) >> 24);
		return;
	case SCALE:
		add(line, "%u shift %u", c->payload, c->parameter & 0x3fu);
		if (c->parameter >> 6)
			add(line, " (0x%04x)", c->parameter);
		return;
	case WORD:
		add(line, "%d", (int32_t)c->payload);
		return;
	case JUMP:
		add(line, "0x%x (0x%04x)", c->payload, c->parameter);
		return;
	}
}

/* ---- operations ---- */

static void add_map(const struct nna_ethosu_text *text, struct line *line, uint32_t region,
		    uint32_t base, uint32_t word, bool ofm)
{
	if (text->generation == NNA_ETHOSU_U85 && word >> 14 == 2)
		add(line, "chain %u ", get(text, region));
	else if (text->generation == NNA_ETHOSU_U85 && word >> 14 == 3 && !ofm)
		add(line, "scalar %d ", (int32_t)text->payloads[ETHOSU_SET_SCALAR]);
	else if (text->generation == NNA_ETHOSU_U85 && word >> 14 == 3)
		add(line, "nowhere ");
	else
		add(line, "%u:0x%" PRIx64 " ", get(text, region) & 7, address(text, base));
	if (ofm)
		add(line, "%ux%ux%u ", get(text, ETHOSU_SET_OFM_HEIGHT) + 1,
		    get(text, ETHOSU_SET_OFM_WIDTH) + 1, get(text, ETHOSU_SET_OFM_DEPTH) + 1);
	add_type(line, word, ofm ? 1 : 2);
}

static void add_range(const struct nna_ethosu_text *text, struct line *line, const char *name,
		      uint32_t region, uint32_t base)
{
	add(line, ", %s %u:0x%" PRIx64 "+%" PRIu64, name, get(text, region) & 7,
	    address(text, base), address(text, base + 1));
}

static void add_window(const struct nna_ethosu_text *text, struct line *line)
{
	add(line, ", kernel %ux%u stride ", get(text, ETHOSU_SET_KERNEL_HEIGHT) + 1,
	    get(text, ETHOSU_SET_KERNEL_WIDTH) + 1);
	add_strides(line, get(text, ETHOSU_SET_KERNEL_STRIDE));
	add(line, ", pad %u %u %u %u", get(text, ETHOSU_SET_IFM_PAD_TOP) & 0x7f,
	    get(text, ETHOSU_SET_IFM_PAD_LEFT) & 0x7f, get(text, ETHOSU_SET_IFM_PAD_BOTTOM) & 0xff,
	    get(text, ETHOSU_SET_IFM_PAD_RIGHT) & 0xff);
}

/* Whether an elementwise operation has one operand: LRELU, ABS, CLZ and NOT. */
static bool is_unary(uint32_t mode)
{
	return mode == 5 || mode == 6 || mode == 7 || mode == 36;
}

/* A U65 has one constant, instead of IFM2. */
static bool is_scalar(const struct nna_ethosu_text *text)
{
	return text->generation != NNA_ETHOSU_U85 && get(text, ETHOSU_SET_IFM2_BROADCAST) >> 7 & 1;
}

static const char *mode_name(uint32_t opcode, uint32_t mode)
{
	static const char *const pools[] = { "max", "average", "reduce-sum", "sum", "none", "min",
					     "argmax-x", "argmax-y" };
	static const char *const elements[] = {
		[0] = "mul", [1] = "add", [2] = "sub", [3] = "min", [4] = "max", [5] = "lrelu",
		[6] = "abs", [7] = "clz", [8] = "shr", [9] = "shl", [10] = "lsr", [11] = "div",
		[16] = "equal", [17] = "not-equal", [18] = "greater-equal", [19] = "greater",
		[33] = "and", [34] = "or", [35] = "xor", [36] = "not", [42] = "and-not",
	};
	static const char *const resizes[] = { "bilinear", "replicate", "nearest" };
	const char *name = NULL;

	if (opcode == ETHOSU_OP_POOL && mode < sizeof(pools) / sizeof(pools[0]))
		name = pools[mode];
	else if (opcode == ETHOSU_OP_ELEMENTWISE && mode < sizeof(elements) / sizeof(elements[0]))
		name = elements[mode];
	else if (opcode == ETHOSU_OP_RESIZE && mode < sizeof(resizes) / sizeof(resizes[0]))
		name = resizes[mode];
	return name;
}

static void add_mode(struct line *line, uint32_t opcode, uint32_t mode)
{
	const char *name = mode_name(opcode, mode);

	if (name)
		add(line, "%s ", name);
	else if (mode)
		add(line, "mode %u ", mode);
}

static void add_kernel(const struct nna_ethosu_text *text, struct line *line, uint32_t opcode,
		       uint32_t mode)
{
	const uint32_t ofm = get(text, ETHOSU_SET_OFM_PRECISION);
	const bool element = opcode == ETHOSU_OP_ELEMENTWISE;
	const bool product = opcode == ETHOSU_OP_CONV && mode & 1;

	add_mode(line, opcode, product ? 0 : mode);
	add_map(text, line, ETHOSU_SET_IFM_REGION, ETHOSU_SET_IFM_BASE0,
		get(text, ETHOSU_SET_IFM_PRECISION), false);
	if (!element)
		add(line, " depth %u", get(text, ETHOSU_SET_IFM_DEPTH) + 1);
	if (product || (element && !is_unary(mode))) {
		add(line, ", ");
		if (element && is_scalar(text))
			add(line, "scalar %d", (int16_t)get(text, ETHOSU_SET_IFM2_SCALAR));
		else
			add_map(text, line, ETHOSU_SET_IFM2_REGION, ETHOSU_SET_IFM2_BASE0,
				get(text, ETHOSU_SET_IFM2_PRECISION), false);
	}
	add(line, " -> ");
	add_map(text, line, ETHOSU_SET_OFM_REGION, ETHOSU_SET_OFM_BASE0, ofm, true);
	if (!element && opcode != ETHOSU_OP_RESIZE)
		add_window(text, line);
	add(line, ", block %ux%ux%u", get(text, ETHOSU_SET_OFM_BLOCK_HEIGHT) + 1,
	    get(text, ETHOSU_SET_OFM_BLOCK_WIDTH) + 1, get(text, ETHOSU_SET_OFM_BLOCK_DEPTH) + 1);
	if ((opcode == ETHOSU_OP_CONV && !product) || opcode == ETHOSU_OP_DEPTHWISE)
		add_range(text, line, "weights", ETHOSU_SET_WEIGHT_REGION, ETHOSU_SET_WEIGHT_BASE);
	if (!(ofm & 0x100) && !element && opcode != ETHOSU_OP_RESIZE)
		add_range(text, line, "scales", ETHOSU_SET_SCALE_REGION, ETHOSU_SET_SCALE_BASE);
}

static void add_side(const struct nna_ethosu_text *text, struct line *line, uint32_t region,
		     uint32_t base)
{
	add_dma_region(line, get(text, region) & 0x1ff);
	add(line, ":0x%" PRIx64, address(text, base));
}

static void add_dma(const struct nna_ethosu_text *text, struct line *line)
{
	const uint32_t word = get(text, ETHOSU_SET_DMA_SOURCE_REGION), mode = word >> 9 & 3;

	add_side(text, line, ETHOSU_SET_DMA_SOURCE_REGION, ETHOSU_SET_DMA_SOURCE);
	add(line, " -> ");
	add_side(text, line, ETHOSU_SET_DMA_TARGET_REGION, ETHOSU_SET_DMA_TARGET);
	add(line, ", %" PRIu64 " bytes", address(text, ETHOSU_SET_DMA_LENGTH));
	if (mode)
		add(line, " x %u", get(text, ETHOSU_SET_DMA_SIZE0));
	if (mode > 1)
		add(line, " x %u", get(text, ETHOSU_SET_DMA_SIZE1));
	if (word >> 11 & 1)
		add(line, " by index");
}

static void add_operation(const struct nna_ethosu_text *text, struct line *line,
			  const struct nna_ethosu_command *c)
{
	switch (c->opcode) {
	case ETHOSU_OP_CONV:
	case ETHOSU_OP_DEPTHWISE:
	case ETHOSU_OP_POOL:
	case ETHOSU_OP_ELEMENTWISE:
	case ETHOSU_OP_RESIZE:
		add_kernel(text, line, c->opcode, c->parameter);
		return;
	case ETHOSU_OP_DMA_START:
		add_dma(text, line);
		return;
	default:
		add_number(text, line, c, MODE);
	}
}

/* ---- lines ---- */

void nna_ethosu_text_begin(struct nna_ethosu_text *text, const struct nna_ethosu_stream *stream,
			   enum nna_ethosu_generation generation)
{
	memset(text, 0, sizeof(*text));
	text->stream = stream;
	text->generation = generation;
}

/* The rows of a command: one, or two where the generations differ and it is not known which. */
static uint32_t find(const struct nna_ethosu_text *text, const struct nna_ethosu_command *c,
		     const struct row *found[2])
{
	const uint32_t key = c->opcode | (c->words == 2 ? LONG_KEY : 0);
	uint32_t count = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && count < 2; i++)
		if (rows[i].key == key && has(text->generation, rows[i].npu))
			found[count++] = &rows[i];
	return count;
}

bool nna_ethosu_text_next(struct nna_ethosu_text *text, char *to)
{
	const struct nna_ethosu_stream *stream = text->stream;
	struct line line = { .text = to };
	struct nna_ethosu_command command;
	const struct row *found[2];
	uint32_t count;
	char name[64];

	if (text->at >= stream->count)
		return false;
	add(&line, "%06x  ", text->at * 4);
	if (!nna_ethosu_command_read(stream->words + text->at, stream->count - text->at,
				     &command)) {
		add(&line, "0x%08x is no command", stream->words[text->at]);
		text->at++;
		return true;
	}
	text->at += command.words;
	count = find(text, &command, found);
	if (!count) {
		add(&line, "opcode 0x%03x %u", command.opcode, command.parameter);
		if (command.words == 2)
			add(&line, " 0x%08x", command.payload);
		return true;
	}
	snprintf(name, sizeof(name), "%s%s%s", found[0]->name, count > 1 ? "|" : "",
		 count > 1 ? found[1]->name : "");
	add(&line, "%-20s ", name);
	if (command.sets) {
		set(text, &command);
		add_number(text, &line, &command, found[0]->reads);
	} else if (found[0]->reads == JUMP) {
		add_number(text, &line, &command, JUMP);
	} else {
		add_operation(text, &line, &command);
	}
	return true;
}
