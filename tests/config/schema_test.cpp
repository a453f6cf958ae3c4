// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "config/json.hpp"
#include "config/pattern.hpp"
#include "sample.hpp"

namespace tactus::config::sample::schema_test {
namespace {

using Json = nlohmann::json;

/// The part of JSON Schema that our schemas use: enough to compare them with the loader without a library.
class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  bool accepts(const Json& schema, const Json& value) const {
    if (schema.contains("$ref")) {
      const Json::json_pointer target{schema["$ref"].get<std::string>().substr(1)};
      if (!accepts(root_.at(target), value)) return false;
    }
    if (schema.contains("anyOf")) {
      bool any = false;
      for (const Json& way : schema["anyOf"]) any = any || accepts(way, value);
      if (!any) return false;
    }
    if (schema.contains("allOf"))
      for (const Json& each : schema["allOf"])
        if (!accepts(each, value)) return false;
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      return false;
    if (schema.contains("type") && !has_type(schema["type"], value)) return false;
    if (value.is_number()) {
      if (schema.contains("minimum") && value < schema["minimum"]) return false;
      if (schema.contains("maximum") && value > schema["maximum"]) return false;
    }
    if (value.is_string()) {
      const auto text = value.get<std::string>();
      if (schema.contains("minLength") && text.size() < schema["minLength"]) return false;
      if (schema.contains("maxLength") && text.size() > schema["maxLength"]) return false;
      if (schema.contains("pattern") && !Pattern{schema["pattern"].get<std::string>()}.matches(text))
        return false;
    }
    if (value.is_array()) {
      if (schema.contains("minItems") && value.size() < schema["minItems"]) return false;
      if (schema.contains("items"))
        for (const Json& item : value)
          if (!accepts(schema["items"], item)) return false;
    }
    return !value.is_object() || accepts_object(schema, value);
  }

 private:
  static bool has_type(const Json& type, const Json& value) {
    if (type.is_array()) {
      bool any = false;
      for (const Json& one : type) any = any || has_type(one, value);
      return any;
    }
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "integer" && value.is_number_integer()) || (type == "number" && value.is_number());
  }

  bool accepts_object(const Json& schema, const Json& value) const {
    if (schema.contains("minProperties") && value.size() < schema["minProperties"]) return false;
    if (schema.contains("required"))
      for (const Json& key : schema["required"])
        if (!value.contains(key)) return false;
    for (const auto& [key, inner] : value.items()) {
      if (schema.contains("propertyNames") && !accepts(schema["propertyNames"], key)) return false;
      if (schema.contains("properties") && schema["properties"].contains(key)) {
        if (!accepts(schema["properties"][key], inner)) return false;
      } else if (schema.contains("additionalProperties")) {
        const Json& others = schema["additionalProperties"];
        if (others.is_boolean() ? !others.get<bool>() : !accepts(others, inner)) return false;
      }
    }
    return true;
  }

  const Json& root_;
};

/// A node as an editor's YAML reader would hand it to a schema.
Json to_json(const Node& node) {
  switch (node.kind()) {
    case Kind::null:
      return nullptr;
    case Kind::list: {
      Json result = Json::array();
      for (const Node& item : node.items()) result.push_back(to_json(item));
      return result;
    }
    case Kind::map: {
      Json result = Json::object();
      for (const Node::Entry& entry : node.entries()) result[entry.key] = to_json(entry.value);
      return result;
    }
    case Kind::scalar:
      break;
  }
  if (node.quoted()) return node.text();
  if (node.text() == "true" || node.text() == "false") return node.text() == "true";
  if (const auto integer = parse_integer(node.text())) return *integer.value;
  if (const auto real = parse_real(node.text())) return *real.value;
  return node.text();
}

TEST(JsonSchema, IsJsonAndDescribesEveryKey) {
  const Json schema = Json::parse(rig_fields().json_schema("The rig file"));
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["title"], "The rig file");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], (Json{"period", "models"}));
  EXPECT_EQ(schema["properties"]["period"]["description"], "of a frame. Allowed: 10 us .. 10 s");
  EXPECT_EQ(schema["properties"]["on_overrun"]["enum"], (Json{"skip", "catch_up", "stop"}));
  EXPECT_EQ(schema["properties"]["sleeper"]["$ref"], "#/$defs/sleeper");
  EXPECT_EQ(schema["$defs"]["threads"]["properties"]["sleeper"]["$ref"], "#/$defs/sleeper") << "written once";
}

