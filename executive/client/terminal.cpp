// SPDX-License-Identifier: Apache-2.0
#include "executive/client/terminal.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "config/text.hpp"

namespace tactus::client {
namespace {

constexpr std::size_t kNarrowestTerminal = 50;
std::atomic<int> stop_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_stop(int signal) { stop_signal.store(signal); }

winsize size_of_stdout() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? "" : value;
}

void handle(int signal) {
  struct sigaction action {};
  action.sa_handler = &on_stop;                      // without SA_RESTART: what waits looks up
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one ends it at once
  (void)::sigaction(signal, &action, nullptr);
}

}  // namespace

Terminal::Terminal()
    : drawable_(::isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb" && !variable("TERM").empty()) {
  stop_signal.store(0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal);
  std::signal(SIGPIPE, SIG_IGN);
  if (drawable_) std::fputs("\033[?25l", stdout);
}

Terminal::~Terminal() {
  if (drawable_) std::fputs("\033[?25h", stdout);
  std::fflush(stdout);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
}

bool Terminal::stop_asked_for() { return stop_signal.load() != 0 || std::ferror(stdout) != 0; }

bool Terminal::speaks_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = variable(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos ||
           value.find("UTF8") != std::string::npos || value.find("utf-8") != std::string::npos;
  }
  return false;
}

std::size_t Terminal::columns() {
  std::size_t columns = size_of_stdout().ws_col;
  if (columns == 0) {
    const long wanted = std::strtol(variable("COLUMNS").c_str(), nullptr, 10);
    columns = wanted > 0 && wanted < 1000 ? static_cast<std::size_t>(wanted) : 80;
  }
  return std::max(columns, kNarrowestTerminal);
}

std::size_t Terminal::rows() const {
  const winsize size = size_of_stdout();
  return size.ws_row == 0 ? 24 : size.ws_row;
}

void Terminal::draw(const std::vector<std::string>& lines) {
  std::string out;
  if (drawn_ > 0) out += "\033[" + std::to_string(drawn_) + "A";
  const std::size_t room = std::max<std::size_t>(rows(), 2) - 1;
  const std::size_t count = std::min(lines.size(), room);
  out += "\r";
  for (std::size_t i = 0; i < count; ++i) out += config::plain_lines(lines[i], kInks) + "\033[K\n";
  out += "\033[J";
  drawn_ = count;
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::fflush(stdout);
}

}  // namespace tactus::client
