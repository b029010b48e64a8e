// Land and borders below the pins, drawn from one file: Natural Earth, public domain.

// How much more than the map shows is drawn, as a share of it on each side.
const PADDING = 0.2

/** A layer of land and borders: a single canvas that goes with the map, and is drawn again when the map leaves it. */
export function landLayer(L, url) {
  let shapes = null
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
      draw(canvas, { left: x / world, top: y / world, scale: world * ratio }, shapes, ratio)
      canvas.dataset.zoom = this._zoom
    },
  })
  const layer = new Land({ pane: 'tilePane', padding: PADDING, attribution: 'Natural Earth' })
  // The annotations come first: the map asks for them as soon as it has a view.
  const begun = new Promise(resolve => { layer.shown = () => setTimeout(resolve) })
  Promise.all([fetch(url), begun]).then(([answer]) => answer.json()).then(read => {
    shapes = prepare(read)
    layer._draw()
  }).catch(console.warn)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => layer._draw())
  return layer
}

// Degrees become parts of the square world, with the bounds of each shape.
function prepare({ land, borders, scale }) {
  const lineOf = flat => {
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
  const shapeOf = lines => {
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
  return { land: land.map(rings => shapeOf(rings.map(lineOf))), borders: borders.map(line => shapeOf([lineOf(line)])) }
}

function draw(canvas, { left, top, scale }, { land, borders }, ratio) {
  const context = canvas.getContext('2d')
  const colors = getComputedStyle(document.documentElement)
  context.fillStyle = colors.getPropertyValue('--land')
  const border = colors.getPropertyValue('--border')
  context.lineWidth = ratio
  context.lineJoin = 'round'
  // The world again and again, as often as it is seen.
  for (let copy = Math.floor(left); copy < left + canvas.width / scale; copy++) {
    const part = { left: left - copy, top, scale }
    context.beginPath()
    for (const shape of land) if (isSeen(shape, part, canvas)) trace(context, shape, part, canvas, true)
    context.fill('evenodd')
    // Without a hair where land is cut, as along 180°.
    context.strokeStyle = context.fillStyle
    context.stroke()
    context.beginPath()
    for (const shape of borders) if (isSeen(shape, part, canvas)) trace(context, shape, part, canvas, false)
    context.strokeStyle = border
    context.stroke()
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
