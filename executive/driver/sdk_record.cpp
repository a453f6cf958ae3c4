// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include "executive/driver/record_sink.hpp"
#include "executive/driver/sdk_call.hpp"

namespace tactus::executive {
namespace {

/// A recording as the C ABI has it; points into the head, of which it has a copy.
class SdkHead {
 public:
  explicit SdkHead(RecordingHead head) : head_(std::move(head)) {
    columns_.reserve(head_.columns.size());
    labels_.reserve(head_.columns.size());
    std::uint64_t bytes = sizeof(std::int64_t);
    for (const RecordColumn& column : head_.columns) {
      std::vector<tactus_label>& labels = labels_.emplace_back();
      for (const VariableLabel& label : column.labels) labels.push_back({label.name.c_str(), label.value});
      columns_.push_back({sizeof(tactus_column), column.type, column.name.c_str(), column.unit.c_str(),
                          column.about.c_str(), column.offset, labels.data(),
                          static_cast<std::uint32_t>(labels.size()), column.as_words ? 1U : 0U});
      bytes = std::max<std::uint64_t>(bytes, column.offset + size_of(column.type));
    }
    for (const tactus_column& column : columns_) pointers_.push_back(&column);
    recording_ = {sizeof(tactus_recording),
                  static_cast<std::uint32_t>(pointers_.size()),
                  head_.name.c_str(),
                  head_.epoch_ns,
                  bytes,
                  pointers_.data()};
  }
  SdkHead(const SdkHead&) = delete;
  SdkHead& operator=(const SdkHead&) = delete;

  const tactus_recording& get() const { return recording_; }

 private:
  RecordingHead head_;
  std::vector<tactus_column> columns_;
  std::vector<std::vector<tactus_label>> labels_;
  std::vector<const tactus_column*> pointers_;
  tactus_recording recording_{};
};

/// Returns the description that a reader gives of its recording. Throws std::runtime_error if it makes no sense.
RecordingHead head_of(const tactus_recording* recording) {
  const auto refuse = [](const std::string& why) {
    throw std::runtime_error("its reader describes a recording that makes no sense: " + why);
  };
  if (recording == nullptr) refuse("a null pointer");
  if (recording->size < sizeof(tactus_recording)) refuse("its size is " + std::to_string(recording->size));
  if (recording->columns == nullptr && recording->column_count > 0) refuse("its columns are a null pointer");
  RecordingHead head{.name = sdk_text(recording->name), .epoch_ns = recording->epoch_ns};
  std::uint64_t offset = sizeof(std::int64_t);
  for (std::uint32_t i = 0; i < recording->column_count; ++i) {
    const tactus_column* const column = recording->columns[i];
    if (column == nullptr || column->size < sizeof(tactus_column)) refuse("a column has another size");
    RecordColumn made{sdk_text(column->name), sdk_text(column->unit), TACTUS_DOUBLE, column->offset};
    const auto type = std::bit_cast<std::uint32_t>(column->type);  // which may be none
    if (type < TACTUS_BOOL || type > TACTUS_DOUBLE)
      refuse("column " + config::show(made.name) + " has type " + std::to_string(type));
    made.type = static_cast<tactus_type>(type);
    if (made.offset != offset)
      refuse("column " + config::show(made.name) + " is at byte " + std::to_string(made.offset) +
             " of a record, and " + std::to_string(offset) + " is where the one before it ends");
    offset += size_of(made.type);
    if (column->labels == nullptr && column->label_count > 0) refuse("labels are a null pointer");
    for (std::uint32_t l = 0; l < column->label_count; ++l)
      made.labels.push_back({sdk_text(column->labels[l].name), column->labels[l].value});
    made.as_words = column->as_words != 0;
    made.about = sdk_text(column->about);
    head.columns.push_back(std::move(made));
  }
  if (recording->record_bytes != offset)
    refuse("its records have " + std::to_string(recording->record_bytes) + " bytes, its columns end at " +
           std::to_string(offset));
  return head;
}

class SdkSink final : public RecordSink {
 public:
  SdkSink(std::shared_ptr<SdkInstance> instance, const tactus_record_functions& functions)
      : instance_(std::move(instance)), functions_(functions) {}

