// The map itself: Leaflet, what lies below the pins, where it is, and which cells it has.

import { isCalm } from './face.js'
import { landLayer } from './map-land.js'
import { near } from './mercator.js'

const MOST_ZOOM = 20

/** Loads Leaflet, which is no module. */
export function loadLeaflet() {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.onload = () => (globalThis.L ? resolve() : reject(new Error('Leaflet is not what it should be.')))
    script.onerror = () => reject(new Error('Leaflet can’t be loaded.'))
    script.src = document.getElementById('leaflet').href
    document.head.append(script)
  })
}

/** Makes the map, with land and the tiles that the operator chose, at no place yet; returns it and the layer of land. */
export function makeMap(root) {
  const L = globalThis.L
  const { basemap, attribution } = document.documentElement.dataset
  const map = L.map('map', {
    zoomControl: false, maxZoom: MOST_ZOOM, zoomSnap: 0.5, wheelPxPerZoomLevel: 100, worldCopyJump: true,
    maxBounds: [[-85.06, -Infinity], [85.06, Infinity]], maxBoundsViscosity: 1,
    // Land is drawn at once; tiles from elsewhere come one by one.
    fadeAnimation: Boolean(basemap),
  })
  // The world is never narrower than the map, so that each place is there once.
  const bound = () => map.setMinZoom(Math.max(1, Math.ceil(2 * Math.log2(map.getSize().x / 256)) / 2))
  map.on('resize', bound)
  bound()
  keepCalm(map)
  L.control.zoom({ position: 'bottomright' }).addTo(map)
  map.attributionControl.setPrefix('<a href="https://leafletjs.com">Leaflet</a>')
  // Tiles have waters and names of their own.
  const land = landLayer(L, { land: `${root}clients/land.json`, ground: basemap ? undefined : `${root}clients/ground.json` }).addTo(map)
  if (basemap) {
    // The operator's attribution is text, too.
    const text = document.createElement('span')
    text.textContent = attribution
    L.tileLayer(basemap, { attribution: text.innerHTML, maxZoom: MOST_ZOOM }).addTo(map)
  }
  return { map, land }
}

// Moves at once where the reader wants no movement, from the moment that they say so.
function keepCalm(map) {
  const { panBy, setView } = map
  const still = { animate: false }
  map.setView = (centre, zoom, options) => setView.call(map, centre, zoom, isCalm() ? { ...options, ...still, zoom: still, pan: still } : options)
  map.panBy = (offset, options) => panBy.call(map, offset, isCalm() ? { ...options, ...still } : options)
  const { inertia, zoomAnimation } = map.options
  const query = matchMedia('(prefers-reduced-motion: reduce)')
  const adapt = () => Object.assign(map.options, { inertia: inertia && !query.matches, zoomAnimation: zoomAnimation && !query.matches })
  query.addEventListener('change', adapt)
  adapt()
}

/** Shows what the state says, or all there is. */
export function place(map, state, extent = [-180, -90, 180, 90]) {
  if (state.lat !== null && state.lng !== null && state.zoom !== null) {
    map.setView([state.lat, state.lng], state.zoom, { animate: false })
    return
  }
  const [west, south, east, north] = extent
  const isWide = innerWidth > 640
  const beside = edge(document.getElementById('panel'))
  const span = (east - west + 360) % 360
  if (span > 180 || span === 0) {
    // As much of the world as there is room for, beside the panel.
    const sheet = isWide ? 0 : document.getElementById('panel').offsetHeight
    const zoom = Math.max(map.getMinZoom(), Math.ceil(2 * Math.log2((map.getSize().y - sheet) / 256)) / 2)
    const centre = map.project([25, 10], zoom).add([isWide ? -beside / 2 : 0, sheet / 2])
    map.setView(map.unproject(centre, zoom), zoom, { animate: false })
    return
  }
  map.fitBounds([[Math.max(south, -60), west], [Math.min(north, 75), east < west ? east + 360 : east]],
    { animate: false, maxZoom: 14, paddingTopLeft: isWide ? [beside + 16, 20] : [20, 20], paddingBottomRight: isWide ? [20, 20] : [20, 140] })
}

/** What the cards over the map cover of its edges when a cluster is open. */
export function padding(map) {
  const { x, y } = map.getSize()
  if (innerWidth <= 640) return [[24, 24], [24, Math.round(y * 0.45) + 24]]
  const left = edge(document.getElementById('panel')) + 24
  // The card is as wide as the panel, or a little less, and may still be hidden.
  return [[left, 24], [x > 1000 && x > 2 * left + 200 ? left - 10 : 24, 24]]
}

const edge = element => element.offsetLeft + element.offsetWidth

/** Moves the map until what is around a place is not under the cards. */
export function makeRoom(map, latLng, radius) {
  const { x, y } = map.getSize()
  const [[left, top], [right, bottom]] = padding(map)
  const room = Math.max(0, Math.min(radius, (x - left - right) / 2 - 1, (y - top - bottom) / 2 - 1))
  map.panInside(latLng, { paddingTopLeft: [left + room, top + room], paddingBottomRight: [right + room, bottom + room] })
}

/** Draws the cells of an answer's `grid`; returns their layer, undefined if there are none. */
export function drawCells(map, grid) {
  if (!grid) return undefined
  const rings = grid.features.map(({ geometry }) => geometry.coordinates[0])
  if (!rings.length) return undefined
  // The grid begins on one side of the antimeridian, which need not be that of the map.
  const middle = (rings[0][0][0] + rings.at(-1)[2][0]) / 2
  const shift = near(middle, map.getCenter().lng) - middle
  const lines = rings.map(ring => ring.map(([longitude, latitude]) => [latitude, longitude + shift]))
  return globalThis.L.polyline(lines, { interactive: false, className: 'pincluster-cells', weight: 1, dashArray: '3 4' }).addTo(map)
}

/** A function that does something once it hasn't been called for a while, in milliseconds. */
export function later(wait, action) {
  let timer
  return () => {
    clearTimeout(timer)
    timer = setTimeout(action, wait)
  }
}
