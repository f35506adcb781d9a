// `sluice-view`: a viewer of a hosted world, on a terminal or without one.
#include <algorithm>
#include <charconv>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "client_stub/headless.h"
#include "client_stub/viewer.h"
#include "protocol/base/suggestion.h"

namespace {

using namespace sluice;

/// "x,y,z,w,h,d".
Result<Box> parse_view(const std::string& text) {
  const Error wrong{"--view '" + text +
                    "' is not x,y,z,w,h,d: six whole numbers, the last three above 0"};
  std::int32_t numbers[6] = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 6; ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return wrong;
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    if (error != std::errc()) return wrong;
    at = next;
  }
  const bool sizes_fit = numbers[3] > 0 && numbers[4] > 0 && numbers[5] > 0;
  if (at != end || !sizes_fit) return wrong;
  return Box{{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
}

/// What was probably meant by the first flag that there is not; empty: every flag is known.
std::string meant_by(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string argument = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    const bool is_known = std::find(known.begin(), known.end(), argument) != known.end();
    if (!argument.starts_with("--") || argument == "--" || is_known) continue;
    return "there is no flag '" + argument + "'" + did_you_mean(argument, known);
  }
  return "";
}

int fail(const std::string& message) {
  std::cerr << "sluice-view: " << message << '\n';
  return client::kExitWrongInput;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Shows a hosted world of water on a terminal; ? inside it lists the keys"};
  app.name("sluice-view");
  app.set_version_flag("--version", "sluice-view " SLUICE_VERSION, "print the version");
  std::string url;
  std::string view;
  bool headless = false;
  client::HeadlessOptions options;
  app.add_option("URL", url, "ws://HOST:PORT/worlds/NAME")->required();
  std::string token;
  app.add_option(
      "--token", token,
      "shown to the server, from `sluice token add`; better in the environment's SLUICE_TOKEN");
  auto* name = app.add_option("--name", options.client_name,
                              "what the server's log and the others who are here call you");
  auto* headless_flag = app.add_flag("--headless", headless, "show nothing; for scripts and tests");
  app.add_option("--for", options.for_ticks, "stay for this many ticks")
      ->check(CLI::NonNegativeNumber)
      ->needs(headless_flag);
  app.add_option("--script", options.script, "send these commands (JSON Lines, - for stdin)")
      ->needs(headless_flag);
  app.add_option("--reconnect", options.reconnect_seconds,
                 "where the connection is lost, try for so many seconds to go on")
      ->check(CLI::Range(0, 86400))
      ->needs(headless_flag);
  app.add_option("--view", view, "x,y,z,w,h,d in cells (default: the whole world)")
      ->needs(headless_flag);
  app.add_flag("--map", options.map, "print the view at the end")->needs(headless_flag);
  app.add_flag("--json", options.json, "print one JSON object as the last line")
      ->needs(headless_flag);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::string meant = error.get_exit_code() == 0 ? "" : meant_by(app, argc, argv);
    if (!meant.empty()) return fail(meant);
    return app.exit(error) == 0 ? client::kExitWell : client::kExitWrongInput;
  }
  const auto address = client::parse_address(url);
  if (!address.ok()) return fail(address.error());
  options.address = address.value();
  const auto shown = client::token_to_show(token);
  if (!shown.ok()) return fail(shown.error());
  options.address.token = shown.value();
  if (!view.empty()) {
    const auto box = parse_view(view);
    if (!box.ok()) return fail(box.error());
    options.view = box.value();
  }
  if (headless) return client::run_headless(options);
  const std::string person = name->count() > 0 ? options.client_name : "guest";
  return client::run_viewer({options.address, options.client_name, person});
}
