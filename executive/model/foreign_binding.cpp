// SPDX-License-Identifier: Apache-2.0
#include "executive/model/foreign_binding.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "executive/model/loaded_object.hpp"

namespace tactus::executive {
namespace {

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

/// Words of demangled names that name nothing of a user.
bool is_word_of_the_language(std::string_view word) {
  static const std::set<std::string_view> words{
      "std",       "__gnu_cxx", "__cxxabiv1",  "bool",      "char",       "char8_t", "char16_t", "char32_t",
      "wchar_t",   "short",     "int",         "long",      "signed",     "float",   "double",   "unsigned",
      "void",      "const",     "volatile",    "operator",  "new",        "delete",  "__int128", "auto",
      "decltype",  "nullptr",   "decimal32",   "decimal64", "decimal128", "guard",   "variable", "vtable",
      "VTT",       "typeinfo",  "name",        "for",       "non",        "virtual", "thunk",    "to",
      "true",      "false",     "abi",         "cxx11",     "ul",         "lambda",  "unnamed",  "anonymous",
      "namespace", "static",    "transaction", "clone"};
  return words.contains(word) || word.starts_with("__");
}

}  // namespace

std::string demangled(std::string_view symbol) {
  const std::string text(symbol);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> made(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return made == nullptr ? text : made.get();
}

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
  const std::set<const link_map*> closure = closure_of(*first, all_maps());
  std::optional<ForeignBinding> found;
  for (const link_map* const each : closure) {
    if (before.contains(each)) continue;
    const LoadedObject object(*each);
    const auto is_foreign = [&](const ElfW(Sym) & symbol, const link_map* other) {
      const char* const name = object.name_of(symbol);
      if (other == nullptr || other == each || belongs_to_the_language(name)) return false;
      // What both got from one header, or what its author gave it as a dependency, is shared on purpose.
      const bool is_strong = ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
      if (closure.contains(other) && (each != first || !is_strong)) return false;
      return *other->l_name != '\0' || !is_in_the_c_library(name);
    };
    const auto note = [&](const ElfW(Sym) & symbol, const link_map& other) {
      found = {demangled(object.name_of(symbol)), object.file(),
               *other.l_name == '\0' ? "the program" : other.l_name};
      return true;
    };
    (void)object.visit_own([&](const ElfW(Sym) & symbol, std::uintptr_t bound) {
      const link_map* const other = object_at(bound);
      return is_foreign(symbol, other) && !is_same_constant(symbol, object.address_of(symbol), bound) &&
             note(symbol, *other);
    });
    if (found) break;
    (void)object.visit_own_thread_local([&](const ElfW(Sym) & symbol, std::size_t module) {
      const link_map* const other = object_of_module(module);
      return is_foreign(symbol, other) && note(symbol, *other);
    });
    if (found) break;
  }
  return found;
}

}  // namespace tactus::executive
