// The ground below the pins: land and borders; in closer views rivers, lakes and names of towns, too. Natural Earth, public domain.

import { meet, textScale } from './map-labels.js'

// How much more than the map shows is drawn, as a share of it on each side.
const PADDING = 0.2
// Rivers, lakes and towns are of a file of their own, which a map of the world doesn't need. Closer than to `WATERS_TO` their lines
// would be beside their places.
const [GROUND_FROM, WATERS_TO, TOWNS_TO] = [4, 11, 14]
// The sizes of names' letters and lines, the space beside a name, and how far up or down it may make way, in points.
const [NAME_SIZE, NAME_HEIGHT, NAME_GAP, ASIDE] = [11, 15, 4, [0, -16, 16, -32, 32]]
const NAME_FONT = 'system-ui, sans-serif'

/**
 * A layer of land: a single canvas that goes with the map, and is drawn again when the map leaves it.
 *
 * @param urls `land`, the file of land and borders; `ground`, that of rivers, lakes and towns, undefined to do without
 */
export function landLayer(L, urls) {
  let [shapes, ground, asked] = [null, null, false]
  const Land = L.Renderer.extend({
    _initContainer() {
      this._container = document.createElement('canvas')
      this._container.className = 'pincluster-land'
    },

    _destroyContainer() { this._container.remove() },

    getEvents() { return { ...L.Renderer.prototype.getEvents.call(this), move: this._follow, resize: this._renew } },

    // While the map is dragged, too, as soon as it shows more than was drawn.
    _follow() {
      const map = this._map
      if (this._zoom !== map.getZoom()) return
      const [from, to] = [map.containerPointToLayerPoint([0, 0]), map.containerPointToLayerPoint(map.getSize())]
      if (!this._bounds.contains(L.bounds(from, to))) this._update()
    },

    _renew() {
      this._center = undefined
      this._update()
    },

    _update() {
      const map = this._map
      if (this._zoom === map.getZoom() && this._center?.equals(map.getCenter())) return
      L.Renderer.prototype._update.call(this)
      this.shown()
      this._draw()
      if (urls.ground && !asked && this._zoom >= GROUND_FROM) this._ask()
    },

    _ask() {
      asked = true
      begun.then(() => fetch(urls.ground)).then(answer => answer.json()).then(read => {
        ground = prepareGround(read)
        this._draw()
      }).catch(console.warn)
    },

    /** Leaves boxes free of names: those of the markers and their titles, in the map's layer points. Shown titles aren't repeated. */
    keepFree({ boxes, titles }) {
      this._taken = { boxes, titles, zoom: this._map.getZoom() }
      if (ground && this._bounds && JSON.stringify(this._names()) !== JSON.stringify(this._written)) this._draw()
    },

    // Names for which there is room: none until the markers of this zoom are known.
    _names() {
      if (!ground || this._taken?.zoom !== this._zoom || this._zoom > TOWNS_TO) return []
      const world = 256 * this._map.getZoomScale(this._zoom, 0)
      return namesWithin(this._bounds, this._map.getPixelOrigin(), world, this._zoom, ground.towns, this._taken)
    },

    _draw() {
      if (!shapes || !this._bounds) return
      const [canvas, map, size] = [this._container, this._map, this._bounds.getSize()]
      const ratio = Math.min(globalThis.devicePixelRatio || 1, 2)
      Object.assign(canvas, { width: size.x * ratio, height: size.y * ratio })
      Object.assign(canvas.style, { width: `${size.x}px`, height: `${size.y}px` })
      L.DomUtil.setPosition(canvas, this._bounds.min)
      const world = 256 * map.getZoomScale(this._zoom, 0)
      const { x, y } = map.getPixelOrigin().add(this._bounds.min)
      const waters = ground && this._zoom <= WATERS_TO ? ground : undefined
      draw(canvas, { left: x / world, top: y / world, scale: world * ratio }, shapes, waters, ratio, this._zoom)
      const names = (this._written = this._names())
      write(canvas, names, this._bounds.min, ratio)
      Object.assign(canvas.dataset, { zoom: this._zoom, waters: Boolean(waters), names: names.map(({ name }) => name) })
    },
  })
  const layer = new Land({ pane: 'tilePane', padding: PADDING, attribution: 'Natural Earth' })
  // The annotations come first: the map asks for them as soon as it has a view.
  const begun = new Promise(resolve => { layer.shown = () => setTimeout(resolve) })
  Promise.all([fetch(urls.land), begun]).then(([answer]) => answer.json()).then(read => {
    shapes = prepare(read)
    layer._draw()
  }).catch(console.warn)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => layer._draw())
  return layer
}

function prepare({ land, borders, scale }) {
  return { land: land.map(rings => shapeOf(rings, scale)), borders: borders.map(line => shapeOf([line], scale)) }
}

// Shapes and towns of one zoom are together in the file, after that zoom.
function prepareGround({ rivers, lakes, towns, scale }) {
  const shapesOf = (groups, ringsOf) => groups.flatMap(([zoom, ...shapes]) => shapes.map(shape => ({ zoom, ...shapeOf(ringsOf(shape), scale) })))
  return {
    rivers: shapesOf(rivers, line => [line]), lakes: shapesOf(lakes, rings => rings),
    towns: towns.flatMap(([zoom, ...parts]) => Array.from({ length: parts.length / 3 }, (_, i) => {
      const [x, y] = lineOf(parts.slice(3 * i + 1, 3 * i + 3), scale)
      return { zoom, name: parts[3 * i], x, y }
    })),
  }
}

