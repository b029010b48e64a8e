import Testing

@testable import GeoFormats

@Suite(.timeLimit(.minutes(1))) struct JSONRoomTests {
  @Test func `pieces are written into the room that is reserved`() {
    var writer = JSONWriter(reserving: 0)
    writer.withRoom(4 + 2 * JSONRoom.numberLength) { room in
      room.text("[")
      let number = room.number(-1.5)
      room.text(",")
      room.again(number)
      room.text("]")
    }
    writer.withRoomForElement(4) { $0.text("null") }
    #expect(writer.withBytes { String(decoding: $0, as: UTF8.self) } == "[-1.5,-1.5],null")
  }

  #if DEBUG
    @Test func `debug builds trap at a piece beyond the room`() async {
      await #expect(processExitsWith: .failure) {
        var writer = JSONWriter(reserving: 1 << 20)
        writer.withRoom(3) { $0.text("null") }
      }
      await #expect(processExitsWith: .failure) {
        var writer = JSONWriter(reserving: 1 << 20)
        writer.withRoom(JSONRoom.numberLength) { room in
          room.number(1)
          room.integer(2)
        }
      }
      await #expect(processExitsWith: .success) {
        var writer = JSONWriter(reserving: 1 << 20)
        writer.withRoom(2 * JSONRoom.numberLength) { room in
          room.number(1)
          room.integer(2)
        }
      }
    }
  #endif
}
