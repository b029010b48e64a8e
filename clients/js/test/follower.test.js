// A follower of a map while the service fails, restarts, and says more than before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { Follower } from '../follow.js'
import { Collection, Pincluster } from '../pincluster.js'
import { drilldown, paging, propertiesOf } from '../view.js'
import { point, start } from './service.js'

const view = { bbox: [0, 0, 10, 10], zoom: 6 }
const url = 'http://a.example/collections/c'
const empty = { annotations: [], version: 1, featureCount: 0 }

/** Waits until a condition holds. */
async function until(condition) {
  for (let i = 0; !condition(); i++) {
    assert.ok(i < 1000, `not within 10 s: ${condition}`)
    await wait(10)
  }
}

/** A follower that notes what it tells. */
function follow(collection, options) {
  const told = { statuses: [], errors: [], heads: [] }
  const follower = new Follower(collection, {
    ...options, onStatus: status => told.statuses.push(status), onError: error => told.errors.push(error),
    onChange: (_, head, { type }) => told.heads.push([type, head]),
  })
  return Object.assign(told, { follower })
}

/** A body of Server-Sent Events that stays open until it is aborted. */
function streamOf(text, { signal }) {
  return new Response(new ReadableStream({ start(own) {
    own.enqueue(new TextEncoder().encode(text))
    signal.addEventListener('abort', () => own.error(signal.reason))
  } }))
}

test('a service that fails is asked until it answers', { timeout: 60_000 }, async () => {
  for (const live of [true, false]) {
    const failures = [() => { throw new TypeError('fetch failed') }, () => new Response('{}', { status: 502 }), () => new Response('{}', { status: 429 })]
    let [asked, open] = [0, 0]
    const fetch = async (address, init) => {
      if (!address.includes('/changes')) return failures[asked++]?.() ?? new Response(JSON.stringify(empty))
      open++
      init.signal.addEventListener('abort', () => open--)
      return streamOf(': hello\n\n', init)
    }
    const told = follow(new Collection(url, { fetch, retries: 0 }), { live })
    told.follower.show(view)
    const after = live ? ['idle', 'live'] : ['idle']
    await until(() => told.statuses.at(-1) === after.at(-1))
    assert.deepEqual(told.statuses, ['loading', 'reconnecting', 'reconnecting', 'reconnecting', ...after])
    // The failure is told once.
    assert.deepEqual([asked, told.errors.length, told.heads.length, open], [4, 1, 1, live ? 1 : 0])
    told.follower.close()
    await until(() => open === 0)
  }

  // Another view, or the end, takes the place of what waits.
  for (const ends of [follower => follower.close(), follower => follower.show({ ...view, zoom: 7 })]) {
    let failing = 0
    const collection = { async clusters({ zoom }) {
      if (zoom === 7) return empty
      failing++
      throw new TypeError('fetch failed')
    }, async *changes() {} }
    const { follower } = follow(collection, { live: true })
    follower.show(view)
    await until(() => failing === 1)
    ends(follower)
    await wait(1500)
    assert.equal(failing, 1)
    follower.close()
  }
})

test('what is refused for good has failed', async () => {
  for (const [live, status] of [[true, 422], [false, 422], [false, 404]]) {
    let asked = 0
    const fetch = async () => { asked++; return new Response('{}', { status }) }
    const told = follow(new Collection(url, { fetch }), { live })
    told.follower.show(view)
    await until(() => told.statuses.at(-1) === 'failed')
    assert.deepEqual([asked, told.errors.map(error => error.status)], [1, [status]])
  }
})

test('a layer whose token expires goes on with the next one', { timeout: 30_000 }, async () => {
  const [shown, tokens] = [[], ['a', 'a', 'b', 'b']]
  const fetch = async (address, init) => {
    const isStream = address.includes('/changes')
    shown.push(init.headers.Authorization)
    if (!isStream) return new Response(JSON.stringify(empty))
    return shown.length === 2 ? new Response('event: problem\ndata: {"status":401,"detail":"it has expired"}\n\n') : streamOf(': hello\n\n', init)
  }
  const headers = async () => ({ Authorization: `Bearer ${tokens[shown.length]}` })
  const told = follow(new Collection(url, { fetch, headers }), { live: true })
  told.follower.show(view)
  await until(() => shown.length === 4 && told.statuses.at(-1) === 'live')
  assert.deepEqual([shown, told.errors], [tokens.map(token => `Bearer ${token}`), []])
  told.follower.close()
})

