// SPDX-License-Identifier: Apache-2.0
#include <array>

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
      {must("n", integer("Number of the entry; it counts up with every overrun and every change of one")),
       must("id", integer("Number of the overrun; a later entry with the same id replaces this one")),
       must("frame", integer("Frame that overran")),
       must("sim_time_ns", integer("Simulated time of that frame in ns")),
       time("over_ns", "Time by which the frame ended after the next slot"),
       time("late_ns", "Lateness: wake minus slot"), time("work_ns", "Execution time: end minus wake"),
       must("lost", integer("Number of slots lost because of the overrun")),
       must("by", text("Part of the frame that made it overrun: work, late wake or housekeeping")),
       must("cause", text("Cause: a word of the page causes.md of the documentation")),
       must("who", text("Culprit, such as a job or a process; empty if it is not known")),
       must("text", text("Cause in one sentence")),
       must("job", or_null(text("Job that the cause names; null if it names none"))),
       time("share_ns", "Share of the cause in over_ns"),
       must("beside",
            or_null(object("Second cause, which had the rest of over_ns; null if there is none",
                           {must("cause", text("Cause")), must("who", text("Culprit")),
                            must("text", text("Cause in one sentence")),
                            must("job", or_null(text("Job that the cause names; null if it names none"))),
                            must("share_ns", integer("Share of the cause in over_ns"))}))),
       must("evidence",
            objects("Figures that were examined",
                    {must("figure", text("Name of the figure")), must("value", number("Value of the figure")),
                     must("unit", text("Unit: ns, %, or empty for a plain number")),
                     must("usual", or_null(number("Usual value of the figure; null if it is not known")))})),
       must("followers", integer("Number of later frames that were late because of this overrun")),
       time("cost_ns", "Total time by which this frame and its followers ended after their next slots"),
       must("caught_up", boolean("True if a later frame was on time again"))});
}

Schema journal_schema() {
  return object("A change or a command of a client; each kind has further keys.",
                {must("n", integer("Number of the entry; it counts up")),
                 may("frame", integer("Frame; missing before the first frame")),
                 must("what", text("Kind of change or command")), must("time", text("Time of day: ISO 8601")),
                 must("who", text("Client, or the rig file"))});
}

Schema log_schema() {
  return object("A line of log.txt.", {must("n", integer("Number of the line; it counts up")),
                                       must("time", text("Time of day: ISO 8601")),
                                       must("level", word("Level of the line", {"info", "warning"})),
                                       must("text", text("Text of the line"))});
}

Schema chart_schema() {
  return object(
      "What a chart of the expectation draws.",
      {must("signals", list("Names of the variables", text(""))),
       must("reference", or_null(text("Variable that the band is around; null if the band is around zero"))),
       must("gain",
            number("Factor of the reference: reference * gain + offset has the unit of the first signal")),
       must("offset", number("Offset of the reference; see `gain`")),
       must("low", or_null(number("Lower end of the band; null if it has none"))),
       must("high", or_null(number("Upper end of the band; null if it has none"))),
       must("limit", or_null(number("Limit in the condition, from which the margin is measured; null if the "
                                    "condition has no limit, or several")))});
}

template <LiveList kList>
Waits entries(Api& api, const Call& call, const Respond& respond) {
  const std::int64_t most = call.number("count", kMostEntries);
  if (most > kMostEntries)
    return reply_now(
        respond, wrong({"count: " + std::to_string(most) + " is more than " + std::to_string(kMostEntries) +
                        "; ask again with the last n as 'after'"}));
  const executive::LiveEntries found =
      api.rig().entries(kList, call.number("after", 0), static_cast<std::size_t>(most));
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
      object(
          "Entries of the list, the oldest first.",
          {must("entries", schema::list("", entry_schema(list))),
           must("first", integer("Least n that is still kept")),
           must("last", integer("Greatest n so far; 0 if there is none")),
           must("left_out",
                integer("Number of entries that were never kept, because there were too many at a time"))}),
      handle,
      {{"after", false, false, integer_from(0, "Only entries with a greater n; default: all that are kept")},
       {"count", false, false, integer_from(1, "Largest number of entries, up to 1000; default 1000")}});
}

