import Testing

extension TableCase {
  private static let cafes = [
    #"1 [13.4,52.52] {"name":"Café Süd"}"#, #"2 [11.58,48.14] {"name":"Bäckerei"}"#,
  ]
  private static let one = [#"1 [13.4,52.5] {"name":"a"}"#]
  private static let semicolon = #"the separator is ";""#
  private static let comma = "numbers have a comma before their decimals"
  private static func places(_ x: String, _ y: String) -> String {
    "longitudes are in the column \"\(x)\", latitudes in \"\(y)\""
  }
  private static func points(_ name: String) -> String { "points are in the column \"\(name)\"" }

  /// Tables of every kind.
  static let all = separators + encodings + coordinates + geometries + types + errors

  private static let separators: [TableCase] = [
    TableCase("plain", "id,name,lat,lon\n1,a,52.5,13.4\n", one),
    TableCase(
      "semicolons", "id;name;lat;lon\n1;Café Süd;52.52;13.4\n2;Bäckerei;48.14;11.58\n", cafes,
      notes: [semicolon]),
    TableCase(
      "decimal commas", "id;name;lat;lon\r\n1;Café Süd;52,52;13,4\r\n2;Bäckerei;48,14;11,58\r\n",
      cafes, notes: [semicolon, comma]),
    TableCase(
      "tabs", "id\tname\tlat\tlon\n1\ta\t52.5\t13.4\n", one, notes: ["the separator is a tab"]),
    TableCase(
      "bars", "id|name|lat|lon\n1|a|52.5|13.4\n", one, notes: [#"the separator is "|""#]),
    TableCase(
      "a named separator", "id;name;lat;lon\n1;a;52.5;13.4\n", [("separator", ";")], one),
    TableCase(
      "a line of the separator", "sep=;\nid;name;lat;lon\n1;a;52.5;13.4\n", one, notes: [semicolon]),
    TableCase(
      "another sign in it", "\u{FEFF}sep=#\r\n\r\nid#name#lat#lon\r\n1#a#52.5#13.4\r\n", one,
      notes: [##"the separator is "#""##]),
    TableCase(
      "the comma in quotes", "id,name,n,lat,lon\n1,a,\"1,5\",\"52,5\",\"13,4\"\n",
      [#"1 [13.4,52.5] {"name":"a","n":1.5}"#], notes: [comma]),
    TableCase(
      "a named comma", "id;name;n;lat;lon\n1;a;1,5;52;13\n", [("decimal", ",")],
      [#"1 [13,52] {"name":"a","n":1.5}"#], notes: [semicolon]),
    TableCase(
      "blank lines", "\n,,,\nid,name,lat,lon\n\n1,a,52.5,13.4\n\n , ,,\n,,,\n", one),
    TableCase("carriage returns", "id,name,lat,lon\r1,a,52.5,13.4\r", one),
    TableCase(
      "no separator in it", "sep=\nid;lat;lon\n1;2;3\n", refused: "/lines/1",
      "sep= names no separator"),
    TableCase(
      "no coordinates", "id;name;ort\n1;a;b\n", refused: "/lines/1", #""id", "name", "ort""#,
      "lon and lat name them"),
    TableCase("nothing", "", refused: "the table is empty"),
  ]

  private static let encodings: [TableCase] = [
    TableCase(
      "Windows-1252",
      windows1252("id,name,lat,lon\n1,Café Süd,52.52,13.4\n2,Bäckerei,48.14,11.58\n"),
      [("encoding", "windows-1252")], .features(cafes)),
    TableCase(
      "Windows-1252 that isn't named",
      windows1252("id,name,lat,lon\n1,a,1,2\n2,Bäckerei,48.14,11.58\n"),
      .refused(["/lines/3", #"in the column "name" is not UTF-8: windows-1252?"#])),
    TableCase(
      "Windows-1252 in the header", windows1252("id,straße,lat,lon\n1,a,1,2\n"),
      .refused(["/lines/1", "windows-1252?"])),
    TableCase(
      "Windows-1252 with onError=skip",
      windows1252("id,name,lat,lon\n1,Café Süd,52.52,13.4\n2,Bäckerei,48.14,11.58\n"),
      [("onError", "skip")],
      .features(cafes, notes: ["the encoding is windows-1252, as the bytes are not UTF-8"])),
    TableCase(
      "bytes that are nothing",
      Array("id,name,lat,lon\n1,a,52.5,13.4\n2,".utf8) + [0xE4, 0x81] + Array(",1,2\n".utf8),
      [("onError", "skip")], .features(one)),
    TableCase(
      "UTF-16 LE",
      utf16("id,name,lat,lon\n1,Café Süd,52.52,13.4\n2,Bäckerei,48.14,11.58\n", isBig: false),
      .features(cafes, notes: ["the encoding is UTF-16LE, by the byte order mark"])),
    TableCase(
      "UTF-16 BE",
      utf16("id;name;lat;lon\r\n1;Café Süd;52,52;13,4\r\n2;Bäckerei;48,14;11,58", isBig: true),
      .features(
        cafes, notes: ["the encoding is UTF-16BE, by the byte order mark", semicolon, comma])),
    TableCase(
      "UTF-16 that is named", utf16("id,name,lat,lon\n1,a,52.5,13.4\n", isBig: true),
      [("encoding", "utf-16")], .features(one)),
    TableCase(
      "UTF-16 that is cut",
      Array(utf16("id,name,lat,lon\n1,a,52.5,13.4\n", isBig: false).dropLast(3)),
      .refused(["/lines/2", "is not UTF-16LE"])),
    TableCase(
      "a stateful encoding",
      Array("id,name,lat,lon\n1,".utf8)
        + [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42] + Array(",35,135\n".utf8),
      [("encoding", "ISO-2022-JP")], .features([#"1 [135,35] {"name":"日本"}"#])),
    TableCase(
      "an encoding that nobody knows", "lon,lat\n1,2\n", [("encoding", "utf-99")],
      refused: "encoding", "iconv"),
    TableCase(
      "an encoding with options", "lon,lat\n1,2\n", [("encoding", "ascii//IGNORE")],
      refused: "encoding"),
  ]

  private static let coordinates: [TableCase] = [
    TableCase(
      "degrees, minutes and seconds",
      "id,name,lat,lon\n1,a,\"52°31'12\"\"N\",\"13°24'18\"\"E\"\n2,b,\"33° 52′ 12.6″ S\",W 70° 30’\n3,c,N52.5,13.5° E\n4,d,-33°30',\"13,5°\"\n",
      [
        #"1 [13.405,52.52] {"name":"a"}"#, #"2 [-70.5,-33.87016666666667] {"name":"b"}"#,
        #"3 [13.5,52.5] {"name":"c"}"#, #"4 [13.5,-33.5] {"name":"d"}"#,
      ]),
    TableCase(
      "another minus", "id,name,lat,lon\n1,a,−33.87,151.2\n", [#"1 [151.2,-33.87] {"name":"a"}"#]),
    TableCase(
      "GTFS", "stop_id,stop_name,stop_lat,stop_lon\nS1,Hbf,52.525,13.369\n",
      [("idProperty", "stop_id")],
      [#""S1" [13.369,52.525] {"stop_id":"S1","stop_name":"Hbf"}"#],
      notes: [places("stop_lon", "stop_lat")]),
    TableCase(
      "words and units", "id,name,decimalLatitude,Longitude (deg)\n1,a,52.5,13.4\n", one,
      notes: [places("Longitude (deg)", "decimalLatitude")]),
    TableCase(
      "German", "id;name;Breitengrad;LÄNGENGRAD\n1;a;52,5;13,4\n", one,
      notes: [semicolon, places("LÄNGENGRAD", "Breitengrad"), comma]),
    TableCase("letters", "id,name,y,x\n1,a,52.5,13.4\n", one, notes: [places("x", "y")]),
    TableCase(
      "the sure ones before others",
      "id,name,stop_lat,stop_lon,lat,lon,x,y\n1,a,1,2,52.5,13.4,3,4\n",
      [#"1 [13.4,52.5] {"name":"a","stop_lat":1,"stop_lon":2,"x":3,"y":4}"#]),
    TableCase(
      "an adjective", "id,long_name,geo_lat,geo_lon\n1,a,52.5,13.4\n",
      [#"1 [13.4,52.5] {"long_name":"a"}"#], notes: [places("geo_lon", "geo_lat")]),
    TableCase(
      "lengths", "id,Länge (m),Breite (m)\n1,2,3\n", refused: "no columns of coordinates"),
    TableCase(
      "two of a kind", "start_lat,start_lon,end_lat,end_lon\n1,2,3,4\n",
      refused: #""start_lat", "start_lon", "end_lat", "end_lon""#),
    TableCase(
      "one of them named", "id,name,start_lat,start_lon,end_lat,end_lon\n1,a,52.5,13.4,3,4\n",
      [("lon", "start_lon"), ("lat", "start_lat")],
      [#"1 [13.4,52.5] {"name":"a","end_lat":3,"end_lon":4}"#]),
    TableCase(
      "a name that isn't there", "id,lat,lon\n1,2,3\n", [("lon", "a"), ("lat", "lat")],
      refused: #"no column is named "a"; there are "id", "lat", "lon""#),
    TableCase("only one name", "id,lat,lon\n1,2,3\n", [("lon", "lon")], refused: "without lat"),
    TableCase(
      "projected", "id,name,x,y\n1,a,392000,5820000\n", refused: "/lines/2",
      #""392000" in the column "x" is beyond ±360 degrees: projected"#),
    TableCase(
      "the wrong hemisphere", "id,lat,lon\n1,13.4E,52.5N\n",
      refused: #""52.5N" in the column "lon" is a latitude"#),
    TableCase(
      "a point and a comma", "id;lat;lon\n1;52.5;13.4\n2;52,5;13,4\n3;1.5;1.5\n",
      refused: "/lines/3",
      #""13,4" in the column "lon" is not a number"#),
  ]

  private static let geometries: [TableCase] = [
    TableCase(
      "WKT",
      "id,name,WKT\n1,a,POINT (13.4 52.5)\n2,b,\"POINT(11.58 48.14)\"\n3,c,SRID=4326;Point Z (1 2 3)\n",
      [
        #"1 [13.4,52.5] {"name":"a"}"#, #"2 [11.58,48.14] {"name":"b"}"#,
        #"3 [1,2,3] {"name":"c"}"#,
      ], notes: [points("WKT")]),
    TableCase(
      "WKB",
      "id,geom\n1,0101000000000000000000F03F0000000000000040\n2,0101000020E6100000000000000000F03F0000000000000040\n3,\\x00000000013ff00000000000004000000000000000\n",
      ["1 [1,2] {}", "2 [1,2] {}", "3 [1,2] {}"], notes: [points("geom")]),
    TableCase(
      "GeoJSON", #"id;the_geom"# + "\n" + #"1;{"type":"Point","coordinates":[13.4,52.5]}"# + "\n",
      ["1 [13.4,52.5] {}"], notes: [semicolon, points("the_geom")]),
    TableCase(
      "two in one",
      "id,name,location\n1,a,\"52.5,13.4\"\n2,b,\"52°30'N, 13°24'E\"\n3,c,13.4° E 52.5° N\n",
      [
        #"1 [13.4,52.5] {"name":"a"}"#, #"2 [13.4,52.5] {"name":"b"}"#,
        #"3 [13.4,52.5] {"name":"c"}"#,
      ], notes: [points("location")]),
    TableCase(
      "two with commas in one", "id;location\n1;\"52,5; 13,4\"\n", ["1 [13.4,52.5] {}"],
      notes: [semicolon, points("location")]),
    TableCase(
      "Opendatasoft", "id;geo_point_2d\n1;52.5, 13.4\n", ["1 [13.4,52.5] {}"],
      notes: [semicolon, points("geo_point_2d")]),
    TableCase(
      "a named one", "id;ort\n1;52.5,13.4\n", [("geometry", "ort")], ["1 [13.4,52.5] {}"],
      notes: [semicolon]),
    TableCase(
      "another shape", "id,wkt\n1,\"LINESTRING (1 2, 3 4)\"\n",
      refused: #"in the column "wkt" is a LINESTRING and no POINT"#),
    TableCase(
      "another system", "id,geom\n1,SRID=25832;POINT (1 2)\n", refused: "25832",
      "ogr2ogr -t_srs EPSG:4326"),
    TableCase(
      "projected points", "id,wkt\n1,POINT (392000 5820000)\n", refused: "projected"),
    TableCase(
      "brackets in either order", "id,location\n1,\"[13.4, 52.5]\"\n",
      refused: "is in either order", "lonlat"),
    TableCase(
      "half a pair", "id;location\n1;52,5\n", [("decimal", ",")],
      refused: #""52,5" in the column "location" is no point"#),
  ]

  private static let types: [TableCase] = [
    TableCase(
      "postcodes", "id,plz,lat,lon\n1,01067,51.05,13.74\n2,10115,52.53,13.38\n",
      [#"1 [13.74,51.05] {"plz":"01067"}"#, #"2 [13.38,52.53] {"plz":"10115"}"#],
      notes: [#"the column "plz" holds numbers and texts, so all in it is text"#]),
    TableCase(
      "named text", "id,plz,n,lat,lon\n1,10115,5,52.5,13.4\n", [("text", "plz,id")],
      [#""1" [13.4,52.5] {"plz":"10115","n":5}"#]),
    TableCase(
      "text that isn't there", "id,lat,lon\n1,2,3\n", [("text", "plz")],
      refused: #"text names "plz""#),
    TableCase(
      "quoted numbers", "id,n,lat,lon\n1,\"7\",52.5,13.4\n", [#"1 [13.4,52.5] {"n":"7"}"#],
      notes: [#"numbers in quotes are texts, in the column "n""#]),
    TableCase(
      "ids of two kinds", "id,lat,lon\n7,1,2\n007,3,4\n", [#""007" [4,3] {}"#, #""7" [2,1] {}"#],
      notes: [#"the ids in the column "id" are texts, as some are no integers"#]),
    TableCase(
      "a column that could give ids", "code,kind,lat,lon\nA,x,1,2\nB,x,3,4\n",
      [#"1 [2,1] {"code":"A","kind":"x"}"#, #"2 [4,3] {"code":"B","kind":"x"}"#],
      notes: [
        #"the ids are made up, though the column "code" holds another value in each line: it can be the idProperty"#
      ]),
    TableCase(
      "names that come twice", "id,n,n,lat,lon\n1,2,x,52.5,13.4\n",
      [#"1 [13.4,52.5] {"n":2,"n_2":"x"}"#],
      notes: [#"the name "n" appears twice: the later column is "n_2""#]),
    TableCase(
      "commas in numbers", "id;n;m;lat;lon\n1;1,5;1.5;52,5;13,4\n2;;;1;1\n",
      [#"1 [13.4,52.5] {"n":1.5,"m":"1.5"}"#, "2 [1,1] {}"], notes: [semicolon, comma]),
  ]

  /// The lines 4 to 101, which a quote takes for one.
  static let unclosed =
    "id,name,lat,lon\n"
    + (1...100).map { "\($0),\($0 == 3 ? "\"" : "")n\($0),52.5,13.4\n" }.joined()

  private static let errors: [TableCase] = [
    TableCase("a quote", unclosed, refused: "/lines/4", "lines 4 to 101", #"the column "name""#),
    TableCase(
      "a quote that is skipped", unclosed, [("onError", "skip")],
      (1...100).filter { $0 != 3 }.map { "\($0) [13.4,52.5] {\"name\":\"n\($0)\"}" }),
    TableCase(
      "a long value", "id,lat,lon\n1,\(String(repeating: "é", count: 81)),2\n",
      refused: #""\#(String(repeating: "é", count: 80))…" in the column "lat" is not a number"#),
    TableCase(
      "an empty one", "id,lat,lon\n1,,2\n", refused: #""" in the column "lat" is not a number"#),
  ]
}
