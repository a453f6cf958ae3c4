/* SPDX-License-Identifier: Apache-2.0 */
/* A model that computes with a library beside it. */
#include <tactus/model.h>

double table_gain(void);
static double gain;

static int declare(const tactus_host* host) {
  const tactus_variable output = {
      sizeof(tactus_variable), TACTUS_OUTPUT, TACTUS_DOUBLE, 0, &gain, "gain", "1", "", 0, 0, 0};
  return host->declare_variable(host->context, &output);
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  gain = table_gain();
  return 0;
}

TACTUS_C_MODEL("table_user", declare, step);
