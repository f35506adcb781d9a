# The browser viewer in a real browser: only where the viewer is built and Chromium is there.
find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)
find_program(NODE node)
set(bundle ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)

# Usage: browser_test(NAME FILE sluice-server sluice), the programs that it starts.
function(browser_test name file)
  set(programs)
  foreach(program IN LISTS ARGN)
    list(APPEND programs $<TARGET_FILE:${program}>)
  endforeach()
  add_test(NAME Browser.${name}
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/${file} ${programs} ${CHROMIUM} ${bundle})
  set_tests_properties(Browser.${name} PROPERTIES TIMEOUT 900)
endfunction()

# Parts of the page without a browser.
function(module_test name file)
  add_test(NAME Browser.${name}
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/${file} ${PROJECT_SOURCE_DIR} ${bundle})
endfunction()

if(SLUICE_WEB AND CHROMIUM AND NODE)
  browser_test(ShowsAWorldThatABrushChangesForAll browser_test.mjs sluice-server)
  browser_test(ShowsRecordingsAtAnyTickAndSideBySide replay_browser_test.mjs sluice)
  browser_test(FitsEveryWindowAndFinger layout_browser_test.mjs sluice-server sluice)
  browser_test(KeepsKeysToolsAndEdits viewer_browser_test.mjs sluice-server)
  browser_test(AsksForATokenOnceAndSaysWhatMayBeDone session_browser_test.mjs sluice-server)
  browser_test(ExplainsWhatIsUnderThePointer inspector_browser_test.mjs sluice-server sluice)
  browser_test(ShowsTemperaturesAndWaves layers_browser_test.mjs sluice-server)
  browser_test(HasToolsForAllThatCanBeBuilt tools_browser_test.mjs sluice-server)
  browser_test(LetsOperatorsRunTheirWorlds operators_browser_test.mjs sluice-server sluice)
  browser_test(CopiesAndPastesAPartOfAWorld copy_browser_test.mjs sluice-server)
  browser_test(ShowsAllWorldsSideBySide gallery_browser_test.mjs sluice-server)
  browser_test(PaintsTheSameByWebGL drawing_browser_test.mjs sluice-server)
  browser_test(ShowsASolidWorldFromThreeSides sight_browser_test.mjs sluice-server)
  browser_test(ShowsWhoIsHere people_browser_test.mjs sluice-server)
  browser_test(IsForEverybody access_browser_test.mjs sluice-server sluice)
  browser_test(SaysHowItStandsAndWhereItLooks states_browser_test.mjs sluice-server)
endif()
if(SLUICE_WEB AND NODE)
  module_test(DecodesAsTheProtocolsDocumentSays web_codec_test.mjs)
  module_test(ItsPartsWithoutAPageDoWhatTheySay web_modules_test.mjs)
  module_test(ItsToolsCoverAndTakeBack web_tools_test.mjs)
  module_test(RecordsFilmsWithinTheirBounds web_pictures_test.mjs)
  module_test(ReadsWhoIsHere web_people_test.mjs)
  module_test(DrawsTheWorldAsItIs web_drawing_test.mjs)
  module_test(ReadsWhatAWorldHasBesideItsCells web_layers_test.mjs)
  module_test(IsSmall web_size_test.mjs)
  module_test(PutsWhatWasCopiedAsItWas web_region_test.mjs)
  add_test(NAME Commands.HaveTheShapesThatTheSchemaSays
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/command_schema_test.mjs $<TARGET_FILE:sluice>
            ${PROJECT_SOURCE_DIR} ${bundle})
endif()
