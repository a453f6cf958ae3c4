// SPDX-License-Identifier: Apache-2.0
// What does it cost the frames that somebody looks in, and how soon does a change take effect?
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <tactus/model.hpp>
#include <thread>
#include <vector>

#include "executive/capability/live/live_port.hpp"
#include "executive/frame/executive.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

using namespace std::chrono_literals;

using namespace tactus::rtsync;
using namespace tactus::executive;
using tactus::benchmark::Json;
using tactus::benchmark::rounded;

/// Models of `each` doubles that lie side by side, as in a class; the models anywhere.
struct Memory {
  std::vector<std::unique_ptr<std::vector<double>>> models;
  std::vector<LivePort::Source> sources;

  Memory(std::size_t variables, std::size_t each) {
    for (std::size_t made = 0; made < variables; made += each) {
      models.push_back(std::make_unique<std::vector<double>>(each, 1.5));
      for (double& value : *models.back()) sources.push_back({nullptr, &value, sizeof value});
    }
  }
};

/// One snapshot against one memcpy of as many bytes.
void measure_snapshot(std::size_t variables, std::size_t each, bool quick) {
  Memory memory(variables, each);
  LivePort port(memory.sources);
  const std::size_t bytes = port.bytes();
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
  const int chunk =
      static_cast<int>(std::clamp<std::size_t>(20'000'000 / (bytes + 200), 20, 100'000) / (quick ? 10 : 1)) +
      1;
  const RigFigures rig;
  tactus::rtsync::MonotonicClock clock;
  tactus::executive::Slack slack(clock);
  const auto turns = tactus::benchmark::take_turns(
      {{"memcpy",
        [&] {
          const std::int64_t begin = tactus::benchmark::now_ns();
          for (int i = 0; i < chunk; ++i) {
            std::memcpy(to.data(), from.data(), bytes);
            tactus::benchmark::keep(to);
          }
          return static_cast<double>(tactus::benchmark::now_ns() - begin) / chunk;
        }},
       {"snapshot",
        [&] {
          const std::int64_t begin = tactus::benchmark::now_ns();
          for (int i = 0; i < chunk; ++i) {
            (void)port.want();
            port.in_slack({i, rig, slack});
          }
          return static_cast<double>(tactus::benchmark::now_ns() - begin) / chunk;
        }},
       {"nobody looks",
        [&] {
          const std::int64_t begin = tactus::benchmark::now_ns();
          for (int i = 0; i < chunk; ++i) {
            port.in_slack({i, rig, slack});
            tactus::benchmark::keep(to);
          }
          return static_cast<double>(tactus::benchmark::now_ns() - begin) / chunk;
        }}},
      quick ? 5 : 21);
  tactus::benchmark::answer("what does a snapshot cost",
                            {{"variables", variables},
                             {"variables_per_model", each},
                             {"memcpys", port.runs()},
                             {"memcpy_ns", tactus::benchmark::to_json(turns.of(0))},
                             {"snapshot_ns", tactus::benchmark::to_json(turns.of(1))},
                             {"nobody_looks_ns", tactus::benchmark::to_json(turns.of(2))},
                             {"snapshot_minus_memcpy_ns", tactus::benchmark::to_json(turns.difference(1, 0))},
                             {"snapshot_to_memcpy", tactus::benchmark::to_json(turns.ratio(1, 0))}});
}

class Knob : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.input("u", u_);
    d.job<&Knob::step>("step", tactus::JobClass::scheduled);
  }
  void step() {}

 private:
  double u_ = 0;
};
TACTUS_MODEL("knob", Knob, "to be set")

