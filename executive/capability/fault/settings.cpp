// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/settings.hpp"

#include <chrono>

#include "config/rules.hpp"

namespace tactus::executive {

using namespace std::chrono_literals;
using namespace config;

const Fields<FaultSettings>& fault_fields() {
  using F = FaultSettings;
  static const Fields<F> fields{
      "A fault: one disturbance of a variable, a job, the external clock or a peer, and when.",
      {
          located(&F::origin),
          required(
              "on", &F::on, length(1, 200),
              "variable; 'connection a.y -> b.u'; 'link SIGNAL', which the rig sends; 'job model.job', with "
              "longer; clock, with late_edge or missing_edge; 'peer NAME', with silent; "
              "MODEL.TARGET of a driver, with does"),
          optional("stuck", &F::stuck,
                   "keeps this value; without one, the value that it had when the fault began"),
          optional("offset", &F::offset, "value added"),
          optional("gain", &F::gain, "factor"),
          optional("noise", &F::noise, "standard deviation of normal noise added, new in each frame"),
          optional("drift", &F::drift, "value added for each second since the fault began"),
          optional("delay", &F::delay, range(1ns, 3600s),
                   "show the value of this much time ago, in whole frames"),
          optional("dropout", &F::dropout,
                   "what the variable shows instead of its value: holds, zero or nan"),
          optional("flip", &F::flip, range(0, 63), "inverts this bit, counted from the lowest"),
          optional("quantise", &F::quantise, "shows multiples of this step"),
          optional("limit", &F::limit, "[ least, most ]"),
          optional("swap", &F::swap, length(1, 200), "variable of the same model to swap it with"),
          optional("longer", &F::longer, range(1us, 10s), "make the job take this much longer"),
          optional("late_edge", &F::late_edge, range(1us, 10s),
                   "the external clock's edges are late by this; less than the time between two"),
          optional("missing_edge", &F::missing_edge, "yes: the external clock's edges are not seen"),
          optional("silent", &F::silent,
                   "yes: the peer's messages are withheld, as if it had stopped sending"),
          optional(
              "does", &F::does, length(1, 100),
              "kind of a fault that a driver offers, of a CAN message: 'wrong_checksum', 'stuck_counter', "
              "'missing', 'late', 'twice', 'extra', 'wrong_length'; of its bus: 'bus_off', 'error_frames'"),
          optional("amount", &F::amount,
                   "how much, of a kind of a driver that has an amount: 2 ms of 'late'"),
          optional("at", &F::at, range(0ns, 100 * 24h), "simulated time at which it begins"),
          optional("frame", &F::frame, count("frames", 0, std::int64_t{1} << 62),
                   "frame in which it begins, instead of `at`"),
          optional("until", &F::until, range(0ns, 100 * 24h), "simulated time at which it ends"),
          optional("for", &F::lasting, range(1ns, 100 * 24h),
                   "how long it lasts; with `every`, how long each time (one frame by default)"),
          optional("every", &F::every, range(1ns, 100 * 24h),
                   "comes once in each span of this length: at its beginning, or with a seed anywhere in it"),
          optional("probability", &F::probability, percent(0, 1),
                   "chance with which it comes in a frame, or in a span of `every`"),
          optional("seed", &F::seed, range(0, std::int64_t{1} << 62), "seed of the random values"),
      }};
  return fields;
}

}  // namespace tactus::executive
