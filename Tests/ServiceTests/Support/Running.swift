import TestSupport
import Testing

extension ServerProcess {
  /// Expects that the server still answers and has logged no errors.
  func expectHealthy(sourceLocation: SourceLocation = #_sourceLocation) {
    let answer = try? client.get("/health/ready")
    #expect(answer?.status == 200, sourceLocation: sourceLocation)
    #expect(complaints.isEmpty, sourceLocation: sourceLocation)
  }
}

extension ChildProcess {
  /// Runs a program to its end, and expects it to succeed.
  static func succeed(
    _ program: String, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let run = try ChildProcess(program, arguments)
    #expect(
      run.waitForExit(seconds: 60) == .code(0), "\(run.standardError)",
      sourceLocation: sourceLocation)
  }
}

extension TestResponse {
  /// What differs from the contract's answer to a bad request: the status, problem details that repeat it,
  /// and the pointer among the errors. Nil if nothing does.
  func fault(status: Int, pointer: String? = nil) -> String? {
    guard self.status == status else { return "is \(self.status), not \(status): \(excerpt)" }
    guard mediaType == "application/problem+json" else {
      return "comes as \(mediaType ?? "nothing")"
    }
    guard let problem = try? json() else { return "isn't JSON: \(excerpt)" }
    guard problem["status"]?.int == status, problem["type"]?.string != nil,
      problem["title"]?.string?.isEmpty == false, problem["detail"]?.string?.isEmpty == false
    else { return "isn't a whole problem: \(excerpt)" }
    let pointers = (problem["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }
    if let pointer, !pointers.contains(pointer) { return "points at \(pointers): \(excerpt)" }
    return nil
  }

  private var excerpt: String { String(text.prefix(300)) }
}