test('a layer outlasts problems of its stream that may pass, and changed rights of its key, but no key that is refused', { timeout: 30_000 }, async () => {
  const problem = status => `event: problem\ndata: {"status":${status},"detail":"no"}\n\n`
  for (const [streams, answers, asked, statuses] of [
    [[503], [200], 'vcc', ['loading', 'idle', 'live', 'reconnecting', 'live']],
    [[401], [200, 200], 'vcvc', ['loading', 'idle', 'live', 'reconnecting', 'loading', 'idle', 'live']],
    [[401], [200, 401], 'vcv', ['loading', 'idle', 'live', 'reconnecting', 'loading', 'failed']],
    [[401], [200, 403], 'vcv', ['loading', 'idle', 'live', 'reconnecting', 'loading', 'failed']],
    [[422], [200], 'vc', ['loading', 'idle', 'live', 'failed']],
  ]) {
    let [sent, version] = ['', 0]
    const fetch = async (address, init) => {
      const isStream = address.includes('/changes')
      sent += isStream ? 'c' : 'v'
      if (!isStream) return new Response(JSON.stringify({ ...empty, version: ++version }), { status: answers.shift() })
      const status = streams.shift()
      return status ? new Response(`retry: 100\n\n${problem(status)}`) : streamOf(': hello\n\n', init)
    }
    const told = follow(new Collection(url, { fetch, retries: 0 }), { live: true })
    told.follower.show(view)
    await until(() => told.statuses.length === statuses.length)
    await wait(200)
    const isOver = statuses.at(-1) === 'failed'
    assert.deepEqual([sent, told.statuses, told.errors.map(({ name }) => name)], [asked, statuses, isOver ? ['PinclusterError'] : []])
    told.follower.close()
  }
})

test('a refusal that is still being read when it is given up is no failure', async () => {
  const fetch = async (_, { signal }) => new Response(new ReadableStream({
    start(own) { signal.addEventListener('abort', () => own.error(signal.reason)) },
  }), { status: 422 })
  const told = follow(new Collection(url, { fetch }))
  told.follower.show(view)
  await wait(50)
  told.follower.close()
  await wait(50)
  assert.deepEqual([told.statuses, told.errors], [['loading'], []])
})

test('the head is that of what is shown', { timeout: 30_000 }, async () => {
  const service = await start()
  const [own, writer] = ['seen', 'seen'].map(id => new Pincluster(service.url).collection(id))
  await writer.upsert([point(1, 1, 1)])
  const asked = { ...view, filter: "kind = 'x'", histogram: { property: 'n', bins: 2, range: [0, 10] } }
  const told = follow(own, { live: true })
  told.follower.show(asked)
  await until(() => told.statuses.at(-1) === 'live')
  assert.match(told.follower.head.notes.join(), /kind/)
  const { port, directory } = service
  // After a restart the service has forgotten what has changed, and sends the whole view.
  await service.end()
  const again = await start({ port, data: directory })
  await writer.upsert([point(2, 2, 2, { kind: 'x', n: 5 })])
  await until(() => told.follower.head.featureCount === 1)
  assert.equal(told.follower.head.notes, undefined)
  assert.equal(told.follower.head.histogram.counts.length, 2)
  // A collection that is dropped has nothing, and is followed again when it is made anew.
  await until(() => told.statuses.at(-1) === 'live')
  await writer.drop()
  await until(() => told.heads.at(-1)[0] === 'gone')
  const [, head] = told.heads.at(-1)
  assert.deepEqual([head.featureCount, told.follower.head.featureCount, told.follower.screen.annotations.size], [0, 0, 0])
  assert.equal(told.statuses.at(-1), 'reconnecting')
  // That it isn't there is told once.
  await until(() => told.errors.length)
  assert.deepEqual(told.errors.map(({ status }) => status), [404])
  await writer.upsert([point(1, 1, 1, { kind: 'x' })])
  await until(() => told.follower.head.featureCount === 1 && told.statuses.at(-1) === 'live')
  await writer.upsert([point(2, 2, 2, { kind: 'x' })])
  await until(() => told.follower.head.featureCount === 2)
  assert.equal(told.errors.length, 1)
  told.follower.close()
  await again.stop()
})

