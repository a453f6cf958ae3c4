// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/histogram/run_histograms.hpp"

#include <algorithm>
#include <exception>

namespace tactus::executive {
namespace {

/// The value that `share` of all do not exceed: the end of its class.
double quantile(const ModelHistogram& of, double share) {
  const double wanted = share * static_cast<double>(of.count);
  std::uint64_t sum = 0;
  for (const ModelHistogram::Class& each : of.classes) {
    sum += each.count;
    if (static_cast<double>(sum) > wanted || sum >= of.count) return std::min(each.end, of.longest);
  }
  return of.longest;
}

}  // namespace

Json row_of(const std::string& model, const ModelHistogram& histogram) {
  Json classes = Json::array(), too_large = Json::object();
  for (const ModelHistogram::Class& each : histogram.classes)
    classes.push_back(Json::array({each.end, each.count}));
  for (const ModelHistogram::Share& each : histogram.shares) too_large[each.cause] = each.count;
  return {{"model", model},
          {"name", histogram.name},
          {"about", histogram.about},
          {"unit", histogram.unit},
          {"not_measured", histogram.not_measured.empty() ? Json(nullptr) : Json(histogram.not_measured)},
          {"count", histogram.count},
          {"p50", quantile(histogram, 0.5)},
          {"p99", quantile(histogram, 0.99)},
          {"p99_9", quantile(histogram, 0.999)},
          {"longest", histogram.longest},
          {"limit", histogram.limit > 0 ? Json(histogram.limit) : Json(nullptr)},
          {"too_large", std::move(too_large)},
          {"classes", std::move(classes)}};
}

Json RunHistograms::rows() const {
  Json rows = Json::array();
  for (DriverModel& each : run_.rig.driver_models()) {
    if (!run_.may_call(each.name)) continue;  // it would hang, too
    try {
      for (const ModelHistogram& histogram : each.model->histograms())
        if (histogram.count > 0) rows.push_back(row_of(each.name, histogram));
    } catch (const std::exception& error) {
      rows.push_back(row_of(each.name, {.name = "", .about = "", .unit = "", .not_measured = error.what()}));
    }
  }
  return rows;
}

void RunHistograms::summarize(Json& all, Summary what) const {
  if (what == Summary::ended) all["histograms"] = rows();
}

void RunHistograms::report(LiveReport which, Json& body) {
  if (which == LiveReport::histograms) body["histograms"] = rows();
}

}  // namespace tactus::executive
