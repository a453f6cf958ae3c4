// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/run_context.hpp"

#include "config/number.hpp"

namespace tactus::executive {

void RunContext::tell_switched(const char* kind, const std::string& name, bool on, std::int64_t frame) {
  const std::string when =
      "frame " + std::to_string(frame) + " (" + config::print_duration(rig.plan().frame.times(frame)) + ")";
  voice->log().info(std::string(kind) + " " + name + (on ? " begins in " : " ends before ") + when);
  note({{"frame", frame}, {"what", std::string(kind) + (on ? " on" : " off")}, {"name", name}}, "rig");
}

void RunContext::note(config::Json entry, const std::string& who) {
  if (journal != nullptr) return journal(std::move(entry), who);
  if (own_journal == nullptr) {
    own_history = std::make_unique<LiveHistory>();
    own_journal = std::make_unique<LiveJournal>(options.folder, rig.settings().log.max_journal, *own_history);
  }
  own_journal->add(std::move(entry), who);
  own_journal->flush();
  for (const std::string& line : own_journal->take_log_lines()) voice->log().warn(line);
}

}  // namespace tactus::executive
