// SPDX-License-Identifier: Apache-2.0
#include "executive/report/json_facts.hpp"

#include <cmath>
#include <exception>
#include <fstream>
#include <iterator>
#include <system_error>

namespace tactus::report {

const Json* find_fact(const Json& all, std::string_view path) {
  const Json* at = &all;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string key(path.substr(0, dot));
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end()) return nullptr;
    at = &*found;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
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
    if (fact.is_array() && fact.size() <= 12) {
      std::string all;
      for (const Json& each : fact)
        all += (all.empty() ? "" : ", ") + (each.is_structured() ? "..." : fact_text(each));
      return all;
    }
    return "...";
  }
  if (fact.is_null()) return "none";
  if (fact.is_boolean()) return fact.get<bool>() ? "yes" : "no";
  return fact.dump();
}

Json read_json(const std::filesystem::path& file, std::string& problem) {
  constexpr std::uintmax_t kMost = std::uintmax_t{256} << 20U;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return nullptr;
  const std::string name = file.filename().string();
  if (!std::filesystem::is_regular_file(file, error) || std::filesystem::file_size(file, error) > kMost) {
    problem = name + " is no regular file, or larger than 256 MiB";
    return nullptr;
  }
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Json read = Json::parse(text, nullptr, false);
  if (read.is_object()) return read;
  problem = in.bad() ? name + " cannot be read" : name + " is damaged: it is no JSON object";
  return nullptr;
}

}  // namespace tactus::report
