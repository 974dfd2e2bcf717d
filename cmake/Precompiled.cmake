# The headers nearly every file includes, and gtest's, are parsed once: a clean build of everything is
# a third shorter. Files still include what they use; the tidy preset, which has no precompiled
# headers, compiles them so. pintle_precompiled(target) for a library or program;
# pintle_for_tests(target) for what only tests run, which compiles for minutes and runs for moments
# and so is not optimised, and has a precompiled header of its own. A large room adds the headers that
# most of its files see (ROOM after the target): pintle_precompile_room makes both for it.
option(PINTLE_PCH "precompile the common headers" ON)

function(pintle_pch_holder name)
  file(WRITE ${CMAKE_BINARY_DIR}/pch/${name}.cc "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/pch/${name}.cc)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  # Without its time in it the header is the same for every build directory, and ccache's.
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

set(PINTLE_COMMON_HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <cmath>
    <condition_variable> <cstdint> <cstring> <deque> <functional> <map> <memory> <mutex> <optional>
    <set> <span> <string> <string_view> <thread> <unordered_map> <unordered_set> <utility> <vector>
    <tl/expected.hpp> <base/result.h> <base/strings.h> <value/value.h> <json/json.h>)
function(pintle_pch_pair common test)
  pintle_pch_holder(${common} ${PINTLE_COMMON_HEADERS} ${ARGN})
  if(PINTLE_TESTS)
    pintle_pch_holder(${test} ${PINTLE_COMMON_HEADERS} ${ARGN} <gtest/gtest.h>)
    target_link_libraries(${test} PRIVATE GTest::gtest)
    target_compile_options(${test} PRIVATE -O0)
  endif()
endfunction()
if(PINTLE_PCH)
  pintle_pch_pair(pch_common pch_test)
endif()

function(pintle_precompile_room room)
  if(PINTLE_PCH)
    list(TRANSFORM ARGN REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE headers)
    pintle_pch_pair(pch_${room} pch_${room}_test ${headers})
  endif()
endfunction()

function(pintle_reuse target holder)
  if(PINTLE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${holder})
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

function(pintle_precompiled target)
  if(TARGET pch_${ARGV1})
    pintle_reuse(${target} pch_${ARGV1})
  else()
    pintle_reuse(${target} pch_common)
  endif()
endfunction()

function(pintle_for_tests target)
  target_compile_options(${target} PRIVATE -O0)
  target_link_libraries(${target} PRIVATE GTest::gtest)  # the precompiled header has its definitions
  if(TARGET pch_${ARGV1}_test)
    pintle_reuse(${target} pch_${ARGV1}_test)
  else()
    pintle_reuse(${target} pch_test)
  endif()
endfunction()
