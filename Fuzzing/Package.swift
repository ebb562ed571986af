// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it is built with libFuzzer, which brings `main`, and a sanitizer.
let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Apus", path: ".."),
    .package(name: "PackageCatalogue", path: "../Examples/PackageCatalogue"),
  ],
  targets: [
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        .product(name: "Apus", package: "Apus"),
        .product(name: "DebianControl", package: "PackageCatalogue"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
