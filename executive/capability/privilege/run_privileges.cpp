// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/privilege/run_privileges.hpp"

namespace tactus::executive {

void RunPrivileges::tell(RunVoice& voice) {
  for (const PrivilegeWatch::Change& change : watch_.take_new()) {
    const std::string line = change.what + ": " + change.was + " became " + change.is + " (about frame " +
                             std::to_string(change.frame) + ")";
    voice.say(change.lost ? line + "; a model or a program outside changed it" : line + ", as at the start");
    if (!change.lost) continue;
    if (on_lost_ == OnPrivilegeLost::freeze) executive_.request_pause();
    if (on_lost_ != OnPrivilegeLost::terminate || !reason_.empty()) continue;
    reason_ = line + " (on_privilege_lost)";
    executive_.request_abort(reason_.c_str());
  }
}

void RunPrivileges::poll_seldom(RunVoice& voice) {
  if (!threads_.stuck()) watch_.look(executive_.latest().frames);  // whose real time we took ourselves
  tell(voice);
}

void RunPrivileges::ended() {
  tell(*run_->voice);
  if (!reason_.empty() && run_->end.in_order()) run_->end = {Outcome::aborted, reason_, run_->end.frames};
}

config::Json RunPrivileges::summary() const {
  config::Json changed = config::Json::array();
  for (const PrivilegeWatch::Change& change : watch_.changes())
    changed.push_back({{"what", change.what},
                       {"was", change.was},
                       {"is", change.is},
                       {"frame", change.frame},
                       {"lost", change.lost}});
  return changed;
}

}  // namespace tactus::executive
