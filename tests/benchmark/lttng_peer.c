/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/benchmark/lttng_peer.h"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/benchmark/lttng_events.h"

int tactus_lttng_wanted(void) { return lttng_ust_tracepoint_enabled(tactus_peer, job); }

int tactus_lttng_job(void* self, const tactus_call* call) {
  (void)call;
  ++*(int64_t*)self;
  lttng_ust_tracepoint(tactus_peer, job, (uint32_t)(uintptr_t)self);
  return 0;
}
