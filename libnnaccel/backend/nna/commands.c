// SPDX-License-Identifier: MIT
/* The hardware's commands as data and as text: see commands.h. The tables are generated (hw/). */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "libnnaccel/backend/nna/commands.h"
#include "hw/gen/nnahw_decode.h"

bool nna_command_find(uint16_t opcode, uint32_t *size, uint32_t *operands, uint32_t *outputs)
{
	const struct nnahw_command_info *info = nnahw_command_find(opcode);

	if (!info)
		return false;
	*size = info->size;
	*operands = info->operand_count;
	*outputs = 0;
	for (uint32_t i = 0; i < info->operand_count; i++)
		*outputs |= (uint32_t)info->operands[i].is_output << i;
	return true;
}

const char *nna_command_name(uint16_t opcode)
{
	const struct nnahw_command_info *info = nnahw_command_find(opcode);

	return info ? info->name : "?";
}

static void print_operand(FILE *to, const struct nnahw_operand_info *info,
			  const struct nnahw_tensor *t, const char *const *slot_names,
			  uint32_t slot_count)
{
	const char *type = nnahw_type_name(t->type);
	uint32_t rank = t->rank <= NNAHW_MAX_RANK ? t->rank : NNAHW_MAX_RANK;
	int64_t stride = 1;
	bool plain = true;

	if (t->slot == NNAHW_SLOT_NONE)
		return;
	fprintf(to, "    %-9s ", info->name);
	if (slot_names && t->slot < slot_count)
		fprintf(to, "%s", slot_names[t->slot]);
	else
		fprintf(to, "slot %u", t->slot);
	fprintf(to, "+0x%" PRIx64 " %s[", t->offset, type ? type : "?");
	for (uint32_t k = 0; k < rank; k++)
		fprintf(to, "%s%u", k ? "," : "", t->dims[k]);
	fprintf(to, "]");
	for (uint32_t k = rank; k-- > 0;) {
		if (t->dims[k] != 1 && t->strides[k] != stride)
			plain = false;
		stride *= t->dims[k];
	}
	if (!plain) {
		fprintf(to, " strides [");
		for (uint32_t k = 0; k < rank; k++)
			fprintf(to, "%s%d", k ? "," : "", t->strides[k]);
		fprintf(to, "]");
	}
	if (t->scale != 0)
		fprintf(to, " scale %.9g zero %d", t->scale, t->zero_point);
	fprintf(to, "\n");
}

static void print_field(FILE *to, const struct nnahw_command_info *info,
			const struct nnahw_field_info *field, const unsigned char *raw)
{
	const unsigned char *at = raw + field->offset;
	const char *name = NULL;
	uint64_t u64 = 0;
	uint32_t u32 = 0;
	uint16_t u16 = 0;
	int32_t s32 = 0;
	float f32 = 0;

	/* The arrays of ROWS are printed as steps. */
	if (!field->name || (info->opcode == NNAHW_OP_ROWS && field->count == NNAHW_ROWS_STEPS))
		return;
	fprintf(to, " %s=", field->name);
	switch (field->kind) {
	case NNAHW_FIELD_U8:
		if (!strcmp(field->name, "layout"))
			name = nnahw_layout_name(*at);
		else if (info->opcode == NNAHW_OP_EWISE && !strcmp(field->name, "op"))
			name = nnahw_ewise_name(*at);
		else if (info->opcode == NNAHW_OP_POOL && !strcmp(field->name, "kind"))
			name = nnahw_pool_name(*at);
		else if (info->opcode == NNAHW_OP_REDUCE && !strcmp(field->name, "kind"))
			name = nnahw_reduction_name(*at);
		else if (info->opcode == NNAHW_OP_RESIZE && !strcmp(field->name, "kind"))
			name = nnahw_resample_name(*at);
		if (name)
			fprintf(to, "%s", name);
		else
			fprintf(to, "%u", *at);
		break;
	case NNAHW_FIELD_U16:
		memcpy(&u16, at, sizeof(u16));
		fprintf(to, "%u", u16);
		break;
	case NNAHW_FIELD_U32:
		memcpy(&u32, at, sizeof(u32));
		fprintf(to, "%u", u32);
		break;
	case NNAHW_FIELD_U64:
		memcpy(&u64, at, sizeof(u64));
		fprintf(to, "0x%" PRIx64, u64);
		break;
	case NNAHW_FIELD_S32:
		memcpy(&s32, at, sizeof(s32));
		fprintf(to, "%d", s32);
		break;
	case NNAHW_FIELD_F32:
		memcpy(&f32, at, sizeof(f32));
		fprintf(to, "%.9g", f32);
		break;
	default:
		fprintf(to, "?");
		break;
	}
}

