// swift-tools-version: 6.2
import PackageDescription

// An asynchronous function runs on the caller's actor unless it says `@concurrent`, as in Apus.
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let apus = Target.Dependency.product(name: "Apus", package: "Apus")
let apusHistory = Target.Dependency.product(name: "ApusHistory", package: "Apus")

// A package of its own, so that users of Apus never resolve what only its integrations need. Each
// product links only the library that it connects Apus with.
let package = Package(
  name: "Integrations",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ApusCombine", targets: ["ApusCombine"]),
    .library(name: "ApusSwiftUI", targets: ["ApusSwiftUI"]),
    .library(name: "ApusServiceLifecycle", targets: ["ApusServiceLifecycle"]),
    .library(name: "ApusLogging", targets: ["ApusLogging"]),
    .library(name: "ApusMetrics", targets: ["ApusMetrics"]),
    .library(name: "ApusTracing", targets: ["ApusTracing"]),
  ],
  dependencies: [
    .package(name: "Apus", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
  ],
  targets: [
    .target(
      name: "ApusCombine",
      dependencies: [
        apus,
        // Where the system has no Combine.
        .product(
          name: "OpenCombine", package: "OpenCombine",
          condition: .when(platforms: [.linux, .android, .windows])),
        .product(
          name: "OpenCombineDispatch", package: "OpenCombine",
          condition: .when(platforms: [.linux, .android, .windows])),
      ],
      swiftSettings: settings
    ),
    // Without SwiftUI, a module without declarations.
    .target(
      name: "ApusSwiftUI", dependencies: [apus],
      swiftSettings: settings
    ),
    .target(
      name: "ApusServiceLifecycle",
      dependencies: [
        apus,
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "ApusLogging",
      dependencies: [
        apus,
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "ApusMetrics",
      dependencies: [
        apus, apusHistory,
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "ApusTracing",
      dependencies: [
        apus,
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      swiftSettings: settings
    ),
    .testTarget(name: "ApusCombineTests", dependencies: ["ApusCombine", apus]),
    .testTarget(
      name: "ApusServiceLifecycleTests",
      dependencies: [
        "ApusServiceLifecycle", apus,
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ]
    ),
    .testTarget(
      name: "ApusLoggingTests",
      dependencies: [
        "ApusLogging", apus, .product(name: "InMemoryLogging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "ApusMetricsTests",
      dependencies: [
        "ApusMetrics", apus, apusHistory,
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]
    ),
    .testTarget(
      name: "ReadmeTests",
      dependencies: [
        apus, "ApusCombine", "ApusLogging", "ApusMetrics", "ApusServiceLifecycle", "ApusTracing",
      ]
    ),
    .testTarget(
      name: "ApusTracingTests",
      dependencies: [
        "ApusTracing", apus,
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// With APUS_SWIFTUI_CHECK=1, a system without SwiftUI compiles `ApusSwiftUI` against a stand-in
// module of the same declarations, and tests what it does. No other build has a module of that
// name.
if Context.environment["APUS_SWIFTUI_CHECK"] != nil {
  #if os(Linux)
    package.targets += [
      .target(name: "SwiftUI", path: "Tests/Support/SwiftUI"),
      .testTarget(
        name: "ApusSwiftUITests", dependencies: ["ApusSwiftUI", apus, "SwiftUI"],
        swiftSettings: settings
      ),
    ]
    for target in package.targets where target.name == "ApusSwiftUI" {
      target.dependencies.append("SwiftUI")
    }
  #endif
}

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
