# The browser viewer in a real browser: only where the viewer is built and Chromium is there.
find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)
find_program(NODE node)
if(SLUICE_WEB AND CHROMIUM AND NODE)
  add_test(NAME Browser.ShowsAWorldThatABrushChangesForAll
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/browser_test.mjs
            $<TARGET_FILE:sluice-server> ${CHROMIUM}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  add_test(NAME Browser.ShowsRecordingsAtAnyTickAndSideBySide
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/replay_browser_test.mjs
            $<TARGET_FILE:sluice> ${CHROMIUM}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  add_test(NAME Browser.FitsEveryWindowAndFinger
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/layout_browser_test.mjs
            $<TARGET_FILE:sluice-server> $<TARGET_FILE:sluice> ${CHROMIUM}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  add_test(NAME Browser.KeepsKeysToolsAndEdits
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/viewer_browser_test.mjs
            $<TARGET_FILE:sluice-server> ${CHROMIUM}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  add_test(NAME Browser.AsksForATokenOnceAndSaysWhatMayBeDone
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/session_browser_test.mjs
            $<TARGET_FILE:sluice-server> ${CHROMIUM}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  add_test(NAME Browser.ExplainsWhatIsUnderThePointer
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/inspector_browser_test.mjs
            $<TARGET_FILE:sluice-server> $<TARGET_FILE:sluice> ${CHROMIUM}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  add_test(NAME Browser.IsForEverybody
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/access_browser_test.mjs
            $<TARGET_FILE:sluice-server> $<TARGET_FILE:sluice> ${CHROMIUM}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  add_test(NAME Browser.SaysHowItStandsAndWhereItLooks
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/states_browser_test.mjs
            $<TARGET_FILE:sluice-server> ${CHROMIUM}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  set_tests_properties(Browser.SaysHowItStandsAndWhereItLooks Browser.IsForEverybody Browser.ExplainsWhatIsUnderThePointer Browser.AsksForATokenOnceAndSaysWhatMayBeDone
    Browser.ShowsAWorldThatABrushChangesForAll Browser.KeepsKeysToolsAndEdits Browser.FitsEveryWindowAndFinger
    Browser.ShowsRecordingsAtAnyTickAndSideBySide PROPERTIES TIMEOUT 400)
endif()
if(SLUICE_WEB AND NODE)
  add_test(NAME Browser.DecodesAsTheProtocolsDocumentSays
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/web_codec_test.mjs ${PROJECT_SOURCE_DIR}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  add_test(NAME Browser.ItsPartsWithoutAPageDoWhatTheySay
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/web_modules_test.mjs ${PROJECT_SOURCE_DIR}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
  add_test(NAME Browser.DrawsTheWorldAsItIs
    COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/web_drawing_test.mjs ${PROJECT_SOURCE_DIR}
            ${CMAKE_BINARY_DIR}/client_stub/web/bundle/package.json)
endif()
