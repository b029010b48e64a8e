// The look of annotations by a property of their features: colours, pies, what a screen reader says, and the legend.

import { descriptionOf } from './face.js'
import { Colors, keyOf, legendItem } from './map-colors.js'
import { Ranges, rangesOf, written } from './map-ranges.js'

/** The look of a collection. `parts`: `list`, the legend; `how`, the choice between ways; `note`, what to know of the colours. */
export class Look {
  #parts
  #property = ''
  #how = 'share'
  #colors = new Colors()
  #task = new AbortController()

  constructor(parts) { this.#parts = parts }

  /**
   * Chooses a property, '' for none, and how it is shown: `share` or `group`. `type` is that of its JSON Schema. Numbers get
   * classes, about which the service is asked.
   */
  async choose(collection, property, how, type) {
    this.#task.abort()
    const { signal } = (this.#task = new AbortController())
    const types = [type].flat().filter(name => name !== 'null')
    const isNumber = types.length > 0 && types.every(name => name === 'integer' || name === 'number')
    const ranges = property && isNumber ? await rangesOf(collection, property, !types.includes('number'), signal).catch(() => null) : null
    signal.throwIfAborted()
    this.#property = property
    this.#how = how
    this.#colors = ranges ?? new Colors()
    this.#parts.how.hidden = !property || this.#kind === 'mean'
    this.#parts.note.hidden = this.#kind !== 'mean'
    this.#parts.list.hidden = !property
    this.#parts.list.classList.toggle('ramp', Boolean(ranges))
  }

  /** Chooses another way to show the same property. */
  show(how) { this.#how = how }

  /** What the viewport request needs for it; null takes a field back. */
  get fields() {
    const property = this.#property
    const kind = this.#kind
    return {
      groupBy: kind === 'group' ? property : null, countBy: kind === 'share' ? property : null,
      aggregate: kind === 'mean' ? { value: ['mean', property] } : null,
    }
  }

  /** The properties of pins that it needs. */
  get properties() { return this.#property ? [this.#property] : [] }

  /** The colour of an annotation whose features have one value, or a mean. */
  color(annotation) {
    const value = this.#valueOf(annotation)
    return value === undefined ? undefined : this.#colors.of(value)
  }

  /** The slices of an annotation whose features have several. */
  pie(annotation) {
    if (this.#kind !== 'share' || annotation.count === 1) return null
    return this.#colors.pie(annotation.counts ?? {}, annotation.otherCount)
  }

  describe(annotation) {
    const text = descriptionOf(annotation)
    const value = this.#kind === 'group' ? undefined : this.#valueOf(annotation)
    if (value === undefined || value === 'null') return text
    const isMean = this.#kind === 'mean' && annotation.count > 1
    return `${text}, ${isMean ? 'mean ' : ''}${this.#property} ${this.#colors instanceof Ranges ? written(Number(value)) : value}`
  }

  /** Shows what is on screen in the legend; whether faces were drawn before their colours were known. */
  legend(annotations) {
    if (!this.#property) return false
    const known = this.#colors.size
    const totals = this.#colors.learn(annotations, annotation => {
      const value = this.#valueOf(annotation)
      return value === undefined ? Object.entries(annotation.counts ?? {}) : [[value, annotation.count]]
    })
    this.#parts.list.replaceChildren(...this.#colors.legend(totals).map(legendItem))
    return known !== this.#colors.size
  }

  // How it is shown: `mean` where there are too many numbers to count each.
  get #kind() {
    if (!this.#property) return 'none'
    return this.#colors instanceof Ranges && !this.#colors.areFew ? 'mean' : this.#how
  }

  // The one value of an annotation, as a text; undefined if it may have several.
  #valueOf({ count, feature, group, aggregates }) {
    if (!this.#property) return undefined
    if (count === 1 && feature) return keyOf(feature.properties?.[this.#property])
    if (this.#kind === 'group') return keyOf(group)
    return this.#kind === 'mean' ? keyOf(aggregates?.value) : undefined
  }
}
