// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Form that a JSON value must have: checks bodies, and describes them in the OpenAPI document.
///
/// Threads  plain values.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"

namespace tactus::drivers::live_http {

struct Property;

struct Schema {
  enum class Kind {
    any,
    boolean,
    integer,
    number,
    text,
    list,    ///< each element is an inside[0]
    map,     ///< map from names to inside[0]
    object,  ///< object with `properties` and no others
    either,  ///< one of inside
  };
  Kind kind = Kind::any;
  std::string about{};
  /// Description as it stands inside of a sentence: "names of variables".
  std::string phrase() const;
  std::vector<std::string> words{};   ///< texts that are allowed: nothing else
  std::optional<std::int64_t> low{};  ///< least integer
  std::size_t most = 0;               ///< entries of a list or map; 0: any number
  bool nullable = false;
  std::vector<Schema> inside{};
  std::vector<Property> properties;
};

struct Property {
  std::string key;
  bool required = true;
  Schema schema;
};

namespace schema {

Schema any(std::string about);
Schema boolean(std::string about);
Schema integer(std::string about);
Schema integer_from(std::int64_t low, std::string about);
Schema number(std::string about);
Schema text(std::string about);
Schema word(std::string about, std::vector<std::string> words);
Schema list(std::string about, Schema item, std::size_t most = 0);
Schema map(std::string about, Schema item, std::size_t most = 0);
Schema object(std::string about, std::vector<Property> properties);
/// A list of objects.
Schema objects(std::string about, std::vector<Property> properties, std::size_t most = 0);
Schema either(std::string about, std::vector<Schema> alternatives);
Schema or_null(Schema schema);
Property must(std::string key, Schema schema);
Property may(std::string key, Schema schema);

}  // namespace schema

/// Adds what is wrong with `json`, which is at `path` ("in[2].entity"; empty: the whole body). At most
/// `kMostProblems` are listed.
void check(const Schema& schema, const config::Json& json, const std::string& path,
           std::vector<std::string>& problems);
inline constexpr std::size_t kMostProblems = 100;
inline constexpr const char* kAndMore = "and more";  ///< the last entry of a list that was cut

/// Lists a problem, or that there are more than are listed.
void note(std::vector<std::string>& problems, std::string problem);
/// Nothing more is listed: it is not worth looking for.
bool is_full(const std::vector<std::string>& problems);

/// Describes the schema as an OpenAPI 3.0 Schema Object.
config::Json to_openapi(const Schema& schema);

}  // namespace tactus::drivers::live_http
