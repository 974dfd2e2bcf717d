# Warnings every room is built with; -Werror comes from the presets that people and CI use.
# -Wpedantic is left out: TRY (base/result.h) is a GNU statement expression. Deprecations are not
# reported: libstdc++ 12's own std::stable_sort calls what it deprecates.
add_compile_options(-Wall -Wextra -Wnon-virtual-dtor -Wimplicit-fallthrough -Wthread-safety
                    -Wno-deprecated-declarations)
