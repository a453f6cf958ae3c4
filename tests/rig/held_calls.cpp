// SPDX-License-Identifier: Apache-2.0
/// Runs a command whose calls on some files never return, as of a server that is gone:
///
///     held_calls SIGN PART CALL,... -- COMMAND ARGUMENTS...
///
/// From when the file SIGN exists, each named call (write, open, rename, truncate, fsync) on a file whose path holds
/// PART hangs until its thread is killed. Made of a filter of system calls (seccomp), so no privilege is needed. Exit
/// status 77: the kernel has no such filters.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kSkipped = 77;

std::vector<int> numbers_of(const std::string& calls) {
  const auto named = [&](const char* name) { return calls.find(name) != std::string::npos; };
  std::vector<int> numbers;
  const auto add = [&](std::initializer_list<int> more) { numbers.insert(numbers.end(), more); };
  if (named("write")) add({SYS_write, SYS_pwrite64, SYS_writev});
  if (named("open")) add({SYS_openat});
  if (named("rename")) add({SYS_renameat2, SYS_renameat});
  if (named("truncate")) add({SYS_ftruncate, SYS_fallocate});
  if (named("fsync")) add({SYS_fsync, SYS_fdatasync});
  return numbers;
}

/// The descriptor that hears of the calls from here on; -1: none.
int filter(const std::vector<int>& numbers) {
  std::vector<sock_filter> program{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const int number : numbers) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog all{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &all));
}

/// A message with a byte and room for one descriptor.
struct DescriptorMessage {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};

  DescriptorMessage() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;
};

/// One descriptor over a socket; the call that sends it is not among those that are held.
void send_descriptor(int socket, int fd) {
  DescriptorMessage sent;
  cmsghdr* const with = CMSG_FIRSTHDR(&sent.message);
  with->cmsg_level = SOL_SOCKET;
  with->cmsg_type = SCM_RIGHTS;
  with->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(with), &fd, sizeof fd);
  (void)::sendmsg(socket, &sent.message, 0);
}

int receive_descriptor(int socket) {
  DescriptorMessage received;
  if (::recvmsg(socket, &received.message, 0) <= 0) return -1;
  int fd = -1;
  if (const cmsghdr* const with = CMSG_FIRSTHDR(&received.message); with != nullptr)
    std::memcpy(&fd, CMSG_DATA(with), sizeof fd);
  return fd;
}

std::string text_at(pid_t pid, std::uint64_t address) {
  std::string text(4096, '\0');
  const int memory = ::open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = ::pread(memory, text.data(), text.size() - 1, static_cast<off_t>(address));
  (void)::close(memory);
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text.substr(0, text.find('\0'));
}

std::string link_of(const std::string& path) {
  char text[4096];
  const ssize_t bytes = ::readlink(path.c_str(), text, sizeof text);
  return bytes > 0 ? std::string(text, static_cast<std::size_t>(bytes)) : "";
}

/// The path that a call is about.
std::string path_of(const seccomp_notif& call) {
  const auto pid = static_cast<pid_t>(call.pid);
  const std::string of = "/proc/" + std::to_string(pid);
  switch (call.data.nr) {
    case SYS_openat:
    case SYS_renameat:
    case SYS_renameat2: {
      const std::string name = text_at(pid, call.data.args[1]);
      if (name.starts_with("/")) return name;
      const int at = static_cast<int>(call.data.args[0]);
      return link_of(at == AT_FDCWD ? of + "/cwd" : of + "/fd/" + std::to_string(at)) + "/" + name;
    }
    default:
      return link_of(of + "/fd/" + std::to_string(static_cast<int>(call.data.args[0])));
  }
}

void supervise(int listener, const std::string& sign, const std::string& part) {
  for (;;) {
    pollfd waiting{listener, POLLIN, 0};
    (void)::poll(&waiting, 1, -1);
    if ((waiting.revents & POLLIN) == 0) {
      if (waiting.revents != 0) return;  // all processes have ended
      continue;
    }
    seccomp_notif call{};
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) continue;  // its thread was killed meanwhile
    if (::access(sign.c_str(), F_OK) == 0 && path_of(call).find(part) != std::string::npos) continue;
    seccomp_notif_resp answer{};
    answer.id = call.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    (void)::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6 || std::string(argv[4]) != "--") {
    std::fprintf(stderr, "held_calls SIGN PART CALL,... -- COMMAND ARGUMENTS...\n");
    return 2;
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return kSkipped;
  // A child of its parent, so that the command's own children are all that its process has.
  const long supervisor = ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (supervisor < 0) return kSkipped;
  if (supervisor == 0) {
    (void)::setsid();
    (void)::close(ends[0]);
    for (const int fd : {0, 1, 2}) (void)::close(fd);
    supervise(receive_descriptor(ends[1]), argv[1], argv[2]);
    ::_exit(0);
  }
  (void)::close(ends[1]);
  const int listener = filter(numbers_of(argv[3]));
  if (listener < 0) return kSkipped;
  (void)::fcntl(listener, F_SETFD, FD_CLOEXEC);
  send_descriptor(ends[0], listener);
  (void)::close(listener);
  (void)::close(ends[0]);
  (void)::execvp(argv[5], argv + 5);
  std::perror(argv[5]);
  return 127;
}
