// SPDX-License-Identifier: Apache-2.0
#include "executive/model/library_problem.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "executive/model/foreign_binding.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/host/installed.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::executive {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_X86_64;
#endif

constexpr const char* kShared =
    "build a shared library: -shared -fPIC, or CMake's add_library(... MODULE ...)";

std::string name_of_machine(unsigned machine) {
  constexpr rtsync::Worded<unsigned> kWords[] = {
      {EM_X86_64, "x86-64"}, {EM_386, "32-bit x86"}, {EM_AARCH64, "AArch64"}, {EM_ARM, "32-bit ARM"},
      {EM_RISCV, "RISC-V"},  {EM_PPC64, "PowerPC"},  {EM_S390, "S/390"}};
  const std::string word = rtsync::word_of(kWords, machine, "");
  return word.empty() ? "machine " + std::to_string(machine) + " of elf.h" : word;
}

/// Reads from an open file. True if all the bytes were there.
template <class T>
bool read(const rtsync::Descriptor& file, T& to, std::uint64_t at) {
  return ::pread(file.get(), &to, sizeof to, static_cast<off_t>(at)) == ssize_t{sizeof to};
}

/// Describes the content of a file that is not a library.
std::string text_of_no_elf(std::string_view begin) {
  if (begin.starts_with("!<arch>"))
    return "is a static library (.a), which programs are linked with: link it into a shared one";
  if (begin.starts_with("BC\xC0\xDE"))
    return std::string("is bitcode of LLVM, which -flto and -emit-llvm make: ") + kShared;
  if (begin.starts_with("#!")) return "is a script";
  if (begin.starts_with("version https://git-lfs"))
    return "is a pointer of Git LFS: fetch the file itself with `git lfs pull`";
  if (begin.starts_with("MZ")) return "is a library of Windows: build it for Linux";
  return "is not a library (not an ELF file)";
}

std::string truncated(std::uint64_t has, std::uint64_t needs) {
  return "is cut off: it has " + std::to_string(has) + " bytes and needs " + std::to_string(needs) +
         ": copy or build it again, and check whether the disk is full";
}

bool is_program(const rtsync::Descriptor& opened, const ElfW(Phdr) & dynamic) {
  for (std::uint64_t at = 0; at + sizeof(ElfW(Dyn)) <= dynamic.p_filesz; at += sizeof(ElfW(Dyn))) {
    ElfW(Dyn) entry{};
    if (!read(opened, entry, dynamic.p_offset + at) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_FLAGS_1) return (entry.d_un.d_val & DF_1_PIE) != 0;
  }
  return false;
}

std::string problem_of_elf(const rtsync::Descriptor& opened, const ElfW(Ehdr) & header, std::uint64_t bytes) {
  if (header.e_type == ET_REL) return std::string("is an object file (.o): link it, ") + kShared;
  if (header.e_type == ET_EXEC) return std::string("is a program: ") + kShared;
  if (header.e_type != ET_DYN) return std::string("is not a shared library: ") + kShared;
  if (header.e_phentsize != sizeof(ElfW(Phdr))) return "is damaged (e_phentsize): copy or build it again";
  std::uint64_t needs = header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(ElfW(Phdr));
  if (needs > bytes) return truncated(bytes, needs);
  bool program = false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read(opened, segment, header.e_phoff + i * sizeof segment)) break;
    if (segment.p_type == PT_LOAD) needs = std::max(needs, segment.p_offset + segment.p_filesz);
    if (segment.p_type == PT_DYNAMIC) program = is_program(opened, segment);
  }
  if (needs > bytes) return truncated(bytes, needs);
  return program ? std::string("is a program: ") + kShared : "";
}

std::string problem(const fs::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return "";  // the loader says it
  if (S_ISDIR(found.st_mode)) return "is a folder: name the file in it, as " + (file / "libname.so").string();
  if (!S_ISREG(found.st_mode)) return "is not a file: name a shared library";
  const rtsync::Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (opened.get() < 0) {
    const int error = errno;
    return "cannot be read (" + std::generic_category().message(error) + ")" +
           (error == EACCES
                ? ": user " + std::to_string(::geteuid()) + " needs it: chmod a+r " + file.string()
                : "");
  }
  const auto bytes = static_cast<std::uint64_t>(found.st_size);
  if (bytes == 0) return "is empty: copy or build it again, and check whether the disk is full";
  char first[64];
  const std::string_view begin = rtsync::read_again(opened.get(), first);
  if (!begin.starts_with(ELFMAG)) return text_of_no_elf(begin);
  if (begin.size() > EI_CLASS && begin[EI_CLASS] == ELFCLASS32)
    return "is a library of 32 bits, tactus has 64: build it without -m32";
  ElfW(Ehdr) header{};
  if (!read(opened, header, 0)) return truncated(bytes, sizeof header);
  if (begin[EI_DATA] == ELFDATA2MSB || header.e_machine != kMachine)
    return "is built for " +
           (begin[EI_DATA] == ELFDATA2MSB ? std::string("a big-endian machine")
                                          : name_of_machine(header.e_machine)) +
           ", this tactus for " + name_of_machine(kMachine) + ": build it on a machine of that kind";
  return problem_of_elf(opened, header, bytes);
}

