// SPDX-License-Identifier: Apache-2.0
/*
PURPOSE: (A motor of some doubles, as NASA Trick's users write one, and a clock that tells what its frames cost.)
*/
#ifndef TACTUS_TRICK_SIM_MOTOR_HH
#define TACTUS_TRICK_SIM_MOTOR_HH
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

class Motor {
 public:
  double supply;       // (V) supply
  double resistance;   // (ohm) of the winding
  double inductance;   // (H) of the winding
  double constant;     // (--) volts a rad/s, newton metres an ampere
  double inertia;      // (kg*m2) of the rotor
  double current;      // (A) current
  double speed;        // (rad/s) speed
  double angle;        // (rad) angle
  bool never;          // (--) stays false

  Motor()
      : supply(24), resistance(0.5), inductance(0.0005), constant(0.05), inertia(0.000012), current(0), speed(0),
        angle(0), never(false) {}
  int step() {
    for (int i = 0; i < 5; ++i) {
      const double dt = 0.0002;
      current += dt * (supply - resistance * current - constant * speed) / inductance;
      speed += dt * constant * current / inertia;
      angle += dt * speed;
    }
    return 0;
  }
  int is_over() { return current > 1e6; }
};

/// Prints what a frame costs: CPU time of the thread from frame 100 on, over as many frames as TRICK_SIM_FRAMES says.
class FrameCost {
 public:
  FrameCost() : frame(0), frames(0), begun(0) {}
  int look() {
    if (frame == 0 && getenv("TRICK_SIM_FRAMES") != NULL) frames = atol(getenv("TRICK_SIM_FRAMES"));
    if (frame == 100) begun = now();
    if (frames > 0 && frame == 100 + frames)
      printf("TRICK_SIM_NS_A_FRAME %.3f\n", double(now() - begun) / double(frames));
    ++frame;
    return 0;
  }

 private:
  static long long now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
  }
  long frame;       // (--) this one
  long frames;      // (--) to measure
  long long begun;  // (--) in ns
};

#endif
