// SPDX-License-Identifier: Apache-2.0
/// Two participants without virtual time: one asks at a pace, the other answers in its handler.
///
///     silkit_conversation LIBRARY asks URI COUNT EVERY_US CONFIG
///     silkit_conversation LIBRARY answers URI WORK_US CONFIG     works for so long after each answer; ends with SIGTERM
///
/// The one that asks ends with a JSON object: nanoseconds from the question and from the answer to its reception.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "tests/drivers/silkit/integration/programs/library.hpp"

namespace {

using tactus::test::Library;

std::int64_t monotonic_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

/// CLOCK_MONOTONIC, ns.
struct Payload {
  std::int64_t asked = 0;
  std::int64_t answered = 0;
  std::uint64_t filler[6] = {};
};
static_assert(sizeof(Payload) == 64);

class Speaker {
 public:
  Speaker(const Library& library, bool asks, const char* uri, const char* config, std::int64_t work_us)
      : k_(library), asks_(asks), work_ns_(work_us * 1000) {
    const char* const name = asks ? "Asks" : "Answers";
    SilKit_ParticipantConfiguration* configuration = nullptr;
    k_.must(k_.ParticipantConfiguration_FromString(&configuration, config), "configuration");
    k_.must(k_.Participant_Create(&self_, configuration, name, uri), "join");
    (void)k_.ParticipantConfiguration_Destroy(configuration);
    SilKit_DataSpec out = tactus_silkit_DataSpec();
    out.topic = asks ? "question" : "answer";
    out.mediaType = "";
    k_.must(k_.DataPublisher_Create(&publisher_, self_, "out", &out, 0), "publisher");
    SilKit_DataSpec in = tactus_silkit_DataSpec();
    in.topic = asks ? "answer" : "question";
    in.mediaType = "";
    SilKit_DataSubscriber* subscriber = nullptr;
    k_.must(k_.DataSubscriber_Create(
                &subscriber, self_, "in", &in, this,
                [](void* context, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
                  static_cast<Speaker*>(context)->hear(*event);
                }),
            "subscriber");
    std::puts("joined");
    (void)std::fflush(stdout);
  }
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;

  void ask(std::int64_t count, std::int64_t every_us) {
    there_.reserve(static_cast<std::size_t>(count));
    back_.reserve(static_cast<std::size_t>(count));
    for (int tries = 0; answers_ == 0 && tries < 10'000; ++tries) say_once(1'000'000);  // until it listens
    listening_ = true;
    for (std::int64_t i = 0; i < count; ++i) say_once(every_us * 1000);
    for (int tries = 0; heard_ < count && tries < 10'000; ++tries) pause_until(monotonic_ns() + 1'000'000);
    listening_ = false;
    std::printf("{\"answers\":%lld,\"there_and_back_ns\":%s,\"back_ns\":%s}\n",
                static_cast<long long>(heard_.load()), quantiles(there_).c_str(), quantiles(back_).c_str());
    (void)std::fflush(stdout);
  }

 private:
  static void pause_until(std::int64_t due) {
    const timespec until{due / 1'000'000'000, due % 1'000'000'000};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
  void say_once(std::int64_t every_ns) {
    due_ = std::max(due_ + every_ns, monotonic_ns());
    pause_until(due_);
    Payload payload;
    payload.filler[0] = listening_ ? 1 : 0;
    payload.asked = monotonic_ns();
    publish(payload);
  }
  void publish(const Payload& payload) {
    const SilKit_ByteVector bytes{reinterpret_cast<const std::uint8_t*>(&payload), sizeof payload};
    k_.must(k_.DataPublisher_Publish(publisher_, &bytes), "publish");
  }
  void hear(const SilKit_DataMessageEvent& event) {
    Payload payload;
    if (event.data.size != sizeof payload) return;
    std::memcpy(&payload, event.data.data, sizeof payload);
    const std::int64_t now = monotonic_ns();
    if (!asks_) {
      payload.answered = now;
      publish(payload);
      while (work_ns_ > 0 && monotonic_ns() < now + work_ns_) {
      }
      return;
    }
    ++answers_;
    if (payload.filler[0] == 0) return;
    there_.push_back(now - payload.asked);
    back_.push_back(now - payload.answered);
    ++heard_;
  }
  static std::string quantiles(std::vector<std::int64_t>& values) {
    if (values.empty()) return "null";
    std::sort(values.begin(), values.end());
    const auto at = [&](std::size_t percent) {
      return std::to_string(values[(values.size() - 1) * percent / 100]);
    };
    return R"({"p50":)" + at(50) + R"(,"p99":)" + at(99) + R"(,"max":)" + at(100) + "}";
  }

  const Library& k_;
  const bool asks_;
  const std::int64_t work_ns_;
  SilKit_Participant* self_ = nullptr;
  SilKit_DataPublisher* publisher_ = nullptr;
  std::int64_t due_ = 0;
  std::atomic<bool> listening_{false};
  std::atomic<std::int64_t> answers_{0}, heard_{0};
  std::vector<std::int64_t> there_, back_;  // the handler's until `heard_` has been read
};

}  // namespace

int main(int argc, char** argv) {
  const bool asks = argc > 2 && std::string(argv[2]) == "asks";
  if (argc != (asks ? 7 : 6)) {
    std::fprintf(stderr,
                 "usage: %s LIBRARY asks URI COUNT EVERY_US CONFIG | LIBRARY answers URI WORK_US CONFIG\n",
                 argv[0]);
    return 2;
  }
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &end, nullptr);
  try {
    const Library library(argv[1]);
    auto* const speaker = new Speaker(library, asks, argv[3], argv[argc - 1], asks ? 0 : std::atoll(argv[4]));
    if (asks) {
      speaker->ask(std::atoll(argv[4]), std::atoll(argv[5]));
    } else {
      int signal = 0;
      ::sigwait(&end, &signal);
    }
    std::fflush(nullptr);
    ::_exit(0);  // never destroyed: a handler may run
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[2], error.what());
    return 1;
  }
}
