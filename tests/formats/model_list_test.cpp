// Goal: what is listed of the water models is all that there is, and each model's document says the
// same.
#include "server/formats/model_list.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/formats/world_file.h"
#include "server/sim/models/registry.h"

namespace sluice::tests::model_list_test {
namespace {

using ::testing::HasSubstr;

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(SLUICE_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string usual(const sim::WaterOption& option) {
  if (!option.has_names()) return std::to_string(option.usual);
  return '"' + std::string(option.values_by_name[static_cast<std::size_t>(option.usual)]) + '"';
}

TEST(ModelList, EachModelsDocumentHasItsOptionsAndTheirDefaults) {
  for (const sim::WaterModelRow& model : sim::water_models()) {
    const std::string name = model.name;
    const std::string document = text_of("server/sim/models/" + name + "/" + name + ".md");
    for (const sim::WaterOption& option : model.options) {
      const std::string value = option.has_names() ? "`" + usual(option) + "`" : usual(option);
      EXPECT_THAT(document, HasSubstr("| `" + std::string(option.name) + "` | " + value + " |"));
    }
  }
}

TEST(ModelList, NamesEveryModelAndOption) {
  const std::string list = formats::model_list();
  for (const sim::WaterModelRow& model : sim::water_models()) {
    EXPECT_THAT(list, HasSubstr(std::string(model.name) + ", version "));
    for (const sim::WaterOption& option : model.options) {
      EXPECT_THAT(list, HasSubstr("  " + std::string(option.name) + " "));
      EXPECT_THAT(list, HasSubstr(option.meaning));
    }
  }
}

// What the list allows is what a world file may say, and no more.
TEST(ModelList, ItsBoundsAreThoseOfWorldFiles) {
  const auto models = nlohmann::json::parse(formats::model_list_json());
  ASSERT_EQ(models.size(), sim::water_models().size());
  for (const auto& model : models) {
    for (const auto& option : model.at("options")) {
      const auto reads = [&](const nlohmann::json& value) {
        std::string text =
            "[world]\nname = \"a\"\nsize = [4, 4, 1]\nwater = " + model.at("model").dump() +
            "\n[water]\n";
        // The one bound that follows another option.
        if (option.at("name") == "compressed_max") text += "full = 8192\n";
        if (option.at("name") == "full") text += "compressed_max = " + value.dump() + "\n";
        text += option.at("name").get<std::string>() + " = " + value.dump() + "\n";
        return formats::parse_world(text, "a.toml").ok();
      };
      EXPECT_TRUE(reads(option.at("default")) || option.at("name") == "compressed_max") << option;
      if (option.contains("values")) {
        for (const auto& value : option.at("values")) EXPECT_TRUE(reads(value)) << option;
        EXPECT_FALSE(reads("none such"));
        continue;
      }
      EXPECT_TRUE(reads(option.at("to"))) << option;
      EXPECT_FALSE(reads(option.at("to").get<int>() + 1)) << option;
      EXPECT_FALSE(reads(option.at("from").get<int>() - 1)) << option;
    }
  }
}

}  // namespace
}  // namespace sluice::tests::model_list_test
