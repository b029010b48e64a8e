// Streams of changes: what comes, what is missed, and what is tried again.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { Collection, Pincluster } from '../pincluster.js'
import { Follower } from '../follow.js'
import { Screen } from '../screen.js'
import { point, start } from './service.js'

const view = { bbox: [0, 0, 10, 10], zoom: 6 }

test('a screen that follows changes shows what a fresh answer does, across a restart', { timeout: 60_000 }, async () => {
  let service = await start()
  const collection = new Pincluster(service.url).collection('moving')
  const randomly = (() => {
    let seed = 7
    return () => (seed = (seed * 48271) % 2147483647) / 2147483647
  })()
  const move = ids => collection.upsert(ids.map(id => point(id, randomly() * 10, randomly() * 10, { name: `n${id}` })))
  await move(Array.from({ length: 200 }, (_, i) => i))
  const [screen, task, seen, connections] = [new Screen(), new AbortController(), [], []]
  let version = 0
  const following = (async () => {
    const options = { signal: task.signal, onConnection: isOpen => connections.push(isOpen) }
    for await (const { type, data } of collection.changes(view, options)) {
      seen.push(type)
      if (type === 'view') screen.replace(data)
      else screen.update(data)
      version = data.version
    }
  })()
  const isEqual = async () => {
    const answer = await collection.clusters(view)
    for (let i = 0; version < answer.version && i < 200; i++) await new Promise(resolve => setTimeout(resolve, 50))
    assert.deepEqual(Object.fromEntries(screen.annotations), Object.fromEntries(answer.annotations.map(one => [one.id, one])))
  }
  for (let round = 0; round < 5; round++) {
    await move([round, round + 20, round + 40])
    await isEqual()
  }
  assert.ok(seen.includes('cells'))
  const { port, directory } = service
  await service.end()
  service = await start({ port, data: directory })
  await move([1, 2, 3])
  await isEqual()
  assert.deepEqual(connections.slice(0, 3), [true, false, true])
  task.abort()
  await assert.rejects(following, { name: 'AbortError' })
  await service.stop()
})

