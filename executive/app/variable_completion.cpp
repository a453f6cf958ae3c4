// SPDX-License-Identifier: Apache-2.0
#include "executive/app/variable_completion.hpp"

#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "config/json_of.hpp"
#include "executive/app/completion.hpp"
#include "executive/client/http_stream.hpp"
#include "executive/client/port_address.hpp"
#include "executive/client/samples.hpp"
#include "executive/run/run_setup.hpp"

namespace tactus::app {
namespace {

constexpr std::size_t kMost = 2000;
constexpr const char* kNothing = "nothing\n";

/// Returns what the line says of where the rig is; empty: nothing.
std::string rig_in(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--rig") return words[i + 1];
    if (words[i].starts_with("--rig=")) return words[i].substr(6);
  }
  for (std::size_t i = 1; i < words.size(); ++i)  // behind the command
    if (!words[i].starts_with('-') && words[i].find('=') == std::string::npos &&
        client::looks_like_address(words[i]))
      return words[i];
  return "";
}

/// The variables that a rig file makes, or the file of a run's folder; nothing: there is none without mistakes.
std::optional<std::string> of_file(std::string file, const std::string& begin, bool changes) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) file = (std::filesystem::path(file) / "rig.yaml").string();
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  try {
    const std::unique_ptr<executive::Rig> rig = executive::load_rig(file, {});
    std::string text = "words\n";
    std::size_t shown = 0;
    for (const executive::ModelInstance& model : rig->models())
      for (const executive::Variable& each : model.variables()) {
        const std::string rows = variable_rows(each, each.name + (changes ? "=" : ""), begin);
        if (!rows.empty() && shown++ < kMost) text += rows;
      }
    return text;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The variables of a rig that runs. Throws client::NoRigError.
std::string of_running(const std::string& where, const std::string& begin, bool changes) {
  const client::FoundRig rig = client::find_rig(where, "");
  std::string text = "words\n";
  const std::size_t equals = changes ? begin.find('=') : std::string::npos;
  if (equals != std::string::npos) {
    const std::string name = begin.substr(0, equals);
    const config::Json facts =
        config::json_of(client::get(rig.address, "/v1/variables/" + client::url_encoded(name), rig.token));
    if (!facts.is_object() || !facts.contains("labels") || !facts["labels"].is_object()) return text;
    for (const auto& [label, value] : facts["labels"].items())
      text += completion_row(begin, name + "=" + label, value.dump());
    return text;
  }
  std::size_t left_out = 0;
  for (const client::VariableFacts& each : client::find_variables(rig, {begin + "*"}, kMost, left_out))
    text += completion_row("", each.name + (changes ? "=" : ""), each.unit);
  return text;
}

}  // namespace

std::string variable_rows(const executive::Variable& of, const std::string& word, const std::string& begin) {
  if (!word.ends_with('=') || !begin.starts_with(word)) return completion_row(begin, word, of.about);
  std::string rows;
  const auto add = [&](const std::string& value, const std::string& about) {
    rows += completion_row(begin, word + value, about);
  };
  if (of.type == TACTUS_BOOL)
    for (const char* const each : {"yes", "no"}) add(each, "");
  for (const executive::VariableLabel& label : of.labels) add(label.name, std::to_string(label.value));
  return rows;
}

std::string complete_variable(const std::vector<std::string>& words, const std::string& begin, bool changes) {
  if (client::looks_like_expression(begin.substr(0, begin.find('='))) ||
      begin.find('/') != std::string::npos || begin.find('*') != std::string::npos)
    return begin.find('/') == std::string::npos ? kNothing : "rigs\n";
  const std::string where = rig_in(words);
  try {
    return of_running(where, begin, changes);
  } catch (const std::exception&) {  // none runs, or it has no such variable
  }
  if (!where.empty())
    if (std::optional<std::string> made = of_file(where, begin, changes)) return *std::move(made);
  return where.empty() ? "rigs\n" : kNothing;
}

}  // namespace tactus::app
