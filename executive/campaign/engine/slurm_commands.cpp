// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/slurm_commands.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "executive/campaign/run/case_process.hpp"
#include "executive/campaign/run/runner.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/text.hpp"

namespace tactus::campaign::slurm {

namespace fs = std::filesystem;

namespace {
constexpr const char* kAnswer = "engine.answer";
}

fs::path program_of(const std::string& name) {
  const char* const given = std::getenv("PATH");
  for (const std::string_view folder : rtsync::parts_of(given != nullptr ? given : "/usr/bin:/bin", ':')) {
    const fs::path file = fs::path(folder) / name;
    if (::access(file.c_str(), X_OK) == 0) return fs::absolute(file);
  }
  return {};
}

HostCommands::HostCommands(fs::path folder) : folder_(std::move(folder)) { (void)::sigemptyset(&none_); }

HostCommands::~HostCommands() {
  std::error_code error;
  fs::remove(folder_ / kAnswer, error);
}

Answer HostCommands::run(const std::vector<std::string>& words) {
  const fs::path program = program_of(words.front());
  if (program.empty())
    throw CampaignError(CampaignError::Kind::machine, "there is no " + words.front() + " in PATH");
  const fs::path output = folder_ / kAnswer;
  const pid_t process =
      start_process({program, words, output, folder_.string() + "#" + words.front(), none_});
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  Answer answer{.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)};
  int error = 0;
  answer.text = rtsync::read_folder_file(output, error);
  return answer;
}

}  // namespace tactus::campaign::slurm
