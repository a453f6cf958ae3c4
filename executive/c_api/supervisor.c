/* SPDX-License-Identifier: Apache-2.0 */
/* Closes a loop around a rig from outside, in C: a brake on the shaft of the servo, worked out by this
 * program.
 *
 *     tactus-supervisor config/rigs/servo.yaml RUN_FOLDER
 *
 * The rig runs in episodes of 10 ms. After each, the program takes the motor's speed and gives back the
 * torque of a fan on its shaft, which the next episode begins with. Exit status: that of `tactus run`.
 */
#include <stdio.h>
#include <tactus/open_simulation.h>

#define EPISODES 100

/* The torque of a fan: with the square of the speed, and against it. */
static double fan(double speed) {
  const double torque_at_100_rad_s = 0.02; /* N m */
  return torque_at_100_rad_s * speed * (speed < 0 ? -speed : speed) / 1e4;
}

static int complain(const char* doing) {
  fprintf(stderr, "%s: %s\n", doing, tactus_open_simulation_last_error());
  return 2;
}

static int supervise(tactus_open_simulation* rig) {
  double speed = 0, torque = 0, fastest = 0;
  tactus_episode_item out = {0}, in = {0};
  int episode;
  out.size = sizeof out;
  out.entity = "motor";
  out.descriptor = "speed";
  out.type = TACTUS_DOUBLE;
  out.values = &speed;
  in.size = sizeof in;
  in.entity = "motor";
  in.descriptor = "load_torque";
  in.type = TACTUS_DOUBLE;
  in.values = &torque;
  for (episode = 0; episode < EPISODES; ++episode) {
    char stop[64]; /* the last frame of the episode: 9 ms, 19 ms ... after the epoch */
    const int ms = 10 * episode + 9;
    sprintf(stop, "2030-01-01T00:00:%02d.%03dZ", ms / 1000, ms % 1000);
    if (tactus_open_simulation_run_open(rig, stop, &in, 1, &out, 1) != TACTUS_OK) return complain("episode");
    if (!out.filled) break; /* the run ended before */
    torque = fan(speed);
    if (speed > fastest) fastest = speed;
  }
  printf("%d episodes; up to %.1f rad/s; %.4f N m at last, at %s\n", episode, fastest, torque,
         tactus_open_simulation_date(rig));
  if (!tactus_open_simulation_over(rig) && tactus_open_simulation_run(rig) != TACTUS_OK)
    return complain("run to the end");
  printf("%s\n", tactus_open_simulation_outcome(rig));
  return tactus_open_simulation_exit_status(rig);
}

int main(int argc, char** argv) {
  static const char* const changes[] = {"epoch=2030-01-01T00:00:00Z", "until=1100 ms"};
  tactus_simulation_options options = {0};
  tactus_open_simulation* rig = NULL;
  int status;
  if (argc != 3) {
    fprintf(stderr, "tactus-supervisor RIG RUN_FOLDER\n");
    return 2;
  }
  options.size = sizeof options;
  options.no_realtime = 1;
  options.out = argv[2];
  options.set = changes;
  options.set_count = sizeof changes / sizeof *changes;
  if (tactus_open_simulation_create(argv[1], &options, &rig) != TACTUS_OK) return complain("load the rig");
  status = supervise(rig);
  tactus_open_simulation_destroy(rig);
  return status;
}
