/* SPDX-License-Identifier: MIT */
/*
 * Converts errors of libnnaccel (negative errno, or 0) to result codes of the NNAPI C API. A missed
 * deadline is always TRANSIENT here: a caller that set the deadline asks nnb_deadline_result()
 * (deadline.h) instead.
 */
#ifndef NNB_RESULT_H
#define NNB_RESULT_H

/* The result of a call that builds, compiles or binds: a bad argument is the caller's bad data. */
int nnb_result_of_call(int error);

/*
 * The result of a run, by NNAHW_STATUS_TABLE for the device's status; -EINVAL is a failed
 * operation.
 */
int nnb_result_of_run(int error);

#endif
