// The client against the built binary, over real sockets.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { drilldown } from '../view.js'
import { Collection, Pincluster, PinclusterError } from '../pincluster.js'
import { Screen } from '../screen.js'
import { spread } from '../spread.js'
import { point, start } from './service.js'

let service, client, places
const europe = { bbox: [0, 40, 20, 60], zoom: 5 }

before(async () => {
  service = await start()
  client = new Pincluster(service.url)
  places = client.collection('places')
  const features = Array.from({ length: 500 }, (_, i) =>
    point(i + 1, 5 + (i * 7919 % 1000) / 100, 45 + (i * 104729 % 1000) / 100, { name: `n${i + 1}`, kind: ['a', 'b', 'c'][i % 3] }))
  assert.deepEqual(await places.upsert(features).then(({ inserted, updated }) => [inserted, updated]), [500, 0])
})
after(() => service.stop())

test('a viewport is answered with clusters, pins and exact counts', async () => {
  const answer = await places.clusters({ ...europe, titleProperty: 'name', countBy: 'kind' })
  assert.equal(answer.annotations.reduce((sum, { count }) => sum + count, 0), answer.featureCount)
  assert.equal(answer.featureCount, 500)
  const [largest] = answer.annotations.toSorted((a, b) => b.count - a.count)
  assert.equal(Object.values(largest.counts).reduce((a, b) => a + b), largest.count)
  const geojson = await places.clustersAsGeoJSON(europe)
  assert.equal(geojson.features.length, answer.annotations.length)
  const pins = await places.pins({ bbox: [5, 45, 6, 46], marginFactor: 0 })
  assert.equal(pins.pins.length, pins.featureCount)
})

test('short views are asked with GET, and those with previous annotations with POST', async () => {
  assert.equal(places.request(europe).method, 'GET')
  const answer = await places.clusters(europe)
  const next = { ...europe, zoom: 6, previous: answer.annotations.map(({ id, coordinate }) => ({ id, coordinate })) }
  assert.equal(places.request(next).method, 'POST')
  const screen = new Screen()
  assert.equal(screen.replace(answer).added.length, answer.annotations.length)
  const closer = await places.clusters(next)
  const { removed, kept, added } = screen.replace(closer)
  assert.equal(kept.length + added.length, closer.annotations.length)
  assert.equal(kept.length + removed.length, answer.annotations.length)
  assert.ok(kept.length > 0)
  assert.deepEqual([...screen.annotations.keys()].sort(), closer.annotations.map(({ id }) => id).sort())
})

test('rects, regions, lists and objects mean the same in a query and a body', async () => {
  const views = [
    { visibleMapRect: { x: 134217728, y: 80000000, width: 8388608, height: 8388608 }, viewportWidth: 800 },
    { region: { center: { latitude: 50, longitude: 10 }, span: { latitudeDelta: 8, longitudeDelta: 8 } }, zoom: 6 },
    { ...europe, keepApart: [1, '2'], properties: ['name', 'kind'], groupBy: 'kind', groups: { a: { cellSize: 90 } } },
    { ...europe, filter: { op: '=', args: [{ property: 'kind' }, 'a'] } },
    { ...europe, method: 'collision', markerSize: [30, 20], aggregate: { most: ['max', 'size'] } },
  ]
  for (const view of views) {
    assert.equal(places.request(view).method, 'GET')
    const posted = await fetch(`${places.url}/clusters`, {
      method: 'POST', body: JSON.stringify(view), headers: { 'Content-Type': 'application/json' },
    })
    assert.deepEqual(await places.clusters(view), await posted.json())
  }
  // A name with a comma would be two in a list.
  const view = { ...europe, properties: ['a,b'] }
  assert.equal(places.request(view).method, 'POST')
  assert.equal((await places.clusters(view)).featureCount, 500)
})

test('an annotation is looked into: its features, its children, the zoom at which it comes apart', async () => {
  const { annotations } = await places.clusters({ ...europe, cellSize: 300 })
  const [largest] = annotations.toSorted((a, b) => b.count - a.count)
  const found = await places.annotation(largest.id, { titleProperty: 'name' })
  assert.equal(found.count, largest.count)
  assert.ok(found.expansionZoom > 5)
  const children = await places.children(largest.id)
  assert.equal(children.annotations.reduce((sum, { count }) => sum + count, 0), largest.count)
  const page = await places.features(largest.id, { limit: 3, offset: 1 })
  assert.deepEqual([page.features.length, page.numberMatched], [3, largest.count])
  const located = await places.locate(7, { latitudinalMeters: 9000, longitudinalMeters: 9000, viewportWidth: 400, viewportHeight: 300 })
  assert.equal(located.visibleMapRect.width > 0, true)
})

