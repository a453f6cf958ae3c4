// SPDX-License-Identifier: Apache-2.0
// What `tactus campaign --plan` and `tactus check` say of a campaign; and its cases, each run alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::campaign_test {
namespace {

using namespace tactus::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Campaign : public ::testing::Test {
 protected:
  void write(const std::string& more) {
    dir_.write("b.test.yaml",
               "test: b\nuntil: 50 ms\nexpect: { still: { always: abs(motor.speed) < 1000 rad/s } }\n");
    dir_.write("a.campaign.yaml", "campaign: a\nrig: " + example("servo") + "\ntest: b.test.yaml\n" + more);
  }
  Finished tactus_of(const Arguments& arguments) { return run(tactus(arguments, dir_.path())); }

  const TempDir dir_;
};

TEST_F(Campaign, PlansCasesThatAnyoneCanRunAlone) {
  write(
      "vary:\n  models.motor.parameters.supply: [22 V, 24 V]\n"
      "  models.motor.parameters.inertia: { uniform: [100 g cm^2, 160 g cm^2] }\ncases: { sobol: 4, seed: 3 "
      "}\n");
  const Finished done = tactus_of({"campaign", "a.campaign.yaml", "--plan", "--json", "--first", "2"});
  ASSERT_EQ(done.status, 0) << done.err;
  const Json plan = Json::parse(done.out);
  EXPECT_EQ(plan["cases"], 4);
  EXPECT_EQ(plan["first"].size(), 2U);
  EXPECT_GE(plan["sources"].size(), 4U);
  std::string line = plan["first"][1]["line"];
  ASSERT_TRUE(line.starts_with("tactus run ")) << line;
  line = tactus({}, {}).argv.front() + line.substr(6) + " --out out";
  const Finished ran = run({.argv = {"/bin/sh", "-c", line}, .cwd = dir_.path()});
  EXPECT_EQ(ran.status, 0) << line << ran.out << ran.err;
  const std::string text = plan["first"][1]["drawn"]["models.motor.parameters.inertia"]["text"];
  EXPECT_THAT(line, HasSubstr("'models.motor.parameters.inertia=" + text + "'"));
  EXPECT_EQ(Json::parse(read_file(dir_.path() / "out" / "verdict.json"))["verdict"], "pass");
}

TEST_F(Campaign, SaysItsMistakesWithTheirPlaces) {
  write("vary:\n  models.motor.parameters.inertja: [1 g cm^2]\n  frame.period: [1 ms, 1 V]\n");
  for (const Arguments& words :
       {Arguments{"campaign", "a.campaign.yaml", "--plan"}, Arguments{"check", "a.campaign.yaml"}}) {
    const Finished done = tactus_of(words);
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("a.campaign.yaml:6:")) << "the unit";
  }
  write("vary:\n  models.motor.parameters.inertja: [1 g cm^2]\n");
  EXPECT_THAT(
      tactus_of({"check", "a.campaign.yaml"}).err,
      AllOf(HasSubstr("a.campaign.yaml:5:3: vary.models.motor.parameters.inertja"), HasSubstr("inertia")));
  write("vary: { frame.period: [1 ms] }\n");
  EXPECT_THAT(tactus_of({"check", "a.campaign.yaml"}).out, HasSubstr("campaign a: 1 case"));
}

TEST_F(Campaign, ExampleOfTheBoxIsRight) {
  const Finished done =
      tactus_of({"check", (std::filesystem::path(example("servo")).parent_path().parent_path() / "tests" /
                           "servo.campaign.yaml")
                              .string()});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("100 cases"));
}

