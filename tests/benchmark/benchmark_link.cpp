// SPDX-License-Identifier: Apache-2.0
// What does a link cost a rig, how fast can linked frames be, and how long is the way to the rig and back?
#include <tactus/silkit.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

using namespace std::chrono_literals;
using tactus::benchmark::Json;
using tactus::test::Process;
using tactus::test::TempDir;
using Arguments = std::vector<std::string>;

/// A registry, and what is run with it, in a folder of its own.
class Stage {
 public:
  Stage() {
    registry_ = start({TACTUS_COMMAND, "registry", "-u", "silkit://127.0.0.1:0"});
    const std::string words = "listening on ";
    if (!registry_->wait_for_output(words)) throw std::runtime_error("no registry: " + registry_->err());
    while (registry_->out().find('\n') == std::string::npos)
      if (!registry_->wait_for_output("\n")) throw std::runtime_error("no registry: " + registry_->err());
    const std::size_t begin = registry_->out().find(words) + words.size();
    uri_ = registry_->out().substr(begin, registry_->out().find('\n', begin) - begin);
  }

  const std::string& uri() const { return uri_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return dir_.write(name, text);
  }
  std::unique_ptr<Process> start(Arguments argv) const {
    return std::make_unique<Process>(tactus::test::Command{
        .argv = std::move(argv), .env = {{"TMPDIR", dir_.path().string()}}, .cwd = dir_.path()});
  }
  std::unique_ptr<Process> workflow(const Arguments& names) const {
    Arguments argv{TACTUS_COMMAND, "workflow", "-u", uri_};
    argv.insert(argv.end(), names.begin(), names.end());
    return start(std::move(argv));
  }
  std::unique_ptr<Process> setpoint(double step_ms) const {
    return start({TACTUS_SETPOINT, "--registry", uri_, "--quiet", "--step", std::to_string(step_ms)});
  }
  /// Nobody's lateness ends it.
  std::unique_ptr<Process> rig(const std::string& file, const Arguments& more) {
    out_ = "run" + std::to_string(++runs_);
    Arguments argv{
        TACTUS_COMMAND, "run", file,      "--registry", uri_,
        "--out",        out_,  "--quiet", "--set",      "realtime.max_consecutive_overruns=100000000 frames"};
    argv.insert(argv.end(), more.begin(), more.end());
    return start(std::move(argv));
  }
  /// summary.json of the last rig, which has to end well.
  Json summary_of(Process& rig) const {
    const auto& done = rig.wait(300s);
    if (done.status != 0) throw std::runtime_error("the rig failed: " + done.out + done.err);
    return Json::parse(tactus::test::read_file(dir_.path() / out_ / "summary.json"));
  }

 private:
  TempDir dir_;
  std::unique_ptr<Process> registry_;
  std::string uri_;
  std::string out_;
  int runs_ = 0;
};

void must_end(Process& process) {
  const auto& done = process.wait(60s);
  if (done.status != 0) throw std::runtime_error("a peer failed: " + done.out + done.err);
}

// ---- what it costs

Json servo(bool linked, const std::string& until) {
  Stage stage;
  if (!linked) return stage.summary_of(*stage.rig(TACTUS_LINKED_RIG, {"--link", "off", "--until", until}));
  const auto workflow = stage.workflow({"Setpoint", "Servo"});
  const auto setpoint = stage.setpoint(1);
  const auto rig = stage.rig(TACTUS_LINKED_RIG, {"--set", "link.max_late=1000 s", "--until", until});
  const Json summary = stage.summary_of(*rig);
  must_end(*workflow);
  must_end(*setpoint);
  return summary;
}

void cost(bool quick) {
  const int rounds = quick ? 1 : 9;
  const std::string until = quick ? "1s" : "5s";
  struct Figure {
    const char* name;
    const char* key;
    const char* member;
  };
  constexpr Figure kFigures[] = {{"work_p50_ns", "work_ns", "p50"},
                                 {"work_p99_ns", "work_ns", "p99"},
                                 {"late_p50_ns", "late_ns", "p50"},
                                 {"late_p99_ns", "late_ns", "p99"}};
  std::map<std::string, std::vector<double>> all;
  std::vector<double> late_grants;
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    Json figures[2];
    for (const bool linked : {round % 2 == 0, round % 2 != 0}) figures[linked] = servo(linked, until);
    if (round < 0) continue;
    for (const Figure& each : kFigures) {
      const double without = figures[0][each.key][each.member].get<double>();
      const double with = figures[1][each.key][each.member].get<double>();
      all["unlinked." + std::string(each.name)].push_back(without);
      all["linked." + std::string(each.name)].push_back(with);
      all["ratio." + std::string(each.name)].push_back(with / without);
    }
    late_grants.push_back(figures[1]["link"]["late_grants"].get<double>() /
                          figures[1]["link"]["steps"].get<double>());
  }
  Json answer{{"frame_us", 1000},
              {"simulated", until},
              {"rounds", rounds},
              {"ratio_is", "linked to unlinked, of the same round; buckets are 1.6 % wide"},
              {"late_grants_share", to_json(tactus::benchmark::spread_of(late_grants))}};
  for (const auto& [name, values] : all) {
    const std::size_t dot = name.find('.');
    answer[name.substr(0, dot)][name.substr(dot + 1)] = to_json(tactus::benchmark::spread_of(values));
  }
  tactus::benchmark::answer("what does a link cost a rig of 1 kHz, in turns with the same rig without it?",
                            answer);
}

