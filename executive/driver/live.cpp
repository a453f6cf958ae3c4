// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/live.hpp"

#include "rtsync/word_of.hpp"

namespace tactus::executive {

std::string_view name_of(LiveWrite::Kind kind) {
  using enum LiveWrite::Kind;
  static constexpr rtsync::Worded<LiveWrite::Kind> kWords[] = {
      {set, "set"}, {force, "force"}, {release, "release"}};
  return rtsync::word_of(kWords, kind, "release_all");
}

std::string_view name_of(LiveWriter::What what) {
  using enum LiveWriter::What;
  static constexpr rtsync::Worded<LiveWriter::What> kWords[] = {
      {force, "force"},           {set, "set"},
      {connection, "connection"}, {link, "link"},
      {executive, "executive"},   {parameter, "parameter"}};
  return rtsync::word_of(kWords, what, "model");
}

std::string_view name_of(LiveList list) {
  using enum LiveList;
  static constexpr rtsync::Worded<LiveList> kWords[] = {
      {overruns, "overruns"}, {journal, "journal"}, {log, "log"}};
  return rtsync::word_of(kWords, list, "verdicts");
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

std::string LiveRig::turn(const std::string& kind, const std::string& name, bool, const std::string&) {
  return "this rig has no " + kind + " '" + name + "'";
}

}  // namespace tactus::executive
