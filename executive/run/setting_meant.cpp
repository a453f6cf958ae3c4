// SPDX-License-Identifier: Apache-2.0
#include "executive/run/setting_meant.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "config/text.hpp"
#include "executive/model/suggest.hpp"
#include "executive/run/run_setup.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {
namespace {

using Path = std::vector<std::string>;

void add_keys(const config::Section& section, const Path& above, std::vector<Path>& all) {
  for (const config::KeyShape& key : section.keys) {
    Path path = above;
    path.push_back(key.key);
    all.push_back(path);
    if (key.shape->form == config::Shape::Form::section) add_keys(*key.shape->section, path, all);
  }
}

void add_entries(const config::Node& node, const Path& above, std::vector<Path>& all) {
  constexpr std::size_t kMost = 20'000;  // of a typing error in a file of any size
  if (!node.is_map()) return;
  for (const config::Node::Entry& entry : node.entries()) {
    if (all.size() >= kMost || entry.key.find('.') != std::string::npos) continue;
    Path path = above;
    path.push_back(entry.key);
    all.push_back(path);
    add_entries(entry.value, path, all);
  }
}

void add_variables(const std::string& file, std::vector<Path>& all) try {
  const std::unique_ptr<Rig> rig = load_rig(file, {});
  for (const ModelInstance& model : rig->models())
    for (const Variable& variable : model.variables())
      if (variable.role == TACTUS_PARAMETER || variable.role == TACTUS_INPUT)
        all.push_back({"models", model.name(), "parameters", variable.name.substr(model.name().size() + 1)});
} catch (const std::exception&) {  // what is wrong with the file is a complaint of its own
}

/// The letters by which the words before the last one of `written` differ from steps of `path` in that order. Nothing: they
/// are not nearly there.
std::optional<std::size_t> edits_to(const Path& path, const Path& written) {
  std::size_t sum = 0;
  auto at = path.begin();
  const auto last = path.end() - 1;
  for (auto word = written.begin(); word != written.end() - 1; ++word, ++at) {
    at = std::find_if(at, last,
                      [&](const std::string& step) { return !config::nearest(*word, {step}).empty(); });
    if (at == last) return std::nullopt;
    sum += config::edits(*word, *at);
  }
  return sum;
}

/// The fewest letters, then the shortest path.
using Rank = std::pair<std::size_t, std::size_t>;

}  // namespace

std::string setting_meant(std::string_view path, const config::Document& document, const std::string& file) {
  const std::vector<std::string_view> steps = rtsync::parts_of(path, '.');
  const Path written(steps.begin(), steps.end());
  const config::Section& section = rig_fields().section();
  const Path keys = names_of(section.keys, &config::KeyShape::key);
  if (!config::nearest(written.front(), keys).empty() || written.front().starts_with("x-")) return "";
  std::vector<Path> all;
  add_keys(section, {}, all);
  add_entries(document.root(), {}, all);
  add_variables(file, all);
  std::erase_if(all, [&](const Path& each) { return !edits_to(each, written); });
  const Path last = names_of(all, [](const Path& each) { return each.back(); });
  const std::string meant = config::nearest(written.back(), last);
  std::map<Rank, Path> best;  // those of two that are equally near leave room for no guess
  for (const Path& each : all)
    if (!meant.empty() && each.back() == meant)
      if (const auto [at, first] = best.try_emplace({*edits_to(each, written), each.size()}, each);
          !first && at->second != each)
        at->second.clear();
  return best.empty() ? "" : rtsync::joined(best.begin()->second, ".");
}

}  // namespace tactus::executive
