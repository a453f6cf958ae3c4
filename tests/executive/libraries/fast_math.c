/* SPDX-License-Identifier: Apache-2.0 */
/* Does while it is loaded what a library does that was linked with -ffast-math: denormals become 0, on this thread. */
#include <fenv.h>
#include <tactus/model.h>

__attribute__((constructor)) static void set_fast_mode(void) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u);
#else
  (void)fesetround(FE_UPWARD);
#endif
}

static int declare(const tactus_host* host) {
  (void)host;
  return fesetround(FE_UPWARD); /* and so does the model, when it is made */
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  return 0;
}

TACTUS_C_MODEL("fast", declare, step);
