// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <system_error>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/host/process_life.hpp"
#include "rtsync/text.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {
namespace {

namespace fs = std::filesystem;

constexpr char kFlightMagic[8] = {'t', 'a', 'c', 't', 'u', 's', 'F', '3'};
constexpr std::size_t kFlightPage = 4096;
constexpr std::size_t kMostRings = 1024;
constexpr std::size_t kFlightNames = 512;
constexpr std::int64_t kWitnessTime = 30'000'000'000;  // ns
constexpr std::uint64_t kLeastRecords = 1024;
constexpr int kMostOfAProcess = 1000;
constexpr const char* kMemoryFolder = "/dev/shm";
constexpr const char* kMemoryPrefix = "tactus-flight-";

/// The first bytes of the file; the heads of the rings follow.
struct FlightFileHead {
  char magic[8];
  std::int32_t pid, witness;
  std::uint64_t pid_began, witness_began;
  std::uint64_t rings, text_offset, text_bytes, bytes;
  std::uint64_t pid_namespace;  ///< namespace in which pid and witness count
  FlightFrameNow now;
};

/// Namespace of the process ids of this process; 0: not known. A machine's containers may share /dev/shm
/// without sharing process ids.
std::uint64_t own_pid_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/// The files that this process has made. It must not open one again: to close it would give up the lock.
class OwnFiles {
 public:
  /// False: it is among them already.
  bool add(const fs::path& file) {
    const std::lock_guard lock(mutex_);
    return files_.insert(file).second;
  }
  void remove(const fs::path& file) {
    const std::lock_guard lock(mutex_);
    files_.erase(file);
  }
  bool has(const fs::path& file) {
    const std::lock_guard lock(mutex_);
    return files_.contains(file);
  }

 private:
  std::mutex mutex_;
  std::set<fs::path> files_;
};

OwnFiles& own_files() {
  static OwnFiles files;
  return files;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + kFlightPage - 1) / kFlightPage * kFlightPage; }

/// Gives a file without a name one that no other has: of this process, until it is removed from own_files().
fs::path give_name(int descriptor) {
  const std::string from = "/proc/self/fd/" + std::to_string(descriptor);
  int error = EEXIST;
  for (int i = 1; error == EEXIST && i <= kMostOfAProcess; ++i) {
    fs::path path =
        fs::path(kMemoryFolder) / (kMemoryPrefix + std::to_string(::getpid()) + "-" + std::to_string(i));
    if (!own_files().add(path)) continue;
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return path;
    error = errno;
    own_files().remove(path);
  }
  throw std::runtime_error(std::string{"no name for a file in "} + kMemoryFolder + ": " +
                           std::generic_category().message(error));
}

std::string last_error() { return std::generic_category().message(errno); }

/// Start of a process in clock ticks since the machine's start, so that a reused process id is recognized; 0:
/// there is none.
std::uint64_t process_began(pid_t pid) {
  const std::string text = rtsync::read_host_file("/", "/proc/" + std::to_string(pid) + "/stat").text;
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  const auto fields = rtsync::words_of(std::string_view(text).substr(name_end + 1));  // from the third on
  if (fields.size() < 20 || fields[0] == "Z") return 0;                               // Z: it has ended
  return rtsync::read_number<std::uint64_t>(fields[19]).value_or(0);
}

bool process_lives(pid_t pid, std::uint64_t since) {
  return pid > 0 && since != 0 && process_began(pid) == since;
}

const FlightFileHead& file_head(const std::byte* memory) {
  return *std::launder(
      reinterpret_cast<const FlightFileHead*>(memory));  // NOLINT(*-reinterpret-cast): laid out by make()
}

/// `rings`: with the kernel's.
std::size_t names_begin(std::size_t rings) {
  return whole_pages(sizeof(FlightFileHead)) + rings * sizeof(FlightRingHead);
}
std::size_t heads_end(std::size_t rings) {
  return names_begin(rings) + kFlightNames * sizeof(FlightNamePlace);
}

