// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/live.hpp"

#include <algorithm>

#include "executive/model/suggest.hpp"
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
      {executive, "executive"},   {parameter, "parameter"},
      {checkpoint, "checkpoint"}};
  return rtsync::word_of(kWords, what, "model");
}

std::string_view name_of(LiveList list) {
  using enum LiveList;
  static constexpr rtsync::Worded<LiveList> kWords[] = {
      {overruns, "overruns"}, {journal, "journal"}, {log, "log"}, {switches, "switches"}};
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

std::string_view name_of(LiveSwitch::Is is) {
  constexpr std::string_view kNames[] = {"unknown", "off", "on", "waiting"};
  return kNames[static_cast<std::size_t>(is)];
}

config::Json json_of(const LiveSwitch& one) {
  return {{"kind", one.kind},
          {"name", one.name},
          {"target", one.target},
          {"state", name_of(one.is)},
          {"on", one.is == LiveSwitch::Is::unknown ? config::Json(nullptr)
                                                   : config::Json(one.is == LiveSwitch::Is::on)},
          {"since", one.since ? config::Json(*one.since) : config::Json(nullptr)}};
}

std::string LiveRig::switch_problem(const std::string& kind, const std::string& name) const {
  std::vector<std::string> kinds, names;
  for (const LiveSwitch& each : switches()) {
    if (std::ranges::find(kinds, each.kind) == kinds.end()) kinds.push_back(each.kind);
    if (each.kind != kind) continue;
    if (each.name == name) return "";
    names.push_back(each.name);
  }
  if (!names.empty()) return "name: this rig has no " + kind + " '" + name + "'" + did_you_mean(name, names);
  std::string problem = "kind: this rig has nothing of the kind '" + kind + "' that is switched by name";
  for (std::size_t i = 0; i < kinds.size(); ++i)
    problem += (i == 0 ? "; it has the kind '" : "', '") + kinds[i] + (i + 1 == kinds.size() ? "'" : "");
  return problem;
}

std::string LiveRig::turn(const std::string& kind, const std::string& name, bool, const std::string&) {
  return "this rig has no " + kind + " '" + name + "'";
}

}  // namespace tactus::executive
