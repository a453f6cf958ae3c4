// SPDX-License-Identifier: Apache-2.0
// The files of the page, as a browser gets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "drivers/live/http/page.hpp"
#include "tests/drivers/live/http/support/served_rig.hpp"

namespace tactus::test::page_files_test {
namespace {

using drivers::live_http::page_files;
using drivers::live_http::page_reply;
using drivers::live_http::PageFile;
using drivers::live_http::Pairs;
using drivers::live_http::Reply;
using testing::HasSubstr;

std::string header_of(const Reply& reply, const std::string& name) {
  for (const auto& [key, value] : reply.headers)
    if (key == name) return value;
  return {};
}

Reply ask(const std::string& target, Pairs headers = {}, const std::string& method = "GET") {
  auto reply = page_reply({method, target, std::move(headers), "", "somebody"});
  if (!reply) throw std::runtime_error(target + " is not a file of the page");
  return *reply;
}

std::string source_of(std::string_view path) {
  std::ifstream file(std::filesystem::path(PAGE_FOLDER) / path.substr(1), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(PageFiles, AreThoseOfTheFolderByteForByte) {
  std::size_t packed = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PAGE_FOLDER)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".cmake") continue;
    ++packed;
    const std::string path = "/" + std::filesystem::relative(entry.path(), PAGE_FOLDER).generic_string();
    const Reply reply = ask(path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_TRUE(*reply.bytes == source_of(path)) << path << " is not what the build has packed";
  }
  EXPECT_EQ(packed, page_files().size());
}

TEST(PageFiles, AreSmallEnoughForASlowLine) {
  std::size_t bytes = 0;
  for (const PageFile& file : page_files()) {
    ASSERT_FALSE(file.gzip.empty()) << file.path << ": the build had no gzip";
    EXPECT_EQ(file.gzip.substr(0, 3), "\x1f\x8b\x08") << file.path;
    bytes += file.gzip.size();
  }
  EXPECT_LT(bytes, 125'000U);
}

TEST(PageFiles, TheLicenceOfTheChartsIsAmongThem) {
  EXPECT_THAT(*ask("/uplot/LICENSE").bytes, HasSubstr("MIT"));
}

TEST(PageFiles, GzipIsForThoseWhoTakeIt) {
  struct Row {
    const char* accepted;
    bool gzip;
  };
  for (const auto& [accepted, gzip] :
       {Row{"gzip", true}, Row{"deflate, gzip;q=0.5", true}, Row{"*", true}, Row{"br", false},
        Row{"gzip;q=0", false}, Row{"*, gzip;q=0.0", false}, Row{"", false}}) {
    const Reply reply = ask("/page.css", {{"Accept-Encoding", accepted}});
    EXPECT_EQ(header_of(reply, "Content-Encoding"), gzip ? "gzip" : "") << accepted;
    EXPECT_EQ(header_of(reply, "Vary"), "Accept-Encoding");
  }
}

TEST(PageFiles, WhatIsKnownIsNotSentAgain) {
  const std::string tag = header_of(ask("/page.js"), "ETag");
  const std::string packed = header_of(ask("/page.js", {{"Accept-Encoding", "gzip"}}), "ETag");
  EXPECT_NE(tag, packed) << "two codings are two representations";
  EXPECT_EQ(ask("/page.js", {{"If-None-Match", tag}}).status, 304);
  EXPECT_EQ(ask("/page.js", {{"If-None-Match", "\"other\", W/" + tag}}).status, 304);
  EXPECT_TRUE(ask("/page.js", {{"If-None-Match", tag}}).bytes->empty());
  EXPECT_EQ(ask("/page.js", {{"If-None-Match", packed}}).status, 200);
  EXPECT_EQ(ask("/page.js", {{"If-None-Match", packed}, {"Accept-Encoding", "gzip"}}).status, 304);
}

TEST(PageFiles, OnlyFilesOfTheirOwnMayBeRunOrShown) {
  for (const PageFile& file : page_files()) {
    const std::string policy = header_of(ask(std::string(file.path)), "Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'self'; img-src 'self' data:"));
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(policy, testing::Not(HasSubstr("unsafe")));
  }
}

TEST(PageFiles, AreReadAndNothingElse) {
  EXPECT_EQ(ask("/", {}, "HEAD").status, 200);
  const Reply reply = ask("/", {}, "POST");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(header_of(reply, "Allow"), "GET, HEAD");
}

TEST(PageServer, ServesThePageAtTheRoot) {
  const ServedRig served;
  HttpClient client = served.client();
  const HttpReply page = client.get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(page.body == source_of("/index.html"));
  EXPECT_EQ(client.get("/?again#x").body, page.body);
  const HttpReply packed = client.get("/page.css", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
  EXPECT_LT(packed.body.size(), source_of("/page.css").size());
  const HttpReply known = client.get("/", "If-None-Match: " + page.headers.at("etag") + "\r\n");
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body, "");
}

TEST(PageServer, AHeadHasNoBody) {
  const ServedRig served;
  HttpClient client = served.client();
  ASSERT_TRUE(client.send(client.request("HEAD", "/", "", "Connection: close\r\n")));
  const std::string all = client.rest();
  EXPECT_THAT(all, HasSubstr("200 OK"));
  EXPECT_THAT(all, HasSubstr("Content-Length: " + std::to_string(source_of("/index.html").size())));
  EXPECT_TRUE(all.ends_with("\r\n\r\n")) << all;
}

TEST(PageServer, AnUnknownPathIsStillRefusedInJson) {
  const ServedRig served;
  for (const char* const path :
       {"/nothing", "/page/page.css", "/../page.css", "/page.css/", "/uplot", "/pack.cmake"}) {
    const HttpReply reply = served.client().get(path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_THAT(reply.json()["error"].get<std::string>(), HasSubstr("GET / (the page)"));
  }
}

TEST(PageServer, ThePageNeedsNoTokenAndItsDataDo) {
  const TempDir dir;
  const auto file = dir.write("token", "0123456789abcdef\n");
  ::chmod(file.c_str(), 0600);
  const ServedRig served("token_file: " + file.string() + "\n");
  EXPECT_EQ(served.client().get("/").status, 200);
  EXPECT_EQ(served.client().get("/source.js").status, 200);
  EXPECT_EQ(served.client().get("/v1").status, 401);
  EXPECT_EQ(served.client().get("/v1", "Authorization: Bearer 0123456789abcdef\r\n").status, 200);
}

TEST(PageServer, APageOfAnotherOriginDoesNotGetIt) {
  const ServedRig served;
  EXPECT_EQ(served.client().get("/", "Sec-Fetch-Site: cross-site\r\n").status, 403);
  EXPECT_EQ(served.client().get("/", "Origin: http://elsewhere.example\r\n").status, 403);
  EXPECT_EQ(served.client().get("/", "Sec-Fetch-Site: same-origin\r\n").status, 200);
}

}  // namespace
}  // namespace tactus::test::page_files_test
