// The slider of a collection with times: which span is shown, over how many features there are when.

const BINS = 40
const STEPS = 1000
const WAIT = 250

/** `options.onChange(datetime)` is given what to ask for; undefined for all times. */
export class TimeSlider {
  #parts
  #onChange
  #interval = null
  #timer

  constructor(parts, { onChange }) {
    this.#parts = parts
    this.#onChange = onChange
    for (const field of [parts.from, parts.to]) field.addEventListener('input', () => this.#input(field))
  }

  /** Starts anew, for the times of a collection; hides it without. */
  reset(interval, from, to) {
    const [begin, end] = (interval ?? []).map(text => Date.parse(text))
    this.#interval = Number.isFinite(begin) && Number.isFinite(end) && end > begin ? [begin, end] : null
    this.#parts.section.hidden = !this.#interval
    if (!this.#interval) return
    this.#parts.from.value = from ?? 0
    this.#parts.to.value = to ?? STEPS
    this.#parts.bars.replaceChildren()
    this.#show()
  }

  /** What the viewport request takes; undefined for all times. */
  get datetime() {
    const [from, to] = this.places
    if (!this.#interval || (from === null && to === null)) return undefined
    return `${from === null ? '..' : this.#time(from)}/${to === null ? '..' : this.#time(to)}`
  }

  /** Where the slider stands; null at its ends. */
  get places() {
    const [from, to] = [Number(this.#parts.from.value), Number(this.#parts.to.value)]
    return [from > 0 ? from : null, to < STEPS ? to : null]
  }

  /** The field that asks for the bars; undefined without times. */
  histogram(property) {
    if (!this.#interval) return undefined
    return { property, bins: BINS, range: this.#interval.map(time => new Date(time).toISOString()) }
  }

  /** Draws the bars. */
  draw({ counts }) {
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
    return new Date(begin + (end - begin) * place / STEPS).toISOString()
  }

  #input(field) {
    const { from, to } = this.#parts
    if (Number(from.value) > Number(to.value)) field.value = field === from ? to.value : from.value
    this.#show()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#onChange(this.datetime), WAIT)
  }

  #show() {
    const { from, to, bars, span } = this.#parts
    const [begin, end] = this.#interval
    const isLong = end - begin > 3 * 86_400_000
    const format = new Intl.DateTimeFormat(undefined, isLong ? { dateStyle: 'medium' } : { dateStyle: 'short', timeStyle: 'short' })
    const texts = [from, to].map(field => format.format(new Date(this.#time(Number(field.value)))))
    span.textContent = texts.join(' – ')
    from.setAttribute('aria-valuetext', texts[0])
    to.setAttribute('aria-valuetext', texts[1])
    const [a, b] = [from.value / STEPS, to.value / STEPS]
    ;[...bars.children].forEach((bar, i) => bar.classList.toggle('in', (i + 1) / BINS > a && i / BINS < b))
  }
}
