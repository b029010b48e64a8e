// Land and borders below the pins, drawn into tiles from one file: Natural Earth, public domain.

/** A grid layer of land and borders. */
export function landLayer(L, url) {
  const shapes = fetch(url).then(answer => answer.json()).then(prepare)
  const Layer = L.GridLayer.extend({
    createTile(coords, done) {
      const size = this.getTileSize()
      const canvas = document.createElement('canvas')
      const ratio = Math.min(globalThis.devicePixelRatio || 1, 2)
      Object.assign(canvas, { width: size.x * ratio, height: size.y * ratio })
      shapes.then(shapes => turn(() => {
        draw(canvas, coords, shapes, ratio)
        done(null, canvas)
      }), done)
      return canvas
    },
  })
  const layer = new Layer({ tileSize: 512, zoomOffset: 0, updateWhenZooming: false, keepBuffer: 1, attribution: 'Natural Earth' })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => layer.redraw())
  return layer
}

// One tile after another, some in each frame, so that pins needn't wait for land.
const waiting = []
const BUDGET = 8

function turn(action) {
  if (waiting.push(action) === 1) requestAnimationFrame(turns)
}

function turns() {
  const end = performance.now() + BUDGET
  do waiting.shift()()
  while (waiting.length && performance.now() < end)
  if (waiting.length) requestAnimationFrame(turns)
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

function draw(canvas, { x, y, z }, { land, borders }, ratio) {
  // Leaflet's zoom 0 is 256 points wide, of which a tile of 512 is twice the world.
  const across = 2 ** z / 2
  const left = across >= 1 ? (((x % across) + across) % across) / across : 0
  const tile = { left, top: y / across, scale: canvas.width * across }
  const context = canvas.getContext('2d')
  const colors = getComputedStyle(document.documentElement)
  context.fillStyle = colors.getPropertyValue('--land')
  const border = colors.getPropertyValue('--border')
  context.lineWidth = ratio
  context.lineJoin = 'round'
  const copies = across < 1 ? [0, 1] : [0]
  for (const copy of copies) {
    const part = { ...tile, left: tile.left - copy }
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