/// Number of records for each thread: enough for its time, and a quarter and two seconds more for what is
/// written out meanwhile, and for frames that catch up, or for all of a shorter run, with a second of frames in which
/// it is paused; less for all if that is too much.
std::vector<std::uint64_t> capacities(const FlightPlan& plan, std::size_t fixed) {
  double seconds = static_cast<double>(plan.before_ns + plan.after_ns) * 1.25e-9 + 2;
  if (plan.whole_ns > 0) seconds = std::min(seconds, static_cast<double>(plan.whole_ns) * 1e-9 + 1);
  double wanted = 0;
  std::vector<double> rates;
  for (const FlightThread& thread : plan.threads) rates.push_back(thread.records_per_second);
  rates.push_back(plan.kernel_records_per_second);
  for (const double rate : rates) wanted += rate * seconds;
  const std::size_t taken = fixed + rates.size() * kLeastRecords * sizeof(FlightCell);
  const double room = plan.most_bytes > taken ? static_cast<double>((plan.most_bytes - taken) / 16) : 0;
  const double share = std::min(1.0, room / std::max(wanted, 1.0));
  std::vector<std::uint64_t> found;
  for (const double rate : rates)
    found.push_back(std::max(kLeastRecords, static_cast<std::uint64_t>(std::floor(rate * seconds * share))));
  return found;
}

}  // namespace

void FlightNamePlace::put(const FlightName& name) {
  static_assert(sizeof name == sizeof words_);
  const auto words = std::bit_cast<std::array<std::uint32_t, kWords>>(name);
  tid_.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_relaxed);
  tid_.store(name.tid, std::memory_order_release);
}

std::optional<FlightName> FlightNamePlace::get() const {
  const std::int32_t before = tid();
  if (before <= 0) return std::nullopt;
  std::array<std::uint32_t, kWords> words{};
  for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (tid_.load(std::memory_order_relaxed) != before) return std::nullopt;
  auto name = std::bit_cast<FlightName>(words);
  name.tid = before;
  return name;
}

FlightFile::FlightFile(fs::path path, rtsync::Descriptor descriptor, std::size_t bytes, bool writes,
                       bool present)
    : path_(std::move(path)), bytes_(bytes) {
  void* const memory = ::mmap(nullptr, bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ,
                              MAP_SHARED | (present ? MAP_POPULATE : 0), descriptor.get(), 0);
  if (memory == MAP_FAILED) throw std::runtime_error(path_.string() + ": " + last_error());
  if (writes) descriptor_ = std::move(descriptor);
  memory_ = static_cast<std::byte*>(memory);
  (void)::madvise(memory, bytes, MADV_DONTFORK);  // a copy that a model forks says nothing
}

FlightFile::~FlightFile() {
  if (descriptor_.get() >= 0) own_files().remove(path_);
  if (!keep_mapped_) (void)::munmap(memory_, bytes_);
}

