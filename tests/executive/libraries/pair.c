/* SPDX-License-Identifier: Apache-2.0 */
/* A model from a pair of functions. */
#include <tactus/model.h>

static double u, y;

static int declare(const tactus_host* host) {
  const tactus_variable in = {sizeof in, TACTUS_INPUT, TACTUS_DOUBLE, 0, &u, "u", "", "in", 0, 0, 0};
  const tactus_variable out = {sizeof out, TACTUS_OUTPUT, TACTUS_DOUBLE, 0, &y, "y", "", "out", 0, 0, 0};
  if (host->declare_variable(host->context, &in) != 0) return 1;
  return host->declare_variable(host->context, &out);
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  y = 2 * u + call->dt;
  return 0;
}

TACTUS_C_MODEL("pair", declare, step);
