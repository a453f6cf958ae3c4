/* SPDX-License-Identifier: Apache-2.0 */
/* The event that LTTng-UST takes for each job, in the form of its tracepoint headers (lttng-ust(3)). */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER tactus_peer

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tests/benchmark/lttng_events.h"

#if !defined(TACTUS_BENCHMARK_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TACTUS_BENCHMARK_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(tactus_peer, job, LTTNG_UST_TP_ARGS(uint32_t, id),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, id, id)))

#endif

#include <lttng/tracepoint-event.h>
