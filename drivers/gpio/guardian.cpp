// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/guardian.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "drivers/gpio/holder.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/model/model_library.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/spawn.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::drivers::gpio {
namespace {

using executive::DeviceError;

constexpr int kAnswerTimeoutMs = 5000;  // for an answer, and for its end

/// 0: there is none.
ino_t inode_of(int fd) {
  struct stat found {};
  return ::fstat(fd, &found) == 0 ? found.st_ino : 0;
}

std::int64_t now() TACTUS_RT { return rtsync::monotonic_now().time_since_epoch().count(); }

[[noreturn]] void cannot(const std::string& what, int error) {
  throw DeviceError("the guardian of the outputs cannot be used: " + what + ": " +
                    std::generic_category().message(error) +
                    "; 'safe_outputs: process' runs the rig without a guardian, but then a killed rig leaves "
                    "its outputs as they are");
}

void check(int result, const char* what) {
  if (result < 0) cannot(what, errno);
}

/// It has the socket, no standard streams, a session of its own, no signals.
pid_t start(const std::filesystem::path& program, const std::string& rig, int socket) {
  sigset_t all;
  (void)::sigfillset(&all);
  const std::string state(std::strlen(kGuardianStalled), '-');  // room for each of its states
  return rtsync::spawn({.program = program,
                        .words = {kGuardianProgram, rig, std::to_string(::getpid()), state},
                        .streams = false,
                        .descriptors = {{socket, kGuardianSocket}},
                        .blocked = all,
                        .flags = POSIX_SPAWN_SETSID},
                       cannot);
}

}  // namespace

std::filesystem::path guardian_program(const std::vector<std::filesystem::path>& folders) {
  std::string tried;
  for (const auto& folder : folders) {
    std::filesystem::path program = folder / kGuardianProgram;
    if (::access(program.c_str(), X_OK) == 0) return program;
    tried += (tried.empty() ? "" : ", ") + program.string();
  }
  throw DeviceError("the guardian of the outputs cannot be used: there is no program " + tried +
                    "; install tactus again, or set 'safe_outputs: process': then a killed rig leaves its "
                    "outputs as they are");
}

std::shared_ptr<Guardian> Guardian::of_this_process(const executive::OpenRequest& request) {
  static std::mutex mutex;
  static std::weak_ptr<Guardian> the_one;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<Guardian> guardian = the_one.lock();
  if (guardian == nullptr) {
    guardian = std::make_shared<Guardian>(guardian_program(executive::plugin_folders()), request);
    the_one = guardian;
  }
  return guardian;
}

