// SPDX-License-Identifier: Apache-2.0
#include "executive/model/loaded_object.hpp"

#include <dlfcn.h>

namespace tactus::executive {

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
  struct Search {
    std::size_t module;
    std::uintptr_t address;
    bool found;
  } search{module, 0, false};
  (void)::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* context) {
        auto& looked_for = *static_cast<Search*>(context);
        if (info->dlpi_tls_modid != looked_for.module) return 0;
        looked_for.address = info->dlpi_addr;
        looked_for.found = true;
        return 1;
      },
      &search);
  if (!search.found || module == 0) return nullptr;
  for (const link_map* const each : all_maps())
    if (each->l_addr == search.address) return each;
  return nullptr;
}

}  // namespace tactus::executive
