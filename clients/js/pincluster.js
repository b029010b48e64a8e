// A client of pincluster for browsers and Node, without dependencies.
//
//   import { Pincluster } from './pincluster.js'
//   const cities = new Pincluster('http://127.0.0.1:8080').collection('cities')
//   const { annotations } = await cities.clusters({ bbox: [5, 47, 16, 55], zoom: 6 })
//
// pincluster.d.ts has the types. Every call takes { signal } to abort it, and fails with a PinclusterError that
// carries the problem+json of the service, or with a TypeError for an id or a list that no URL can have. A read takes
// { minVersion }, too: it waits until the collection has come to that version, such as that of a write, whichever
// instance of the service it reaches.

import { events, headersOf } from './events.js'
import { pauseAbout } from './pause.js'
import { PinclusterError, versionOf } from './problem.js'
import { given, partOf, queryOf, shortQueryOf } from './query.js'
import { fieldsBelow } from './view.js'

export { PinclusterError }

const JSON_TYPE = 'application/json'
const GEOJSON_TYPE = 'application/geo+json'
// The pause before a stream that has lost its rights is opened anew, in milliseconds.
const PAUSE = 1000
// The longest pause before a read is repeated, in seconds.
const LONGEST_PAUSE = 30

/** A service, by its URL. */
export class Pincluster {
  /**
   * @param {string | URL} url where the service is, such as `http://127.0.0.1:8080`
   * @param {import('./pincluster.js').Options} [options]
   */
  constructor(url, options = {}) {
    const text = String(url)
    this.url = text.endsWith('/') ? text.slice(0, -1) : text
    this.options = { retries: 2, fetch: (...of) => globalThis.fetch(...of), ...given(options) }
  }

  /** A collection, which need not exist yet. */
  collection(id) {
    return new Collection(`${this.url}/collections/${encodeURIComponent(id)}`, this.options)
  }

  /** The collections, page after page. */
  async *collections({ signal, limit = 100 } = {}) {
    for (let offset = 0; ; ) {
      const page = await send(this, `${this.url}/collections`, { query: { limit, offset }, signal })
      yield* page.data.collections
      offset += page.data.collections.length
      if (!page.data.collections.length || !page.data.links.some(link => link.rel === 'next')) return
    }
  }
}

/** A collection, by its URL. */
export class Collection {
  #version

  constructor(url, options = {}) {
    this.url = String(url).replace(/\/$/, '')
    this.options = { retries: 2, fetch: (...of) => globalThis.fetch(...of), ...given(options) }
  }

  /** The collection's id. */
  get id() { return decodeURIComponent(this.url.slice(this.url.lastIndexOf('/') + 1)) }

