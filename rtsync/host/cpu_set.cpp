// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/cpu_set.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;

std::size_t word_of(int cpu) { return static_cast<std::size_t>(cpu) / kBits; }
unsigned long bit_of(int cpu) { return 1UL << (static_cast<std::size_t>(cpu) % kBits); }

std::optional<CpuSet> read_cpus(const std::filesystem::path& root, std::string_view file) {
  const FileText read = read_host_file(root, file);
  return read.readable() ? CpuSet::try_parse(read.text) : std::nullopt;
}

}  // namespace

CpuList read_cpu_list(std::string_view text, int limit) {
  CpuList list;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto skip_blanks = [&] {
    while (at != end && (*at == ' ' || *at == '\t' || *at == '\n')) ++at;
  };
  const auto wrong = [&](CpuList::Fault fault, std::string problem) {
    return CpuList{{}, fault, std::move(problem)};
  };
  const auto number = [&](int& cpu) {
    skip_blanks();
    const auto [behind, error] = std::from_chars(at, end, cpu);
    at = behind;
    skip_blanks();
    if (error == std::errc::result_out_of_range) return CpuList::Fault::outside;
    if (error != std::errc{}) return CpuList::Fault::no_list;
    return cpu < 0 || cpu >= limit ? CpuList::Fault::outside : CpuList::Fault::none;
  };
  const std::string expected = "expected a number in 0 .. " + std::to_string(limit - 1);
  for (;;) {
    int from = 0;
    if (const auto fault = number(from); fault != CpuList::Fault::none) return wrong(fault, expected);
    int to = from;
    if (at != end && *at == '-') {
      ++at;
      if (const auto fault = number(to); fault != CpuList::Fault::none)
        return wrong(fault, expected + " after '-'");
      if (to < from)
        return wrong(CpuList::Fault::backwards,
                     "the range " + std::to_string(from) + "-" + std::to_string(to) + " runs backwards");
    }
    for (int cpu = from; cpu <= to; ++cpu) list.cpus.push_back(cpu);
    if (at == end) return list;
    if (*at != ',') return wrong(CpuList::Fault::no_list, "expected a comma");
    if (++at == end) return wrong(CpuList::Fault::no_list, "a comma at the end");
  }
}

CpuSet::CpuSet(const std::vector<int>& cpus) {
  for (const int cpu : cpus) add(cpu);
}

CpuSet::CpuSet(std::initializer_list<int> cpus) : CpuSet(std::vector<int>(cpus)) {}

CpuSet CpuSet::parse(std::string_view text) {
  if (trimmed(text).empty()) return {};
  const CpuList list = read_cpu_list(text, kLimit);
  if (list.fault == CpuList::Fault::none) return CpuSet(list.cpus);
  throw std::invalid_argument("'" + std::string{trimmed(text).substr(0, 60)} +
                              "' is not a list of CPUs like 0-3,5: " + list.problem);
}

std::optional<CpuSet> CpuSet::try_parse(std::string_view text) try {
  return parse(text);
} catch (const std::invalid_argument&) {
  return std::nullopt;
}

void CpuSet::add(int cpu) {
  if (cpu < 0 || cpu >= kLimit)
    throw std::invalid_argument("CPU " + std::to_string(cpu) + " is outside 0 .. " +
                                std::to_string(kLimit - 1));
  if (word_of(cpu) >= words_.size()) words_.resize(word_of(cpu) + 1);
  words_[word_of(cpu)] |= bit_of(cpu);
}

void CpuSet::remove(int cpu) {
  if (!contains(cpu)) return;
  words_[word_of(cpu)] &= ~bit_of(cpu);
  trim();
}

bool CpuSet::contains(int cpu) const TACTUS_RT {
  return cpu >= 0 && word_of(cpu) < words_.size() && (words_[word_of(cpu)] & bit_of(cpu)) != 0;
}

bool CpuSet::contains(const CpuSet& other) const TACTUS_RT {
  for (std::size_t i = 0; i < other.words_.size(); ++i) {
    const Word mine = i < words_.size() ? words_[i] : 0;
    if ((other.words_[i] & ~mine) != 0) return false;
  }
  return true;
}

