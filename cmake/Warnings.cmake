# Warnings every room is built with; -Werror comes from the presets that people and CI use.
# -Wpedantic is left out: TRY (base/result.h) is a GNU statement expression.
add_compile_options(-Wall -Wextra -Wnon-virtual-dtor -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wshadow-all -Wno-shadow-field-in-constructor -Wthread-safety)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 does not follow the counts of base/ref.h and reports each drop; ASan watches instead.
  add_compile_options(-Wno-use-after-free)
endif()
