// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Exchange",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Apus", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "Exchange",
      dependencies: [
        .product(name: "Apus", package: "Apus"), .product(name: "ApusHistory", package: "Apus"),
      ])
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
