// Follows a map: asks for what it shows now, gives up what it no longer shows, and listens for changes.

import { pause, pauseAbout } from './pause.js'
import { isTemporary, PinclusterError } from './problem.js'
import { Screen } from './screen.js'
import { propertiesOf, withoutProperties } from './view.js'

// The least time between two requests of one map, and from the last to listening, in milliseconds.
const BREATH = 120
const SETTLED = 300
// The pauses between requests that fail, the first and the longest.
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 30_000
// The most annotations that are sent back to be reused.
const MOST_REUSED = 2000

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
   * @param options `live`, `reuse`, and what to call: `onChange(difference, head, cause)`, `onStatus(status)`,
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
    const mayReuse = this.#options.reuse && !isSameGrid && !propertiesOf(view).length
    const reuses = mayReuse && shown.length > 0 && shown.length <= MOST_REUSED
    const previous = shown.map(({ id, coordinate }) => ({ id, coordinate }))
    const [answer, milliseconds] = await this.#ask(reuses ? { ...view, previous } : view, signal)
    signal.throwIfAborted()
    this.view = view
    this.head = answer
    this.#change(this.screen.replace(answer), { type: 'view', milliseconds })
    this.#status('idle')
    const isWatchable = !view.method || view.method === 'grid'
    if (!this.#options.live || !isWatchable) return
    await this.#listen(view, signal)
    // A collection that has gone may be made anew, and a key whose rights have changed may see other features.
    await pauseAbout(FIRST_PAUSE, signal)
    await this.#follow(view, signal)
  }

  // The answer, and how long it took. A service that can't answer, such as one that starts anew, is asked until it can. With live
  // changes, so is one whose collection was there and has gone.
  async #ask(view, signal) {
    for (let failures = 0; ; failures++) {
      try {
        const begun = performance.now()
        const answer = await this.#collection.clusters(view, { signal })
        return [answer, performance.now() - begun]
      } catch (error) {
        signal.throwIfAborted()
        const isGone = error.status === 404 && this.head !== null && this.#options.live
        if (!isTemporary(error) && !isGone) throw error
        if (isGone && this.head.featureCount) this.#clear()
        this.#status('reconnecting')
        if (failures === 0) this.#options.onError?.(error)
        await pauseAbout(Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE), signal, error)
      }
    }
  }

  // Listens while the page is seen, and asks anew when it is again: a browser has six connections to an origin for all pages together.
  async #listen(view, signal) {
    signal.throwIfAborted()
    const { document } = globalThis
    const stream = new AbortController()
    signal.addEventListener('abort', () => stream.abort(signal.reason))
    const turn = () => {
      if (!document.hidden) return this.show(view)
      stream.abort()
      this.#status('idle')
    }
    document?.addEventListener('visibilitychange', turn, { signal })
    if (document?.hidden) stream.abort()
    await pause(SETTLED, stream.signal)
    const { histogram: _, ...watched } = view
    const onConnection = isOpen => this.#status(isOpen ? 'live' : 'reconnecting')
    for await (const { type, data } of this.#collection.changes(withoutProperties(watched), { signal: stream.signal, onConnection })) {
      // Of a piece of the stream that came at once, the rest may be left.
      stream.signal.throwIfAborted()
      if (type === 'problem') {
        if (data.status !== 401) throw new PinclusterError(data)
        this.#status('reconnecting')
        break
      } else if (type === 'gone') {
        this.#clear()
        this.#status('reconnecting')
      } else if (type === 'view') {
        // The answer to the request may have kept places on screen; nothing has changed since.
        const isSame = data.version === this.head.version
        if (isSame) this.screen.adopt(data)
        else this.#replace(data)
      } else {
        const { version, featureCount } = data
        this.head = { ...this.head, version, featureCount }
        this.#change(this.screen.update(data), { type: 'live' })
      }
    }
    document?.removeEventListener('visibilitychange', turn)
  }

  #clear() {
    this.head = { ...this.head, featureCount: 0, annotations: [] }
    this.#change(this.screen.clear(), { type: 'gone' })
  }

  #replace({ cells, ...head }) {
    // A histogram isn't watched.
    const { histogram } = this.head
    this.head = { ...histogram && { histogram }, ...head }
    this.#change(this.screen.replace({ cells }), { type: 'live' })
  }

  #change(difference, cause) {
    this.#options.onChange?.(difference, this.head, cause)
  }

  #status(status) { this.#options.onStatus?.(status) }

  #fail(error) {
    this.#status('failed')
    this.#options.onError?.(error)
  }
}
