// The state of the map page, which is what stands behind the # of its URL.

const DEFAULTS = {
  collection: '', lat: null, lng: null, zoom: null, filter: '', titles: null, color: '', how: 'share', method: 'grid',
  size: null, from: null, to: null, grid: false, live: false, id: null,
}

/** The slider of each method: its field, its name, its least, greatest and usual value. */
export const SIZES = {
  grid: ['cellSize', 'Cell size', 40, 200, 80],
  distance: ['epsilon', 'Distance', 5, 120, 30],
  collision: ['markerSize', 'Marker size', 20, 120, 40],
}

/** The state that a URL holds. What it doesn't know, or can't be, is left as it is by default. */
export function read(hash) {
  const state = { ...DEFAULTS }
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ''))) {
    if (!(name in DEFAULTS)) continue
    if (['lat', 'lng', 'zoom', 'size', 'from', 'to'].includes(name)) {
      const number = Number(text)
      if (text !== '' && Number.isFinite(number)) state[name] = number
      else if (['from', 'to'].includes(name) && Number.isFinite(Date.parse(text))) state[name] = new Date(text).toISOString()
    } else if (['grid', 'live'].includes(name)) state[name] = text === '1'
    else state[name] = text
  }
  if (!['grid', 'distance', 'collision'].includes(state.method)) state.method = 'grid'
  if (!['share', 'group'].includes(state.how)) state.how = 'share'
  if (state.lat !== null) state.lat = Math.min(Math.max(state.lat, -85), 85)
  if (state.zoom !== null) state.zoom = Math.min(Math.max(state.zoom, 0), 24)
  // A number is a place of the slider, as older addresses have it.
  for (const end of ['from', 'to']) if (typeof state[end] === 'number') state[end] = Math.min(Math.max(state[end], 0), 1000)
  const [, , least, most] = SIZES[state.method]
  if (state.size !== null) state.size = Math.min(Math.max(state.size, least), most)
  return state
}

/** A state as it stands in a URL: what isn't as by default. */
export function written(state) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(state)) {
    if (value === DEFAULTS[name] || value === null || value === undefined) continue
    query.set(name, value === true ? '1' : String(value))
  }
  return `#${query}`
}

/** The fields of a viewport request that say how large things are; null takes one back. */
export function sizes({ method, size }) {
  const [name, , , , usual] = SIZES[method]
  const length = size ?? usual
  return { cellSize: null, epsilon: null, markerSize: null, [name]: name === 'markerSize' ? [length, length] : length }
}
