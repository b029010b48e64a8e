// The MapLibre layer against the built binary, on a stub of a map: what is a cluster, and what is a pin.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { layer } from '../maplibre.js'
import { Pincluster } from '../pincluster.js'
import { point, start } from './service.js'

// Properties of features that have the names of the service's for clusters.
const ODD = { cluster: true, cluster_id: 4, point_count: 7, point_count_abbreviated: '7', annotation_id: 'x', feature_id: 'y', title: 'own' }

/** What maplibre.js uses of a map. */
class StubMap {
  sources = new Map()
  layers = new Map()
  listeners = new Map()
  bounds = [0, 50, 2, 52]
  zoom = 8
  off(type, target, listener) { this.listeners.delete(listener ? `${type} ${target}` : type) }
  getStyle() { return {} }
  addSource(id, source) {
    this.sources.set(id, { ...source, setData: data => { this.sources.get(id).data = data; this.onData?.(id) } })
  }
  removeSource(id) { this.sources.delete(id) }
  removeLayer(id) { this.layers.delete(id) }
  getLayer(id) { return this.layers.get(id) }
  listImages() { return [] }
  getSource(id) { return this.sources.get(id) }
  addLayer(layer) { this.layers.set(layer.id, layer) }
  on(type, target, listener) { this.listeners.set(listener ? `${type} ${target}` : type, listener ?? target) }
  getBounds() {
    const [west, south, east, north] = this.bounds
    return { getWest: () => west, getSouth: () => south, getEast: () => east, getNorth: () => north }
  }
  getCenter() { return { lng: 1, lat: 51 } }
  getZoom() { return this.zoom }
  getMaxZoom() { return 22 }
  getContainer() { return { clientWidth: 800, clientHeight: 600 } }
  easeTo(options) { this.eased = options }
  project() { return { x: 400, y: 300 } }
  unproject([x, y]) { return { lng: x / 400, lat: 51 + y / 3000 } }
  /** The next data of a source. */
  data(id) {
    return new Promise(resolve => { this.onData = own => { if (own === id) resolve(this.sources.get(id).data) } })
  }
}

let service, places
before(async () => {
  service = await start()
  places = new Pincluster(service.url).collection('places')
  await places.upsert([
    point('shop-a', 0.5, 51.5, ODD), point(-5, 1.5, 50.5, { a: 1 }), point(1, 1.5, 51.5, ODD), point(2, 1.5, 51.5, ODD),
  ])
})
after(() => service.stop())

/** Whether a layer draws a feature, by its filter, which is of the kind that these layers have. */
function draws({ filter }, { properties }) {
  if (filter[0] === '!') return !draws({ filter: filter[1] }, { properties })
  const [operator, [, name], value] = filter
  assert.equal(operator, '==')
  return properties[name] === value
}

test('own properties make no cluster of a pin', async () => {
  const map = new StubMap()
  const drawn = new Promise(resolve => { map.onData = id => map.sources.get(id).data.features.length && resolve(map.sources.get(id).data) })
  const own = layer(places.url, { form: 'geojson', id: 'own', titleProperty: 'name' }).addTo(map)
  const { features } = await drawn
  const [clusters, pins] = ['own-clusters', 'own-pins'].map(id => features.filter(feature => draws(map.layers.get(id), feature)))
  assert.deepEqual(clusters.map(({ properties }) => properties.point_count), [2])
  assert.deepEqual(pins.map(({ properties }) => properties.feature_id).sort(), [-5, 'shop-a'])
  for (const { properties } of pins) {
    assert.equal(properties.cluster ?? properties.cluster_id ?? properties.point_count ?? properties.point_count_abbreviated, undefined)
  }
  const shop = pins.find(({ properties }) => properties.feature_id === 'shop-a').properties
  assert.notEqual(shop.annotation_id, 'x')
  assert.equal(shop.title, 'own')

  // A click on a pin asks for nothing; one on a cluster of one place spreads it, and its pins are pins.
  let asked = 0
  own.open = new Proxy(own.open, { apply: (open, self, args) => { asked++; return Reflect.apply(open, self, args) } })
  const click = (id, feature) => {
    map.queryRenderedFeatures = (_, { layers }) => (layers.includes(id) ? [feature] : [])
    map.listeners.get('click')({ point: [0, 0] })
  }
  const [shopPin] = pins.filter(({ properties }) => properties.feature_id === 'shop-a')
  click('own-pins', shopPin)
  assert.equal(asked, 0)
  const spread = map.data('own-spread')
  click('own-clusters', clusters[0])
  assert.equal(asked, 1)
  const spreadPins = (await spread).features.filter(({ geometry }) => geometry.type === 'Point')
  assert.deepEqual(spreadPins.map(({ properties }) => properties.feature_id), [1, 2])
  for (const pin of spreadPins) {
    assert.equal(pin.properties.cluster_id, undefined)
    click('own-spread-pins', pin)
  }
  assert.equal(asked, 1)
  // Of what lies one over another, the topmost alone.
  map.queryRenderedFeatures = () => [shopPin, clusters[0]]
  map.listeners.get('click')({ point: [0, 0] })
  assert.equal(asked, 1)
  own.remove()
})