/// From the frame under way when a change is sent to the one that takes it, in frames of a rig in real time.
void measure_set(bool quick) {
  std::uint32_t models = 0;
  ModelInstance knob(**tactus_models(&models), "knob");
  Plan plan;
  plan.live = true;
  PlannedJob job;
  job.name = "knob.step";
  job.model = &knob;
  job.run = knob.jobs().front().run;
  job.self = knob.self();
  job.cycle = plan.frame;
  plan.jobs.push_back(job);
  MonotonicClock clock;
  NanosleepSleeper sleeper(clock);
  RealtimeSettings settings;
  settings.enabled = true;
  RealtimeSync sync(settings, plan.frame, clock, sleeper);
  RealtimeVariables variables;
  Executive executive(std::move(plan), sync, sleeper, clock, variables);
  const Variable& u = knob.variables().front();
  LivePort port({{&knob, u.data, 8}});
  executive.add(port);
  executive.run_initialization();
  std::vector<std::int64_t> frames;
  {
    PinnedThread main({"main", {}, SchedPolicy::fifo, 50}, [&] { (void)executive.run(INT64_MAX); });
    while (port.frame() < 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int i = 0; i < (quick ? 50 : 1000); ++i) {
      auto packet = std::make_unique<LivePacket>();
      const double value = i;
      packet->data.resize(8);
      std::memcpy(packet->data.data(), &value, 8);
      packet->changes.push_back({LiveWrite::Kind::set, u.data, executive.program().forces_of(&knob), 0, 8});
      const std::int64_t under_way = port.frame();
      port.send(packet.get());
      LiveEvent event;
      while (!port.pop(event)) std::this_thread::sleep_for(std::chrono::microseconds(100 + i % 1000));
      frames.push_back(packet->applied_frame - under_way);
    }
    executive.request_stop("enough");
    main.join();
  }
  std::sort(frames.begin(), frames.end());
  tactus::benchmark::answer("how many frames after the one under way does a change take effect",
                            {{"frame_us", 1000},
                             {"changes", frames.size()},
                             {"min", frames.front()},
                             {"median", frames[frames.size() / 2]},
                             {"max", frames.back()}});
}

/// Streams of values of one control port, read by one thread of this process.
class Watchers {
 public:
  Watchers(const std::string& path, int count) {
    const std::string request =
        "GET /v1/watch?names=motor.angle,motor.speed,rt.work&every=100ms HTTP/1.1\r\nHost: rig\r\n\r\n";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    for (int i = 0; i < count; ++i) {
      const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
          ::send(fd, request.data(), request.size(), 0) < 0)
        throw std::runtime_error("a client could not connect to " + path);
      fds_.push_back({fd, POLLIN, 0});
    }
    thread_ = std::thread([this] {
      std::vector<char> buffer(65536);
      while (!over_) {
        (void)::poll(fds_.data(), fds_.size(), 50);
        for (const pollfd& fd : fds_)
          if ((fd.revents & POLLIN) != 0)
            bytes_ += static_cast<std::int64_t>(::recv(fd.fd, buffer.data(), buffer.size(), MSG_DONTWAIT));
      }
    });
  }
  ~Watchers() {
    over_ = true;
    thread_.join();
    for (const pollfd& fd : fds_) ::close(fd.fd);
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::vector<pollfd> fds_;
  std::atomic<bool> over_{false};
  std::atomic<std::int64_t> bytes_{0};
  std::thread thread_;
};

/// The servo at 1 kHz with an open control port.
class Servo {
 public:
  Servo(const tactus::test::TempDir& dir, const std::string& name, const std::vector<std::string>& more)
      : folder_(dir.path() / name), rig_(command(dir, name, more)) {
    for (int i = 0; i < 1000 && ::access(socket().c_str(), F_OK) != 0; ++i) std::this_thread::sleep_for(10ms);
  }
  std::string socket() const { return (folder_ / "live.sock").string(); }
  Json end() {
    rig_.signal(SIGTERM);
    (void)rig_.wait();
    std::ifstream file(folder_ / "summary.json");
    return Json::parse(file);
  }

 private:
  static tactus::test::Command command(const tactus::test::TempDir& dir, const std::string& name,
                                       const std::vector<std::string>& more) {
    std::vector<std::string> argv = {TACTUS_COMMAND,   "run",           TACTUS_SERVO,
                                     "--set",          "until=stopped", "--live",
                                     "unix:live.sock", "--out",         name};
    argv.insert(argv.end(), more.begin(), more.end());
    return {.argv = argv, .env = {}, .cwd = dir.path()};
  }
  std::filesystem::path folder_;
  tactus::test::Process rig_;
};

enum class Where { nowhere, at_a_twin, here };

/// Two rigs side by side, the second one not in real time's way; what summary.json says of the first.
Json run_pair(Where where, std::chrono::milliseconds time) {
  const tactus::test::TempDir dir;
  const std::string first_cpu = std::to_string(tactus::rtsync::allowed_cpus().first());
  Servo rig(dir, "rig", {});
  Servo twin(dir, "twin",
             {"--set", "threads.main.policy=other", "--set", "threads.main.cpus=[" + first_cpu + "]", "--set",
              "realtime.sleeper=nanosleep"});
  {
    const Watchers watchers(where == Where::here ? rig.socket() : twin.socket(),
                            where == Where::nowhere ? 0 : 200);
    std::this_thread::sleep_for(time);
    if (where != Where::nowhere && watchers.bytes() < 200 * 1000)
      throw std::runtime_error("the clients saw next to nothing");
  }
  (void)twin.end();
  return rig.end();
}

