// The clusterer for Google maps, on stubs of maps.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { MarkerClusterer } from '../google.js'

globalThis.document = { pinclusterStyle: true }

const mapOf = (zoom = 5) => ({
  addListener: () => ({ remove() {} }), getZoom: () => zoom,
  getBounds: () => ({ toJSON: () => ({ west: 0, east: 20, south: 40, north: 60 }) }),
})

/** A clusterer whose service answers each view with one annotation, and the markers that it has made. */
function clustererOn(map) {
  const [markers, asked] = [[], []]
  const render = () => {
    const marker = { map: null, addEventListener() {} }
    markers.push(marker)
    return marker
  }
  const clusterer = new MarkerClusterer({ url: 'http://a.example/collections/c', google: {}, renderer: { render } })
  clusterer.collection.options.fetch = async address => {
    asked.push(new URL(address).searchParams)
    const annotations = [{ id: 'a', count: 3, coordinate: { latitude: 50, longitude: 10 } }]
    return new Response(JSON.stringify({ annotations, version: 1, featureCount: 3, cellsPerWorld: null, cellMapSize: null }))
  }
  clusterer.setMap(map)
  return { clusterer, markers, asked }
}

/** Waits until a condition holds. */
async function until(condition) {
  for (let i = 0; !condition(); i++) {
    assert.ok(i < 1000, `not within 10 s: ${condition}`)
    await wait(10)
  }
}

test('another map has the markers alone', async () => {
  const [one, other] = [mapOf(), mapOf()]
  const { clusterer, markers } = clustererOn(one)
  const on = map => markers.filter(marker => marker.map === map).length
  await until(() => on(one) === 1)
  clusterer.setMap(other)
  assert.equal(on(one), 0)
  await until(() => on(other) === 1)
  assert.deepEqual([on(one), clusterer.markers.size], [0, 1])
  clusterer.setMap(null)
  assert.deepEqual([on(other), clusterer.markers.size], [0, 0])
})

test('a zoom is one that the service takes', async () => {
  for (const [zoom, expected] of [[25.5, '24'], [24, '24'], [7.5, '7.5'], [-1, '0']]) {
    const { clusterer, asked } = clustererOn(mapOf(zoom))
    await until(() => asked.length)
    assert.deepEqual(asked.map(fields => fields.get('zoom')), [expected])
    clusterer.setMap(null)
  }
})
