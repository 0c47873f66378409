// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("The projection of latitudes", .timeLimit(.minutes(1)))
struct MercatorTests {
  @Test("agrees with the C library, for two at once as for one")
  func agreesWithLibrary() {
    var random = SplitMix64(seed: 10)
    var worst = 0.0
    for _ in 0 ..< 20_000 {
      let pair = SIMD2(random.double(-86 ... 86), random.double(-1 ... 1) * random.double(0 ... 86))
      let north = Mercator.north(of: pair)
      for lane in 0 ..< 2 {
        let limit = 85.051_128_779_806_59
        let angle = min(max(pair[lane], -limit), limit) * .pi / 180
        let expected = (angle.tangent + 1 / angle.cosine).naturalLogarithm
        worst = max(worst, abs(north[lane] - expected))
        #expect(Mercator.north(of: SIMD2(repeating: pair[lane])).x == north[lane])
      }
    }
    // The library's own sum loses as much near the south pole.
    #expect(worst < 1e-13)
  }

  @Test("is a square at the limit, and 0 at the equator")
  func edges() {
    let edges = Mercator.north(of: [85.051_128_779_806_59, -.infinity])
    #expect(abs(edges.x - .pi) < 1e-14 && abs(edges.y + .pi) < 1e-14)
    #expect(Mercator.north(of: [0, -0.0]) == .zero)
  }

  @Test("latitudes in their order stay in it")
  func isMonotone() {
    var last = -Double.infinity
    for step in 0 ... 172_000 {
      let north = Mercator.north(of: SIMD2(repeating: Double(step) / 1000 - 86)).x
      #expect(north >= last)
      last = north
    }
  }
}
