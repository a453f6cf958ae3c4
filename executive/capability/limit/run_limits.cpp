// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/limit/run_limits.hpp"

#include "config/quantity.hpp"
#include "executive/frame/frame_services.hpp"

namespace tactus::executive {

RunLimits::RunLimits(RunContext& run)
    : run_(run),
      planned_(run.rig.settings().of<PlannedLimits>()),
      part_(planned_),
      said_(planned_.all.size(), false) {
  run.executive->add(part_);
}

void RunLimits::Part::joined(FrameServices& services) {
  std::vector<Piece> pieces;
  for (const auto& limit : planned.all)
    pieces.push_back(own_piece("@limit." + limit->ref().name(), std::span(limit->kept())));
  services.keep(std::move(pieces));
}

void RunLimits::poll_seldom(RunVoice& voice) {
  for (std::size_t i = 0; i < planned_.all.size(); ++i) {
    const OutputLimit& limit = *planned_.all[i];
    const OutputLimit::Counts counts = limit.counts();
    if (counts.first < 0 || said_[i]) continue;
    said_[i] = true;
    const config::Unit& unit = limit.ref().variable->unit;
    voice.say("output " + limit.ref().name() + " was cut to its limit in frame " +
              std::to_string(counts.first) + ": " + config::print_quantity(counts.asked, unit) +
              " was asked for, " + config::print_quantity(counts.given, unit) +
              " was given; summary.json counts all of them");
  }
}

void RunLimits::summarize(config::Json& all, Summary what) const {
  if (what != Summary::ended) return;
  config::Json rows = config::Json::array();
  for (const auto& limit : planned_.all) {
    const OutputLimit::Counts counts = limit->counts();
    rows.push_back({{"output", limit->ref().name()},
                    {"cuts", counts.cuts},
                    {"first_frame", counts.first < 0 ? config::Json(nullptr) : config::Json(counts.first)},
                    {"last_frame", counts.last < 0 ? config::Json(nullptr) : config::Json(counts.last)}});
  }
  all["limits"] = std::move(rows);
}

}  // namespace tactus::executive
