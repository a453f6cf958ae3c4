// SPDX-License-Identifier: Apache-2.0
#include <net/if_arp.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "drivers/can/log/decoder.hpp"
#include "drivers/can/log/log_format.hpp"
#include "drivers/can/port/can_socket.hpp"
#include "executive/driver/command_driver.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::drivers::can {
namespace {

using executive::CommandError;
using executive::kOk;
using executive::kWrongInput;
using executive::kWrongMachine;

volatile sig_atomic_t g_stop = 0;

/// Calls `make`, and gives its error the status of the command.
template <class Make>
auto with_status(executive::ExitStatus status, Make make) {
  try {
    return make();
  } catch (const std::runtime_error& error) {
    throw CommandError(status, error.what());
  }
}

/// Frames of an interface or of a log, one after another.
class Source {
 public:
  explicit Source(const std::string& name) : name_(name) {
    if (std::filesystem::is_regular_file(name)) {
      file_.open(name);
      if (!file_) throw CommandError(kWrongInput, name + ": cannot be read: " + reason_of(errno));
      return;
    }
    if (name.find_first_of("./") != std::string::npos)
      throw CommandError(kWrongInput, name + ": there is no such file");
    socket_ = with_status(kWrongMachine, [&] { return open_socket_can(name, false); });
  }

  /// Throws if the kernel has dropped frames of the interface.
  void complain_about_losses() const {
    const std::uint32_t dropped = socket_ == nullptr ? 0 : socket_->dropped();
    if (dropped > 0)
      throw CommandError(
          executive::kEndedEarly,
          name_ + ": " + std::to_string(dropped) +
              " frames are missing: the kernel dropped them because they were not read in time");
  }

  /// The next frame; empty: the log or the command has ended.
  std::optional<LoggedFrame> next() {
    while (g_stop == 0) {
      if (socket_ != nullptr) {
        SocketEvent event;
        socket_->receive(event, 100'000'000);
        if (event.kind != SocketEvent::Kind::frame) continue;
        const std::int64_t since_1970 =
            event.stamp + read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC);
        return LoggedFrame{since_1970, name_, false, event.frame};
      }
      std::string line;
      if (!std::getline(file_, line)) {
        if (line_ > 0 && !reader_.knows_format())
          throw CommandError(
              kWrongInput,
              name_ + ": is not a log of candump -L or ASC: it has neither a frame nor a line 'base hex'");
        return std::nullopt;
      }
      ++line_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      bool is_wrong = false;
      std::optional<LoggedFrame> read = reader_.read(line, is_wrong);
      if (is_wrong)
        throw CommandError(kWrongInput, name_ + ":" + std::to_string(line_) + ": " + reader_.complaint());
      if (read) return read;
    }
    return std::nullopt;
  }

 private:
  std::string name_;
  std::unique_ptr<CanSocket> socket_;
  std::ifstream file_;
  LogReader reader_;
  std::uint64_t line_ = 0;
};

