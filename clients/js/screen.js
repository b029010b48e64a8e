// The markers on screen: which leave, which stay, and which come, when an answer or an event arrives.

/**
 * @typedef Difference
 * @property {object[]} removed annotations that are no longer there
 * @property {[object, object][]} kept what was there, and what it is now, where its id or anything else has changed
 * @property {object[]} added annotations that weren't there
 */

/** The annotations on screen, by id. */
export class Screen {
  annotations = new Map()
  #cells = new Map()

  /** Replaces everything by the answer to a viewport request, or by the first event of a stream. */
  replace(answer) {
    const incoming = answer.annotations ?? answer.cells.flatMap(cell => cell.annotations)
    this.#cells.clear()
    for (const cell of answer.cells ?? []) this.#setCell(cell)
    return this.#exchange([...this.annotations.keys()], incoming, answer.changes?.kept)
  }

  /** Replaces cells by those of an event. */
  update(event) {
    const ids = new Set()
    for (const cell of event.cells) {
      for (const id of this.#cells.get(nameOf(cell)) ?? []) ids.add(id)
      this.#setCell(cell)
    }
    return this.#exchange(ids, event.cells.flatMap(cell => cell.annotations))
  }

  /** Notes which annotations are in which cells, when they are known to be those on screen. */
  adopt(event) {
    this.#cells.clear()
    for (const cell of event.cells) this.#setCell(cell)
  }

  /** Removes everything. */
  clear() {
    this.#cells.clear()
    return this.#exchange([...this.annotations.keys()], [])
  }

  #setCell(cell) {
    if (cell.annotations.length) this.#cells.set(nameOf(cell), cell.annotations.map(({ id }) => id))
    else this.#cells.delete(nameOf(cell))
  }

  #exchange(ids, incoming, pairs = []) {
    const leaving = new Map()
    for (const id of ids) if (this.annotations.has(id)) leaving.set(id, this.annotations.get(id))
    const origins = new Map()
    for (const [old, id] of pairs) origins.set(id, old)
    // Ids first, so that nothing else takes what stays as it is.
    const kept = []
    const rest = []
    for (const annotation of incoming) {
      const old = origins.get(annotation.id) ?? annotation.id
      if (leaving.has(old)) {
        if (old !== annotation.id || !isSame(leaving.get(old), annotation)) kept.push([leaving.get(old), annotation])
        leaving.delete(old)
      } else rest.push(annotation)
    }
    // Then features: one that has moved to another cell is still the same pin.
    const pins = new Map()
    for (const old of leaving.values()) if (old.feature) pins.set(String(old.feature.id), old)
    const added = []
    for (const annotation of rest) {
      const old = annotation.feature && pins.get(String(annotation.feature.id))
      if (old && leaving.delete(old.id)) kept.push([old, annotation])
      else added.push(annotation)
    }
    const removed = [...leaving.values()]
    for (const { id } of removed) this.annotations.delete(id)
    for (const [{ id }] of kept) this.annotations.delete(id)
    for (const annotation of incoming) this.annotations.set(annotation.id, annotation)
    return { removed, kept, added }
  }
}

function nameOf({ column, row, group }) {
  return `${column} ${row} ${group === undefined ? '' : JSON.stringify(group)}`
}

function isSame(one, other) {
  if (one.count !== other.count || one.coordinate?.latitude !== other.coordinate?.latitude ||
      one.coordinate?.longitude !== other.coordinate?.longitude) return false
  const { reuses: _, ...a } = one
  const { reuses: __, ...b } = other
  return JSON.stringify(a) === JSON.stringify(b)
}
