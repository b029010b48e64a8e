// The card of one annotation: the properties of a feature, or the features of a cluster, page by page.

const PAGE = 20

/** Shows and hides the card. `options`: `load(id, page, signal)`, `go(feature)`, `nameOf(feature)`. */
export class Details {
  #parts
  #options
  #task = new AbortController()
  #origin = null

  constructor(parts, options) {
    this.#parts = parts
    this.#options = options
    parts.close.addEventListener('click', () => this.close())
    parts.back.addEventListener('click', () => this.#turn(-1))
    parts.next.addEventListener('click', () => this.#turn(1))
  }

  /** Shows a feature. */
  feature(feature, { takesFocus = true } = {}) {
    this.#open(this.#options.nameOf(feature), `id ${feature.id}`, takesFocus)
    const list = document.createElement('dl')
    for (const [name, value] of Object.entries(feature.properties ?? {})) {
      const [term, text] = [document.createElement('dt'), document.createElement('dd')]
      term.textContent = name
      text.textContent = typeof value === 'string' ? value : JSON.stringify(value)
      list.append(term, text)
    }
    this.#parts.body.replaceChildren(list)
    this.#parts.pages.hidden = true
  }

  /** Shows the features of a cluster. */
  cluster(annotation) {
    this.#open(`${annotation.count.toLocaleString()} features`, '', true)
    this.#origin = { id: annotation.id, count: annotation.count, offset: 0 }
    this.#parts.body.replaceChildren()
    this.#load()
  }

  /** Hides the card. `options.onClose(hadFocus)` is told whether it had the focus. */
  close() {
    this.#task.abort()
    const { card } = this.#parts
    if (card.hidden) return
    const hadFocus = card.contains(document.activeElement)
    card.hidden = true
    this.#options.onClose?.(hadFocus)
  }

  #open(title, note, takesFocus) {
    this.#task.abort()
    this.#task = new AbortController()
    this.#parts.title.textContent = title
    this.#parts.note.textContent = note
    this.#parts.card.hidden = false
    if (takesFocus) this.#parts.title.focus({ preventScroll: true })
  }

  #turn(by) {
    this.#origin.offset += by * PAGE
    this.#load()
  }

  async #load() {
    this.#task.abort()
    const { signal } = (this.#task = new AbortController())
    const { id, offset } = this.#origin
    try {
      const page = await this.#options.load(id, { limit: PAGE, offset }, signal)
      const count = page.numberMatched
      const list = document.createElement('ul')
      list.append(...page.features.map(feature => this.#row(feature)))
      this.#parts.body.replaceChildren(list)
      this.#parts.pages.hidden = count <= PAGE
      this.#parts.page.textContent = `${offset + 1}–${offset + page.features.length} of ${count.toLocaleString()}`
      this.#parts.back.disabled = offset === 0
      this.#parts.next.disabled = offset + PAGE >= count
    } catch (error) {
      if (error.name !== 'AbortError') this.#parts.note.textContent = error.status === 404 ? 'It is no longer there.' : error.message
    }
  }

  #row(feature) {
    const [item, button, id] = ['li', 'button', 'small'].map(name => document.createElement(name))
    button.type = 'button'
    button.append(this.#options.nameOf(feature), id)
    id.textContent = String(feature.id)
    button.addEventListener('click', () => this.#options.go(feature))
    item.append(button)
    return item
  }
}
