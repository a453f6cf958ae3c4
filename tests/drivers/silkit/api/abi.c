/* SPDX-License-Identifier: Apache-2.0 */
/* The facts hold in C; and a C program can link and call. */
#include "support/abi_facts.h"

SilKit_ReturnCode call_from_c(SilKit_DataSpec* spec) {
  *spec = tactus_silkit_DataSpec();
  return SilKit_FlexrayController_Create(spec, 1, 2.0, "more than it could ever want", spec, spec, spec,
                                         spec);
}
