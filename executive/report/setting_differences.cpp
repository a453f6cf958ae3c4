// SPDX-License-Identifier: Apache-2.0
#include "executive/report/setting_differences.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "config/path.hpp"
#include "config/quantity.hpp"
#include "config/shape.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::report {
namespace {

using config::KeyShape;

constexpr const char* kNone = "\u2013";
constexpr const char* kModelsOwn = "the model's own";  // rig.yaml has no defaults of models

/// Parts of "record.motion.on_change"; an index is one: "connect", "[2]", "from". Empty: it is not a path.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    if (path.front() == '.') path.remove_prefix(1);
    const std::string_view whole = path;
    if (path.starts_with('[') ? !config::take_index(path) : config::take_key(path).empty()) return {};
    parts.emplace_back(whole.substr(0, whole.size() - path.size()));
  }
  return parts;
}

/// Keys of a driver, whose library is there no longer when they are used: they share what they need.
std::shared_ptr<const config::Section> driver_section(const std::string& kind, const std::string& name) try {
  // A library stays: its table of fields has no other owner.
  static std::map<std::string, std::unique_ptr<executive::DriverLibrary>> loaded;
  auto& library = loaded[kind + "-" + name];
  if (library == nullptr) library = std::make_unique<executive::DriverLibrary>(kind, name);
  return library->make()->section();
} catch (const std::exception&) {  // this machine has no such driver
  return nullptr;
}

/// Kind of the drivers that a top-level key of the rig file names.
std::string kind_of(const std::string& top) {
  return top == "models" ? "model" : top == "commands" ? "command" : top;
}

const KeyShape* key_in(const config::Section& section, const std::string& key) {
  const auto found = std::ranges::find(section.keys, key, &KeyShape::key);
  return found == section.keys.end() ? nullptr : &*found;
}

std::string joined(const std::vector<std::string>& parts, std::size_t count) {
  std::string path;
  for (std::size_t i = 0; i < count; ++i)
    path += (path.empty() || parts[i].front() == '[' ? "" : ".") + parts[i];
  return path;
}

/// Both state the same quantity.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto number = [](const std::string& text) -> std::optional<config::Quantity> {
    try {
      return config::parse_quantity(text);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  };
  const auto first = number(a), second = number(b);
  if (!first || !second) return false;
  const auto other = config::to_unit(b, first->unit);
  return other.value && *other.value == first->value;
}

}  // namespace

std::string default_of(const std::string& key, const std::vector<Setting>& settings) {
  const std::vector<std::string> parts = parts_of(key);
  std::shared_ptr<const config::Section> owner = executive::rig_fields().shared_section();
  const config::Section* section = owner.get();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const KeyShape* const found = key_in(*section, parts[i]);
    if (found == nullptr) {
      if (section->rest.empty() || i == 0) return "";
      std::string name = setting_in(settings, joined(parts, i) + ".driver");
      if (const KeyShape* const driver = key_in(*section, "driver"); name.empty() && driver != nullptr)
        name = driver->default_text;
      owner = driver_section(kind_of(parts[0]), name);
      const KeyShape* const own = owner == nullptr ? nullptr : key_in(*owner, parts[i]);
      return own == nullptr || i + 1 < parts.size() ? "" : own->default_text;
    }
    if (i + 1 == parts.size()) return found->default_text;
    const config::Shape* shape = found->shape.get();
    while (shape != nullptr && i + 1 < parts.size() &&
           (shape->form == config::Shape::Form::map_of || shape->form == config::Shape::Form::list)) {
      shape = shape->item.get();
      ++i;
    }
    if (shape == nullptr || i + 1 >= parts.size()) return "";
    if (parts[0] == "live" && i == 0) {  // a map of drivers
      owner = driver_section("live", parts[1]);
      section = owner.get();
      ++i;
    } else {
      section = shape->section.get();
    }
    if (section == nullptr) return "";
  }
  return "";
}

std::vector<SettingDifference> setting_differences(const std::vector<const RunData*>& runs) {
  std::map<std::string, std::vector<std::string>> all;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const Setting& setting : runs[i]->files.settings) {
      auto& values = all.try_emplace(setting.first, runs.size(), "").first->second;
      values[i] = setting.second;
    }
  std::vector<SettingDifference> different;
  for (auto& [key, values] : all) {
    std::string some;  // value of a run that has the key
    bool missing = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool known = !runs[i]->files.settings.empty();  // else rig.yaml could not be read
      if (!values[i].empty()) some = values[i];
      missing = missing || (values[i].empty() && known);
    }
    bool differs = std::ranges::any_of(
        values, [&](const std::string& value) { return !value.empty() && !same_value(some, value); });
    if (!differs && missing) {
      std::size_t has = 0;
      while (values[has].empty()) ++has;
      const std::string usual = default_of(key, runs[has]->files.settings);
      differs = usual.empty() || !same_value(usual, some);
    }
    if (!differs) continue;
    for (std::string& value : values)
      if (value.empty()) value = key.find(".parameters.") == std::string::npos ? kNone : kModelsOwn;
    different.push_back({key, std::move(values)});
  }
  return different;
}

std::string label_of(const RunData& run, std::size_t number,
                     const std::vector<SettingDifference>& different) {
  if (different.empty() || different.size() > 2) return run.letter + " " + run.name;
  std::string label = run.letter;
  for (const SettingDifference& each : different) {
    const std::size_t dot = each.key.rfind('.');
    label +=
        ", " + (dot == std::string::npos ? each.key : each.key.substr(dot + 1)) + " " + each.values[number];
  }
  return label;
}

}  // namespace tactus::report