test('whatever a view asks for, one of its annotations can be looked into', async () => {
  const everything = {
    ...europe, wrap: true, pinLayout: 'spiral', spreadUnit: 'points', distanceFromContestedLocation: 12, titleProperty: 'name',
    subtitleLimit: 2, properties: ['name'], members: 1, hull: true, expansion: true, fields: ['count', 'coordinate'], limit: 5000,
    filter: "kind <> 'z'", 'filter-lang': 'cql2-text', countBy: 'name', keepApart: [3],
    zoomStep: 0.5, zoom: 5.3, ids: Array.from({ length: 300 }, (_, i) => i + 1),
  }
  const ways = [
    { cellSize: 300, clusterer: 'nearCenter', minPoints: 2, decluster: true },
    { method: 'distance', epsilon: 60 },
    { method: 'collision', markerSize: [90, 90], clusterBy: 'kind' },
  ]
  for (const way of ways) {
    const view = { ...everything, ...way }
    const { annotations } = await places.clusters(view)
    const [largest] = annotations.toSorted((a, b) => b.count - a.count)
    assert.ok(largest.count > 2)
    // The view that has the annotation may be given as it is.
    for (const below of [drilldown(view), view]) {
      const found = await places.annotation(largest.id, below)
      assert.equal(found.count, largest.count)
      if (below !== view) assert.ok('expansionZoom' in found && found.visibleMapRect.width > 0, 'what to zoom to is left out')
      const page = await places.features(largest.id, { ...below, limit: 2 })
      assert.deepEqual([page.numberMatched, page.features.length], [largest.count, 2])
      assert.ok(['Polygon', 'LineString'].includes((await places.hull(largest.id, below)).type))
      const children = await places.children(largest.id, below)
      assert.equal(children.annotations.reduce((sum, { count }) => sum + count, 0), largest.count)
    }
  }
})

test('pins that share a place are spread in the figure that is asked for', async () => {
  await places.upsert(Array.from({ length: 12 }, (_, i) => point(`same ${i}`, 60, 10)))
  const { annotations } = await places.clusters({ bbox: [59, 9, 61, 11], zoom: 8 })
  const distances = async pinLayout => {
    const view = drilldown({ bbox: [59, 9, 61, 11], zoom: 8, pinLayout, spreadUnit: 'meters' })
    const { annotations: pins } = await places.children(annotations[0].id, view)
    assert.equal(pins.length, 12)
    return pins.map(({ coordinate: { latitude, longitude } }) => Math.hypot((longitude - 60) * Math.cos(Math.PI / 18), latitude - 10))
  }
  const ratio = numbers => Math.max(...numbers) / Math.min(...numbers)
  assert.ok(ratio(await distances('circle')) < 1.1)
  assert.ok(ratio(await distances('spiral')) > 3)
  const lengths = layout => spread(12, layout).map(offset => Math.hypot(...offset))
  assert.ok(ratio(lengths('circle')) < 1.001 && ratio(lengths('spiral')) > 2 && ratio(lengths()) > 2)
  await places.deleteAll({ bbox: [59, 9, 61, 11] })
})

test('items are read, written, changed under a condition, and deleted', async () => {
  const things = client.collection('things')
  assert.equal((await things.put('x y', point('x y', 1, 2, { n: 1 }), { ifNoneMatch: '*' })).status, 201)
  const { feature, etag } = await things.get('x y')
  assert.deepEqual(feature.properties, { n: 1 })
  await things.patch('x y', { properties: { n: 2 } }, { ifMatch: etag })
  await assert.rejects(things.patch('x y', { properties: { n: 3 } }, { ifMatch: etag }), { status: 412 })
  assert.deepEqual((await things.get('x y')).feature.properties, { n: 2 })
  await things.delete('x y')
  assert.equal(await things.get('x y'), null)
  await things.upsert([point(1, 1, 1), point(2, 2, 2), point(3, 9, 9)])
  const ids = []
  for await (const { id } of things.all({ limit: 2 })) ids.push(id)
  assert.deepEqual(ids.sort(), [1, 2, 3])
  assert.equal(await things.deleteAll({ bbox: [0, 0, 5, 5] }), 2)
  const names = []
  for await (const { id } of client.collections({ limit: 1 })) names.push(id)
  assert.deepEqual(names.sort(), ['places', 'things'])
  assert.equal((await things.update({ title: 'Things' })).title, 'Things')
  assert.equal((await things.info()).featureCount, 1)
  assert.ok((await places.queryables()).properties.kind)
  assert.ok((await places.tileJSON({ cellSize: 64 })).tiles[0].includes('cellSize=64'))
  await things.drop()
  await assert.rejects(things.info(), { status: 404 })
})

