// Goal: whatever is built, flows, falls asleep or is rearranged, and whatever a viewer misses, once
// it is up to date it holds exactly the pipes of its view; a network at rest is not even looked at.
// Method: random worlds of pipes, with commands in every tick; a random viewer; the real mirror,
// compared with the network node by node.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "protocol/mirror.h"
#include "server/formats/world_file.h"
#include "server/net/interest.h"
#include "server/net/world_feed.h"
#include "tests/support/random_world.h"

namespace sluice::net::pipes_test {
namespace {

using protocol::PipeKey;

constexpr Vec3 kSize = {150, 140, 1};
constexpr Vec3 kWireSize = {150, 140, 1};
constexpr ChunkShape kSides = {6, 6, 0};

/// A network as lines of text, of which sorted ones can be compared.
using Lines = std::map<std::string, std::string>;

std::string join(std::initializer_list<std::int64_t> numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += " " + std::to_string(number);
  return text;
}

Lines lines_of(const sim::PipeNetwork& pipes, const ChunkRange& view) {
  Lines lines;
  const auto shown = [&](const sim::NodeView& node) {
    const ChunkCoord c = kSideViewShape.chunk_of(node.at);
    return node.at == kNowhere || view.contains({c.x, c.y, c.z});
  };
  for (sim::Slot slot = 0; slot < pipes.slot_limit(); ++slot) {
    if (!pipes.used(slot)) continue;
    const sim::NodeView n = pipes.node(slot);
    if (!shown(n)) continue;
    const bool placed = n.at != kNowhere;
    lines["node " + std::string(n.name)] =
        std::string(n.fluid) +
        join({static_cast<int>(n.kind), n.open, n.capacity, n.height, n.base, n.throughput, n.rate,
              placed ? n.at.x : 0, placed ? n.at.y : 0, n.amount, n.level_units});
  }
  pipes.for_each_link([&](const sim::LinkView& link) {
    const sim::NodeView from = pipes.node(link.from);
    const sim::NodeView to = pipes.node(link.to);
    // A mirror knows a link when it holds both ends.
    if (!shown(from) || !shown(to)) return;
    lines["link " + std::string(from.name) + " " + std::string(to.name)] =
        join({link.one_way, protocol::flow_class(link.flow)});
  });
  pipes.for_each_port([&](sim::Slot slot, Vec3 cell, const sim::Port& port) {
    const sim::NodeView node = pipes.node(slot);
    if (!shown(node)) return;
    lines["port " + std::string(node.name) + " " + to_string(cell)] =
        join({static_cast<int>(port.kind), port.rate, static_cast<int>(port.state),
              protocol::flow_class(port.moved)});
  });
  return lines;
}

Lines lines_of(const protocol::PipeMirror& pipes) {
  Lines lines;
  pipes.for_each_section([&](const PipeKey& key, const protocol::PipeSection& section) {
    const auto& plan = section.plan;
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
      const protocol::PipeNode& n = plan.nodes[i];
      const auto view = pipes.look({key, n.index});
      lines["node " + n.name] =
          n.fluid + join({static_cast<int>(n.kind), n.open, n.capacity, n.height, n.base,
                          n.throughput, n.rate, n.at.x, n.at.y, section.amount(i), view->level});
    }
    for (std::size_t i = 0; i < plan.links.size(); ++i) {
      const auto from = pipes.look({key.nodes(), plan.links[i].from});
      const auto to = pipes.look(plan.links[i].to);
      ASSERT_TRUE(from.has_value());
      if (!to) continue;
      lines["link " + from->node->name + " " + to->node->name] =
          join({plan.links[i].one_way, section.flow(i)});
    }
    for (std::size_t i = 0; i < plan.ports.size(); ++i) {
      const protocol::PipePort& port = plan.ports[i];
      const auto node = pipes.look({key.nodes(), port.node});
      const std::int32_t value = section.port(i);
      lines["port " + node->node->name + " " + to_string(port.cell)] =
          join({static_cast<int>(port.kind), port.rate,
                static_cast<int>(protocol::state_of_port(value)), protocol::class_of_port(value)});
    }
  });
  return lines;
}

std::string random_name(tests::Dice& dice) {
  return "n" + std::to_string(dice.roll(0, 40));
}

Vec3 any_place(tests::Dice& dice) {
  return {dice.roll(0, kSize.x - 1), dice.roll(0, kSize.y - 1), 0};
}

sim::Command random_pipe_command(tests::Dice& dice) {
  sim::PipeFields fields;
  fields.name = random_name(dice);
  if (dice.chance(10)) fields.fluid = "oil";
  fields.capacity = dice.roll(1, 5000);
  fields.height = dice.roll(1, 9000);
  fields.base = dice.roll(-2000, 20000);
  fields.amount = dice.roll(0, fields.capacity);
  if (dice.chance(70)) fields.at = any_place(dice);
  switch (dice.roll(0, 12)) {
    case 0:
    case 1:
    case 2:
      return {sim::AddPipe{fields}};
    case 3:
      return {sim::AddPump{fields, dice.roll(0, 600)}};
    case 4:
      return {sim::AddValve{fields, dice.chance(50)}};
    case 5:
      return {sim::RemovePipe{random_name(dice)}};
    case 6:
      return {sim::SetValve{random_name(dice), dice.chance(50)}};
    case 7:
      return {sim::UnlinkPipes{random_name(dice), random_name(dice)}};
    case 8: {
      const auto kind = static_cast<PortKind>(dice.roll(0, 2));
      return {sim::AddPort{random_name(dice), any_place(dice), kind, dice.roll(1, 900)}};
    }
    default: {
      const std::string from = random_name(dice);
      return {sim::LinkPipes{from, random_name(dice), dice.chance(20)}};
    }
  }
}

struct Rig {
  explicit Rig(const sim::WorldSpec& spec) : world(std::move(sim::World::create(spec)).value()) {
    protocol::Welcome welcome;
    welcome.size = kWireSize;
    welcome.sides = kSides;
    mirror = protocol::Mirror(welcome);
    feed = std::make_unique<WorldFeed>(*world);
    feed->set_watched(true);
  }
  void tick(const std::vector<sim::Command>& commands) {
    (void)world->tick(commands, executor);
    feed->publish(*world);
  }
  void take() {
    auto mail = feed->take();
    if (mail.publication) published.apply(std::move(*mail.publication), true);
  }
  void give(const protocol::Bytes& frame) {
    const auto message = protocol::decode_server_message(frame);
    ASSERT_TRUE(message.ok()) << message.error();
    const Status status = mirror.apply(std::get<protocol::Tick>(message.value()));
    ASSERT_TRUE(status.ok()) << status.error();
  }
  void expect_equal() {
    while (!interest.up_to_date()) give(interest.catch_up_frame(published));
    const Lines expected = lines_of(world->pipes(), interest.view());
    const Lines actual = lines_of(mirror.pipes());
    EXPECT_EQ(actual, interest.view().empty() ? Lines{} : expected);
    EXPECT_EQ(mirror.stats().digest_mismatches, 0U);
  }