test('a page that is hidden has no stream, and asks anew when it is seen', { timeout: 30_000 }, async t => {
  const page = globalThis.document = Object.assign(new EventTarget(), { hidden: false })
  t.after(() => delete globalThis.document)
  const turn = hidden => {
    page.hidden = hidden
    page.dispatchEvent(new Event('visibilitychange'))
  }
  let [asked, open] = [0, 0]
  const fetch = async (address, init) => {
    if (!address.includes('/changes')) return new Response(JSON.stringify({ ...empty, version: ++asked }))
    open++
    init.signal.addEventListener('abort', () => open--)
    return streamOf(': hello\n\n', init)
  }
  const told = follow(new Collection(url, { fetch }), { live: true })
  // In the background it shows what is there, once.
  page.hidden = true
  told.follower.show(view)
  await until(() => told.statuses.at(-1) === 'idle')
  await wait(500)
  assert.deepEqual([asked, open], [1, 0])
  for (const round of [2, 3]) {
    turn(false)
    await until(() => told.statuses.at(-1) === 'live')
    assert.deepEqual([asked, open], [round, 1])
    turn(true)
    await wait(500)
    assert.deepEqual([asked, open, told.statuses.at(-1)], [round, 0, 'idle'])
  }
  // Once it is over, a page that is seen asks for nothing.
  told.follower.close()
  turn(false)
  await wait(500)
  assert.deepEqual([asked, told.errors], [3, []])
})

test('what comes after the end of a stream that was given up is nothing', async () => {
  const event = count => `event: cells\ndata: {"version":${count},"featureCount":${count},"cells":[]}\n\n`
  const fetch = async (address, init) =>
    (address.includes('/changes') ? streamOf(event(2) + event(3), init) : new Response(JSON.stringify(empty)))
  const seen = []
  const follower = new Follower(new Collection(url, { fetch }), { live: true, onChange(_, { version }) {
    seen.push(version)
    if (version === 2) follower.close()
  } })
  follower.show(view)
  await until(() => seen.length > 1)
  await wait(50)
  assert.deepEqual(seen, [1, 2])
})

test('what is given up as its answer is drawn listens to nothing', async () => {
  const asked = []
  const fetch = async (address, init) => {
    asked.push(address.includes('/changes'))
    return asked.at(-1) ? streamOf(': hello\n\n', init) : new Response(JSON.stringify(empty))
  }
  const follower = new Follower(new Collection(url, { fetch }), { live: true, onChange() { follower.close() } })
  follower.show(view)
  await until(() => asked.length)
  await wait(600)
  assert.deepEqual(asked, [false])
})

test('what a query could not list is not asked for', async () => {
  assert.deepEqual(drilldown({ ...view, properties: ['a,b'], keepApart: [1, 'a,b'] }), { properties: '*', keepApart: [1] })
  assert.deepEqual(drilldown({ ...view, keepApart: ['a,b'] }), { keepApart: undefined })
  assert.deepEqual(drilldown({ ...view, properties: ['a', 'b'], keepApart: [] }), { properties: ['a', 'b'], keepApart: [] })
  const asked = []
  const fetch = async (address, init) => {
    asked.push([init.method, new URL(address).searchParams.get('keepApart')])
    return address.includes('/changes') ? streamOf(': hello\n\n', init) : new Response(JSON.stringify(empty))
  }
  const told = follow(new Collection(url, { fetch }), { live: true })
  told.follower.show({ ...view, keepApart: ['a,b'] })
  await until(() => told.statuses.at(-1) === 'live')
  assert.deepEqual(asked, [['POST', null], ['POST', null]])
  told.follower.close()
})

test('an annotation of a group is looked into with the settings of its group', { timeout: 30_000 }, async t => {
  const service = await start()
  t.after(() => service.stop())
  const own = new Pincluster(service.url).collection('grouped')
  await own.upsert(['a', 'b'].flatMap((kind, i) => [1, 2, 3].map(n => point(`${kind}${n}`, 2 + i * 4 + n / 10_000, 2, { kind }))))
  const grouped = { ...view, groupBy: 'kind', groups: { a: { maxZoomLevelForClustering: 8 } } }
  const { annotations } = await own.clusters(grouped)
  const zooms = {}
  for (const annotation of annotations) {
    const { expansionZoom } = await own.annotation(annotation.id, drilldown(grouped, annotation))
    zooms[annotation.group] = expansionZoom
    await own.hull(annotation.id, drilldown(grouped, annotation))
    assert.equal((await own.features(annotation.id, paging(drilldown(grouped, annotation)))).numberMatched, 3)
  }
  assert.equal(zooms.a, 9)
  assert.ok(zooms.b > 15, String(zooms.b))

  // A property is a field of queries alone.
  const [asked, told] = [[], follow(own)]
  own.options.fetch = (address, init) => (asked.push(init.method), fetch(address, init))
  for (const zoom of [5, 7]) {
    told.follower.show({ ...view, zoom, kind: 'b', cellSize: 300 })
    await until(() => told.heads.length + told.errors.length === (zoom === 5 ? 1 : 2))
  }
  assert.deepEqual([told.errors, told.heads.map(([, { featureCount }]) => featureCount), asked], [[], [3, 3], ['GET', 'GET']])
  told.follower.close()
})