test('a stream goes on with the last id, and waits as long as it is told', { timeout: 20_000 }, async () => {
  const asked = []
  const server = createServer((request, response) => {
    asked.push([request.headers['last-event-id'], performance.now()])
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    // Line ends of all kinds, a comment, and a character in two pieces.
    if (asked.length === 1) {
      response.write('retry: 50\r\n\r\n: hello\rid: 5\rdata: {"a"\r\ndata: : "')
      const bytes = Buffer.from('é"}\n\n')
      response.write(bytes.subarray(0, 1))
      setTimeout(() => response.end(bytes.subarray(1)), 30)
    } else response.end('event: gone\nid: 6\ndata: {}\n\n')
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const events = []
  const collection = new Collection(`http://127.0.0.1:${server.address().port}/collections/c`)
  for await (const event of collection.changes(view, { since: 4 })) events.push(event)
  server.close()
  assert.deepEqual(events, [{ type: 'message', id: '5', data: { a: 'é' } }, { type: 'gone', id: '6', data: {} }])
  assert.deepEqual(asked.map(([id]) => id), ['4', '5'])
  assert.ok(asked[1][1] - asked[0][1] < 1500)
})

/** Asks a server of this kind for changes, until it has been asked so often; the times between. */
async function timesOf(count, answer) {
  const times = []
  const task = new AbortController()
  const server = createServer((_, response) => {
    times.push(performance.now())
    if (times.length === count) task.abort()
    answer(response)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const collection = new Collection(`http://127.0.0.1:${server.address().port}/collections/c`)
  await assert.rejects(collection.changes(view, { signal: task.signal }).next(), { name: 'AbortError' })
  server.close()
  return times.slice(1).map((time, i) => time - times[i])
}

test('a quiet stream that ends has not failed', { timeout: 20_000 }, async () => {
  const ends = text => response => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.end(text)
  }
  const quiet = await timesOf(6, ends('retry: 60\n\n: keep-alive\n\n'))
  assert.ok(Math.max(...quiet) < 500, String(quiet))
})

test('a stream outlasts problems that may pass, and waits longer each time', { timeout: 20_000 }, async () => {
  const [asked, connections, events] = [[], [], []]
  const problem = status => `event: problem\nid: 6\ndata: {"status":${status},"detail":"no"}\n\n`
  const fetch = async (_, { headers }) => {
    asked.push([headers['Last-Event-ID'], performance.now()])
    const { length } = asked
    return new Response(`retry: 100\n\nevent: view\nid: ${length}\ndata: {}\n\n${problem([503, 500, 429, 408, 422][length - 1])}`)
  }
  const onConnection = isOpen => connections.push(isOpen)
  for await (const { type, data } of new Collection('http://a.example/collections/c', { fetch }).changes(view, { onConnection })) events.push([type, data.status])
  assert.deepEqual(events, [...Array(5).fill(['view', undefined]), ['problem', 422]])
  assert.deepEqual(asked.map(([id]) => id), [undefined, '6', '6', '6', '6'])
  assert.deepEqual(connections, [true, false, true, false, true, false, true, false, true])
  const gaps = asked.slice(1).map(([, time], i) => time - asked[i][1])
  assert.ok(gaps[0] < 550 && gaps[3] > 550, String(gaps))
})

test('a stream that has lost its rights begins anew, and fails if it is refused', { timeout: 20_000 }, async () => {
  const [asked, events, connections] = [[], [], []]
  const problem = 'event: problem\ndata: {"status":401,"detail":"it has expired"}\n\n'
  const fetch = async (_, { headers }) => {
    asked.push([headers.Authorization, headers['Last-Event-ID']])
    if (asked.length === 3) return new Response('{"detail":"no"}', { status: 401 })
    return new Response(`event: view\nid: ${asked.length}\ndata: {}\n\n${problem}`)
  }
  const collection = new Collection('http://a.example/collections/c', { fetch, headers: () => ({ Authorization: `Bearer ${asked.length}` }) })
  await assert.rejects(async () => {
    for await (const { type } of collection.changes(view, { since: 7, onConnection: isOpen => connections.push(isOpen) })) events.push(type)
  }, { status: 401 })
  assert.deepEqual(events, ['view', 'problem', 'view', 'problem'])
  // Events seen with other rights say nothing now.
  assert.deepEqual(asked, [['Bearer 0', '7'], ['Bearer 1', undefined], ['Bearer 2', undefined]])
  assert.deepEqual(connections, [true, false, true, false])
})

test('a stream that is refused is asked for again when the service says so', { timeout: 20_000 }, async () => {
  for (const status of [429, 503]) {
    const [gap] = await timesOf(2, response => {
      response.writeHead(status, { 'Retry-After': '4', 'Content-Type': 'application/problem+json' })
      response.end('{}')
    })
    assert.ok(gap > 3900 && gap < 6000, String(gap))
  }
})

test('a stream whose head does not come is asked for again', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const asked = []
  const fetch = (_, { signal }) => new Promise((_, reject) => {
    asked.push(signal)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  const task = new AbortController()
  const ended = assert.rejects(new Collection('http://a.example/collections/c', { fetch }).changes(view, { signal: task.signal }).next(), { name: 'AbortError' })
  const pass = async seconds => {
    await new Promise(setImmediate)
    t.mock.timers.tick(seconds * 1000)
    await new Promise(setImmediate)
  }
  await pass(44)
  assert.equal(asked.length, 1)
  for (const seconds of [2, 3]) await pass(seconds)
  assert.deepEqual(asked.map(({ aborted }) => aborted), [true, false])
  task.abort()
  await ended
})

test('what is refused for good is not asked again', async () => {
  let asked = 0
  const fetch = async () => {
    asked++
    return new Response('{"detail":"no","status":404}', { status: 404 })
  }
  const events = new Collection('http://a.example/collections/c', { fetch }).changes(view)
  await assert.rejects(events.next(), { status: 404, message: 'no' })
  assert.equal(asked, 1)
})

test('a follower gives up what the map no longer shows', async () => {
  const [asked, shown] = [[], []]
  const collection = { async clusters({ bbox }, { signal }) {
    asked.push(bbox[0])
    await new Promise((resolve, reject) => {
      setTimeout(resolve, 60)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    return { annotations: [], version: 1, featureCount: 0 }
  } }
  const follower = new Follower(collection, { onChange: () => shown.push(follower.view.bbox[0]) })
  for (let x = 0; x < 20; x++) {
    follower.show({ bbox: [x, 0, x + 1, 1], zoom: 3 })
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  await new Promise(resolve => setTimeout(resolve, 400))
  assert.deepEqual(shown, [19])
  assert.ok(asked.length <= 4, `asked for ${asked}`)
})

test('a pin that moves to another cell stays the same pin', () => {
  const screen = new Screen()
  const pin = (id, feature) => ({ id, count: 1, coordinate: { latitude: 1, longitude: 1 }, feature: { id: feature } })
  screen.replace({ cells: [{ column: 0, row: 0, annotations: [pin('a', 7)] }, { column: 1, row: 0, annotations: [pin('b', 8)] }] })
  const difference = screen.update({ cells: [{ column: 0, row: 0, annotations: [] }, { column: 2, row: 0, annotations: [pin('c', 7)] }] })
  assert.deepEqual(difference, { removed: [], kept: [[pin('a', 7), pin('c', 7)]], added: [] })
  assert.deepEqual([...screen.annotations.keys()], ['b', 'c'])
})
