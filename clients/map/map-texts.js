// Texts of the map page: the command that asks for a view, and an error at its character.

/** The curl command of a request. A key stands in it by the name of a variable. */
export function curl({ method, url, body }, hasKey) {
  const quoted = text => `'${text.replaceAll("'", "'\\''")}'`
  const key = hasKey ? ' -H "Authorization: Bearer $PINCLUSTER_KEY"' : ''
  if (method === 'GET') return `curl -s ${quoted(url)}${key}`
  return `curl -s ${quoted(url)}${key} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`
}

/** An error in a filter: the filter with the character marked, and why. */
export function filterError(filter, detail) {
  const parts = []
  const place = /at character (\d+)/.exec(detail)
  if (place) {
    // The service counts characters as people do.
    const characters = Array.from(filter)
    const at = Math.min(Number(place[1]) - 1, characters.length)
    const code = document.createElement('code')
    const mark = document.createElement('mark')
    mark.textContent = characters[at] ?? '␣'
    code.append(characters.slice(0, at).join(''), mark, characters.slice(at + 1).join(''))
    parts.push(code)
  }
  parts.push(detail)
  return parts
}

/** Shows what the service has to say of a request that it answered; nothing if there is nothing. */
export function showNotes(element, notes = []) {
  const texts = notes.map(String)
  element.hidden = !texts.length
  if (texts.join('\n') === element.innerText) return
  element.replaceChildren(...texts.map(text => Object.assign(document.createElement('p'), { textContent: text })))
}

/** Shows a text, or hides the element without one. */
export function tell(element, text = '') {
  element.hidden = !text
  element.textContent = text
}

/** A number of things in words. `noun` is one of them, whose plural ends in s. */
export function amount(count, noun) { return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}` }

/** How long the last request for a URL took until its answer was there, in milliseconds; undefined if that isn't known. */
export function took(url) {
  const last = performance.getEntriesByName(url, 'resource').at(-1)
  // Browsers note no more than 250 without being told to forget.
  if (performance.getEntriesByType('resource').length > 200) performance.clearResourceTimings()
  return last?.requestStart ? last.responseEnd - last.requestStart : undefined
}

/** Fills a list with names and what stands for none of them, and chooses one. */
export function options(select, names, none, value) {
  select.replaceChildren(...[['', none], ...names.map(name => [name, name])].map(([value, text]) => new Option(text, value)))
  select.value = names.includes(value) ? value : ''
}

/** How many features a view has, and what is on screen for them. */
export function figures({ featureCount, hiddenCount }, annotations) {
  if (hiddenCount) return `${(featureCount - hiddenCount).toLocaleString()} of ${amount(featureCount, 'feature')} shown`
  return `${amount(featureCount, 'feature')} in ${amount(annotations.length, 'marker')}`
}

/** Copies a text, and says so on a button for a moment. */
export async function copy(text, button) {
  const isDone = await navigator.clipboard?.writeText(text).then(() => true, () => false)
  button.textContent = isDone ? 'Copied' : 'Can’t copy'
  setTimeout(() => { button.textContent = 'Copy' }, 1500)
}

/** A text with plain letters where they have accents, and what is joined from several letters in its parts. */
export const withoutAccents = text => text.normalize('NFKD').replace(/\p{M}/gu, '')
