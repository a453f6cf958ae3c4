// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/settings.hpp"

#include <chrono>
#include <limits>

#include "config/rules.hpp"

namespace tactus::executive {

using namespace std::chrono_literals;
using namespace config;

const Fields<StimulusSettings>& stimulus_fields() {
  using S = StimulusSettings;
  static const Fields<S> fields{
      "A stimulus: what a variable follows.",
      {
          located(&S::origin),
          optional("on", &S::on, length(1, 200),
                   "variable that it writes; without it, the key is that variable"),
          optional("segments", &S::segments, "segments, one after the other"),
          optional("at", &S::at, range(0ns, 100 * 24h), "simulated time at which it begins; 0 by default"),
          optional("frame", &S::frame, count("frames", 0, std::numeric_limits<std::int64_t>::max() / 2),
                   "frame in which it begins, instead of `at`"),
          optional("switched", &S::switched, "begin only when it is switched on by its name"),
          optional("loop", &S::loop, "begin again after the last segment"),
          optional("blend", &S::blend, range(0ns, 3600s),
                   "time in which the variable passes from its own value to the stimulus, and back"),
          optional("then", &S::releases,
                   choices<bool>({{"hold", false, "the last value stays"},
                                  {"release", true, "the variable has its own value again"}}),
                   "what comes after the last segment"),
          optional("event", &S::event, length(1, 200), "event with which it begins, each time"),
      }};
  return fields;
}

const Fields<SegmentSettings>& segment_fields() {
  using S = SegmentSettings;
  static const Fields<S> fields{
      "A segment of a stimulus: one shape, and how long.",
      {
          located(&S::origin),
          optional("hold", &S::hold, "a value"),
          optional("step", &S::step, "a value: the same as hold"),
          optional("ramp", &S::ramp, "a value, reached at the end in a straight line; or [ from, to ]"),
          optional("sine", &S::sine, "{ amplitude, frequency, phase, offset }"),
          optional("chirp", &S::chirp, "{ amplitude, from, to, offset, sweep: linear | exponential }"),
          optional("square", &S::square, "{ low, high, frequency, duty }"),
          optional("prbs", &S::prbs, "{ low, high, interval, order, seed }: pseudo-random binary sequence"),
          optional("noise", &S::noise, "{ mean, sigma, band, seed }: normal, white or below a frequency"),
          optional("table", &S::table, "[ [ time, value ], ... ]"),
          optional("recording", &S::recording, "{ file, column, from }"),
          optional("expression", &S::expression, "expression over variables, of the frame before"),
          optional("for", &S::lasting, range(1ns, 100 * 24h), "how long; the last segment may do without"),
          optional("interpolate", &S::holds,
                   choices<bool>({{"linear", false, "a straight line"}, {"hold", true, "the value before"}}),
                   "between points of a table or recording"),
      }};
  return fields;
}

}  // namespace tactus::executive
