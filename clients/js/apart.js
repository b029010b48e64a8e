// Circles that share a cell, as those of groups do, so placed that none covers another one's count.

import { cellWidth, GAP, LEAST, placeOf, sizeOf } from './face.js'
import { coordinateAt, partsOf } from './mercator.js'

// A pin as an obstacle, in points.
const PIN = { radius: 8 }
// The most annotations of a cell that are placed anew: of more, as where nothing is clustered, there is no room for all.
const MOST = 30
// The places of a cell that are tried along each of its sides.
const STEPS = 13

/**
 * The places and widths in which the annotations of a view are drawn. Circles stay within their cells. Where a cell holds several
 * annotations, each circle goes to the free place that is nearest, and is smaller where there is little room. Pins stay.
 */
export class Places {
  #moved = new Map()
  #head = null
  #zoom

  /** Takes what is on screen on a map at a zoom, `head` being that of the answer, or null; whether unchanged annotations may be drawn differently. */
  update(annotations, head, zoom) {
    const had = this.#moved.size > 0 || this.#zoom !== zoom
    ;[this.#head, this.#zoom, this.#moved] = [head, zoom, apart(annotations, head, zoom)]
    return had || this.#moved.size > 0
  }

  coordinateOf(annotation) { return this.#moved.get(annotation.id)?.coordinate ?? placeOf(annotation, this.#head, this.#zoom) }

  sizeOf(annotation) { return this.#moved.get(annotation.id)?.size ?? sizeOf(annotation, cellWidth(this.#head, this.#zoom)) }
}

// The circles of cells that hold several annotations: a map from their ids to `{ coordinate, size }`.
function apart(annotations, head, zoom) {
  const places = new Map()
  const cell = cellWidth(head, zoom)
  if (cell === Infinity) return places
  for (const { column, row, shared } of cellsOf(annotations, head.cellsPerWorld)) {
    if (shared.length < 2 || shared.length > MOST) continue
    const placed = shared.map(({ annotation, x, y }) => ({ annotation, x: (x - column) * cell, y: (y - row) * cell }))
    for (const { annotation, x, y, radius } of arrange(placed, cell)) {
      const coordinate = coordinateAt((column + x / cell) / head.cellsPerWorld, (row + y / cell) / head.cellsPerWorld)
      places.set(annotation.id, { coordinate, size: 2 * radius })
    }
  }
  return places
}

// The annotations by cell, with their places in widths of a cell.
function cellsOf(annotations, cellsPerWorld) {
  const cells = new Map()
  for (const annotation of annotations) {
    const [x, y] = partsOf(annotation.coordinate).map(part => part * cellsPerWorld)
    const [column, row] = [Math.floor(x), Math.min(Math.max(Math.floor(y), 0), cellsPerWorld - 1)]
    const key = `${column} ${row}`
    if (!cells.has(key)) cells.set(key, { column, row, shared: [] })
    cells.get(key).shared.push({ annotation, x, y })
  }
  return cells.values()
}

function arrange(all, cell) {
  const circles = all.filter(({ annotation }) => annotation.count > 1).sort((a, b) => b.annotation.count - a.annotation.count)
  const pins = all.filter(({ annotation }) => annotation.count === 1).map(pin => ({ ...pin, ...PIN }))
  if (!circles.length) return []
  for (let across = Math.ceil(Math.sqrt(circles.length)); ; across++) {
    const most = Math.max(Math.floor(cell / across) - GAP, LEAST)
    const placed = settle(circles, pins, cell, most)
    if (placed) return placed
    // As small as counts can be: rather on a pin than on one another.
    if (most === LEAST) return settle(circles, [], cell, LEAST) ?? inRows(circles, cell)
  }
}

// Places circles of at most some width one after the other; null if there is no room for one.
function settle(circles, obstacles, cell, most) {
  const taken = [...obstacles]
  const placed = []
  for (const { annotation, x, y } of circles) {
    const radius = Math.min(sizeOf(annotation, cell), most) / 2
    const margin = radius + GAP / 2
    const [least, step] = [margin, (cell - 2 * margin) / (STEPS - 1)]
    const clamp = place => Math.min(Math.max(place, margin), Math.max(cell - margin, margin))
    const places = [{ x: clamp(x), y: clamp(y) }]
    for (let i = 0; step > 0 && i < STEPS * STEPS; i++) places.push({ x: least + i % STEPS * step, y: least + Math.floor(i / STEPS) * step })
    const isFree = place => taken.every(other => Math.hypot(other.x - place.x, other.y - place.y) >= other.radius + radius + GAP / 2)
    const distance = place => Math.hypot(place.x - x, place.y - y)
    const free = places.filter(isFree)
    if (!free.length) return null
    const own = { annotation, radius, ...free.reduce((a, b) => (distance(b) < distance(a) ? b : a)) }
    taken.push(own)
    placed.push(own)
  }
  return placed
}

// The densest order, in which circles may be far from their places, and overlap only if there are too many.
function inRows(circles, cell) {
  const across = Math.ceil(Math.sqrt(circles.length))
  const width = cell / across
  const sorted = [...circles].sort((a, b) => a.y - b.y)
  const rows = Array.from({ length: across }, (_, row) => sorted.slice(row * across, (row + 1) * across).sort((a, b) => a.x - b.x))
  return rows.flatMap((row, j) => row.map(({ annotation }, i) => ({ annotation, radius: LEAST / 2, x: (i + 0.5) * width, y: (j + 0.5) * width })))
}
