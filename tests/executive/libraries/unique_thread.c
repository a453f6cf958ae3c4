/* SPDX-License-Identifier: Apache-2.0 */
/* What GCC makes of an inline thread-local variable that is visible: a symbol of which the process has one. */
#include <tactus/model.h>

__asm__(
    ".pushsection .tdata,\"awT\",%progbits\n.globl calibration_rate\n.type calibration_rate, "
    "%gnu_unique_object\n"
    ".size calibration_rate, 8\n.balign 8\ncalibration_rate: .double " GAIN "\n.popsection");
extern __thread double calibration_rate;

static double gain;

static int declare(const tactus_host* host) {
  const tactus_variable rate = {
      sizeof(tactus_variable), TACTUS_OUTPUT, TACTUS_DOUBLE, 0, &gain, "gain", "1", "", 0, 0, 0};
  return host->declare_variable(host->context, &rate);
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  gain = calibration_rate;
  return 0;
}

TACTUS_C_MODEL("unique_thread", declare, step);
