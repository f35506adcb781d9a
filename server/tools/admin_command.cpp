// `sluice admin`: what those who run a server ask of its admin API.
#include <iostream>
#include <memory>
#include <string>
#include <tuple>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "client_stub/address.h"
#include "client_stub/http.h"
#include "server/formats/world_file.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"

namespace sluice::tools {

namespace {

using Json = nlohmann::ordered_json;

struct AdminOptions {
  std::string server = "http://127.0.0.1:9090";
  std::string token;
  std::string world;
  std::string file;
  bool delete_recording = false;
  std::string account;
  std::string level;
  std::string address;
  std::string reason;
  std::uint64_t hours = 0;
  std::uint64_t ticks = 1;
  std::uint64_t keep = 0;
  bool drop = false;
  double speed = 1;
  bool off = false;
  bool json = false;
};
using Options = std::shared_ptr<AdminOptions>;

// A large world takes a while to be replayed or copied.
constexpr std::chrono::seconds kPatience{600};

void print_worlds(const Json& worlds) {
  for (const Json& world : worlds) {
    if (const std::string state = world.value("state", "hosted"); state != "hosted") {
      std::cout << world.value("name", "") << "  "
                << (state == "failed" ? "cannot be loaded; the server's log says why" : state)
                << '\n';
      continue;
    }
    std::cout << world.value("name", "") << "  tick " << world.value("tick", 0ULL) << "  "
              << (world.value("paused", false) ? "paused" : "runs") << "  speed "
              << world.value("speed", 1.0) << "  " << world.value("clients", 0) << " clients";
    if (world.contains("trouble") && world["trouble"].is_string()) {
      std::cout << "  stands still: " << world["trouble"].get<std::string>();
    }
    std::cout << '\n';
  }
}

void print_bans(const Json& bans) {
  for (const Json& ban : bans) {
    const Json& until = ban["until"];
    std::cout << (ban.contains("account") ? ban["account"] : ban["address"]).get<std::string>()
              << "  " << (until.is_string() ? "until " + until.get<std::string>() : "for ever")
              << "  " << ban.value("reason", "") << '\n';
  }
}

/// What is no UTF-8 is sent as what can be, and refused for what it is then.
std::string text_of(const Json& body) {
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int run(const AdminOptions& options, const std::string& method, const std::string& path,
        const Json& body) {
  const auto token = client::token_to_show(options.token);
  if (!token.ok()) return fail(token.error());
  const auto reply = client::ask({method, options.server, path, token.value(),
                                  body.is_null() ? "" : text_of(body), kPatience});
  if (!reply.ok()) return fail(reply.error());
  const Json answer = Json::parse(reply.value().body, nullptr, false);
  if (answer.is_object() && answer.contains("error")) {
    return fail(answer["error"].is_string() ? answer["error"].get<std::string>() : answer.dump());
  }
  if (reply.value().status != 200 || answer.is_discarded()) {
    return fail(options.server + " answers " + std::to_string(reply.value().status) +
                "; is it the address of --admin-listen?");
  }
  if (answer.is_array() && !options.json) {
    path == "/api/bans" ? print_bans(answer) : print_worlds(answer);
  } else {
    std::cout << answer.dump() << '\n';
  }
  return kExitWell;
}

Json ban_of(const AdminOptions& options) {
  Json ban = Json::object();
  if (!options.account.empty()) ban["account"] = options.account;
  if (!options.address.empty()) ban["address"] = options.address;
  if (options.hours > 0) ban["hours"] = options.hours;
  if (!options.reason.empty()) ban["reason"] = options.reason;
  return {{"ban", ban}};
}

Json seal_of(const AdminOptions& options) {
  return {{"seal", {{"keep", options.keep}, {"drop", options.drop}}}};
}

Json recording_of(const AdminOptions& options) {
  return {{"recording", options.delete_recording ? "delete" : "keep"}};
}

int run_create(const AdminOptions& options) {
  const auto text = formats::read_file(options.file);
  if (!text.ok()) return fail(text.error());
  if (text->size() > formats::kMostSentBytes) {
    return fail(options.file + ": has " + std::to_string(text->size()) +
                " bytes; a server is sent at most " + std::to_string(formats::kMostSentBytes));
  }
  return run(options, "POST", "/api/worlds", {{"world_file", *text}});
}

/// `path`: /healthz or /readyz, which say "all well" by their status.
int run_question(const AdminOptions& options, const std::string& path) {
  const auto reply = client::ask({"GET", options.server, path, "", ""});
  if (!reply.ok()) return fail(reply.error());
  (reply.value().status == 200 ? std::cout : std::cerr) << reply.value().body;
  return reply.value().status == 200 ? kExitWell : kExitWrongInput;
}

bool asks(const std::string& name) {
  return name == "worlds" || name == "bans" || name == "limits" || name == "owners";
}

/// `body` makes the request's body from the options when it is sent.
CLI::App& add_action(CLI::App& admin, const Options& options, int& exit_status,
                     const std::string& name, const std::string& what, bool of_world,
                     std::function<Json(const AdminOptions&)> body = {}) {
  CLI::App* const action = admin.add_subcommand(name, what)->fallthrough();
  if (of_world) action->add_option("WORLD", options->world, "its name")->required();
  action->callback([options, &exit_status, name, of_world, body] {
    const std::string path =
        of_world ? "/api/worlds/" + options->world + "/" + name : "/api/" + name;
    exit_status =
        run(*options, asks(name) ? "GET" : "POST", path, body ? body(*options) : Json(nullptr));
  });
  return *action;
}

/// Worlds that come and go.
void add_worlds_actions(CLI::App& admin, const Options& options, int& exit_status) {
  CLI::App* const create =
      admin.add_subcommand("create", "Make a world from a world file, and host it")->fallthrough();
  create->add_option("FILE", options->file, "a world file (TOML), which is sent")->required();
  create->callback([options, &exit_status] { exit_status = run_create(*options); });
  add_action(admin, options, exit_status, "load",
             "Host a world from its recording in the server's data folder", true);
  add_action(admin, options, exit_status, "unload",
             "Save a world and host it no more, until it is loaded", true);
  for (const auto& [name, what] :
       {std::pair("reset", "Begin a world anew; its recording goes to removed in the data folder"),
        {"remove", "Host a world no more; its recording goes to removed in the data folder"}}) {
    add_action(admin, options, exit_status, name, what, true, recording_of)
        .add_flag("--delete-recording", options->delete_recording,
                  "Delete the recording instead: nobody can bring it back");
  }
  add_action(admin, options, exit_status, "export",
             "Write its world file and a copy of its recording to exports in the data folder",
             true);
  CLI::App& seal =
      add_action(admin, options, exit_status, "seal",
                 "Cut the old history of a world that runs off its recording", true, seal_of);
  seal.add_option("--keep", options->keep, "ticks that stay, at least")
      ->required()
      ->check(whole_number());
  seal.add_flag("--drop", options->drop, "what is cut off is gone, and not kept in a file");
}

}  // namespace

void add_admin_command(CLI::App& app, int& exit_status) {
  const auto options = std::make_shared<AdminOptions>();
  CLI::App* const admin = app.add_subcommand("admin", "Run a server: its worlds' time, its people");
  admin->require_subcommand(1);
  admin->footer("Example: sluice admin --server http://127.0.0.1:9090 pause cave");
  admin->add_option("--server", options->server,
                    "of --admin-listen (default: http://127.0.0.1:9090)");
  admin->add_option("--token", options->token, "from `sluice token add` (default: SLUICE_TOKEN)");
  admin->add_flag("--json", options->json, "print the answer as it is");
  const auto add = [&](const std::string& name, const std::string& what, bool of_world,
                       std::function<Json(const AdminOptions&)> body = {}) -> CLI::App& {
    return add_action(*admin, options, exit_status, name, what, of_world, std::move(body));
  };
  add("worlds", "List the worlds, and how each goes", false);
  add("pause", "Hold a world's time", true);
  add("resume", "Let it go on", true);
  add("step", "Let a paused world take ticks", true,
      [](const AdminOptions& o) {
        return Json{{"ticks", o.ticks}};
      })
      .add_option("TICKS", options->ticks, "how many (default: 1)")
      ->check(whole_number());
  add("speed", "Let its time go faster or slower", true,
      [](const AdminOptions& o) {
        return Json{{"speed", o.speed}};
      })
      .add_option("SPEED", options->speed, "times its own, 0.01 to 100")
      ->required();
  add_worlds_actions(*admin, options, exit_status);
  add("save", "Checkpoint it now, and wait until its history is durable", true);
  add("backup", "Copy its recording, and read the copy whole", true);
  add("read-only", "Let nobody build in it, until the server ends", true,
      [](const AdminOptions& o) {
        return Json{{"read_only", !o.off}};
      })
      .add_flag("--off", options->off, "let those build again who may");
  add("kick", "End the connections of an account", true, [](const AdminOptions& o) {
    return Json{{"account", o.account}};
  }).add_option("ACCOUNT", options->account, "default: all who showed no token");
  for (const auto& [name, path, what] :
       {std::tuple("health", "/healthz", "Say whether the server is alive, and what it has to say"),
        {"ready", "/readyz", "Say whether all its worlds run"}}) {
    admin->add_subcommand(name, what)
        ->fallthrough()
        ->callback([options, &exit_status, path = std::string(path)] {
          exit_status = run_question(*options, path);
        });
  }
  add("limits", "Say what a connection may take and an account own, by its role", false);
  add("owners", "Say who owns most of what is built in a world", true);
  add("bans", "List who is banned", false);
  CLI::App& ban = add("ban", "Let an account or an address in no more", false,
                      [](const AdminOptions& o) { return ban_of(o); });
  CLI::Option* const account = ban.add_option("--account", options->account, "its name");
  ban.add_option("--address", options->address, "or a range of them, as in 203.0.113.0/24")
      ->excludes(account);
  ban.add_option("--hours", options->hours, "how long (default: for ever)")->check(whole_number());
  ban.add_option("--reason", options->reason, "which who is banned is told");
  add("unban", "Let an account or an address in again", false,
      [](const AdminOptions& o) {
        return Json{{"of", o.account}};
      })
      .add_option("OF", options->account, "the account, or the address as it was banned")
      ->required();
  add("log-level", "Set how much the server's log says", false,
      [](const AdminOptions& o) {
        return Json{{"level", o.level}};
      })
      .add_option("LEVEL", options->level, "trace, debug, info, warn or error")
      ->required();
  add("reload", "Read accounts, certificate, the limits of roles and of looking back anew", false);
}

}  // namespace sluice::tools
