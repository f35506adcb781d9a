#include "server/access/bans.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "server/access/accounts.h"

namespace sluice::access {

namespace {

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '"' && c != '\\';
  });
}

}  // namespace

std::optional<std::int64_t> seconds_of(std::string_view time) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (time.size() != kForm.size()) return std::nullopt;
  int part[6] = {};
  std::size_t number = 0;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (kForm[i] != '0') {
      if (time[i] != kForm[i]) return std::nullopt;
      ++number;
      continue;
    }
    if (time[i] < '0' || time[i] > '9') return std::nullopt;
    part[number] = 10 * part[number] + (time[i] - '0');
  }
  const std::chrono::year_month_day date{std::chrono::year{part[0]},
                                         std::chrono::month{static_cast<unsigned>(part[1])},
                                         std::chrono::day{static_cast<unsigned>(part[2])}};
  if (!date.ok() || part[3] > 23 || part[4] > 59 || part[5] > 59) return std::nullopt;
  const auto day = std::chrono::sys_days(date).time_since_epoch();
  return std::int64_t{86400} * day.count() + 3600 * part[3] + 60 * part[4] + part[5];
}

std::string time_of(std::int64_t seconds) {
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(at - day);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

Status Bans::add(Ban ban) {
  if (ban.account.empty() == ban.address.empty()) {
    return Error{"a ban must name either an account or an address"};
  }
  Rule rule;
  if (!ban.account.empty()) {
    if (Status named = check_account_name(ban.account); !named) return named;
  } else {
    const auto range = AddressRange::parse(ban.address);
    if (!range.ok()) return Error{range.error()};
    rule.range = *range;
  }
  if (!ban.until.empty()) {
    const auto until = seconds_of(ban.until);
    if (!until) return Error{"until is no time, as in 2026-12-01T00:00:00Z"};
    rule.until = *until;
  }
  if (ban.reason.size() > kMaxBanReasonBytes || !printable(ban.reason)) {
    return Error{"the reason of a ban has at most " + std::to_string(kMaxBanReasonBytes) +
                 " bytes, without line breaks, quotes and backslashes"};
  }
  (void)lift(ban.of());  // a new one takes the place of the one before
  if (bans_.size() >= kMostBans) {
    return Error{"there are " + std::to_string(kMostBans) + " bans, and no more fit"};
  }
  bans_.push_back(std::move(ban));
  rules_.push_back(std::move(rule));
  return Done{};
}

bool Bans::lift(std::string_view of) {
  const auto place =
      std::find_if(bans_.begin(), bans_.end(), [of](const Ban& ban) { return ban.of() == of; });
  if (place == bans_.end()) return false;
  rules_.erase(rules_.begin() + (place - bans_.begin()));
  bans_.erase(place);
  return true;
}

std::string Bans::refusal(std::string_view account, std::string_view address,
                          std::int64_t now) const {
  for (std::size_t i = 0; i < bans_.size(); ++i) {
    const Ban& ban = bans_[i];
    if (now >= rules_[i].until) continue;
    const bool meant = rules_[i].range ? !address.empty() && rules_[i].range->contains(address)
                                       : ban.account == account;
    if (!meant) continue;
    return "not allowed: " +
           (rules_[i].range ? std::string("this address") : "\"" + ban.account + "\"") +
           " is banned" + (ban.until.empty() ? "" : " until " + ban.until) +
           (ban.reason.empty() ? "" : ": " + ban.reason);
  }
  return "";
}

}  // namespace sluice::access
