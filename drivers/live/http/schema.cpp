// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/schema.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "config/text.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::drivers::live_http {

using Kind = Schema::Kind;

std::string Schema::phrase() const {
  std::string phrase = about;
  if (phrase.size() > 1 && phrase[1] >= 'a' && phrase[1] <= 'z' && phrase[0] >= 'A' && phrase[0] <= 'Z')
    phrase[0] = static_cast<char>(phrase[0] - 'A' + 'a');
  return phrase;
}

namespace schema {
namespace {

Schema of(Kind kind, std::string about) {
  Schema made;
  made.kind = kind;
  made.about = std::move(about);
  return made;
}

}  // namespace

Schema any(std::string about) { return of(Kind::any, std::move(about)); }
Schema boolean(std::string about) { return of(Kind::boolean, std::move(about)); }
Schema integer(std::string about) { return of(Kind::integer, std::move(about)); }
Schema integer_from(std::int64_t low, std::string about) {
  Schema made = integer(std::move(about));
  made.low = low;
  return made;
}
Schema number(std::string about) { return of(Kind::number, std::move(about)); }
Schema text(std::string about) { return of(Kind::text, std::move(about)); }
Schema word(std::string about, std::vector<std::string> words) {
  Schema made = text(std::move(about));
  made.words = std::move(words);
  return made;
}
Schema list(std::string about, Schema item, std::size_t most) {
  Schema made = of(Kind::list, std::move(about));
  made.most = most;
  made.inside.push_back(std::move(item));
  return made;
}
Schema map(std::string about, Schema item, std::size_t most) {
  Schema made = list(std::move(about), std::move(item), most);
  made.kind = Kind::map;
  return made;
}
Schema object(std::string about, std::vector<Property> properties) {
  Schema made = of(Kind::object, std::move(about));
  made.properties = std::move(properties);
  return made;
}
Schema objects(std::string about, std::vector<Property> properties, std::size_t most) {
  return list(std::move(about), object("", std::move(properties)), most);
}
Schema either(std::string about, std::vector<Schema> alternatives) {
  Schema made = of(Kind::either, std::move(about));
  made.inside = std::move(alternatives);
  return made;
}
Schema or_null(Schema schema) {
  schema.nullable = true;
  return schema;
}
Property must(std::string key, Schema schema) { return {std::move(key), true, std::move(schema)}; }
Property may(std::string key, Schema schema) { return {std::move(key), false, std::move(schema)}; }

}  // namespace schema

