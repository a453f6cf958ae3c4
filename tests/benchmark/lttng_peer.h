/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include <tactus/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a session of LTTng-UST wants the events of jobs. */
int tactus_lttng_wanted(void);
/* A job that takes one event; `self`: an int64_t that counts its calls. */
int tactus_lttng_job(void* self, const tactus_call* call);

#ifdef __cplusplus
}
#endif
