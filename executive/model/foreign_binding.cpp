// SPDX-License-Identifier: Apache-2.0
#include "executive/model/foreign_binding.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace tactus::executive {
namespace {

#if defined(__aarch64__)
constexpr unsigned kSlots[] = {R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT};
constexpr unsigned kPointer = R_AARCH64_ABS64;
#else
constexpr unsigned kSlots[] = {R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
constexpr unsigned kPointer = R_X86_64_64;
#endif

bool is_read_only(std::uintptr_t address) {
  struct Search {
    std::uintptr_t address;
    bool read_only;
  } search{address, false};
  (void)::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* context) {
        auto& looked_for = *static_cast<Search*>(context);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& each = info->dlpi_phdr[i];
          const bool is_constant =
              each.p_type == PT_GNU_RELRO || (each.p_type == PT_LOAD && (each.p_flags & PF_W) == 0);
          if (is_constant && looked_for.address - (info->dlpi_addr + each.p_vaddr) < each.p_memsz)
            looked_for.read_only = true;
        }
        return 0;
      },
      &search);
  return search.read_only;
}

/// The dynamic section of a loaded object, as far as it is read here.
class Object {
 public:
  explicit Object(const link_map& map) : map_(map) {
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

std::vector<const link_map*> all_maps() {
  std::vector<const link_map*> all;
  link_map* map = nullptr;
  if (void* const self = ::dlopen(nullptr, RTLD_LAZY); self != nullptr) {
    (void)::dlinfo(self, RTLD_DI_LINKMAP, static_cast<void*>(&map));
    ::dlclose(self);
  }
  for (; map != nullptr; map = map->l_next) all.push_back(map);
  return all;
}

/// The object itself and all that it needs, directly or not.
std::set<const link_map*> closure_of(const link_map& first) {
  const std::vector<const link_map*> all = all_maps();
  std::set<const link_map*> closure{&first};
  std::vector<const link_map*> open{&first};
  while (!open.empty()) {
    const Object object(*open.back());
    open.pop_back();
    for (const std::string& name : object.needed())
      for (const link_map* each : all)
        if (!closure.contains(each) && *each->l_name != '\0' && Object(*each).is_called(name)) {
          closure.insert(each);
          open.push_back(each);
        }
  }
  return closure;
}

const link_map* object_at(std::uintptr_t address) {
  Dl_info info{};
  link_map* map = nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what dladdr is for
  const auto* const place = reinterpret_cast<const void*>(address);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as the C library has it
  return ::dladdr1(place, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ? nullptr : map;
}

bool is_in_the_c_library(const char* symbol) {
  static void* const c_library = ::dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return c_library != nullptr && ::dlsym(c_library, symbol) != nullptr;
}

/// Returns true if both definitions are the same constant, so that either may be used.
bool is_same_constant(const ElfW(Sym) & symbol, std::uintptr_t own, std::uintptr_t other) {
  if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || !is_read_only(own) || !is_read_only(other)) return false;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): two addresses of the loader
  return std::memcmp(reinterpret_cast<const void*>(own), reinterpret_cast<const void*>(other),
                     symbol.st_size) == 0;
}

std::string demangled(std::string_view symbol) {
  const std::string text(symbol);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> made(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return made == nullptr ? text : made.get();
}

/// Words of demangled names that name nothing of a user.
bool is_word_of_the_language(std::string_view word) {
  static const std::set<std::string_view> words{
      "std",       "__gnu_cxx", "__cxxabiv1", "bool",      "char",       "char8_t", "char16_t", "char32_t",
      "wchar_t",   "short",     "int",        "long",      "signed",     "float",   "double",   "unsigned",
      "void",      "const",     "volatile",   "operator",  "new",        "delete",  "__int128", "auto",
      "decltype",  "nullptr",   "decimal32",  "decimal64", "decimal128", "guard",   "variable", "vtable",
      "VTT",       "typeinfo",  "name",       "for",       "non",        "virtual", "thunk",    "to",
      "true",      "false",     "abi",        "cxx11",     "ul",         "lambda",  "unnamed",  "anonymous",
      "namespace", "static"};
  return words.contains(word) || word.starts_with("__");
}

}  // namespace

bool belongs_to_the_language(std::string_view symbol) {
  if (symbol.starts_with("__") ||
      (symbol.size() > 1 && symbol[0] == '_' && symbol[1] >= 'A' && symbol[1] <= 'Y'))
    return true;
  if (!symbol.starts_with("_Z")) return false;
  const std::string text = demangled(symbol);
  for (std::size_t i = 0; i < text.size();) {
    const auto is_word = [&](std::size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    if (!is_word(i)) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (is_word(end)) ++end;
    const std::string_view before = std::string_view(text).substr(0, i);
    const bool is_nested = before.ends_with("::") || before.ends_with("::~");
    const bool is_number = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (!is_nested && !is_number && !is_word_of_the_language(std::string_view(text).substr(i, end - i)))
      return false;
    i = end;
  }
  return true;
}

std::set<const void*> loaded_objects() {
  const std::vector<const link_map*> all = all_maps();
  return {all.begin(), all.end()};
}

std::optional<ForeignBinding> find_foreign_binding(void* library, const std::set<const void*>& before) {
  link_map* first = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&first)) != 0 || first == nullptr)
    return std::nullopt;
  if (before.contains(first)) return std::nullopt;
  const std::set<const link_map*> closure = closure_of(*first);
  std::optional<ForeignBinding> found;
  for (const link_map* const each : closure) {
    if (before.contains(each)) continue;
    const Object object(*each);
    (void)object.visit_own([&](const ElfW(Sym) & symbol, std::uintptr_t bound) {
      const char* const name = object.name_of(symbol);
      const link_map* const other = object_at(bound);
      if (other == nullptr || other == each || belongs_to_the_language(name)) return false;
      // What both got from one header, or what its author gave it as a dependency, is shared on purpose.
      const bool is_strong = ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
      if (closure.contains(other) && (each != first || !is_strong)) return false;
      if (*other->l_name == '\0' && is_in_the_c_library(name)) return false;
      if (is_same_constant(symbol, object.address_of(symbol), bound)) return false;
      found = {demangled(name), object.file(), *other->l_name == '\0' ? "the program" : other->l_name};
      return true;
    });
    if (found) break;
  }
  return found;
}

}  // namespace tactus::executive
