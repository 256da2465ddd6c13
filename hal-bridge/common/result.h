/* SPDX-License-Identifier: MIT */
/*
 * Errors of libnnaccel (negative errno, or 0) as result codes of the NNAPI C API. A missed deadline
 * is always TRANSIENT here: whoever set it asks nnb_deadline_result() (deadline.h).
 */
#ifndef NNB_RESULT_H
#define NNB_RESULT_H

/* Of a call that builds, compiles or binds, where a bad argument is the caller's bad data. */
int nnb_result_of_call(int error);

/* Of a run: as NNAHW_STATUS_TABLE says for the device's status; -EINVAL is a failed operation. */
int nnb_result_of_run(int error);

#endif
