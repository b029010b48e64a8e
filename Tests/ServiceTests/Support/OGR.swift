import Glibc

/// The program of GDAL that makes files for tests.
enum OGR {
  static let program = "/usr/bin/ogr2ogr"
  /// Whether it is installed.
  static let isThere = access(program, X_OK) == 0
}
