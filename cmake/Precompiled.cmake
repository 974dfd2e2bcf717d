# The headers nearly every file includes, and gtest's, are parsed once: a clean build of everything is
# a third shorter. Files still include what they use; the tidy preset, which has no precompiled
# headers, compiles them so. pintle_precompiled(target) for a library or program;
# pintle_for_tests(target) for what only tests run, which compiles for minutes and runs for moments
# and so is not optimised, and has a precompiled header of its own.
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
if(PINTLE_PCH)
  pintle_pch_holder(pch_common ${PINTLE_COMMON_HEADERS})
  if(PINTLE_TESTS)
    pintle_pch_holder(pch_test ${PINTLE_COMMON_HEADERS} <gtest/gtest.h>)
    target_link_libraries(pch_test PRIVATE GTest::gtest)
    target_compile_options(pch_test PRIVATE -O0)
  endif()
endif()

function(pintle_reuse target holder)
  if(PINTLE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${holder})
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

function(pintle_precompiled target)
  pintle_reuse(${target} pch_common)
endfunction()

function(pintle_for_tests target)
  target_compile_options(${target} PRIVATE -O0)
  target_link_libraries(${target} PRIVATE GTest::gtest)  # the precompiled header has its definitions
  pintle_reuse(${target} pch_test)
endfunction()