TEST_F(Campaign, ItsResultsHaveFiguresAndAreCompared) {
  const auto run_with_limit = [&](const std::string& limit, const std::string& out) {
    write(
        "vary:\n  stimuli.load.segments[0].hold: { uniform: [0 N m, 10 mN m] }\n"
        "cases: { monte_carlo: 8, seed: 2 }\n");
    dir_.write(
        "b.test.yaml",
        "test: b\nuntil: 5 ms\nstimuli: { load: { on: motor.load_torque, segments: [ { hold: 0 N m } ] } }\n"
        "expect: { small: { always: motor.load_torque < " +
            limit + " } }\n");
    return tactus_of({"campaign", "a.campaign.yaml", "--out", out, "--json"});
  };
  const Finished before = run_with_limit("6 mN m", "before");
  EXPECT_THAT(tactus_of({"campaign", "a.campaign.yaml", "--plan", "--out", "before"}).out,
              AllOf(HasSubstr("for what is left, by "), HasSubstr(" s a case")));
  EXPECT_EQ(before.status, 4) << before.out << before.err;
  const Finished figures = tactus_of({"campaign", "figures", "before", "--json"});
  ASSERT_EQ(figures.status, 0) << figures.err;
  const Json all = Json::parse(figures.out);
  EXPECT_EQ(all["cases"], 8);
  const int passed = all["draws"]["passed"];
  EXPECT_GT(passed, 0);
  EXPECT_LT(passed, 8);
  EXPECT_EQ(all["draws"]["judged"], 8);
  EXPECT_LT(all["draws"]["interval"][0], passed / 8.0);
  EXPECT_GT(all["draws"]["interval"][1], passed / 8.0);
  // 8 draws: the least and the greatest hold the median, unless all are on one side of it.
  const Json& median = all["margins"][0]["quantiles"][1];
  EXPECT_EQ(median["share"], 0.5);
  EXPECT_GE(median["confidence"], 0.95);
  EXPECT_LE(median["confidence"], 1 - std::pow(0.5, 7) + 1e-12);
  ASSERT_EQ(all["correlations"].size(), 1U);
  EXPECT_EQ(all["correlations"][0]["key"], "stimuli.load.segments[0].hold");
  EXPECT_DOUBLE_EQ(all["correlations"][0]["rank"], -1) << "the margin is the limit less the load";
  EXPECT_THAT(tactus_of({"campaign", "figures", "before"}).out,
              AllOf(HasSubstr("draws that pass: " + std::to_string(passed) + " of 8"),
                    HasSubstr("half, 95 %, with bounds of 95 % confidence or more\n"),
                    HasSubstr("small in b.test.yaml, stimuli.load.segments[0].hold")));

  (void)run_with_limit("4 mN m", "after");
  const Json compared = Json::parse(tactus_of({"campaign", "compare", "before", "after", "--json"}).out);
  const Json later = Json::parse(tactus_of({"campaign", "figures", "after", "--json"}).out);
  EXPECT_EQ(compared["worse"], passed - later["draws"]["passed"].get<int>());
  EXPECT_EQ(compared["better"], 0);
  ASSERT_EQ(compared["changes"].size(), 8U);
  EXPECT_EQ(compared["changes"][0]["kind"], "now fails");
  EXPECT_THAT(tactus_of({"campaign", "compare", "before", "nowhere"}).err,
              HasSubstr("nowhere has no campaign.sqlite"));
}

TEST_F(Campaign, ItsFiguresNameBoundsWhereTheyAre) {
  const auto figures_with = [&](const std::string& cases, const std::string& out) {
    write("vary:\n  stimuli.load.segments[0].hold: { uniform: [0 N m, 10 mN m] }\ncases: " + cases + "\n");
    dir_.write(
        "b.test.yaml",
        "test: b\nuntil: 5 ms\nstimuli: { load: { on: motor.load_torque, segments: [ { hold: 0 N m } ] } }\n"
        "expect: { small: { always: motor.load_torque < 1 N m } }\n");
    EXPECT_EQ(tactus_of({"campaign", "a.campaign.yaml", "--out", out, "--quiet"}).status, 0);
    return tactus_of({"campaign", "figures", out}).out;
  };
  EXPECT_THAT(figures_with("{ monte_carlo: 3, seed: 2 }\nrepeat: 2", "repeated"),
              AllOf(HasSubstr("half, 95 %\n"), Not(HasSubstr("with bounds"))))
      << "what is repeated is not independent";
  const std::string sure =
      figures_with("{ monte_carlo: 40, seed: 2, until_sure: \"0.8 of 'small' +- 30 %\" }", "sure");
  EXPECT_THAT(sure,
              AllOf(HasSubstr("half, 95 %, with bounds of 95 % confidence or more\n"), HasSubstr(" .. ")));
}

