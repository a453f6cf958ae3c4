#include "executive/report/signals.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "config/text.hpp"
#include "executive/model/suggest.hpp"
#include "executive/report/frame_times.hpp"
#include "executive/report/recorded_table.hpp"

namespace tactus::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 8;       // without names
constexpr std::size_t kMostNamed = 48;  // with names
constexpr std::size_t kLongestName = 200;

/// `*` is any letters, `?` any one.
bool matches(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++t, ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

struct Wanted {
  std::size_t column;
  Signal signal;
};

/// Reads one recording; a width of columns is the distance of its first rows.
void read(RecordedTable& table, std::vector<Wanted>& wanted) {
  GrowingTime growing;
  std::optional<std::int64_t> first;
  bool begun = false;
  const auto take = [&](std::int64_t time) {
    for (Wanted& each : wanted) {
      const auto value = real_cell(table.cell(each.column));
      value ? each.signal.columns.add(time, *value) : void(++each.signal.unreadable);
    }
  };
  std::vector<std::optional<double>> of_first(wanted.size());
  while (table.next()) {
    const std::int64_t time = growing.of(table.time_ns());
    if (!first) {
      first = time;
      for (std::size_t i = 0; i < wanted.size(); ++i) of_first[i] = real_cell(table.cell(wanted[i].column));
      continue;
    }
    if (!begun) {
      begun = true;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        Signal& signal = wanted[i].signal;
        signal.columns = MinMaxColumns(std::max<std::int64_t>(1, time - *first));
        of_first[i] ? signal.columns.add(*first, *of_first[i]) : void(++signal.unreadable);
      }
    }
    take(time);
  }
  if (first && !begun)  // a single row
    for (std::size_t i = 0; i < wanted.size(); ++i)
      of_first[i] ? wanted[i].signal.columns.add(*first, *of_first[i]) : void(++wanted[i].signal.unreadable);
}

}  // namespace

Signals read_signals(const fs::path& folder, const std::vector<std::string>& names) {
  Signals found;
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".csv" && entry.path().filename() != "frames.csv")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  // The frames' own times have plots already.
  if (!names.empty() && fs::exists(folder / "frames.csv", error)) files.push_back(folder / "frames.csv");
  std::vector<std::string> known;
  std::vector<bool> used(names.size());
  const std::size_t most = names.empty() ? kShown : kMostNamed;
  std::size_t left_out = 0;
  for (const fs::path& file : files) {
    const std::string recording = file.stem().string();
    try {
      RecordedTable table{LineReader(file)};
      if (!table.is_recording()) {
        found.remarks.push_back(file.filename().string() + " is not shown: it has no header of a recording");
        continue;
      }
      std::vector<Wanted> wanted;
      for (std::size_t i = 0; i < table.columns().size(); ++i) {
        const RecordedColumn& column = table.columns()[i];
        if (known.size() < 10'000) known.push_back(column.name);
        bool chosen = names.empty();
        for (std::size_t n = 0; n < names.size(); ++n)
          if (matches(column.name, names[n])) chosen = used[n] = true;
        if (!chosen) continue;
        if (found.signals.size() + wanted.size() >= most) {
          ++left_out;
          continue;
        }
        wanted.push_back(
            {i,
             {column.name.substr(0, kLongestName), column.unit.substr(0, 40), recording, MinMaxColumns(1)}});
      }
      if (wanted.empty()) continue;
      read(table, wanted);
      if (table.damaged() > 0)
        found.remarks.push_back(file.filename().string() + ": " + std::to_string(table.damaged()) +
                                " rows are damaged and left out");
      for (Wanted& each : wanted) {
        if (each.signal.columns.not_finite() + each.signal.unreadable > 0)
          found.remarks.push_back(each.signal.name + ": " +
                                  std::to_string(each.signal.columns.not_finite() + each.signal.unreadable) +
                                  " values are no finite numbers and left out");
        found.signals.push_back(std::move(each.signal));
      }
    } catch (const std::exception& failed) {
      found.remarks.emplace_back(failed.what());
    }
  }
  for (std::size_t n = 0; n < names.size(); ++n)
    if (!used[n])
      throw std::runtime_error("no recording of " + folder.string() + " has a variable " +
                               config::show(names[n]) + executive::did_you_mean(names[n], known));
  if (left_out > 0)
    found.remarks.push_back(std::to_string(left_out) + (left_out == 1 ? " variable" : " variables") +
                            " more: name those to be shown with --plot" +
                            (names.empty() ? "" : ", at most " + std::to_string(kMostNamed)));
  return found;
}

}  // namespace tactus::report
