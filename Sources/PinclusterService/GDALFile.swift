import GeoFormats
import Glibc
import Texts

/// A file that GDAL's programs `ogrinfo` and `ogr2ogr` read.
struct GDALFile {
  typealias Failure = CommandFailure

  /// How a layer is read: the command that writes it, and in which format.
  struct Conversion {
    var arguments: [String]
    var format: FeatureFormat
    /// Makes a table of it; nil if it isn't one.
    var rows: TableRows?
    /// The number of its features; nil if it isn't known.
    var count: Int?
    var notes: [String]
  }

  /// The endings of names that GDAL reads, for all that Debian's has a driver for.
  static let endings = [
    "gpkg", "shp", "shz", "zip", "kml", "kmz", "gpx", "fgb", "parquet", "geoparquet", "tab", "mif",
    "xlsx",
    "xls", "ods", "gml", "gdb", "sqlite", "dxf", "osm", "pbf", "topojson", "dbf", "geojsonld",
    "gmt", "vrt", "jml",
  ]
  /// The first row of a sheet is its header, whatever it holds.
  private static let headers = ["XLSX", "ODS", "XLS"].flatMap {
    ["--config", "OGR_\($0)_HEADERS", "FORCE"]
  }
  /// Texts of GML are texts unless a schema says otherwise: guessed types would take away leading zeros, and clamp.
  private static let texts = ["--config", "GML_FIELDTYPES", "ALWAYS_STRING"]
  /// Features of KML have no columns for what they leave to the viewer, such as `tessellate: -1`, beside those of the file.
  private static let plainKML = ["TESSELLATE", "EXTRUDE", "VISIBILITY"].flatMap {
    ["--config", "LIBKML_\($0)_FIELD", ""]
  }
  /// A file of somebody else may say, whatever its name is, that its features or their reference system are in other files
  /// of this machine or at addresses of its network: in formats that consist of that, by virtual tables of SpatiaLite, and
  /// by links. No proxy has the port 0.
  private var fence: [String] {
    let virtual = path.lowercasedASCII.ends(with: ".vrt") ? [] : ["OGR_VRT"]
    return [
      "--config", "OGR_SKIP", (virtual + GDALFile.referring).joined(separator: ","),
      "--config", "SPATIALITE_LOAD", "NO", "--config", "GDAL_HTTP_PROXY", "http://127.0.0.1:0",
    ]
  }
  private static let referring = [
    "WFS", "OAPIF", "OGCAPI", "CSW", "GMLAS", "PDS4", "OGR_PDS", "VICAR",
  ]
  private var configuration: [String] {
    GDALFile.headers + GDALFile.texts + GDALFile.plainKML + fence
      + (encoding.map { ["--config", "SHAPE_ENCODING", $0] } ?? [])
      // No file is left beside it.
      + (isGML ? ["-oo", "WRITE_GFS=NO"] : [])
  }
  private var isGML: Bool { path.lowercasedASCII.ends(with: ".gml") }
  /// A list of layers is no longer.
  private static let longestList = 16 << 20
  private static let shownLayers = 20

  let path: String
  /// The encoding of a Shapefile's texts, or a dBASE table's, as iconv knows it; nil for what the file says.
  private let encoding: String?

  /// The path as the programs take it: of a file, not of a database; and within an archive, perhaps of a folder.
  private let source: String

  init(path: String, encoding: String? = nil) {
    (self.path, self.encoding) = (path, encoding)
    let isPlain = path.begins(with: "/") || path.begins(with: ".")
    let file = isPlain ? path : "./\(path)"
    let isArchive = path.lowercasedASCII.ends(with: ".zip")
    let folder = isArchive ? ZipFile(path).folder : ""
    source = (isArchive ? "/vsizip/\(file)" : file) + (folder.isEmpty ? "" : "/\(folder)")
  }

