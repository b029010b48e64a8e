// Follows a map: asks for what it shows now, gives up what it no longer shows, and listens for changes.

import { pause } from './pause.js'
import { Screen } from './screen.js'

// The least time between two requests of one map, and from the last to listening, in milliseconds.
const BREATH = 120
const SETTLED = 300
// The most annotations that are sent back to be reused.
const MOST_REUSED = 2000

// The fields of a view that a request for one of its annotations may repeat.
const DRILLDOWN = [
  'zoomStep', 'clusterer', 'maxZoomLevelForClustering', 'minUniqueLocationsForClustering', 'minPoints', 'keepApart', 'decluster',
  'distanceFromContestedLocation', 'pinLayout', 'spreadUnit', 'titleProperty', 'subtitleLimit', 'properties', 'filter',
  'filter-lang', 'filter-crs', 'ids', 'datetime', 'weightBy', 'countBy', 'aggregate',
]

/**
 * The fields of a view that a request for one of its annotations takes, without those that leave out what is asked for.
 * A method without a grid needs the whole view to find the annotation again.
 */
export function drilldown(view) {
  if (view.method && view.method !== 'grid') {
    const { previous: _, limit: __, histogram: ___, fields: ____, ...rest } = view
    return rest
  }
  return Object.fromEntries(DRILLDOWN.filter(name => name in view).map(name => [name, view[name]]))
}

/** Keeps a screen as a map and the service have it. */
export class Follower {
  screen = new Screen()
  /** The last view that was asked for, and the head of its answer. */
  view = null
  head = null
  #collection
  #options
  #task = new AbortController()
  #begun = -Infinity

  /**
   * @param collection the collection
   * @param options `live`, `reuse`, and what to call: `onChange(difference, answer, cause)`, `onStatus(status)`,
   *   `onError(error)`
   */
  constructor(collection, options) {
    this.#collection = collection
    this.#options = { live: false, reuse: true, ...options }
  }

  /** Goes on with other options. */
  set(options) { Object.assign(this.#options, options) }

  /** Asks for a view, in place of the one before. */
  show(view) {
    this.#task.abort()
    this.#task = new AbortController()
    this.#follow(view, this.#task.signal).catch(error => {
      if (error?.name !== 'AbortError') this.#fail(error)
    })
  }

  /** Ends it. */
  close() { this.#task.abort() }

  async #follow(view, signal) {
    const wait = this.#begun + BREATH - performance.now()
    if (wait > 0) await pause(wait, signal)
    this.#begun = performance.now()
    this.#status('loading')
    // Ids of the same grid are the same; those of another are matched by the service.
    const before = this.view
    const isSameGrid = before && JSON.stringify({ ...before, bbox: 0 }) === JSON.stringify({ ...view, bbox: 0 })
    const shown = [...this.screen.annotations.values()]
    const reuses = this.#options.reuse && !isSameGrid && shown.length > 0 && shown.length <= MOST_REUSED
    const previous = shown.map(({ id, coordinate }) => ({ id, coordinate }))
    const begun = performance.now()
    const answer = await this.#collection.clusters(reuses ? { ...view, previous } : view, { signal })
    signal.throwIfAborted()
    const milliseconds = performance.now() - begun
    this.view = view
    this.head = answer
    this.#change(this.screen.replace(answer), answer, { type: 'view', milliseconds })
    this.#status('idle')
    const isWatchable = !view.method || view.method === 'grid'
    if (this.#options.live && isWatchable) await this.#listen(view, signal)
  }

  async #listen(view, signal) {
    await pause(SETTLED, signal)
    const { histogram: _, ...watched } = view
    const onConnection = isOpen => this.#status(isOpen ? 'live' : 'reconnecting')
    for await (const { type, data } of this.#collection.changes(watched, { signal, onConnection })) {
      if (type === 'problem') throw Object.assign(new Error(data.detail), data)
      if (type === 'gone') {
        this.#change(this.screen.clear(), { featureCount: 0, annotations: [] }, { type: 'gone' })
      } else if (type === 'view') {
        // The answer to the request may have kept places on screen; nothing has changed since.
        const isSame = data.version === this.head.version
        if (isSame) this.screen.adopt(data)
        else this.#change(this.screen.replace(data), data, { type: 'live' })
      } else {
        this.#change(this.screen.update(data), data, { type: 'live' })
      }
    }
  }

  #change(difference, answer, cause) {
    if (cause.type === 'live') this.head = { ...this.head, version: answer.version, featureCount: answer.featureCount }
    this.#options.onChange?.(difference, this.head, cause)
  }

  #status(status) { this.#options.onStatus?.(status) }

  #fail(error) {
    this.#status('failed')
    this.#options.onError?.(error)
  }
}
