/* SPDX-License-Identifier: MIT */
/*
 * The rows of test_refusals: a model (model_text.h) that breaks one rule, the operator and tensor
 * that the message must name, and what it must state as expected or supported. In the order of the
 * files of frontend/tflite.
 */
#ifndef TFLITE_REFUSAL_ROWS_H
#define TFLITE_REFUSAL_ROWS_H

#include "tests/unit/refusals.h"

/**
 * struct refusal_row - a bad model
 * @model: its text
 * @where: "1 input 0" for operator 1 and its input 0, "1" for operator 1; "operator 1" or
 *	"tensor 0" for a line of the reader, or of a tensor without an operator; "" for the model
 * @expected: the end of the message, behind "expected" or "supported:"
 */
struct refusal_row {
	const char *model, *where, *expected;
};

#define FOUR_OMITTED "- - - - "
#define EIGHT_OMITTED FOUR_OMITTED FOUR_OMITTED
#define STATES "f[1,3]! f[1,3]! "
#define BYTE_STATES "a[1,3]!*0.5 w[1,3]!*0.5 "
#define INNER "// a[1]*0.5 a[1]*0.5 a[1]*0.5 a[1]*0.5 a[1]*0.5"
#define W "a[3,2]={}*0.5 "
#define R "a[3,3]={}*0.5 "
/* Inputs 1 to 19 of an LSTM with INT8 weights. */
#define BYTE_WEIGHTS W W W W R R R R "- - - "
#define BIASES "f[3]={} f[3]={} f[3]={} f[3]={} - - " STATES
/* A subgraph that runs subgraph @n. */
#define LEVEL(n) "IF@92:" #n "," #n " b[1] %0 f[1]~ -> f[1]|"
/* A subgraph whose only operator has subgraph @n as its decomposition. */
#define COMPOSITE(n) "STABLEHLO_COMPOSITE@149:," #n " f[1] -> f[1]"
/* A subgraph that runs subgraph @n twice. */
#define TWICE(n) COMPOSITE(n) "; STABLEHLO_COMPOSITE@149:," #n " %1 -> f[1]|"
#define FOUR_TWICE(a, b, c, d) TWICE(a) TWICE(b) TWICE(c) TWICE(d)
#define WINDOW "STABLEHLO_REDUCE_WINDOW@141:"
#define SCATTER "STABLEHLO_SCATTER@135:,"
#define PADDED "STABLEHLO_PAD@138:"
#define TAKEN "STABLEHLO_GATHER@144:"
#define EIGHT_ONES "1 1 1 1 1 1 1 1"
#define PLUS "|STABLEHLO_ADD f f -> f"
#define ONES "1,1,1,1,1,1,1,1"
#define EIGHT_MORE "%0 %0 %0 %0 %0 %0 %0 %0 "