Schema step_schema() {
  return or_null(object(
      "Progress of a step of the sequence; null if the row is not a step",
      {must("name", text("Name of the step")),
       must("first",
            or_null(integer("First frame of the latest course of the step; null if it has not begun"))),
       must("last", or_null(integer("Last frame of that course; null if it has not ended"))),
       must("for_s", or_null(number("Simulated time that the step takes; null if it has no such time"))),
       must("timeout_s", or_null(number("Time-out of the step in simulated time; null if it has none"))),
       must("timed_out", boolean("True if that course ended with its time-out"))}));
}

}  // namespace

const std::vector<std::string>& verdict_words() {
  static const std::vector<std::string> words = {"pass", "untested", "inconclusive", "fail", "error"};
  return words;
}

Schema verdict_schema() {
  return object(
      "An expectation and its verdict so far.",
      {may("n",
           integer("Number of the event; it counts up with every change of any expectation. Only in events")),
       may("seen_frame", or_null(integer("Frame after which the verdict was so. Only in events"))),
       must("id", integer("Number of the expectation, from 0, in the order of the file")),
       must("name", text("Name of the expectation")),
       must("verdict", word("Verdict that the expectation would have if no frame followed", verdict_words())),
       must("final", boolean("True if no further frame can change the verdict")),
       may("active",
           or_null(boolean("True while its step of the sequence runs; null if it belongs to no step"))),
       may("since", or_null(integer("First frame of that step; null unless the step runs"))),
       may("step", step_schema()),
       must("says", text("Verdict in one sentence")),
       must("severity", word("Severity", {"note", "warn", "fail", "stop"})),
       must("requirement", text("Requirement that is tested; empty if none is named")),
       must("expects", text("Text of the expectation")),
       must("why", text("Reason why the verdict is inconclusive")),
       must("no_value", boolean("True if it failed because its condition had no value")),
       must("frame", or_null(integer("First frame that failed; null if none failed"))),
       must("time_s", or_null(number("Simulated time of that frame in seconds; null if none failed"))),
       must("margin",
            or_null(number(
                "Least distance from the limit; negative if the limit was exceeded; null: see no_margin"))),
       must("no_margin",
            text("Reason why there is no margin; empty if there is one, or nothing was judged yet")),
       must("unit", text("Unit of the margin")),
       may("values", text("Figures of the run by which it was judged")),
       may("late", any("First `frame` in which lateness of the rig spoiled a judgement, and number of such "
                       "judgements (`duties`); null if there is none")),
       may("shift_s",
           or_null(
               number("Time by which the reference recording was shifted, in seconds; null if it was not"))),
       may("recording",
           or_null(text("File with the recording of the time around the failure; null if there is none"))),
       must("chart", chart_schema())});
}

const Schema& entry_schema(LiveList list) {
  static const std::array<Schema, executive::kLiveLists> all = {
      // in the order of LiveList
      overrun_schema(), journal_schema(), log_schema(), verdict_schema(), switch_row_schema()};
  return all.at(static_cast<std::size_t>(list));
}

const char* event_name(LiveList list) {
  static constexpr std::array<const char*, executive::kLiveLists> kNames = {"overrun", "journal", "log",
                                                                            "verdict", "switch"};
  return kNames.at(static_cast<std::size_t>(list));
}

std::vector<Route> list_routes() {
  return {list_route(LiveList::overruns, "Lists the frames that overran, with their causes.",
                     &entries<LiveList::overruns>),
          list_route(LiveList::journal, "Lists the changes and commands of clients.",
                     &entries<LiveList::journal>),
          list_route(LiveList::log, "Lists the latest lines of the log.", &entries<LiveList::log>)};
}

}  // namespace tactus::drivers::live_http
