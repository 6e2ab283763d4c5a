import SluiceConfig
import SluiceCore

/// `sluice schema`: the JSON Schema of configuration files on stdout.
struct SchemaCommand {
  let catalog: Catalog
  let console: Console

  func run() -> Int32 {
    console.out(PrettyJSON.text(FileSchema.value(of: catalog)))
    return 0
  }
}

/// `sluice docs DIR [--check]`: the reference of this program's components, as files.
struct DocsCommand {
  let invocation: Invocation
  let catalog: Catalog
  let console: Console

  /// Files are small; a larger one is none of ours.
  private static let maximumSize = 4 << 20

  func run() throws(SluiceError) -> Int32 {
    guard let folder = invocation.names.first else {
      throw Invocation.usage("sluice docs needs a folder", "sluice docs DIR")
    }
    var files = [("sluice.schema.json", PrettyJSON.text(FileSchema.value(of: catalog)))]
    files += ComponentPages(catalog: catalog).pages.map { ("components/\($0.name)", $0.text) }
    let leftOver = try leftOver(in: "\(folder)/components", files.map(\.0))
    if invocation.isChecking { return try check(folder, files, leftOver) }
    try TextFile.makeFolder(folder)
    try TextFile.makeFolder("\(folder)/components")
    for (name, text) in files { try TextFile.replace("\(folder)/\(name)", text) }
    for name in leftOver { try TextFile.remove("\(folder)/\(name)") }
    console.line("\(folder): \(files.count) files written")
    return 0
  }

  private func check(_ folder: String, _ files: [(String, String)], _ leftOver: [String]) throws(SluiceError) -> Int32 {
    var stale = leftOver
    for (name, text) in files {
      let path = "\(folder)/\(name)"
      let isCurrent = TextFile.exists(path) ? try read(path) == Array(text.utf8) : false
      if !isCurrent { stale.append(name) }
    }
    guard !stale.isEmpty else { return 0 }
    throw SluiceError(
      .staleDocumentation, "out of date: \(stale.joined(separator: ", "))", at: Place(file: folder),
      hint: "sluice docs \(folder) writes them")
  }

  /// Pages of components that are gone. A page without the marker is not ours.
  private func leftOver(in folder: String, _ names: [String]) throws(SluiceError) -> [String] {
    var result: [String] = []
    for name in try TextFile.names(in: folder) where name.hasSuffix(".md") && !names.contains("components/\(name)") {
      if try read("\(folder)/\(name)").starts(with: ComponentPages.marker.utf8) { result.append("components/\(name)") }
    }
    return result
  }

  private func read(_ path: String) throws(SluiceError) -> [UInt8] {
    try ConfigInputs.process.file(path, Self.maximumSize)
  }
}

extension SluiceError.Code {
  /// A file that `sluice docs` writes is not what it would write now.
  static let staleDocumentation = Self("stale_documentation")
}
