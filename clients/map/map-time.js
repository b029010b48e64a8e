// The slider of a collection with times: which span is shown, over how many features there are when.

const BINS = 40
const STEPS = 1000
const WAIT = 250
// While it plays, the time between two moves in milliseconds, and how many moves a window takes to pass a place.
const PAUSE = 700
const MOVES = 4

/**
 * Two thumbs on a line. They look alike and may pass each other: the first is `from` again when they are let go, so that
 * each can always be moved to either side. `options.onChange(datetime)` is given what to ask for; undefined for all times.
 */
export class TimeSlider {
  #parts
  #onChange
  #interval = null
  #areDays = false
  // The exact times of places that were asked for by these.
  #exact = new Map()
  #timer
  #playing
  #asking
  #task = new AbortController()

  constructor(parts, { onChange }) {
    this.#parts = parts
    this.#onChange = onChange
    for (const field of [parts.from, parts.to]) {
      field.addEventListener('input', () => this.#input())
      field.addEventListener('change', () => this.#sort(field))
    }
    parts.play.addEventListener('click', () => (this.#playing ? this.#stop() : this.#play()))
  }

  /** Starts anew, for the times of a collection, between two times or places; hides it without. `areDays` where all times are whole days, which are those of UTC. */
  reset(interval, from, to, areDays = false) {
    this.#stop()
    clearTimeout(this.#timer)
    this.#interval = known(interval)
    this.#areDays = areDays
    this.#parts.section.hidden = !this.#interval
    if (!this.#interval) return
    this.#stand(from, to)
    this.#parts.bars.replaceChildren()
    this.#show()
  }

  /** Takes times that are new. Thumbs stay at their time, and at an end if they are there. */
  extend(interval, areDays = this.#areDays) {
    const next = known(interval)
    if (!next || String(next) === String(this.#interval)) return
    if (!this.#interval) return this.reset(interval, 0, STEPS, areDays)
    this.#areDays = areDays
    const times = this.times
    this.#interval = next
    this.#stand(...times)
    this.#show()
  }

  /** What the viewport request takes; undefined for all times. */
  get datetime() {
    const [from, to] = this.#interval ? this.times : [null, null]
    return from === null && to === null ? undefined : `${from ?? '..'}/${to ?? '..'}`
  }

  /** The times between which it stands; null at its ends. */
  get times() {
    const [from, to] = this.#ends
    return [from > 0 ? this.#time(from) : null, to < STEPS ? this.#time(to) : null]
  }

  /** Asks for the bars of a view, and draws them. */
  ask(collection, { bbox, zoom, filter }, property) {
    clearTimeout(this.#asking)
    this.#task.abort()
    if (!this.#interval) return
    const { signal } = (this.#task = new AbortController())
    const histogram = { property, bins: BINS, range: this.#interval.map(time => new Date(time).toISOString()) }
    this.#asking = setTimeout(async () => {
      try {
        const view = { bbox, zoom, filter, histogram, marginFactor: 0, cellSize: 512, fields: ['count'], properties: 'none' }
        this.#draw((await collection.clusters(view, { signal })).histogram)
      } catch (error) {
        if (error.name !== 'AbortError') console.warn(error)
      }
    }, 300)
  }

  #draw({ counts }) {
    const most = Math.max(1, ...counts)
    this.#parts.bars.replaceChildren(...counts.map(count => {
      const bar = document.createElement('i')
      bar.style.height = `${100 * Math.sqrt(count / most)}%`
      return bar
    }))
    this.#show()
  }

  #time(place) {
    const [begin, end] = this.#interval
    return this.#exact.get(place) ?? new Date(begin + (end - begin) * place / STEPS).toISOString()
  }

  // Moves to times, which stay exact while the thumbs aren't moved, or to places.
  #stand(from, to) {
    this.#exact.clear()
    const place = (time, usual, least, most) => {
      if (typeof time !== 'string') return time ?? usual
      const [begin, end] = this.#interval
      const at = Math.min(Math.max(Math.round(STEPS * (Date.parse(time) - begin) / (end - begin)), least), most)
      this.#exact.set(at, time)
      return at
    }
    const first = place(from, 0, 1, STEPS - 2)
    this.#move(first, place(to, STEPS, first + 1, STEPS - 1))
  }

  // The ends of the window, in steps.
  get #ends() {
    return [Number(this.#parts.from.value), Number(this.#parts.to.value)].sort((a, b) => a - b)
  }

  #move(from, to) {
    this.#parts.from.value = from
    this.#parts.to.value = to
  }

  #input() {
    this.#stop()
    this.#show()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#onChange(this.datetime), WAIT)
  }

  // A released thumb may have passed the other one, whose place it takes, with the focus.
  #sort(field) {
    const { from, to } = this.#parts
    if (Number(from.value) <= Number(to.value)) return
    this.#move(...this.#ends)
    const other = field === from ? to : from
    if (document.activeElement === field) other.focus()
    this.#show()
  }

  // MARK: Playing

  #play() {
    let [from, to] = this.#ends
    // Of all times a tenth.
    if (from <= 0 && to >= STEPS) to = STEPS / 10
    else if (to >= STEPS) [from, to] = [0, to - from]
    this.#move(from, to)
    this.#parts.play.setAttribute('aria-pressed', 'true')
    const step = () => {
      this.#show()
      this.#onChange(this.datetime)
      if (this.#ends[1] >= STEPS) return this.#stop()
      this.#playing = setTimeout(() => {
        // The window has moved if times have come meanwhile.
        const [from, to] = this.#ends
        const by = Math.min(Math.max(Math.round((to - from) / MOVES), 1), STEPS - to)
        this.#move(from + by, to + by)
        step()
      }, PAUSE)
    }
    step()
  }

  #stop() {
    clearTimeout(this.#playing)
    this.#playing = undefined
    this.#parts.play.setAttribute('aria-pressed', 'false')
  }

  #show() {
    const { from, to, bars, span } = this.#parts
    const [begin, end] = this.#interval
    const isLong = this.#areDays || end - begin > 3 * 86_400_000
    const format = new Intl.DateTimeFormat(undefined, {
      ...(isLong ? { dateStyle: 'medium' } : { dateStyle: 'short', timeStyle: 'short' }), ...(this.#areDays && { timeZone: 'UTC' }),
    })
    const text = place => format.format(new Date(this.#time(Number(place))))
    span.textContent = this.#ends.map(text).join(' – ')
    for (const field of [from, to]) field.setAttribute('aria-valuetext', text(field.value))
    const [a, b] = this.#ends.map(place => place / STEPS)
    ;[...bars.children].forEach((bar, i) => bar.classList.toggle('in', (i + 1) / BINS > a && i / BINS < b))
  }
}

/** Whether the times of a collection are whole days, by its `temporal` and the JSON Schemas of its properties. */
export const areDays = (temporal, schemas) => Object.values(temporal ?? {}).every(name => schemas[name]?.format === 'date')

// The times of a collection, in milliseconds; null if there are none.
function known(interval) {
  const [begin, end] = (interval ?? []).map(text => Date.parse(text))
  return Number.isFinite(begin) && Number.isFinite(end) && end > begin ? [begin, end] : null
}
