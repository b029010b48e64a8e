import TestSupport
import Testing

/// Files that were made to have GDAL read others.
extension GDALImportTests {
  @Test func `a file that somebody sent shows no other file of the machine`() throws {
    let other = try room.files.write("lon,lat,secret\n1,2,much\n", as: "other.csv")
    let virtual = """
      <OGRVRTDataSource><OGRVRTLayer name="other"><SrcDataSource>\(other)</SrcDataSource>
      <GeometryType>wkbPoint</GeometryType><LayerSRS>WGS84</LayerSRS>
      <GeometryField encoding="PointFromColumns" x="lon" y="lat"/></OGRVRTLayer></OGRVRTDataSource>
      """
    for name in ["a.kml", "a.xlsx", "a.zip"] {
      try room.load(try room.files.write(virtual, as: name)).expectFailure(saying: name)
    }
    let package = try make("a.gpkg", of: Self.points)
    try ChildProcess.succeed(
      "/usr/bin/ogrinfo",
      [
        package, "-sql",
        "CREATE VIRTUAL TABLE t USING VirtualText('\(other)','UTF-8',1,POINT,DOUBLEQUOTE,',')",
      ])
    try room.load(package, "--layer", "t").expectFailure(saying: "VirtualText")
    // Its link isn't asked: that there is no proxy on the port 0 is all that is found out.
    let linked = """
      {"type":"FeatureCollection","crs":{"type":"link","properties":{"href":"http://127.0.0.1:1/","type":"proj4"}},
      "features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}]}
      """
    try room.load(try room.files.write(linked, as: "b.gpkg")).expectFailure(saying: "port 0")
    #expect(try room.stored() == [])
    // What a file of this kind consists of is asked for by its name.
    try room.load(try room.files.write(virtual, as: "a.vrt")).expectSuccess()
    #expect(try room.stored().count == 1)
  }
}
