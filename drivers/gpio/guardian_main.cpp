// SPDX-License-Identifier: Apache-2.0
/// tactus-guardian: drives a rig's outputs safe when the rig's process dies or hangs. One per rig; it is
/// started by the driver gpio_out. docs/output-safety.md says what it does when.
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "drivers/gpio/guardian_protocol.hpp"
#include "drivers/gpio/holder.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::drivers::gpio {
namespace {

constexpr std::size_t kWaiterStack = std::size_t{64} << 10;
constexpr std::int64_t kAgainNs = 10'000'000;  // after a stall, and after a write that failed

std::int64_t now() { return rtsync::monotonic_now().time_since_epoch().count(); }

/// The state, as the last word of the command line, in the room the rig left for it there.
class Title {
 public:
  explicit Title(char* word) : room_(word, std::strlen(word)) {}
  void show(std::string_view state) const {
    std::ranges::fill(room_, '\0');
    std::copy_n(state.begin(), std::min(state.size(), room_.size()), room_.begin());
  }

 private:
  std::span<char> room_;
};

class Guard {
 public:
  Guard(const Title& title, pid_t rig) : title_(title) {
    sigset_t all;
    (void)::sigfillset(&all);
    (void)::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    sigset_t end;
    (void)::sigemptyset(&end);
    for (const int number : {SIGTERM, SIGINT, SIGQUIT}) (void)::sigaddset(&end, number);
    signals_ = ::signalfd(-1, &end, SFD_CLOEXEC | SFD_NONBLOCK);
    death_ = ::eventfd(0, EFD_CLOEXEC);
    // A child that the rig forked may keep the socket open. -1 before Linux 5.3: then the socket must do.
    rig_ = static_cast<int>(::syscall(SYS_pidfd_open, rig, 0));
  }

  int run() {
    title_.show(kGuardianWatching);
    for (bool end = false;;) {
      const int death = frames_dead_ ? -1 : death_;  // once; not closed, as a thread may write it still
      pollfd polled[] = {{signals_, POLLIN, 0}, {socket_, POLLIN, 0}, {rig_, POLLIN, 0}, {death, POLLIN, 0}};
      const std::int64_t sleep = until_next();
      const timespec time = rtsync::to_timespec(rtsync::Nanoseconds{sleep});
      const int count = ::ppoll(polled, std::size(polled), &time, nullptr);
      // This does not depend on the rig's death: a file that stays readable would keep this process awake for ever.
      if (count > 0 && polled[3].revents != 0) frames_thread_is_dead();
      // Counts from the death of the frames' thread on, though the kernel still takes the rest apart.
      if (asked_to_end()) end = frames_dead_ || socket_ < 0;
      if (socket_ >= 0) {
        if (page_ != nullptr) page_->wakes.fetch_add(1, std::memory_order_relaxed);
        // What the rig said before it ended counts, so the socket is emptied first.
        if (!talk()) return 0;
        if (count > 0 && polled[2].revents != 0 && socket_ >= 0) rig_is_dead();
        if (socket_ >= 0) watch_frames();
      } else if (end) {
        return 0;  // which releases the lines
      } else {
        drive();  // whatever a child that the rig has left does to the lines
      }
      if (socket_ < 0 && outputs_.empty()) return 0;
    }
  }

 private:
  /// Time to sleep.
  std::int64_t until_next() const {
    if (again_) return kAgainNs;
    if (page_ == nullptr || socket_ < 0) return kGuardianSleepNs;  // a dead rig ends no frames
    if (page_->armed.load(std::memory_order_acquire) == 0) return std::min(timeout_, kGuardianSleepNs);
    const std::int64_t due = page_->frame_ended.load(std::memory_order_relaxed) + timeout_;
    return std::clamp<std::int64_t>(due - now(), 0, kGuardianSleepNs);
  }

  /// Only once the rig is dead: before, its outputs would be left without a guardian.
  bool asked_to_end() const {
    bool asked = false;
    signalfd_siginfo info{};
    while (::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) asked = true;
    return asked;
  }