  /// Finds out how to read a layer.
  ///
  /// - Parameters:
  ///   - layer: its name; nil for the only one that has features.
  ///   - takesCentroids: whether it may hold lines and areas.
  ///   - givesIDs: whether the ids come from a property, which the parts of a feature share.
  ///   - skipsBad: whether features that can't be converted are left out.
  func conversion(
    layer: String?, takesCentroids: Bool, givesIDs: Bool, skipsBad: Bool
  ) throws -> Conversion {
    let layers = try layers()
    let chosen = try choose(layer, of: layers, takesShapes: takesCentroids)
    let looksLikeFlag = chosen.name.begins(with: "-")
    guard !looksLikeFlag || layers.count == 1 else {
      throw Failure(
        "\(path): the layer \(chosen.name) cannot be read, as its name looks like a flag")
    }
    var conversion = Conversion(
      arguments: ["ogr2ogr"] + configuration + ["-f", "GeoJSONSeq"], format: .csv,
      count: chosen.count, notes: [])
    if layer == nil, layers.count(where: { $0.count != 0 }) > 1 {
      conversion.notes.append(
        "the layer is \(chosen.name), as the others hold no points (--layer names another)")
    }
    if skipsBad { conversion.arguments.append("-skipfailures") }
    if isGML {
      let stem = String(decoding: path.utf8.dropLast(4), as: UTF8.self)
      if [".xsd", ".gfs"].allSatisfy({ access(stem + $0, R_OK) != 0 }) {
        conversion.notes.append("properties of GML without a schema (.xsd) beside it are texts")
      }
    }
    if chosen.isTable {
      conversion.rows = TableRows(columns: chosen.columns, isUntyped: chosen.isUntyped)
      conversion.arguments += ["-lco", "SIGNIFICANT_FIGURES=17"]
    } else {
      if !takesCentroids, chosen.isOfShapes {
        throw Failure(
          "\(path): the layer \(chosen.name) holds lines or areas (\(chosen.geometry)), and only points "
            + "are stored; --points centroid takes the centroid of each")
      }
      conversion.format = .geoJSONSequence
      // All digits, so that coordinates stay the same.
      conversion.arguments += ["-lco", "COORDINATE_PRECISION=17"]
      if chosen.hasSystem {
        conversion.arguments += ["-t_srs", "EPSG:4326"]
      } else {
        conversion.notes.append(
          "the layer \(chosen.name) names no reference system; its coordinates were taken as longitudes and "
            + "latitudes of WGS 84")
      }
      if !takesCentroids, !givesIDs { conversion.arguments.append("-explodecollections") }
    }
    // The only layer needs no name.
    conversion.arguments += ["/vsistdout/", source] + (looksLikeFlag ? [] : [chosen.name])
    return conversion
  }

  private func choose(
    _ name: String?, of layers: [Layer], takesShapes: Bool
  ) throws(Failure) -> Layer {
    let list =
      layers.prefix(GDALFile.shownLayers).map(\.description).joined(separator: ", ")
      + (layers.count > GDALFile.shownLayers
        ? " and \(layers.count - GDALFile.shownLayers) more" : "")
    if let name {
      if let layer = layers.first(where: { $0.name.isSame(as: name) }) { return layer }
      throw Failure("\(path) has no layer \(name); it has \(list.isEmpty ? "none" : list)")
    }
    let filled = layers.filter { $0.count != 0 }
    if filled.count == 1 { return filled[0] }
    if layers.count == 1 { return layers[0] }
    // A track of GPX is a line and its points.
    let points = filled.filter(\.isOfPoints)
    if !takesShapes, points.count == 1, filled.allSatisfy({ $0.isOfPoints || $0.isOfShapes }) {
      return points[0]
    }
    guard !layers.isEmpty else { throw Failure("\(path) has no layers") }
    throw Failure("\(path) has several layers; choose one with --layer: \(list)")
  }

  private func layers() throws -> [Layer] {
    guard access(path, R_OK) == 0 else { throw Failure("\(path) cannot be opened", errno) }
    func list(_ more: [String] = []) throws -> [Layer] {
      let arguments =
        ["ogrinfo"] + configuration + ["-ro", "-so", "-al", "-nomd", "-noextent"] + more + [source]
      return Layer.list(try ChildProgram(arguments).readAll(keeping: GDALFile.longestList))
    }
    do {
      let layers = try list()
      // Of a Shapefile records are counted, too, that are marked as deleted, unless each is looked at.
      return layers.first?.isShapefile == true ? try list(["-where", "FID >= 0"]) : layers
    } catch let failure as Failure {
      let isParquet = path.lowercasedASCII.ends(with: "parquet")
      throw Failure(
        "\(path) cannot be read: \(failure), as it is damaged, or this GDAL has no driver for it"
          + (isParquet
            ? "; Debian's has none for Parquet: make a GeoPackage of it with another" : "")
          + (path.lowercasedASCII.ends(with: ".tab")
            ? "; --format csv reads text with tabs between its columns" : ""))
    }
  }

