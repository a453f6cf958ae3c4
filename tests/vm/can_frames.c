// SPDX-License-Identifier: Apache-2.0
// A peer on a CAN interface of a guest.
//
//     can_frames send IFACE ID [BYTES]      one frame; ID in hex with the flags of the kernel (20000040 is a bus-off),
//                                           BYTES as "00112233"
//     can_frames watch IFACE MS             listens for so long, or until SIGTERM, then a line for each identifier and one
//                                           for all:
//                                           "id 100 frames 120 gaps 0 last 1190 same 3 data 0011",
//                                           "all frames 300 last 1190"
//     can_frames answer IFACE REQUEST RESPONSE BYTES
//                                           a station of ISO-TP with these ids: "asked 1902ff" for each request, which it
//                                           answers with BYTES, until SIGTERM
//
// Gaps are those of a counter in the low nibble of the second byte, as E2E profile 1 has it (0 to 14); times are in ms
// since the first frame of all; data are the bytes of the last frame, same is how many frames in a row up to the last one
// had its bytes from the third on. Exit status 1: the kernel refused something.
#include <errno.h>
#include <linux/can.h>
#include <linux/can/isotp.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct seen {
  unsigned frames, gaps, same;
  int counter;
  long long last;
  struct can_frame frame;
};
static struct seen all[2048];
static volatile sig_atomic_t is_over;

static void end(int number) { is_over = number; }

static long long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static int fail(const char* what) {
  fprintf(stderr, "can_frames: %s: %s\n", what, strerror(errno));
  return 1;
}

static int watch(int socket, long long ms) {
  const int buffer = 4 << 20;
  setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
  const long long until = now_ms() + ms;
  signal(SIGTERM, end);
  long long first = -1, last = 0;
  unsigned frames = 0;
  for (long long left = ms; left > 0 && !is_over; left = until - now_ms()) {
    struct pollfd wait = {socket, POLLIN, 0};
    struct can_frame frame;
    if (poll(&wait, 1, (int)left) <= 0 || read(socket, &frame, sizeof frame) != sizeof frame) continue;
    if (first < 0) first = now_ms();
    last = now_ms() - first;
    ++frames;
    struct seen* const one = &all[frame.can_id & 2047U];
    const int counter = frame.data[1] & 15;
    if (one->frames > 0 && counter != (one->counter + 1) % 15) ++one->gaps;
    const int is_same =
        one->frames > 0 && frame.can_dlc == one->frame.can_dlc &&
        (frame.can_dlc <= 2 || memcmp(frame.data + 2, one->frame.data + 2, frame.can_dlc - 2U) == 0);
    one->same = is_same ? one->same + 1 : 1;
    ++one->frames;
    one->counter = counter;
    one->last = last;
    one->frame = frame;
  }
  for (unsigned id = 0; id < 2048; ++id) {
    if (all[id].frames == 0) continue;
    printf("id %x frames %u gaps %u last %lld same %u data ", id, all[id].frames, all[id].gaps, all[id].last,
           all[id].same);
    for (unsigned i = 0; i < all[id].frame.can_dlc; ++i) printf("%02x", all[id].frame.data[i]);
    printf("\n");
  }
  printf("all frames %u last %lld\n", frames, last);
  return 0;
}

/* Takes "00112233" apart. Returns the number of bytes. */
static size_t bytes_of(const char* text, unsigned char* bytes, size_t most) {
  size_t count = 0;
  for (; count < most && strlen(text) >= 2; text += 2) {
    const char byte[3] = {text[0], text[1], 0};
    bytes[count++] = (unsigned char)strtoul(byte, NULL, 16);
  }
  return count;
}

static int answer(const char* interface, const char* request, const char* response, const char* text) {
  const int station = socket(PF_CAN, SOCK_DGRAM, CAN_ISOTP);
  struct sockaddr_can address;
  memset(&address, 0, sizeof address);
  address.can_family = AF_CAN;
  address.can_ifindex = (int)if_nametoindex(interface);
  address.can_addr.tp.rx_id = (canid_t)strtoul(request, NULL, 16);
  address.can_addr.tp.tx_id = (canid_t)strtoul(response, NULL, 16);
  if (station < 0 || bind(station, (struct sockaddr*)&address, sizeof address) != 0) return fail("ISO-TP");
  unsigned char asked[4095], bytes[4095];
  const size_t size = bytes_of(text, bytes, sizeof bytes);
  signal(SIGTERM, end);
  while (!is_over) {
    struct pollfd wait = {station, POLLIN, 0};
    if (poll(&wait, 1, 100) <= 0) continue;
    const ssize_t got = read(station, asked, sizeof asked);
    if (got <= 0) continue;
    printf("asked ");
    for (ssize_t i = 0; i < got; ++i) printf("%02x", asked[i]);
    printf("\n");
    fflush(stdout);
    if (write(station, bytes, size) != (ssize_t)size) return fail("answer");
  }
  return 0;
}

static int send_one(int socket, const char* id, const char* bytes) {
  struct can_frame frame;
  memset(&frame, 0, sizeof frame);
  frame.can_id = (canid_t)strtoul(id, NULL, 16);
  frame.can_dlc = (unsigned char)bytes_of(bytes, frame.data, sizeof frame.data);
  return write(socket, &frame, sizeof frame) == (ssize_t)sizeof frame ? 0 : fail("write");
}

int main(int argc, char** argv) {
  if (argc == 6 && strcmp(argv[1], "answer") == 0) return answer(argv[2], argv[3], argv[4], argv[5]);
  const int is_watch = argc == 4 && strcmp(argv[1], "watch") == 0;
  if (!is_watch && !((argc == 4 || argc == 5) && strcmp(argv[1], "send") == 0)) {
    fprintf(stderr,
            "can_frames send IFACE ID [BYTES] | watch IFACE MS | answer IFACE REQUEST RESPONSE BYTES\n");
    return 2;
  }
  const int opened = socket(PF_CAN, SOCK_RAW, CAN_RAW);
  struct sockaddr_can address;
  memset(&address, 0, sizeof address);
  address.can_family = AF_CAN;
  address.can_ifindex = (int)if_nametoindex(argv[2]);
  if (opened < 0 || address.can_ifindex == 0 || bind(opened, (struct sockaddr*)&address, sizeof address) != 0)
    return fail(argv[2]);
  return is_watch ? watch(opened, atoll(argv[3])) : send_one(opened, argv[3], argc == 5 ? argv[4] : "");
}
