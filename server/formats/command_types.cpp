#include "server/formats/command_types.h"

#include <cctype>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "protocol/base/map_text.h"
#include "server/formats/script.h"
#include "server/sim/commands/commands.h"

namespace sluice::formats {

namespace {

using OrderedJson = nlohmann::ordered_json;

enum class Kind : std::uint8_t { kNumber, kPlace, kText, kFlag, kCell, kChoice, kAmounts };

struct Field {
  std::string name;
  Kind kind = Kind::kNumber;
  bool optional = false;
  std::vector<std::string> choices = {};
};

struct Shape {
  std::string cmd;
  std::string with;  // the key that tells it from another of the same name; may be empty
  std::vector<Field> fields;
};

/// Writes down the fields that a command declares.
class FieldLister {
 public:
  explicit FieldLister(std::vector<Field>& fields) : fields_(fields) {}

  void field(const char* name, const Vec3& /*value*/) { add(name, Kind::kPlace); }
  void field(const char* name, std::int32_t /*value*/) { add(name, Kind::kNumber); }
  void field(const char* name, const std::string& /*value*/) { add(name, Kind::kText); }
  void field(const char* name, bool /*value*/) { add(name, Kind::kFlag); }
  void field(const char* name, const std::map<std::string, std::int32_t>& /*value*/) {
    add(name, Kind::kAmounts);
  }
  void cell(const char* name, Cell /*value*/) { add(name, Kind::kCell); }
  template <class T>
  void optional(const char* name, const T& value) {
    field(name, value);
    fields_.back().optional = true;
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& value) {
    optional(name, value.value_or(T{}));
  }
  template <class T, class Names>
  void choice(const char* name, const T& /*value*/, const Names& names) {
    add(name, Kind::kChoice);
    fields_.back().choices.assign(names.begin(), names.end());
  }

 private:
  void add(const char* name, Kind kind) { fields_.push_back({name, kind}); }

