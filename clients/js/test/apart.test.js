// Circles that share a cell, at random: none over another one, all within their cells, pins where they are.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Places } from '../apart.js'
import { coordinateAt, partsOf } from '../mercator.js'

// A row of numbers that is the same each time.
function random(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

test('circles of a cell keep apart', () => {
  const next = random(7)
  for (let round = 0; round < 400; round++) {
    const zoom = 2 + 12 * next()
    const wanted = 40 + 120 * next()
    const cellsPerWorld = Math.max(1, Math.floor(256 * 2 ** zoom / wanted))
    const cell = 256 * 2 ** zoom / cellsPerWorld
    const [column, row] = [Math.floor(next() * cellsPerWorld), Math.floor(next() * cellsPerWorld)]
    const most = Math.floor((cell - 1) / 22) ** 2
    const count = 1 + Math.floor(next() * Math.min(most, 16))
    const pins = Math.floor(next() * 4)
    // Close together, as the groups of one town.
    const [x, y, width] = [next(), next(), 0.01 + 0.4 * next()]
    const place = () => [x, y].map(middle => Math.min(Math.max(middle + width * (next() - 0.5), 1e-6), 1 - 1e-6))
    const annotations = Array.from({ length: count + pins }, (_, i) => {
      const [a, b] = place()
      return { id: `a${i}`, count: i < count ? 2 + Math.floor(10 ** (4 * next())) : 1, coordinate: coordinateAt((column + a) / cellsPerWorld, (row + b) / cellsPerWorld) }
    })
    const places = new Places()
    assert.equal(places.update(annotations, { cellsPerWorld }, zoom), true)
    const drawn = annotations.map(annotation => {
      const [a, b] = partsOf(places.coordinateOf(annotation)).map(part => part * cellsPerWorld * cell)
      return { x: a - column * cell, y: b - row * cell, radius: places.sizeOf(annotation) / 2, count: annotation.count }
    })
    drawn.forEach((own, i) => {
      if (own.count === 1) return assert.deepEqual(places.coordinateOf(annotations[i]), annotations[i].coordinate)
      const told = JSON.stringify({ round, cell, drawn })
      assert.ok(own.radius >= 10, told)
      for (const side of [own.x, own.y]) assert.ok(side - own.radius > -0.01 && side + own.radius < cell + 0.01, told)
      for (const other of drawn.slice(0, i)) {
        if (other.count > 1) assert.ok(Math.hypot(own.x - other.x, own.y - other.y) >= own.radius + other.radius - 0.01, told)
      }
    })
  }
})

test('a circle with room stays where it is, and one alone as large as it would be', () => {
  const zoom = 8
  const head = { cellsPerWorld: 800 }
  const annotations = [
    { id: 'a', count: 12, coordinate: coordinateAt(400.3 / 800, 300.3 / 800) }, { id: 'b', count: 12, coordinate: coordinateAt(400.75 / 800, 300.75 / 800) },
    { id: 'c', count: 5000, coordinate: coordinateAt(402.5 / 800, 300.5 / 800) },
  ]
  const places = new Places()
  places.update(annotations, head, zoom)
  for (const annotation of annotations) {
    const [a, b] = [places.coordinateOf(annotation), annotation.coordinate]
    assert.ok(Math.abs(a.latitude - b.latitude) < 1e-9 && Math.abs(a.longitude - b.longitude) < 1e-9, annotation.id)
  }
  assert.equal(places.sizeOf(annotations[0]), 35)
  assert.equal(places.sizeOf(annotations[2]), 56)
  // Without a grid nothing is moved.
  assert.equal(places.update(annotations, null, zoom), true)
  assert.equal(places.update(annotations, null, zoom), false)
  assert.deepEqual(places.coordinateOf(annotations[0]), annotations[0].coordinate)
})