/// The work of a frame with 200 clients, against that with none, and with 200 of another rig: what they cost
/// the machine they cost there, too.
void measure_clients(bool quick) {
  std::vector<double> work[3], late[3], to_alone, to_twin;
  for (int round = 0; round < (quick ? 3 : 11); ++round) {
    for (const Where where : {Where::nowhere, Where::at_a_twin, Where::here}) {
      const Json summary = run_pair(where, quick ? 2000ms : 5000ms);
      work[static_cast<int>(where)].push_back(summary["work_ns"]["p50"].get<double>());
      late[static_cast<int>(where)].push_back(summary["late_ns"]["p99"].get<double>());
    }
    to_alone.push_back(work[2].back() / work[0].back());
    to_twin.push_back(work[2].back() / work[1].back());
  }
  using tactus::benchmark::spread_of;
  using tactus::benchmark::to_json;
  tactus::benchmark::answer("what do 200 clients cost the frames",
                            {{"work_p50_ns", to_json(spread_of(work[0]))},
                             {"work_p50_clients_elsewhere_ns", to_json(spread_of(work[1]))},
                             {"work_p50_clients_ns", to_json(spread_of(work[2]))},
                             {"clients_to_none", to_json(spread_of(to_alone))},
                             {"clients_to_clients_elsewhere", to_json(spread_of(to_twin))},
                             {"late_p99_ns", to_json(spread_of(late[0]))},
                             {"late_p99_clients_elsewhere_ns", to_json(spread_of(late[1]))},
                             {"late_p99_clients_ns", to_json(spread_of(late[2]))}});
}

/// A connection to a control port, with one request on its way.
int ask(const std::string& path, const std::string& target) {
  const std::string request = "GET " + target + " HTTP/1.1\r\nHost: rig\r\nConnection: close\r\n\r\n";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::send(fd, request.data(), request.size(), 0) < 0)
    throw std::runtime_error("a client could not connect to " + path);
  return fd;
}