Guardian::Guardian(const std::filesystem::path& program, const executive::OpenRequest& request)
    : timeout_ns_(std::max<std::int64_t>(request.guardian_timeout.count(), 5 * kGuardianSleepNs / 2)),
      tripped_text_("the guardian drove the outputs safe: no frame for " +
                    rtsync::duration_text(request.guardian_timeout.count())) {
  const rtsync::Descriptor memory{::memfd_create("tactus-guardian", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  check(memory.get(), "memfd_create");
  check(::ftruncate(memory.get(), sizeof(GuardianPage)), "ftruncate");
  check(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), "F_ADD_SEALS");
  void* const at = ::mmap(nullptr, sizeof(GuardianPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                          memory.get(), 0);
  if (at == MAP_FAILED) cannot("mmap", errno);
  page_ = new (at) GuardianPage;
  (void)::madvise(at, sizeof(GuardianPage), MADV_DONTFORK);  // a child of fork() must not say that frames end
  try {
    std::array<int, 2> ends{-1, -1};
    check(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
    const rtsync::Descriptor theirs{ends[1]};
    socket_ = ends[0];
    socket_inode_ = inode_of(socket_);
    // Above the standard streams, which the child opens anew.
    const rtsync::Descriptor above{::fcntl(theirs.get(), F_DUPFD_CLOEXEC, kGuardianSocket + 1)};
    check(above.get(), "F_DUPFD_CLOEXEC");
    pid_ = start(program, request.rig, above.get());
  } catch (...) {
    end(false);
    throw;
  }
  dead_text_ = "the guardian of the outputs, process " + std::to_string(pid_) +
               ", has ended or hangs; without it the outputs would not be driven safe if the rig were killed";
  GuardianMessage hello{.timeout_ns = request.guardian_timeout.count()};
  if (const int error = ask(hello, memory.get()); error != 0) {
    end(false);
    cannot(program.string() + " does not answer", error);
  }
}

Guardian::~Guardian() { end(true); }

std::int32_t Guardian::watch(const SafeWrite& write) {
  GuardianMessage message{.kind = GuardianMessage::Kind::watch, .id = next_id_++, .write = write};
  if (const int error = ask(message, write.fd); error != 0)
    cannot("process " + std::to_string(pid_) + " does not take the lines", error);
  ++watched_;
  return message.id;
}

void Guardian::forget(std::int32_t id) noexcept {
  GuardianMessage message{.kind = GuardianMessage::Kind::forget, .id = id};
  (void)ask(message, -1);  // one that is dead holds no line any more
  --watched_;
}

void Guardian::frames_begin() noexcept { page_->frames_thread.hold(); }

void Guardian::frames_ended() noexcept { page_->frames_thread.release(); }

void Guardian::frame_ended() TACTUS_RT {
  page_->frame_ended.store(now(), std::memory_order_relaxed);
  page_->armed.store(1, std::memory_order_release);
}

void Guardian::arm() TACTUS_RT { page_->armed.store(1); }

void Guardian::disarm() TACTUS_RT { page_->armed.store(0); }

bool Guardian::tripped() const TACTUS_RT { return page_->tripped.load() != 0; }

const char* Guardian::trouble() TACTUS_RT {
  if (tripped()) return tripped_text_.c_str();
  const std::int64_t time = now();
  if (time - seen_at_ < timeout_ns_) return nullptr;
  const std::uint64_t wakes = page_->wakes.load(std::memory_order_relaxed);
  const bool stands = seen_at_ != 0 && wakes == seen_wakes_;
  seen_at_ = time;
  seen_wakes_ = wakes;
  return stands ? dead_text_.c_str() : nullptr;
}

int Guardian::ask(GuardianMessage message, int fd) noexcept {
  const std::scoped_lock lock(asking_);
  if (inode_of(socket_) != socket_inode_) return EBADF;
  iovec part{&message, sizeof message};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (fd >= 0) {
    header.msg_control = room;
    header.msg_controllen = sizeof room;
    cmsghdr* const with = CMSG_FIRSTHDR(&header);
    with->cmsg_level = SOL_SOCKET;
    with->cmsg_type = SCM_RIGHTS;
    with->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(with), &fd, sizeof fd);
  }
  while (::sendmsg(socket_, &header, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return errno;
  if (message.kind == GuardianMessage::Kind::released) return 0;
  const std::int64_t until = now() + kAnswerTimeoutMs * 1'000'000LL;
  for (;;) {
    pollfd polled{socket_, POLLIN, 0};
    const std::int64_t left = std::max<std::int64_t>(0, until - now());
    const timespec time = rtsync::to_timespec(rtsync::Nanoseconds{left});
    const int count = ::ppoll(&polled, 1, &time, nullptr);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return ETIMEDOUT;
    GuardianMessage answer;
    const ssize_t size = ::recv(socket_, &answer, sizeof answer, MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) return errno;
    if (size == 0) return ECONNRESET;
    // The answer to an earlier question that nobody waited for any more.
    if (size == static_cast<ssize_t>(sizeof answer) &&
        (answer.kind != message.kind || answer.id != message.id))
      continue;
    return size == static_cast<ssize_t>(sizeof answer) ? answer.error : EPROTO;
  }
}

void Guardian::end(bool released) noexcept {
  // A model may have closed every descriptor of the process, or an output may not be safe: then the guardian is
  // left to drive them safe when the process has ended.
  const bool ours = socket_ >= 0 && inode_of(socket_) == socket_inode_;
  if (pid_ > 0 && (!released || (ours && watched_ == 0))) {
    if (!released || !told_to_end()) (void)::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (ours) (void)::close(socket_);
  if (page_ != nullptr) (void)::munmap(page_, sizeof(GuardianPage));
}

/// Its end of the socket closes as it ends.
bool Guardian::told_to_end() noexcept {
  GuardianMessage message{.kind = GuardianMessage::Kind::released};
  (void)ask(message, -1);
  pollfd polled{socket_, 0, 0};
  while (::poll(&polled, 1, kAnswerTimeoutMs) < 0 && errno == EINTR) {
  }
  return polled.revents != 0;
}

}  // namespace tactus::drivers::gpio
