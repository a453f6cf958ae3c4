/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include <tactus/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A job within Trick's frame log; `self`: an int64_t that counts its calls. Of one thread. */
int tactus_trick_job(void* self, const tactus_call* call);

#ifdef __cplusplus
}
#endif
