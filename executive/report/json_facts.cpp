// SPDX-License-Identifier: Apache-2.0
#include "executive/report/json_facts.hpp"

#include <cerrno>
#include <cmath>

#include "config/json_of.hpp"
#include "executive/record/losses_text.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/text.hpp"

namespace tactus::report {

const Json* find_fact(const Json& all, std::string_view path) {
  const Json* at = &all;
  if (path.empty()) return at;
  for (const std::string_view key : rtsync::parts_of(path, '.')) {
    const auto found = at->find(key);  // what is no object has none
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

std::optional<std::int64_t> integer_fact(const Json& all, std::string_view path) {
  const Json* const fact = find_fact(all, path);
  if (fact == nullptr || !fact->is_number()) return std::nullopt;
  if (fact->is_number_float()) {
    const double value = fact->get<double>();
    if (!(std::abs(value) < 9e18)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (fact->is_number_unsigned() && fact->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  return fact->get<std::int64_t>();
}

std::optional<double> real_fact(const Json& all, std::string_view path) {
  const Json* const fact = find_fact(all, path);
  if (fact == nullptr || !fact->is_number()) return std::nullopt;
  const double value = fact->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string text_fact(const Json& all, std::string_view path) {
  const Json* const fact = find_fact(all, path);
  return fact != nullptr && fact->is_string() ? fact->get<std::string>() : "";
}

bool true_fact(const Json& all, std::string_view path) {
  const Json* const fact = find_fact(all, path);
  return fact != nullptr && fact->is_boolean() && fact->get<bool>();
}

const Json& list_fact(const Json& all, std::string_view path) {
  static const Json none = Json::array();
  const Json* const fact = find_fact(all, path);
  return fact != nullptr && fact->is_structured() ? *fact : none;
}

std::string fact_text(const Json& fact) {
  if (fact.is_string()) return fact.get<std::string>();
  if (fact.is_structured()) {
    if (fact.empty()) return "none";
    if (!fact.is_array() || fact.size() > 12) return "...";
    return rtsync::joined(fact, ", ",
                          [](const Json& each) { return each.is_structured() ? "..." : fact_text(each); });
  }
  if (fact.is_null()) return "none";
  if (fact.is_boolean()) return fact.get<bool>() ? "yes" : "no";
  return fact.dump();
}

std::string shown_fact(const Json& all, std::string_view path) {
  const Json* const fact = find_fact(all, path);
  return fact == nullptr ? "" : fact_text(*fact);
}

std::string losses_of(const Json& recording) {
  const std::int64_t lost = integer_fact(recording, "lost").value_or(0);
  return executive::losses_text(lost, lost + integer_fact(recording, "written").value_or(0),
                                text_fact(recording, "error"));
}

Json read_json(const std::filesystem::path& file, std::string& problem) {
  constexpr std::size_t kMost = std::size_t{256} << 20U;
  int error = 0;
  const std::string text = rtsync::read_folder_file(file, error, kMost + 1);
  if (error == ENOENT) return nullptr;
  const std::string name = file.filename().string();
  if (error != 0 || text.size() > kMost) {
    problem = error != 0 ? rtsync::file_error(name, error) : name + " is larger than 256 MiB";
    return nullptr;
  }
  Json read = config::json_of(text);
  if (read.is_object()) return read;
  problem = name + " is damaged: it is not a JSON object";
  return nullptr;
}

}  // namespace tactus::report
