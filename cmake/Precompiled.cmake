# The standard headers nearly every file includes, and gtest's, are parsed once: a clean build of
# everything is a third shorter. Files still include what they use; the tidy preset, which has no
# precompiled headers, compiles them so, and so does dev, because GCC 12 takes what it inlines from a
# precompiled header for code of ours and reports std::string. pintle_precompiled(target) for a
# library or program, pintle_precompiled(target test) for tests, which need their own for -O0.
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

function(pintle_precompiled target)
  if(NOT PINTLE_PCH)
    return()
  endif()
  if("${ARGN}" STREQUAL "test")
    target_precompile_headers(${target} REUSE_FROM pch_test)
  else()
    target_precompile_headers(${target} REUSE_FROM pch_std)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                           -Wno-stringop-overread)
  endif()
endfunction()
