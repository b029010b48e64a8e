// The state of the map page, which is what stands behind the # of its URL.

const DEFAULTS = {
  collection: '', lat: null, lng: null, zoom: null, filter: '', titles: null, color: '', how: 'share', method: 'grid',
  size: null, from: null, to: null, grid: false, live: false, id: null,
}

/** The state that a URL holds. What it doesn't know, or can't be, is left as it is by default. */
export function read(hash) {
  const state = { ...DEFAULTS }
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ''))) {
    if (!(name in DEFAULTS)) continue
    if (['lat', 'lng', 'zoom', 'size', 'from', 'to'].includes(name)) {
      const number = Number(text)
      if (text !== '' && Number.isFinite(number)) state[name] = number
    } else if (['grid', 'live'].includes(name)) state[name] = text === '1'
    else state[name] = text
  }
  if (!['grid', 'distance', 'collision'].includes(state.method)) state.method = 'grid'
  if (!['share', 'group'].includes(state.how)) state.how = 'share'
  if (state.lat !== null) state.lat = Math.min(Math.max(state.lat, -85), 85)
  if (state.zoom !== null) state.zoom = Math.min(Math.max(state.zoom, 0), 24)
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
