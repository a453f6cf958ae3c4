// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Requests and replies, without anything of sockets.
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;
  std::string target;  ///< target as in the request line: path and query, still encoded
  Pairs headers{};
  std::string body{};
  std::string who{};  ///< client, for the journal

  /// The value of a header; nullptr when it is not there. Names match in any case.
  const std::string* header(std::string_view name) const;
  /// Number of times that it is there.
  std::size_t count(std::string_view name) const;
};

class ExpressionTap;
class FrameFeed;
class WatchedExpression;

/// One variable of a group, with the name it was asked for by; or an expression, with its text.
struct Named {
  std::string name;
  executive::LiveRef ref{};
  std::shared_ptr<WatchedExpression> expression{};  ///< instead of `ref`; this group alone evaluates it
};

/// A stream of events that is to be begun.
struct Watch {
  std::vector<Named> names;
  std::chrono::nanoseconds every{0};
  std::shared_ptr<ExpressionTap> tap{};  ///< frames of expressions that have a past; nullptr: there are none
};

struct Reply {
  int status = 200;
  Json body{};
  Pairs headers{};
  std::shared_ptr<const std::string> bytes{};  ///< instead of `body`, as they are
  std::string type{"application/json"};        ///< type of the content
  std::optional<Watch> watch{};                ///< instead of a body
  std::shared_ptr<FrameFeed> frames{};         ///< stream of frames instead of a body
  bool close = false;                          ///< true: the connection ends
};

/// Takes the reply to one request: now or later, from any thread; only the first counts.
class Respond {
 public:
  using Make = std::function<Reply()>;

  explicit Respond(std::function<void(Make)> take) : take_(std::move(take)) {}
  void operator()(Reply reply) const;
  /// A reply that is made on the thread that sends it: the rig's thread has better things to do.
  void later(Make make) const { take_(std::move(make)); }

 private:
  std::function<void(Make)> take_;
};

/// {"error": ..., "problems": [...]}; without problems the error is the only one.
Reply refusal(int status, const std::string& error, const std::vector<std::string>& problems = {});

/// JSON text; whatever is no UTF-8 is replaced.
std::string text_of(const Json& json);

/// Text in small letters (ASCII), whatever the locale.
std::string lower(std::string text);

/// Returns true if a list of entity tags, as of If-Match, has this one, or is "*".
bool has_tag(std::string_view list, std::string_view tag);

/// "a%20b" -> "a b". Nothing for a broken escape or a control character.
std::optional<std::string> decoded(std::string_view text, bool plus_is_blank);

/// The parts of a target.
struct Target {
  std::vector<std::string> path;  ///< its segments, decoded
  Pairs query;
};
std::optional<Target> parse_target(const std::string& target, std::string& problem);

}  // namespace tactus::drivers::live_http