/// Word that follows `key` in a text, up to one of `ends`.
std::optional<std::string> word_after(const std::string& text, const std::string& key, const char* ends) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + key.size();
  return text.substr(begin, text.find_first_of(ends, begin) - begin);
}

/// Returns the sanitizer to which a symbol or the name of a library belongs; empty: none.
std::string sanitizer_of(const std::string& name) {
  const bool is_library = name.starts_with("lib");
  for (const auto& [word, tool] : {std::pair("asan", "AddressSanitizer"),
                                   {"tsan", "ThreadSanitizer"},
                                   {"ubsan", "UndefinedBehaviorSanitizer"},
                                   {"msan", "MemorySanitizer"}})
    if (is_library ? name == std::string("lib") + word + ".so" ||
                         name.starts_with(std::string("lib") + word + ".so.") ||
                         name.starts_with(std::string("libclang_rt.") + word)
                   : name.starts_with(std::string("__") + word + "_"))
      return tool;
  return "";
}

std::string text_of_sanitizer(const std::string& tool) {
  return "it is built for " + tool + ", whose library is not loaded: " + rtsync::documentation("tools.md") +
         " says how such a model is run";
}

std::string text_of_undefined(const std::string& symbol) {
  if (const std::string tool = sanitizer_of(symbol); !tool.empty()) return text_of_sanitizer(tool);
  return "no library defines '" + demangled(symbol) +
         "': link the library or the file that does; the linker's -Wl,-z,defs finds it when the library is "
         "built";
}

std::string file_in(const std::string& reason, const fs::path& otherwise) {
  return reason.starts_with("/") ? reason.substr(0, reason.find(": ")) : otherwise.string();
}

std::string text_of_no_execution(const std::string& file) {
  struct statvfs mounted {};
  if (::statvfs(file.c_str(), &mounted) != 0 || (mounted.f_flag & ST_NOEXEC) == 0) return "";
  const std::string all = rtsync::read_host_file("/", "/proc/self/mountinfo").text;
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  const std::string place = mount_point_of(error ? fs::path(file) : real, all);
  return file + " lies on " + place +
         ", which is mounted noexec, so that no code there may run: copy the library to another folder, or, "
         "as "
         "root, mount -o remount,exec " +
         place;
}

std::string explanation(const fs::path& file, const std::string& reason) {
  if (reason.find("failed to map segment") != std::string::npos)
    return text_of_no_execution(file_in(reason, file));
  if (const std::size_t at = reason.find(": cannot open shared object file"); at != std::string::npos) {
    const std::string lacking = reason.substr(0, at);
    if (lacking == file.string()) return "";
    if (const std::string tool = sanitizer_of(lacking); !tool.empty()) return text_of_sanitizer(tool);
    return "it needs " + lacking +
           ": install what has that, or link with -Wl,-rpath,'$ORIGIN' and put it beside the library, or "
           "name its "
           "folder in LD_LIBRARY_PATH";
  }
  if (const auto symbol = word_after(reason, "undefined symbol: ", " ,\n")) return text_of_undefined(*symbol);
  if (const auto version = word_after(reason, "version `", "'"))
    return "it was built with a newer compiler or C library (" + *version +
           ") than this machine has: build it on this machine, or on one that is as old";
  if (reason.find("static TLS block") != std::string::npos)
    return "its thread-local variables must lie beside the program's: build it without "
           "-ftls-model=initial-exec, or start tactus with "
           "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384";
  if (reason.find("executable stack") != std::string::npos)
    return "it asks for a stack that can be executed: link it with -Wl,-z,noexecstack, and write "
           ".section .note.GNU-stack into sources in assembly";
  if (reason.find("CPU ISA level is lower") != std::string::npos)
    return "it is built for a newer processor: build it without -march=native or -march=x86-64-v3";
  return "";
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

std::string problem_of_library(const fs::path& file) {
  const std::string what = problem(file);
  return what.empty() ? "" : file.string() + " " + what;
}

std::string explained(const fs::path& file, const std::string& reason) {
  const std::string more = explanation(file, reason);
  return more.empty() ? reason : reason + ": " + more;
}

std::string mount_point_of(const fs::path& file, std::string_view mountinfo) {
  std::string longest = "/";
  for (const std::string_view line : rtsync::lines_of(mountinfo)) {
    const auto words = rtsync::words_of(line);
    if (words.size() < 5) continue;
    const std::string point = unescaped(words[4]);
    const std::string path = file.string();
    const bool lies_there = path == point || path.starts_with(point.ends_with("/") ? point : point + "/");
    if (lies_there && point.size() >= longest.size()) longest = point;
  }
  return longest;
}

}  // namespace tactus::executive