test('all features come, however long their pages', async () => {
  // A page has about 8 MiB at most.
  const large = client.collection('large')
  const text = 'x'.repeat(60_000)
  for (let i = 0; i < 3; i++) await large.upsert(Array.from({ length: 100 }, (_, j) => point(i * 100 + j, i, j / 2, { text })))
  const ids = async (query, of = large) => {
    const all = []
    for await (const { id } of of.all(query)) all.push(id)
    return all
  }
  assert.ok((await large.query({ limit: 1000 })).features.length < 300)
  assert.equal(new Set(await ids()).size, 300)
  assert.deepEqual(await ids({ limit: 0 }), [])
  assert.equal((await ids({ offset: 290 })).length, 10)
  assert.equal((await ids({ near: [1, 1], limit: 5 })).length, 5)
  await large.drop()
  // A larger limit is 10,000.
  const many = client.collection('many')
  await many.upsert(Array.from({ length: 10_500 }, (_, i) => point(i, i % 180, i % 90)))
  assert.equal(new Set(await ids({ limit: 20_000, properties: 'none' }, many)).size, 10_500)
  await many.drop()
})

test('ids that would be steps in a path are no ids', async () => {
  const kept = client.collection('kept')
  await kept.upsert([point('a', 1, 1)])
  const view = { latitudinalMeters: 9, longitudinalMeters: 9, viewportWidth: 9, viewportHeight: 9 }
  for (const id of ['.', '..', '']) {
    const refused = { name: 'TypeError', message: `"${id}" can't be an id` }
    const calls = [
      kept.delete(id), kept.get(id), kept.put(id, point(id, 1, 1)), kept.patch(id, {}), kept.locate(id, view), kept.annotation(id), kept.features(id),
    ]
    for (const call of calls) await assert.rejects(call, refused)
  }
  for (const id of ['...', '.a', 'a/..', '../kept', '%2e%2e']) {
    await kept.put(id, point(id, 1, 1))
    assert.equal((await kept.get(id)).feature.id, id)
    await kept.delete(id)
  }
  assert.equal((await kept.info()).featureCount, 1)
  await kept.drop()
})