// Degrees become parts of the square world.
function lineOf(flat, scale) {
  const points = new Float64Array(flat.length)
  let [longitude, latitude] = [0, 0]
  for (let i = 0; i < flat.length; i += 2) {
    longitude += flat[i]
    latitude += flat[i + 1]
    const sine = Math.sin(Math.min(Math.max(latitude / scale, -85.05), 85.05) * Math.PI / 180)
    points[i] = longitude / scale / 360 + 0.5
    points[i + 1] = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
  }
  return points
}

// The lines of a shape with their bounds.
function shapeOf(flats, scale) {
  const lines = flats.map(flat => lineOf(flat, scale))
  const bounds = [Infinity, Infinity, -Infinity, -Infinity]
  for (const line of lines) {
    for (let i = 0; i < line.length; i += 2) {
      bounds[0] = Math.min(bounds[0], line[i])
      bounds[1] = Math.min(bounds[1], line[i + 1])
      bounds[2] = Math.max(bounds[2], line[i])
      bounds[3] = Math.max(bounds[3], line[i + 1])
    }
  }
  return { lines, bounds }
}

// The towns of a zoom whose names meet neither each other nor what is taken, the greatest first.
function namesWithin({ min, max }, origin, world, zoom, towns, { boxes, titles }) {
  const taken = [...boxes]
  const scale = textScale()
  const found = []
  for (const { zoom: from, name, x, y } of towns) {
    if (from > zoom) break
    if (titles.has(name)) continue
    const top = y * world - origin.y
    if (top < min.y || top > max.y) continue
    for (let copy = Math.ceil((origin.x + min.x) / world - x); (x + copy) * world - origin.x <= max.x; copy++) {
      const left = (x + copy) * world - origin.x
      const half = widthOf(name) * scale / 2 + NAME_GAP
      for (const aside of ASIDE) {
        const middle = top + aside
        const box = [left - half, middle - NAME_HEIGHT * scale / 2, left + half, middle + NAME_HEIGHT * scale / 2]
        if (taken.some(other => meet(box, other))) continue
        taken.push(box)
        found.push({ name, x: left, y: middle })
        break
      }
    }
  }
  return found
}

const widths = new Map()
let ruler
function widthOf(name) {
  if (!widths.has(name)) {
    ruler ??= Object.assign(document.createElement('canvas').getContext('2d'), { font: `${NAME_SIZE}px ${NAME_FONT}` })
    widths.set(name, ruler.measureText(name).width)
  }
  return widths.get(name)
}

function write(canvas, names, corner, ratio) {
  const context = canvas.getContext('2d')
  const colors = getComputedStyle(document.documentElement)
  Object.assign(context, {
    font: `${NAME_SIZE * textScale() * ratio}px ${NAME_FONT}`, textAlign: 'center', textBaseline: 'middle', lineWidth: 3 * ratio, lineJoin: 'round',
    fillStyle: colors.getPropertyValue('--muted'), strokeStyle: colors.getPropertyValue('--land'),
  })
  for (const { name, x, y } of names) {
    const place = [(x - corner.x) * ratio, (y - corner.y) * ratio]
    context.strokeText(name, ...place)
    context.fillText(name, ...place)
  }
}

function draw(canvas, { left, top, scale }, { land, borders }, waters, ratio, zoom) {
  const context = canvas.getContext('2d')
  const colors = getComputedStyle(document.documentElement)
  const [ground, water, river, border] = ['--land', '--water', '--river', '--border'].map(name => colors.getPropertyValue(name))
  context.lineWidth = ratio
  context.lineJoin = 'round'
  // The world again and again, as often as it is seen.
  for (let copy = Math.floor(left); copy < left + canvas.width / scale; copy++) {
    const part = { left: left - copy, top, scale }
    const outline = (shapes, isClosed, color) => {
      context.beginPath()
      for (const shape of shapes) if (!(shape.zoom > zoom) && isSeen(shape, part, canvas)) trace(context, shape, part, canvas, isClosed)
      context.strokeStyle = color
      if (isClosed) {
        context.fillStyle = color
        context.fill('evenodd')
      }
      // Areas, too, without a hair where they are cut, as along 180°.
      context.stroke()
    }
    outline(land, true, ground)
    if (waters) {
      context.lineWidth = (zoom < 7 ? 1 : 1.5) * ratio
      outline(waters.rivers, false, river)
      context.lineWidth = ratio
      outline(waters.lakes, true, water)
    }
    outline(borders, false, border)
  }
}

function isSeen({ bounds: [west, north, east, south] }, { left, top, scale }, { width, height }) {
  return (east - left) * scale > 0 && (west - left) * scale < width && (south - top) * scale > 0 && (north - top) * scale < height
}

// Draws lines, without points closer than half a pixel, nor those that lie beyond one side together.
function trace(context, { lines }, { left, top, scale }, { width, height }, isClosed) {
  const sideOf = (x, y) => (x < -4 ? 1 : x > width + 4 ? 2 : 0) | (y < -4 ? 4 : y > height + 4 ? 8 : 0)
  for (const line of lines) {
    let [lastX, lastY, side, isWaiting] = [0, 0, 0, false]
    for (let i = 0; i < line.length; i += 2) {
      const x = (line[i] - left) * scale
      const y = (line[i + 1] - top) * scale
      if (i === 0) {
        context.moveTo(x, y)
        ;[lastX, lastY, side] = [x, y, sideOf(x, y)]
        continue
      }
      const here = sideOf(x, y)
      if (here & side && i < line.length - 2) {
        ;[lastX, lastY, side, isWaiting] = [x, y, here & side, true]
        continue
      }
      if (isWaiting) context.lineTo(lastX, lastY)
      if (!isWaiting && Math.abs(x - lastX) + Math.abs(y - lastY) < 0.7 && i < line.length - 2) continue
      context.lineTo(x, y)
      ;[lastX, lastY, side, isWaiting] = [x, y, here, false]
    }
    if (isClosed) context.closePath()
  }
}
