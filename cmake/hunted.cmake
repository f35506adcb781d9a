# Sources of which the hunter (tests/hunt) links copies of its own, in place of the product's objects: those
# with a mark of a rare place or a planted bug. An object in a library holds only such sources or none, so
# that the linker takes all of it from one side.
set(hunted_protocol protocol/client_session.cpp)
set(hunted_sim
  server/sim/heat/floating.cpp server/sim/marks/trapped_air.cpp server/sim/pipes/level.cpp server/sim/snapshot.cpp
  server/sim/springs_phase.cpp server/sim/steam/field.cpp server/sim/tick.cpp server/sim/world.cpp)
set(hunted_plain
  server/net/hub.cpp server/net/interest.cpp server/net/published_chunks.cpp server/net/published_world.cpp
  server/net/result_book.cpp server/net/world_feed.cpp
  server/record/checkpoint_keeper.cpp server/record/cut.cpp server/record/history_rows.cpp
  server/record/recorder.cpp
  server/record/repair.cpp)
set(hunted_playback server/playback/cursor.cpp)
set(hunted_sessions server/net/session.cpp server/net/session_commands.cpp)
set(hunted_host
  server/host/background_verifier.cpp server/host/command_queue.cpp server/host/history_cutter.cpp
  server/host/load_world.cpp
  server/host/record_writer.cpp server/host/world_runner.cpp)
set(sluice_hunted_sources
  ${hunted_protocol} ${hunted_sim} ${hunted_plain} ${hunted_playback} ${hunted_sessions} ${hunted_host})
