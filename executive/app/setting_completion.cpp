// SPDX-License-Identifier: Apache-2.0
#include "executive/app/setting_completion.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/place.hpp"
#include "executive/app/completion.hpp"
#include "executive/app/model_keys.hpp"
#include "executive/app/variable_completion.hpp"
#include "executive/run/run_setup.hpp"

namespace tactus::app {
namespace {

using config::Shape;
using Form = config::Shape::Form;
using SharedShape = std::shared_ptr<const Shape>;

/// Returns the reply behind "models.engine.parameters.": names of parameters and inputs, which the rig file can give
/// values, and names of their values. Makes the models of the rig, as `tactus check` does, which names its mistakes.
std::string parameters_of(const std::string& file, const std::string& model, const std::string& path,
                          const std::string& begin) try {
  std::string text = "words\n";
  const std::unique_ptr<executive::Rig> rig = executive::load_rig(file, {});
  for (const executive::ModelInstance& each : rig->models()) {
    if (each.name() != model) continue;
    for (const executive::Variable& of : each.variables())
      if (of.role == TACTUS_PARAMETER || of.role == TACTUS_INPUT)
        text += variable_rows(of, path + of.name.substr(model.size() + 1) + "=", begin);
  }
  return text;
} catch (const std::exception&) {
  return "nothing\n";
}

/// A place in the keys of a rig file, to which the words of a path lead.
class Place {
 public:
  Place(const std::string& file) : file_(file) {
    shape_ = std::make_shared<const Shape>(
        Shape{.form = Form::section, .type = "map", .section = executive::rig_fields().shared_section()});
    if (file.empty()) return;
    try {
      document_ = config::Document::from_file(file);
      node_ = &document_->root();
    } catch (const config::ConfigError&) {  // `tactus check` says what is wrong
    }
  }

  /// Goes one word further. Returns false where there is no such place.
  bool enter(const std::string& word) {
    if (shape_->form == Form::section) {
      const auto& keys = shape_->section->keys;
      const auto found = std::ranges::find(keys, word, &config::KeyShape::key);
      if (found == keys.end()) return false;
      shape_ = found->shape;
    } else if (shape_->form == Form::map_of) {
      shape_ = shape_->item;
      if (path_ == "models") enter_model(word);
    } else {
      return false;
    }
    path_ += (path_.empty() ? "" : ".") + word;
    if (node_ != nullptr) node_ = node_->find(word);
    return true;
  }

  /// The words that can follow a path which ends in a '.', or is empty.
  std::vector<config::Word> next() const {
    std::vector<config::Word> words;
    if (shape_->form == Form::section) {
      for (const config::KeyShape& key : shape_->section->keys)
        words.push_back({key.key + end_of(*key.shape), key.meaning});
    } else if (shape_->form == Form::map_of) {
      const auto add = [&](const std::string& name, const std::string& about) {
        const std::string word = name + end_of_entry();
        if (std::ranges::none_of(words, [&](const auto& each) { return each.word == word; }))
          words.push_back({word, about});
      };
      if (const executive::NamesOfKey* const names = names_at(inside()))
        for (const config::Word& each : names->names) add(each.word, each.meaning);
      if (node_ != nullptr)
        for (const config::Node::Entry& entry : node_->entries()) add(entry.key, "");
    }
    return words;
  }

  /// The values that can stand behind the '=', of which `begin` is there.
  std::vector<config::Word> values(const std::string& begin) const {
    std::vector<config::Word> words;
    add_values(*shape_, inside(), words);
    if (shape_->form == Form::section)  // a short form
      for (const config::KeyShape& key : shape_->section->keys)
        if (std::ranges::find(shape_->others, key.shape) != shape_->others.end())
          add_values(*key.shape, inside() + "." + key.key, words);
    if (shape_->form != Form::list) return words;
    std::vector<config::Word> items;
    add_values(*shape_->item, inside(), items);
    const std::size_t last = begin.find_last_of(",[");
    std::size_t rest = last == std::string::npos ? 0 : last + 1;
    while (rest < begin.size() && begin[rest] == ' ') ++rest;
    const std::string before = begin.substr(0, rest);
    for (const config::Word& each : items)
      words.push_back({(before.empty() ? "[" : before) + each.word + "]", each.meaning});
    return words;
  }