test('a list in a query does not fall apart', async () => {
  const kept = client.collection('kept')
  await kept.upsert([point('a', 1, 1), point('b', 1, 1), point('a,b', 1, 1)])
  const refused = { name: 'TypeError', message: /^ids can't list "a,b"/ }
  await assert.rejects(kept.deleteAll({ ids: [1, 'a,b'] }), refused)
  await assert.rejects(kept.query({ ids: ['a,b'] }), refused)
  assert.equal((await kept.info()).featureCount, 3)
  // A body can list it.
  const listed = { bbox: [0, 0, 2, 2], zoom: 3, ids: ['a,b'] }
  assert.equal((await kept.clusters(listed)).featureCount, 1)
  const corners = Array.from({ length: 1500 }, (_, i) => [Math.cos(i / 750 * Math.PI), Math.sin(i / 750 * Math.PI)].map(x => 1 + x / 2))
  const area = { type: 'Polygon', coordinates: [[...corners, corners[0]]] }
  for (const watched of [listed, { ...listed, filter: { op: 's_intersects', args: [{ property: 'geometry' }, area] } }]) {
    const changes = kept.changes(watched)
    assert.equal((await changes.next()).value.data.featureCount, 1)
    await changes.return()
  }
  await kept.delete('a,b')
  assert.equal(await kept.deleteAll({ ids: ['a', 'b'] }), 2)
  await kept.drop()
})

test('a read waits for the version of a write', async () => {
  const seen = client.collection('seen')
  assert.equal(seen.version, undefined)
  const { version } = await seen.upsert([point(1, 1, 1), point(2, 2, 2)])
  assert.ok(version > 0 && seen.version === version)
  const put = await seen.put(3, point(3, 3, 3))
  assert.ok(put.version > version && seen.version === put.version)
  assert.equal((await seen.info({ minVersion: put.version })).version, put.version)
  const patched = await seen.patch(3, { properties: { n: 1 } })
  await seen.delete(1)
  assert.equal(await seen.deleteAll({ bbox: [1.5, 1.5, 2.5, 2.5] }), 1)
  assert.ok(seen.version > patched.version)
  const error = await seen.delete(1).catch(error => error)
  assert.deepEqual([error.status, error.version], [404, seen.version])

  const asked = []
  const spy = new Pincluster(service.url, { retries: 0, fetch: (url, init) => (asked.push([url, init.method]), fetch(url, init)) }).collection('seen')
  const now = { minVersion: seen.version }
  const view = { bbox: [0, 0, 9, 9], zoom: 4 }
  const long = { ...view, previous: [] }
  const [clusters, posted, pins, page] = await Promise.all(
    [spy.clusters(view, now), spy.clusters(long, now), spy.pins(view, now), spy.query({ limit: 5 }, now)])
  assert.deepEqual([clusters.featureCount, posted.featureCount, pins.featureCount, page.numberMatched], [1, 1, 1, 1])
  const [{ id }] = clusters.annotations
  const first = async events => { for await (const event of events) return event }
  await Promise.all([
    spy.clustersAsGeoJSON(view, now), spy.annotation(id, {}, now), spy.features(id, {}, now), spy.hull(id, {}, now), spy.get(3, now),
    spy.queryables(now), spy.tileJSON({}, now), spy.info(now), first(spy.all({}, now)),
    spy.locate(3, { latitudinalMeters: 9, longitudinalMeters: 9, viewportWidth: 9, viewportHeight: 9 }, now),
    first(spy.changes(view, now)),
  ])
  assert.equal(asked.length, 15)
  for (const [url] of asked) assert.equal(new URL(url).searchParams.get('minVersion'), String(seen.version))
  // A version that nobody has written yet is waited for, and comes.
  const later = new Pincluster(service.url, { retries: 30 }).collection('seen').info({ minVersion: seen.version + 1 })
  await seen.put(4, point(4, 4, 4))
  assert.equal((await later).version, seen.version)
  await assert.rejects(spy.info({ minVersion: -1 }), error => error.status === 400 && !!error.about('minVersion'))
  await assert.rejects(spy.info({ minVersion: seen.version + 1 }), { status: 503, retryAfter: 1 })
  await seen.drop()
  await assert.rejects(spy.info({ minVersion: seen.version }), { status: 404 })
})

test('problems are errors that name the field', async () => {
  await assert.rejects(places.clusters({ ...europe, filter: 'kind = = 3' }), error => {
    assert.ok(error instanceof PinclusterError)
    assert.equal(error.status, 400)
    assert.match(error.about('filter'), /at character 8/)
    return true
  })
  await assert.rejects(places.upsert([point(1, 200, 0)]), error => error.errors[0].pointer === '/features/0')
  const invalid = { onError: 'skip' }
  assert.equal((await client.collection('skipped').upsert([point(1, 200, 0), point(2, 2, 2)], invalid)).rejected, 1)
})

test('what the service is too busy for is asked again, but a write is not', async () => {
  const asked = []
  const busy = { retries: 2, async fetch(url, init) {
    asked.push(init.method)
    if (asked.length > 2) return new Response('{"annotations":[]}')
    return new Response('{"detail":"busy"}', { status: 503, headers: { 'Retry-After': '0.01' } })
  } }
  assert.deepEqual(await new Collection('http://a.example/collections/c', busy).clusters(europe), { annotations: [] })
  assert.equal(asked.length, 3)
  asked.length = 0
  await assert.rejects(new Collection('http://a.example/collections/c', busy).delete(1), { status: 503 })
  assert.equal(asked.length, 1)
})

test('a read is not repeated before the service wants it', async () => {
  const times = []
  const busy = retryAfter => ({ async fetch() {
    times.push(performance.now())
    return times.length > 1 ? new Response('{"annotations":[]}') : new Response('{}', { status: 429, headers: { 'Retry-After': retryAfter } })
  } })
  for (let i = 0; i < 4; i++) {
    times.length = 0
    await new Collection('http://a.example/collections/c', busy('0.4')).clusters(europe)
    assert.ok(times[1] - times[0] >= 395, String(times[1] - times[0]))
  }
  // A long wait is left to the caller.
  times.length = 0
  await assert.rejects(new Collection('http://a.example/collections/c', busy('3600')).clusters(europe), { status: 429, retryAfter: 3600 })
  assert.equal(times.length, 1)
})

test('an option that is undefined is as usual', async () => {
  assert.equal((await new Pincluster(service.url, { fetch: undefined }).collection('places').info()).id, 'places')
  assert.equal(new Collection(places.url, { retries: undefined }).options.retries, 2)
})

test('a request is aborted', async () => {
  const task = new AbortController()
  const answer = places.clusters(europe, { signal: task.signal })
  task.abort()
  await assert.rejects(answer, { name: 'AbortError' })
})

test('the types name every method', async () => {
  const types = await readFile(new URL('../pincluster.d.ts', import.meta.url), 'utf8')
  for (const type of [Pincluster, Collection]) {
    const body = types.split(`export class ${type.name} {`)[1].split('\n}')[0]
    const declared = [...body.matchAll(/^ {2}(?:readonly )?(\w+)/gm)].map(([, name]) => name)
    const own = Object.getOwnPropertyNames(type.prototype)
    assert.deepEqual(own.filter(name => !declared.includes(name)), [])
    assert.deepEqual(declared.filter(name => name !== 'url' && !own.includes(name)), [])
  }
})