  std::string file_name(const std::string& recording) const override {
    return sdk_text(functions_.prefix) + recording + functions_.extension;
  }
  void open(const std::filesystem::path& file, const RecordingHead& head) override {
    head_.emplace(head);
    work("open", functions_.open, file.c_str(), &head_->get());
    std::error_code error;
    if (!std::filesystem::exists(file, error))
      throw std::runtime_error(file.string() + " is not there, though driver '" + instance_->entry().name +
                               "' has opened it");
  }
  void write(const std::byte* record) override { work("write", functions_.write, record); }
  void flush() override { work("flush", functions_.flush); }
  void close() override { work("close", functions_.close); }
  bool has_dates() const override { return functions_.has_dates != 0; }
  std::string present_call() const override {
    const char* const function = function_.load();
    if (function == nullptr) return "";
    return std::string(function) + "() of driver '" + instance_->entry().name + "', " +
           instance_->entry().library;
  }

 private:
  template <class Call, class... Given>
  void work(const char* function, Call call, Given... given) {
    SdkFailure failure;
    struct Mark {
      Mark(std::atomic<const char*>& cell, const char* function) : of(cell) { of.store(function); }
      ~Mark() { of.store(nullptr); }
      std::atomic<const char*>& of;
    } const mark(function_, function);
    const int status =
        call_sdk(instance_->entry(), function, call, instance_->self(), given..., failure.get());
    failure.expect_inside(instance_->entry(), function);
    if (status != 0) throw RecordsLost(failure.text(), failure.records_lost());
  }

  std::shared_ptr<SdkInstance> instance_;
  const tactus_record_functions functions_;
  std::optional<SdkHead> head_;
  std::atomic<const char*> function_{nullptr};  // that is called now
};

class SdkSource final : public RecordSource {
 public:
  SdkSource(std::shared_ptr<const SdkEntry> entry, const tactus_record_functions& functions,
            const std::filesystem::path& file)
      : entry_(std::move(entry)), functions_(functions) {
    call_or_throw<std::runtime_error>(*entry_, "read", functions_.read, file.c_str(), &reader_);
    try {
      head_ = head_of(call_sdk(*entry_, "recording", functions_.recording, reader_));
    } catch (const std::exception& error) {
      end();
      throw std::runtime_error(file.string() + ": " + error.what());
    }
  }
  ~SdkSource() override { end(); }

  const RecordingHead& head() const override { return head_; }
  bool next(std::byte* record) override {
    SdkFailure failure;
    const int result = call_sdk(*entry_, "next", functions_.next, reader_, record, failure.get());
    failure.expect_inside(*entry_, "next");
    switch (result) {
      case TACTUS_NEXT_RECORD:
        return true;
      case TACTUS_NEXT_END:
        return false;
      case TACTUS_NEXT_DAMAGED:
        throw DamagedRecord(failure.text());
      default:
        throw std::runtime_error(failure.text());
    }
  }

 private:
  void end() noexcept {
    try {
      call_sdk(*entry_, "end_read", functions_.end_read, reader_);
    } catch (const std::exception&) {  // it is read; what it held is left to the kernel
    }
  }

  std::shared_ptr<const SdkEntry> entry_;
  const tactus_record_functions functions_;
  void* reader_ = nullptr;
  RecordingHead head_;
};

class SdkRecordDriver final : public RecordDriver {
 public:
  explicit SdkRecordDriver(std::shared_ptr<const SdkEntry> entry)
      : entry_(std::move(entry)),
        functions_(functions_of<tactus_record_functions>(*entry_, offsetof(tactus_record_functions, omits))) {
    need(functions_.open, "open");
    need(functions_.write, "write");
    need(functions_.flush, "flush");
    need(functions_.close, "close");
    if (functions_.read != nullptr) {
      need(functions_.recording, "recording");
      need(functions_.next, "next");
      need(functions_.end_read, "end_read");
    }
    const std::string extension = sdk_text(functions_.extension);
    if (extension.size() < 2 || extension[0] != '.' || extension.find_first_of("/.", 1) != std::string::npos)
      throw std::runtime_error("its extension is " + config::show(extension) +
                               "; a point and then letters or digits are needed, \".ndjson\"");
    if (std::string(sdk_text(functions_.prefix)).find('/') != std::string::npos)
      throw std::runtime_error("its prefix has a '/', which cannot be in a file's name");
  }