// ---- how fast

/// An encoder whose shaft is moved by a virtual participant. `link` is more keys of its section.
std::string encoder_rig(int frame_us, const std::string& link) {
  const std::string frame = std::to_string(frame_us) + " us";
  return R"(rig: bench
frame: { period: )" +
         frame + R"( }
privileges: prefer
frame_log: no
link:
  participant: Servo
)" + link +
         R"(
  subscribe: { setpoint: { variable: encoder.shaft_angle, max_age: never } }
  publish: { position: { variable: encoder.angle } }
realtime: { enabled: yes, sleeper: hybrid, margin: measured, on_overrun: catch_up }
threads: { main: { policy: fifo, priority: 80 } }
memory: { lock: yes, heap: 8 MiB }
models:
  encoder:
    model: encoder
    library: servo
    parameters: { lines: 5000, filter: )" +
         frame + R"( }
    jobs: { sample: { cycle: )" +
         frame + R"( } }
)";
}

/// Share of late grants of a rig with a frame as step.
Json late_share(int frame_us, int peers, int frames) {
  Stage stage;
  Arguments names{"Setpoint", "Servo"};
  for (int i = 1; i < peers; ++i) names.push_back("P" + std::to_string(i));
  const auto workflow = stage.workflow(names);
  const auto setpoint = stage.setpoint(frame_us / 1e3);
  std::vector<std::unique_ptr<Process>> others;
  for (int i = 1; i < peers; ++i)
    others.push_back(
        stage.start({TACTUS_SILKIT_PARTICIPANT, TACTUS_SILKIT_LIBRARY, names[static_cast<std::size_t>(i) + 1],
                     stage.uri(), "say=no", "step_us=" + std::to_string(frame_us)}));
  const auto file = stage.write("rig.yaml", encoder_rig(frame_us, ""));
  const auto rig = stage.rig(file.string(), {"--frames", std::to_string(frames)});
  const Json summary = stage.summary_of(*rig);
  const Json& link = summary["link"];
  return {{"frames_per_s", tactus::benchmark::rounded(1e6 / frame_us)},
          {"late_share",
           tactus::benchmark::rounded(link["late_grants"].get<double>() / link["steps"].get<double>())},
          {"worst_lateness_ns", link["worst_lateness_ns"]},
          {"overruns", summary["frames"]["overruns"]}};
}

