// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "config/json.hpp"

namespace tactus::report {

/// The value at "frames.overruns", or nullptr.
const Json* find_fact(const Json& all, std::string_view path);
/// A whole number there; nothing: there is none, or something else.
std::optional<std::int64_t> integer_fact(const Json& all, std::string_view path);
std::optional<double> real_fact(const Json& all, std::string_view path);
/// Text there; empty: there is none, or something else.
std::string text_fact(const Json& all, std::string_view path);
bool true_fact(const Json& all, std::string_view path);
/// The entries of a list or object there; none for anything else.
const Json& list_fact(const Json& all, std::string_view path);
/// A scalar as text, without quotes; "..." for a list or an object.
std::string fact_text(const Json& fact);
/// The same of the fact there; empty: there is none.
std::string shown_fact(const Json& all, std::string_view path);
/// Returns "7467 of 10000 records lost: no space left on device" for an entry of `recordings` in summary.json.
std::string losses_of(const Json& recording);

/// A file as JSON. Null, and why, when it is none; no file is no problem.
Json read_json(const std::filesystem::path& file, std::string& problem);

}  // namespace tactus::report