/// A stream of frames, read as it comes.
class Reader {
 public:
  Reader(const std::string& path, const std::string& names) : fd_(ask(path, "/v1/stream?names=" + names)) {
    thread_ = std::thread([this] {
      std::vector<char> buffer(65536);
      for (ssize_t got = 1; got > 0; bytes_ += std::max<std::int64_t>(got, 0))
        got = ::recv(fd_, buffer.data(), buffer.size(), 0);
    });
  }
  ~Reader() {
    (void)::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  const int fd_;
  std::atomic<std::int64_t> bytes_{0};
  std::thread thread_;
};

/// What the threads that serve clients have used so far, in ns.
double cpu_of_serving(const std::string& path) {
  const int fd = ask(path, "/v1/threads");
  std::string text;
  std::vector<char> buffer(65536);
  for (ssize_t got = 1; got > 0;) {
    got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  const Json answer = Json::parse(text.substr(text.find("\r\n\r\n")));
  double ns = 0;
  for (const Json& thread : answer["threads"]) {
    const std::string name = thread["name"].get<std::string>();
    if (name.starts_with("live") || name.starts_with("MHD")) ns += thread["cpu_ns"].get<double>();
  }
  return ns;
}

/// The work of a frame at 1 kHz with a stream of 20 curves, against that of a rig beside one that streams them;
/// and how much of a CPU the rig's threads for clients use.
void measure_stream(bool quick) {
  const std::string names =
      "motor.angle,motor.speed,motor.current,motor.voltage_applied,motor.load_torque,encoder.angle,"
      "trajectory.position,controller.current_reference,controller.position_error,rt.frame,rt.late,rt.work,"
      "rt.slack,rt.overruns,rt.late_wakes,rt.late_by_housekeeping,rt.lost,rt.overrun,rt.cause,motor.torque";
  std::vector<double> work[3], to_twin, share[2], bytes;
  for (int round = 0; round < (quick ? 3 : 11); ++round) {
    for (const Where where : {Where::nowhere, Where::at_a_twin, Where::here}) {
      const tactus::test::TempDir dir;
      const std::string first_cpu = std::to_string(tactus::rtsync::allowed_cpus().first());
      Servo rig(dir, "rig", {});
      Servo twin(dir, "twin",
                 {"--set", "threads.main.policy=other", "--set", "threads.main.cpus=[" + first_cpu + "]",
                  "--set", "realtime.sleeper=nanosleep"});
      std::this_thread::sleep_for(1000ms);  // the start costs most
      std::unique_ptr<Reader> reader;
      if (where != Where::nowhere)
        reader = std::make_unique<Reader>(where == Where::here ? rig.socket() : twin.socket(), names);
      const double before = cpu_of_serving(rig.socket());
      const std::int64_t begun = tactus::benchmark::now_ns();
      std::this_thread::sleep_for(quick ? 3000ms : 10000ms);
      const double used =
          (cpu_of_serving(rig.socket()) - before) / static_cast<double>(tactus::benchmark::now_ns() - begun);
      if (reader != nullptr && reader->bytes() < 100'000) throw std::runtime_error("the stream is too thin");
      if (where == Where::here) bytes.push_back(static_cast<double>(reader->bytes()));
      if (where != Where::at_a_twin) share[where == Where::here ? 1 : 0].push_back(100 * used);
      reader.reset();
      (void)twin.end();
      work[static_cast<int>(where)].push_back(rig.end()["work_ns"]["p50"].get<double>());
    }
    to_twin.push_back(work[2].back() / work[1].back());
  }
  using tactus::benchmark::spread_of;
  using tactus::benchmark::to_json;
  tactus::benchmark::answer("what does a stream of 20 curves at 1 kHz cost",
                            {{"work_p50_ns", to_json(spread_of(work[0]))},
                             {"work_p50_stream_elsewhere_ns", to_json(spread_of(work[1]))},
                             {"work_p50_stream_ns", to_json(spread_of(work[2]))},
                             {"stream_to_stream_elsewhere", to_json(spread_of(to_twin))},
                             {"serving_cpu_percent", to_json(spread_of(share[0]))},
                             {"serving_cpu_stream_percent", to_json(spread_of(share[1]))},
                             {"bytes", to_json(spread_of(bytes))}});
}

/// What a frame does for a stream: some values of 10,000 variables that lie anywhere.
void measure_tap(bool quick) {
  Memory memory(10'000, 10);
  for (const std::size_t curves : {std::size_t{0}, std::size_t{20}, std::size_t{64}}) {
    LiveTaps taps;
    std::vector<LiveTap::Piece> pieces;
    for (std::size_t i = 0; i < curves; ++i) pieces.push_back({memory.sources[i * 151].data, 8});
    const int chunk = quick ? 1000 : 10'000;
    std::shared_ptr<LiveTap> tap;
    if (curves > 0) taps.add(tap = std::make_shared<LiveTap>(pieces, static_cast<std::size_t>(chunk) + 1));
    std::vector<double> each;
    for (int round = 0; round < 21; ++round) {
      const std::int64_t begin = tactus::benchmark::now_ns();
      for (int k = 0; k < chunk; ++k) {
        taps.take(k);
        tactus::benchmark::keep(memory.models);
      }
      each.push_back(static_cast<double>(tactus::benchmark::now_ns() - begin) / chunk);
      while (tap != nullptr && tap->front() != nullptr) tap->release();
    }
    tactus::benchmark::answer("what does a frame do for a stream",
                              {{"curves", curves},
                               {"variables", 10'000},
                               {"take_ns", tactus::benchmark::to_json(tactus::benchmark::spread_of(each))}});
  }
}

void run(bool quick) {
  (void)tactus::benchmark::stay_on_last_cpu();
  for (const std::size_t variables : {std::size_t{10}, std::size_t{1000}, std::size_t{100'000}})
    measure_snapshot(variables, variables, quick);
  for (const std::size_t variables : {std::size_t{1000}, std::size_t{100'000}})
    measure_snapshot(variables, 10, quick);
  measure_snapshot(100'000, 1, quick);
}

}  // namespace

int main(int argc, char** argv) {
  const int status = tactus::benchmark::run_benchmark(argc, argv, "the cost of live access", [](bool quick) {
    measure_stream(quick);
    measure_tap(quick);
    measure_clients(quick);
    measure_set(quick);
    run(quick);
  });
  return status;
}
