// The content of markers and popups: text, elements, templates with values that are only ever text, and tables of properties.

// Stands for a value in a template: of signs that no text has for a purpose of its own.
const PLACE = /\uE0F0(\d+)\uE0F1/

/**
 * The element of a template, or a fragment if there are several: html`<b title="${name}">${name}</b>`. A value is text, a node,
 * or a list of these between elements, and text in an attribute. Values never become markup: a `<` is a `<`. Throws an Error where a
 * value would be code: in a script, in a style sheet, in an attribute such as `onclick`, or as the name of anything.
 */
export function html(strings, ...values) {
  const template = document.createElement('template')
  template.innerHTML = strings.reduce((text, part, i) => `${text}\uE0F0${i - 1}\uE0F1${part}`).trim()
  let found = 0
  const walk = node => {
    if (node.nodeType === Node.ELEMENT_NODE) for (const attribute of [...node.attributes]) found += fillAttribute(node, attribute, values)
    if (node.nodeType === Node.TEXT_NODE) found += fillText(node, values)
    else for (const child of [...node.childNodes]) walk(child)
  }
  walk(template.content)
  if (found < values.length) throw new Error('a value in html`…` is neither between elements nor the value of an attribute')
  return template.content.childNodes.length === 1 ? template.content.firstChild : template.content
}

function fillText(node, values) {
  // Odd parts are numbers of values.
  const parts = node.data.split(PLACE)
  if (parts.length === 1) return 0
  if (/^(script|style)$/i.test(node.parentNode.localName ?? '')) throw new Error(`a value in <${node.parentNode.localName}> would be code`)
  node.replaceWith(...parts.flatMap((part, i) => (i % 2 ? nodes(values[part]) : part)))
  return (parts.length - 1) / 2
}

const nodes = value => [value].flat(Infinity).map(one => (one?.nodeType ? one : String(one ?? '')))

function fillAttribute(element, { name, value }, values) {
  const parts = value.split(PLACE)
  if (parts.length === 1) return 0
  if (/^(on|srcdoc$)/i.test(name)) throw new Error(`a value in ${name} would be code`)
  const text = parts.map((part, i) => (i % 2 ? values[part] ?? '' : part)).join('')
  // Browsers skip signs like these in the scheme of an address.
  // eslint-disable-next-line no-control-regex
  if (/^(javascript|vbscript):/i.test(text.replace(/[\0-\x20\x7F-\x9F]/g, ''))) element.removeAttribute(name)
  else element.setAttribute(name, text)
  return (parts.length - 1) / 2
}

/** Makes a text or a node what an element holds, if it isn't that already. */
export function put(element, content) {
  if (content?.nodeType) {
    if (element.childNodes.length !== 1 || element.firstChild !== content) element.replaceChildren(content)
  } else if (element.childElementCount || element.textContent !== String(content)) element.textContent = content
}

/** What a popup holds: an element that is there at once, has the focus while it is open, and is filled when its content has come. */
export class Card {
  element = document.createElement('div')
  #options
  #annotation
  #popup

  /**
   * @param options `popup`, a function from an annotation to text, a node, a promise of these or nothing, or a list of names of
   *   properties; `describe(annotation)`; `titled`, whether titles of annotations are those of features; and what to call: `onClose()`,
   *   `onChange()` when the size has changed, `onError(error)`
   */
  constructor(options) {
    this.#options = options
    Object.assign(this.element, { className: 'pincluster-card', tabIndex: -1 })
    this.element.setAttribute('role', 'dialog')
  }

  /** Shows an annotation; false if there is nothing to show of it. */
  show(annotation) {
    const { popup, describe, onClose, onChange, onError } = this.#options
    this.#annotation = annotation
    const content = Array.isArray(popup) ? this.#table(annotation, popup) : popup(annotation)
    if (isNothing(content)) return false
    this.element.setAttribute('aria-label', describe(annotation))
    const isLate = typeof content.then === 'function'
    this.element.ariaBusy = String(isLate)
    if (!isLate) {
      this.#fill(content)
      return true
    }
    if (!this.element.hasChildNodes()) this.#fill('…')
    const late = then => value => {
      // Meanwhile another one may be shown.
      if (this.#annotation !== annotation) return
      this.element.ariaBusy = 'false'
      then(value)
    }
    content.then(late(value => {
      if (isNothing(value)) return onClose()
      this.#fill(value)
      onChange()
    })).catch(late(error => {
      onClose()
      onError(error)
    }))
    return true
  }

  /** Takes the focus, within the element of a popup; Escape closes that. */
  open(popup) {
    this.#popup = popup
    popup?.addEventListener('keydown', event => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      this.#options.onClose()
    })
    this.element.focus({ preventScroll: true })
  }

  /** Whether its popup has the focus, or had it until it went. */
  get hasFocus() {
    const { activeElement, body } = document
    return !activeElement || activeElement === body || (this.#popup ?? this.element).contains(activeElement)
  }

  #fill(content) {
    this.element.classList.toggle('pincluster-text', !content.nodeType)
    put(this.element, content)
  }

  #table({ title, feature }, names) {
    const properties = feature?.properties ?? {}
    const rows = names.filter(name => !isNothing(properties[name])).map(name => {
      const value = properties[name]
      return html`<div><dt>${name}</dt><dd>${typeof value === 'object' ? JSON.stringify(value) : value}</dd></div>`
    })
    const heading = this.#options.titled ? html`<strong>${title}</strong>` : ''
    return heading || rows.length ? html`<div>${heading}<dl>${rows}</dl></div>` : null
  }
}

const isNothing = content => content === undefined || content === null || content === false || content === ''