test('what would be spread is not, once the map has moved on', async () => {
  const map = new StubMap()
  for (const form of ['tiles', 'geojson']) {
    const own = layer(places.url, { form, id: form }).addTo(map)
    const { annotations } = await places.clusters(own.view())
    const [{ id }] = annotations.filter(({ count }) => count === 2)
    let isAsked
    const asked = new Promise(resolve => { isAsked = resolve })
    own.collection.options.fetch = async (address, init) => {
      if (!address.includes('/items')) return fetch(address, init)
      isAsked()
      // An answer that comes late, whether or not it was given up.
      await new Promise(resolve => setTimeout(resolve, 100))
      return fetch(address, { ...init, signal: undefined })
    }
    const opening = own.open(id, [1.5, 51.5])
    await asked
    map.listeners.get('zoomstart')()
    await opening
    assert.deepEqual(map.sources.get(`${form}-spread`).data.features, [])
    own.remove()
  }
})

test('what is removed asks for nothing', async () => {
  const map = new StubMap()
  const own = layer(places.url, { live: true, id: 'removed' })
  const asked = []
  own.collection.options.fetch = (address, init) => (asked.push(address), fetch(address, init))
  own.addTo(map)
  await map.data('removed')
  own.remove()
  assert.deepEqual([map.sources.size, map.layers.size, map.listeners.size], [0, 0, 0])
  asked.length = 0
  own.setFields({ minPoints: 3 })
  own.refresh()
  own.gather()
  own.remove()
  await own.open('g1', [0, 0])
  await new Promise(resolve => setTimeout(resolve, 700))
  assert.deepEqual(asked, [])
  // It may come back.
  own.addTo(map)
  await map.data('removed')
  assert.match(asked[0], /minPoints=3/)
  own.remove()
})

test('a map that is removed takes its layers with it', async () => {
  const map = new StubMap()
  const own = layer(places.url, { live: true })
  let open = 0
  own.collection.options.fetch = (address, init) => {
    if (address.includes('/changes')) {
      open++
      init.signal.addEventListener('abort', () => open--)
    }
    return fetch(address, init)
  }
  own.addTo(map)
  for (let i = 0; open === 0 && i < 300; i++) await new Promise(resolve => setTimeout(resolve, 10))
  assert.equal(open, 1)
  // It has no style any more.
  map.getStyle = () => undefined
  map.getSource = () => { throw new TypeError('no style') }
  map.listeners.get('remove')()
  assert.deepEqual([open, map.listeners.size], [0, 0])
  own.refresh()
})

test('layers of one collection have ids of their own', () => {
  const map = new StubMap()
  const [one, two] = [layer(places.url).addTo(map), layer(places.url).addTo(map)]
  assert.deepEqual([one.id, two.id], ['pincluster-places', 'pincluster-places-2'])
  assert.ok(map.getLayer('pincluster-places-2-pins'))
  one.remove()
  assert.deepEqual([...map.sources.keys()], [two.id, `${two.id}-spread`])
  // Another map, and one from which it was removed, have room.
  assert.equal(layer(places.url).addTo(new StubMap()).id, one.id)
  assert.equal(layer(places.url).addTo(map).id, one.id)
  assert.equal(two.addTo(map).id, two.id)
})

