import SluiceCore

/// The keys of a whole file: `version state defaults jobs`, and `x-…` for whatever is only there to be an anchor.
struct FileShape {
  /// The version of the format.
  static let version = 1
  private static let keys = ["version", "state", "defaults", "jobs"]

  let job: ConfigSchema
  let path: String

  /// Checks the file's shape. Adds every problem; nil where there are no jobs to go on with.
  func read(_ root: ConfigNode, into diagnostics: inout Diagnostics) -> ConfigFile? {
    guard case .mapping(let entries) = root.content else {
      diagnostics.error(
        "wrong_type", root.isAbsent ? "the file is empty" : "expected a mapping, found \(root.summary)", at: root.mark,
        hint: "a file begins with version: 1 and has jobs")
      return nil
    }
    for entry in entries where !Self.keys.contains(entry.key) && !entry.key.hasPrefix("x-") {
      reportUnknown(entry, into: &diagnostics)
    }
    func entry(_ key: String) -> ConfigNode.Entry? { entries.first { $0.key == key && !$0.value.isAbsent } }
    checkVersion(entry("version"), at: Mark(file: path, line: 1, column: 1), into: &diagnostics)
    let defaults = readDefaults(entry("defaults"), into: &diagnostics)
    let state = entry("state")
    guard let jobs = entry("jobs") else {
      let written = entries.first { $0.key == "jobs" }
      diagnostics.error(
        "missing_key", "there are no jobs", at: written?.keyMark ?? root.mark,
        hint: "write jobs: {NAME: {source: …, sink: …}}")
      return nil
    }
    return ConfigFile(
      path: path, jobs: readJobs(jobs, defaults, into: &diagnostics), state: state?.value, stateMark: state?.keyMark)
  }

  private func reportUnknown(_ entry: ConfigNode.Entry, into diagnostics: inout Diagnostics) {
    let suggestion = NearestName.find(entry.key, among: Self.keys)
    let belongsToJob = job.settings.contains { $0.key == entry.key }
    diagnostics.error(
      "unknown_key", "unknown key \"\(entry.key)\" in the file", at: entry.keyMark,
      suggestion: belongsToJob ? nil : suggestion,
      hint: belongsToJob
        ? "\(entry.key) belongs under a job, or under defaults for all jobs"
        : suggestion == nil ? "its keys are \(Self.keys.joined(separator: ", "))" : nil)
  }

  private func checkVersion(_ entry: ConfigNode.Entry?, at beginning: Mark, into diagnostics: inout Diagnostics) {
    guard let entry else {
      diagnostics.error("missing_key", "version is required", at: beginning, hint: "write version: \(Self.version)")
      return
    }
    let context = ConfigContext("version", at: entry.keyMark)
    guard let version = Int.decode(entry.value, in: context, into: &diagnostics), version != Self.version else {
      return
    }
    diagnostics.error(
      "unknown_version", "version \(context.show(entry.value)) is not known", at: entry.value.mark,
      hint: "this program reads version \(Self.version)")
  }

  /// The entries that jobs inherit.
  private func readDefaults(_ entry: ConfigNode.Entry?, into diagnostics: inout Diagnostics) -> JobDefaults {
    guard let entry else { return JobDefaults(entries: [], schema: job) }
    guard case .mapping(let entries) = entry.value.content else {
      ConfigContext("defaults", at: entry.keyMark).wrongType(
        entry.value, expected: "a mapping of a job's settings", into: &diagnostics)
      return JobDefaults(entries: [], schema: job)
    }
    let keys = job.settings.map(\.key)
    for entry in entries where !keys.contains(entry.key) {
      let suggestion = NearestName.find(entry.key, among: keys)
      diagnostics.error(
        "unknown_key", "unknown key \"\(entry.key)\" in defaults", at: entry.keyMark, suggestion: suggestion,
        hint: suggestion == nil ? "defaults take the settings of a job: \(keys.joined(separator: ", "))" : nil)
    }
    return JobDefaults(entries: entries.filter { keys.contains($0.key) }, schema: job)
  }

  private func readJobs(
    _ entry: ConfigNode.Entry, _ defaults: JobDefaults, into diagnostics: inout Diagnostics
  ) -> [ConfigFile.Job] {
    guard case .mapping(let entries) = entry.value.content else {
      ConfigContext("jobs", at: entry.keyMark).wrongType(
        entry.value, expected: "a mapping of names to jobs", hint: "write NAME: {…} without \"- \"", into: &diagnostics)
      return []
    }
    if entries.isEmpty { diagnostics.error("missing_key", "there are no jobs", at: entry.keyMark) }
    for entry in entries where !Self.isJobName(entry.key) {
      let meant = String(entry.key.lowercased().map { $0 == " " || $0 == "." ? "_" : $0 })
      diagnostics.error(
        "job_name", "\"\(entry.key)\" cannot be the name of a job", at: entry.keyMark,
        suggestion: Self.isJobName(meant) ? meant : nil, hint: "a name has 1 to 100 of a-z, 0-9, _ and -")
    }
    return entries.map { ConfigFile.Job(name: $0.key, mark: $0.keyMark, node: defaults.inherited(by: $0.value)) }
  }

  /// Names go into file names and command lines.
  private static func isJobName(_ name: String) -> Bool {
    (1...100).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
