/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TACTUS_RTSYNC_EVIDENCE_TRACEFS_FILE_H
#define TACTUS_RTSYNC_EVIDENCE_TRACEFS_FILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The text of a file of an event, "format" say, to be freed by free(). `tracing`: where tracefs is mounted; nothing is
 * mounted here. `size` becomes its length in bytes. NULL: it cannot be read.                             @when setup */
char* tactus_read_tracefs_file(const char* tracing, const char* group, const char* event, const char* file,
                               int* size);

#ifdef __cplusplus
}
#endif
#endif