bool CpuSet::intersects(const CpuSet& other) const TACTUS_RT {
  for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

bool CpuSet::empty() const TACTUS_RT { return words_.empty(); }

int CpuSet::count() const TACTUS_RT {
  int count = 0;
  for (const Word word : words_) count += std::popcount(word);
  return count;
}

int CpuSet::first() const TACTUS_RT {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] != 0) return static_cast<int>(i * kBits) + std::countr_zero(words_[i]);
  }
  return -1;
}

int CpuSet::last() const TACTUS_RT {
  if (words_.empty()) return -1;
  return static_cast<int>(words_.size() * kBits) - 1 - std::countl_zero(words_.back());
}

std::vector<int> CpuSet::cpus() const {
  std::vector<int> list;
  for (int cpu = first(); cpu >= 0 && cpu <= last(); ++cpu) {
    if (contains(cpu)) list.push_back(cpu);
  }
  return list;
}

std::string CpuSet::text() const { return cpu_list_text(cpus()); }

std::string cpu_list_text(const std::vector<int>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size();) {
    std::size_t end = i + 1;
    while (end < list.size() && list[end] == list[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(list[i]);
    if (end - i > 1) text += '-' + std::to_string(list[end - 1]);
    i = end;
  }
  return text;
}

CpuSet& CpuSet::operator|=(const CpuSet& other) {
  if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

CpuSet& CpuSet::operator&=(const CpuSet& other) {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  trim();
  return *this;
}

CpuSet& CpuSet::operator-=(const CpuSet& other) {
  for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i)
    words_[i] &= ~other.words_[i];
  trim();
  return *this;
}

void CpuSet::trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

std::optional<CpuSet> affinity_of(pid_t tid) {
  // The kernel refuses a mask smaller than its own with EINVAL; its size is not told anywhere.
  for (std::size_t words = 16; words * kBits <= static_cast<std::size_t>(CpuSet::kLimit); words *= 2) {
    CpuSet cpus;
    cpus.words_.resize(words);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): cpu_set_t is an array of unsigned long
    auto* const mask = reinterpret_cast<cpu_set_t*>(cpus.words_.data());
    if (::sched_getaffinity(tid, words * sizeof(CpuSet::Word), mask) == 0) {
      cpus.trim();
      return cpus;
    }
    if (errno != EINVAL) return std::nullopt;
  }
  return std::nullopt;
}

int set_affinity(pid_t tid, const CpuSet& cpus) {
  if (cpus.empty()) return EINVAL;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): cpu_set_t is an array of unsigned long
  const auto* const mask = reinterpret_cast<const cpu_set_t*>(cpus.words_.data());
  return ::sched_setaffinity(tid, cpus.words_.size() * sizeof(CpuSet::Word), mask) == 0 ? 0 : errno;
}

const CpuSet& allowed_cpus() {
  // Of the initial thread, whoever asks: a pinned thread must not mistake its cage for the house.
  static const CpuSet allowed = [] {
    const CpuSet inherited = affinity_of(::getpid()).value_or(CpuSet{});
    if (const char* const named = std::getenv(kCpusVariable); named != nullptr)
      if (const CpuSet kept = inherited & CpuSet::try_parse(named).value_or(CpuSet{}); !kept.empty())
        return kept;
    // A kernel with isolcpus= keeps every process off these CPUs that does not ask for them, so what was
    // inherited never holds one. Whether they can be had (a cpuset may forbid it) only asking tells.
    const CpuSet isolated = isolated_cpus().value_or(CpuSet{}) - inherited;
    if (isolated.empty() || set_affinity(::getpid(), inherited | isolated) != 0) return inherited;
    const CpuSet granted = affinity_of(::getpid()).value_or(inherited);
    (void)set_affinity(::getpid(), inherited);  // it was ours a moment ago
    return granted;
  }();
  return allowed;
}

CpuSet default_frame_cpu() {
  const CpuSet& allowed = allowed_cpus();
  const CpuSet isolated = isolated_cpus().value_or(CpuSet{}) & allowed;
  return CpuSet{isolated.empty() ? allowed.last() : isolated.last()};
}

std::optional<CpuSet> online_cpus(const std::filesystem::path& root) {
  return read_cpus(root, "/sys/devices/system/cpu/online");
}

std::optional<CpuSet> isolated_cpus(const std::filesystem::path& root) {
  return read_cpus(root, "/sys/devices/system/cpu/isolated");
}

}  // namespace tactus::rtsync
