// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/reference.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>

#include "config/text.hpp"
#include "executive/expression/variable_inputs.hpp"
#include "executive/model/suggest.hpp"
#include "executive/record/record_filter.hpp"

namespace tactus::executive {
namespace {

namespace fs = std::filesystem;

constexpr double kNoValueThere = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostOfRecording = 8'000'000;
constexpr std::size_t kMostOfFrames = 8'000'000;

double real_of(tactus_type type, const std::byte* data) {
  const config::Cell cell = load_cell(type, data);
  return cell_type(type) == config::CellType::whole ? static_cast<double>(cell.whole) : cell.real;
}

}  // namespace

Reference::Reference(const RecordDriver& driver, const fs::path& file, const std::string& column) {
  const std::unique_ptr<RecordSource> source = driver.read(file);
  const std::vector<RecordColumn>& columns = source->head().columns;
  const auto found = std::ranges::find(columns, column, &RecordColumn::name);
  if (found == columns.end())
    throw std::runtime_error("it has no column " + config::show(column) + "; " +
                             config::hint(column, names_of(columns, &RecordColumn::name)));
  unit_ = config::Unit::parse(found->unit);
  linear_ = found->type == TACTUS_DOUBLE || found->type == TACTUS_FLOAT;
  std::vector<std::byte> record(record_bytes(source->head()));
  for (;;) {
    try {
      if (!source->next(record.data())) break;
    } catch (const DamagedRecord& damaged) {
      throw std::runtime_error(std::string("it is damaged: ") + damaged.what());
    }
    const std::int64_t time = record_time(record.data());
    if (!times_.empty() && time <= times_.back())
      throw std::runtime_error("its time goes back at " + std::to_string(time) +
                               " ns; take a recording of a run without a reset");
    if (times_.size() == kMostOfRecording)
      throw std::runtime_error("it has more than " + std::to_string(kMostOfRecording) + " records");
    times_.push_back(time);
    values_.push_back(real_of(found->type, record.data() + found->offset));
  }
  if (times_.empty()) throw std::runtime_error("it has no records");
  end_ = times_.back();
  if (times_.size() > 1) end_ += times_.back() - times_[times_.size() - 2];
}

double Reference::at(std::int64_t time) const {
  if (time < times_.front() || time >= std::max(end_, times_.back() + 1)) return kNoValueThere;
  const auto after = std::ranges::upper_bound(times_, time);
  const auto i = static_cast<std::size_t>(after - times_.begin()) - 1;
  if (!linear_ || after == times_.end() || times_[i] == time) return values_[i];
  const double share = static_cast<double>(time - times_[i]) / static_cast<double>(times_[i + 1] - times_[i]);
  return values_[i] + (values_[i + 1] - values_[i]) * share;
}

std::size_t Reference::frames(rtsync::Period frame) const {
  const auto frames =
      static_cast<std::size_t>(frame.begun_in(rtsync::Nanoseconds{std::max<std::int64_t>(end_, 1)})) + 1;
  if (frames > kMostOfFrames)
    throw std::runtime_error("it is longer than " + std::to_string(kMostOfFrames) + " frames");
  return frames;
}

ReferenceValues Reference::values(rtsync::Period frame) const {
  auto all = std::make_shared<std::vector<double>>(frames(frame));
  for (std::size_t k = 0; k < all->size(); ++k)
    (*all)[k] = at(frame.times(static_cast<std::int64_t>(k)).count());
  return all;
}

ReferenceValues Reference::envelope(rtsync::Period frame, rtsync::Nanoseconds reach, bool greatest) const {
  auto all = std::make_shared<std::vector<double>>(frames(frame));
  const auto better = [&](double a, double b) { return greatest ? a >= b : a <= b; };
  std::deque<std::size_t> window;  // records near the frame; the best first
  std::size_t next = 0;
  for (std::size_t k = 0; k < all->size(); ++k) {
    const std::int64_t now = frame.times(static_cast<std::int64_t>(k)).count();
    for (; next < times_.size() && times_[next] <= now + reach.count(); ++next) {
      if (std::isnan(values_[next])) continue;
      while (!window.empty() && better(values_[next], values_[window.back()])) window.pop_back();
      window.push_back(next);
    }
    while (!window.empty() && times_[window.front()] < now - reach.count()) window.pop_front();
    double value = at(now);
    for (const double each : {at(now - reach.count()), at(now + reach.count()),
                              window.empty() ? kNoValueThere : values_[window.front()]})
      if (!std::isnan(each) && (std::isnan(value) || better(each, value))) value = each;
    (*all)[k] = value;
  }
  return all;
}

TubeValues Reference::values_near(rtsync::Period frame, rtsync::Nanoseconds reach) const {
  TubeValues all;
  all.frames.resize(frames(frame));
  std::map<double, std::size_t> near;  // each value, and how many of the records have it
  std::size_t first = 0, next = 0;     // the records are those from the one until before the other
  const auto end_of = [&](std::size_t record) {
    return record + 1 < times_.size() ? times_[record + 1] : std::max(end_, times_.back() + 1);
  };
  bool changed = true;
  for (std::size_t k = 0; k < all.frames.size(); ++k) {
    const std::int64_t now = frame.times(static_cast<std::int64_t>(k)).count();
    for (; next < times_.size() && times_[next] <= now + reach.count(); ++next)
      changed = ++near[values_[next]] == 1 || changed;
    for (; first < next && end_of(first) <= now - reach.count(); ++first)
      if (const auto gone = near.find(values_[first]); gone != near.end() && --gone->second == 0) {
        near.erase(gone);
        changed = true;
      }
    if (changed && all.values.size() + near.size() > kMostOfRecording)
      throw std::runtime_error("it has more than " + std::to_string(kMostOfRecording) +
                               " values in the tube; make that shorter");
    if (changed) {
      all.frames[k].first = all.values.size();
      for (const auto& [value, records] : near) all.values.push_back(value);
      all.frames[k].second = all.values.size();
    } else {
      all.frames[k] = all.frames[k - 1];
    }
    changed = false;
  }
  return all;
}

const Reference* References::find(const std::string& file, const std::string& column,
                                  const std::string& written_in, std::string& why) {
  std::error_code error;
  const fs::path folder = fs::is_regular_file(written_in, error) ? fs::path(written_in).parent_path() : base_;
  const fs::path path = folder / file;
  const auto known = known_.find({path.string(), column});
  if (known != known_.end()) return &known->second;
  if (!fs::exists(path, error)) {
    why = "there is no recording " + config::show(path.string());
    return nullptr;
  }
  try {
    const RecordFormats& formats = RecordFormats::kept();
    const RecordFormat* const format = formats.of_extension(path);
    if (format == nullptr) {
      why = config::show(path.string()) + " has a format that is not installed; " +
            config::show_all(names_of(formats.all(), &RecordFormat::extension)) + " are";
      return nullptr;
    }
    return &known_.emplace(std::pair(path.string(), column), Reference(*format->driver, path, column))
                .first->second;
  } catch (const std::exception& failure) {
    why = config::show(path.string()) + ": " + failure.what();
    return nullptr;
  }
}

std::vector<fs::path> References::files() const {
  std::vector<fs::path> files;
  for (const auto& [key, reference] : known_)
    if (files.empty() || files.back() != key.first) files.emplace_back(key.first);
  return files;
}

}  // namespace tactus::executive