namespace {

/// A row for each Kind, in its order: its name in messages, its type in OpenAPI, and which JSON values fit.
struct KindRow {
  const char* name;
  const char* type;            ///< nullptr: it has none
  bool (Json::*fits)() const;  ///< nullptr: every value is
};
constexpr KindRow kKinds[] = {
    {"a value", nullptr, nullptr},
    {"true or false", "boolean", &Json::is_boolean},
    {"a whole number", "integer", &Json::is_number},
    {"a number", "number", &Json::is_number},
    {"text", "string", &Json::is_string},
    {"a list", "array", &Json::is_array},
    {"an object", "object", &Json::is_object},
    {"an object", "object", &Json::is_object},
    {"a value", nullptr, nullptr},
};
const KindRow& row_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string kind_of(const Json& json) {
  if (json.is_null()) return "null";
  if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
  if (json.is_number_integer()) return "a whole number";
  if (json.is_number()) return "a number";
  if (json.is_string()) return "text";
  return json.is_array() ? "a list" : "an object";
}

/// Returns true for a number that JSON's reader makes a floating point number because no integer holds it.
bool is_beyond_64_bits(const Json& json) {
  constexpr double k2To63 = 9223372036854775808.0;
  return json.is_number_float() && std::abs(json.get<double>()) >= k2To63;
}

bool is_a(Kind kind, const Json& json) {
  const KindRow& row = row_of(kind);
  if (row.fits != nullptr && !(json.*row.fits)()) return false;
  return kind != Kind::integer || std::trunc(json.get<double>()) == json.get<double>();  // 5.0 is one
}

std::string below(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

class Checker {
 public:
  explicit Checker(std::vector<std::string>& problems) : problems_(problems) {}

  void check(const Schema& schema, const Json& json, const std::string& path) {
    if (schema.nullable && json.is_null()) return;
    if (schema.kind == Kind::either) return either(schema, json, path);
    if (schema.kind == Kind::integer && is_beyond_64_bits(json))
      return add(path, "is beyond 64 bits; a whole number is expected");
    if (!is_a(schema.kind, json))
      return add(path, "is " + kind_of(json) + "; " + row_of(schema.kind).name + " is expected");
    switch (schema.kind) {
      case Kind::integer:
        if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
          return add(path, "is above " + std::to_string(INT64_MAX));
        if (schema.low && json.get<std::int64_t>() < *schema.low)
          add(path, std::to_string(json.get<std::int64_t>()) + " is below " + std::to_string(*schema.low));
        break;
      case Kind::text:
        word(schema, json.get_ref<const std::string&>(), path);
        break;
      case Kind::list:
        if (too_many(schema, json, path)) return;
        for (std::size_t i = 0; i < json.size(); ++i)
          check(schema.inside.front(), json[i], path + "[" + std::to_string(i) + "]");
        break;
      case Kind::map:
        if (too_many(schema, json, path)) return;
        for (const auto& [key, value] : json.items()) check(schema.inside.front(), value, below(path, key));
        break;
      case Kind::object:
        object(schema, json, path);
        break;
      default:
        break;
    }
  }

 private:
  void add(const std::string& path, const std::string& what) {
    if (is_full(problems_)) return;
    note(problems_,
         (path.empty() ? "the body" : config::one_line(path)) + (what.starts_with(':') ? "" : " ") + what);
  }
  bool too_many(const Schema& schema, const Json& json, const std::string& path) {
    if (schema.most == 0 || json.size() <= schema.most) return false;
    add(path, "has " + std::to_string(json.size()) + " entries; at most " + std::to_string(schema.most) +
                  " are taken at once");
    return true;
  }
  void word(const Schema& schema, const std::string& text, const std::string& path) {
    if (schema.words.empty() || std::ranges::find(schema.words, text) != schema.words.end()) return;
    add(path, "is " + config::show(text) +
                  executive::did_you_mean(text, schema.words, [](const auto& w) { return w; }));
  }
  void object(const Schema& schema, const Json& json, const std::string& path) {
    for (const auto& [key, value] : json.items()) {
      const auto known = std::ranges::find_if(schema.properties,
                                              [&, &name = key](const Property& p) { return p.key == name; });
      if (known != schema.properties.end()) {
        check(known->schema, value, below(path, key));
      } else {
        add(below(path, key), ": unknown key" + executive::did_you_mean(key, schema.properties,
                                                                        [](const auto& p) { return p.key; }));
      }
    }
    for (const Property& property : schema.properties)
      if (property.required && !json.contains(property.key))
        add(path, "lacks " + config::show(property.key) +
                      (property.schema.about.empty() ? "" : ": " + property.schema.phrase()));
  }
  void either(const Schema& schema, const Json& json, const std::string& path) {
    std::string expected;
    for (const Schema& alternative : schema.inside) {
      const bool one_word =
          json.is_string() && alternative.words.size() == 1 && json != alternative.words.front();
      if (is_a(alternative.kind, json) && !one_word) return check(alternative, json, path);
      expected += (expected.empty() ? "" : ", or ") + (alternative.words.size() == 1
                                                           ? config::show(alternative.words.front())
                                                           : row_of(alternative.kind).name);
    }
    add(path, "is " + (json.is_string() ? config::show(json.get_ref<const std::string&>()) : kind_of(json)) +
                  "; " + expected + " is expected");
  }

  std::vector<std::string>& problems_;
};

}  // namespace

void note(std::vector<std::string>& problems, std::string problem) {
  if (is_full(problems)) return;
  problems.push_back(problems.size() == kMostProblems ? kAndMore : std::move(problem));
}

bool is_full(const std::vector<std::string>& problems) { return problems.size() > kMostProblems; }

void check(const Schema& schema, const Json& json, const std::string& path,
           std::vector<std::string>& problems) {
  Checker(problems).check(schema, json, path);
}

Json to_openapi(const Schema& schema) {
  Json made = Json::object();
  if (const char* const type = row_of(schema.kind).type) made["type"] = type;
  switch (schema.kind) {
    case Kind::integer:
      made["format"] = "int64";
      if (schema.low) made["minimum"] = *schema.low;
      break;
    case Kind::text:
      if (!schema.words.empty()) made["enum"] = schema.words;
      break;
    case Kind::list:
    case Kind::map:
      made[schema.kind == Kind::list ? "items" : "additionalProperties"] = to_openapi(schema.inside.front());
      if (schema.most > 0) made[schema.kind == Kind::list ? "maxItems" : "maxProperties"] = schema.most;
      break;
    case Kind::object: {
      made["additionalProperties"] = false;
      Json required = Json::array();
      made["properties"] = Json::object();
      for (const Property& property : schema.properties) {
        made["properties"][property.key] = to_openapi(property.schema);
        if (property.required) required.push_back(property.key);
      }
      if (!required.empty()) made["required"] = std::move(required);
      break;
    }
    case Kind::either:
      made["oneOf"] = Json::array();
      for (const Schema& alternative : schema.inside) made["oneOf"].push_back(to_openapi(alternative));
      break;
    default:
      break;
  }
  if (!schema.about.empty()) made["description"] = schema.about;
  if (schema.nullable) made["nullable"] = true;
  return made;
}

}  // namespace tactus::drivers::live_http
