#include "server/host/status_page.h"

#include <algorithm>
#include <string_view>

namespace sluice::host {

namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="5">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Sluice: status</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 64rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; text-align: right; border-bottom: 1px solid #8885; white-space: nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
td:nth-child(2) { white-space: normal; }
.bad { font-weight: bold; } .bad::before { content: "\26a0\fe0e  "; }
</style></head><body>
)";

std::string escaped(std::string_view text) {
  std::string html;
  for (const char letter : text) {
    switch (letter) {
      case '<':
        html += "&lt;";
        break;
      case '&':
        html += "&amp;";
        break;
      default:
        html += letter;
    }
  }
  return html;
}

/// "12.3 MiB".
std::string size_text(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  std::uint64_t tenths = 10 * std::min(bytes, UINT64_MAX / 10);
  for (; tenths >= 10240; ++unit) tenths /= 1024;
  std::string text = std::to_string(tenths / 10);
  if (unit > 0) text += "." + std::to_string(tenths % 10);
  return text + " " + std::string(kUnits[unit]);
}

std::string tick_text(std::uint64_t tick) {
  return tick == 0 ? "none" : std::to_string(tick);
}

void add_cell(std::string& page, const std::string& text, bool well = true) {
  page += (well ? "<td>" : "<td class=\"bad\">") + escaped(text) + "</td>";
}

void add_world(std::string& page, const WorldStatus& world) {
  const DiskSample& disk = world.disk;
  page += "<tr>";
  add_cell(page, world.name);
  add_cell(page, world.state, world.well);
  add_cell(page, std::to_string(world.tick));
  add_cell(page, std::to_string(world.viewers));
  add_cell(page, size_text(disk.recording_bytes));
  add_cell(page, size_text(disk.grown_bytes));
  add_cell(page, disk.free_bytes == UINT64_MAX ? "unknown" : size_text(disk.free_bytes));
  add_cell(page, tick_text(world.verified_tick));
  add_cell(page, tick_text(world.backup_tick));
  page += "</tr>\n";
}

}  // namespace

std::string status_page(const ServerStatus& status) {
  std::string page(kHead);
  page += "<h1>Sluice " + escaped(status.version) + " at " + escaped(status.address) + "</h1>\n";
  page += "<div class=\"scroll\"><table><thead><tr>";
  for (const char* title : {"world", "state", "tick", "viewers", "recording", "grown in 24 h",
                            "free on disk", "verified to", "backup of"}) {
    page += std::string("<th scope=\"col\">") + title + "</th>";
  }
  page += "</tr></thead><tbody>\n";
  for (const WorldStatus& world : status.worlds) add_world(page, world);
  page += "</tbody></table></div>\n";
  if (!status.notes.empty()) {
    page += "<ul>";
    for (const std::string& note : status.notes) page += "<li>" + escaped(note) + "</li>\n";
    page += "</ul>\n";
  }
  return page + "</body></html>\n";
}

}  // namespace sluice::host
