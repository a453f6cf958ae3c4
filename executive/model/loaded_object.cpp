// SPDX-License-Identifier: Apache-2.0
#include "executive/model/loaded_object.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace tactus::executive {

/// Calls found(info) for each object with its segments, until one returns true. Returns whether one did.
template <class Found>
static bool any_object(Found found) {
  return ::dl_iterate_phdr([](dl_phdr_info* info, std::size_t,
                              void* context) { return (*static_cast<Found*>(context))(*info) ? 1 : 0; },
                           &found) != 0;
}

bool is_read_only(std::uintptr_t address) {
  return any_object([address](const dl_phdr_info& info) {
    return std::ranges::any_of(std::span(info.dlpi_phdr, info.dlpi_phnum), [&](const ElfW(Phdr) & each) {
      const bool is_constant =
          each.p_type == PT_GNU_RELRO || (each.p_type == PT_LOAD && (each.p_flags & PF_W) == 0);
      return is_constant && address - (info.dlpi_addr + each.p_vaddr) < each.p_memsz;
    });
  });
}

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

const link_map* object_at(std::uintptr_t address) {
  Dl_info info{};
  link_map* map = nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what dladdr is for
  const auto* const place = reinterpret_cast<const void*>(address);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as the C library has it
  return ::dladdr1(place, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ? nullptr : map;
}

const link_map* object_of_module(std::size_t module) {
  std::uintptr_t address = 0;
  const bool found = any_object([&](const dl_phdr_info& info) {
    address = info.dlpi_addr;
    return info.dlpi_tls_modid == module;
  });
  if (!found || module == 0) return nullptr;
  for (const link_map* const each : all_maps())
    if (each->l_addr == address) return each;
  return nullptr;
}

std::set<const link_map*> closure_of(const link_map& first, const std::vector<const link_map*>& all) {
  std::set<const link_map*> closure{&first};
  std::vector<const link_map*> open{&first};
  while (!open.empty()) {
    const LoadedObject object(*open.back());
    open.pop_back();
    for (const std::string& name : object.needed())
      for (const link_map* const each : all)
        if (*each->l_name != '\0' && LoadedObject(*each).is_called(name) && closure.insert(each).second)
          open.push_back(each);
  }
  return closure;
}

}  // namespace tactus::executive
