# SPDX-License-Identifier: Apache-2.0
# Packs the files of the page into one source file, plain and by gzip.
#
#   cmake -DFOLDER=page -DFILES=index.html,page.css -DOUT=page_files.cpp [-DGZIP=/usr/bin/gzip] -P pack.cmake
string(REPLACE "," ";" files "${FILES}")

# bytes("<a file>" name): its bytes as a symbol, put there by the assembler: a compiler would read each as a number.
function(bytes path name)
  file(SIZE ${path} size)
  set(symbols "${symbols}extern \"C\" __attribute__((visibility(\"hidden\"))) const char tactus_page_${name}[];
asm(R\"(
  .pushsection .rodata.tactus_page,\"a\",%progbits
tactus_page_${name}:
  .incbin \"${path}\"
  .popsection
)\");
" PARENT_SCOPE)
  set(view "{tactus_page_${name}, ${size}}" PARENT_SCOPE)
endfunction()

set(symbols "")
set(rows "")
set(number 0)
foreach(file ${files})
  math(EXPR number "${number} + 1")
  file(SHA256 ${FOLDER}/${file} hash)
  string(SUBSTRING ${hash} 0 20 hash)
  bytes(${FOLDER}/${file} plain_${number})
  set(plain "${view}")
  set(view "{}")
  if(GZIP)
    # Neither name nor date: the same page makes the same bytes.
    execute_process(COMMAND ${GZIP} -9 -n -c ${FOLDER}/${file} OUTPUT_FILE ${OUT}.${number}.gz RESULT_VARIABLE failed)
    if(NOT failed)
      bytes(${OUT}.${number}.gz gzip_${number})
    endif()
  endif()
  set(rows "${rows}    {\"/${file}\", \"${hash}\", ${plain}, ${view}},\n")
endforeach()
file(WRITE ${OUT} "// Made by page/pack.cmake of the files of the page.
#include \"drivers/live/http/page.hpp\"

${symbols}
namespace tactus::drivers::live_http {
namespace {

const PageFile kFiles[] = {
${rows}};

}  // namespace

std::span<const PageFile> page_files() { return kFiles; }

}  // namespace tactus::drivers::live_http
")
