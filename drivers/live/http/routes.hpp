#pragma once
/// What there is to be asked, as one table: requests are dispatched and checked by it, and the OpenAPI
/// document is made of it.
#include <cstddef>
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
  Pairs values{};  ///< of the path and the query
  Json body{};
  std::string who{};

  const std::string* value(const std::string& name) const;
};

/// What is replied when the rig has not answered in time.
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

struct Route {
  std::string method;
  std::string path;  ///< "/v1/variables/{name}"
  std::string id;    ///< of the operation
  std::string about;
  std::vector<Parameter> parameters{};
  std::optional<Schema> body{};
  Schema answer{};
  bool stream = false;      ///< `answer` is then the data of its events `values`
  std::vector<int> more{};  ///< statuses besides 200 and those that every route may have
  /// Nothing: the reply has come, or takes as long as it takes.
  std::function<std::optional<ReplyTimeout>(Api&, const Call&, const Respond&)> handle{};
  std::string example{};  ///< of a body
};

const std::vector<Route>& routes();
/// {"error": ..., "problems": [...]}
const Schema& error_schema();
/// Data of the events `state` and `end`.
const Schema& state_schema();
const Schema& end_schema();

}  // namespace tactus::drivers::live_http
