// SPDX-License-Identifier: Apache-2.0
#include "config/number.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"

// What happens in a run, as lists that grow.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;
using executive::LiveList;

constexpr std::int64_t kMostEntries = 1000;

Schema overrun_schema() {
  const auto time = [](const char* key, const char* about) { return must(key, integer(about)); };
  return object(
      "An overrun.",
      {must("n", integer("counts up with every overrun and every change of one")),
       must("id", integer("of the overrun: an entry with the same one takes its place")),
       must("frame", integer("")), must("sim_time_ns", integer("")),
       time("over_ns", "how far it ended after the next slot"), time("late_ns", "wake minus slot"),
       time("work_ns", "end minus wake"), must("lost", integer("slots given up because of it")),
       must("by", text("what of the frame made it overrun: work, late wake or housekeeping")),
       must("cause", text("a word of the page causes.md of the documentation")),
       must("who", text("the client that caused it; empty: not known")), must("text", text("one sentence")),
       must("job", or_null(text("the one that it is about"))),
       time("share_ns", "what the cause had of over_ns"),
       must("beside", or_null(object(
                          "What had the rest of it; null: nothing.",
                          {must("cause", text("")), must("who", text("")), must("text", text("one sentence")),
                           must("job", or_null(text(""))), must("share_ns", integer(""))}))),
       must("evidence",
            list("what was looked at",
                 object("", {must("figure", text("")), must("value", number("")),
                             must("unit", text("ns, %, or empty: a number")),
                             must("usual", or_null(number("of that figure; null: not known")))}))),
       must("followers", integer("frames after it that were still late from it")),
       time("cost_ns", "of it and its followers together"),
       must("caught_up", boolean("the frame after it was on time again"))});
}

Schema journal_schema() {
  return object("A change or a command of a client, with keys of its own kind beside these.",
                {must("n", integer("counts up")), may("frame", integer("missing before the first frame")),
                 must("what", text("")), must("time", text("ISO 8601")), must("who", text("the client"))});
}

Schema log_schema() {
  return object("A line of log.txt.", {must("n", integer("counts up")), must("time", text("ISO 8601")),
                                       must("level", word("", {"info", "warning"})), must("text", text(""))});
}

Schema chart_schema() {
  return object(
      "What a chart of it draws.",
      {must("signals", list("variables", text(""))),
       must("reference", or_null(text("the variable that the band is around; null: zero"))),
       must("gain", number("the reference times this, plus `offset`, is in the unit of the first signal")),
       must("offset", number("see `gain`")),
       must("low", or_null(number("lower end of the band; null: none"))),
       must("high", or_null(number("upper end of the band; null: none"))),
       must("limit", or_null(number("size of the one number that the condition is about, of which the "
                                    "margin is what is left; null: none, or several")))});
}

template <LiveList kList>
Waits entries(Api& api, const Call& call, const Respond& respond) {
  const auto number = [&](const char* name, std::int64_t otherwise) {
    const std::string* const text = call.value(name);
    return text == nullptr ? otherwise : *config::parse_integer(*text).value;
  };
  const std::int64_t most = number("count", kMostEntries);
  if (most > kMostEntries)
    return reply_now(
        respond, wrong({"count: " + std::to_string(most) + " is more than " + std::to_string(kMostEntries) +
                        "; ask again with the last n as 'after'"}));
  const executive::LiveEntries found =
      api.rig().entries(kList, number("after", 0), static_cast<std::size_t>(most));
  Json listed = Json::array();
  for (const auto& entry : found.entries) listed.push_back(*entry);
  return reply_now(respond, good({{"entries", std::move(listed)},
                                  {"first", found.first},
                                  {"last", found.last},
                                  {"left_out", found.left_out}}));
}

Route list_route(LiveList list, const char* about, Handle handle) {
  const std::string name(executive::name_of(list));
  return get(
      "/v1/" + name, name, about,
      object("Entries, the oldest first.",
             {must("entries", schema::list("", entry_schema(list))),
              must("first", integer("the least n that is still kept")),
              must("last", integer("the greatest n so far; 0: there is none")),
              must("left_out", integer("entries that were never kept: too many at a time"))}),
      handle,
      {{"after", false, false, integer_from(0, "only entries with a greater n; without: all that are kept")},
       {"count", false, false, integer_from(1, "largest number of entries, up to 1000; default 1000")}});
}

Schema step_schema() {
  return or_null(
      object("of a step of the sequence: where it is in its course; null: it is not a step",
             {must("name", text("")),
              must("first", or_null(integer("first frame of its latest course; null: it has not begun"))),
              must("last", or_null(integer("last frame of it; null: it has not ended"))),
              must("for_s", or_null(number("simulated time that it takes"))),
              must("timeout_s", or_null(number("simulated time that it may take"))),
              must("timed_out", boolean("that course ended with its time-out"))}));
}

}  // namespace

const std::vector<std::string>& verdict_words() {
  static const std::vector<std::string> words = {"pass", "untested", "inconclusive", "fail", "error"};
  return words;
}

Schema verdict_schema() {
  return object(
      "An expectation, and what it has come to.",
      {may("n", integer("of an event: counts up with every change of any of them")),
       may("seen_frame", or_null(integer("of an event: the frame after which it was so"))),
       must("id", integer("from 0, in the order of the file")),
       must("name", text("")),
       must("verdict", word("what it would be if no frame followed", verdict_words())),
       must("final", boolean("no frame can change it any more")),
       may("active", or_null(boolean("its step of the sequence runs; null: it belongs to none"))),
       may("since", or_null(integer("the first frame of that step, while it runs"))),
       may("step", step_schema()),
       must("says", text("one sentence")),
       must("severity", word("", {"note", "warn", "fail", "stop"})),
       must("requirement", text("")),
       must("expects", text("the expectation")),
       must("why", text("why it is inconclusive")),
       must("no_value", boolean("it failed because its condition had no value")),
       must("frame", or_null(integer("the first that failed"))),
       must("time_s", or_null(number("simulated time of that frame"))),
       must("margin",
            or_null(number("distance of the nearest approach from the limit; negative: beyond it"))),
       must("no_margin", text("why there is none; empty: there is one, or nothing was judged yet")),
       must("unit", text("of the margin")),
       may("values", text("figures of the run that it was judged by")),
       may("late", any("first frame and number of those in which the rig was late; null: none")),
       may("shift_s", or_null(number("that a recording was shifted by"))),
       may("recording", or_null(text("file of the seconds around the failure"))),
       must("chart", chart_schema())});
}

const Schema& entry_schema(LiveList list) {
  static const Schema overrun = overrun_schema(), journal = journal_schema(), log = log_schema(),
                      verdict = verdict_schema(), turned = switch_row_schema();
  return list == LiveList::overruns   ? overrun
         : list == LiveList::journal  ? journal
         : list == LiveList::log      ? log
         : list == LiveList::verdicts ? verdict
                                      : turned;
}

const char* event_name(LiveList list) {
  return list == LiveList::overruns   ? "overrun"
         : list == LiveList::journal  ? "journal"
         : list == LiveList::log      ? "log"
         : list == LiveList::verdicts ? "verdict"
                                      : "switch";
}

std::vector<Route> list_routes() {
  return {list_route(LiveList::overruns, "Frames that overran, and why.", &entries<LiveList::overruns>),
          list_route(LiveList::journal, "What clients have changed.", &entries<LiveList::journal>),
          list_route(LiveList::log, "The last lines of the log.", &entries<LiveList::log>)};
}

}  // namespace tactus::drivers::live_http
