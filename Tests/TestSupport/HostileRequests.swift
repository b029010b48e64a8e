/// Requests that are refused by every server of ours, alone and in the whole service.
public enum HostileRequests {
  /// Bytes that aren't HTTP, or not of a form that is understood: each is answered with 400, and the connection closed.
  public static let garbage = [
    "garbage\r\n\r\n", "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
    "GET / FTP/1.1\r\n\r\n",
    "GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n", "GET /\0a HTTP/1.1\r\nHost: x\r\n\r\n",
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\n",
    "GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\n: nameless\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nName : value\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nbad trailer\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3} TLS hello \n\n",
  ]
}