class CanCommand final : public executive::CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("print, record and send frames of a CAN bus");
    app.require_subcommand(1);
    dump_ =
        app.add_subcommand("dump", "print the frames of an interface or a log, with signals from a database");
    log_ = app.add_subcommand("log", "write the frames of an interface or a log to a file");
    send_ = app.add_subcommand("send", "send one frame");
    for (CLI::App* const each : {dump_, log_}) {
      each->add_option("source", source_, "interface, such as can0, or a log: candump -L or ASC")->required();
      each->add_option("--format", format_, "use this output format: candump (default) or asc")
          ->check(CLI::IsMember({"candump", "asc"}));
      each->add_option("--count", count_, "stop after this number of frames")
          ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 53));
    }
    dump_->add_option("--database", database_, "print names and values of signals from this DBC file, too")
        ->option_text("FILE");
    log_->add_option("--database", database_, "read the messages of --message from this DBC file")
        ->option_text("FILE");
    for (CLI::App* const each : {dump_, log_})
      each->add_option(
              "--message", messages_,
              "take only frames of these messages of the database; * matches any characters, ? matches one")
          ->option_text("MESSAGES")
          ->delimiter(',')
          ->allow_extra_args(false);
    log_->add_option("--out", out_, "write this file; an existing file is refused")->required();
    send_->add_option("interface", source_, "interface, such as can0")->required();
    send_->add_option("frame", frame_, "frame as 044#2A366C2B or 123##1AABB, or a message of the database")
        ->required();
    send_->add_option("signals", signals_, "values of signals of that message, as SIGNAL=VALUE");
    send_->add_option("--database", database_, "read messages and signals from this DBC file")
        ->option_text("FILE");
    send_->add_flag("--print", print_, "print the frame as candump does, without sending it");
  }

  std::vector<config::Word> words_for(const std::string& option,
                                      const std::vector<std::string>& words) const override {
    const bool at_begin = words.back().find_first_of("./") == std::string::npos;
    return option == "source" || option == "interface" ? at_begin ? interfaces() : std::vector<config::Word>{}
           : option == "--message" ? listed_messages(words)
           : option == "frame"                         ? database_words(words, "")
           : option == "signals"                       ? database_words(words, message_in(words))
                                                       : std::vector<config::Word>{};
  }

  int run() override {
    struct sigaction stop {};
    stop.sa_handler = [](int) { g_stop = 1; };
    (void)::sigaction(SIGINT, &stop, nullptr);
    (void)::sigaction(SIGTERM, &stop, nullptr);
    if (!database_.empty()) {
      Database read = with_status(kWrongInput, [&] { return load_dbc(database_); });
      if (!read.good())
        throw CommandError(kWrongInput,
                           database_ + ": has errors; 'tactus check " + database_ + "' lists them");
      select_messages(read);
      decoder_ = std::make_unique<Decoder>(std::move(read));
    } else if (!messages_.empty()) {
      throw CommandError(kWrongInput, "--message needs the messages of a DBC file; add --database FILE");
    }
    return send_->parsed() ? send() : log_->parsed() ? log() : dump();
  }

 private:
  /// CAN interfaces of this machine.
  static std::vector<config::Word> interfaces() {
    std::vector<config::Word> words;
    std::error_code error;
    for (const auto& each : std::filesystem::directory_iterator("/sys/class/net", error)) {
      std::ifstream type(each.path() / "type");
      if (int number = 0; type >> number && number == ARPHRD_CAN)
        words.push_back({each.path().filename().string(), ""});
    }
    std::ranges::sort(words, [](const auto& a, const auto& b) { return a.word < b.word; });
    return words;
  }

  /// The message that a command line of `can send` has: its second argument.
  static std::string message_in(const std::vector<std::string>& words) {
    std::size_t arguments = 0;
    for (std::size_t i = 2; i + 1 < words.size(); ++i)  // behind `can send`
      if (words[i] == "--database")
        ++i;
      else if (!words[i].starts_with('-') && ++arguments == 2)
        return words[i];
    return "";
  }

  /// Messages of the database of a command line; of one of them its signals, and behind a '=' the names of its values.
  static std::vector<config::Word> database_words(const std::vector<std::string>& words,
                                                  const std::string& of_message) {
    std::vector<config::Word> made;
    std::string file;
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      file = words[i] == "--database"              ? words[i + 1]
             : words[i].starts_with("--database=") ? words[i].substr(words[i].find('=') + 1)
                                                   : file;
    if (file.empty()) return made;
    Database database;
    try {
      database = load_dbc(file);
    } catch (const std::runtime_error&) {
      return made;  // the command says why
    }
    if (of_message.empty()) {
      for (const Message& each : database.messages)
        made.push_back({each.name, each.sender.empty() ? each.comment : "from " + each.sender});
      return made;
    }
    const Message* const message = database.find(of_message);
    if (message == nullptr) return made;
    for (const Signal& signal : message->signals) {
      const std::string word = signal.name + "=";
      const bool at_value = words.back().starts_with(word);
      if (!at_value) made.push_back({word, signal.unit});
      for (const ValueName& each : signal.names)
        if (at_value) made.push_back({word + each.name, std::to_string(each.value)});
    }
    return made;
  }

  /// Messages behind the last comma of a list, with what stands before it.
  static std::vector<config::Word> listed_messages(const std::vector<std::string>& words) {
    const std::size_t comma = words.back().rfind(',');
    const std::string before = comma == std::string::npos ? "" : words.back().substr(0, comma + 1);
    std::vector<config::Word> made = database_words(words, "");
    for (config::Word& each : made) each.word.insert(0, before);
    return made;
  }

  /// Finds the messages that --message names.
  void select_messages(const Database& database) {
    for (const std::string& pattern : messages_) {
      bool any = false;
      for (const Message& each : database.messages) {
        if (!fits(pattern, each.name)) continue;
        any = true;
        selected_.emplace(each.id, each.extended);
      }
      if (!any)
        throw CommandError(kWrongInput, "--message " + pattern + ": " + database_ +
                                            " has no such message; 'tactus check " + database_ +
                                            "' lists them");
    }
  }
  bool is_wanted(const CanFrame& frame) const {
    return messages_.empty() || selected_.contains({frame.id, frame.extended});
  }

  /// Returns false where nobody reads any more, as behind `| head`.
  static bool print(const std::string& text) {
    errno = 0;
    if (rtsync::print_plain(stdout, "%s", text.c_str()) && std::fflush(stdout) == 0) return true;
    const int error = errno;
    if (error == EPIPE) return false;
    throw CommandError(executive::kEndedEarly, "stdout: cannot be written: " + reason_of(error));
  }
  /// Calls `write` with each frame as a line, from head to end.
  template <class Write>
  void each_line(Source& source, Write write) {
    const bool asc = format_ == "asc";
    if (asc) write(asc_head());
    std::optional<std::int64_t> first;
    std::uint64_t written = 0;
    while (count_ == 0 || written < count_) {
      std::optional<LoggedFrame> frame = source.next();
      if (!frame) break;
      if (!is_wanted(frame->frame)) continue;
      if (!first) first = frame->time;
      if (asc) {
        frame->time -= *first;
        if (frame->channel.find_first_not_of("0123456789") != std::string::npos) frame->channel = "1";
      }
      std::string line = asc ? asc_line(*frame) : candump_line(*frame);
      if (decoder_ != nullptr && dump_->parsed()) {
        const std::string signals = decoder_->text_of(frame->frame);
        if (!signals.empty()) line += (asc ? "  // " : "  ") + signals;
      }
      if (!write(line + "\n")) break;
      ++written;
    }
    if (asc) write(asc_end());
  }

  int dump() {
    Source source(source_);
    bool good = true;
    each_line(source, [&](const std::string& text) { return good = good && print(text); });
    if (good) source.complain_about_losses();
    return kOk;
  }

  int log() {
    Source source(source_);  // first, so that there is no empty file without it
    std::FILE* const file = std::fopen(out_.c_str(), "wxe");
    if (file == nullptr) throw CommandError(kWrongInput, out_ + ": cannot be made: " + reason_of(errno));
    bool good = true;
    try {
      each_line(source, [&](const std::string& text) {
        return good = good && std::fwrite(text.data(), 1, text.size(), file) == text.size();
      });
    } catch (...) {
      (void)std::fclose(file);
      throw;
    }
    good = std::fclose(file) == 0 && good;
    if (!good) throw CommandError(executive::kEndedEarly, out_ + ": is not whole: " + reason_of(errno));
    source.complain_about_losses();
    return kOk;
  }

  int send() {
    std::optional<CanFrame> frame = read_frame_text(frame_);
    if (!frame || !signals_.empty()) {
      if (decoder_ == nullptr)
        throw CommandError(kWrongInput,
                           "'" + frame_ +
                               "': is not a frame; write 044#2A366C2B or 123##1AABB, or name a message "
                               "and its --database");
      frame = with_status(kWrongInput, [&] { return decoder_->frame_of(frame_, signals_); });
    }
    if (print_) {
      (void)print(frame_text(*frame) + "\n");
      return kOk;
    }
    const auto socket = with_status(kWrongMachine, [&] { return open_socket_can(source_, frame->fd); });
    if (const int error = socket->send(*frame); error != 0)
      throw CommandError(executive::kEndedEarly, source_ + ": the frame was not sent: " + reason_of(error));
    return kOk;
  }

  CLI::App* dump_ = nullptr;
  CLI::App* log_ = nullptr;
  CLI::App* send_ = nullptr;
  std::string source_, format_ = "candump", database_, out_, frame_;
  std::vector<std::string> signals_, messages_;
  std::set<std::pair<std::uint32_t, bool>> selected_;  // ids and their kinds, with --message
  std::uint64_t count_ = 0;
  bool print_ = false;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace
}  // namespace tactus::drivers::can

TACTUS_DRIVER(tactus::executive::CommandDriver, "can", tactus::drivers::can::CanCommand)
