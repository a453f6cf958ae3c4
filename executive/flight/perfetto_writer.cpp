// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/perfetto_writer.hpp"

#include <fcntl.h>

#include <cerrno>
#include <protozero/pbf_writer.hpp>
#include <set>
#include <stdexcept>
#include <system_error>

#include "rtsync/host/folder_file.hpp"

// Field numbers are those of Perfetto's published trace.proto.
namespace tactus::executive {
namespace {

constexpr std::size_t kTraceBlock = 64 << 10;
constexpr unsigned kCategories = 1, kEventNames = 2, kArgumentNames = 3;  // tables of interned names
constexpr std::uint64_t kMonotonic = 3, kBoottime = 6, kRealtime = 1;

std::string message_of(int error) { return error == 0 ? "" : std::generic_category().message(error); }

/// A message, field by field.
class ProtoMessage {
 public:
  ProtoMessage& number(unsigned field, std::uint64_t value) {
    protozero::pbf_writer(bytes_).add_uint64(field, value);
    return *this;
  }
  ProtoMessage& fixed(unsigned field, std::uint64_t value) {
    protozero::pbf_writer(bytes_).add_fixed64(field, value);
    return *this;
  }
  ProtoMessage& real(unsigned field, double value) {
    protozero::pbf_writer(bytes_).add_double(field, value);
    return *this;
  }
  ProtoMessage& text(unsigned field, const std::string& value) {
    protozero::pbf_writer(bytes_).add_bytes(field, value);
    return *this;
  }
  ProtoMessage& message(unsigned field, const ProtoMessage& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string in_packet(unsigned field, const ProtoMessage& value) {
  return ProtoMessage().message(field, value).bytes();
}

}  // namespace

PerfettoWriter::PerfettoWriter(const std::string& file)
    : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_.get() < 0) throw std::runtime_error(file + ": " + message_of(errno));
  buffer_.reserve(kTraceBlock + 4096);
}

void PerfettoWriter::flush() {
  if (failure_.empty()) failure_ = message_of(rtsync::append_whole(file_.get(), buffer_));
  buffer_.clear();
}

const std::string& PerfettoWriter::close() {
  flush();
  const int error = file_.close();
  if (failure_.empty()) failure_ = message_of(error);
  return failure_;
}

void PerfettoWriter::packet(const std::string& body, const std::int64_t* ns) {
  ProtoMessage packet;
  if (ns != nullptr) packet.number(8, static_cast<std::uint64_t>(*ns));
  packet.number(10, sequence_).number(13, first_ ? 3 : 2);
  first_ = false;
  if (!interned_.empty()) packet.text(12, interned_);
  interned_.clear();
  buffer_ += ProtoMessage().text(1, packet.bytes() + body).bytes();
  if (buffer_.size() >= kTraceBlock) flush();
}

std::uint64_t PerfettoWriter::intern(unsigned table, const std::string& text) {
  const auto [found, fresh] = names_.try_emplace({table, text}, 0);
  if (fresh) {
    found->second = ++last_name_[table];
    interned_ += in_packet(table, ProtoMessage().number(1, found->second).text(2, text));
  }
  return found->second;
}

void PerfettoWriter::clocks(std::int64_t monotonic_ns, std::int64_t boot_ns, std::int64_t real_ns) {
  ProtoMessage snapshot;
  const auto clock = [&](std::uint64_t id, std::int64_t ns) {
    snapshot.message(1, ProtoMessage().number(1, id).number(2, static_cast<std::uint64_t>(ns)));
  };
  clock(kMonotonic, monotonic_ns);
  clock(kBoottime, boot_ns);
  clock(kRealtime, real_ns);
  snapshot.number(2, kBoottime);
  packet(in_packet(6, snapshot), nullptr);
  packet(in_packet(59, ProtoMessage().number(58, kMonotonic)), nullptr);
}

void PerfettoWriter::process(std::uint64_t track, int pid, const std::string& name) {
  const ProtoMessage process = ProtoMessage().number(1, static_cast<std::uint64_t>(pid)).text(6, name);
  packet(in_packet(60, ProtoMessage().number(1, track).message(3, process)), nullptr);
}

void PerfettoWriter::thread(std::uint64_t track, int pid, int tid, const std::string& name) {
  const ProtoMessage thread = ProtoMessage()
                                  .number(1, static_cast<std::uint64_t>(pid))
                                  .number(2, static_cast<std::uint64_t>(tid))
                                  .text(5, name);
  packet(in_packet(60, ProtoMessage().number(1, track).message(4, thread)), nullptr);
}

void PerfettoWriter::plain(std::uint64_t track, std::uint64_t parent, const std::string& name) {
  packet(in_packet(60, ProtoMessage().number(1, track).number(5, parent).text(2, name)), nullptr);
}

void PerfettoWriter::counter(std::uint64_t track, std::uint64_t parent, const std::string& name,
                             const std::string& unit) {
  ProtoMessage descriptor;
  descriptor.number(1, track).number(5, parent).text(2, name);
  ProtoMessage counter;
  if (unit == "ns")
    counter.number(3, 1);
  else if (!unit.empty())
    counter.text(6, unit);
  descriptor.message(8, counter);
  packet(in_packet(60, descriptor), nullptr);
}

void PerfettoWriter::kernel_threads(std::span<const KernelThread> threads) {
  ProtoMessage tree;
  std::set<int> processes;
  for (const KernelThread& thread : threads)
    if (processes.insert(thread.process).second)
      tree.message(
          1,
          ProtoMessage().number(1, static_cast<std::uint64_t>(thread.process)).text(3, thread.process_name));
  for (const KernelThread& thread : threads)
    tree.message(2, ProtoMessage()
                        .number(1, static_cast<std::uint64_t>(thread.tid))
                        .number(2, static_cast<std::uint64_t>(thread.process))
                        .text(3, thread.name)
                        .number(4, thread.tid == thread.process ? 1 : 0));
  packet(in_packet(122, tree), nullptr);
}

void PerfettoWriter::next_sequence() {
  ++sequence_;
  first_ = true;
  names_.clear();
  last_name_.clear();
  packet(in_packet(59, ProtoMessage().number(58, kMonotonic)), nullptr);
}

void PerfettoWriter::write(const TraceEvent& event) {
  ProtoMessage message;
  message.number(9, event.type).number(11, event.track);
  if (event.category != nullptr) message.number(3, intern(kCategories, event.category));
  if (!event.name.empty()) message.number(10, intern(kEventNames, event.name));
  for (const TraceEvent::Argument& argument : event.arguments) {
    ProtoMessage annotation;
    annotation.number(1, intern(kArgumentNames, argument.name));
    if (const auto* const number = std::get_if<std::int64_t>(&argument.value))
      annotation.number(4, static_cast<std::uint64_t>(*number));
    else
      annotation.text(6, std::get<std::string>(argument.value));
    message.message(4, annotation);
  }
  if (event.type == TraceEvent::counter) {
    if (const auto* const number = std::get_if<std::int64_t>(&event.value))
      message.number(30, static_cast<std::uint64_t>(*number));
    else
      message.real(44, std::get<double>(event.value));
  }
  for (const std::uint64_t flow : event.flows) message.fixed(47, flow);
  packet(in_packet(11, message), &event.ns);
}

void PerfettoWriter::task(std::int64_t ns, int cpu, int tid, TaskState state, int priority) {
  const auto number = [](int value) { return static_cast<std::uint64_t>(value); };
  packet(in_packet(117, ProtoMessage()
                            .number(1, number(cpu))
                            .number(3, number(tid))
                            .number(4, static_cast<std::uint64_t>(state))
                            .number(5, number(priority))),
         &ns);
}

}  // namespace tactus::executive
