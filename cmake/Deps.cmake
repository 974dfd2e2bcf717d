# Third-party libraries, one target each. The CLI links archives (.a) so that starting it costs
# no dynamic loading; see docs/adr/0003-cli-linking-and-startup.md.
find_package(Threads REQUIRED)

function(pintle_archive name file)
  find_library(PINTLE_LIB_${name} NAMES ${file} REQUIRED)
  add_library(dep_${name} INTERFACE)
  target_link_libraries(dep_${name} INTERFACE ${PINTLE_LIB_${name}})
endfunction()

pintle_archive(crypto libcrypto.a)
pintle_archive(tls libssl.a)
pintle_archive(re2 libre2.a)
pintle_archive(deflate libdeflate.a)
pintle_archive(z libz.a)
pintle_archive(crypt libcrypt.a)
target_link_libraries(dep_crypto INTERFACE ${CMAKE_DL_LIBS} Threads::Threads)
target_link_libraries(dep_tls INTERFACE dep_crypto)
target_link_libraries(dep_re2 INTERFACE Threads::Threads)

# Servers only: these may cost start-up time.
find_package(PkgConfig REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.81 REQUIRED)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
add_library(dep_ssl INTERFACE)  # OpenSSL's TLS, and Asio and Beast, which are headers
target_link_libraries(dep_ssl INTERFACE OpenSSL::SSL OpenSSL::Crypto Boost::headers Threads::Threads)
add_library(dep_sqlite INTERFACE)
target_link_libraries(dep_sqlite INTERFACE PkgConfig::SQLITE)
# The PostgreSQL backend, with libpq and its many libraries, is loaded by SOCI when one is used.
add_library(dep_soci INTERFACE)
find_library(PINTLE_LIB_soci NAMES soci_core REQUIRED)
find_library(PINTLE_LIB_soci_sqlite NAMES soci_sqlite3 REQUIRED)
find_path(PINTLE_SOCI_INCLUDE soci/soci.h REQUIRED)
find_path(PINTLE_PQ_INCLUDE libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)  # its library is SOCI's to load
target_include_directories(dep_soci SYSTEM INTERFACE ${PINTLE_SOCI_INCLUDE} ${PINTLE_PQ_INCLUDE})
target_link_libraries(dep_soci INTERFACE ${PINTLE_LIB_soci} ${PINTLE_LIB_soci_sqlite})

if(PINTLE_TESTS)
  find_package(GTest REQUIRED)
endif()
if(PINTLE_BENCH)
  find_package(benchmark REQUIRED)
endif()
