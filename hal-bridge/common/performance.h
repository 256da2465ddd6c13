/* SPDX-License-Identifier: MIT */
/*
 * Performance figures of the NNA: the capabilities of the NN HAL and of the support library.
 *
 * A figure is the time that a model takes on the NNA, divided by its time on a CPU: below 1 the NNA
 * is faster. Android's runtime compares the figures of drivers, and 1 for its own CPU path, to
 * distribute the parts of a model. The figures are measured (tests/bench/capabilities.py) with the
 * functional model on one CPU against LiteRT on one CPU. An accelerator made of silicon has other
 * figures. Power cannot be measured here. Both sides keep one CPU busy, so the figure of power is
 * the figure of time.
 */
#ifndef NNB_PERFORMANCE_H
#define NNB_PERFORMANCE_H

/* The number of NNAPI's operand types without SUBGRAPH, which is the last. */
#define NNB_PERFORMANCE_TYPES 15

/* Indexed by operand type. Relaxed models run at the same speed. */
extern const float nnb_performance_types[NNB_PERFORMANCE_TYPES];
/* Of control flow. */
extern const float nnb_performance_if, nnb_performance_while;

#endif
