// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/action/run_switches.hpp"

namespace tactus::executive {

void RunSwitches::poll(RunVoice&) {
  while (const auto event = log().take())
    run_.tell_switched(one_, name_of(event->number), event->on != 0, event->frame);
}

void RunSwitches::finish() {
  poll(*run_.voice);
  if (log().lost() > 0)
    run_.voice->say(std::to_string(log().lost()) + " beginnings and ends of " + several_ +
                    " are in no log: there were too many");
}

void RunSwitches::add_figures(config::Json& row, const SwitchFigures& figures) {
  const auto frame = [](std::int64_t k) { return k < 0 ? config::Json(nullptr) : config::Json(k); };
  row["frames"] = figures.frames;
  row["first_frame"] = frame(figures.first);
  row["last_frame"] = frame(figures.last);
}

}  // namespace tactus::executive
