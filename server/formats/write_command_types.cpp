// Writes the TypeScript declaration of the commands for the page's build: OUTPUT. A program of its
// own, because the toolbox itself holds the page.
#include <fstream>
#include <iostream>

#include "server/formats/command_types.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: sluice-command-types OUTPUT\n";
    return 2;
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << sluice::formats::command_declarations();
  file.close();
  if (file) return 0;
  std::cerr << "sluice-command-types: " << argv[1] << " could not be written\n";
  return 2;
}
