/* SPDX-License-Identifier: MIT */
/*
 * Making graphs. A maker adds the operands of one operation; nnr_finish_operation() then evaluates
 * it, which gives the dimensions of its results and a quantisation that suits them. An operation
 * that does not evaluate is taken back.
 */
#ifndef NNR_MAKER_H
#define NNR_MAKER_H

#include "tests/random/eval.h"

typedef uint32_t nnr_types;

#define NNR_BIT(type) (1u << (type))
#define NNR_F32 NNR_BIT(NNA_OPERAND_TENSOR_FLOAT32)
#define NNR_F16 NNR_BIT(NNA_OPERAND_TENSOR_FLOAT16)
#define NNR_U8 NNR_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM)
#define NNR_S8 NNR_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED)
#define NNR_I32 NNR_BIT(NNA_OPERAND_TENSOR_INT32)
#define NNR_BOOL NNR_BIT(NNA_OPERAND_TENSOR_BOOL8)
#define NNR_FLOATS (NNR_F32 | NNR_F16)
#define NNR_QUANT (NNR_U8 | NNR_S8)
#define NNR_USUAL (NNR_FLOATS | NNR_QUANT)
#define NNR_NUMBERS (NNR_USUAL | NNR_I32)

/**
 * struct nnr_maker - a graph under construction
 * @operation: the operation under construction
 * @automatic: outputs whose quantisation follows from what is computed
 * @depth: of a subgraph
 */
struct nnr_maker {
	struct nnr_random r;
	struct nnr_graph *graph;
	struct nnr_operation operation;
	uint32_t automatic, depth;
};

/* What an input may be: types, ranks, and whether it may have no elements. */
struct nnr_wanted {
	nnr_types types;
	uint32_t least, most;
	bool empty;
};

/*
 * These return an operand's number, or -1 when the graph is full; makers need not look, as
 * nnr_finish_operation() does.
 */
int nnr_pick(struct nnr_maker *m, const struct nnr_wanted *wanted);
int nnr_new_tensor(struct nnr_maker *m, uint32_t type, uint32_t rank, const uint32_t *dims);
/* Of the type, scale and zero point of operand @like. */
int nnr_new_like(struct nnr_maker *m, int like, uint32_t rank, const uint32_t *dims);
int nnr_new_list(struct nnr_maker *m, uint32_t count, const int32_t *values);
uint32_t nnr_random_type(struct nnr_maker *m, nnr_types types);
uint32_t nnr_random_dim(struct nnr_maker *m);
/* A quantisation for a tensor of a quantised type; nothing for others. */
void nnr_random_quantisation(struct nnr_maker *m, struct nnr_operand *operand);
/* Bytes for an operand whose type and dimensions are known. */
void nnr_random_data(struct nnr_maker *m, struct nnr_operand *operand);

static inline struct nnr_operand *nnr_at(struct nnr_maker *m, int number)
{
	static _Thread_local struct nnr_operand none = { .rank = 4,
							 .dims = { 1, 1, 1, 1 },
							 .type = NNA_OPERAND_TENSOR_FLOAT32 };

	return number < 0 ? &none : m->graph->operands[number];
}

/* A tensor of a given quantisation, with bytes; 0 for types that have none. */
int nnr_new_scaled(struct nnr_maker *m, uint32_t type, uint32_t rank, const uint32_t *dims,
		   float scale, int32_t zero_point);
/* Its element @i as near to @value as its numbers are. */
void nnr_put(struct nnr_maker *m, int number, size_t i, double value);

/* 1 to @most, the lower ones more often. */
static inline uint32_t nnr_small(struct nnr_maker *m, uint32_t most)
{
	uint32_t n = 1 + nnr_below(&m->r, most);

	return nnr_once_in(&m->r, 2) ? n : 1 + nnr_below(&m->r, n);
}

void nnr_input(struct nnr_maker *m, int number);
void nnr_input_i32(struct nnr_maker *m, int32_t value);
void nnr_input_bool(struct nnr_maker *m, bool value);
/* FLOAT32 or FLOAT16, as the tensor @like is. */
void nnr_input_float(struct nnr_maker *m, int like, double value);
void nnr_input_list(struct nnr_maker *m, uint32_t count, const int32_t *values);
void nnr_input_none(struct nnr_maker *m, uint32_t type);

/* An output: like an operand; of a type, with a quantisation that suits; with a given one. */
void nnr_output_like(struct nnr_maker *m, int like);
void nnr_output(struct nnr_maker *m, uint32_t type);
void nnr_output_fixed(struct nnr_maker *m, uint32_t type, float scale, int32_t zero_point);

/* Makers that are in other files than maker_ops.c. */
bool nnr_make_rnn(struct nnr_maker *m, uint32_t type);
bool nnr_make_rnn_both(struct nnr_maker *m, uint32_t type);
bool nnr_make_lstm(struct nnr_maker *m, uint32_t type);
bool nnr_make_lstm_both(struct nnr_maker *m, uint32_t type);
bool nnr_make_16bit_lstm(struct nnr_maker *m, uint32_t type);
bool nnr_make_quantized_lstm(struct nnr_maker *m, uint32_t type);
bool nnr_make_transform(struct nnr_maker *m, uint32_t type);
bool nnr_make_roi(struct nnr_maker *m, uint32_t type);
bool nnr_make_keypoint(struct nnr_maker *m, uint32_t type);
bool nnr_make_nms_limit(struct nnr_maker *m, uint32_t type);
bool nnr_make_detection(struct nnr_maker *m, uint32_t type);
bool nnr_make_proposals(struct nnr_maker *m, uint32_t type);
bool nnr_make_lsh(struct nnr_maker *m, uint32_t type);
bool nnr_make_multinomial(struct nnr_maker *m, uint32_t type);
bool nnr_make_if(struct nnr_maker *m, uint32_t type);
bool nnr_make_while(struct nnr_maker *m, uint32_t type);

/* Evaluates the operation under construction and adds it. Return: whether it is valid. */
bool nnr_finish_operation(struct nnr_maker *m);
/* Makes an operation and finishes it, or takes its operands back. Return: whether it was added. */
bool nnr_add_operation(struct nnr_maker *m, uint32_t type);

/* Adds an operation of @type with random operands. Return: false when it did not come out. */
bool nnr_make_operation(struct nnr_maker *m, uint32_t type);

#endif
