/* SPDX-License-Identifier: Apache-2.0 */
/* A variable with the name of a function of the C library: a library that does not hide it has the function instead. */
#include <tactus/model.h>

double y0 = 0;

static int declare(const tactus_host* host) {
  const tactus_variable y = {
      sizeof(tactus_variable), TACTUS_OUTPUT, TACTUS_DOUBLE, 0, &y0, "y", "1", "", 0, 0, 0};
  return host->declare_variable(host->context, &y);
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  y0 += 1;
  return 0;
}

TACTUS_C_MODEL("mathematics", declare, step);
