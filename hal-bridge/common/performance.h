/* SPDX-License-Identifier: MIT */
/*
 * How fast the NNA is: the capabilities of the NN HAL and of the support library.
 *
 * A figure is the time that a model takes on the NNA, divided by the time on a CPU: below 1 it is
 * the faster one. Android's runtime compares the figures of drivers, and 1 for its own CPU path,
 * when it deals the parts of a model among devices. They are measured (tests/bench/capabilities.py)
 * with the functional model on one CPU against LiteRT on one CPU: an accelerator made of silicon
 * has figures of its own. What a run costs in power nobody can measure here. Model and peer keep
 * one CPU busy, so the figure of power is that of time.
 */
#ifndef NNB_PERFORMANCE_H
#define NNB_PERFORMANCE_H

/* Operand types of NNAPI by their numbers, without SUBGRAPH, which is the last. */
#define NNB_PERFORMANCE_TYPES 15

/* By operand type. Relaxed models are computed as others are. */
extern const float nnb_performance_types[NNB_PERFORMANCE_TYPES];
/* Of control flow. */
extern const float nnb_performance_if, nnb_performance_while;

#endif