  std::unique_ptr<sim::World> world;
  sim::SerialExecutor executor;
  std::unique_ptr<WorldFeed> feed;
  PublishedWorld published;
  Interest interest;
  protocol::Mirror mirror;
};

sim::WorldSpec world_of(std::uint64_t seed) {
  tests::Dice dice(seed);
  sim::WorldSpec spec;
  spec.config.size = kSize;
  for (int i = dice.roll(0, 6); i > 0; --i) {
    spec.fills.push_back({tests::random_box(dice, kSize, 50), tests::random_cell(dice)});
  }
  return spec;
}

TEST(Pipes, AViewerHoldsThePipesOfItsViewWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    tests::Dice dice(seed);
    Rig rig(world_of(seed));
    for (int tick = 0; tick < 60; ++tick) {
      std::vector<sim::Command> commands;
      if (dice.chance(60) && tick < 45) {
        for (int i = dice.roll(1, 12); i > 0; --i) commands.push_back(random_pipe_command(dice));
      }
      rig.tick(commands);
      if (dice.chance(20)) continue;  // the network's thread is late: publications merge
      rig.take();
      if (dice.chance(25)) {
        rig.interest.miss(rig.published);  // the viewer is slow
      } else {
        rig.give(rig.interest.step_frame(rig.published));
      }
      if (dice.chance(10)) {
        const Box box{{dice.roll(-50, 150), dice.roll(-50, 150), 0},
                      {dice.roll(0, 200), dice.roll(0, 200), 1}};
        rig.interest.set_view(chunks_in_view(box, kWireSize, kSides), rig.published);
      }
      if (dice.chance(10)) {
        ASSERT_TRUE(rig.interest.resync_pipes(PipeKey{{dice.roll(0, 2), 0, 0}, 0}, rig.published));
      }
    }
    rig.tick({});
    rig.take();
    rig.give(rig.interest.step_frame(rig.published));
    rig.expect_equal();
  }
}