  /// A layer, as `ogrinfo` describes it.
  private struct Layer: CustomStringConvertible {
    var name: String
    var geometry = ""
    /// The number of features; nil if it isn't known.
    var count: Int?
    var hasSystem = false
    /// The names of its columns, as far as they are told.
    var columns: [String] = []
    /// Whether its columns have no types, as in CSV.
    var isUntyped = false
    var isShapefile = false

    /// The types of columns.
    private static let types = [
      "Integer", "Integer64", "Real", "String", "Date", "Time", "DateTime", "Binary", "IntegerList",
      "Integer64List", "RealList", "StringList",
    ]

    /// Whether it has no geometries, as a sheet.
    var isTable: Bool { geometry.isSame(as: "None") }
    /// Whether none of its geometries is a point.
    var isOfShapes: Bool {
      ["Line", "Polygon", "Curve", "Surface", "TIN", "Triangle"].contains { word in
        geometry.parts(separatedBy: UInt8(ascii: " ")).contains {
          $0.isSame(as: word) || $0.isSame(as: "Multi\(word)")
        }
      }
    }
    /// Whether each of its geometries is points.
    var isOfPoints: Bool { geometry.parts(separatedBy: 0x20).contains { $0.isSame(as: "Point") } }
    var description: String {
      "\(name) (\(isTable ? "table" : geometry)\(count.map { ", \($0)" } ?? ""))"
    }

    /// The name of the column that a line describes, such as `n: Integer (0.0)`, or the last line of it; nil if it
    /// describes none.
    private static func column(_ line: Substring) -> String? {
      let bytes = line.utf8
      for index in bytes.indices where bytes[index] == UInt8(ascii: ":") {
        guard let rest = line[index...].after(": "),
          let type = rest.parts(separatedBy: UInt8(ascii: "(")).first,
          types.contains(where: { type.trimmed.isSame(as: $0) })
        else { continue }
        return String(line[..<index])
      }
      return nil
    }

    /// The beginnings of the lines between the reference system and the columns.
    private static let between = [
      "FID Column = ", "Geometry Column", "Data axis to CRS axis mapping: ",
    ]

    /// Reads what `ogrinfo -so -al` prints. Of each kind of line the first counts, as fields may have such names.
    static func list(_ text: [UInt8]) -> [Layer] {
      var layers: [Layer] = []
      var (needsCount, needsSystem, isSystem) = (false, false, false)
      var (isUntyped, isShapefile) = (false, false)
      // The lines so far of a name that has several.
      var begun: [Substring] = []
      for line in String(decoding: text, as: UTF8.self).parts(separatedBy: 0x0A) {
        if layers.isEmpty, let driver = line.trimmed.after("using driver `") {
          isUntyped = isUntyped || driver.begins(with: "CSV'")
          isShapefile = isShapefile || driver.begins(with: "ESRI Shapefile'")
        }
        let column = layers.isEmpty || needsSystem ? nil : column(line)
        if column == nil, let name = line.after("Layer name: ") {
          begun = []
          layers.append(
            Layer(name: String(name), isUntyped: isUntyped, isShapefile: isShapefile))
          (needsCount, needsSystem, isSystem) = (true, true, false)
        }
        guard let last = layers.indices.last else { continue }
        if isSystem {
          isSystem = false
          // The latter is what GeoPackage has for that.
          let unknown = ["(unknown)", "GEOGCRS[\"Undefined ", "ENGCRS[\"Undefined "]
          layers[last].hasSystem = !unknown.contains(where: line.begins)
        } else if layers[last].geometry.isEmpty, let geometry = line.after("Geometry: ") {
          layers[last].geometry = String(geometry)
        } else if layers[last].geometry.isEmpty, line.begins(with: "Geometry (") {
          // The first of several columns with geometries.
          layers[last].geometry = String((line.cut(at: UInt8(ascii: ":")).1 ?? "").trimmed)
        } else if needsCount, let count = line.after("Feature Count: ") {
          needsCount = false
          layers[last].count = Int(count).flatMap { $0 < 0 ? nil : $0 }
        } else if needsCount, layers[last].geometry.isEmpty, !line.begins(with: "Layer name: ") {
          // A name with line breaks, as of KML.
          layers[last].name += "\n\(line)"
        } else if needsSystem, line.isSame(as: "Layer SRS WKT:") {
          (needsSystem, isSystem) = (false, true)
        } else if let column {
          layers[last].columns.append((begun + [Substring(column)]).joined(separator: "\n"))
          begun = []
        } else if !needsSystem, layers[last].isTable, !begun.isEmpty || !line.isEmpty,
          !between.contains(where: line.begins)
        {
          begun.append(line)
        }
      }
      return layers
    }
  }
}
