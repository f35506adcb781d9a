// A small file that is written as a whole: whoever reads it, and whatever ends us, the old text is
// there or the new one.
#pragma once

#include <string>

#include "protocol/base/result.h"

namespace sluice::host {

/// On the medium when this returns ok. Leaves nothing else behind; errors begin with the path.
[[nodiscard]] Status write_whole(const std::string& path, const std::string& text);

}  // namespace sluice::host