/* Prints an argument of a step: "%3", the result of step 3; "a", an input; or a number. */
static void print_argument(FILE *to, const struct nnahw_cmd_rows *p, uint32_t step, uint8_t from)
{
	const struct nnahw_command_info *info = nnahw_command_find(NNAHW_OP_ROWS);

	if (from < NNAHW_ROWS_STEPS)
		fprintf(to, " %%%u", from);
	else if (from >= NNAHW_ROWS_INPUT &&
		 from < NNAHW_ROWS_INPUT + info->operand_count - NNAHW_ROWS_A)
		fprintf(to, " %s", info->operands[from - NNAHW_ROWS_INPUT + NNAHW_ROWS_A].name);
	else if (from == NNAHW_ROWS_VALUE)
		fprintf(to, " %.9g", p->number[step]);
	else
		fprintf(to, " ?");
}

/* Prints the steps of ROWS, a line each. Arguments of 0 behind the first are those not used. */
static void print_steps(FILE *to, const struct nnahw_cmd_rows *p)
{
	for (uint32_t i = 0; i < p->count && i < NNAHW_ROWS_STEPS; i++) {
		const char *name = nnahw_ewise_name(p->op[i]);

		name = name ? name : nnahw_row_name(p->op[i]);
		fprintf(to, "    %%%-8u %s", i, name ? name : "?");
		print_argument(to, p, i, p->x[i]);
		if (p->y[i] || p->z[i])
			print_argument(to, p, i, p->y[i]);
		if (p->z[i])
			print_argument(to, p, i, p->z[i]);
		fprintf(to, "\n");
	}
}

int nna_command_print(FILE *to, const void *bytes, size_t size, size_t at,
		      const char *const *slot_names, uint32_t slot_count)
{
	union {
		struct nnahw_command head;
		struct nnahw_cmd_rows rows;
		unsigned char raw[NNAHW_MAX_COMMAND_SIZE];
	} c;
	const struct nnahw_command_info *info;

	if (size < sizeof(c.head)) {
		fprintf(to, "malformed: a command crosses the end at 0x%zx\n", at);
		return -EINVAL;
	}
	memcpy(&c.head, bytes, sizeof(c.head));
	info = nnahw_command_find(c.head.opcode);
	if (!info || c.head.size != info->size || info->size > size) {
		fprintf(to, "malformed: bad command at 0x%zx\n", at);
		return -EINVAL;
	}
	memcpy(c.raw, bytes, info->size);
	fprintf(to, "%06zx %s (operation %u)", at, info->name, c.head.origin);
	for (uint32_t i = 0; i < info->field_count; i++)
		print_field(to, info, &info->fields[i], c.raw);
	fprintf(to, "\n");
	for (uint32_t i = 0; i < info->operand_count; i++) {
		struct nnahw_tensor t;

		memcpy(&t, c.raw + sizeof(c.head) + i * sizeof(t), sizeof(t));
		print_operand(to, &info->operands[i], &t, slot_names, slot_count);
	}
	if (info->opcode == NNAHW_OP_ROWS)
		print_steps(to, &c.rows);
	return info->size;
}

int nna_commands_print(FILE *to, const void *stream, size_t size, const char *const *slot_names,
		       uint32_t slot_count)
{
	const unsigned char *bytes = stream;
	struct nnahw_stream_header header;
	size_t at = sizeof(header);

	if (size < sizeof(header)) {
		fprintf(to, "malformed: shorter than a header\n");
		return -EINVAL;
	}
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != NNAHW_STREAM_MAGIC || header.size > size ||
	    header.size < sizeof(header)) {
		fprintf(to, "malformed: not a command stream\n");
		return -EINVAL;
	}
	size = header.size;
	fprintf(to, "stream version %u, layout version %u, %u bytes, %u commands\n", header.version,
		header.layout, header.size, header.command_count);
	while (at < size) {
		int done = nna_command_print(to, bytes + at, size - at, at, slot_names, slot_count);

		if (done < 0)
			return done;
		at += (size_t)done;
	}
	return ferror(to) ? -EIO : 0;
}
