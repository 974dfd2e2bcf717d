# The standard headers nearly every file includes, and gtest's, are parsed once: a clean build of
# everything is a third shorter. Files still include what they use; the tidy preset, which has no
# precompiled headers, compiles them so, and so does dev, because GCC 12 takes what it inlines from a
# precompiled header for code of ours and reports std::string. pintle_precompiled(target) for a
# library or program; pintle_for_tests(target) for what only tests run, which compiles for minutes and
# runs for moments and so is not optimised, and has a precompiled header of its own.
option(PINTLE_PCH "precompile the standard headers" ON)

function(pintle_pch_holder name)
  file(WRITE ${CMAKE_BINARY_DIR}/pch/${name}.cc "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/pch/${name}.cc)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

set(PINTLE_STD_HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable>
    <cstdint> <cstring> <deque> <functional> <map> <memory> <mutex> <optional> <set> <span> <string>
    <string_view> <thread> <unordered_map> <utility> <vector> <tl/expected.hpp>)
if(PINTLE_PCH)
  pintle_pch_holder(pch_std ${PINTLE_STD_HEADERS})
  if(PINTLE_TESTS)
    pintle_pch_holder(pch_test ${PINTLE_STD_HEADERS} <gtest/gtest.h>)
    target_link_libraries(pch_test PRIVATE GTest::gtest)
    target_compile_options(pch_test PRIVATE -O0)
  endif()
endif()

function(pintle_reuse target holder)
  if(NOT PINTLE_PCH)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${holder})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                           -Wno-stringop-overread)
  endif()
endfunction()

function(pintle_precompiled target)
  pintle_reuse(${target} pch_std)
endfunction()

function(pintle_for_tests target)
  target_compile_options(${target} PRIVATE -O0)
  target_link_libraries(${target} PRIVATE GTest::gtest)  # the precompiled header has its definitions
  pintle_reuse(${target} pch_test)
endfunction()
