/* SPDX-License-Identifier: Apache-2.0 */
/* What GCC makes of an inline variable that is visible: a symbol of which the process has one. */
#include <tactus/model.h>

__asm__(
    ".pushsection .data\n.globl calibration_gain\n.type calibration_gain, @gnu_unique_object\n"
    ".size calibration_gain, 8\n.balign 8\ncalibration_gain: .double " GAIN "\n.popsection");
extern double calibration_gain;

static int declare(const tactus_host* host) {
  const tactus_variable gain = {
      sizeof(tactus_variable), TACTUS_OUTPUT, TACTUS_DOUBLE, 0, &calibration_gain, "gain", "1", "", 0, 0, 0};
  return host->declare_variable(host->context, &gain);
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  return 0;
}

TACTUS_C_MODEL("unique", declare, step);
