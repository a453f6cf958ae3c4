// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/library_problem.hpp"

#include <elf.h>

#include <cstring>

namespace tactus::drivers::fmi {
namespace {

#if defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_X86_64;
#endif

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "x86 of 32 bits";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "ARM of 32 bits";
    case EM_AARCH64:
      return "ARM64";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "machine " + std::to_string(machine) + " of ELF";
  }
}

}  // namespace

std::string library_problem(const Archive& archive, const std::string& file) {
  const std::string head = archive.head(file, sizeof(Elf64_Ehdr));
  Elf64_Ehdr elf{};
  if (head.size() < sizeof elf)
    return file + " has " + std::to_string(head.size()) + " bytes, so it is not a shared library";
  std::memcpy(&elf, head.data(), sizeof elf);
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
    return file + " is not a shared library of Linux: " +
           (head.starts_with("MZ") ? "it is one of Windows" : "it is not an ELF file");
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != kMachine)
    return file + " is a library for " + machine_name(elf.e_machine) + ", and this machine is " +
           machine_name(kMachine);
  if (elf.e_type != ET_DYN) return file + " is an ELF file, but no shared library";
  return "";
}

}  // namespace tactus::drivers::fmi
