import SluiceCore

/// What jobs inherit from `defaults`.
///
/// A job's own setting wins. Groups of settings, such as `limits`, are merged key by key; everything else, a component
/// above all, is inherited whole or not at all. A setting that a job has as `null` is one it does not have.
struct JobDefaults {
  /// Settings of which a job has one: its own displaces the inherited other.
  private static let alternatives: [Set<String>] = [["sink", "sinks"]]

  let entries: [ConfigNode.Entry]
  let schema: ConfigSchema

  /// A job with what it inherits. What is no mapping is left for the job's spec to report.
  func inherited(by job: ConfigNode) -> ConfigNode {
    if entries.isEmpty { return job }
    if job.isAbsent { return merge([], at: job.mark, entries, schema) }
    guard case .mapping(let own) = job.content else { return job }
    return merge(own, at: job.mark, entries, schema)
  }

  private func merge(
    _ own: [ConfigNode.Entry], at mark: Mark, _ inherited: [ConfigNode.Entry], _ schema: ConfigSchema?
  ) -> ConfigNode {
    var merged = own.filter { entry in !entry.value.isAbsent || !inherited.contains { $0.key == entry.key } }
    let ownKeys = Set(merged.map(\.key))
    for entry in inherited {
      if let index = merged.firstIndex(where: { $0.key == entry.key }) {
        merged[index].value = combine(merged[index].value, entry.value, schema?[entry.key])
        continue
      }
      let isDisplaced = Self.alternatives.contains { $0.contains(entry.key) && !$0.isDisjoint(with: ownKeys) }
      if isDisplaced { continue }
      var entry = entry
      entry.isInherited = true
      merged.append(entry)
    }
    return ConfigNode(.mapping(merged), at: mark)
  }

  private func combine(_ own: ConfigNode, _ inherited: ConfigNode, _ type: ConfigType?) -> ConfigNode {
    guard case .object(let group) = type, case .mapping(let entries) = own.content,
      case .mapping(let inheritedEntries) = inherited.content
    else { return own }
    return merge(entries, at: own.mark, inheritedEntries, group.schema)
  }
}

extension ConfigSchema {
  /// The type of a setting, nil where there is none.
  fileprivate subscript(key: String) -> ConfigType? { settings.first { $0.key == key }?.type }
}
