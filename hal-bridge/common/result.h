/* SPDX-License-Identifier: MIT */
/*
 * Errors of libnnaccel as NNAPI result codes. The codes are the same numbers in the C API and, one
 * for one, the HAL's ErrorStatus after a small table of its own.
 */
#ifndef NNB_RESULT_H
#define NNB_RESULT_H

/* Of a call that builds, compiles or binds: a bad argument is the caller's bad data. */
int nnb_result_of_call(int error);

/*
 * Of a run: what NNAHW_STATUS_TABLE says that the device's status means; a bad command is a failed
 * operation.
 */
int nnb_result_of_run(int error);

#endif
