/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: a job's path through the driver, faults and resets. The tracepoints of the DRM
 * scheduler (gpu_scheduler:*) show queues and dependencies; fence= is the same in both.
 */
#if !defined(NNA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NNA_TRACE_H

#undef TRACE_SYSTEM
#define TRACE_SYSTEM nna

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(nna_job,
	TP_PROTO(u32 ring, u32 seqno, u32 asid, u64 fence_context, u64 fence_seqno),
	TP_ARGS(ring, seqno, asid, fence_context, fence_seqno),
	TP_STRUCT__entry(
		__field(u32, ring)
		__field(u32, seqno)
		__field(u32, asid)
		__field(u64, fence_context)
		__field(u64, fence_seqno)
	),
	TP_fast_assign(
		__entry->ring = ring;
		__entry->seqno = seqno;
		__entry->asid = asid;
		__entry->fence_context = fence_context;
		__entry->fence_seqno = fence_seqno;
	),
	TP_printk("ring=%u seqno=%u asid=%u fence=%llu:%llu", __entry->ring, __entry->seqno,
		  __entry->asid, __entry->fence_context, __entry->fence_seqno)
);

/* SUBMIT has armed the job. seqno is 0: the job has no ring entry yet. */
DEFINE_EVENT(nna_job, nna_job_submit,
	TP_PROTO(u32 ring, u32 seqno, u32 asid, u64 fence_context, u64 fence_seqno),
	TP_ARGS(ring, seqno, asid, fence_context, fence_seqno)
);

/* The job is about to be put on the ring as entry seqno. */
DEFINE_EVENT(nna_job, nna_job_run,
	TP_PROTO(u32 ring, u32 seqno, u32 asid, u64 fence_context, u64 fence_seqno),
	TP_ARGS(ring, seqno, asid, fence_context, fence_seqno)
);

/* The job has left the device for a suspend of the system, after which it goes on. */
DEFINE_EVENT(nna_job, nna_job_yield,
	TP_PROTO(u32 ring, u32 seqno, u32 asid, u64 fence_context, u64 fence_seqno),
	TP_ARGS(ring, seqno, asid, fence_context, fence_seqno)
);

/* The job has ended. status and detail come from the device, error from the job's fence. */
TRACE_EVENT(nna_job_done,
	TP_PROTO(u32 ring, u32 seqno, u32 asid, u32 status, u64 detail, int error),
	TP_ARGS(ring, seqno, asid, status, detail, error),
	TP_STRUCT__entry(
		__field(u32, ring)
		__field(u32, seqno)
		__field(u32, asid)
		__field(u32, status)
		__field(u64, detail)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->ring = ring;
		__entry->seqno = seqno;
		__entry->asid = asid;
		__entry->status = status;
		__entry->detail = detail;
		__entry->error = error;
	),
	TP_printk("ring=%u seqno=%u asid=%u status=%u detail=%#llx error=%d", __entry->ring,
		  __entry->seqno, __entry->asid, __entry->status, __entry->detail, __entry->error)
);

/* A job has banned its context; only the first of a context. */
TRACE_EVENT(nna_fault,
	TP_PROTO(u32 asid, u32 status, u64 address, u32 command),
	TP_ARGS(asid, status, address, command),
	TP_STRUCT__entry(
		__field(u32, asid)
		__field(u32, status)
		__field(u64, address)
		__field(u32, command)
	),
	TP_fast_assign(
		__entry->asid = asid;
		__entry->status = status;
		__entry->address = address;
		__entry->command = command;
	),
	TP_printk("asid=%u status=%u address=%#llx command=%#x", __entry->asid, __entry->status,
		  __entry->address, __entry->command)
);

/* The device has been reset for the count-th time; error is not 0 if the reset failed. */
TRACE_EVENT(nna_reset,
	TP_PROTO(unsigned int count, int error),
	TP_ARGS(count, error),
	TP_STRUCT__entry(
		__field(unsigned int, count)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->count = count;
		__entry->error = error;
	),
	TP_printk("count=%u error=%d", __entry->count, __entry->error)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE nna_trace
#include <trace/define_trace.h>
