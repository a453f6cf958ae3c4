/* SPDX-License-Identifier: Apache-2.0 */
#include <tactus/model.h>

static double y = 0;

static int declare(const tactus_host* host) {
  const tactus_variable output = {
      sizeof(tactus_variable), TACTUS_OUTPUT, TACTUS_DOUBLE, 0, &y, "y", "1", "a count", 0, 0, 0};
  return host->declare_variable(host->context, &output);
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  y += 1;
  return 0;
}

TACTUS_C_MODEL("my_c_model", declare, step);
