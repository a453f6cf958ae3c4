// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <elf.h>
#include <link.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
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

/// An object and all of `all` that it needs, directly or not.                                    @when setup
std::set<const link_map*> closure_of(const link_map& first, const std::vector<const link_map*>& all);

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
    return visit_relocations([&](const ElfW(Rela) & each, unsigned type, const ElfW(Sym) & symbol) {
      const unsigned kind = ELF64_ST_TYPE(symbol.st_info);
      if ((!is_slot(type) && type != kPointer) || symbol.st_shndx == SHN_UNDEF || kind == STT_TLS ||
          kind == STT_GNU_IFUNC)
        return false;
      const std::uintptr_t bound = word_of(each) - static_cast<std::uintptr_t>(each.r_addend);
      if (bound == address_of(symbol)) return false;
      // Another pointer may have been changed by the library itself.
      if (type == kPointer && !is_read_only(map_.l_addr + each.r_offset)) return false;
      return visit(symbol, bound);
    });
  }

  /// Calls visit(symbol, module) for the thread-local variables that it defines: the module whose copy it uses.
  template <class Visit>
  bool visit_own_thread_local(Visit visit) const {
    return visit_relocations([&](const ElfW(Rela) & each, unsigned type, const ElfW(Sym) & symbol) {
      return type == kModule && ELF64_R_SYM(each.r_info) != 0 && symbol.st_shndx != SHN_UNDEF &&
             visit(symbol, word_of(each));
    });
  }

  /// The name of a symbol that it takes from another object; nothing: none of that.
  std::optional<std::string> taken_from(const link_map& other) const {
    std::optional<std::string> taken;
    (void)visit_relocations([&](const ElfW(Rela) & each, unsigned type, const ElfW(Sym) & symbol) {
      if (!is_slot(type) || symbol.st_shndx != SHN_UNDEF) return false;
      if (object_at(word_of(each) - static_cast<std::uintptr_t>(each.r_addend)) != &other) return false;
      taken = name_of(symbol);
      return true;
    });
    return taken;
  }

  /// The texts of its dynamic section under a tag, as DT_RUNPATH.
  std::vector<std::string> texts_of(ElfW(Sxword) tag) const {
    std::vector<std::string> all;
    for (const ElfW(Dyn)* each = map_.l_ld; each->d_tag != DT_NULL; ++each)
      if (each->d_tag == tag) all.emplace_back(names_ + each->d_un.d_val);
    return all;
  }
  /// The first of them; empty: it has none.
  std::string_view text_of(ElfW(Sxword) tag) const {
    for (const ElfW(Dyn)* each = map_.l_ld; each->d_tag != DT_NULL; ++each)
      if (each->d_tag == tag) return names_ + each->d_un.d_val;
    return {};
  }
  std::vector<std::string> needed() const { return texts_of(DT_NEEDED); }
  /// Returns true for its name as the DT_NEEDED of another object has it.
  bool is_called(std::string_view name) const {
    const std::string_view file = map_.l_name;
    return file.substr(file.rfind('/') + 1) == name || file == name || text_of(DT_SONAME) == name;
  }

 private:
  static bool is_slot(unsigned type) { return type == kSlots[0] || type == kSlots[1]; }

  /// Calls visit(relocation, its type, its symbol) for each relocation, until one returns true.
  template <class Visit>
  bool visit_relocations(Visit visit) const {
    for (const std::span<const ElfW(Rela)> list : lists_)
      for (const ElfW(Rela) & each : list)
        if (visit(each, static_cast<unsigned>(ELF64_R_TYPE(each.r_info)), symbols_[ELF64_R_SYM(each.r_info)]))
          return true;
    return false;
  }

  /// Returns what the loader wrote at the place of a relocation.
  std::uintptr_t word_of(const ElfW(Rela) & each) const {
    std::uintptr_t word = 0;
    std::memcpy(&word, at<void>(each.r_offset), sizeof word);
    return word;
  }

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
