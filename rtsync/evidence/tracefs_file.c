/* SPDX-License-Identifier: Apache-2.0 */
/* In C: the header of libtracefs 1.6 is none for C++. */
#include "rtsync/evidence/tracefs_file.h"

#include <tracefs.h>

char* tactus_read_tracefs_file(const char* tracing, const char* group, const char* event, const char* file,
                               int* size) {
  struct tracefs_instance* const instance = tracefs_instance_alloc(tracing, NULL);
  char* text = NULL;
  tracefs_set_loglevel(TEP_LOG_NONE);
  if (instance != NULL) text = tracefs_event_file_read(instance, group, event, file, size);
  tracefs_instance_free(instance);
  return text;
}
