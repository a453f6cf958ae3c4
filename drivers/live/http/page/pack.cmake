# SPDX-License-Identifier: Apache-2.0
# Packs the files of the page into one source file, plain and by gzip.
#
#   cmake -DFOLDER=page -DFILES=index.html,page.css -DOUT=page_files.cpp [-DGZIP=/usr/bin/gzip] -P pack.cmake
string(REPLACE "," ";" files "${FILES}")

# bytes("<bytes of a file>" name): an array of them
function(bytes path name)
  file(READ ${path} hex HEX)
  file(SIZE ${path} size)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")  # 16 bytes a line
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  set(arrays "${arrays}constexpr unsigned char ${name}[] = {\n${hex}};\n" PARENT_SCOPE)
  set(view "{reinterpret_cast<const char*>(${name}), ${size}}" PARENT_SCOPE)
endfunction()

set(arrays "")
set(rows "")
set(number 0)
foreach(file ${files})
  math(EXPR number "${number} + 1")
  file(SHA256 ${FOLDER}/${file} hash)
  string(SUBSTRING ${hash} 0 20 hash)
  bytes(${FOLDER}/${file} kPlain${number})
  set(plain "${view}")
  set(view "{}")
  if(GZIP)
    # Neither name nor date: the same page makes the same bytes.
    execute_process(COMMAND ${GZIP} -9 -n -c ${FOLDER}/${file} OUTPUT_FILE ${OUT}.gz RESULT_VARIABLE failed)
    if(NOT failed)
      bytes(${OUT}.gz kGzip${number})
    endif()
  endif()
  set(rows "${rows}    {\"/${file}\", \"${hash}\", ${plain}, ${view}},\n")
endforeach()
file(REMOVE ${OUT}.gz)
file(WRITE ${OUT} "// Made by page/pack.cmake of the files of the page.
#include \"drivers/live/http/page.hpp\"

namespace tactus::drivers::live_http {
namespace {

${arrays}
const PageFile kFiles[] = {
${rows}};

}  // namespace

std::span<const PageFile> page_files() { return kFiles; }

}  // namespace tactus::drivers::live_http
")
