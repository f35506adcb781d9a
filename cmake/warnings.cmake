# Every target of ours takes its warnings from here; warnings are errors.
add_library(sluice_warnings INTERFACE)
target_compile_options(sluice_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these in code that it inlined from the standard library and Boost.
  target_compile_options(sluice_warnings INTERFACE
    -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict
    -Wno-dangling-reference)
  if(CMAKE_CXX_FLAGS MATCHES "sanitize=thread")
    # Asio's fences, which the sanitizer does not model; it sees Asio's mutexes instead. And short
    # strings that are moved, which GCC reports as the others above.
    target_compile_options(sluice_warnings INTERFACE -Wno-tsan -Wno-stringop-overread)
  endif()
endif()

# A layer: one static library, seen by the others as "server/sim/world.h" and the like.
function(sluice_library name)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE sluice_warnings)
  sluice_grouped(${name} ${ARGN})
endfunction()

function(sluice_program name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE sluice_warnings)
  sluice_grouped(${name} ${ARGN})
endfunction()

# A parser that a fuzz target feeds: the fuzzer must see which ways it takes. The rest of that build has
# the sanitizers alone, so that the tests, which share it, do not pay.
function(sluice_fuzzed name)
  if(SLUICE_FUZZ)
    target_compile_options(${name} PRIVATE
      -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
  endif()
endfunction()
