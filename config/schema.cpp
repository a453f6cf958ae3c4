// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of a table. An editor that has it completes keys and underlines mistakes while one types;
// what it cannot say (limits of values with units, checks across keys) the loader says.
#include <map>
#include <string>

#include "config/json.hpp"
#include "config/shape.hpp"

namespace tactus::config {
namespace {

class Writer {
 public:
  Json section(const Section& section) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const KeyShape& key : section.keys) {
      Json value = of(*key.shape, key.key);
      std::string description = key.meaning;
      const std::string limits = key.shape->form == Shape::Form::scalar ? key.shape->allowed : "";
      if (!limits.empty()) description += (description.empty() ? "" : ". ") + ("Allowed: " + limits);
      if (!description.empty()) value["description"] = description;
      if (key.required) required.push_back(key.key);
      properties[key.key] = std::move(value);
    }
    Json result = {{"type", "object"}};
    if (!section.about.empty()) result["description"] = section.about;
    result["properties"] = std::move(properties);
    if (!required.empty()) result["required"] = std::move(required);
    result["additionalProperties"] = !section.rest.empty() && section.rest_shape
                                         ? of(*section.rest_shape, "rest")
                                         : Json(!section.rest.empty());
    return result;
  }

  const Json& definitions() const { return definitions_; }

 private:
  Json of(const Shape& shape, const std::string& name) {
    if (shape.also == nullptr) return ways_of(shape, name);
    Json all = Json::array({ways_of(shape, name)});
    all.push_back(of(*shape.also, name));
    return {{"allOf", std::move(all)}};
  }

  Json ways_of(const Shape& shape, const std::string& name) {
    Json main = main_way(shape, name);
    if (shape.others.empty()) return main;
    Json ways = Json::array({std::move(main)});
    for (const auto& other : shape.others) ways.push_back(of(*other, name));
    return {{"anyOf", std::move(ways)}};
  }

  Json main_way(const Shape& shape, const std::string& name) {
    switch (shape.form) {
      case Shape::Form::anything:
        return Json::object();
      case Shape::Form::section:
        return {{"$ref", "#/$defs/" + define(*shape.section, name)}};
      case Shape::Form::list: {
        Json result = {{"type", "array"}, {"items", of(*shape.item, name)}};
        if (shape.at_least > 0) result["minItems"] = shape.at_least;
        return result;
      }
      case Shape::Form::map_of: {
        Json result = {{"type", "object"}, {"additionalProperties", of(*shape.item, name)}};
        if (shape.item->form == Shape::Form::section)
          result["propertyNames"] = {{"pattern", "^[A-Za-z0-9_-]{1,64}$"}};
        if (!shape.key_pattern.empty()) result["propertyNames"] = {{"pattern", shape.key_pattern}};
        if (shape.at_least > 0) result["minProperties"] = shape.at_least;
        return result;
      }
      case Shape::Form::scalar:
        break;
    }
    return scalar(shape);
  }

  /// One definition per table, however many keys use it.
  std::string define(const Section& section, const std::string& name) {
    const auto known = names_.find(&section);
    if (known != names_.end()) return known->second;
    std::string unique = name;
    for (int& next = next_.try_emplace(name, 2).first->second; definitions_.contains(unique); ++next)
      unique = name + "_" + std::to_string(next);
    names_[&section] = unique;
    definitions_[unique] = Json::object();  // keeps its place and name while its inside is written
    definitions_[unique] = this->section(section);
    return unique;
  }

  static Json scalar(const Shape& shape) {
    Json ways = Json::array();
    if (shape.boolean) ways.push_back({{"type", "boolean"}});
    if (shape.integer || shape.number) {
      Json number = {{"type", shape.integer ? "integer" : "number"}};
      if (shape.minimum) limit(number, "minimum", *shape.minimum, shape.integer);
      if (shape.maximum) limit(number, "maximum", *shape.maximum, shape.integer);
      ways.push_back(std::move(number));
    }
    if (shape.text) {
      // Unquoted 5 and yes are text to us, but a number and a bool to JSON.
      Json text = {{"type", {"string", "number", "boolean"}}};
      if (shape.min_length && *shape.min_length > 0) text["minLength"] = *shape.min_length;
      if (shape.max_length) text["maxLength"] = *shape.max_length;
      if (!shape.pattern.empty()) text["pattern"] = shape.pattern;
      ways.push_back(std::move(text));
    } else if (!shape.pattern.empty()) {
      ways.push_back({{"type", "string"}, {"pattern", shape.pattern}});
    }
    if (!shape.words.empty()) {
      Json words = Json::array();
      for (const Word& word : shape.words) words.push_back(word.word);
      ways.push_back({{"enum", std::move(words)}});
    }
    if (shape.single) {
      Json items = {{"type", "array"}, {"items", {{"anyOf", ways}}}};
      ways.push_back(std::move(items));
    }
    if (ways.size() == 1) return ways.front();
    return {{"anyOf", std::move(ways)}};
  }

  static void limit(Json& number, const char* key, double value, bool integer) {
    number[key] = integer ? Json(static_cast<std::int64_t>(value)) : Json(value);
  }

  Json definitions_ = Json::object();
  std::map<const Section*, std::string> names_;
  std::map<std::string, int> next_;  // number of the next definition of a name
};

}  // namespace

std::string json_schema_text(const Section& section, const std::string& title) {
  Writer writer;
  Json result = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  result.update(writer.section(section));
  result["patternProperties"] = {{"^x-", Json::object()}};  // shared_parts.hpp
  if (!writer.definitions().empty()) result["$defs"] = writer.definitions();
  return result.dump(2) + "\n";
}

}  // namespace tactus::config
