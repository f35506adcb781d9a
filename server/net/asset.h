// A file that is served as it is, for instance of the viewer's bundle.
#pragma once

#include <string>

namespace sluice::net {

struct Asset {
  std::string path;  // as requested: "/viewer.js"; "/" is the page itself
  std::string content_type;
  std::string bytes;
};

}  // namespace sluice::net
