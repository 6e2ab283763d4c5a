// swift-tools-version: 6.3
import PackageDescription

// Built by scripts/fuzz, which instruments every module: `-sanitize=fuzzer,address` on the command line reaches the
// modules under test, too, where a flag here would reach this target only.
let package = Package(
  name: "fuzz",
  platforms: [.macOS("26.0")],
  dependencies: [.package(name: "sluice", path: "..")],
  targets: [
    .systemLibrary(name: "CLibFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "CLibFuzzer",
        .product(name: "SluiceCore", package: "sluice"),
        .product(name: "SluiceJSON", package: "sluice"),
        .product(name: "SluiceCLI", package: "sluice"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
