/* SPDX-License-Identifier: Apache-2.0 */
/* The job between the pins of pins_benchmark.py: its output is its input. */
#include <tactus/model.h>

static uint8_t input, output;

static int declare(const tactus_host* host) {
  const tactus_variable in = {sizeof in, TACTUS_INPUT, TACTUS_BOOL, 0, &input, "in", "", "", 0, 0, 0};
  const tactus_variable out = {sizeof out, TACTUS_OUTPUT, TACTUS_BOOL, 0, &output, "out", "", "", 0, 0, 0};
  return host->declare_variable(host->context, &in) || host->declare_variable(host->context, &out);
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  output = input;
  return 0;
}

TACTUS_C_MODEL("answer", declare, step);
