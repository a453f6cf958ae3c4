/* SPDX-License-Identifier: Apache-2.0 */
/* A model that says it has three labels, and shows none. Not installed. */
#include <stddef.h>
#include <stdint.h>
#include <tactus/model.h>

static int32_t mode;

static int declare(const tactus_host* host) {
  tactus_variable variable = {0};
  variable.size = sizeof variable;
  variable.role = TACTUS_PARAMETER;
  variable.type = TACTUS_INT32;
  variable.data = &mode;
  variable.name = "mode";
  variable.labels = NULL;
  variable.label_count = 3;
  return host->declare_variable(host->context, &variable);
}

static int step(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  return 0;
}

TACTUS_C_MODEL("no_labels", declare, step);
