// Goal: the schema and the declaration say of every command what the reader reads.
// Method: commands that are drawn have exactly the keys that their schema has; what documents and
// scripts hold is checked against it by a validator that is not ours
// (tests/e2e/command_schema_test.mjs).
#include "server/formats/command_types.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/formats/script.h"
#include "tests/support/random_world.h"

namespace sluice::tests::command_types_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(CommandTypes, TheSchemaHasEveryRowOfTheManifestOnce) {
  const Json schema = Json::parse(formats::command_schema(formats::SchemaOf::kCommand));
  std::set<std::string> titles;
  std::set<std::string> names;
  for (const Json& one : schema["oneOf"]) {
    EXPECT_TRUE(titles.insert(one["title"].get<std::string>()).second) << one["title"];
    names.insert(one["properties"]["cmd"]["const"].get<std::string>());
    EXPECT_EQ(one["additionalProperties"], false);
  }
  EXPECT_EQ(titles.size(), std::variant_size_v<sim::CommandRows> - 1) << "RisingPour is recorded";
  std::set<std::string> expected;
  for (const std::string_view name : sim::command_names()) expected.emplace(name);
  EXPECT_EQ(names, expected);
}

TEST(CommandTypes, AScriptsLinesHaveATickAndCommandsNeedNone) {
  const auto requires_tick = [](formats::SchemaOf what) {
    const Json schema = Json::parse(formats::command_schema(what));
    const auto required = schema["oneOf"][0]["required"].get<std::set<std::string>>();
    return required.contains("tick");
  };
  EXPECT_TRUE(requires_tick(formats::SchemaOf::kScriptLine));
  EXPECT_FALSE(requires_tick(formats::SchemaOf::kCommand));
}

// The reader and the schema agree on each key: without one that is required the reader refuses,
// without another it does not.
TEST(CommandTypes, WhatTheSchemaRequiresTheReaderMisses) {
  const Json schema = Json::parse(formats::command_schema(formats::SchemaOf::kCommand));
  const auto example = [&](const Json& property) -> Json {
    const std::string text = property.dump();
    if (property.contains("const")) return property["const"];
    if (property.contains("enum")) return property["enum"][0];
    if (property.contains("additionalProperties")) return {{"red", 5}};
    if (text.find("number") != std::string::npos) return 5;
    if (text.find("place") != std::string::npos) return {1, 2, 3};
    if (text.find("cell") != std::string::npos) return "#";
    if (text.find("boolean") != std::string::npos) return true;
    return "a";
  };
  for (const Json& one : schema["oneOf"]) {
    Json line;
    for (const auto& [key, property] : one["properties"].items()) line[key] = example(property);
    const auto read = [](const Json& json) {
      return formats::parse_command(json.dump(), "x").ok();
    };
    EXPECT_TRUE(read(line)) << line;
    const auto required = one["required"].get<std::set<std::string>>();
    // Without the key that tells two rows apart it is the other one, which does not know the rest.
    const std::string title = one["title"];
    for (const auto& [key, property] : one["properties"].items()) {
      if (title.ends_with(" with " + key)) continue;
      Json without = line;
      without.erase(key);
      EXPECT_EQ(read(without), !required.contains(key)) << without;
    }
    line["colour"] = 1;
    EXPECT_FALSE(read(line)) << line;
  }
}

// What holds of the manifest is checked where it stands; here that the check notices.
struct PourOfAnother {
  static constexpr std::uint16_t kOpcode = 999;
  static constexpr std::string_view kName = "pour";
};
template <class... Rows>
constexpr bool kToldApart =
    sim::rows_are_told_apart(static_cast<const std::variant<Rows...>*>(nullptr));
static_assert(kToldApart<sim::WarmPour, sim::Pour, sim::SetCells>);
static_assert(!kToldApart<sim::AddSource, sim::AddSpring<4>>, "one opcode twice");
static_assert(!kToldApart<sim::Pour, PourOfAnother>, "one name twice");
static_assert(!kToldApart<sim::Pour, sim::WarmPour>, "never read: the row before takes it");

TEST(CommandTypes, TheDeclarationHasATypeForEachRow) {
  const std::string text = formats::command_declarations();
  EXPECT_THAT(text, HasSubstr("export interface Pour {\n  cmd: \"pour\";\n  at: Place;\n"
                              "  units: number;\n}\n"));
  EXPECT_THAT(text, HasSubstr("kind: \"inlet\" | \"outlet\" | \"open\";\n"));
  EXPECT_THAT(text, HasSubstr("  one_way?: boolean;\n"));
  EXPECT_THAT(text, HasSubstr("\n  | PourWithTemperature\n"));
  EXPECT_THAT(text, HasSubstr("export interface PourWithAtRest {\n  cmd: \"pour\";\n  at: Place;\n"
                              "  units: number;\n  at_rest: boolean;\n  size?: Place;\n"));
}

}  // namespace
}  // namespace sluice::tests::command_types_test
