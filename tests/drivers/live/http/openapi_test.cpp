// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "drivers/live/http/routes.hpp"

namespace tactus::drivers::live_http::openapi_test {
namespace {

using config::Json;

const std::set<std::string> kMethods = {"get", "put", "post", "delete", "options", "head", "patch", "trace"};

/// The rules of OpenAPI 3.0.3 for what we write; the first thing that breaks one.
class Rules {
 public:
  explicit Rules(const Json& document) : document_(document) {}

  std::string broken() {
    only(document_, {"openapi", "info", "paths", "components", "security"}, "document");
    need(document_["openapi"].get<std::string>().starts_with("3.0."), "version");
    need(document_["info"].contains("title") && document_["info"].contains("version"), "info");
    for (const auto& [path, item] : document_["paths"].items()) check_path(path, item);
    for (const auto& [name, schema] : document_["components"]["schemas"].items()) check_schema(schema, name);
    for (const Json& need_one : document_["security"])
      for (const auto& [name, scopes] : need_one.items())
        need(document_["components"]["securitySchemes"].contains(name) && scopes.is_array(),
             "security " + name);
    return broken_;
  }

 private:
  void need(bool kept, const std::string& what) {
    if (!kept && broken_.empty()) broken_ = what;
  }
  void only(const Json& object, const std::set<std::string>& keys, const std::string& where) {
    need(object.is_object(), where + " is an object");
    for (const auto& [key, value] : object.items())
      need(keys.contains(key) || key.starts_with("x-"), where + " has a key '" + key + "'");
  }

  void check_path(const std::string& path, const Json& item) {
    need(path.starts_with("/"), path);
    for (const auto& [method, operation] : item.items()) {
      need(kMethods.contains(method), path + " " + method);
      check_operation(path + " " + method, path, operation);
    }
  }

  void check_operation(const std::string& where, const std::string& path, const Json& operation) {
    only(operation, {"operationId", "summary", "parameters", "requestBody", "responses"}, where);
    need(ids_.insert(operation["operationId"].get<std::string>()).second, where + ": operationId is unique");
    std::set<std::string> in_path, seen;
    for (const Json& parameter : operation.value("parameters", Json::array())) {
      only(parameter, {"name", "in", "required", "description", "schema"}, where);
      const std::string name = parameter["name"].get<std::string>();
      const std::string in = parameter["in"].get<std::string>();
      need(in == "path" || in == "query", where + " " + name);
      need(seen.insert(in + name).second, where + " " + name + " is unique");
      if (in == "path") in_path.insert(name);
      need(in != "path" || parameter["required"] == true, where + " " + name + " is required");
      check_schema(parameter["schema"], where + " " + name);
    }
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1))
      need(in_path.erase(path.substr(at + 1, path.find('}', at) - at - 1)) == 1,
           where + ": its path's names are parameters");
    need(in_path.empty(), where + ": parameters are in its path");
    if (operation.contains("requestBody")) {
      only(operation["requestBody"], {"required", "content"}, where);
      check_content(operation["requestBody"]["content"], where);
    }
    need(!operation["responses"].empty(), where + " has responses");
    for (const auto& [status, response] : operation["responses"].items()) {
      need(status.size() == 3 && status[0] >= '1' && status[0] <= '5', where + " " + status);
      only(response, {"description", "content"}, where + " " + status);
      need(response.contains("description") && response["description"] != "",
           where + " " + status + " is described");
      if (response.contains("content") || status != "304")
        check_content(response.value("content", Json::object()), where + " " + status);
    }
  }

  void check_content(const Json& content, const std::string& where) {
    need(content.is_object() && !content.empty(), where + " has content");
    for (const auto& [type, media] : content.items()) {
      need(type.find('/') != std::string::npos, where + " " + type);
      only(media, {"schema"}, where);
      check_schema(media["schema"], where);
    }
  }

  void check_schema(const Json& schema, const std::string& where) {
    if (schema.contains("$ref")) {
      const std::string ref = schema["$ref"].get<std::string>();
      need(ref.starts_with("#/") && document_.contains(Json::json_pointer(ref.substr(1))), where + " " + ref);
      need(schema.size() == 1, where + ": nothing beside $ref");
      return;
    }
    only(schema,
         {"type", "format", "description", "enum", "minimum", "items", "maxItems", "properties", "required",
          "additionalProperties", "maxProperties", "oneOf", "nullable"},
         where);
    const std::set<std::string> types = {"", "boolean", "integer", "number", "string", "array", "object"};
    const std::string type = schema.value("type", "");
    need(types.contains(type), where + " type " + type);
    need((type == "array") == schema.contains("items"), where + ": lists say of what");
    need(!schema.contains("nullable") || !type.empty(), where + ": nullable needs a type");
    if (schema.contains("items")) check_schema(schema["items"], where + "[]");
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, inner] : properties.items()) check_schema(inner, where + "." + key);
    for (const Json& key : schema.value("required", Json::array()))
      need(properties.contains(key.get<std::string>()), where + " requires " + key.dump());
    if (schema.contains("required")) need(!schema["required"].empty(), where + ": required is not empty");
    if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
      check_schema(schema["additionalProperties"], where + ".*");
    for (const Json& one : schema.value("oneOf", Json::array())) check_schema(one, where + "|");
  }

  const Json& document_;
  std::string broken_;
  std::set<std::string> ids_;
};

TEST(HttpOpenApi, KeepsTheRulesOfOpenApi3) {
  const Json document = openapi();
  EXPECT_EQ(Rules(document).broken(), "");
}

TEST(HttpOpenApi, TheRulesFindWhatBreaksThem) {
  const auto broken = [](const char* at, Json value) {
    Json document = openapi();
    document[Json::json_pointer(at)] = std::move(value);
    return Rules(document).broken();
  };
  EXPECT_NE(broken("/openapi", "3.1.0"), "");
  EXPECT_NE(broken("/paths/~1v1/get/operationId", "state"), "");
  EXPECT_NE(broken("/paths/~1v1~1variables~1{name}/get/parameters/0/name", "nam"), "");
  EXPECT_NE(broken("/paths/~1v1/get/responses/200/content/application~1json/schema/type", "objekt"), "");
  EXPECT_NE(broken("/paths/~1v1/get/responses/400/content/application~1json/schema/$ref",
                   "#/components/schemas/Eror"),
            "");
}

TEST(HttpOpenApi, WhatTheRigMayNotBeInTheStateForIsSaid) {
  const Json document = openapi();
  for (const char* const path : {"/v1/values", "/v1/commands", "/v1/episodes"})
    EXPECT_TRUE(document["paths"][path]["post"]["responses"].contains("409")) << path;
}

TEST(HttpOpenApi, HasEveryRowOfTheTableAndNoOther) {
  const Json document = openapi();
  std::size_t operations = 0;
  for (const auto& [path, item] : document["paths"].items()) operations += item.size();
  EXPECT_EQ(operations, routes().size());
  for (const Route& route : routes()) {
    const std::string method = route.method == "GET" ? "get" : route.method == "PUT" ? "put" : "post";
    ASSERT_TRUE(document["paths"].contains(route.path)) << route.path;
    ASSERT_TRUE(document["paths"][route.path].contains(method)) << route.path;
    const Json& operation = document["paths"][route.path][method];
    EXPECT_EQ(operation.value("parameters", Json::array()).size(), route.parameters.size());
    EXPECT_EQ(operation.contains("requestBody"), route.body.has_value());
    EXPECT_TRUE(route.handle) << route.path;
  }
}

}  // namespace
}  // namespace tactus::drivers::live_http::openapi_test