void fastest(bool quick) {
  constexpr double kFew = 0.001;
  for (const int peers : {1, 7}) {
    Json tried = Json::array();
    double highest = 0;
    for (const int frame_us :
         quick ? std::vector{10'000, 2'000}
               : std::vector{10'000, 5'000, 2'000, 1'000, 500, 400, 300, 250, 200, 150, 100}) {
      const Json one = late_share(frame_us, peers, quick ? 500 : 5'000'000 / std::min(frame_us, 1'000));
      tried.push_back(one);
      if (one["late_share"].get<double>() < kFew)
        highest = one["frames_per_s"].get<double>();
      else if (one["late_share"].get<double>() > 100 * kFew)
        break;  // it does not get better
    }
    tactus::benchmark::answer(
        "at which frame rate are less than 0.1 % of the grants late, with a frame as step?",
        {{"peers", peers}, {"highest_frames_per_s", highest}, {"tried", tried}});
  }
}

// ---- there and back

/// A virtual participant that counts its steps on the shaft, and sees the rig's encoder count them after it.
class Probe {
 public:
  Probe(const std::string& uri, std::uint64_t step_ns, std::int64_t steps) : steps_(steps) {
    sent_ns_.resize(static_cast<std::size_t>(steps) + 1);
    must(SilKit_ParticipantConfiguration_FromString(&configuration_, "Logging: { Sinks: [] }"));
    must(SilKit_Participant_Create(&participant_, configuration_, "Setpoint", uri.c_str()));
    SilKit_LifecycleConfiguration coordinated = tactus_silkit_LifecycleConfiguration();
    coordinated.operationMode = SilKit_OperationMode_Coordinated;
    must(SilKit_LifecycleService_Create(&lifecycle_, participant_, &coordinated));
    SilKit_TimeSyncService* time = nullptr;
    must(SilKit_TimeSyncService_Create(&time, lifecycle_));
    must(SilKit_TimeSyncService_SetSimulationStepHandler(
        time, this,
        [](void* context, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {
          static_cast<Probe*>(context)->step();
        },
        step_ns));
    SilKit_DataSpec out = spec("setpoint");
    must(SilKit_DataPublisher_Create(&publisher_, participant_, "setpoint", &out, 0));
    SilKit_DataSpec in = spec("position");
    SilKit_DataSubscriber* subscriber = nullptr;
    must(SilKit_DataSubscriber_Create(
        &subscriber, participant_, "position", &in, this,
        [](void* context, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* message) {
          if (message->data.size == sizeof(double)) static_cast<Probe*>(context)->hear(message->data.data);
        }));
    must(SilKit_LifecycleService_StartLifecycle(lifecycle_));
  }
  ~Probe() {
    if (participant_ != nullptr) (void)SilKit_Participant_Destroy(participant_);
    if (configuration_ != nullptr) (void)SilKit_ParticipantConfiguration_Destroy(configuration_);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// Until it has made all its steps.
  void wait() {
    SilKit_ParticipantState last = SilKit_ParticipantState_Invalid;
    must(SilKit_LifecycleService_WaitForLifecycleToComplete(lifecycle_, &last));
  }
  /// How many round trips took so many steps.
  const std::map<std::int64_t, std::int64_t>& in_steps() const { return in_steps_; }
  std::vector<double> in_us() const { return in_us_; }

 private:
  static constexpr double kStride = 0.01;  // rad, some 32 counts of the encoder

  static void must(SilKit_ReturnCode code) {
    if (code != SilKit_ReturnCode_SUCCESS) throw std::runtime_error(SilKit_GetLastErrorString());
  }
  static SilKit_DataSpec spec(const char* topic) {
    SilKit_DataSpec made = tactus_silkit_DataSpec();
    made.topic = topic;
    made.mediaType = "application/vnd.vector.silkit.data; protocolVersion=1";
    return made;
  }

  void step() {
    for (const std::int64_t n : heard_) ++in_steps_[step_ - n];
    heard_.clear();
    if (step_ == steps_) {
      (void)SilKit_LifecycleService_Stop(lifecycle_, "measured");
      return;
    }
    const double value = kStride * static_cast<double>(step_);
    std::uint8_t bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    const SilKit_ByteVector data{bytes, sizeof bytes};
    sent_ns_[static_cast<std::size_t>(step_)] = tactus::benchmark::now_ns();
    (void)SilKit_DataPublisher_Publish(publisher_, &data);
    ++step_;
  }
  void hear(const std::uint8_t* bytes) {
    double value = 0;
    std::memcpy(&value, bytes, sizeof value);
    const auto n = static_cast<std::int64_t>(value / kStride + 0.5);
    if (n <= last_ || n >= step_) return;  // what was held is no round trip
    last_ = n;
    heard_.push_back(n);
    in_us_.push_back(
        static_cast<double>(tactus::benchmark::now_ns() - sent_ns_[static_cast<std::size_t>(n)]) / 1e3);
  }

  const std::int64_t steps_;
  std::int64_t step_ = 0;
  std::int64_t last_ = 0;
  std::vector<std::int64_t> heard_;  ///< since the last step
  std::vector<std::int64_t> sent_ns_;
  std::map<std::int64_t, std::int64_t> in_steps_;
  std::vector<double> in_us_;
  SilKit_ParticipantConfiguration* configuration_ = nullptr;
  SilKit_Participant* participant_ = nullptr;
  SilKit_LifecycleService* lifecycle_ = nullptr;
  SilKit_DataPublisher* publisher_ = nullptr;
};

void there_and_back(bool quick) {
  constexpr int kFrameUs = 1'000;
  const std::int64_t steps = quick ? 1'000 : 10'000;
  for (const char* const mode : {"paced", "follow"})
    for (const char* const delivery : {"timestamp", "next_step"}) {
      Stage stage;
      const auto workflow = stage.workflow({"Setpoint", "Servo"});
      const auto file = stage.write(
          "rig.yaml", encoder_rig(kFrameUs, "  mode: " + std::string(mode) + "\n  delivery: " + delivery));
      const auto rig = stage.rig(file.string(), {});
      Probe probe(stage.uri(), kFrameUs * 1'000ULL, steps);
      probe.wait();
      const Json link = stage.summary_of(*rig)["link"];
      must_end(*workflow);
      std::vector<double> us = probe.in_us();
      std::sort(us.begin(), us.end());
      Json in_steps = Json::object();
      for (const auto& [count, times] : probe.in_steps()) in_steps[std::to_string(count)] = times;
      const auto at = [&](double share) {
        return us.empty() ? 0.0
                          : tactus::benchmark::rounded(
                                us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))]);
      };
      tactus::benchmark::answer("how long is the way of a set-point to the rig, and of its position back?",
                                {{"mode", mode},
                                 {"delivery", delivery},
                                 {"step_us", kFrameUs},
                                 {"round_trips", us.size()},
                                 {"in_steps", in_steps},
                                 {"in_us", {{"p50", at(0.5)}, {"p99", at(0.99)}, {"max", at(1)}}},
                                 {"late_grants", link["late_grants"]},
                                 {"messages_late", link["messages"]["late"]}});
    }
}

void run(bool quick) {
  cost(quick);
  fastest(quick);
  there_and_back(quick);
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What does a link cost, and how fast is it?", &run);
}
