// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/page.hpp"

#include <string>

#include "config/text.hpp"

namespace tactus::drivers::live_http {
namespace {

// No script or style but these files, no other host; and no other page may put this one into a frame, where its
// buttons could be clicked unseen.
constexpr const char* kPolicy =
    "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

const PageFile* page_file(const std::string& target) {
  std::string_view path = std::string_view(target).substr(0, target.find('?'));
  if (path == "/") path = "/index.html";
  for (const PageFile& file : page_files())
    if (file.path == path) return &file;
  return nullptr;
}

const char* type_of(std::string_view path) {
  if (path.ends_with(".html")) return "text/html; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  return "text/plain; charset=utf-8";
}

/// Returns true if the client takes gzip: "gzip", "gzip;q=0.5", "*", but not "gzip;q=0".
bool takes_gzip(const Request& request) {
  const std::string* const accepted = request.header("Accept-Encoding");
  if (accepted == nullptr) return false;
  bool any = false;
  for (const std::string_view part : rtsync::parts_of(*accepted, ',')) {
    const std::size_t semicolon = part.find(';');
    const std::string_view coding = config::trimmed(part.substr(0, semicolon));
    const std::string_view weight =
        semicolon == std::string_view::npos ? "" : config::trimmed(part.substr(semicolon + 1));
    const bool refused =
        weight.starts_with("q=0") && weight.find_first_not_of("0.", 2) == std::string_view::npos;
    if (coding == "gzip" || coding == "x-gzip") return !refused;
    if (coding == "*") any = !refused;
  }
  return any;
}

}  // namespace

bool is_page(const std::string& target) { return page_file(target) != nullptr; }

std::optional<Reply> page_reply(const Request& request) {
  const PageFile* const file = page_file(request.target);
  if (file == nullptr) return std::nullopt;
  if (request.method != "GET" && request.method != "HEAD") {
    Reply reply = refusal(405, config::show(request.method) + " is not for " + config::show(request.target) +
                                   ", a file of the page: GET, HEAD");
    reply.headers.emplace_back("Allow", "GET, HEAD");
    return reply;
  }
  const bool packed = !file->gzip.empty() && takes_gzip(request);
  // Each coding is another representation, with a tag of its own.
  const std::string tag = '"' + std::string(file->hash) + (packed ? "-gzip\"" : "\"");
  Reply reply;
  reply.type = type_of(file->path);
  reply.headers = {{"ETag", tag},
                   {"Cache-Control", "no-cache"},  // kept, and asked for anew each time
                   {"Vary", "Accept-Encoding"},
                   {"Content-Security-Policy", kPolicy},
                   {"Referrer-Policy", "no-referrer"}};
  if (const std::string* const known = request.header("If-None-Match");
      known != nullptr && has_tag(*known, tag)) {
    reply.status = 304;
    reply.bytes = std::make_shared<const std::string>();
    return reply;
  }
  if (packed) reply.headers.emplace_back("Content-Encoding", "gzip");
  reply.bytes = std::make_shared<const std::string>(packed ? file->gzip : file->plain);
  return reply;
}

}  // namespace tactus::drivers::live_http
