// MapKit's square world, in which the service gives rects: 2^28 map points wide.

const WORLD = 2 ** 28
// The largest zoom that the service takes.
const MOST_ZOOM = 24

/** The zoom of a map, in tiles of 256 points, as the service takes it. */
export function askableZoom(zoom) { return Math.min(Math.max(zoom, 0), MOST_ZOOM) }

/** The degrees of a rect of map points: [west, south, east, north]. */
export function boundsOf({ x, y, width, height }) {
  return [longitude(x), latitude(y + height), longitude(x + width), latitude(y)]
}

function longitude(x) { return x / WORLD * 360 - 180 }

function latitude(y) { return latitudeAt(y / WORLD) }

function latitudeAt(part) { return Math.atan(Math.sinh(Math.PI * (1 - 2 * part))) * 180 / Math.PI }

/** The part of a rect that is within some map points of a place, as [west, south, east, north]. */
export function nearby([west, south, east, north], { lng, lat }, distance) {
  const y = WORLD * (0.5 - Math.asinh(Math.tan(lat * Math.PI / 180)) / (2 * Math.PI))
  const aside = distance / WORLD * 360
  return [Math.max(west, lng - aside), Math.max(south, latitude(y + distance)), Math.min(east, lng + aside), Math.min(north, latitude(y - distance))]
}

/** A coordinate, moved within its cell of a grid until the cell's edges are so far away, in parts of the world's width. */
export function within(coordinate, cellsPerWorld, distance) {
  const [x, y] = partsOf(coordinate)
  const move = (place, cell) => {
    const [least, most] = [cell / cellsPerWorld + distance, (cell + 1) / cellsPerWorld - distance]
    return least > most ? (least + most) / 2 : Math.min(Math.max(place, least), most)
  }
  const [column, row] = [Math.floor(x * cellsPerWorld), Math.min(Math.max(Math.floor(y * cellsPerWorld), 0), cellsPerWorld - 1)]
  return coordinateAt(move(x, column), move(y, row))
}

/** A coordinate in parts of the world's width, from its north-western corner. */
export function partsOf({ latitude, longitude }) {
  return [(longitude + 180) / 360, 0.5 - Math.asinh(Math.tan(latitude * Math.PI / 180)) / (2 * Math.PI)]
}

/** The coordinate at parts of the world's width. */
export function coordinateAt(x, y) { return { latitude: latitudeAt(y), longitude: x * 360 - 180 } }

/** A longitude on the side of another, so within 180° of it. */
export function near(longitude, centre) { return longitude + 360 * Math.round((centre - longitude) / 360) }

/** A rect that a map shows, as the service takes it: its centre within ±180°, no more than the world. */
export function askable([west, south, east, north]) {
  const shift = 360 * Math.round((west + east) / 720)
  const width = Math.min(east - west, 360)
  const middle = (west + east) / 2 - shift
  return [middle - width / 2, Math.max(south, -90), middle + width / 2, Math.min(north, 90)]
}
