import CEvHTTP

/// Status codes of HTTP.
public enum HTTPStatus {
  /// The reason phrase of a status code, such as "Not Found" for 404: the one that the status line
  /// has. Codes without a phrase of their own get one of their class.
  public static func phrase(_ status: Int) -> String {
    String(cString: ceh_status_phrase(Int32(clamping: status)))
  }
}
