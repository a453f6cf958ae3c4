// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The page for people: files that are built into this library, so that it needs neither a folder nor a network.
///
///     GET /            page/index.html
///     GET /page.css    page/page.css, ...
///
/// The files hold nothing secret and need no token; all that they show, they ask for under /v1.
///
/// Threads  any; the files never change.
#include <optional>
#include <span>
#include <string_view>

#include "drivers/live/http/request.hpp"

namespace tactus::drivers::live_http {

/// One file of the page, as the build has packed it (page/pack.cmake).
struct PageFile {
  std::string_view path;   ///< "/page.css"
  std::string_view hash;   ///< hash of its bytes: of its ETag
  std::string_view plain;  ///< its bytes
  std::string_view gzip;   ///< the same by gzip; empty: the build had none
};
std::span<const PageFile> page_files();

/// Returns true if the target is a file of the page, whatever the method.
bool is_page(const std::string& target);

/// The reply to a request for a file of the page: 200, 304, or 405. Nothing: it is for something else.
std::optional<Reply> page_reply(const Request& request);

}  // namespace tactus::drivers::live_http
