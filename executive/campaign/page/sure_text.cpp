// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/page/sure_text.hpp"

#include <cmath>

#include "config/number.hpp"

namespace tactus::campaign {
namespace {

std::string percent(double share) { return config::print_percent(std::round(share * 1e4) / 1e4); }

}  // namespace

config::Json sure_json(const SureDraws& draws) {
  const Interval interval = draws.interval();
  return {{"confidence", draws.confidence()},     {"half_width", draws.half_width()},
          {"expectation", draws.expectation()},   {"sure", draws.enough()},
          {"passed", draws.counted().passed},     {"of", draws.counted().of},
          {"left_out", draws.counted().left_out}, {"interval", {interval.low, interval.high}},
          {"coverage", draws.rule().coverage()},  {"most_draws", draws.rule().most_cases()}};
}

std::string sure_text(const config::Json& json) {
  const std::string expectation = json["expectation"];
  std::string text = "until_sure: " + json["passed"].dump() + " of " + json["of"].dump() + " draws pass" +
                     (expectation.empty() ? "" : " '" + expectation + "'") + ", with " +
                     percent(json["confidence"].get<double>()) + " confidence " +
                     percent(json["interval"][0].get<double>()) + " .. " +
                     percent(json["interval"][1].get<double>());
  if (json["sure"] == true)
    text += "; no further draw is needed";
  else
    text += "; not sure yet to " + percent(json["half_width"].get<double>()) + ", which takes at most " +
            json["most_draws"].dump() + " draws";
  if (json["left_out"] != 0)
    text += "; " + json["left_out"].dump() + " ran beside the last one and do not count";
  return text;
}

}  // namespace tactus::campaign