  /** The version after the last of these writes; undefined before the first. */
  get version() { return this.#version }

  // MARK: Annotations

  /** The annotations to draw in a viewport. */
  async clusters(view, options) { return (await this.#ask('clusters', view, options)).data }

  /** The same as `clusters`, as a GeoJSON FeatureCollection. */
  async clustersAsGeoJSON(view, options) {
    return (await this.#ask('clusters', view, { ...options, accept: GEOJSON_TYPE })).data
  }

  /** Every feature in a rect as a pin of its own. */
  async pins(view, options) { return (await this.#ask('pins', view, options)).data }

  /** The request that answers a view: `{ method, url, body }`. What is too long for a URL is posted. */
  request(view, resource = 'clusters') {
    // A GET can be answered from the browser's cache, or with 304.
    const query = shortQueryOf(view)
    if (query !== undefined) return { method: 'GET', url: this.#address(resource, query) }
    return { method: 'POST', url: this.#address(resource), body: view }
  }

  /** An annotation as it is now, with the zoom at which it comes apart and the rect to show it. */
  annotation(id, view, options) { return this.#below(id, '', view, options) }

  /** What an annotation falls into. */
  children(id, view, options) { return this.#below(id, '/children', view, options) }

  /** The features of an annotation, a page of them. */
  features(id, view, options) { return this.#below(id, '/items', view, options) }

  /** The convex hull of an annotation's features, as a GeoJSON geometry. */
  hull(id, view, options) { return this.#below(id, '/hull', view, options) }

  /** Where to move the map to see a feature. */
  async locate(id, view, { signal, minVersion } = {}) {
    const path = `items/${partOf(id)}/locate`
    return (await send(this, this.#address(path, queryOf({ minVersion })), { method: 'POST', body: view, signal, isRead: true })).data
  }

  /**
   * The changes of a viewport: a `view` first, then `cells` whenever something has changed. Reconnects by itself
   * and goes on where it was, also after a problem that may pass. After a `problem` with the status 401, as when a token has expired,
   * it begins anew with a `view`, and fails if it is refused. Ends after `gone` or any other `problem`, and when `signal` aborts.
   */
  async *changes(view, { signal, since, onConnection, minVersion } = {}) {
    const { url, ...rest } = this.request(view, 'changes')
    const request = { ...rest, url: extended(url, { minVersion }) }
    for (let lastID = since; ; lastID = undefined) {
      let isUnauthorized
      for await (const event of events(this, request, { signal, lastID, onConnection })) {
        const data = JSON.parse(event.data)
        isUnauthorized = event.type === 'problem' && data.status === 401
        yield { type: event.type, id: event.id, data }
        if (isUnauthorized) break
        if (event.type === 'gone' || event.type === 'problem') return
      }
      onConnection?.(false)
      await pauseAbout(PAUSE, signal)
    }
  }

  /** The URL of a TileJSON document for the fields of a view that make sense without a rect. */
  tileJSONURL(view = {}) { return this.#address('tiles.json', queryOf(view)) }

  /** That document. */
  async tileJSON(view, { signal, minVersion } = {}) {
    return (await send(this, this.tileJSONURL({ ...view, minVersion }), { signal })).data
  }

  // MARK: Features

  /** A page of features, as a GeoJSON FeatureCollection. */
  async query(query = {}, { signal, minVersion } = {}) {
    const url = this.#address('items', queryOf({ ...query, minVersion }))
    return (await send(this, url, { signal, accept: GEOJSON_TYPE })).data
  }

  /** All features of a query, page after page. */
  async *all(query = {}, options) {
    const limit = query.limit ?? 1000
    for (let offset = query.offset ?? 0; ; ) {
      // Those near a place have no offset.
      const page = await this.query({ ...query, limit, offset: offset || undefined }, options)
      yield* page.features
      offset += page.features.length
      // A page may end before the limit.
      if (!page.features.length || !page.links?.some(link => link.rel === 'next')) return
    }
  }

  /** A feature and its entity tag; null if there is none. */
  async get(id, { signal, minVersion } = {}) {
    try {
      const { data, etag } = await send(this, this.#item(id, { minVersion }), { signal, accept: GEOJSON_TYPE })
      return { feature: data, etag }
    } catch (error) {
      if (error instanceof PinclusterError && error.status === 404) return null
      throw error
    }
  }

  /** Stores features, and replaces those whose id exists. */
  async upsert(features, { signal, onError, idProperty } = {}) {
    const list = Array.isArray(features) ? features : [features]
    const body = { type: 'FeatureCollection', features: list }
    const url = this.#address('items', queryOf({ onError, idProperty }))
    const { data, version } = await this.#change(url, { method: 'POST', body, type: GEOJSON_TYPE, signal })
    return { ...data, version }
  }

  /** Stores one feature; with a condition only if it holds, else the error's status is 412. */
  put(id, feature, options) { return this.#write('PUT', id, feature, GEOJSON_TYPE, options) }

  /** Changes a feature by a JSON merge patch. */
  patch(id, patch, options) { return this.#write('PATCH', id, patch, 'application/merge-patch+json', options) }

  /** Deletes a feature. */
  delete(id, options) { return this.#write('DELETE', id, undefined, undefined, options) }

  /** Deletes the features in a `bbox`, of some `ids`, of a `datetime`, or those that pass a `filter`; returns how many there were. */
  async deleteAll(query, { signal } = {}) {
    const url = this.#address('items', queryOf(query))
    return (await this.#change(url, { method: 'DELETE', signal })).data.deleted
  }

  // MARK: The collection

  /** Its description: title, extent, how many features it has, its version. */
  async info({ signal, minVersion } = {}) { return (await send(this, this.url, { query: { minVersion }, signal })).data }

  /** A JSON Schema of the properties that its features have. */
  async queryables({ signal, minVersion } = {}) {
    const url = this.#address('queryables', queryOf({ minVersion }))
    return (await send(this, url, { signal, accept: 'application/schema+json' })).data
  }

  /** Creates it, or changes what is given of its description. */
  async update(description = {}, { signal } = {}) {
    return (await this.#change(this.url, { method: 'PUT', body: description, signal })).data
  }

  /** Deletes it with everything in it. */
  async drop({ signal } = {}) { await this.#change(this.url, { method: 'DELETE', signal }) }

  // MARK: Parts

  #address(path, query = '') { return `${this.url}/${path}${query && `?${query}`}` }

  #item(id, query) { return this.#address(`items/${partOf(id)}`, queryOf(query)) }

  async #below(id, path, view = {}, { signal, minVersion } = {}) {
    const url = this.#address(`clusters/${partOf(id)}${path}`, queryOf({ ...fieldsBelow(view, path === '/items'), minVersion }))
    return (await send(this, url, { signal })).data
  }

  async #write(method, id, body, type, { signal, ifMatch, ifNoneMatch } = {}) {
    const headers = {}
    if (ifMatch) headers['If-Match'] = ifMatch
    if (ifNoneMatch) headers['If-None-Match'] = ifNoneMatch
    const { data, etag, status, version } = await this.#change(this.#item(id), { method, body, type, headers, signal })
    return { feature: data, etag, status, version }
  }

  /** Sends a write, and notes the version after it. */
  async #change(url, request) {
    const answer = await send(this, url, request)
    // Of writes at the same time the first may be answered last.
    if (answer.version !== undefined) this.#version = Math.max(answer.version, this.#version ?? 0)
    return answer
  }

  #ask(resource, view, { signal, accept, minVersion } = {}) {
    const { url, ...request } = this.request(view, resource)
    return send(this, url, { ...request, query: { minVersion }, signal, accept, isRead: true })
  }
}

/** A URL with more fields in its query. */
function extended(url, fields) {
  const more = queryOf(fields)
  return more ? `${url}${url.includes('?') ? '&' : '?'}${more}` : url
}

/** Sends a request; reads that the service is too busy for are repeated. */
async function send(client, url, { method = 'GET', query, body, type = JSON_TYPE, accept = JSON_TYPE, headers, signal, isRead }) {
  const { fetch, retries } = client.options
  const mayRepeat = method === 'GET' || isRead
  const init = { method, headers: { Accept: accept, ...await headersOf(client), ...headers }, signal }
  if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers['Content-Type'] = type
  }
  const address = extended(url, query)
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(address, init)
    if (response.ok) {
      const text = response.status === 204 ? '' : await response.text()
      return {
        status: response.status, etag: response.headers.get('ETag'), version: versionOf(response),
        data: text ? JSON.parse(text) : undefined,
      }
    }
    const error = await PinclusterError.of(response)
    signal?.throwIfAborted()
    if (!mayRepeat || attempt >= retries || (error.status !== 503 && error.status !== 429)) throw error
    // A repetition before the service wants one would be refused, too.
    if (error.retryAfter > LONGEST_PAUSE) throw error
    await pauseAbout((error.retryAfter ?? Math.min(2 ** attempt, LONGEST_PAUSE)) * 1000, signal, error)
  }
}