std::unique_ptr<FlightFile> FlightFile::make(const FlightPlan& plan, pid_t witness) {
  Json text = {{"folder", plan.folder},       {"rig", plan.rig},
               {"jobs", plan.jobs},           {"threads", Json::array()},
               {"period_ns", plan.period_ns}, {"tick_scale", plan.tick_scale},
               {"before_ns", plan.before_ns}, {"after_ns", plan.after_ns},
               {"variables", Json::array()}};
  for (const FlightThread& thread : plan.threads) text["threads"].push_back(thread.name);
  for (const FlightVariable& each : plan.variables)
    text["variables"].push_back(
        {{"name", each.name}, {"unit", each.unit}, {"real", each.real}, {"uint64", each.uint64}});
  const std::string written = text.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::size_t rings = plan.threads.size() + 1;
  const std::size_t text_offset = heads_end(rings);
  const std::size_t cells = whole_pages(text_offset + written.size());
  const std::vector<std::uint64_t> records = capacities(plan, cells + kFlightPage);
  std::size_t bytes = cells;
  for (const std::uint64_t each : records) bytes += each * sizeof(FlightCell);
  bytes = whole_pages(bytes);

  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)  // beyond it there is a signal
    throw std::runtime_error("`ulimit -f` allows no file of " + std::to_string(bytes >> 10) + " KiB");
  // It gets its name when it is whole: of a process that is killed before, nothing stays.
  const std::string folder = kMemoryFolder;
  rtsync::Descriptor opened(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const int descriptor = opened.get();
  if (descriptor < 0) throw std::runtime_error(folder + ": " + last_error());
  // Not ftruncate: a page that is missing later would end the rig.
  int error = EINTR;  // of a process that is stopped meanwhile, as by a debugger
  while (error == EINTR) error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  if (error != 0)
    throw std::runtime_error(folder + ": " + std::generic_category().message(error) + " (" +
                             std::to_string(bytes >> 10) + " KiB)");
  std::unique_ptr<FlightFile> file(new FlightFile(folder, std::move(opened), bytes, true, plan.present));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  (void)::fcntl(descriptor, F_SETLK, &lock);  // as long as this process lives; no child inherits it
  std::size_t at = cells;
  for (std::size_t i = 0; i < records.size(); ++i) {
    auto* const ring =
        ::new (file->memory_ + whole_pages(sizeof(FlightFileHead)) + i * sizeof(FlightRingHead))
            FlightRingHead;
    ring->capacity = records[i];
    ring->offset = at;
    at += records[i] * sizeof(FlightCell);
  }
  for (std::size_t i = 0; i < kFlightNames; ++i)
    ::new (file->memory_ + names_begin(rings) + i * sizeof(FlightNamePlace)) FlightNamePlace;
  std::memcpy(file->memory_ + text_offset, written.data(), written.size());
  auto* const head = ::new (file->memory_) FlightFileHead{};
  head->pid = ::getpid();
  head->pid_began = process_began(::getpid());
  head->witness = witness;
  head->witness_began = witness > 0 ? process_began(witness) : 0;
  head->pid_namespace = own_pid_namespace();
  head->rings = rings;
  head->text_offset = text_offset;
  head->text_bytes = written.size();
  head->bytes = bytes;
  std::memcpy(head->magic, kFlightMagic, sizeof kFlightMagic);
  file->path_ = give_name(descriptor);
  file->plan_ = plan;
  return file;
}

std::unique_ptr<FlightFile> FlightFile::open(const fs::path& path) {
  rtsync::Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (descriptor.get() < 0) throw std::runtime_error(path.string() + ": " + last_error());
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0 || status.st_size < static_cast<off_t>(kFlightPage))
    throw NotFlightMemory(path.string() + ": not a flight recorder's");
  std::unique_ptr<FlightFile> file(
      new FlightFile(path, std::move(descriptor), static_cast<std::size_t>(status.st_size), false, false));
  file->read_plan();
  return file;
}

void FlightFile::read_plan() {
  const auto nonsense = [this](const char* what) { throw NotFlightMemory(path_.string() + ": " + what); };
  const FlightFileHead& head = file_head(memory_);
  if (std::memcmp(head.magic, kFlightMagic, sizeof kFlightMagic) != 0)
    nonsense("not a flight recorder's, or of another tactus");
  if (head.bytes != bytes_ || head.rings < 2 || head.rings > kMostRings ||
      head.text_offset != heads_end(head.rings) || head.text_offset > bytes_ ||
      head.text_bytes > bytes_ - head.text_offset)
    nonsense("damaged");
  const char* const text = reinterpret_cast<const char*>(memory_ + head.text_offset);  // NOLINT: characters
  const Json json = config::json_of({text, head.text_bytes});
  if (!json.is_object()) nonsense("damaged");
  try {
    json.at("folder").get_to(plan_.folder);
    json.at("rig").get_to(plan_.rig);
    json.at("jobs").get_to(plan_.jobs);
    for (const Json& thread : json.at("threads")) plan_.threads.push_back({thread.get<std::string>(), 0});
    json.at("period_ns").get_to(plan_.period_ns);
    json.at("tick_scale").get_to(plan_.tick_scale);
    json.at("before_ns").get_to(plan_.before_ns);
    json.at("after_ns").get_to(plan_.after_ns);
    for (const Json& each : json.at("variables"))
      plan_.variables.push_back({each.at("name").get<std::string>(), each.at("unit").get<std::string>(),
                                 each.at("real").get<bool>(), each.value("uint64", false)});
  } catch (const Json::exception&) {
    nonsense("damaged");
  }
  if (plan_.threads.size() + 1 != head.rings) nonsense("damaged");
  for (std::size_t i = 0; i < head.rings; ++i) {
    const FlightRingHead& ring = this->head(i);
    if (ring.capacity == 0 || ring.offset > bytes_ || ring.offset % alignof(FlightCell) != 0 ||
        ring.capacity > (bytes_ - ring.offset) / sizeof(FlightCell))
      nonsense("damaged");
  }
}

