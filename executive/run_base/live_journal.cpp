// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/live_journal.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>

#include "config/date.hpp"
#include "rtsync/host/opened_path.hpp"

namespace tactus::executive {

void LiveJournal::add(config::Json entry, const std::string& who) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  entry["time"] = config::print_date(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  entry["who"] = who;
  history_.add(entry);
  if (failed_) return;
  if (left_out_ > 0) return void(++left_out_);
  const std::string line = entry.dump(-1, ' ', true, config::Json::error_handler_t::replace);
  bytes_ += static_cast<std::int64_t>(line.size()) + 1;
  if (bytes_ > most_) {
    ++left_out_;
    log_lines_.push_back("the journal of live access (journal.jsonl) has reached log.max_journal (" +
                         std::to_string(most_) +
                         " bytes): further changes are made, but not written, and counted in summary.json; "
                         "find the client that fills it, or raise log.max_journal");
    return;
  }
  if (!out_.is_open()) {
    try {
      out_.open(rtsync::OpenedPath(file_, O_WRONLY | O_CREAT | O_APPEND).name(), std::ios::app);
    } catch (const std::runtime_error&) {  // flush() says that it cannot be written
    }
  }
  lines_ += line + '\n';
}

void LiveJournal::flush() {
  if (failed_ || lines_.empty()) return;
  out_ << std::exchange(lines_, {}) << std::flush;
  if (out_) return;
  failed_ = true;
  log_lines_.push_back("the journal of live access cannot be written (journal.jsonl): " +
                       std::string(std::strerror(errno)) + "; only releases and commands are still accepted");
}

void LiveJournal::close() {
  if (out_.is_open()) out_.close();
}

}  // namespace tactus::executive
