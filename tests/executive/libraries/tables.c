/* SPDX-License-Identifier: Apache-2.0 */
/* A library that models share, in two versions of one name. */
__attribute__((visibility("default"))) double table_gain(void);
double table_gain(void) { return GAIN; }