std::vector<fs::path> FlightFile::all() {
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(kMemoryFolder, none)) {
    if (!entry.path().filename().string().starts_with(kMemoryPrefix) || own_files().has(entry.path()))
      continue;
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == ::geteuid())
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

pid_t FlightFile::named_after(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(kMemoryPrefix)) return 0;
  const auto parts = rtsync::parts_of(std::string_view(name).substr(std::strlen(kMemoryPrefix)), '-');
  const bool has_number = parts.size() == 2 && rtsync::read_number<int>(parts[1]).value_or(0) > 0;
  return has_number ? std::max(rtsync::read_number<pid_t>(parts[0]).value_or(0), 0) : 0;
}

pid_t FlightFile::pid() const { return file_head(memory_).pid; }

pid_t FlightFile::witness() const { return file_head(memory_).witness; }

bool FlightFile::is_witnessed_here() const {
  return file_head(memory_).witness == ::getpid() && is_made_here();
}

bool FlightFile::is_made_here() const { return file_head(memory_).pid_namespace == own_pid_namespace(); }

bool FlightFile::in_use() const {
  const FlightFileHead& head = file_head(memory_);
  if (is_made_here())
    return process_lives(head.pid, head.pid_began) || process_lives(head.witness, head.witness_began);
  // The process ids are those of another container. A lock is held by whoever made the file, and by nobody else.
  if (is_locked(path_)) return true;
  if (head.witness == 0) return false;
  // Its witness, which nobody sees from here, may be about to write the trace.
  const std::int64_t silent = rtsync::kernel_time(CLOCK_MONOTONIC).count() - head.now.alive_ns.load();
  return silent >= 0 && silent < kWitnessTime;
}

bool FlightFile::is_running() const {
  if (!is_made_here()) return is_locked(path_);
  const FlightFileHead& head = file_head(memory_);
  return process_lives(head.pid, head.pid_began) && rtsync::life_of(head.pid) == rtsync::ProcessLife::running;
}

bool FlightFile::is_locked(const fs::path& path) {
  const rtsync::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return false;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  return ::fcntl(file.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

FlightFrameNow& FlightFile::frame_now() const {
  return std::launder(
             reinterpret_cast<FlightFileHead*>(memory_))  // NOLINT(*-reinterpret-cast): laid out by make()
      ->now;
}

std::span<FlightNamePlace> FlightFile::names() const {
  return {std::launder(reinterpret_cast<FlightNamePlace*>(  // NOLINT(*-reinterpret-cast): laid out by make()
              memory_ + names_begin(rings() + 1))),
          kFlightNames};
}

FlightRingHead& FlightFile::head(std::size_t ring) const {
  return *std::launder(reinterpret_cast<FlightRingHead*>(  // NOLINT(*-reinterpret-cast): laid out by make()
      memory_ + whole_pages(sizeof(FlightFileHead)) + ring * sizeof(FlightRingHead)));
}

FlightCell* FlightFile::cells(std::size_t ring) const {
  return reinterpret_cast<FlightCell*>(memory_ + head(ring).offset);  // NOLINT(*-reinterpret-cast): likewise
}

void FlightFile::remove() { (void)::unlink(path_.c_str()); }

}  // namespace tactus::executive
