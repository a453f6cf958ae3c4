// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Interface to GPIO lines that tactus needs, whichever library provides them. gpiod1.cpp uses libgpiod 1,
/// gpiod2.cpp libgpiod 2; the build takes one.
///
/// Levels are those of the wire: a set bit is a high line, the first requested line is the lowest bit. The
/// caller handles "active low".
///
/// Threads  one at a time per object, but where a function says otherwise.
/// RT       what is marked so; system calls: the one that does the work.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "drivers/gpio/safe_write.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::gpio {

enum class Bias { as_is, disable, pull_up, pull_down };
enum class Drive { push_pull, open_drain, open_source };
enum class Edges { rising, falling, both };

/// Lines that one request, and so one system call, can hold.
inline constexpr std::size_t kMostLines = 64;
/// Bytes of a line's or consumer's name that the kernel keeps.
inline constexpr std::size_t kMostName = 31;

struct ChipInfo {
  std::string path;   ///< /dev/gpiochip0
  std::string name;   ///< gpiochip0
  std::string label;  ///< pinctrl-bcm2711
  unsigned lines = 0;
};

struct LineInfo {
  std::string name{};  ///< empty: it has none
  bool used = false;
  std::string consumer{};  ///< user of the line; may be empty even then
};

/// Base of the classes that a library provides: they are not copied.
class Seam {
 public:
  Seam() = default;
  Seam(const Seam&) = delete;
  Seam& operator=(const Seam&) = delete;
  virtual ~Seam() = default;
};

/// Requested lines are held until the object goes.
class EdgeLine : public Seam {
 public:
  /// Readable when there are edges.
  virtual int fd() const TACTUS_RT = 0;
  /// Edges the kernel keeps until they are read: of more, the first (libgpiod 1) or the last (libgpiod 2).
  virtual std::size_t buffer() const TACTUS_RT = 0;

  struct Taken {
    std::size_t count = 0;
    int error = 0;  ///< errno's value; 0 also when there was no edge
  };
  /// Takes the time stamps, in nanoseconds, of the edges that are there, oldest first. Does not wait. @when
  /// rt
  virtual Taken take(std::span<std::int64_t> stamps) TACTUS_RT = 0;
};

class Inputs : public Seam {
 public:
  /// 0, or errno's value. @when rt
  virtual int read(std::uint64_t& levels) TACTUS_RT = 0;
};

class Outputs : public Seam {
 public:
  /// 0, or errno's value. @when rt
  virtual int write(std::uint64_t levels) TACTUS_RT = 0;
  /// Valid as long as the lines are held.       @when setup
  virtual SafeWrite prepare(std::uint64_t levels) const = 0;
};

/// An open chip. The requests throw std::system_error: EBUSY when a line is in use.
class Chip : public Seam {
 public:
  virtual const ChipInfo& info() const = 0;
  /// Line as it is now. Throws std::system_error. @when setup or service
  virtual LineInfo line(unsigned offset) const = 0;
  virtual std::unique_ptr<EdgeLine> request_edges(unsigned line, Edges edges, Bias bias,
                                                  const std::string& consumer) = 0;
  virtual std::unique_ptr<Inputs> request_inputs(const std::vector<unsigned>& lines, Bias bias,
                                                 const std::string& consumer) = 0;
  /// The lines are outputs with these levels from the first moment on.
  virtual std::unique_ptr<Outputs> request_outputs(const std::vector<unsigned>& lines, Drive drive,
                                                   std::uint64_t levels, const std::string& consumer) = 0;
};

/// The chips of this machine.
class Gpio : public Seam {
 public:
  virtual std::vector<std::string> paths() const = 0;  ///< paths of all chips, in the order of their numbers
  /// Throws std::system_error. @when setup or service
  virtual std::unique_ptr<Chip> open(const std::string& path) const = 0;
};

/// The one that this tactus was built with.
std::unique_ptr<Gpio> system_gpio();

}  // namespace tactus::drivers::gpio
