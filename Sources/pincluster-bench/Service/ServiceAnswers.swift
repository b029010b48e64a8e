/// Checks answers of a running service.
enum ServiceAnswers {
  /// Sends the first requests of a file, compares some answers with a brute-force twin, and prints the mean
  /// size of a body.
  static func check(port: UInt16, requests path: String, sample: String, count: Int) throws {
    let twin = ViewTwin(try Cities(sample, count: count).cities.map(\.coordinate))
    let connection = try LiveConnection(port: port)
    let requests = try InputFile.lines(path).prefix(480)
    var bytes = 0
    for (index, request) in requests.enumerated() {
      let answer = try connection.ask("GET", request)
      bytes += answer.body.count
      if index % 20 == 0 { try twin.check(answer.body, to: request) }
    }
    print(bytes / max(1, requests.count))
  }
}
