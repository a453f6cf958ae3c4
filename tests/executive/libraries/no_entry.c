/* SPDX-License-Identifier: Apache-2.0 */
/* A library, but not of models; also no driver. */
int something_else(void);
int something_else(void) { return 42; }
