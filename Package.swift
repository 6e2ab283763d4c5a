// swift-tools-version: 6.3
import PackageDescription

/// A C library of the system, found by pkg-config: a module map and a `shim.h`, nothing else.
func library(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

/// A room of the house: `Sources/NAME`.
func module(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/\(name)")
}

/// A component's room: `Plugins/NAME`, target `SluiceNAME`. It may import the contract, JSON and HTTP; never another plugin.
func plugin(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(name: "Sluice\(name)", dependencies: ["SluiceCore"] + dependencies, path: "Plugins/\(name)")
}

/// Tests of one module: `Tests/NAMETests`. What lies in `data` is read from there, not built.
func tests(_ name: String, _ dependencies: Target.Dependency..., data: [String] = []) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(name)Tests", exclude: data)
}

let package = Package(
  name: "sluice",
  platforms: [.macOS("26.0")],
  products: [
    .executable(name: "sluice", targets: ["sluice"]),
    .library(name: "SluiceCore", targets: ["SluiceCore"]),
    .library(name: "SluiceJSON", targets: ["SluiceJSON"]),
    .library(name: "SluiceHTTP", targets: ["SluiceHTTP"]),
    .library(name: "SluiceCLI", targets: ["SluiceCLI", "SluiceBuiltin"]),
    .library(name: "SluiceTesting", targets: ["SluiceTesting"]),
  ],
  targets: [
    // C libraries
    library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    library("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    library("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
    library("CLua", pkgConfig: "lua5.4", apt: "liblua5.4-dev", brew: "lua@5.4"),
    library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    .systemLibrary(name: "CLinux", path: "Sources/C/CLinux"),

    // The house
    module("SluiceCore"),
    module("SluiceJSON", "SluiceCore"),
    module("SluiceHTTP", "SluiceCore", "CCurl"),
    module("SluiceConfig", "SluiceCore", "CYAML"),
    module("SluiceEngine", "SluiceCore"),
    module("SluiceCLI", "CLinux", "SluiceCore", "SluiceJSON", "SluiceConfig", "SluiceEngine", "FirestoreServer"),
    module("SluiceTesting", "SluiceCore"),
    module("FirestoreServer", "SluiceCore", "SluiceJSON", "CMicroHTTPD"),

    // Plugins
    plugin("Memory"),
    plugin("File", "SluiceJSON", "CLinux", "CZlib"),
    plugin("Stdout", "SluiceJSON"),
    plugin("Firestore", "SluiceJSON", "SluiceHTTP"),
    plugin("SQLite", "SluiceJSON", "CSQLite"),
    plugin("Paging"),
    plugin("Transforms", "CLua"),
    plugin(
      "Builtin", "SluiceMemory", "SluiceFile", "SluiceStdout", "SluiceFirestore", "SluiceSQLite", "SluicePaging",
      "SluiceTransforms"),

    .executableTarget(
      name: "sluice", dependencies: ["SluiceCLI", "SluiceBuiltin"], path: "Sources/sluice"),

    // Tests
    tests("SluiceCore", "SluiceCore"),
    tests("SluiceJSON", "SluiceCore", "SluiceJSON"),
    tests("SluiceHTTP", "SluiceCore", "SluiceHTTP", "SluiceTesting"),
    tests("SluiceConfig", "SluiceCore", "SluiceConfig"),
    tests(
      "SluiceEngine", "SluiceCore", "SluiceEngine", "SluicePaging", "SluiceTesting"),
    tests("FirestoreServer", "SluiceCore", "SluiceJSON", "FirestoreServer", "SluiceHTTP"),
    tests(
      "Plugins", "SluiceCore", "SluiceEngine", "SluiceJSON", "SluiceHTTP", "SluiceBuiltin", "SluiceFirestore",
      "SluiceTesting",
      "FirestoreServer"),
    tests(
      "Emulator", "SluiceCore", "SluiceEngine", "SluiceJSON", "SluiceHTTP", "SluiceFile", "SluiceFirestore",
      "SluicePaging", "SluiceTesting", "FirestoreServer"),
    tests(
      "Fault", "SluiceCore", "SluiceEngine", "SluiceJSON", "SluiceHTTP", "SluiceFile", "SluiceFirestore",
      "SluicePaging", "SluiceTesting", "FirestoreServer"),
    tests(
      "Conformance", "SluiceCore", "SluiceJSON", "SluiceBuiltin", "SluiceTesting", "FirestoreServer",
      data: ["Skips.txt"]),
    tests("ContractFit", "SluiceCore", "SluiceEngine", "SluicePaging", "SluiceTesting"),
    tests(
      "CLI", "SluiceCore", "SluiceJSON", "SluiceConfig", "SluiceEngine", "SluiceCLI", "SluiceBuiltin", "SluiceSQLite",
      "SluiceTesting",
      "FirestoreServer",
      "sluice", data: ["Golden"]),
    tests("Stranger", "SluiceTesting"),
    tests("Crash", "SluiceCore", "SluiceJSON", "SluiceSQLite", "SluiceTesting", "FirestoreServer", "sluice"),
  ],
  swiftLanguageModes: [.v6]
)
