// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Table of all requests: they are dispatched and checked by it, and the OpenAPI document is made of it. Each
/// resource has a file with its rows, their form, and their handlers.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "drivers/live/http/request.hpp"
#include "drivers/live/http/schema.hpp"

namespace tactus::drivers::live_http {

class Api;

inline constexpr std::size_t kMostItems =
    4096;  ///< names of a group, changes of a batch, items of an episode

/// A request that was found in the table and checked against it.
struct Call {
  Pairs values{};  ///< values of the path and the query
  Json body{};
  std::string who{};
  std::optional<std::string> if_match{};  ///< headers
  std::optional<std::string> if_none_match{};

  const std::string* value(const std::string& name) const;
  /// A value that is a whole number; `otherwise`: it is not there.
  std::int64_t number(const std::string& name, std::int64_t otherwise) const;
};

/// Reply when the rig has not answered in time.
struct ReplyTimeout {
  std::chrono::nanoseconds after{0};
  std::function<Reply()> reply{};
};

struct Parameter {
  std::string name;
  bool in_path = false;
  bool required = false;
  Schema schema;
};

/// Nothing: the reply has come, or takes as long as it takes.
using Waits = std::optional<ReplyTimeout>;
using Handle = Waits (*)(Api&, const Call&, const Respond&);

struct Route {
  std::string method;
  std::string path;  ///< "/v1/variables/{name}"
  std::string id;    ///< identifier of the operation
  std::string about;
  std::vector<Parameter> parameters{};
  std::optional<Schema> body{};
  Schema answer{};
  bool stream = false;      ///< `answer` is then the data of its events `values`
  bool bytes = false;       ///< `answer` is no JSON, or not always
  std::vector<int> more{};  ///< statuses besides 200 and those that every route may have
  Handle handle = nullptr;
  std::string example{};  ///< example of a body
};

/// A row of the table.
Route get(std::string path, std::string id, std::string about, Schema answer, Handle handle,
          std::vector<Parameter> parameters = {}, std::vector<int> more = {});
Route post(std::string path, std::string id, std::string about, Schema body, std::string example,
           Schema answer, Handle handle, std::vector<int> more);

const std::vector<Route>& routes();
/// The table as an OpenAPI 3.0 document.
Json openapi();

// The rows of each resource.
std::vector<Route> rig_routes();
std::vector<Route> variable_routes();
std::vector<Route> value_routes();
std::vector<Route> expression_routes();
std::vector<Route> command_routes();
std::vector<Route> episode_routes();
std::vector<Route> list_routes();
std::vector<Route> frame_routes();
std::vector<Route> report_routes();
std::vector<Route> panel_routes();
std::vector<Route> switch_routes();

/// {"error": ..., "problems": [...]}
const Schema& error_schema();
/// Schema of outputs_json().
const Schema& outputs_schema();
/// Data of the events `state`, `beat` and `end`.
const Schema& state_schema();
const Schema& beat_schema();
const Schema& end_schema();
/// An entry of a list; and the event that brings it.
const Schema& entry_schema(executive::LiveList list);
const char* event_name(executive::LiveList list);
/// A row of /v1/switches, and the event switch.
Schema switch_row_schema();
/// An expectation of /v1/verdicts and of the event verdict.
Schema verdict_schema();
const std::vector<std::string>& verdict_words();

namespace schema {

inline constexpr const char* kDate = "Date of that frame: ISO 8601 with zone";
inline constexpr const char* kFrame = "Last frame that was run; missing before the first";
Schema state_name();
Schema value(const char* about);
Schema value_in(const char* about);  ///< schema of what is accepted as a value
/// Properties of frame_json(), and more.
std::vector<Property> of_frame(std::vector<Property> more);

}  // namespace schema

}  // namespace tactus::drivers::live_http
