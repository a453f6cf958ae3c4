// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/silkit/integration/stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tactus::test {

using namespace std::chrono_literals;

Side ours() {
  return {"ours",
          TACTUS_SILKIT_LIBRARY,
          {TACTUS_COMMAND, "registry"},
          {TACTUS_COMMAND, "workflow"},
          {TACTUS_COMMAND, "monitor"},
          ""};
}

std::optional<Side> theirs() {
  const char* const root =
      std::getenv("TACTUS_SILKIT_ROOT");  // NOLINT(concurrency-mt-unsafe): no threads yet
  if (root == nullptr || *root == '\0') return std::nullopt;
  const std::string at = root;
  return Side{"theirs",
              at + "/lib/libSilKit.so",
              {at + "/bin/sil-kit-registry"},
              {at + "/bin/sil-kit-system-controller"},
              {at + "/bin/sil-kit-monitor"},
              at};
}

Stage::Stage(const std::string& listen_uri, const Side& side) {
  Arguments argv = side.host;
  argv.insert(argv.end(), side.registry.begin(), side.registry.end());
  argv.insert(argv.end(), {"-u", listen_uri});
  registry_ = &start(command_of(std::move(argv)));
  const std::string words = "listening on ";
  if (!registry_->wait_for_output(words))
    throw std::runtime_error("no registry: " + registry_->out() + registry_->err());
  (void)says(*registry_, "\n", count(registry_->out().substr(0, registry_->out().find(words)), "\n") + 1);
  const std::string& said = registry_->out();
  const std::size_t begin = said.find(words) + words.size();
  uri_ = said.substr(begin, said.find('\n', begin) - begin);
}

Process& Stage::play(const std::string& name, const Arguments& arguments, const Side& side) {
  Arguments argv = side.host;
  argv.insert(argv.end(), {TACTUS_SILKIT_PARTICIPANT, side.library, name, uri_ + simulation_,
                           "config=" + configuration(name)});
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return start(command_of(std::move(argv)));
}

Process& Stage::calls(const Side& side) {
  return start(command_of({TACTUS_SILKIT_CALLS, side.library, uri_}));
}

Process& Stage::workflow(const Arguments& names, const Side& side) {
  Arguments argv = side.host;
  argv.insert(argv.end(), side.workflow.begin(), side.workflow.end());
  argv.insert(argv.end(), {"-u", uri_ + simulation_});
  argv.insert(argv.end(), names.begin(), names.end());
  return start(command_of(std::move(argv)));
}

Process& Stage::monitor(const Arguments& arguments, const Side& side, bool terminal) {
  Arguments argv = side.monitor;
  argv.insert(argv.end(), {"-u", uri_ + simulation_});
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  Command command = command_of(std::move(argv));
  command.terminal = terminal;
  return start(command);
}

Process& Stage::start(const Command& command) {
  return *processes_.emplace_back(std::make_unique<Process>(command));
}

bool Stage::logs(const std::string& name, const Arguments& texts) const {
  for (const auto& file : std::filesystem::directory_iterator(dir_.path())) {
    if (!file.path().filename().string().starts_with("log_" + name + "_")) continue;
    const std::string all = read_file(file.path());
    for (const std::string& text : texts)
      if (all.find(text) != std::string::npos) return true;
  }
  return false;
}

Command Stage::command_of(Arguments argv) const {
  Command command;
  command.argv = std::move(argv);
  command.cwd = dir_.path();
  command.env = {{"TMPDIR", dir_.path().string()}};
  return command;
}

std::string Stage::configuration(const std::string& name) const {
  switch (sockets_) {
    case Sockets::tcp:
      return R"({"Middleware": {"EnableDomainSockets": false}})";
    case Sockets::domain:
      return R"({"Middleware": {"AcceptorUris": ["local://)" + (dir_ / (name + ".sock")).string() + R"("]}})";
    case Sockets::any:
      break;
  }
  return "";
}

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

bool says(Process& process, const std::string& word, int times) {
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  while (std::chrono::steady_clock::now() < end && count(process.out(), word) < times) {
    (void)process.wait_for_output("\x01", 10ms);  // never said: reads what there is
    std::this_thread::sleep_for(1ms);             // it may have ended
  }
  return count(process.out(), word) >= times;
}

Json end_of(Process& participant) {
  const Finished& done = participant.wait(2 * kTimeout);  // many of them may start at once
  EXPECT_EQ(done.status, 0) << done;
  const std::size_t last = done.out.rfind("\n{");
  const std::size_t begin = last == std::string::npos ? 0 : last + 1;
  const std::size_t length = std::min(done.out.find('\n', begin), done.out.size()) - begin;
  Json end = Json::parse(done.out.substr(begin, length), nullptr, false);
  if (!end.is_object() || !end.contains("steps")) {
    std::ostringstream text;
    text << "no last line: " << done;
    throw std::runtime_error(text.str());
  }
  return end;
}

void expect_lock_step(const Json& end, std::int64_t steps) {
  const auto made = end["steps"].get<std::int64_t>();
  EXPECT_TRUE(made == steps || made == steps - 1) << end;
  EXPECT_EQ(end["first"], 0) << end;
  EXPECT_EQ(end["gaps"], 0) << end;
  EXPECT_EQ(end["odd_durations"], 0) << end;
  EXPECT_EQ(end["state"], "Shutdown") << end;
  for (const auto& [topic, heard] : end["heard"].items()) {
    EXPECT_GE(heard["messages"].get<std::int64_t>(), made - 1) << end;
    for (const char* fault : {"bad_stamps", "out_of_step", "out_of_order", "missing"})
      EXPECT_EQ(heard[fault], 0) << topic << " " << fault << ": " << end;
  }
}

}  // namespace tactus::test