sim::WorldSpec chain(std::int32_t count, bool placed) {
  sim::WorldSpec spec;
  spec.config.size = kSize;
  for (std::int32_t i = 0; i < count; ++i) {
    sim::PipeNode node;
    node.fields.name = "p" + std::to_string(i);
    node.fields.amount = i == 0 ? 20000 : 0;
    if (placed) node.fields.at = {i % kSize.x, 10 + i / kSize.x, 0};
    spec.pipes.push_back(node);
    if (i > 0) spec.pipe_links.push_back({"p" + std::to_string(i - 1), node.fields.name, false});
  }
  return spec;
}

TEST(Pipes, WithoutAPlaceTheyAreInEveryViewThatIsNotEmpty) {
  Rig rig(chain(1000, false));
  rig.tick({});
  rig.take();
  rig.give(rig.interest.step_frame(rig.published));
  EXPECT_EQ(rig.mirror.pipes().section_count(), 0U);
  rig.interest.set_view(chunks_in_view({{149, 139, 0}, {1, 1, 1}}, kWireSize, kSides),
                        rig.published);
  rig.expect_equal();
  EXPECT_EQ(rig.mirror.pipes().section_count(), 4U);  // of 256 nodes each
  rig.interest.set_view({}, rig.published);
  rig.expect_equal();
  EXPECT_EQ(rig.mirror.pipes().section_count(), 0U);
}

TEST(Pipes, ABuildingSiteSendsItsOwnSectionsOnly) {
  Rig rig(chain(1000, false));
  rig.interest.set_view({{0, 0, 0}, {2, 2, 0}}, rig.published);
  rig.tick({});
  rig.take();
  rig.give(rig.interest.step_frame(rig.published));
  rig.tick({{sim::RemovePipe{"p700"}}, {sim::AddPipe{{.name = "new"}}}});
  rig.take();
  std::size_t keyframes = 0;
  for (const auto& change : rig.published.pipes().changes()) {
    if (change.payload->front() == 1) ++keyframes;
  }
  // The one that holds p700, its neighbours and the newcomer, which takes p700's place.
  EXPECT_EQ(keyframes, 1U);
  rig.give(rig.interest.step_frame(rig.published));
  rig.expect_equal();
}

TEST(Pipes, LinksPastTheFirstThousandsStandInBlocks) {
  sim::WorldSpec spec;
  spec.config.size = kSize;
  const auto add = [&](const std::string& name) {
    sim::PipeNode node;
    node.fields.name = name;
    node.fields.at = {1, 1, 0};
    spec.pipes.push_back(node);
  };
  add("hub");
  for (int i = 0; i < 9000; ++i) {
    add("leaf" + std::to_string(i));
    spec.pipe_links.push_back({"hub", "leaf" + std::to_string(i), i % 2 == 0});
  }
  Rig rig(spec);
  rig.interest.set_view({{0, 0, 0}, {0, 0, 0}}, rig.published);
  rig.tick({});
  rig.take();
  rig.give(rig.interest.step_frame(rig.published));
  rig.expect_equal();
  EXPECT_EQ(rig.mirror.pipes().section_count(), 9001 / 256 + 1 + 2);
  rig.tick({{sim::RemovePipe{"hub"}}});
  rig.take();
  rig.give(rig.interest.step_frame(rig.published));
  rig.expect_equal();
}

TEST(Pipes, ANetworkAtRestPublishesNothing) {
  Rig rig(chain(50, true));
  rig.interest.set_view({{0, 0, 0}, {2, 2, 0}}, rig.published);
  int ticks = 0;
  while (!rig.world->pipes().at_rest() && ++ticks < 20000) rig.tick({});
  ASSERT_TRUE(rig.world->pipes().at_rest());
  rig.tick({});
  rig.take();
  rig.give(rig.interest.step_frame(rig.published));
  rig.expect_equal();
  for (int i = 0; i < 5; ++i) {
    rig.tick({});
    auto mail = rig.feed->take();
    EXPECT_TRUE(mail.publication->pipes.empty());
  }
}

TEST(Pipes, WatchingAgainBringsEverythingAgain) {
  Rig rig(chain(300, true));
  rig.tick({});
  rig.take();
  rig.feed->set_watched(false);
  rig.tick({{sim::RemovePipe{"p7"}}});
  auto mail = rig.feed->take();
  EXPECT_TRUE(mail.publication->pipes.empty());
  rig.feed->set_watched(true);
  rig.tick({});
  rig.take();
  rig.interest.set_view({{0, 0, 0}, {2, 2, 0}}, rig.published);
  rig.expect_equal();
}

}  // namespace
}  // namespace sluice::net::pipes_test
