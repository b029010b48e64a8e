// Finding a feature by its id or name.

const WAIT = 200
const MOST = 8

/** `options`: `find(text, signal)` gives features, `go(feature)` shows one, `nameOf(feature)` is its name. */
export function search({ form, field, list, note }, { find, go, nameOf }) {
  let task = new AbortController()
  let timer
  // The text that the list is of.
  let searched
  const clear = () => {
    searched = undefined
    list.hidden = note.hidden = true
    list.replaceChildren()
  }
  const run = async () => {
    const text = field.value.trim()
    task.abort()
    task = new AbortController()
    if (!text) return clear()
    try {
      const found = await find(text, task.signal)
      clear()
      searched = text
      note.hidden = found.length > 0
      note.textContent = found.length ? '' : 'Nothing of that name or id.'
      list.hidden = !found.length
      list.append(...found.slice(0, MOST).map(feature => row(feature)))
    } catch (error) {
      if (error.name === 'AbortError') return
      clear()
      note.hidden = false
      note.textContent = error.message
    }
  }
  const row = feature => {
    const item = document.createElement('li')
    const button = document.createElement('button')
    const id = document.createElement('small')
    button.type = 'button'
    button.append(nameOf(feature), id)
    id.textContent = String(feature.id)
    button.addEventListener('click', () => {
      clear()
      go(feature)
    })
    item.append(button)
    return item
  }
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(run, WAIT)
  })
  form.addEventListener('submit', async event => {
    event.preventDefault()
    clearTimeout(timer)
    const isThere = () => searched === field.value.trim()
    if (!isThere()) await run()
    if (isThere()) list.querySelector('button')?.click()
  })
  form.addEventListener('keydown', event => {
    const buttons = [...list.querySelectorAll('button')]
    const at = buttons.indexOf(document.activeElement)
    if (event.key === 'Escape') {
      if (list.hidden && note.hidden) return
      clear()
      field.focus()
    } else if (event.key === 'ArrowDown') (buttons[at + 1] ?? buttons[0])?.focus()
    else if (event.key === 'ArrowUp') (buttons[at - 1] ?? field).focus()
    else return
    event.preventDefault()
  })
}

/** A filter for those whose property begins with a text, in any case and with any accents. */
export const beginning = (property, text) => like(property, `${literal(text)}%`)

/** A filter for those whose property has a text somewhere. */
const holding = (property, text) => like(property, `%${literal(text)}%`)

const literal = text => text.replace(/[\\%_]/g, '\\$&')

function like(property, pattern) {
  return `ACCENTI(CASEI("${property.replaceAll('"', '""')}")) LIKE ACCENTI(CASEI('${pattern.replaceAll("'", "''")}'))`
}

/** The features of a collection whose id is a text, or whose `titles` has it, as far as they pass `filter`. */
export async function find(collection, text, { titles, filter }, signal) {
  const own = await collection.get(text, { signal })
  if (!titles) return own ? [own.feature] : []
  const within = filter ? `(${filter}) AND ` : ''
  const page = async condition => (await collection.query({ filter: within + condition, limit: MOST }, { signal })).features
  const first = await page(beginning(titles, text))
  const found = first.length ? first : await page(holding(titles, text))
  return own ? [own.feature, ...found.filter(({ id }) => id !== own.feature.id)] : found
}
