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
    var lists = names.map { (name: $0, values: [Substring]()) }
    var others: [Substring] = []
    for part in query.parts(separatedBy: UInt8(ascii: "&")) {
      let pair = part.parts(separatedBy: UInt8(ascii: "="), atMost: 1)[0]
      if let index = lists.firstIndex(where: { pair.isSame(as: $0.name) }) {
        lists[index].values.append(Substring(part.utf8.dropFirst(pair.utf8.count + 1)))
      } else if !part.isEmpty {
        others.append(part)
      }
    }
    let own = lists.filter { !$0.values.isEmpty }.map {
      "\($0.name)=\($0.values.joined(separator: ","))"
    }
    return (others.map(String.init) + own).joined(separator: "&")
  }
}