test('what is removed leaves no pointer', () => {
  const map = new StubMap()
  map.setFeatureState = () => {}
  map.getCanvas = () => map
  map.style = { cursor: '' }
  const own = layer(places.url).addTo(map)
  map.listeners.get('mousemove pincluster-places-pins')({ features: [{ id: 7 }] })
  assert.equal(map.style.cursor, 'pointer')
  own.remove()
  assert.equal(map.style.cursor, '')
})

test('tiles are asked for with the fields that they have, and tell what is refused', async () => {
  const errors = []
  const map = new StubMap()
  const fields = {
    method: 'grid', members: 3, hull: true, wrap: true, histogram: { property: 'a', bins: 2 }, debug: true, fields: ['count'], limit: 5,
    marginFactor: 0, keepApart: [1], subtitleLimit: 2, titleProperty: 'a', expansion: true, minPoints: 3,
  }
  const own = layer(places.url, { ...fields, onError: error => errors.push(error) }).addTo(map)
  assert.equal(map.sources.get(own.id).url, places.tileJSONURL({ expansion: true, minPoints: 3, properties: ['a'] }))
  assert.equal((await fetch(map.sources.get(own.id).url)).status, 200)
  const told = async () => {
    for (let i = 0; !errors.length && i < 300; i++) await new Promise(resolve => setTimeout(resolve, 10))
    return errors.splice(0)
  }
  map.sources.get(own.id).setUrl = () => {}
  own.setFields({ filter: 'a = (' })
  const [refusal, ...others] = await told()
  assert.deepEqual([refusal.status, others], [400, []])
  assert.match(refusal.about('filter'), /character/)
  own.setFields({ filter: null, method: 'distance' })
  assert.deepEqual((await told()).map(error => error.status), [400])
  own.remove()
  layer(`${service.url}/collections/none`, { onError: error => errors.push(error) }).addTo(new StubMap())
  assert.deepEqual((await told()).map(error => error.status), [404])
})

test('an option that is undefined is as usual', () => {
  const own = layer(places.url, { color: undefined, minPoints: undefined })
  assert.deepEqual([own.options.color, own.fields], ['#2b59c3', {}])
})

test('a turned or tilted map keeps its scale', () => {
  const map = new StubMap()
  const own = layer(places.url, { form: 'geojson', id: 'turned' }).addTo(map)
  const flat = own.view()
  assert.deepEqual([flat.bbox, flat.zoom], [[0, 50, 2, 52], 9])
  // The box around what is visible grows as the map turns.
  map.bounds = [-0.4, 49.7, 2.4, 52.3]
  const turned = own.view()
  assert.deepEqual([turned.bbox, turned.zoom], [map.bounds, 9])
  assert.equal(turned.viewportWidth, undefined)
  // Up to the horizon is too far: two screens are 1,600 points each way, here 2.2° in 360° of 256 · 2⁹ points.
  map.bounds = [-40, 50.5, 42, 70]
  const tilted = own.view()
  assert.equal(tilted.zoom, 9)
  const reach = 1600 / (256 * 2 ** 9) * 360
  assert.deepEqual([tilted.bbox[0], tilted.bbox[1], tilted.bbox[2]], [1 - reach, 50.5, 1 + reach].map(edge => Number(edge.toFixed(6))))
  assert.ok(tilted.bbox[3] > 53 && tilted.bbox[3] < 54, String(tilted.bbox[3]))
  // Across 180°, and of the whole world.
  map.bounds = [179, -10, 181, 10]
  map.getCenter = () => ({ lng: 180, lat: 0 })
  const beyond = own.view().bbox
  assert.deepEqual([beyond[0], beyond[2]], [-181, -179])
  // On the equator a degree is as high as it is wide, by a thousandth.
  assert.ok(Math.abs(beyond[3] / reach - 1) < 0.002 && beyond[1] === -beyond[3], String(beyond))
  Object.assign(map, { bounds: [-200, -89, 560, 89], zoom: 0, getCenter: () => ({ lng: 180, lat: 0 }) })
  const [west, south, east, north] = own.view().bbox
  assert.ok(east - west === 360 && south > -90 && north < 90)
  own.follower.close()
})
