// SPDX-License-Identifier: Apache-2.0
// What a run folder holds: any bytes as frames.csv, a recording, summary.json, log, journal and trace make a report
// in words, well-formed, and bounded. The first byte of the input says which file it is.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "executive/report/html_form.hpp"
#include "executive/report/report.hpp"
#include "executive/report/text_form.hpp"
#include "executive/report/trace_excerpt.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tactus::report;

constexpr const char* kFiles[] = {"frames.csv",    "motion.csv",  "summary.json", "log.txt",
                                  "journal.jsonl", "trace-5.txt", "rig.yaml"};
constexpr const char* kFrames =
    "sys.exec.out.time {s},rt.frame {--},rt.late {ns},rt.work {ns},rt.slack {ns},rt.cause {--}\n"
    "0.004,4,10,2000,900000,none\n0.005,5,10,2000000,-1000010,computed\n0.006,6,5,9,99,none\n";

/// A run folder in memory, gone with the process.
class Folder {
 public:
  Folder() {
    std::string name = fs::exists("/dev/shm") ? "/dev/shm/report-fuzz-XXXXXX" : "/tmp/report-fuzz-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const char* name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  void clear() const {
    for (const char* const name : kFiles) fs::remove(path_ / name);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void check(const std::string& html) {
  if (html.size() > 5'000'000) throw std::logic_error("a report of more than 5 MB");
  if (html.find("<script") != std::string::npos) throw std::logic_error("a script");
  // Text has no quotes, so these are places of ours.
  for (const std::string attribute : {" d=\"", " points=\"", " x=\"", " y=\"", " width=\"", " height=\""})
    for (std::size_t at = html.find(attribute); at != std::string::npos; at = html.find(attribute, at + 1)) {
      const std::size_t from = at + attribute.size();
      const std::string places = html.substr(from, html.find('"', from) - from);
      if (places.find_first_of("ni") != std::string::npos)
        throw std::logic_error("a place that is not a number: " + places);
    }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  folder.clear();
  folder.write("frames.csv", kFrames);
  folder.write("trace-5.pftrace", "");
  folder.write(kFiles[data[0] % std::size(kFiles)], text);
  const auto runs = read_runs({folder.path().string(), folder.path().string()}, {});
  for (const Page& page : {make_page(runs), make_page(read_runs({folder.path().string()}, {}))}) {
    check(to_html(page));
    if (to_text(page, 50).empty()) throw std::logic_error("no text");
  }
  (void)parse_time_text(text);
  return 0;
}
