/* SPDX-License-Identifier: MIT */
/*
 * The heap of the service's process. All clients share it, so what malloc() keeps of memory that a
 * client has given back is nobody's, and nobody is charged for it.
 */
#ifndef NNB_HEAP_H
#define NNB_HEAP_H

/*
 * Limits what malloc() keeps. Called before other threads start. Other C libraries than glibc have
 * no such settings, and are left as they are.
 */
void nnb_heap_limit(void);

#endif