  /// Returns true if a '.' can follow, and a word behind it.
  bool goes_on() const { return shape_->form == Form::section || shape_->form == Form::map_of; }
  bool names_things() const { return shape_->form == Form::map_of && file_.empty(); }

 private:
  /// Knows the keys of its driver, too, behind the name of a model.
  void enter_model(const std::string& model) {
    if (!document_) return;
    keys_ = std::make_unique<ModelKeys>(*document_, model);
    of_model_ = keys_->find(model);
    if (of_model_ == nullptr) return;
    in_model_ = path_.size() + model.size() + 2;
    shape_ = std::make_shared<const Shape>(
        Shape{.form = Form::section, .type = "map", .section = of_model_->section});
  }

  /// The path in the model's section.
  std::string inside() const {
    return of_model_ == nullptr || path_.size() < in_model_ ? "" : path_.substr(in_model_);
  }
  const executive::NamesOfKey* names_at(const std::string& path) const {
    if (of_model_ == nullptr) return nullptr;
    const auto found = of_model_->names.find(path);
    return found == of_model_->names.end() ? nullptr : &found->second;
  }

  void add_values(const Shape& shape, const std::string& path, std::vector<config::Word>& words) const {
    if (shape.form != Form::scalar) return;
    words.insert(words.end(), shape.words.begin(), shape.words.end());
    if (shape.boolean) words.insert(words.end(), {{"yes", ""}, {"no", ""}});
    if (const executive::NamesOfKey* const names = names_at(path))
      words.insert(words.end(), names->names.begin(), names->names.end());
  }

  static const char* end_of(const Shape& shape) {
    return shape.form == Form::section || shape.form == Form::map_of ? "." : "=";
  }
  /// One that has a single key is written by its short form.
  const char* end_of_entry() const {
    const Shape& item = *shape_->item;
    const bool is_short =
        item.form == Form::section && item.section->keys.size() == 1 && !item.others.empty();
    return is_short ? "=" : item.form == Form::section ? "." : "=";
  }

  const std::string& file_;
  std::optional<config::Document> document_;
  const config::Node* node_ = nullptr;  // what the file has there; nullptr: nothing
  SharedShape shape_;
  std::string path_;
  std::unique_ptr<ModelKeys> keys_;
  const ModelKeys::Of* of_model_ = nullptr;
  std::size_t in_model_ = 0;  // where the path goes on behind the name of the model
};

}  // namespace

std::string complete_setting(const std::string& begin, const std::string& file) {
  constexpr std::string_view kModels = "models.", kParameters = ".parameters.";
  if (const std::size_t after = begin.find(kParameters); !file.empty() && begin.starts_with(kModels) &&
                                                         after != std::string::npos &&
                                                         begin.find('.', kModels.size()) == after)
    return parameters_of(file, begin.substr(kModels.size(), after - kModels.size()),
                         begin.substr(0, after + kParameters.size()), begin);
  const std::size_t equals = begin.find('=');
  const std::string keys = begin.substr(0, equals);
  Place place(file);
  std::size_t at = 0;
  for (std::size_t dot; (dot = keys.find('.', at)) != std::string::npos; at = dot + 1)
    if (!place.enter(keys.substr(at, dot - at))) return "nothing\n";
  std::string text = "words\n";
  if (equals != std::string::npos) {
    if (!place.enter(keys.substr(at))) return "nothing\n";
    for (const config::Word& each : place.values(begin.substr(equals + 1)))
      text += completion_row(begin, keys + "=" + each.word, each.meaning);
    return text;
  }
  if (place.names_things() || !place.goes_on()) return "nothing\n";
  for (const config::Word& each : place.next())
    text += completion_row(begin, keys.substr(0, at) + each.word, each.meaning);
  return text;
}

}  // namespace tactus::app
