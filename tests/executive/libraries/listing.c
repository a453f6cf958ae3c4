/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries whose list of models is wrong: one library per value of LISTING. */
#include <stddef.h>
#include <tactus/model.h>

static int declare(const tactus_host* host, void* self) {
  (void)host;
  (void)self;
  return 0;
}

#define NONE 0
#define NO_LIST 1
#define NULL_MODEL 2
#define OTHER_ABI 3
#define NO_NAME 4
#define NO_DECLARE 5
#define SHORT_STRUCT 6
#define SAME_NAME 7

static const tactus_model good = {TACTUS_ABI_VERSION, sizeof(tactus_model), "good", "", NULL, declare, NULL};
#if LISTING == OTHER_ABI
static const tactus_model bad = {99, sizeof(tactus_model), "bad", "", NULL, declare, NULL};
#elif LISTING == NO_NAME
static const tactus_model bad = {TACTUS_ABI_VERSION, sizeof(tactus_model), NULL, "", NULL, declare, NULL};
#elif LISTING == NO_DECLARE
static const tactus_model bad = {TACTUS_ABI_VERSION, sizeof(tactus_model), "bad", "", NULL, NULL, NULL};
#elif LISTING == SHORT_STRUCT
static const tactus_model bad = {TACTUS_ABI_VERSION, 8, "bad", "", NULL, declare, NULL};
#elif LISTING == SAME_NAME
static const tactus_model bad = {TACTUS_ABI_VERSION, sizeof(tactus_model), "good", "", NULL, declare, NULL};
#endif

const tactus_model* const* tactus_models(uint32_t* count) {
#if LISTING == NONE
  static const tactus_model* const list[] = {&good};
  *count = 0;
  return list;
#elif LISTING == NO_LIST
  (void)good;
  *count = 3;
  return NULL;
#elif LISTING == NULL_MODEL
  static const tactus_model* const list[] = {&good, NULL};
  *count = 2;
  return list;
#else
  static const tactus_model* const list[] = {&good, &bad};
  *count = 2;
  return list;
#endif
}
