// A driver of models: hardware as a model of the rig. This one reads whole numbers from a file, as sysfs has them
// (/sys/class/thermal/thermal_zone0/temp). Put your own device in its place.
#include <fcntl.h>
#include <tactus/model_driver.hpp>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

namespace {

class @CLASS@ final : public tactus::ModelDriver {
 public:
  ~@CLASS@() override {
    if (fd_ >= 0) (void)::close(fd_);
  }

  void keys(tactus::Keys& k) override {
    k.text("file", file_, {1, 200}, "the file to read, such as /sys/class/thermal/thermal_zone0/temp").required();
    k.number("scale", scale_, "", {-1e9, 1e9}, "what a read number is multiplied by");
  }
  void check(const tactus::Problems& problems) override {
    if (file_.front() != '/') problems.add("file", "'" + file_ + "' is not a path from the root: begin it with '/'");
  }

  void declare(tactus::Declare& d) override {
    d.output("value", value_, "", "the number that was read last, scaled");
    d.job<&@CLASS@::read>("read", tactus::JobClass::top_of_frame);
  }

  /// Before any job; what it throws is what the user reads, so say what is missing and how it is mended.
  void open(const tactus::OpenRequest&) override {
    fd_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) throw std::runtime_error(file_ + ": " + std::strerror(errno) + "; name a file that can be read");
  }

  /// Inside of a frame: no memory from the heap, no lock, no exception; of system calls only what the device needs.
  int read() {
    char text[32];
    const ssize_t size = ::pread(fd_, text, sizeof text, 0);
    long number = 0;
    if (size <= 0 || std::from_chars(text, text + size, number).ec != std::errc{}) {
      fail(fd_ < 0 ? "the file was not opened" : "the file holds no number");
      return 1;
    }
    value_ = scale_ * static_cast<double>(number);
    return 0;
  }

 private:
  std::string file_;
  double scale_ = 1;
  int fd_ = -1;
  double value_ = 0;
};

}  // namespace

TACTUS_MODEL_DRIVER("@NAME@", @CLASS@, "A number of a file as an output variable, read at the top of every frame.")
