// "Did you mean": what a word that is not known was probably meant to be.
#pragma once

#include <string>
#include <vector>

namespace sluice {

/// The one of `known` that is most like `word`, where any is; else empty. Unlike by at most a third
/// of its letters: letters left out, put in, changed, or two of them swapped.
[[nodiscard]] std::string nearest(const std::string& word, const std::vector<std::string>& known);

/// "; did you mean 'NAME'?", or empty where nothing is like it.
[[nodiscard]] std::string did_you_mean(const std::string& word,
                                       const std::vector<std::string>& known);

}  // namespace sluice
