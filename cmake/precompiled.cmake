# What costs a cold build most is reading the same headers of libraries for each source, and
# optimizing code that does not need it. So the headers of each group below are read once. The preset
# clang and `./dev determinism` read each source with just its own includes: what builds there
# includes what it needs.
option(SLUICE_PRECOMPILE "Read the headers of libraries once, not for each source" ON)

# GCC looks through its memory for what it can use again ever anew: a fifth of its time on sources that are
# made of templates. With so many KiB free it hardly does.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-heapsize=1048576")
endif()

# For code that runs once for a command, a message or a start, and is made of templates: -O3 took
# twice as long as -O1 to compile, and nobody can tell when it runs.
add_library(sluice_quickly_built INTERFACE)
target_compile_options(sluice_quickly_built INTERFACE $<$<CONFIG:Release>:-O1>)

# A group of headers. Its users must have the same options, so those stand in OPTIONS.
# Usage: sluice_precompiled(NAME HEADERS <map> <vector> OPTIONS sluice_quickly_built)
function(sluice_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS" ${ARGN})
  if(NOT SLUICE_PRECOMPILE)
    return()
  endif()
  # A group must be a target with a source.
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE sluice_warnings ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Else ccache could keep nothing that reads them.
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

function(sluice_reads target group)
  if(SLUICE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${group})
  endif()
endfunction()

# What a source costs before its own first line, the headers and the templates that all of a target use,
# is paid once for a group of sources: a group is compiled as one. Names that two sources of a target
# define for themselves must differ; where they do not, the compiler says so.
set(SLUICE_GROUP_BYTES 70000 CACHE STRING "How much of a target's sources is compiled at once; 0: each alone")
# A source with an object of its own, where it is set (set_source_files_properties).
define_property(SOURCE PROPERTY SLUICE_ALONE BRIEF_DOCS "Compiled without others")

# Usage: sluice_grouped(TARGET a.cpp b.cpp), in the folder of the sources.
function(sluice_grouped target)
  if(NOT SLUICE_PRECOMPILE OR SLUICE_GROUP_BYTES EQUAL 0)
    return()
  endif()
  set(filled_own 0)
  set(filled_hunted 0)
  foreach(source IN LISTS ARGN)
    get_source_file_property(alone ${source} SLUICE_ALONE)
    if(NOT source MATCHES "[.]cpp$" OR alone)
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    set(kind own)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE within)
    if(within IN_LIST sluice_hunted_sources)
      set(kind hunted)
    endif()
    set(bytes 0)
    if(NOT path MATCHES "^${PROJECT_BINARY_DIR}/")
      file(SIZE ${path} bytes)
    endif()
    math(EXPR filled_${kind} "${filled_${kind}} + ${bytes}")
    math(EXPR number "${filled_${kind}} / ${SLUICE_GROUP_BYTES}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${kind}_${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# What the simulation may include, and so every layer.
set(standard_headers
  <algorithm> <array> <bit> <compare> <cstddef> <cstdint> <functional> <limits> <map> <memory>
  <numeric> <optional> <set> <span> <string> <string_view> <tuple> <type_traits> <utility> <variant>
  <vector>)
set(system_headers
  <atomic> <chrono> <condition_variable> <deque> <filesystem> <fstream> <mutex> <sstream> <thread>)

find_package(Boost 1.81 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(spdlog REQUIRED)

# Asio's and Beast's functions that are no templates, compiled once.
add_library(sluice_sockets STATIC ${CMAKE_CURRENT_LIST_DIR}/sockets.cpp)
target_compile_definitions(sluice_sockets PUBLIC
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION)
target_link_libraries(sluice_sockets
  PUBLIC Boost::headers OpenSSL::SSL Threads::Threads
  PRIVATE sluice_warnings sluice_quickly_built)

sluice_precompiled(sluice_standard_headers HEADERS ${standard_headers})
sluice_precompiled(sluice_server_headers
  HEADERS ${standard_headers} ${system_headers} <nlohmann/json.hpp> <spdlog/spdlog.h>
  OPTIONS nlohmann_json::nlohmann_json spdlog::spdlog)
sluice_precompiled(sluice_socket_headers
  HEADERS ${standard_headers} ${system_headers} <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp>
          <boost/asio/steady_timer.hpp> <boost/beast/core.hpp> <boost/beast/http.hpp>
          <boost/beast/ssl.hpp> <boost/beast/websocket.hpp>
  OPTIONS sluice_quickly_built sluice_sockets)
sluice_precompiled(sluice_tool_headers
  HEADERS ${standard_headers} ${system_headers} <CLI/CLI.hpp> <nlohmann/json.hpp>
  OPTIONS sluice_quickly_built CLI11::CLI11 nlohmann_json::nlohmann_json)
if(SLUICE_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  sluice_precompiled(sluice_test_headers
    HEADERS ${standard_headers} ${system_headers} <gmock/gmock.h> <gtest/gtest.h> <random>
            <rapidcheck.h> <rapidcheck/gtest.h>
    OPTIONS sluice_quickly_built GTest::gmock GTest::gtest rapidcheck rapidcheck_gtest)
endif()
