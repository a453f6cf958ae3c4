/* SPDX-License-Identifier: Apache-2.0 */
/* What the units of FMI 3.0 of the tests begin with. A unit includes it, defines Data and includes unit3_common.h. */
#ifndef TACTUS_TEST_UNIT3_H
#define TACTUS_TEST_UNIT3_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { MADE, CONFIGURING, INITIALIZING, READY, SET, EVENT, ACTIVE, TERMINATED, FAILED };
typedef void Log(void*, int, const char*, const char*);
typedef void Update(void*);
typedef void Lock(void);
#endif