  /// Takes the messages that are there. False: the rig released its outputs.
  bool talk() {
    for (;;) {
      GuardianMessage message;
      iovec part{&message, sizeof message};
      alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
      msghdr header{};
      header.msg_iov = &part;
      header.msg_iovlen = 1;
      header.msg_control = room;
      header.msg_controllen = sizeof room;
      const ssize_t size = ::recvmsg(socket_, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
      if (size <= 0) {
        rig_is_dead();
        return true;
      }
      int fd = -1;
      if (const cmsghdr* with = CMSG_FIRSTHDR(&header); with != nullptr && with->cmsg_type == SCM_RIGHTS)
        std::memcpy(&fd, CMSG_DATA(with), sizeof fd);
      if (size != static_cast<ssize_t>(sizeof message) || message.version != kGuardianVersion) {
        message.error = EPROTO;
        if (fd >= 0) (void)::close(fd);
      } else if (message.kind == GuardianMessage::Kind::released) {
        return false;
      } else {
        message.error = take(message, fd);
      }
      (void)::send(socket_, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  }

  int take(const GuardianMessage& message, int fd) {
    switch (message.kind) {
      case GuardianMessage::Kind::hello: {
        void* const at = ::mmap(nullptr, sizeof(GuardianPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        const int error = errno;
        if (fd >= 0) (void)::close(fd);
        if (at == MAP_FAILED) return error;
        page_ = static_cast<GuardianPage*>(at);
        timeout_ = message.timeout_ns;
        await_death();
        return 0;
      }
      case GuardianMessage::Kind::watch:
        if (fd < 0 || page_ == nullptr) return EPROTO;
        outputs_.push_back({message.id, message.write});
        outputs_.back().write.fd = fd;
        return 0;
      case GuardianMessage::Kind::forget:
        for (auto output = outputs_.begin(); output != outputs_.end(); ++output) {
          if (output->id != message.id) continue;
          (void)::close(output->write.fd);
          outputs_.erase(output);
          return 0;
        }
        return ENOENT;
      case GuardianMessage::Kind::released:
        break;
    }
    return EPROTO;
  }

  void watch_frames() {
    if (page_ == nullptr) return;
    if (page_->tripped.load(std::memory_order_relaxed) == 0) {
      if (page_->armed.load(std::memory_order_acquire) == 0) return;
      if (now() < page_->frame_ended.load(std::memory_order_relaxed) + timeout_) return;
      page_->tripped.store(1);
    }
    drive();  // again and again: a write that the rig had begun before it stood still may come after ours
    again_ = true;
  }

  /// Waits for the end of the rig. Without the thread that waits, the end of the whole process is seen, which
  /// comes later.
  void await_death() {
    pthread_attr_t attributes;
    if (death_ < 0 || ::pthread_attr_init(&attributes) != 0) return;
    pthread_t thread{};
    (void)::pthread_attr_setstacksize(&attributes, kWaiterStack);  // it is locked in memory
    (void)::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)::pthread_create(&thread, &attributes, &Guard::wait_for_death, this);
    (void)::pthread_attr_destroy(&attributes);
  }
  static void* wait_for_death(void* self) {
    const Guard& guard = *static_cast<const Guard*>(self);
    const std::uint64_t one = 1;
    if (guard.page_->frames_thread.await_death()) (void)!::write(guard.death_, &one, sizeof one);
    return nullptr;
  }

  /// No frame comes any more. The kernel may take the rest of the process apart for some time: until then other
  /// threads of it may write, so the outputs are driven again and again, as those of a stalled rig.
  void frames_thread_is_dead() {
    frames_dead_ = true;
    page_->tripped.store(1);
  }

  void rig_is_dead() {
    (void)::close(socket_);
    socket_ = -1;
    drive();
    if (rig_ >= 0) (void)::close(rig_);
    rig_ = -1;
  }

  /// Drives the outputs safe, and says that they are once each was read back.
  void drive() {
    again_ = false;
    bool all = true;
    for (const Output& output : outputs_) {
      const int error = output.write.issue();
      if (error == ENODEV) continue;
      if (error != 0) again_ = true;
      if (error != 0 || output.write.read_back() != 0) all = false;
    }
    if (socket_ < 0) forget_gone();
    if (!all) again_ = true;  // somebody else may drive a line, or pull it
    const bool stalled = socket_ >= 0;
    title_.show(!all ? kGuardianDriving : stalled ? kGuardianStalled : kGuardianSafe);
  }

  /// A chip that is gone stays gone: there is nothing to hold.
  void forget_gone() {
    std::erase_if(outputs_, [](const Output& output) {
      if (output.write.issue() != ENODEV) return false;
      (void)::close(output.write.fd);
      return true;
    });
  }

  struct Output {
    std::int32_t id;
    SafeWrite write;
  };

  Title title_;
  int signals_ = -1;
  int socket_ = kGuardianSocket;
  int rig_ = -1;
  int death_ = -1;  // readable: the frames' thread is dead
  bool frames_dead_ = false;
  GuardianPage* page_ = nullptr;
  std::int64_t timeout_ = kGuardianSleepNs;
  std::vector<Output> outputs_;
  bool again_ = false;
};

/// Makes this process real-time. It works without what is not permitted, but later on a busy machine.
void become_real_time() {
  (void)::mlockall(MCL_CURRENT | MCL_FUTURE);
  const sched_param priority{90};
  (void)::sched_setscheduler(0, SCHED_FIFO, &priority);
  (void)::prctl(PR_SET_TIMERSLACK, 1UL);
}

}  // namespace
}  // namespace tactus::drivers::gpio

int main(int argc, char** argv) {
  using namespace tactus::drivers::gpio;
  int type = 0;
  socklen_t size = sizeof type;
  if (argc != 4 || ::getsockopt(kGuardianSocket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      type != SOCK_SEQPACKET) {
    (void)std::fputs(
        "tactus-guardian is started by 'tactus run' for a rig with outputs; there is nothing to do here\n",
        stderr);
    return 2;
  }
  if (::chdir("/") != 0) return 1;  // keeps no file system busy
  become_real_time();
  return Guard(Title(argv[3]), static_cast<pid_t>(std::strtol(argv[2], nullptr, 10))).run();
}
