/* SPDX-License-Identifier: Apache-2.0 */
/* Needs a function that nobody has, so that it cannot be loaded. */
#include <tactus/model.h>

const tactus_model* nobody_defines_this(void);

const tactus_model* const* tactus_models(uint32_t* count) {
  static const tactus_model* list[1];
  list[0] = nobody_defines_this();
  *count = 1;
  return list;
}
