/* SPDX-License-Identifier: Apache-2.0 */
/* What a unit must not do in a step, and some do. */
#ifndef TACTUS_TEST_HOSTILE_H
#define TACTUS_TEST_HOSTILE_H
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CRASHES = 20, HANGS, EXITS, LEAKS, STARTS_THREAD, PRINTS, ROUNDS, CHANGES_FOLDER, MASKS, ABORTS };

/* Mode 100 * call + status: that call answers that status, once `steps` have been made. */
enum { IN_SET = 1, IN_GET, IN_TERMINATE, IN_ENTER, IN_EXIT, IN_GET_STATE, IN_SET_STATE };
static int answers(int mode, int call, int ready) { return mode / 100 == call && ready ? mode % 100 : 0; }
#define ANSWER_IF_TOLD(mode, call, ready)        \
  do {                                           \
    const int told = answers(mode, call, ready); \
    if (told != 0) return told;                  \
  } while (0)

static void* idles(void* nothing) {
  (void)nothing;
  for (;;) (void)pause();
  return NULL;
}
/* Does it. A mode that it does not know is none. */
static void do_harm(int mode) {
  static int volatile* volatile nowhere = NULL;
  static char* volatile kept;
  pthread_t thread;
  sigset_t all;
  switch (mode) {
    case CRASHES:
      *nowhere = 1;
      break;
    case HANGS:
      for (;;) (void)usleep(1000);
    case EXITS:
      exit(0);
    case LEAKS:
      kept = malloc(100000);
      if (kept != NULL) memset(kept, 1, 100000);
      break;
    case STARTS_THREAD:
      if (pthread_create(&thread, NULL, &idles, NULL) == 0) (void)pthread_detach(thread);
      break;
    case PRINTS:
      (void)printf("unit says hello\n");
      (void)fflush(stdout);
      break;
    case ROUNDS:
      (void)fesetround(FE_UPWARD);
      break;
    case CHANGES_FOLDER:
      if (chdir("/") != 0) abort();
      break;
    case MASKS:
      (void)sigfillset(&all);
      (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
      break;
    case ABORTS:
      abort();
    default:
      break;
  }
}
#endif
