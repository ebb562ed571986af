// swift-tools-version: 6.2
import PackageDescription

// An asynchronous function runs on the caller's actor unless it says `@concurrent`, as in Apus.
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let apus = Target.Dependency.product(name: "Apus", package: "Apus")
let history = Target.Dependency.product(name: "ApusHistory", package: "Apus")

let package = Package(
  name: "ApusAnalytics",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.library(name: "ApusAnalytics", targets: ["ApusAnalytics"])],
  dependencies: [.package(name: "Apus", path: "..")],
  targets: [
    // The functions of DuckDB's C library that the package calls, found when it is opened. Neither
    // DuckDB's header nor its library is needed to build.
    .target(name: "CDuckDB"),
    .target(
      name: "ApusAnalytics",
      dependencies: [
        "CDuckDB", apus, history, .product(name: "ApusRemote", package: "Apus"),
        .product(name: "SQLCore", package: "Apus"),
      ],
      swiftSettings: settings),
    // Figures beside SQLite and DuckDB itself: `Analytics/Scripts/bench`.
    .executableTarget(
      name: "AnalyticsBench", dependencies: ["ApusAnalytics", apus, history],
      path: "Tests/Support/Bench",
      swiftSettings: settings),
    .testTarget(
      name: "ApusAnalyticsTests", dependencies: ["ApusAnalytics", apus, history],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
