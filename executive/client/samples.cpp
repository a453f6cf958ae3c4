// SPDX-License-Identifier: Apache-2.0
#include "executive/client/samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "config/json_of.hpp"
#include "config/path.hpp"
#include "config/text.hpp"
#include "executive/client/block_stream.hpp"
#include "executive/client/event_stream.hpp"
#include "executive/client/http_stream.hpp"
#include "rtsync/joined.hpp"

namespace tactus::client {
namespace {

Json parsed(const std::string& body) {
  Json json = config::json_of(body);
  if (!json.is_object()) throw NoRigError("what answers there is not a rig: its answer is not a JSON object");
  return json;
}

VariableFacts facts_of(const Json& json) {
  VariableFacts facts{.name = text_in(json, "name"), .unit = text_in(json, "unit")};
  if (facts.unit == "1" || facts.unit == "--") facts.unit.clear();
  facts.role = text_in(json, "role");
  facts.number = number_in(json, "count", 0) == 0;
  return facts;
}

/// NaN for what is not a number.
double value_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (json == "inf") return HUGE_VAL;
  if (json == "-inf") return -HUGE_VAL;
  return std::numeric_limits<double>::quiet_NaN();
}

/// Facts of an expression, as /v1/expressions has them.
VariableFacts expression_facts(const FoundRig& rig, const std::string& text) {
  std::string body;
  const int status = get(rig.address, "/v1/expressions?names=" + url_encoded(text), rig.token, body);
  if (status == 404)
    throw NoRigError("this rig takes names of variables only, and " + config::show(text) + " is none");
  if (status != 200) {
    const std::string why = refusal(status, body), of = "names: ";  // the parameter of the request
    throw NoRigError(why.starts_with(of) ? why.substr(of.size()) : why);
  }
  const Json answer = parsed(body);
  const Json rows = answer.value("expressions", Json::array());
  if (!rows.is_array() || rows.size() != 1 || !rows[0].is_object())
    throw NoRigError(config::show(text) + " is more than one expression");
  VariableFacts facts = facts_of(rows[0]);
  facts.number = true;
  return facts;
}

/// Reads a pattern that no variable has as a product: motor.speed*2 for motor.speed * 2. Returns nothing if it is none.
/// `why`: what is wrong with the product, if it looks like one.
std::optional<VariableFacts> product_facts(const FoundRig& rig, const std::string& pattern,
                                           std::string& why) try {
  if (pattern.starts_with('*') || pattern.ends_with('*')) return std::nullopt;
  std::string product;
  for (const char letter : pattern) product += letter == '*' ? std::string(" * ") : std::string(1, letter);
  return product == pattern ? std::nullopt : std::optional(expression_facts(rig, product));
} catch (const NoRigError& error) {
  why = error.what();
  return std::nullopt;
}

/// Tells a name that can be one of several in a list.
bool is_plain_name(const std::string& name) {
  return !name.empty() && !looks_like_expression(name) && name.find_first_of("*?,'\"") == std::string::npos;
}

/// Facts of variables by their plain names, in their order. Empty: a rig of an earlier version takes no list.
std::vector<VariableFacts> named_facts(const FoundRig& rig, const std::vector<std::string>& names) try {
  std::vector<std::string> variables;
  for (const std::string& name : names) variables.emplace_back(config::without_indices(name));
  std::vector<VariableFacts> found;
  for (const std::string& list : lists_of_names(variables)) {
    const Json page = parsed(get(rig.address, "/v1/variables?names=" + list, rig.token));
    const Json rows = page.value("variables", Json::array());
    for (const Json& each : rows) found.push_back(facts_of(each.is_object() ? each : Json::object()));
  }
  if (found.size() != names.size()) return {};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (variables[i] != names[i]) found[i].number = true;
    found[i].name = names[i];
  }
  return found;
} catch (const NoRigError& error) {
  if (std::string_view(error.what()).find("no such parameter") == std::string_view::npos) throw;
  return {};
}

}  // namespace

