// What a water model keeps between ticks beside the grid's cells and marks, as the rest of the
// simulation holds it. The model's row says how it is made; copies, snapshots, digests and
// comparisons follow from what its struct declares, and nobody else knows its type.
#pragma once

#include <memory>
#include <utility>

#include "protocol/base/assert.h"
#include "protocol/base/result.h"
#include "server/sim/digest.h"
#include "server/sim/executor.h"
#include "server/sim/field_list.h"
#include "server/sim/fields.h"
#include "server/sim/spec.h"

namespace sluice::sim {

/// The state of a model that has some. A template cannot be virtual: so there is one `visit` for
/// each visitor of a whole world's state.
class KeptState {
 public:
  virtual ~KeptState() = default;
  /// Of the field in the world's state, and so of the layer in comparisons.
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual std::unique_ptr<KeptState> copy() const = 0;
  virtual void visit(StateWriter& v) const = 0;
  virtual void visit(StateReader& v) = 0;
  virtual void visit(StateFieldLister& v) const = 0;
  /// A part of the layer of marks. 0 where nothing is kept, as in a model that never does.
  [[nodiscard]] virtual Digest digest(Executor& executor) const = 0;
  /// Whether such a world could hold it. Any bytes may have been read.
  [[nodiscard]] virtual Status check(const WorldConfig& config) const = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    self.visit(v);
  }
};

/// From what a model declares: a struct with kName and visit_state that can be copied, and, beside
/// it, digest_of(state), or digest_of(state, executor) where there may be much of it, and
/// validate(state, config).
template <class State>
class KeptStateOf final : public KeptState {
 public:
  KeptStateOf() = default;
  explicit KeptStateOf(const State& from) : state(from) {}

  [[nodiscard]] const char* name() const override { return State::kName; }
  [[nodiscard]] std::unique_ptr<KeptState> copy() const override {
    return std::make_unique<KeptStateOf>(state);
  }
  void visit(StateWriter& v) const override { State::visit_state(state, v); }
  void visit(StateReader& v) override { State::visit_state(state, v); }
  void visit(StateFieldLister& v) const override { State::visit_state(state, v); }
  [[nodiscard]] Digest digest(Executor& executor) const override {
    if constexpr (requires { digest_of(state, executor); }) {
      return digest_of(state, executor);
    } else {
      return digest_of(state);
    }
  }
  [[nodiscard]] Status check(const WorldConfig& config) const override {
    return validate(state, config);
  }

  State state;
};

/// What a model's row names, where it keeps a `State`.
template <class State>
std::unique_ptr<KeptState> keep() {
  return std::make_unique<KeptStateOf<State>>();
}

/// That of a world's model, or nothing where it keeps none. A value: a copy is one of all of it.
class WaterState {
 public:
  WaterState() = default;
  WaterState(const WaterState& other) : kept_(other.kept_ ? other.kept_->copy() : nullptr) {}
  WaterState(WaterState&& other) noexcept = default;
  /// Not of a world whose engine is attached: that one goes on with what it was given.
  WaterState& operator=(WaterState other) {
    kept_ = std::move(other.kept_);
    return *this;
  }
  ~WaterState() = default;

  /// As a world of that model begins; what is there already stays.
  void make_for(WaterModel model);
  [[nodiscard]] KeptState* kept() { return kept_.get(); }
  [[nodiscard]] const KeptState* kept() const { return kept_.get(); }
  [[nodiscard]] Digest digest(Executor& executor) const {
    return kept_ ? kept_->digest(executor) : 0;
  }
  [[nodiscard]] Status check(const WorldConfig& config) const {
    return kept_ ? kept_->check(config) : Done{};
  }

  /// For the model, which alone knows its type.
  template <class State>
  [[nodiscard]] State& as() {
    auto* const kept = dynamic_cast<KeptStateOf<State>*>(kept_.get());
    SLUICE_ASSERT(kept != nullptr);
    return kept->state;
  }
  template <class State>
  [[nodiscard]] const State& as() const {
    return const_cast<WaterState*>(this)->as<State>();
  }

 private:
  std::unique_ptr<KeptState> kept_;
};

}  // namespace sluice::sim
