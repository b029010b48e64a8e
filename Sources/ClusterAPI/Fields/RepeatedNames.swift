/// Lists in queries that are written with their name before each element, as some generated clients do.
enum RepeatedNames {
  /// A query in which `a=1&a=2` is `a=1,2`.
  ///
  /// - Parameter names: the names of the lists.
  static func joined(_ query: String?, _ names: [String]) -> String? {
    guard let query else { return nil }
    // Few repeat anything, and bytes tell that sooner than characters.
    let isRepeated = names.contains { name in
      let places = query.utf8.split(separator: UInt8(ascii: "&")).filter {
        $0.starts(with: name.utf8) && $0.dropFirst(name.utf8.count).first == UInt8(ascii: "=")
      }
      return places.count > 1
    }
    guard isRepeated else { return query }
    var lists: [Substring: [Substring]] = [:]
    let parts = query.split(separator: "&")
    for part in parts {
      let name = part.prefix { $0 != "=" }
      if names.contains(where: { $0 == name }) {
        lists[name, default: []].append(part.dropFirst(name.count + 1))
      }
    }
    let others = parts.filter { lists[$0.prefix { $0 != "=" }] == nil }.map(String.init)
    let own = lists.map { "\($0.key)=\($0.value.joined(separator: ","))" }
    return (others + own).joined(separator: "&")
  }
}