test('what is looked into, listed and watched has the properties that the view asks for', { timeout: 60_000 }, async t => {
  const service = await start()
  t.after(() => service.stop())
  const own = new Pincluster(service.url).collection('narrowed')
  const values = [3, '3', '03', 3.5, -2, '-2', 1e21, '1e21', '1e999', '-', true, 'true', "O'Neil", 'DE', 'DE,AT', '', 'a\\nb', "50%_\\'", 'a\nb', null, [3]]
  const names = ['n', 'a "b\\n', 'and', 'geometry']
  await own.upsert(values.flatMap((value, i) => names.flatMap((name, j) => [1, 2].map(k => point(`${i} ${j} ${k}`, 2, 2, { [name]: value, k })))))
  const filters = [
    {}, { filter: null, 'filter-lang': 'cql2-json' }, { filter: 'k = 1 OR k = 2' }, { filter: 'k = 1 OR FALSE', 'filter-lang': 'cql2-text' },
    { filter: { op: '=', args: [{ property: 'k' }, 1] } }, { filter: '{"op": "<", "args": [{"property": "k"}, 3]}', 'filter-lang': 'cql2-json' },
  ]
  const asked = [...values.filter(value => value !== null && !Array.isArray(value)), ['DE', 'AT']]
  for (const filter of filters) {
    for (const value of asked) {
      for (const name of names) {
        const narrow = { ...view, ...filter, [name]: value }
        const { annotations: [found] } = await own.clusters(narrow)
        const below = drilldown(narrow, found)
        const { numberMatched } = await own.features(found.id, paging(below))
        assert.deepEqual([(await own.annotation(found.id, below)).count, numberMatched], [found.count, found.count], JSON.stringify(narrow))
      }
    }
  }
  const both = { ...view, n: 3, k: 1, method: 'distance', epsilon: 20 }
  const { annotations: [found] } = await own.clusters(both)
  assert.equal((await own.annotation(found.id, drilldown(both, found))).count, 2)
  assert.deepEqual(drilldown({ ...view, n: null, k: undefined }), {})

  const told = follow(own, { live: true })
  told.follower.show({ ...view, n: 3, filter: 'k = 1' })
  await until(() => told.statuses.at(-1) === 'live')
  assert.equal(told.follower.head.featureCount, 2)
  await own.upsert([point('new', 2, 2, { n: '3', k: 1 }), point('other', 2, 2, { n: 4, k: 1 })])
  await until(() => told.follower.head.featureCount > 2)
  assert.deepEqual([told.follower.head.featureCount, [...told.follower.screen.annotations.values()].map(({ count }) => count), told.errors], [3, [3], []])
  told.follower.close()
})

test('features that are kept apart are not listed with those beside them', { timeout: 30_000 }, async t => {
  const service = await start()
  t.after(() => service.stop())
  const own = new Pincluster(service.url).collection('apart')
  await own.upsert([1, 2, 3, 4].map(id => point(id, 2, 2)))
  const apart = { ...view, keepApart: [2] }
  const { annotations } = await own.clusters(apart)
  const ids = await Promise.all(annotations.map(async one => {
    const { features } = await own.features(one.id, paging(drilldown(apart, one)))
    return features.map(({ id }) => id)
  }))
  assert.deepEqual(ids.toSorted((a, b) => a.length - b.length), [[2], [1, 3, 4]])
})

test('no field of a view is taken for a property', async () => {
  const types = await readFile(new URL('../pincluster.d.ts', import.meta.url), 'utf8')
  const [, options] = /interface ViewOptions {(.*?)\n}/s.exec(types)
  const names = [...options.matchAll(/^ {2}'?([\w-]+)'?\?:/gm)].map(([, name]) => name)
  assert.ok(names.length > 30)
  assert.deepEqual(propertiesOf({ minVersion: 1, ...Object.fromEntries(names.map(name => [name, 1])), kind: 'b' }), ['kind'])
})
