// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/live.hpp"

namespace tactus::executive {

std::string_view name_of(LiveWrite::Kind kind) {
  switch (kind) {
    case LiveWrite::Kind::set:
      return "set";
    case LiveWrite::Kind::force:
      return "force";
    case LiveWrite::Kind::release:
      return "release";
    case LiveWrite::Kind::release_all:
      break;
  }
  return "release_all";
}

std::string_view name_of(LiveWriter::What what) {
  switch (what) {
    case LiveWriter::What::force:
      return "force";
    case LiveWriter::What::set:
      return "set";
    case LiveWriter::What::connection:
      return "connection";
    case LiveWriter::What::link:
      return "link";
    case LiveWriter::What::executive:
      return "executive";
    case LiveWriter::What::parameter:
      return "parameter";
    case LiveWriter::What::model:
      break;
  }
  return "model";
}

std::string_view name_of(LiveList list) {
  return list == LiveList::overruns ? "overruns" : list == LiveList::journal ? "journal" : "log";
}

std::string LiveRig::give_until_done(const CommandCall& call, const std::string& who,
                                     std::function<void(const std::string&)> then) {
  std::string why = give(call, who);
  if (why.empty()) then("");
  return why;
}

const std::vector<LiveOutput>& LiveRig::outputs() const {
  static const std::vector<LiveOutput> none;
  return none;
}

}  // namespace tactus::executive
