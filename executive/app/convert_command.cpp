// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "executive/app/commands.hpp"
#include "executive/app/noticed_signals.hpp"
#include "executive/app/options.hpp"
#include "executive/app/own_folder.hpp"
#include "executive/app/run_folder.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/driver/record_formats.hpp"
#include "executive/model/suggest.hpp"
#include "executive/model/with_type.hpp"
#include "rtsync/joined.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using executive::RecordColumn;
using executive::RecordFormat;
using executive::RecordingHead;

/// Throws CommandError once a signal has come: no part of a recording stays then.
void look_for_signal() {
  if (NoticedSignals::came()) throw CommandError(kEndedEarly, "a signal ended it; nothing was written");
}

/// The formats of this machine, with words for what is wrong.
class KnownFormats {
 public:
  const RecordFormat& named(const std::string& name) const {
    if (const RecordFormat* const format = formats_.named(name)) return *format;
    const std::string reason = executive::reason_left_out(executive::RecordDriver::kKind, name);
    if (!reason.empty())
      throw CommandError(kWrongMachine,
                         "this tactus has no format '" + name + "'; it was not built: " + reason);
    const auto name_of = [](const auto& format) { return format->name; };
    throw CommandError(kWrongInput, "there is no format '" + name + "'" +
                                        executive::did_you_mean(name, formats_.all(), name_of));
  }
  const RecordFormat* of_extension(const fs::path& file) const { return formats_.of_extension(file); }
  const RecordFormat& of(const fs::path& file) const {
    if (const RecordFormat* const format = of_extension(file)) return *format;
    const std::string known = rtsync::joined(formats_.all(), ", ", [](const auto& format) {
      return format->extension() + " (" + format->name + ")";
    });
    const std::string hdf5 = executive::reason_left_out(executive::RecordDriver::kKind, "hdf5");
    throw CommandError(kWrongInput, file.string() + ": its name says no format; there are " + known +
                                        (hdf5.empty() ? "" : "; .h5 (hdf5) was not built: " + hdf5));
  }

 private:
  executive::RecordFormats formats_;
};

/// Returns true if both values mean the same; a NaN is a NaN, whatever its other bits.
bool same_value(tactus_type type, const std::byte* a, const std::byte* b) {
  return executive::with_type(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      return executive::load_element<bool>(a) == executive::load_element<bool>(b);
    } else {
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(executive::load_element<T>(a)) && std::isnan(executive::load_element<T>(b)))
          return true;
      }
      return std::memcmp(a, b, sizeof(T)) == 0;
    }
  });
}

/// Compares what was written with where it came from. Throws CommandError with the first difference.
class Comparison {
 public:
  /// `omitted`: what the new format says that its files do not keep; units are compared unless it names them.
  Comparison(const executive::RecordDriver& from_driver, const fs::path& from_file,
             const executive::RecordDriver& to_driver, const fs::path& to_file,
             const std::vector<std::string>& omitted)
      : from_(from_driver.read(from_file)), to_(to_driver.read(to_file)) {
    const bool units_omitted = std::ranges::any_of(
        omitted, [](const std::string& part) { return part.find("unit") != std::string::npos; });
    std::map<std::string, std::vector<const RecordColumn*>> made;
    for (const RecordColumn& column : to_->head().columns) made[column.name].push_back(&column);
    std::map<std::string, std::size_t> seen;  // how many columns of a name
    for (const RecordColumn& before : from_->head().columns) {
      const auto found = made.find(before.name);
      if (found == made.end()) lost("has no column " + before.name);
      // Some formats have columns of one name once.
      const std::size_t nth = std::min(seen[before.name]++, found->second.size() - 1);
      const RecordColumn& column = *found->second[nth];
      const auto unit = [](const std::string& text) { return text == "1" ? "" : text; };
      const bool unit_left_out = units_omitted && unit(column.unit).empty();
      if (before.type != column.type || (unit(before.unit) != unit(column.unit) && !unit_left_out))
        lost("has column " + column.name + " as " + kind(column) + " instead of " + kind(before));
      columns_.push_back({&before, column.offset});
    }
    for (const auto& [name, columns] : made)
      if (seen[name] < columns.size()) lost("has a column '" + name + "' that the source does not have");
  }