static const struct refusal_row refusal_rows[] = {
	/* composite.c */
	{ FOUR_TWICE(1, 2, 3, 4) FOUR_TWICE(5, 6, 7, 8) FOUR_TWICE(9, 10, 11, 12)
	  FOUR_TWICE(13, 14, 15, 16) TWICE(17) "ABS f[1] -> f[1]", "operator 1", "fewer" },
	{ "STABLEHLO_COMPOSITE@149:,1 f[1] f[1] -> f[1]|ADD@11 f[1]<={1} f[1] -> f[1]",
	  "0", "each input once, without data" },
	{ "STABLEHLO_COMPOSITE@149:,1 i[1] -> f[1]|ABS f[1] -> f[1]",
	  "0", "0, as in its decomposition" },
	{ "STABLEHLO_COMPOSITE@149:,1 f[1] -> i[1]|ABS f[1] -> f[1]",
	  "0", "0, as in its decomposition" },
	{ "STABLEHLO_COMPOSITE@149:,1 - f[1] -> f[1]|ABS f[1]< -> f[1]; ABS f[1] -> %0",
	  "0", "a tensor" },
	{ "STABLEHLO_COMPOSITE@149:,1 f[1] f[1] -> f[1]|ABS f[1] -> f[1]",
	  "0", "1 and 1, those of its decomposition" },
	{ "STABLEHLO_COMPOSITE@149:,1 - -> f[1]|ABS f[1] -> f[1]; RETURN %0", "0", "a tensor" },
	{ COMPOSITE(1), "0", "less than 1" },
	{ COMPOSITE(1) "|" COMPOSITE(0), "0", "another decomposition" },
	{ "STABLEHLO_COMPOSITE f[1] -> f[1]", "0", "the number of its subgraph" },
	/* bfloat.c */
	{ "ADD@11 B[2] B[2] -> B[2]", "0", "the operators of BFLOAT16 in docs/tflite.md" },
	/* compose.c */
	{ "SPARSE_TO_DENSE i[2]={0,1} i[1]={3} f[2,1] f -> f[3]",
	  "0", "1 or fewer to broadcast it" },
	{ "SPARSE_TO_DENSE i[2]={0,1} i[1]={3} f[3] f -> f[3]",
	  "0", "1 or 2 to broadcast it" },
	/* ops/composed.c */
	{ "CUMSUM@102 f[2000] i={0} -> f[2000]", "0 input 0", "1 to 1024" },
	{ "FAKE_QUANT@58:0.0,0.0,8 f[2] -> f[2]",
	  "0", "2 to 16 bits, and a range that includes 0" },
	{ "BUCKETIZE@115 f[2] -> i[2]", "0", "1 or more" },
	{ "BUCKETIZE@115:(1) f[" ONES "] -> i[" ONES "]", "0 input 0", "7 or fewer" },
	/* ops/arithmetic.c */
	{ "STABLEHLO_ADD i[2] i[2] -> a[2]", "0 output 0", "the type of input 0" },
	{ "STABLEHLO_MULTIPLY i[2] f[2] -> i[2]", "0 input 1", "the type of input 0" },
	{ "ADD@11:4 i[2] i[2] -> i[2]", "0", "RELU, RELU_N1_TO_1 and RELU6" },
	/* A parameter of a type that has no scalar. */
	{ "PADV2 f[2] i[1,2]={1,1} d={1} -> f[4]", "0 input 2", "a number or a truth value" },
	/* An input that is left out, whichever it is. */
	{ "BATCH_MATMUL - w[1,2,2]*0.5 -> w[1,2,2]*0.5", "0", "a tensor" },
	{ "BATCH_MATMUL w[1,2,2]*0.5 - -> w[1,2,2]*0.5", "0", "a tensor" },
	/* ops/concat.c */
	{ "SPLIT_V@79:2 a[4]*0.5 i[2]={1,3} i={0} -> a[2147483647]*0.5 a[2147483647]*0.5",
	  "0 output 1", "outputs of 4 elements together, those of the input" },
	/* ops/conv.c */
	{ "DEPTHWISE_CONV_2D@2:0,1,1,1 f[1,4,4,3] f[1,1,1,4]={} -> f[1,4,4,4]",
	  "0 input 1", "a multiple of 3, the input channels" },
	{ "CONV_2D@1:0,1,1 f[1,4,4,4] f[2,1,1,3]={} -> f[1,4,4,2]",
	  "0 input 1", "a divisor of 4, the input channels" },
	{ "CONV_2D@1:0,1,1,0,2,2 f[1,4,4,4] f[2,1,1,2] -> f[1,4,4,2]",
	  "0 input 1", "a constant of the file" },
	{ "CONV_2D@1:0,1,1,0,2,65536 f[1,4,4,4] f[2,2,1,2]={} -> f[1,4,4,2]",
	  "0 input 1", "1 to a window of 65535" },
	/* ops/conv3d.c */
	{ "CONV_3D@106:0,1,1,1,0,1,1,1 f[1,2,2,2,1] f[65,1,1,1,1]={} -> f[1,2,2,2,1]",
	  "0 input 1", "1 to 64" },
	{ "CONV_3D@106:0,0,1,1,0,1,1,1 f[1,2,2,2,1] f[1,1,1,1,1]={} -> f[1,2,2,2,1]",
	  "0", "1 to 65536" },
	{ "CONV_3D@106:0,1,1,1,0,1,1,1 f[1,2,2,2,2] f[1,1,1,3,1]={} -> f[1,2,2,2,1]",
	  "0 input 1", "2 and 1" },
	{ "CONV_3D_TRANSPOSE@106:0,1,1,1,0,1,1,1 i[5]={2,2,2,2,1} f[1,1,1,1,1]={} f[1,2,2,2,1] "
	  "-> f[2,2,2,2,1]", "0 output 0", "1, that of the input" },
	{ "CONV_3D_TRANSPOSE@106:0,1,1,1,0,2,1,1 i[5]={1,2,2,2,1} f[1,1,1,1,1]={} f[1,2,2,2,1] "
	  "-> f[1,2,2,2,1]", "0", "1" },
	/* ops/detection.c */
	{ "CUSTOM{} f[1,4,4] f[1,4,3] f[4,4] -> f[1,2,4] f[1,2] f[1,2] f[1]",
	  "0", "1 to 65536" },
	{ "CUSTOM{num_classes=7} f[1,4,4] f[1,4,3] f[4,4] -> f[1,2,4] f[1,2] f[1,2] f[1]",
	  "0 input 1", "7 classes, or one more with the background" },
	{ "CUSTOM{num_classes=3 max_classes_per_detection=5} f[1,4,4] f[1,4,3] f[4,4] -> "
	  "f[1,2,4] f[1,2] f[1,2] f[1]",
	  "0", "3, the classes; TFLite leaves further ones unwritten" },
	/* ops/fourier.c */
	{ "RFFT2D f[4,4] i[2]={0,4} -> c[0,3]", "0 input 1", "1 or more by 1 or more" },
	/* ops/gather.c */
	{ "GATHER@23:2,1 f[2,3,4] i[2,1] -> f[2,3,1]",
	  "0", "1, the number of batch dimensions" },
	{ "GATHER@23:1,1 f[2,3] i[3] -> f[2,1]", "0 input 1", "a multiple of 2, the batches" },
	{ "GATHER@23:0,3 f[2,3] i[2] -> f[2]", "0", "0 to 2, the dimensions of the input" },
	/* ops/hybrid.c */
	{ "CONV_2D@1:0,1,1 f[0,4,4,1] a[1,1,1,1]={}*0.5 -> f[0,4,4,1]",
	  "0 input 0", "0 rows of 1 or more" },
	/* ops/layer.c */
	{ "FULLY_CONNECTED@8 u[1,1]*0.5 u[1073741824,1]*0.5 -> u[1,1]*0.5",
	  "0 input 1", "1073741823 or fewer" },
	{ "CONV_2D@1:5,1,1 f[1,4,4,1] f[1,1,1,1]={} -> f[1,4,4,1]",
	  "0", "0 (SAME) or 1 (VALID)" },
	{ "CONV_2D@1:0,0,1 f[1,4,4,1] f[1,1,1,1]={} -> f[1,4,4,1]", "0", "1 or more" },
	{ "FULLY_CONNECTED@8 a[1,2]*0.5 a[3,2]={}*0.5 l[3]={} -> a[1,3]*0.5",
	  "0 input 2", "INT32" },
	{ "FULLY_CONNECTED@8 a[1,2]*0.5 a[3,2]={}*0.5 i[3] -> a[1,3]*0.5",
	  "0 input 2", "a constant of the file" },
	{ "FULLY_CONNECTED@8 a[1,2]*0.5 a[3,2]={}*0.5 i[2]={} -> a[1,3]*0.5",
	  "0 input 2", "3, the output channels" },
	/* ops/matmul.c */
	{ "FULLY_CONNECTED@8:0,1 f[1,2] f[3,2]={} -> f[1,3]", "0", "0, which is not shuffled" },
	{ "FULLY_CONNECTED@8 f[1,3] a[3,2]={}*0.5 -> f[1,3]",
	  "0 input 1", "1 or more rows, of a divisor of the input's 3 elements" },
	{ "FULLY_CONNECTED@8:4 f[1,1,2] f[3,2]={} -> f[1,1,3]",
	  "0 output 0", "2 dimensions; any number of 1 or more units without TANH" },
	{ "FULLY_CONNECTED@8 f[1,4] a[1,4]={}#3:2 f[1,1]={1} -> f[1,1]",
	  "0 input 1", "a divisor of 4, the elements of a row" },
	{ "FULLY_CONNECTED@8 f[1,4] a[1,4]={}#2:2 f[1,1]={1} -> f[1,1]",
	  "0 input 2", "2, one for each block" },
	{ "FULLY_CONNECTED@8 f[1,4] a[1,4]={}#4:2 i[1]={1} -> f[1,1]",
	  "0 input 2", "a constant of FLOAT16 or FLOAT32" },
	{ "BATCH_MATMUL@101 f[1,2] a[2,2]={}^ -> f[1,2]", "0 input 1", "1, the columns" },
	{ "BATCH_MATMUL@101 f[0,2] a[2,2]={} -> f[0,2]", "0 input 0", "1 or more" },
	{ "BATCH_MATMUL@101 w[1,2]*0.5 w[3,1]*0.5 -> w[1,1]*0.5",
	  "0 input 1", "2, those of input 0, and 1 or more" },
	/* ops/recurrent.c */
	{ "RNN@7:5 f[1,2] f[3,2] f[3,3] f[3] f[1,3]! -> f[1,3]", "0", "0 (NONE) to 4 (TANH)" },
	{ "RNN@7:4 w[1,2]*0.5 w[3,2]*0.5 w[3,3]*0.5 w[3]*0.5 w[1,3]!*0.5 -> w[1,3]*0.5",
	  "0 input 4", "FLOAT32 or FLOAT16" },
	/* translate.c */
	{ "ABS f[0,2] -> f[0,2]", "tensor 0", "1 or more" },
	/*
	 * ops/hlo_scatter.c; the options are dimensions of windows, inserted ones, those that an
	 * index states, and that of the indices
	 */
	{ SCATTER "(1),(0),(0),1,,7 f[3,2] i[1,1] f[1,2] -> f[3,2]",
	  "0", "one with 1 operator or none" },
	{ SCATTER "(1),(0),(0),1,,1 f[3,2] i[1,1] f[1,2] -> f[3,2]|ADD f f -> f",
	  "0", "none, or STABLEHLO_ADD, STABLEHLO_MULTIPLY, STABLEHLO_MAXIMUM or STABLEHLO_MINIMUM" },
	{ SCATTER "(1),(0),(0),1,,1 f[3,2] f[1,1] f[1,2] -> f[3,2]" PLUS,
	  "0 input 1", "INT32 or INT64" },
	{ SCATTER "(1),(0),(2),1,,1 f[3,2] i[1,1] f[1,2] -> f[3,2]" PLUS,
	  "0", "0 or more, less than 2, and each one once" },
	{ SCATTER "(1),(),(0),1,,1 f[3,2] i[1,1] f[1,2] -> f[3,2]" PLUS,
	  "0 input 0", "2, its dimensions" },
	{ SCATTER "(1),(0),(0),3,,1 f[3,2] i[1,1] f[1,2] -> f[3,2]" PLUS, "0 input 1", "0 to 2" },
	{ SCATTER "(1),(0),(0),1,,1 f[3,2] i[1,2] f[1,2] -> f[3,2]" PLUS,
	  "0 input 1", "1, the dimensions that they state" },
	{ SCATTER "(1),(0),(0),1,,1 f[3,2] i[4,1] f[1,2] -> f[3,2]" PLUS,
	  "0 input 2", "4 elements for dimension 0 of the indices" },
	{ SCATTER "(1),(0),(0),0,,1 f[3,2] i[1] f[1,2] -> f[3,2]" PLUS,
	  "0 input 2", "0, as the indices have" },
	{ SCATTER "(1),(0),(0),1,,1 f[16777217,2] i[1,1] f[1,2] -> f[16777217,2]" PLUS,
	  "0 input 2", "16777216 or fewer of each" },
	{ SCATTER "(1),(0),(0),1,,1 f[3,2] i[257,1]={} f[257,2] -> f[3,2]" PLUS,
	  "0 input 2", "256 or fewer" },
	{ SCATTER "(1),(0),(0),1,,1 f[3,2] i[257,1] f[257,2] -> f[3,2]" PLUS,
	  "0 input 1", "256 or fewer" },
	{ SCATTER "(1),(0),(0),1,,1 f[65537,2] i[256,1] f[256,2] -> f[65537,2]" PLUS,
	  "0 input 1", "a product of 16777216 or less" },
	/* ops/window.c; the options are sizes, strides, base and window dilations, and paddings */
	{ WINDOW "(2),(1),(1),(1),(0 0),2 f[4] f={0} -> f[3]|MAXIMUM f f -> f",
	  "0", "a number of one that has" },
	{ WINDOW "(2),(1),(1),(1),(0 0),1 f[4] f={0} -> f[3]|SUB f f -> f",
	  "0", "ADD, MUL, MAXIMUM, MINIMUM, LOGICAL_AND and LOGICAL_OR" },
	{ "REDUCE_WINDOW@148:7 f[4] f l[1]={2} l[1]={1} l[1]={1} -> f[3]", "0", "1 to 6" },
	{ "REDUCE_WINDOW@148:1 h[4] h l[1]={2} l[1]={1} l[1]={1} -> h[3]",
	  "0 input 0", "FLOAT32, INT8, UINT8, INT16, INT32 and INT64" },
	{ "REDUCE_WINDOW@148:1 f[4] f l[1]={2} l[1]={3} l[1]={1} -> f[2]",
	  "0 input 0", "windows that end within it" },
	{ "REDUCE_WINDOW@148:1 f[4] f l[1]={2} l[1]={0} l[1]={1} -> f[2]",
	  "0 input 0", "sizes, strides and dilations of 1 to 65535" },
	{ "REDUCE_WINDOW@148:1 f[4]~ f l[1]={2} l[1]={3} l[1]={1} -> f[2]",
	  "0 input 0", "windows that end within it" },
	/* ops/interior.c; the options are numbers in front, behind, and between */
	{ PADDED "(0),(0),(-1) f[4] f={0} -> f[4]",
	  "0 input 0", "1 to 2147483647 elements with them" },
	{ PADDED "(-2),(-2),(0) f[4] f={0} -> f[4]",
	  "0 input 0", "1 to 2147483647 elements with them" },
	{ PADDED "(2147483647),(0),(0) f[4] f={0} -> f[4]",
	  "0 input 0", "1 to 2147483647 elements with them" },
	{ "DILATE f[4]~ i[1]={0} f={0} -> f[4]",
	  "0 input 0", "1 to 2147483647 elements with them" },
	{ PADDED "(1),(1),(0) f[0]? f={0} -> f[2]", "0 input 0", "an element or more" },
	/* ops/pad.c */
	{ "PADV2 l[1] i[1,2]={1,-1} l={8589934592} -> l[1]",
	  "0 output 0", "that of input 0 with paddings of 0 or more" },
	/* ops/hlo_gather.c; the options are those of STABLEHLO_SCATTER, and sizes of slices */
	{ TAKEN "(1),(0),(2),1,(1 8) f[6,8] i[5,1] -> f[5,8]",
	  "0 input 0", "numbers of dimensions, each once, and a size for each" },
	{ TAKEN "(1),(0),(0),1,(2 8) f[6,8] i[5,1] -> f[5,8]",
	  "0 input 0", "sizes from 1 to those of the dimensions, 1 where the output lacks one" },
	{ TAKEN "(1 2 3 4 5 6 7 8),(),(0),2,(" EIGHT_ONES ") f[" ONES "] i[5,3,1] -> f[" ONES "]",
	  "0 input 0", "8 or fewer" },
	{ TAKEN "(1),(0),(0),1,(1 8) f[6,8] i[5,1] -> f[4,8]", "0 output 0", "5" },
	{ TAKEN "(1),(0),(0),1,(1 8) f[6,8] i[0,1]? -> f[0,8]",
	  "0 output 0", "an element or more" },
	{ TAKEN "(1),(0),(2),1,(1 8) f[6,8]~ i[5,1] -> f[5,8]",
	  "0 input 0", "numbers of dimensions, each once, and a size for each" },
	{ WINDOW "(2 2),(1),(1),(1),(0 0),1 f[4] f={0} -> f[3]|MAXIMUM f f -> f",
	  "0 input 0", "one number of each for a dimension" },
	{ WINDOW "(2),(0),(1),(1),(0 0),1 f[4] f={0} -> f[3]|MAXIMUM f f -> f",
	  "0 input 0", "sizes, strides and dilations of 1 to 65535, paddings of 0 to 65535" },
	{ WINDOW "(2),(1),(2),(1),(0 0),1 f[4] f={0} -> f[3]|MAXIMUM f f -> f",
	  "0 input 0", "base dilations of 1" },
	{ WINDOW "(2000),(1),(1),(1),(0 0),1 f[4000] f={0} -> f[2001]|MAXIMUM f f -> f",
	  "0 input 0", "1024" },
	{ WINDOW "(5),(1),(1),(1),(0 0),1 f[4] f={0} -> f[0]|MAXIMUM f f -> f",
	  "0 input 0", "1 or more" },
	{ WINDOW "(2),(0),(1),(1),(0 0),1 f[4]~ f={0} -> f[3]|MAXIMUM f f -> f",
	  "0 input 0", "sizes, strides and dilations of 1 to 65535, paddings of 0 to 65535" },
	/* ops/svdf.c */
	{ "SVDF@6:2,0 a[1,2]*0.5 a[3,2]={}*0.5 w[3,2]={}*0.5 - w[1,6]!*0.5 -> a[1,1]*0.5",
	  "0", "a divisor of the 3 filters" },
	{ "SVDF@6:1,0 f[1,2] a[3,2]={}^ a[3,2]={}*0.5 - f[1,6]! -> f[1,3]",
	  "0 input 1", "1, or 1, one for each output channel" },
	{ "SVDF@6:1,0 a[0,2]*0.5 a[3,2]={}*0.5 w[3,2]={}*0.5 - w[0,6]!*0.5 -> a[0,3]*0.5",
	  "0 input 4", "1 or more of batch, input and memory" },
	{ "LSTM@14:4,0.0,0.0,2 f[1,2] - " EIGHT_OMITTED EIGHT_OMITTED STATES "-> f[1,3]",
	  "0", "0 and 1" },
	/* ops/basic_lstm.c */
	{ "LSTM@14:4,0.0,0.0,1 a[1,2]*0.5 a[1,1]*0.5 a[4,3]={}*0.5 i[4]={} w[1,1]*0.5 -> "
	  "a[1,1]*0.5 w[1,1]*0.5 a[1,3]*0.5 w[1,4]*0.5", "0 input 0", "FLOAT32 and UINT8" },
	{ "LSTM@14:4,0.0,0.0,1 u[1,2]*0.5 u[1,1]*0.5 u[4,3]={}*0.5 i[4]={}*0.5 w[1,1]*0.5 -> "
	  "u[1,1]*0.5 w[1,1]*0.5 u[1,3]*0.5 w[1,4]*0.5", "0 input 0",
	  "zero point 128, and that of input 1 and of output 2" },
	{ "LSTM@14:4,0.0,0.0,1 f[1,2] f[1,1] f[4,4]={} f[4]={} f[1,1] -> f[1,1] f[1,1] f[1,3] f[1,4]",
	  "0 input 2", "4 times 1 rows, of 2 and 1 elements" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM@71:4 a[1,2,2]*0.5 i[3,2]={} " EIGHT_OMITTED EIGHT_OMITTED
	  BYTE_STATES "-> a[1,2,3]*0.5 " INNER, "0 input 1", "1 bytes" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM@71:4 a[1,2,2]*0.5 a[3,2]={}*0.5+3 " EIGHT_OMITTED
	  EIGHT_OMITTED BYTE_STATES "-> a[1,2,3]*0.5 " INNER,
	  "0 input 1", "zero point 0 and 1 scale" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM@71:4 a[1,2000,2]*0.5 - " EIGHT_OMITTED EIGHT_OMITTED
	  BYTE_STATES "-> a[1,2000,3]*0.5 " INNER, "0 input 0", "1 to 1024" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM@71:4 a[1,2,2]*0.5 - " EIGHT_OMITTED EIGHT_OMITTED
	  BYTE_STATES "-> a[1,2,3]*0.5", "0", "5" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM@71:4 f[1,2,2] - " W FOUR_OMITTED "- - f[3]={} "
	  EIGHT_OMITTED STATES "-> f[1,2,3]", "0 input 9", "an LSTM without it" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM@71:4 f[1,2,2] a[3,2]={}^ " W W W R R R R "- - - " BIASES
	  "-> f[1,2,3]", "0 input 1", "1 beside a float input" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM@71:1 f[1,2,2] " BYTE_WEIGHTS BIASES "-> f[1,2,3]",
	  "0", "4 (TANH)" },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM@71:4 f[0,2,2] " BYTE_WEIGHTS BIASES "-> f[0,2,3]",
	  "0 input 0", "1 or more" },
	/* ops/reduce.c */
	{ "MEAN@27 w[0,2]*0.5 i[1]={0} -> w[2]*0.5",
	  "0 input 0", "1 or more for each of the output's 2" },
	/* ops/reshape.c */
	{ "BROADCAST_TO f[2] i[1]={5} -> f[5]",
	  "0 output 0", "2, as in the input; only 1 broadcasts" },
	/* ops/resize.c */
	{ "RESIZE_NEAREST_NEIGHBOR@74:1,1 f[1,0,2,1] i[2]={2,2} -> f[1,2,2,1]",
	  "0", "1 to 1048576" },
	/* ops/scatter.c */
	{ "ONE_HOT@61:-1 i[2] i={0} f={1} f={0} -> f[2,0]", "0 input 1", "1 to 16777216" },
	{ "ONE_HOT@61:-1 i[" ONES "] i={2} f={1} f={0} -> f[" ONES "]",
	  "0 input 0", "7 or fewer" },
	{ "SCATTER_ND i[1,1]={9} f[1] i[1]={3} -> f[3]",
	  "0 input 0", "0 or more, and less than 3" },
	{ "SEGMENT_SUM f[2,2] i[2]={0,0} -> f[0,2]", "0", "1 or more" },
	{ "SCATTER_ND i[257,1] f[257] i[1]={3} -> f[3]",
	  "0 input 0", "256 or fewer, with a product of 16777216 or less" },
	{ "SCATTER_ND i[17,1]={0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0} l[17] i[1]={3} -> l[3]",
	  "0 output 0", "16, of FLOAT32 and INT32 more" },
	{ "SEGMENT_SUM f[16777217] i[16777217] -> f[1]", "0 input 1", "16777216 or fewer" },
	{ "UNSORTED_SEGMENT_MAX f[2,2] i[1,2]={0,0} i={1} -> f[1,2]", "0 input 1", "1" },
	{ "UNSORTED_SEGMENT_MAX f[2,2] i[2]={0,0} i={2000} -> f[2000,2]",
	  "0 output 0", "1 to 1024" },
	{ "SCATTER_ND i[1,2]={0,0} f[1] i[1]={3} -> f[3]",
	  "0 input 0", "1 to 1, the dimensions of the output" },
	{ "SCATTER_ND i[2,1]={0,1} f[3] i[1]={3} -> f[3]",
	  "0 input 1", "a multiple of 2, the indices" },
	{ "MATRIX_DIAG f[0] -> f[0,0]", "0", "1 to 16777216 elements" },
	{ "MATRIX_DIAG f[3] -> f[2,3]",
	  "0 input 0", "a diagonal of 2 for each matrix of 2 by 3" },
	{ "REVERSE_SEQUENCE@87:2,0 f[2,2] i[2]={1,1} -> f[2,2]", "0", "two of the 2 dimensions" },
	{ "REVERSE_SEQUENCE@87:1,0 f[2,2] i[2]={3,1} -> f[2,2]",
	  "0 input 1", "0 to 2, the steps" },
	/* ops/slice.c */
	{ "STRIDED_SLICE@32 f[4] i[1]={0} i[1]={2} i[1]={0} -> f[2]",
	  "0 input 0", "another stride" },
	{ "STRIDED_SLICE@32 f[4] i[2]={} i[2]={} i[2]={1,1} -> f[2]",
	  "0 input 0", "one begin for each dimension" },
	/* ops/space.c */
	{ "BATCH_TO_SPACE_ND f[4,1,1,1] i[2]={0,2} i[2,2]={1,0,0,0} -> f[1,1,2,1]",
	  "0", "blocks of 1 or more and crops of 0 or more for 1 elements" },
	/* ops/variable.c */
	{ "IF@92:1,1 b[1] f[1] -> f[1] | VAR_HANDLE@111 -> i[1]; READ_VARIABLE %0 -> f[1]; "
	  "ADD@11 %1 f[1] -> f[1]", "1 input 0", "a VAR_HANDLE of the main subgraph" },
	{ "CALL_ONCE@103:5 -> ; ABS f[1] -> f[1]", "0", "one of the model's 1" },
	{ "CALL_ONCE@103:1 -> ; ABS f[1] -> f[1] | ABS f[1] -> f[1]",
	  "0", "assignments of constants to variables" },
	/* reals.c */
	{ "ADD_N w[1]*0.5 " EIGHT_MORE EIGHT_MORE EIGHT_MORE EIGHT_MORE EIGHT_MORE EIGHT_MORE
	  EIGHT_MORE EIGHT_MORE "-> w[1]*0.5", "0", "64 or fewer with INT16" },
	/* rescale.c */
	{ "QUANTIZE i[2]*0.5 -> l[2]*0.5", "0 output 0", "INT8, UINT8, INT16 or INT32" },
	/* shapes.c */
	{ "EXPAND_DIMS f[" ONES "]~ i={0} -> f[" ONES "]", "0 output 0", "8 or fewer" },
	{ "TILE f[2,65536]~ i[2]={65536,1} -> f[2,2]",
	  "0 output 0", "fewer: set smaller input shapes" },
	{ "TILE f[2]~ -> f[2]", "0", "integers that the output's shape depends on" },
	{ "EXPAND_DIMS f[2]~ i[2]={0,1} -> f[1,2]", "0 input 1", "1 or fewer" },
	{ "TILE f[2]~ i[1] -> f[2]",
	  "0 input 1", "a constant of INT32 or INT64, or values computed from shapes" },
	{ "EXPAND_DIMS f[2]~ i={5} -> f[1,2]", "0", "one of 2 dimensions" },
	{ "CONV_2D@1:0,1,1 f[1,2,2,1]~ -> f[1,2,2,1]", "0", "4 dimensions" },
	{ "CONV_2D@1:0,1,1 f[1,2]~ f[1,1,1,1]={} -> f[1,2,2,1]", "0 input 0", "4" },
	{ "FULLY_CONNECTED@8 - f[1,2]~ -> f[1,1]", "0", "0 dimensions or more" },
	{ "BATCH_MATMUL@101 f[2]~ f[2,2] -> f[2]", "0 input 0", "2 or more" },
	{ "ADD@11 f[2]~ f[3] -> f[3]",
	  "0 input 1", "1 or 2, to broadcast with the inputs before" },
	{ "MAX_POOL_2D@5:0,0,1,2,2 f[1,2,2,1]~ -> f[1,2,2,1]", "0", "1 or more for each" },
	{ "FULLY_CONNECTED@8 f[1,3]~ f[2,2]={} -> f[1,2]",
	  "0 input 1", "a divisor of input 0's 3 elements" },
	{ "RESHAPE f[2]~ i[1]={-5} -> f[2]", "0", "0 or more, or one dimension of -1" },
	{ "RESHAPE f[3]~ i[2]={-1,2} -> f[1,2]",
	  "0 input 0", "a multiple of 2, the dimensions that are stated" },
	{ "RESHAPE@17:(1 1 1 1 1 1 1 1 1) f[1]~ -> f[1]", "0", "8 or fewer" },
	{ "CONCATENATION@10:0 f[2147483647,0]~ %0 %0 -> f[1,0]",
	  "0 input 0", "4294967295 elements of all inputs or fewer" },
	{ "PAD f[2]~ i[1,2]={-1,0} -> f[1]", "0 input 0", "0 or more, and 32 bits in all" },
	{ "SLICE f[4]~ i[1] i[1]={-1} -> f[2]",
	  "0 input 1", "a constant begin, or a size of 0 or more" },
	{ "STRIDED_SLICE@32 f[4]~ i[1]={0} i[2]={1,1} i[1]={1} -> f[1]", "0", "1 of each" },
	{ "STRIDED_SLICE@32:0,0,0,0,1 f[4]~ i[1]={7} i[1]={8} i[1]={1} -> f",
	  "0 input 0", "an index of an element" },
	{ "TILE f[2]~ i[1]={-1} -> f[2]", "0 input 0", "0 or more, and 32 bits of elements" },
	{ "RFFT2D f[4,4]~ i[2]={0,4} -> c[0,3]",
	  "0 input 0", "1 or more by 1 or more of 2 or more" },
	{ "TOPK_V2 f[3]~ i={5} -> f[5] i[5]", "0 input 0", "0 to 3, the last dimension" },
	{ "RANGE i={0} i={3} i={0} -> i[3]~",
	  "0", "steps other than 0 and 31 bits of numbers" },
	{ LEVEL(1) LEVEL(2) LEVEL(3) LEVEL(4) LEVEL(5) LEVEL(6) LEVEL(7) LEVEL(8) LEVEL(9)
	  LEVEL(10) LEVEL(11) LEVEL(12) LEVEL(13) LEVEL(14) LEVEL(15) LEVEL(16) LEVEL(17)
	  "ABS f[1] -> f[1]", "0", "16 nested subgraphs" },
	{ "WHILE@93:1,1 f[1]~ -> f[1] | LESS f[1] f[1] -> b[1]", "0", "2" },
	{ "IF@92:1,1 b[1] f[2]~ -> f[2]; IF@92:1,1 %0 f[3]~ -> f[3] | ABS f[1] -> f[1]",
	  "1 input 1", "one shape in all runs of a subgraph" },
	{ "WHILE@93:1,2 f[2]~ -> f[2] | EQUAL f[2] f={0} -> b[2] | "
	  "CONCATENATION@10:0 f[2] %0 -> f[4]", "0 input 0", "one shape" },
	{ "SEGMENT_SUM f[1]~ i[1]={-5} -> f[1]", "0", "0 to 2147483647" },
	{ "CONCATENATION@10:0,4 f[1,1,1,1,1] -> f[1,1,1,1,1]", "0", "none" },
	{ "MATRIX_DIAG f[2]~ -> f[2,2]",
	  "0 output 0", "inputs of the shapes that the file states" },
	{ "GATHER_ND f[2]~ i[1,2] -> f[1]",
	  "0 input 1", "1 or fewer, the dimensions of input 0" },
	{ "SPACE_TO_BATCH_ND f[1,3,3,1]~ i[2]={2,2} i[2,2]={} -> f[4,2,2,1]",
	  "0 input 0", "whole blocks and numbers of 0 or more" },
	{ "SPACE_TO_BATCH_ND f[1,0,0,1]~ i[2]={2147483647,2147483647} i[2,2]={} -> f[1,0,0,1]",
	  "0 input 0", "fewer" },
	{ "SPACE_TO_DEPTH@19:2 f[1,3,3,1]~ -> f[1,1,1,4]",
	  "0 input 0", "a divisor of height and width, or of the channels" },
	{ "SVDF@6:2 f[1,3]~ f[3,3]={} f[3,2]={} - f[1,6]! -> f[1,1]",
	  "0 input 1", "a multiple of the rank" },
	{ "CUSTOM{max_detections=0} f[1,1,4]~ f[1,1,2] f[1,4]={} -> f[1,1,4] f[1,1] f[1,1] f[1]",
	  "0", "1 to 65535 for each" },
	{ WINDOW "(2),(1),(1),(1),(1 0),1 l[4] l={8589934592} -> l[4]|ADD l l -> l",
	  "0 input 1", "32 bits" },
	{ "MEAN@27 i[0,2] i[1]={0} -> i[2]", "0 input 0", "1 or more" },
	{ "RANGE i={0} i={3} l={1} -> i[3]", "0 output 0", "the same type" },
	/* tflite.c */
	{ "STABLEHLO_CASE@151 i[1] f[1] -> f[1]", "", "1 or more, and 1024 or fewer in the model" },
	{ "ABS a[2]#2:9 -> f[1]", "tensor 0", "1 or more, and a tensor" },
	{ "ADD@11 a[2]#2:1 a[2]#2:0 -> f[2]", "tensor 0", "a tensor without blocks" },
	{ "ABS f[4]={1} -> f[4]", "tensor 0", "16 or more, for its shape" },
	{ "ABS f[" ONES ",1] -> f[1]", "tensor 0", "8 or fewer" },
	{ "ABS f[-2] -> f[1]", "tensor 0", "0 or more elements" },
	{ "ABS f[65536,65536] -> f[1]", "tensor 0", "fewer" },
	{ "ABS a[2]*0.5+5000000000 -> f[2]", "tensor 0", "one of 32 bits" },
	{ "ABS %9 -> f[1]", "operator 0", "0 or more, and less than 1" },
	{ "IF@92:1,7 b[1] f[1] -> f[1] | ABS f[1] -> f[1]", "", "numbers of 0 to 1" },
	/* translate.c */
	{ "32 f[1] -> f[1]", "0", "TFLite_Detection_PostProcess; convert without others" },
	{ "UNIQUE f[1] -> f[1] i[1]", "0", "those of docs/tflite.md; convert without it" },
	{ "ABS f[1] -> f[1]<", "0 output 0", "a tensor that the caller does not write" },
	{ "ABS f[1] -> f[1]; NEG %0 -> %1", "1 output 0", "one operator that writes it" },
	{ "ADD@11 f[1] f[1]? -> f[1]", "tensor 1", "data, or an operator that writes it" },
	{ "MUL@21 c[2] c[2] -> c[2]", "0 input 0",
	  "COMPLEX64 for RFFT2D, REAL, IMAG, COMPLEX_ABS, RESHAPE, SQUEEZE and EXPAND_DIMS "
	  "alone" },
	/* ops/update.c */
	{ "DYNAMIC_UPDATE_SLICE f[2] f[3] i[1]={0} -> f[2]",
	  "0 input 1", "2 or fewer, those of input 0" },
	/* translation.c */
	{ "ADD@11 f[1] -> f[1]", "0", "2 or more" },
	{ "ABS f[1] -> f[1] f[1]", "0", "1" },
	{ "CONV_2D@1:0,1,1 f[1,2] f[1,1,1,1]={} -> f[1,2]", "0 input 0", "4" },
	{ "RFFT2D f[4] i[2]={1,4} -> c[3]", "0 input 0", "2 or more" },
	{ "RESHAPE f[4] -> f[3]", "0 output 0", "4, those of the input" },
	{ "ATAN2 i[1] i[1] -> i[1]", "0 input 1", "FLOAT32" },
	{ "CUMSUM f[2] i -> f[2]", "0 input 1", "a constant of the file" },
	{ "DEPTHWISE_CONV_2D@2:0,1,1,1 w[1,2,2,4]*0.5 a[2,1,1,4]={}^ -> w[1,2,2,4]*0.5",
	  "0 input 1", "1, or 4, one for each output channel" },
	{ "PACK f[1] -> f[1,1]", "0", "those of the operator's schema" },
	{ "ABS - -> f[1]", "0", "a tensor" },
	{ "RELU f[1] -> ; ABS f[1] -> f[1]", "0", "a tensor" },
	{ "STRIDED_SLICE@32 f[4] i[33]={} i[33]={} i[33]={} -> f[4]",
	  "0 input 1", "32 or fewer" },
	{ "PACK@59:1,5 f[1] -> f[1,1]", "0", "one of 2 dimensions" },
	{ "ABS u[2]^ -> u[2]*0.5", "tensor 0", "one; INT8 may have more" },
	{ "ABS a[2]#2:1 -> f[1]", "tensor 0",
	  "one scale, or one for each channel; weights of a hybrid FULLY_CONNECTED" },
	{ "ABS a[2]^+3 -> f[2]", "tensor 0", "0" },
	{ "ABS w[2]*0.5+3 -> w[2]*0.5", "tensor 0", "0 for INT16" },
	{ "ABS x[2] -> f[2]", "tensor 0",
	  "FLOAT32, FLOAT16, INT8, UINT8, INT16, INT32, INT64, BOOL and COMPLEX64" },
	{ "ABS f[1] -> f[1]={1}", "0 output 0", "a tensor without data" },
	{ "DYNAMIC_UPDATE_SLICE f[33554432,1] f[1,1]={1} i[2]={0,0} -> f[33554432,1]",
	  "0", "16777216 for one table, 67108864 for all tables of the model" },
	{ "ABS i[1] -> i[1]; SHAPE f[3] -> %0",
	  "1 output 0", "a tensor that only later operators read" },
	{ "ADD@11:9 f[1] f[1] -> f[1]",
	  "0", "0 (NONE) to 3 (RELU6), and 4 (TANH) of a float output" },
};

static const struct refusal_exemption refusal_exemptions[] = {
	{ "compose.c", "a value of %u dimensions; supported: %u or fewer",
	  "a tensor has 8 dimensions or fewer, and no translation adds two" },
	{ "gather.c", "%u rows in each of %u batches; supported: %d rows in all",
	  "libnnaccel refuses an operand of 2 GiB before" },
	{ "recurrent.c", "%u units; supported: %u or fewer",
	  "libnnaccel refuses a cell state of 2 GiB before" },
	{ "conv3d.c", "no plane of the filter meets it; expected more planes",
	  "the plane at the number of the padding meets plane 0" },
	{ "rescale.c", "fused activation %d of integers; supported: 0 (NONE) to 3 (RELU6)",
	  "operators with TANH are no exact ones (tflite_is_wide())" },
};

#endif
