// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <elf.h>
#include <link.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tactus::executive {

#if defined(__aarch64__)
inline constexpr unsigned kSlots[] = {R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT};
inline constexpr unsigned kPointer = R_AARCH64_ABS64;
inline constexpr unsigned kModule = R_AARCH64_TLS_DTPMOD;
#else
inline constexpr unsigned kSlots[] = {R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
inline constexpr unsigned kPointer = R_X86_64_64;
inline constexpr unsigned kModule = R_X86_64_DTPMOD64;
#endif

/// Returns true if the memory at the address is constant.                                         @when setup
bool is_read_only(std::uintptr_t address);
/// All objects that the process has loaded, in the loader's order.                              @when setup
std::vector<const link_map*> all_maps();
/// The one that has an address; nullptr: none.                                                  @when setup
const link_map* object_at(std::uintptr_t address);
/// The one whose thread-local variables are the loader's module of this number; nullptr: none. @when setup
const link_map* object_of_module(std::size_t module);

/// The dynamic section of an object that the process has loaded, as far as it is read here.
class LoadedObject {
 public:
  explicit LoadedObject(const link_map& map) : map_(map) {
    std::size_t relocations = 0, calls = 0;
    const ElfW(Rela)* first = nullptr;
    const ElfW(Rela)* first_call = nullptr;
    for (const ElfW(Dyn)* each = map.l_ld; each->d_tag != DT_NULL; ++each) {
      if (each->d_tag == DT_SYMTAB) symbols_ = at<ElfW(Sym)>(each->d_un.d_ptr);
      if (each->d_tag == DT_STRTAB) names_ = at<char>(each->d_un.d_ptr);
      if (each->d_tag == DT_RELA) first = at<ElfW(Rela)>(each->d_un.d_ptr);
      if (each->d_tag == DT_RELASZ) relocations = each->d_un.d_val / sizeof(ElfW(Rela));
      if (each->d_tag == DT_JMPREL) first_call = at<ElfW(Rela)>(each->d_un.d_ptr);
      if (each->d_tag == DT_PLTRELSZ) calls = each->d_un.d_val / sizeof(ElfW(Rela));
    }
    if (symbols_ == nullptr || names_ == nullptr) return;
    if (first != nullptr) lists_[0] = {first, relocations};
    if (first_call != nullptr) lists_[1] = {first_call, calls};
  }

  const link_map& map() const { return map_; }
  std::string file() const { return map_.l_name; }
  const char* name_of(const ElfW(Sym) & symbol) const { return names_ + symbol.st_name; }
  std::uintptr_t address_of(const ElfW(Sym) & symbol) const { return map_.l_addr + symbol.st_value; }

  /// Calls visit(symbol, bound) for what the object defines and may be replaced: the address that it is bound to.
  template <class Visit>
  bool visit_own(Visit visit) const {
    for (const std::span<const ElfW(Rela)> list : lists_) {
      for (const ElfW(Rela) & each : list) {
        const auto type = static_cast<unsigned>(ELF64_R_TYPE(each.r_info));
        const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(each.r_info)];
        const unsigned kind = ELF64_ST_TYPE(symbol.st_info);
        if ((type != kSlots[0] && type != kSlots[1] && type != kPointer) || symbol.st_shndx == SHN_UNDEF ||
            kind == STT_TLS || kind == STT_GNU_IFUNC)
          continue;
        std::uintptr_t bound = 0;
        std::memcpy(&bound, at<void>(each.r_offset), sizeof bound);
        bound -= static_cast<std::uintptr_t>(each.r_addend);
        if (bound == address_of(symbol)) continue;
        // Another pointer may have been changed by the library itself.
        if (type == kPointer && !is_read_only(map_.l_addr + each.r_offset)) continue;
        if (visit(symbol, bound)) return true;
      }
    }
    return false;
  }

  /// Calls visit(symbol, module) for the thread-local variables that it defines: the module whose copy it uses.
  template <class Visit>
  bool visit_own_thread_local(Visit visit) const {
    for (const std::span<const ElfW(Rela)> list : lists_) {
      for (const ElfW(Rela) & each : list) {
        const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(each.r_info)];
        if (static_cast<unsigned>(ELF64_R_TYPE(each.r_info)) != kModule || ELF64_R_SYM(each.r_info) == 0 ||
            symbol.st_shndx == SHN_UNDEF)
          continue;
        std::size_t module = 0;
        std::memcpy(&module, at<void>(each.r_offset), sizeof module);
        if (visit(symbol, module)) return true;
      }
    }
    return false;
  }

  /// The name of a symbol that it takes from another object; nothing: none of that.
  std::optional<std::string> taken_from(const link_map& other) const {
    for (const std::span<const ElfW(Rela)> list : lists_) {
      for (const ElfW(Rela) & each : list) {
        const auto type = static_cast<unsigned>(ELF64_R_TYPE(each.r_info));
        const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(each.r_info)];
        if ((type != kSlots[0] && type != kSlots[1]) || symbol.st_shndx != SHN_UNDEF) continue;
        std::uintptr_t bound = 0;
        std::memcpy(&bound, at<void>(each.r_offset), sizeof bound);
        if (object_at(bound - static_cast<std::uintptr_t>(each.r_addend)) == &other) return name_of(symbol);
      }
    }
    return std::nullopt;
  }

  /// The text of an entry of its dynamic section, as DT_RUNPATH; empty: it has none.
  std::string text_of(ElfW(Sxword) tag) const {
    for (const ElfW(Dyn)* each = map_.l_ld; each->d_tag != DT_NULL; ++each)
      if (each->d_tag == tag) return names_ + each->d_un.d_val;
    return {};
  }
  std::vector<std::string> needed() const {
    std::vector<std::string> all;
    for (const ElfW(Dyn)* each = map_.l_ld; each->d_tag != DT_NULL; ++each)
      if (each->d_tag == DT_NEEDED) all.emplace_back(names_ + each->d_un.d_val);
    return all;
  }
  bool is_called(const std::string& name) const {
    if (file().ends_with("/" + name) || file() == name) return true;
    for (const ElfW(Dyn)* each = map_.l_ld; each->d_tag != DT_NULL; ++each)
      if (each->d_tag == DT_SONAME && name == names_ + each->d_un.d_val) return true;
    return false;
  }

 private:
  /// The loader adds the load address to what it reads itself, and to nothing else.
  template <class T>
  const T* at(std::uintptr_t address) const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address, from the loader's own tables
    return reinterpret_cast<const T*>(address < map_.l_addr ? address + map_.l_addr : address);
  }

  const link_map& map_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  std::array<std::span<const ElfW(Rela)>, 2> lists_{};
};

}  // namespace tactus::executive