  std::vector<Field>& fields_;
};

template <class Row>
Shape shape_of() {
  Shape shape{std::string(Row::kName), "", {}};
  if constexpr (requires { Row::kWithKey; }) shape.with = Row::kWithKey;
  const Row row;
  FieldLister lister(shape.fields);
  Row::visit_state(row, lister);
  return shape;
}

template <class Row>
void add_shape(std::vector<Shape>& shapes) {
  if constexpr (!sim::is_only_recorded<Row>) shapes.push_back(shape_of<Row>());
}

template <std::size_t... I>
std::vector<Shape> shapes_of(std::index_sequence<I...> /*rows*/) {
  std::vector<Shape> shapes;
  (add_shape<std::variant_alternative_t<I, sim::CommandRows>>(shapes), ...);
  return shapes;
}

std::vector<Shape> shapes() {
  return shapes_of(std::make_index_sequence<std::variant_size_v<sim::CommandRows>>{});
}

/// Every letter of the alphabet that a cell may be given by.
std::vector<std::string> cell_letters() {
  std::vector<std::string> letters;
  for (char letter = ' '; letter <= '~'; ++letter) {
    if (cell_of_glyph(letter)) letters.emplace_back(1, letter);
  }
  return letters;
}

OrderedJson whole_number(std::int64_t least) {
  return {{"type", "integer"},
          {"minimum", least},
          {"maximum", std::numeric_limits<std::int32_t>::max()}};
}

OrderedJson schema_of_cell() {
  OrderedJson amount = {{"type", "object"},
                        {"properties", {{"water", whole_number(0)}}},
                        {"required", {"water"}},
                        {"additionalProperties", false}};
  return {{"description", std::string(kAllowedGlyphs) + ", or any amount of water, in units"},
          {"oneOf", {{{"enum", cell_letters()}}, amount}}};
}

OrderedJson schema_of(const Field& field) {
  switch (field.kind) {
    case Kind::kNumber:
      return {{"$ref", "#/$defs/number"}};
    case Kind::kPlace:
      return {{"$ref", "#/$defs/place"}};
    case Kind::kText:
      return {{"type", "string"}};
    case Kind::kFlag:
      return {{"type", "boolean"}};
    case Kind::kCell:
      return {{"$ref", "#/$defs/cell"}};
    case Kind::kChoice:
      return {{"enum", field.choices}};
    case Kind::kAmounts:
      return {{"type", "object"}, {"additionalProperties", {{"$ref", "#/$defs/number"}}}};
  }
  return {};
}

OrderedJson schema_of(const Shape& shape, SchemaOf what) {
  OrderedJson properties;
  std::vector<std::string> required = {"cmd"};
  if (what == SchemaOf::kScriptLine) {
    properties["tick"] = {{"$ref", "#/$defs/tick"}};
    required.emplace_back("tick");
  } else {
    properties["tick"] = {
        {"description", "passed over: commands apply in the tick that takes them"}};
  }
  properties["cmd"] = {{"const", shape.cmd}};
  for (const Field& field : shape.fields) {
    properties[field.name] = schema_of(field);
    if (!field.optional) required.push_back(field.name);
  }
  // A script may keep them, and nobody reads them.
  for (const char* logged : kLoggedKeys) {
    properties[logged] = {{"description", "what `sluice log` adds; passed over"}};
  }
  const std::string with = shape.with.empty() ? "" : " with " + shape.with;
  return {{"title", shape.cmd + with},
          {"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

std::string type_of(const Field& field) {
  switch (field.kind) {
    case Kind::kNumber:
      return "number";
    case Kind::kPlace:
      return "Place";
    case Kind::kText:
      return "string";
    case Kind::kFlag:
      return "boolean";
    case Kind::kCell:
      return "Cell";
    case Kind::kAmounts:
      return "Record<string, number>";
    case Kind::kChoice:
      break;
  }
  std::string names;
  for (const std::string& name : field.choices) {
    names += (names.empty() ? "\"" : " | \"") + name + "\"";
  }
  return names;
}

/// "set_cells" as "SetCells".
std::string type_name(std::string_view words) {
  std::string name;
  bool begins = true;
  for (const char c : words) {
    if (c != '_') name += begins ? static_cast<char>(std::toupper(c)) : c;
    begins = c == '_';
  }
  return name;
}

std::string type_name(const Shape& shape) {
  return type_name(shape.cmd) + (shape.with.empty() ? "" : "With" + type_name(shape.with));
}

}  // namespace

std::string command_schema(SchemaOf what) {
  OrderedJson commands = OrderedJson::array();
  for (const Shape& shape : shapes()) commands.push_back(schema_of(shape, what));
  const OrderedJson number = whole_number(std::numeric_limits<std::int32_t>::min());
  const OrderedJson place = {{"description", "x, y (up), z"},
                             {"type", "array"},
                             {"items", {{"$ref", "#/$defs/number"}}},
                             {"minItems", 3},
                             {"maxItems", 3}};
  OrderedJson defs = {{"number", number}, {"place", place}, {"cell", schema_of_cell()}};
  if (what == SchemaOf::kScriptLine) {
    defs["tick"] = {{"description", "in which the command applies; a world's first is 1"},
                    {"type", "integer"},
                    {"minimum", 1},
                    {"maximum", std::numeric_limits<std::uint64_t>::max()}};
  }
  const OrderedJson schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", what == SchemaOf::kScriptLine ? "A line of a command script of Sluice"
                                              : "A command of Sluice"},
      {"oneOf", commands},
      {"$defs", defs}};
  return schema.dump(2) + "\n";
}

std::string command_declarations() {
  std::string letters;
  for (const std::string& letter : cell_letters()) letters += "\"" + letter + "\" | ";
  std::string text =
      "// Written by the build from the commands' manifest (server/sim/commands/commands.h).\n\n"
      "/** x, y (up), z. */\n"
      "export type Place = [x: number, y: number, z: number];\n\n"
      "/** A letter of the map alphabet, or any amount of water, in units. */\n"
      "export type Cell = " +
      letters + "{ water: number };\n\n";
  std::string all;
  for (const Shape& shape : shapes()) {
    const std::string name = type_name(shape);
    text += "export interface " + name + " {\n  cmd: \"" + shape.cmd + "\";\n";
    for (const Field& field : shape.fields) {
      text += "  " + field.name + (field.optional ? "?: " : ": ") + type_of(field) + ";\n";
    }
    text += "}\n\n";
    all += "\n  | " + name;
  }
  return text + "export type Command =" + all + ";\n";
}

}  // namespace sluice::formats
