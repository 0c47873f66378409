// SPDX-License-Identifier: Apache-2.0
// Scrolls through a collection, and prints what is live after each step.
//
//   scroll HOST:PORT COLLECTION [STEPS [POINTS]]

#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "viewer.h"

using namespace collection_layout;

int main(int count, char** arguments) try {
  if (count < 3 || count > 5) {
    std::cerr << "usage: scroll HOST:PORT COLLECTION [STEPS [POINTS]]\n";
    return 64;
  }
  const int steps = count > 3 ? std::atoi(arguments[3]) : 10;
  const double length = count > 4 ? std::atof(arguments[4]) : 500;
  v1::OpenSession opening;
  opening.set_collection(std::string("collections/") + arguments[2]);
  *opening.mutable_capabilities() = Viewer::Capabilities();
  opening.mutable_viewport()->mutable_size()->set_width(1024);
  opening.mutable_viewport()->mutable_size()->set_height(768);
  Viewer viewer(Connect(arguments[1]), opening);
  for (int step = 0; step <= steps; ++step) {
    if (step > 0) viewer.Scroll({0, step * length});
    viewer.Settle();
    const Mirror& mirror = viewer.mirror();
    std::cout << "y " << viewer.offset().y << ", frame " << mirror.frame_seq() << ", "
              << mirror.elements().size() << " elements, checksum " << std::hex << std::setfill('0')
              << std::setw(8) << mirror.checksum() << std::dec << "\n";
  }
} catch (const LayoutError& error) {
  std::cerr << "scroll: " << error.what() << "\n";
  return 1;
}