std::string text_in(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

std::int64_t number_in(const Json& json, const char* key, std::int64_t otherwise) {
  return json.contains(key) && json[key].is_number_integer() ? json[key].get<std::int64_t>() : otherwise;
}

std::vector<std::string> lists_of_names(const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 12'000;  // of a request; a server reads a little more
  std::vector<std::string> lists;
  for (const std::string& name : names) {
    if (lists.empty() || lists.back().size() >= kLongest)
      lists.push_back(url_encoded(name));
    else
      lists.back() += "," + url_encoded(name);
  }
  return lists;
}

FoundRig find_rig(const std::string& where, const std::string& token_file) {
  FoundRig rig{.address = find_port(where), .token = read_token(token_file)};
  const Json facts = parsed(get(rig.address, "/v1", rig.token));
  rig.rig = text_in(facts, "rig");
  if (rig.rig.empty()) rig.rig = text_in(facts, "name");
  if (const std::string& meant = rig.address.rig; !meant.empty() && !rig.rig.empty() && meant != rig.rig)
    throw NoRigError("another rig listens at " + rig.address.text() + ": " + config::show(rig.rig) +
                     ", not " + config::show(meant) + "; if you mean it, name it by this address");
  if (facts.contains("period") && facts["period"].is_object()) {
    const std::int64_t den = std::max<std::int64_t>(1, number_in(facts["period"], "den", 1));
    rig.period_ns = std::max<std::int64_t>(1, number_in(facts["period"], "num_ns", 1'000'000) / den);
  }
  return rig;
}

bool looks_like_expression(std::string_view text) {
  return text.find_first_of(" ()<>=!+/^") != std::string_view::npos || text.starts_with('-');
}

std::vector<VariableFacts> find_variables(const FoundRig& rig, const std::vector<std::string>& names,
                                          std::size_t most, std::size_t& left_out) {
  std::vector<VariableFacts> found;
  std::unordered_set<std::string> seen;  // those that are left out stay out
  bool lists = true;                     // the rig answers them
  left_out = 0;
  const auto add = [&](VariableFacts facts) {
    if (!seen.insert(facts.name).second) return;
    found.size() < most ? found.push_back(std::move(facts)) : void(++left_out);
  };
  for (auto at = names.begin(); at != names.end(); ++at) {
    if (const auto end = std::find_if_not(at, names.end(), is_plain_name); lists && end - at > 1) {
      std::vector<VariableFacts> named = named_facts(rig, {at, end});
      lists = !named.empty();
      for (VariableFacts& facts : named) add(std::move(facts));
      if (lists) {
        at = end - 1;
        continue;
      }
    }
    const std::string& name = *at;
    if (looks_like_expression(name)) {
      add(expression_facts(rig, name));
      continue;
    }
    if (name.find('*') == std::string::npos && name.find('?') == std::string::npos) {
      const std::string variable(config::without_indices(name));
      VariableFacts facts =
          facts_of(parsed(get(rig.address, "/v1/variables/" + url_encoded(variable), rig.token)));
      if (variable != name) facts.number = true;
      facts.name = name;
      add(std::move(facts));
      continue;
    }
    bool matches = false;
    for (std::int64_t first = 0; first >= 0;) {
      const Json page = parsed(
          get(rig.address, "/v1/variables?match=" + url_encoded(name) + "&first=" + std::to_string(first),
              rig.token));
      if (!page.contains("variables") || !page["variables"].is_array()) break;
      for (const Json& each : page["variables"])
        if (each.is_object()) {
          matches = true;
          add(facts_of(each));
        }
      const std::int64_t next = number_in(page, "next", -1);
      first = next > first ? next : -1;
    }
    if (matches) continue;
    std::string why;
    if (std::optional<VariableFacts> product = product_facts(rig, name, why))
      add(*std::move(product));
    else
      throw NoRigError("no variable of rig " + rig.rig + " matches " + config::show(name) +
                       (why.empty() ? "" : "; nor is it an expression: " + why));
  }
  return found;
}

struct Samples::Reader {
  Reader(const FoundRig& rig, const std::vector<std::string>& wanted) : names(wanted) {
    const std::string query = rtsync::joined(names, ",", url_encoded);
    const int status = ask(rig, "/v1/stream?names=" + query);
    every_frame = status == 200;
    if (every_frame) return;
    if (status != 404 && status != 409) refuse();
    if (ask(rig, "/v1/watch?names=" + query + "&every=10ms") != 200) refuse();
  }

  /// Returns the status of the answer, as soon as its head is there.
  int ask(const FoundRig& rig, const std::string& target) {
    first.clear();
    http.emplace(rig.address, target, rig.token);
    while (!http->answer().has_head() && read_more()) {
    }
    return http->answer().status();
  }
  bool read_more() {
    return http->wait(1000, [&](std::string_view bytes) { first += bytes; }) != HttpStream::Got::end;
  }
  [[noreturn]] void refuse() {
    while (read_more()) {
    }
    throw NoRigError(refusal(http->answer().status(), first));
  }

  void take(std::string_view bytes, const SampleSink& sink) {
    if (every_frame) {
      if (!blocks.take(bytes, [&](const BlockStream::Block& block) { take(block, sink); }))
        throw NoRigError(blocks.problem());
    } else {
      events.take(bytes, [&](const EventStream::Event& event) { take(event, sink); });
    }
  }

  void take(const BlockStream::Block& block, const SampleSink& sink) {
    if (block.kind == BlockStream::Kind::gap) sink.gap(block.missing, block.detail == 3);
    if (block.kind == BlockStream::Kind::end) {
      over = true;
      const Json json = config::json_of(block.text);
      sink.end(json.is_object() ? text_in(json, "reason") : "");
    }
    if (block.kind != BlockStream::Kind::rows || block.columns.size() < names.size()) return;
    std::vector<double> row(names.size());
    for (std::uint32_t i = 0; i < block.detail; ++i) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = block.columns[c][i];
      sink.values(block.frame + i, row);
    }
  }

  void take(const EventStream::Event& event, const SampleSink& sink) {
    const Json json = config::json_of(event.data);
    if (!json.is_object()) return;
    if (event.kind == "end") {
      over = true;
      sink.end(text_in(json, "reason"));
    }
    if (event.kind != "values" || !json.contains("values") || !json["values"].is_object()) return;
    const std::int64_t frame = number_in(json, "frame", -1);
    if (frame < last) sink.gap(0, true);
    if (frame == last) return;  // in Pause
    last = frame;
    std::vector<double> row;
    for (const std::string& name : names)
      row.push_back(json["values"].contains(name) ? value_of(json["values"][name])
                                                  : std::numeric_limits<double>::quiet_NaN());
    sink.values(frame, row);
  }

  std::vector<std::string> names;
  std::optional<HttpStream> http;
  bool every_frame = false;
  bool over = false;
  std::string first;  ///< first part of the body, which came with the head
  std::int64_t last = -1;
  BlockStream blocks;
  EventStream events;
};

Samples::Samples(const FoundRig& rig, const std::vector<std::string>& names)
    : reader_(std::make_unique<Reader>(rig, names)) {}
Samples::~Samples() = default;

bool Samples::every_frame() const { return reader_->every_frame; }

bool Samples::wait(int milliseconds, const SampleSink& sink) {
  if (!reader_->first.empty()) reader_->take(std::exchange(reader_->first, {}), sink);
  if (reader_->over) return false;
  const auto got =
      reader_->http->wait(milliseconds, [&](std::string_view bytes) { reader_->take(bytes, sink); });
  return got != HttpStream::Got::end && !reader_->over;
}

}  // namespace tactus::client