TEST_F(Campaign, MeasuresEachCase) {
  write(
      "vary:\n  models.trajectory.parameters.max_speed: { uniform: [20 rad/s, 40 rad/s] }\n"
      "cases: { monte_carlo: 5, seed: 2 }\nmeasure:\n  peak: max(abs(motor.current))\n"
      "  swing: max(trajectory.speed) - min(trajectory.speed)\n  started: first(abs(motor.speed) > 0.1 "
      "rad/s)\n"
      "  still: last(motor.speed > 9000 rad/s)\n  frames: run frames\n");
  dir_.write("b.test.yaml",
             "test: b\nuntil: 200 ms\nexpect: { still: { always: abs(motor.speed) < 1000 rad/s } }\n");
  const Finished done = tactus_of({"campaign", "a.campaign.yaml", "--out", "before", "--quiet"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const Json verdict = Json::parse(read_file(dir_.path() / "before/cases/0/3-1/run/verdict.json"));
  ASSERT_EQ(verdict["measured"].size(), 5U);
  EXPECT_EQ(verdict["measured"][0]["name"], "peak");
  EXPECT_EQ(verdict["measured"][0]["unit"], "A");
  EXPECT_GT(verdict["measured"][0]["value"].get<double>(), 0);
  EXPECT_GT(verdict["measured"][1]["value"].get<double>(), 0);
  EXPECT_GT(verdict["measured"][2]["value"].get<double>(), 0);
  EXPECT_LT(verdict["measured"][2]["value"].get<double>(), 0.2);
  EXPECT_EQ(verdict["measured"][3]["value"], 0);
  EXPECT_EQ(verdict["measured"][4]["value"], 200);

  std::string line = read_file(dir_.path() / "before/cases/0/3-1/command.txt");
  line = tactus({}, {}).argv.front() + line.substr(6, line.find('\n') - 6) + " --out alone";
  EXPECT_EQ(run({.argv = {"/bin/sh", "-c", line}, .cwd = dir_.path()}).status, 0);
  EXPECT_EQ(read_file(dir_.path() / "alone/verdict.json"),
            read_file(dir_.path() / "before/cases/0/3-1/run/verdict.json"));
  const std::string recorded = read_file(dir_.path() / "alone/motion.csv");
  EXPECT_FALSE(recorded.empty());
  EXPECT_EQ(recorded, read_file(dir_.path() / "before/cases/0/3-1/run/motion.csv")) << "each byte of it";

  EXPECT_THAT(tactus_of({"campaign", "table", "before", "--csv"}).out,
              AllOf(HasSubstr("peak {A}"), HasSubstr("started {s}"), HasSubstr(",200,")));
  const Json figures = Json::parse(tactus_of({"campaign", "figures", "before", "--json"}).out);
  ASSERT_EQ(figures["measured"].size(), 5U);
  const bool correlated =
      std::any_of(figures["correlations"].begin(), figures["correlations"].end(),
                  [](const Json& row) { return row.value("quantity", "") == "swing" && row["rank"] == 1.0; });
  EXPECT_TRUE(correlated) << figures["correlations"].dump(2);
  EXPECT_THAT(read_file(dir_.path() / "before/campaign.html"),
              HasSubstr("\"kind\":\"measured\",\"name\":\"peak\""));

  const std::string file = read_file(dir_.path() / "a.campaign.yaml");
  dir_.write("a.campaign.yaml", file + "set: { models.motor.parameters.resistance: 0.9 Ohm }\n");
  ASSERT_EQ(tactus_of({"campaign", "a.campaign.yaml", "--out", "after", "--quiet"}).status, 0);
  const Json compared = Json::parse(tactus_of({"campaign", "compare", "before", "after", "--json"}).out);
  ASSERT_EQ(compared["measured"].size(), 5U);
  for (const Json& row : compared["measured"]) {
    EXPECT_EQ(row["cases"], 5);
    if (row["quantity"] == "frames") EXPECT_EQ(row["changed"], 0);
  }
  EXPECT_THAT(tactus_of({"campaign", "compare", "before", "after"}).out, HasSubstr("measured: peak, mean "));
}

TEST_F(Campaign, ThatIsNotNamedOrNotThereIsWrongInput) {
  for (const char* const what : {"table", "page", "figures", "compare"}) {
    EXPECT_EQ(tactus_of({"campaign", what}).status, 2) << what;
    EXPECT_EQ(tactus_of({"campaign", what, "nowhere"}).status, 2) << what;
  }
}

TEST_F(Campaign, RefusesOptionsThatWouldDoNothing) {
  write("vary: { models.motor.parameters.supply: [22 V, 24 V] }\n");
  using Words = std::vector<std::string>;
  for (const auto& [words, option] :
       {std::pair{Words{"a.campaign.yaml", "--plan", "--csv"}, "--csv"},
        std::pair{Words{"a.campaign.yaml", "--running"}, "--running"},
        std::pair{Words{"table", "out", "--running"}, "--running"},
        std::pair{Words{"table", "out", "--json"}, "--json"},
        std::pair{Words{"table", "out", "--only", "3"}, "--only"},
        std::pair{Words{"figures", "out", "--out", "other"}, "--out"},
        std::pair{Words{"a.campaign.yaml", "--first", "3"}, "--first"},
        std::pair{Words{"a.campaign.yaml", "--plan", "--minimise"}, "--minimise"},
        std::pair{Words{"a.campaign.yaml", "--plan", "--bisect", "supply"}, "--bisect"},
        std::pair{Words{"a.campaign.yaml", "--plan", "--until-sure", "0.9"}, "--until-sure"},
        std::pair{Words{"a.campaign.yaml", "--plan", "--only", "1"}, "--only"},
        std::pair{Words{"a.campaign.yaml", "--minimise", "--only", "1"}, "--only"},
        std::pair{Words{"a.campaign.yaml", "--bisect", "supply", "--retry-failed"}, "--retry-failed"},
        std::pair{Words{"a.campaign.yaml", "--plan", "--half-width", "5 %"}, "--half-width"}}) {
    Words all{"campaign"};
    all.insert(all.end(), words.begin(), words.end());
    const auto done = tactus_of(all);
    EXPECT_EQ(done.status, 2) << option;
    EXPECT_THAT(done.err, HasSubstr(std::string(option) + ": is for")) << option;
  }
  const auto done = tactus_of({"campaign", "table", "out", "--half-width", "5 %"});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("options of a search are for"));
  EXPECT_THAT(tactus_of({"campaign", "table", "out", "other"}).err,
              HasSubstr("'other' is one word too many"));
  const auto both = tactus_of({"campaign", "a.campaign.yaml", "--minimise", "--only", "1", "--shuffle", "3"});
  EXPECT_THAT(both.err, AllOf(HasSubstr("--only: is for"), HasSubstr("--shuffle: is for")));
}

TEST_F(Campaign, ATableHasALineForEachCaseWhateverNamesHold) {
  write("");
  dir_.write("b.test.yaml",
             "until: 9 ms\nexpect: { \"tab\\tand\\nend\": { always: motor.speed < 0 rad/s } }\n");
  ASSERT_EQ(tactus_of({"campaign", "a.campaign.yaml", "--out", "out", "--quiet"}).status, 4);
  const std::string table = tactus_of({"campaign", "table", "out"}).out;
  ASSERT_EQ(std::count(table.begin(), table.end(), '\n'), 2) << table;
  const std::size_t second = table.find('\n');
  EXPECT_EQ(std::count(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(second), '\t'),
            std::count(table.begin() + static_cast<std::ptrdiff_t>(second), table.end(), '\t'))
      << table;
  EXPECT_THAT(table, HasSubstr("tab and end"));
}

TEST_F(Campaign, MeasuresWithoutATestAndSaysWhatCannotBeMeasured) {
  dir_.write("a.campaign.yaml",
             "campaign: a\nrig: " + example("servo") +
                 "\nset: { until: 20 ms }\nvary: { models.motor.parameters.supply: [22 V, 24 V] }\n"
                 "measure: { peak: max(motor.speed) }\n");
  ASSERT_EQ(tactus_of({"campaign", "a.campaign.yaml", "--out", "out", "--quiet"}).status, 0);
  EXPECT_THAT(tactus_of({"campaign", "table", "out", "--csv"}).out,
              AllOf(HasSubstr("peak {rad/s}"), HasSubstr(",pass,22,")));
  const Json summary = Json::parse(read_file(dir_.path() / "out/cases/0/0-1/run/summary.json"));
  EXPECT_EQ(summary["measured"][0]["name"], "peak");

  write("measure:\n  a: max(motor.curent)\n  b: run latte.p99\n  c: max(motor.current, 3 V)\n");
  const std::string wrong = tactus_of({"check", "a.campaign.yaml"}).err;
  EXPECT_THAT(wrong, AllOf(HasSubstr("a.campaign.yaml:5:6: measure.a: "), HasSubstr("motor.current"),
                           HasSubstr("a.campaign.yaml:6:6: measure.b: "), HasSubstr("late.p99"),
                           HasSubstr("a.campaign.yaml:7:6: measure.c: ")));
  write("measure: { verdict: max(motor.current), a.b: 1 }\n");
  EXPECT_THAT(tactus_of({"check", "a.campaign.yaml"}).err,
              AllOf(HasSubstr("column of all results"), HasSubstr("'a.b' is not a name")));
}

class Searches : public Campaign {
 protected:
  void SetUp() override {
    write(
        "set: { record: {} }\nvary: { faults.shifted.offset: { uniform: [1 mrad, 1 rad] } }\n"
        "cases: { monte_carlo: 100, seed: 1 }\n");
    dir_.write("b.test.yaml",
               "test: b\nuntil: 200 ms\nfaults:\n"
               "  shifted: { on: encoder.angle, offset: 1 mrad, at: 0 s }\n"
               "  harmless: { on: encoder.speed, offset: 1 mrad/s, at: 0 s }\n"
               "expect: { near: { never: abs(encoder.angle - motor.angle) > 0.4 rad } }\n");
  }
  Json last_line(const Finished& done) const {
    const std::string text = done.out.substr(0, done.out.size() - 1);
    return Json::parse(text.substr(text.rfind('\n') + 1));
  }
};

TEST_F(Searches, NarrowTheBorderOfOneKey) {
  const Finished done = tactus_of(
      {"campaign", "a.campaign.yaml", "--bisect", "offset", "--within", "50 mrad", "--json", "--out", "out"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const Json found = last_line(done);
  EXPECT_LE(found["high"].get<double>() - found["low"].get<double>(), 50);
  EXPECT_LT(found["low"].get<double>(), 405);
  EXPECT_GT(found["high"].get<double>(), 395);
  EXPECT_EQ(found["low_passes"], true);
  const std::string probes = read_file(dir_.path() / "out" / "probes.jsonl");
  EXPECT_EQ(std::count(probes.begin(), probes.end(), '\n'), found["runs"].get<int>());
  const Finished quiet = tactus_of({"campaign", "a.campaign.yaml", "--bisect", "offset", "--within",
                                    "50 mrad", "--json", "--quiet", "--jobs", "4", "--out", "many"});
  EXPECT_EQ(std::count(quiet.out.begin(), quiet.out.end(), '\n'), 1) << "the result alone: " << quiet.out;
  const Json many = last_line(quiet);
  EXPECT_LE(many["high"].get<double>() - many["low"].get<double>(), 50);
  EXPECT_LT(many["low"].get<double>(), 405);
  EXPECT_GT(many["high"].get<double>(), 395);
}

TEST_F(Searches, FindTheFaultThatFails) {
  dir_.write("b.test.yaml",
             read_file(dir_.path() / "b.test.yaml") + "set: { faults.shifted.offset: 900 mrad }\n");
  dir_.write("a.campaign.yaml", "campaign: a\nrig: " + example("servo") +
                                    "\ntest: b.test.yaml\nset: { record: {} }\n"
                                    "vary: { models.motor.parameters.supply: [24 V, 26 V] }\n");
  const Finished done = tactus_of({"campaign", "a.campaign.yaml", "--minimise", "--json", "--out", "out"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_EQ(last_line(done)["set"], Json::array({"shifted"}));
}

TEST_F(Searches, DoNotBeginWithACaseThatIsLeftOut) {
  dir_.write("a.campaign.yaml", "campaign: a\nrig: " + example("servo") +
                                    "\ntest: b.test.yaml\nset: { record: {} }\n"
                                    "vary: { models.motor.parameters.supply: [24 V, 26 V] }\n"
                                    "exclude: [ supply < 25 V ]\n");
  const Finished done = tactus_of({"campaign", "a.campaign.yaml", "--minimise", "--out", "out"});
  EXPECT_EQ(done.status, 2) << done.out;
  EXPECT_THAT(done.err, HasSubstr("--case 0: 'exclude' leaves this case out; choose another one"));
  EXPECT_EQ(tactus_of({"campaign", "a.campaign.yaml", "--minimise", "--case", "1", "--out", "out"}).status, 1)
      << "case 1 does not fail";
}

TEST_F(Searches, TakeNoCaseForAPassThatSomebodyStops) {
  dir_.write("a.campaign.yaml", "campaign: a\nrig: " + example("servo") +
                                    "\nset: { record: {}, until: 1000000 s, live: { http: {} } }\n"
                                    "vary: { models.motor.parameters.supply: [24 V, 26 V] }\n");
  Process search(tactus({"campaign", "a.campaign.yaml", "--minimise", "--out", "out"}, dir_.path()));
  ASSERT_TRUE(wait_for_text(dir_ / "out/0/log.txt", "listens on"));
  EXPECT_EQ(tactus_of({"stop", "out/0"}).status, 0);
  const Finished& done = search.wait();
  EXPECT_EQ(done.status, 3) << done.out;
  EXPECT_THAT(done.out, HasSubstr("----  "));
  EXPECT_THAT(done.err,
              HasSubstr("a case could not be judged (it ended before its time: stopped by a client"));
}

TEST_F(Searches, EndOnceThePassRateIsKnown) {
  const Finished done = tactus_of({"campaign", "a.campaign.yaml", "--until-sure", "0.8", "--half-width",
                                   "30 %", "--json", "--out", "out"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const Json found = last_line(done);
  EXPECT_EQ(found["sure"], true);
  EXPECT_LE(found["of"].get<int>(), found["most_cases"].get<int>());
  EXPECT_LE(found["high"].get<double>() - found["low"].get<double>(), 0.6);
  const Json alone =
      last_line(tactus_of({"campaign", "a.campaign.yaml", "--until-sure", "0.8", "--half-width", "30 %",
                           "--json", "--jobs", "1", "--out", "alone"}));
  EXPECT_EQ(alone["left_out"], 0);
  for (const char* const key : {"of", "passed", "low", "high"}) EXPECT_EQ(alone[key], found[key]) << key;
  EXPECT_EQ(tactus_of({"campaign", "a.campaign.yaml", "--until-sure", "2"}).status, 2);
}

TEST_F(Searches, OfTheFileAreRunAsByTheirOptions) {
  const std::string file = read_file(dir_.path() / "a.campaign.yaml");
  dir_.write("a.campaign.yaml", file + "bisect: { key: offset, within: 100 mrad }\n");
  EXPECT_THAT(tactus_of({"campaign", "a.campaign.yaml", "--plan"}).out,
              HasSubstr("bisect: faults.shifted.offset"));
  const Finished done = tactus_of({"campaign", "a.campaign.yaml", "--json", "--out", "out"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const Json found = last_line(done);
  EXPECT_LT(found["low"].get<double>(), 405);
  EXPECT_GT(found["high"].get<double>(), 380);
  EXPECT_LE(found["high"].get<double>() - found["low"].get<double>(), 100);
  const Json wider = last_line(
      tactus_of({"campaign", "a.campaign.yaml", "--json", "--within", "500 mrad", "--out", "wider"}));
  EXPECT_LT(wider["runs"].get<int>(), found["runs"].get<int>()) << "an option overrules the file";
  EXPECT_THAT(tactus_of({"campaign", "a.campaign.yaml", "--case", "100"}).err,
              HasSubstr("--case 100: there are 0 .. 99"));
}

TEST_F(Searches, ARunEndsOnceItsPassRateIsSure) {
  const std::string file = read_file(dir_.path() / "a.campaign.yaml");
  const std::size_t at = file.find("seed: 1");
  dir_.write("a.campaign.yaml",
             file.substr(0, at) + "until_sure: \"0.8 of 'near' +- 30 %\", " + file.substr(at));
  EXPECT_THAT(tactus_of({"campaign", "a.campaign.yaml", "--plan"}).out,
              HasSubstr("until_sure: 80 % of 'near' to 30 %"));
  const Finished done = tactus_of({"campaign", "a.campaign.yaml", "--json", "--out", "out"});
  ASSERT_TRUE(done.status == 4 || done.status == 0) << done.out << done.err;
  const Json sure = last_line(done)["until_sure"];
  EXPECT_EQ(sure["sure"], true);
  EXPECT_LE(sure["of"].get<int>(), sure["most_draws"].get<int>());
  EXPECT_LE(sure["interval"][1].get<double>() - sure["interval"][0].get<double>(), 0.6);
  const Json figures = Json::parse(tactus_of({"campaign", "figures", "out", "--json"}).out);
  EXPECT_EQ(figures["until_sure"], sure) << "the same is computed from the database";
  EXPECT_TRUE(figures["draws"]["interval"].is_null());
  EXPECT_THAT(tactus_of({"campaign", "figures", "out"}).out, HasSubstr("no further draw is needed"));
  EXPECT_EQ(last_line(tactus_of({"campaign", "a.campaign.yaml", "--json", "--out", "out"}))["until_sure"],
            sure)
      << "the next call runs nothing";
  const Finished shuffled = tactus_of({"campaign", "a.campaign.yaml", "--shuffle", "3", "--out", "other"});
  EXPECT_EQ(shuffled.status, 2);
  EXPECT_THAT(shuffled.err, HasSubstr("until_sure of the campaign counts draws in their order"));
}

TEST_F(Campaign, RefusesOptionsThatDoNothing) {
  write("vary: { models.motor.parameters.supply: [22 V, 24 V] }\n");
  const auto said = [&](const Arguments& more) {
    Arguments words{"campaign", "a.campaign.yaml", "--out", "out"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = tactus_of(words);
    EXPECT_EQ(done.status, 2) << done.out;
    return done.err;
  };
  EXPECT_THAT(said({"--case", "1"}), HasSubstr("--only N runs one case"));
  EXPECT_THAT(said({"--within", "3 V"}), HasSubstr("is for --bisect KEY"));
  EXPECT_THAT(said({"--half-width", "3 %"}), HasSubstr("is for --until-sure SHARE"));
  EXPECT_THAT(said({"--bisect", "supply", "--minimise"}), HasSubstr("exclude each other"));
  EXPECT_THAT(said({"--shuffle", "0"}), HasSubstr("--shuffle"));
  EXPECT_THAT(said({"--only", "5-2"}), HasSubstr("--only 5-2: no case is meant; there are 0 .. 1"));
  EXPECT_THAT(said({"--only", "nothing like it"}), HasSubstr("no case is meant"));
  ASSERT_EQ(tactus_of({"campaign", "a.campaign.yaml", "--out", "out", "--quiet"}).status, 0);
  EXPECT_THAT(said({"--only", "5-7"}), HasSubstr("no case is meant")) << "though others have a result";
  EXPECT_EQ(tactus_of({"campaign", "a.campaign.yaml", "--out", "out", "--only", "1"}).status, 0);
  write("vary: { models.motor.parameters.supply: [22 V, 24 V] }\nexclude: [ supply > 1 V ]\n");
  dir_.write("none.campaign.yaml", read_file(dir_.path() / "a.campaign.yaml"));
  const Finished none = tactus_of({"campaign", "none.campaign.yaml", "--out", "none"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("exclude: leaves out every case"));
}

TEST_F(Campaign, ItsResultsAreReadWhereNothingCanBeWritten) {
  write("set: { until: 5 ms, record: {} }\n");
  ASSERT_EQ(tactus_of({"campaign", "a.campaign.yaml", "--out", "out", "--quiet"}).status, 0);
  const std::string program = tactus({}, {}).argv.front();
  const auto shell = [&](const std::string& script) {
    return run({.argv = {"/bin/sh", "-c", "unshare --mount sh -c '" + script + "'"}, .cwd = dir_.path()});
  };
  const std::string mount =
      "mkdir still && mount -t tmpfs tmpfs still && cp -r out still/ && mount -o remount,ro still";
  if (shell(mount + " && rmdir still 2>/dev/null; true").status != 0 || ::geteuid() != 0)
    GTEST_SKIP() << "a file system cannot be mounted here";
  std::filesystem::remove_all(dir_.path() / "still");
  const Finished done = shell(mount + " && " + program + " campaign table still/out --csv");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr(",pass,"));
}

}  // namespace
}  // namespace tactus::rig_test::campaign_test
