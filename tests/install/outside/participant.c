/* SPDX-License-Identifier: Apache-2.0 */
/* A program written for SIL Kit, unchanged: says which version of its API it found, and why it could not join. */
#include <stdio.h>

#include "silkit/capi/SilKit.h"

int main(int argc, char** argv) {
  uint32_t major = 0;
  SilKit_ParticipantConfiguration* configuration = NULL;
  SilKit_Participant* participant = NULL;
  SilKit_Version_Major(&major);
  printf("SIL Kit %u\n", (unsigned)major);
  SilKit_ParticipantConfiguration_FromString(&configuration, "Middleware: { ConnectAttempts: 1 }");
  if (SilKit_Participant_Create(&participant, configuration, "Plant", argc > 1 ? argv[1] : "") !=
      SilKit_ReturnCode_SUCCESS)
    printf("not joined\n");
  else
    SilKit_Participant_Destroy(participant);
  return 0;
}