  std::shared_ptr<const config::Section> section() const override { return entry_->keys.section(); }

  std::unique_ptr<RecordSink> make(const config::Node& settings, const std::string& path,
                                   config::Problems& problems) override {
    const std::size_t before = problems.count();
    const KeptValue section = entry_->keys.load(settings, path, problems);
    if (problems.count() != before) return nullptr;
    auto instance = make_instance(entry_, section, problems);
    return instance == nullptr ? nullptr : std::make_unique<SdkSink>(std::move(instance), functions_);
  }

  std::string file_name(const std::string& recording) const override {
    return sdk_text(functions_.prefix) + recording + functions_.extension;
  }

  RecordedFile examine(const std::filesystem::path& file) const override {
    if (functions_.examine == nullptr)
      throw std::runtime_error(file.string() + ": format '" + entry_->name +
                               "' cannot say how far a file is whole");
    SdkText<512> damage;
    SdkText<512> unended;
    tactus_examined found{};
    found.size = sizeof found;
    found.damage = damage.data();
    found.damage_room = damage.room();
    found.unended = unended.data();
    found.unended_room = unended.room();
    call_or_throw<std::runtime_error>(*entry_, "examine", functions_.examine, file.c_str(), &found);
    damage.expect_inside(*entry_, "examine");
    unended.expect_inside(*entry_, "examine");
    if (found.whole > found.bytes)
      throw std::runtime_error(file.string() + ": driver '" + entry_->name + "' says that " +
                               std::to_string(found.whole) + " bytes of " + std::to_string(found.bytes) +
                               " are whole");
    RecordedFile whole;
    whole.path = file;
    whole.bytes = found.bytes;
    whole.whole = found.whole;
    whole.records = found.records;
    if (found.has_last != 0) whole.last_ns = found.last_ns;
    whole.damage = damage.line();
    if (functions_.mend != nullptr) whole.unended = unended.line();
    return whole;
  }

  void mend(const RecordedFile& file) const override {
    int result = TACTUS_MEND_BY_CUTTING;
    if (functions_.mend != nullptr) {
      tactus_examined found{};
      found.size = sizeof found;
      found.bytes = file.bytes;
      found.whole = file.whole;
      found.records = file.records;
      found.has_last = file.last_ns ? 1 : 0;
      found.last_ns = file.last_ns.value_or(0);
      call_or_throw<std::runtime_error>(*entry_, "mend", [&](tactus_failure* failure) {
        result = functions_.mend(file.path.c_str(), &found, failure);
        return result == TACTUS_MENDED || result == TACTUS_MEND_BY_CUTTING ? 0 : 1;
      });
    }
    if (result == TACTUS_MEND_BY_CUTTING) RecordDriver::mend(file);
  }

  std::unique_ptr<RecordSource> read(const std::filesystem::path& file) const override {
    if (functions_.read == nullptr)
      throw std::runtime_error(file.string() + ": format '" + entry_->name + "' cannot be read back");
    return std::make_unique<SdkSource>(entry_, functions_, file);
  }

  std::vector<std::string> omits(const RecordingHead& head) const override {
    std::vector<std::string> parts;
    if (functions_.omits == nullptr) return parts;
    const SdkHead shown(head);
    const auto hear = [](void* context, const char* text) {
      static_cast<std::vector<std::string>*>(context)->push_back(config::one_line(sdk_text(text)));
    };
    call_or_throw<std::runtime_error>(*entry_, "omits", functions_.omits, &shown.get(), &parts, hear);
    return parts;
  }

 private:
  std::shared_ptr<const SdkEntry> entry_;
  const tactus_record_functions functions_;
};

}  // namespace

std::unique_ptr<Driver> make_sdk_record(std::shared_ptr<const SdkEntry> entry) {
  return std::make_unique<SdkRecordDriver>(std::move(entry));
}

}  // namespace tactus::executive
