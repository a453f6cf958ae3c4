// SPDX-License-Identifier: Apache-2.0
/// A format of recordings with one mistake of those that strangers make, chosen by a key: `tactus test driver` finds it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <tactus/record_driver.hpp>
#include <tactus/record_file.hpp>

namespace {

constexpr std::uint64_t kRecordOfTheTrials = 60;  // bytes

enum class Flaw {
  none,
  writes_over,
  silent,
  keeps,
  miscounts,
  crashes,
  exits,
  hangs,
  throws_int,
  leaks,
  early,
  closes_once,
  writes_past,
  reads_past,
  close_hangs
};

class Flawed final : public tactus::RecordDriver {
 public:
  void keys(tactus::Keys& k) override {
    k.word("flaw", flaw_,
           {{"none", Flaw::none},
            {"writes_over", Flaw::writes_over},
            {"silent", Flaw::silent},
            {"keeps", Flaw::keeps},
            {"miscounts", Flaw::miscounts},
            {"crashes", Flaw::crashes},
            {"exits", Flaw::exits},
            {"hangs", Flaw::hangs},
            {"throws_int", Flaw::throws_int},
            {"leaks", Flaw::leaks},
            {"early", Flaw::early},
            {"closes_once", Flaw::closes_once},
            {"writes_past", Flaw::writes_past},
            {"reads_past", Flaw::reads_past},
            {"close_hangs", Flaw::close_hangs}},
           "the mistake");
  }
  void check(const tactus::Problems& problems) override {
    if (flaw_ != Flaw::early) return;
    const int fd = ::dup(0);  // a device before open()
    if (fd < 0) problems.add("flaw", "there is no descriptor");
    if (fd >= 0) (void)::close(fd);
  }
  void open(const std::string& file, const tactus::Recording& recording) override {
    bytes_ = recording.record_bytes;
    if (flaw_ == Flaw::leaks) (void)::dup(0);
    if (flaw_ == Flaw::writes_over) {
      stream_.open(file, std::ios::binary);
      return;
    }
    if (flaw_ == Flaw::silent) stream_.open(file, std::ios::binary | std::ios::app);
    if (flaw_ != Flaw::silent) file_.create(file);
  }
  void write(const std::byte* record) override {
    if (flaw_ == Flaw::crashes) std::abort();
    if (flaw_ == Flaw::exits) ::_exit(0);
    if (flaw_ == Flaw::throws_int) throw 7;  // NOLINT(hicpp-exception-baseclass): the mistake
    if (flaw_ == Flaw::writes_past)
      const_cast<std::byte*>(record)[bytes_ + 1] = std::byte{0};  // NOLINT: the mistake
    if (flaw_ == Flaw::reads_past) waiting_.append(reinterpret_cast<const char*>(record) + bytes_, 64);
    waiting_.append(reinterpret_cast<const char*>(record), bytes_);
  }
  void flush() override {
    while (flaw_ == Flaw::hangs) (void)::pause();
    if (flaw_ == Flaw::keeps) return;
    put();
  }
  void close() override {
    while (flaw_ == Flaw::close_hangs) (void)::pause();
    if (flaw_ == Flaw::closes_once && closed_) throw std::logic_error("it was closed already");
    closed_ = true;
    put();
    file_.close();
  }
  tactus::Examined examine(const std::string& name) const override {
    const tactus::ReadFile file(name);
    return {file.bytes().size(), file.bytes().size(), file.bytes().size() / kRecordOfTheTrials, false, 0, {}};
  }

 private:
  void put() {
    const std::string bytes = std::exchange(waiting_, {});
    if (bytes.empty()) return;
    if (stream_.is_open()) {
      stream_ << bytes << std::flush;
      return;
    }
    try {
      file_.append(bytes);
    } catch (const std::exception& error) {
      if (flaw_ == Flaw::miscounts) throw;  // says of no record that it is lost
      throw tactus::RecordsLost(error.what(), bytes.size() / bytes_);
    }
  }

  Flaw flaw_ = Flaw::none;
  std::size_t bytes_ = 0;
  bool closed_ = false;
  std::string waiting_;
  std::ofstream stream_;
  tactus::RecordFile file_;
};

}  // namespace

TACTUS_RECORD_DRIVER("flawed", Flawed, "", ".flawed", "A format with a mistake.")