TEST(JsonSchema, AcceptsAndRefusesWhatTheLoaderDoes) {
  const Json schema = Json::parse(rig_fields().json_schema("The rig file"));
  const Validator validator{schema};
  const char* const rows[] = {
      "",
      "realtime: yes",
      "realtime: true",
      "realtime: 1",
      "on_overrun: skip",
      "on_overrun: skipp",
      "margin: measured",
      "margin: 5 us",
      "margin: 5",
      "margin: guessed",
      "max_catch_up: 5",
      "max_catch_up: 5 frames",
      "max_catch_up: 1 frame",
      "max_catch_up: 5 jobs",
      "max_catch_up: 0",
      "max_catch_up: '5'",
      "max_overrun: for ever",
      "max_overrun: 1.5e3 µs",
      "max_overrun: 1 ms 2",
      "max_overrun: 1/3 ms",
      "max_overrun: ''",
      "max_overrun:",
      "max_overrun: [1 ms]",
      "period: 1/3 ms",
      "period: 60 Hz",
      "period: 60",
      "watchdog: off",
      "log_size: 64 KiB",
      "log_size: 65536",
      "log_size: 64 kb",
      "level: 255",
      "level: 256",
      "level: 5.5",
      "level: five",
      "level: '5'",
      "speed: 2",
      "speed: 2x",
      "speed: 50 %",
      "speed: fast",
      "load: 80 %",
      "load: 0.8",
      "gain: 0.5",
      "gain: '0.5'",
      "gain: 11",
      "gain: much",
      "supply: 48 V",
      "supply: 48",
      "title: 5",
      "title: yes",
      "title: [a]",
      "label: a1",
      "label: A1",
      "variables: [a, b]",
      "variables: a",
      "notes: {a: b}",
      "notes: [a]",
      "seed: 5",
      "seed: 5000",
      "sleeper: {}",
      "sleeper: {margin: 1 us}",
      "sleeper: {magrin: 1 us}",
      "sleeper: 5",
      "threads: {main: {priority: 5}}",
      "threads: {main: {priority: 5, cpus: 3}}",
      "threads: {main: {priority: 5, cpus: 0-3}}",
      "threads: {main: {priority: 5, cpus: [0, 2-3]}}",
      "threads: {main: {priority: 5, cpus: x}}",
      "threads: {main: {cpus: 3}}",
      "threads: {ma in: {priority: 5}}",
      "threads: [main]",
      "connect: [{from: a, to: b}]",
      "connect: [{from: a}]",
      "connect: {from: a, to: b}",
      "models: {}",
      "models: {m: {type: t, anything: [1, 2]}}",
      "models: {m: {anything: [1, 2]}}",
      "nonsense: 1",
  };
  for (const std::string row : rows) {
    std::string yaml = row + "\n";
    if (!row.starts_with("period")) yaml += "period: 1 ms\n";
    if (!row.starts_with("models")) yaml += "models: {m: {type: t}}\n";
    const Document document = Document::from_text("t", yaml);
    Problems problems;
    (void)rig_fields().load(document, problems);
    EXPECT_EQ(validator.accepts(schema, to_json(document.root())), problems.empty()) << row << "\n"
                                                                                     << problems.text();
  }
}

TEST(JsonSchema, AcceptsEachWayToWriteAValue) {
  const auto number = std::make_shared<const Shape>(Shape{.integer = true});
  const auto map = std::make_shared<const Shape>(
      Shape{.form = Shape::Form::map_of, .key_pattern = "^[0-9]+ in .*$", .item = number});
  const auto text = std::make_shared<const Shape>(Shape{.pattern = "^.* in .+:.*$"});
  const auto list =
      std::make_shared<const Shape>(Shape{.form = Shape::Form::list, .item = number, .others = {map, text}});
  const Json schema =
      Json::parse(json_schema_text({.about = "", .keys = {{.key = "steps", .shape = list}}}, "Steps"));
  const Validator validator{schema};
  const std::pair<const char*, bool> rows[] = {
      {"[1, 2]", true},           {"{ 3 in 1 s: 5 }", true}, {"3 in 1 s:5", true},    {"[a]", false},
      {"{ 3 in 1 s: a }", false}, {"{ three: 5 }", false},   {"3 within 1 s", false}, {"5", false},
  };
  for (const auto& [value, accepted] : rows) {
    const Document document = Document::from_text("t", std::string("steps: ") + value + "\n");
    EXPECT_EQ(validator.accepts(schema, to_json(document.root())), accepted) << value;
  }
}

TEST(JsonSchema, RefusesWhatFitsOneOfTwoShapesAlone) {
  const auto text = std::make_shared<const Shape>(Shape{.text = true});
  const auto known = std::make_shared<const Section>(Section{
      .about = "",
      .keys = {{.key = "door", .shape = std::make_shared<const Shape>(Shape{.words = {{"open", ""}}})}},
      .rest = "others",
      .rest_shape = std::make_shared<const Shape>(Shape{.words = {{"any", ""}}})});
  const auto map = std::make_shared<const Shape>(
      Shape{.form = Shape::Form::map_of,
            .item = text,
            .also = std::make_shared<const Shape>(Shape{.form = Shape::Form::section, .section = known})});
  const Json schema =
      Json::parse(json_schema_text({.about = "", .keys = {{.key = "lines", .shape = map}}}, "Lines"));
  const Validator validator{schema};
  const std::pair<const char*, bool> rows[] = {
      {"{ door: open }", true},  {"{ door: shut }", false},   {"{ gate: any }", true},
      {"{ gate: open }", false}, {"{ door: [open] }", false}, {"{}", true},
  };
  for (const auto& [value, accepted] : rows) {
    const Document document = Document::from_text("t", std::string("lines: ") + value + "\n");
    EXPECT_EQ(validator.accepts(schema, to_json(document.root())), accepted) << value;
  }
}

}  // namespace
}  // namespace tactus::config::sample::schema_test
