// MapKit's square world, in which the service gives rects: 2^28 map points wide.

const WORLD = 2 ** 28

/** The degrees of a rect of map points: [west, south, east, north]. */
export function boundsOf({ x, y, width, height }) {
  return [longitude(x), latitude(y + height), longitude(x + width), latitude(y)]
}

function longitude(x) { return x / WORLD * 360 - 180 }

function latitude(y) { return Math.atan(Math.sinh(Math.PI * (1 - 2 * y / WORLD))) * 180 / Math.PI }

/** The part of a rect that is within some map points of a place, as [west, south, east, north]. */
export function nearby([west, south, east, north], { lng, lat }, distance) {
  const y = WORLD * (0.5 - Math.asinh(Math.tan(lat * Math.PI / 180)) / (2 * Math.PI))
  const aside = distance / WORLD * 360
  return [Math.max(west, lng - aside), Math.max(south, latitude(y + distance)), Math.min(east, lng + aside), Math.min(north, latitude(y - distance))]
}

/** A longitude on the side of another, so within 180° of it. */
export function near(longitude, centre) { return longitude + 360 * Math.round((centre - longitude) / 360) }

/** A rect that a map shows, as the service takes it: its centre within ±180°, no more than the world. */
export function askable([west, south, east, north]) {
  const shift = 360 * Math.round((west + east) / 720)
  const width = Math.min(east - west, 360)
  const middle = (west + east) / 2 - shift
  return [middle - width / 2, Math.max(south, -90), middle + width / 2, Math.min(north, 90)]
}