  /// `copied`: number of records that were written; a rig that runs may have added more since.
  void run(std::uint64_t copied) {
    std::vector<std::byte> a(executive::record_bytes(from_->head()));
    std::vector<std::byte> b(executive::record_bytes(to_->head()));
    for (std::uint64_t record = 1; record <= copied; ++record) {
      look_for_signal();
      const std::string place = "record " + std::to_string(record);
      if (!from_->next(a.data())) lost("has " + place + ", which the source does not have any more");
      if (!to_->next(b.data())) lost("ends before " + place);
      std::int64_t before = 0;
      std::int64_t after = 0;
      std::memcpy(&before, a.data(), sizeof before);
      std::memcpy(&after, b.data(), sizeof after);
      if (before != after)
        lost("cannot hold the time of " + place + ": " + std::to_string(before) + " ns became " +
             std::to_string(after) + " ns");
      for (const auto& [column, offset] : columns_)
        if (!same_value(column->type, a.data() + column->offset, b.data() + offset))
          lost("cannot hold " + column->name + " of " + place);
    }
    if (to_->next(b.data())) lost("has more than " + std::to_string(copied) + " records");
  }

 private:
  static std::string kind(const RecordColumn& column) {
    return std::string(executive::name_of(column.type)) + (column.unit.empty() ? "" : " in " + column.unit);
  }
  [[noreturn]] static void lost(const std::string& what) {
    throw CommandError(kEndedEarly, "the new file " + what + "; it was removed");
  }

  /// A column of the old file, and the offset of the same one in records of the new file.
  struct Compared {
    const RecordColumn* column;
    std::size_t offset;
  };

  std::unique_ptr<executive::RecordSource> from_, to_;
  std::vector<Compared> columns_;
};

class ConvertCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("write a recording, or all recordings of a run, in another format");
    app.add_option("SOURCE", source_, "a recording (.csv, .mf4, .mcap, .h5, .trk), or a run folder")
        ->required();
    add_value(app, "--to", to_, "FORMAT",
              "write csv, mdf4, mcap, hdf5 or trk; default: by the name of OUT, else csv");
    add_value(app, "-o,--out", out_, "OUT", "write this file, or into this folder; default: beside SOURCE");
  }

  int run() override {
    const NoticedSignals signals(true);
    const fs::path source(source_);
    formats_ = std::make_unique<const KnownFormats>();
    std::error_code none;
    if (!fs::exists(source, none)) throw CommandError(kWrongInput, source_ + " is not there");
    return fs::is_directory(source, none) ? convert_run(source) : convert_file(source);
  }

 private:
  const RecordFormat& target() const {
    if (!to_.empty()) return formats_->named(to_);
    const RecordFormat* const named = out_.empty() ? nullptr : formats_->of_extension(out_);
    return named != nullptr ? *named : formats_->named("csv");
  }

  int convert_file(const fs::path& source) {
    const RecordFormat& from = formats_->of(source);
    const RecordFormat& to = target();
    fs::path out = source.parent_path() / to.driver->file_name(from.recording(source));
    if (!out_.empty()) out = fs::is_directory(out_) ? fs::path(out_) / out.filename() : fs::path(out_);
    if (out.extension().string() != to.extension())
      throw CommandError(kWrongInput,
                         out.string() + " would be " + to.name + ", whose files end in " + to.extension() +
                             (to_.empty() ? "; give --to, or another name"
                                          : "; name a file that ends so, or a folder that is there"));
    if (from.name == to.name && out_.empty())
      throw CommandError(kWrongInput, source.string() + " is " + to.name +
                                          " already; give --to another format, "
                                          "or -o another file");
    convert(source, from, out, to);
    return kOk;
  }

  int convert_run(const fs::path& folder) {
    const RecordFormat& to = target();
    const fs::path out = out_.empty() ? folder : fs::path(out_);
    if (!out_.empty()) {
      std::error_code error;
      fs::create_directories(out, error);
      if (!fs::is_directory(out))
        throw CommandError(kWrongInput, out.string() +
                                            " is not a folder, and cannot become one; a run is converted "
                                            "into one");
    }
    bool any = false;
    std::vector<std::string> failures;
    for (const RunRecording& each : recordings_of(settings_of_run(folder))) {
      try {
        any = convert_recording(folder, each, out, to) || any;
      } catch (const std::exception& error) {
        if (NoticedSignals::came()) throw;
        failures.emplace_back(error.what());
      }
    }
    if (!failures.empty()) throw CommandError(kEndedEarly, rtsync::joined(failures, "\n"));
    if (!any) throw CommandError(kWrongInput, folder.string() + " holds no recording");
    return kOk;
  }

  /// False: the run does not have it.
  bool convert_recording(const fs::path& folder, const RunRecording& recording, const fs::path& out,
                         const RecordFormat& to) const {
    const RecordFormat& from = formats_->named(recording.driver);
    const fs::path source = folder / from.driver->file_name(recording.name);
    if (!fs::exists(source)) return false;
    if (from.name == to.name && out_.empty())
      put("%s is %s already\n", source.c_str(), to.name.c_str());
    else
      convert(source, from, out / to.driver->file_name(recording.name), to);
    return true;
  }

  static void refuse_existing(const fs::path& file) {
    if (fs::exists(file))
      throw CommandError(kWrongInput,
                         file.string() + " is there already; remove it, or give -o another name");
  }

  static void convert(const fs::path& source, const RecordFormat& from, const fs::path& out,
                      const RecordFormat& to) {
    refuse_existing(out);
    const fs::path parent = out.has_parent_path() ? out.parent_path() : fs::path(".");
    if (!fs::is_directory(parent)) throw CommandError(kWrongInput, parent.string() + " is not a folder");
    const OwnFolder work(".tactus-convert", parent);
    const fs::path made = work.path() / out.filename();
    std::uint64_t records = 0;
    std::size_t columns = 0;
    std::vector<std::string> omitted;
    try {
      records = copy(source, *from.driver, made, *to.driver, columns, omitted);
      Comparison(*from.driver, source, *to.driver, made, omitted).run(records);
      look_for_signal();
    } catch (const CommandError& error) {
      throw CommandError(error.status(), source.string() + " as " + to.name + ": " + error.what());
    }
    for (const fs::directory_entry& each : fs::directory_iterator(work.path()))  // also what belongs to it
      refuse_existing(parent / each.path().filename());
    for (const fs::directory_entry& each : fs::directory_iterator(work.path())) {
      std::error_code error;
      fs::rename(each.path(), parent / each.path().filename(), error);
      if (error) throw CommandError(kEndedEarly, out.string() + ": " + error.message());
    }
    put("%s: %llu records of %zu columns, as %s in %s\n", source.c_str(),
        static_cast<unsigned long long>(records), columns, to.name.c_str(), out.c_str());
    for (const std::string& what : omitted) put("  %s cannot hold %s\n", to.name.c_str(), what.c_str());
    if (from.name != "csv") return;
    const executive::RecordedFile text = from.driver->examine(source);
    if (text.damage.empty() && text.whole < text.bytes)
      put("  the last line of %s has no end, and was left out\n", source.c_str());
  }

  /// Returns the number of records.
  static std::uint64_t copy(const fs::path& source, const executive::RecordDriver& from, const fs::path& made,
                            executive::RecordDriver& to, std::size_t& columns,
                            std::vector<std::string>& omitted) {
    const auto reader = from.read(source);
    const auto writer = to.make_for_export();
    columns = reader->head().columns.size();
    omitted = to.omits(reader->head());
    writer->open(made, reader->head());
    std::vector<std::byte> record(executive::record_bytes(reader->head()));
    std::uint64_t records = 0;
    for (; reader->next(record.data()); ++records) {
      look_for_signal();
      writer->write(record.data());
    }
    writer->flush();
    writer->close();
    return records;
  }

  std::unique_ptr<const KnownFormats> formats_;  // loads their libraries
  std::string source_, to_, out_;
};

}  // namespace

std::unique_ptr<CommandDriver> convert_command() { return std::make_unique<ConvertCommand>(); }

}  // namespace tactus::app
