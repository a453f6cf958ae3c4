/* SPDX-License-Identifier: Apache-2.0 */
/* A model that keeps what it is given: a scalar and an array of three of every type there is. Not installed.
 */
#include <stdint.h>
#include <tactus/model.h>

/* Room for every type, as aligned as the widest. */
static int64_t scalars[TACTUS_DOUBLE + 1];
static int64_t arrays[TACTUS_DOUBLE + 1][3];

static const char* const names[TACTUS_DOUBLE + 1] = {"",      "bool",   "int8",  "uint8",  "int16", "uint16",
                                                     "int32", "uint32", "int64", "uint64", "float", "double"};
static const char* const array_names[TACTUS_DOUBLE + 1] = {"",       "bools",   "int8s",  "uint8s",
                                                           "int16s", "uint16s", "int32s", "uint32s",
                                                           "int64s", "uint64s", "floats", "doubles"};

static int declare(const tactus_host* host) {
  int type;
  for (type = TACTUS_BOOL; type <= TACTUS_DOUBLE; ++type) {
    tactus_variable variable = {0};
    variable.size = sizeof variable;
    variable.role = TACTUS_STATE;
    variable.type = (tactus_type)type;
    variable.data = &scalars[type];
    variable.name = names[type];
    variable.unit = "";
    if (host->declare_variable(host->context, &variable) != 0) return 1;
    variable.count = 3;
    variable.data = arrays[type];
    variable.name = array_names[type];
    if (host->declare_variable(host->context, &variable) != 0) return 1;
  }
  return 0;
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  return 0;
}

TACTUS_C_MODEL("cells", declare, step);
