// SPDX-License-Identifier: Apache-2.0
#include "in_process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "executive/app/command_main.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;

/// What is written to a descriptor goes to a file as long as this lives.
class Redirected {
 public:
  Redirected(std::FILE* stream, const fs::path& file) : stream_(stream), kept_(::dup(::fileno(stream))) {
    std::fflush(stream_);
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (kept_ < 0 || descriptor < 0 || ::dup2(descriptor, ::fileno(stream_)) < 0)
      throw std::system_error(errno, std::generic_category(), file);
    ::close(descriptor);
  }
  ~Redirected() {
    std::fflush(stream_);
    (void)::dup2(kept_, ::fileno(stream_));
    ::close(kept_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  std::FILE* stream_;
  int kept_;
};

/// The current folder is another one as long as this lives.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~InFolder() { fs::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  fs::path before_;
};

}  // namespace

Finished run_in_process(const Command& command) {
  const TempDir said;
  Finished done;
  const auto start = std::chrono::steady_clock::now();
  {
    const InFolder folder(command.cwd);
    for (const std::string& name : command.without_env) ::unsetenv(name.c_str());
    const Redirected out(stdout, said / "out");
    const Redirected err(stderr, said / "err");
    std::vector<std::string> words = command.argv;
    if (words.size() > 1 && words[1] == "run") words.emplace_back("--no-witness");  // this process is the rig
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    done.status = app::command_main(static_cast<int>(words.size()), arguments.data());
  }
  done.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  done.out = read_file(said / "out");
  done.err = read_file(said / "err");
  return done;
}

}  // namespace tactus::test
