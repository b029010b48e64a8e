// How annotations look: circles by count, pies, and pins, as elements whose text is only ever text.

import { put } from './content.js'
import { within } from './mercator.js'

const STYLE = `
.pincluster-mark { position: absolute; box-sizing: border-box; contain: size layout style; cursor: pointer; outline: none; -webkit-tap-highlight-color: transparent;
  transition: opacity .18s; }
.pincluster-gliding { transition: transform .26s cubic-bezier(.3, .7, .2, 1), opacity .18s; }
.pincluster-face { position: absolute; inset: 0; margin: auto; display: flex; align-items: center; justify-content: center; box-sizing: border-box;
  border-radius: 50%; background: var(--pincluster-color, var(--pincluster-accent, #2b59c3));
  color: var(--pincluster-on-accent, #fff); border: 2px solid var(--pincluster-ring, #fff);
  box-shadow: 0 1px 4px rgb(15 23 42 / .28); font: 600 12px/1 system-ui, sans-serif; font-variant-numeric: tabular-nums;
  user-select: none; }
.pincluster-pin .pincluster-face { width: 16px; height: 16px; }
.pincluster-pie .pincluster-face { background: var(--pincluster-pie); border-width: 1.5px; }
.pincluster-pie .pincluster-count { display: flex; align-items: center; justify-content: center; position: absolute; inset: 5px; border-radius: 50%;
  background: var(--pincluster-surface, #fff); color: var(--pincluster-ink, #16202e); }
.pincluster-pie.pincluster-pin .pincluster-count { display: none; }
.pincluster-mark:hover .pincluster-face, .pincluster-mark:focus-visible .pincluster-face { scale: 1.08; box-shadow: 0 2px 10px rgb(15 23 42 / .35); }
.pincluster-mark:focus-visible .pincluster-face { outline: 3px solid var(--pincluster-focus, #16202e); outline-offset: 2px; }
.pincluster-open .pincluster-face { opacity: .35; }
.pincluster-open .pincluster-label { visibility: hidden; }
.pincluster-spreading .pincluster-mark:not(.pincluster-spread, .pincluster-open) { opacity: .4; }
.pincluster-chosen .pincluster-face { outline: 3px solid var(--pincluster-focus, #16202e); outline-offset: 2px; }
.pincluster-label { position: absolute; left: 50%; top: calc(100% - 4px); translate: -50% 0; max-width: 14em; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; font: 500 max(12px, .75rem)/1.3 system-ui, sans-serif; color: var(--pincluster-ink, #16202e);
  text-shadow: 0 0 2px var(--pincluster-halo, #fff), 0 0 2px var(--pincluster-halo, #fff), 0 0 4px var(--pincluster-halo, #fff);
  pointer-events: none; display: none; }
.pincluster-cluster .pincluster-label { top: 100%; }
.pincluster-labels .pincluster-pin .pincluster-label, .pincluster-labelled.pincluster-pin .pincluster-label,
.pincluster-mark:hover .pincluster-label, .pincluster-mark:focus-visible .pincluster-label { display: block; }
.pincluster-mark:focus-visible .pincluster-label, .pincluster-chosen .pincluster-label { margin-top: 5px; }
.pincluster-new { animation: pincluster-come .2s ease-out; }
.pincluster-leaving { pointer-events: none; opacity: 0; transition: opacity .18s; }
.pincluster-own { contain: layout style; width: max-content !important; height: auto !important; margin: 0 !important;
  translate: var(--pincluster-anchor, -50% -50%); }
.pincluster-own > .pincluster-face { display: none; }
.pincluster-content { display: block; font: 600 max(12px, .75rem)/1.3 system-ui, sans-serif; color: var(--pincluster-ink, #16202e); border-radius: 4px; }
.pincluster-mark:focus-visible > .pincluster-content, .pincluster-chosen > .pincluster-content { outline: 3px solid var(--pincluster-focus, #16202e); outline-offset: 2px; }
.pincluster-open > .pincluster-content { opacity: .35; }
.pincluster-content > .leaflet-marker-icon { position: relative; margin: 0 !important; pointer-events: inherit; }
.pincluster-centred { position: relative; margin: 0 !important; translate: 0 50%; }
.pincluster-card { min-width: 9em; max-height: 45vh; overflow: auto; outline: none; font: 400 max(13px, .8125rem)/1.4 system-ui, sans-serif; overflow-wrap: anywhere; }
.pincluster-card > strong { padding-inline-end: 14px; }
.pincluster-popup :is(.leaflet-popup-close-button, .maplibregl-popup-close-button) { box-sizing: border-box; min-width: 24px; min-height: 24px; }
.pincluster-card.pincluster-text { white-space: pre-line; }
.pincluster-card dl { margin: 0; }
.pincluster-card dl > div { display: grid; grid-template-columns: 7em 1fr; gap: 8px; margin-top: 4px; }
.pincluster-card dt { opacity: .75; }
.pincluster-card dd { margin: 0; }
@keyframes pincluster-come { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) {
  .pincluster-mark, .pincluster-gliding, .pincluster-leaving { transition: none; }
  .pincluster-new { animation: none; }
}
`

/** Where the style of an element belongs: its shadow root, or its document. */
export function rootOf(element) {
  const root = element.getRootNode()
  return root.adoptedStyleSheets ? root : element.ownerDocument
}

/** Adds the style of faces to a document or a shadow root, once. A strict Content-Security-Policy allows that. */
export function style(root = document) {
  if (root.pinclusterStyle) return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  root.pinclusterStyle = sheet
}

/** 1234 as 1.2k. */
export function abbreviated(count) {
  if (count < 1000) return String(count)
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1e6, 'M']
  return (value < 9.95 ? value.toFixed(1).replace('.0', '') : String(Math.round(value))) + unit
}

/** The width of a marker, in points. A circle fits into a cell of a width, but for very small ones. */
export function sizeOf({ count }, cell = Infinity) {
  return count > 1 ? Math.min(Math.round(26 + 8 * Math.log10(count)), Math.max(Math.floor(cell) - GAP, LEAST)) : 30
}

/** The width of a cell of an answer's grid on a map at a zoom, in points; infinite without a grid. The world is 256 wide at 0. */
export const cellWidth = (head, zoom) => (head?.cellsPerWorld ? 256 * 2 ** zoom / head.cellsPerWorld : Infinity)

/** Where an annotation is drawn: a circle with an edge around it is moved into its cell, so that none covers another one's count. */
export function placeOf(annotation, head, zoom, edge = 0) {
  const { coordinate, count } = annotation
  const cell = cellWidth(head, zoom)
  if (count === 1 || cell === Infinity) return coordinate
  return within(coordinate, head.cellsPerWorld, (sizeOf(annotation, cell) / 2 + GAP / 2 + edge) / (cell * head.cellsPerWorld))
}

/** Whether the reader wants no movement. */
export const isCalm = () => Boolean(globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches)

// Between circles of neighbouring cells, and the width that a count needs, in points.
export const GAP = 2
export const LEAST = 20

// Made once: that takes many times as long as to use it.
let numbers

/** A count as people read it. */
export function counted(count) {
  return (numbers ??= new Intl.NumberFormat()).format(count)
}

/** What a screen reader says. */
export function descriptionOf({ count, title, subtitle, group }) {
  const name = count > 1 ? `${counted(count)} features${subtitle ? `: ${subtitle}` : ''}` : title ?? '1 feature'
  return typeof group === 'string' ? `${name}, ${group}` : name
}

/** A new element of an annotation. */
export function face(annotation, look) {
  const element = document.createElement('div')
  element.setAttribute('role', 'button')
  element.tabIndex = -1
  for (const name of ['face', 'label']) {
    const part = document.createElement('span')
    part.className = `pincluster-${name}`
    element.append(part)
  }
  const count = document.createElement('span')
  count.className = 'pincluster-count'
  element.firstChild.append(count)
  element.classList.add('pincluster-mark')
  paint(element, annotation, look)
  return element
}

// The look of each element, so that only differences are applied: many elements change four times a second.
const painted = new WeakMap()

/**
 * Makes an element look like an annotation. `look` may have `color(annotation)`, `pie(annotation)`, and `titled`, which
 * is false where titles of pins say no more than that they are pins, `cell`, the width of a cell of the grid in points, or `size`, that of the element;
 * and `html(annotation, element)`: text or a node to show in place of a circle, or nothing.
 */
export function paint(element, annotation, { color, pie, html, titled = true, describe = descriptionOf, cell, size = sizeOf(annotation, cell) } = {}) {
  const slices = pie?.(annotation)
  const isCluster = annotation.count > 1
  const now = {
    id: annotation.id, isCluster, size, description: describe(annotation),
    count: isCluster ? abbreviated(annotation.count) : '',
    label: (isCluster ? annotation.subtitle : titled && annotation.feature && annotation.title) || '',
    pie: slices?.length ? conic(slices) : '', color: color?.(annotation) ?? '',
  }
  const before = painted.get(element)
  painted.set(element, now)
  const differs = name => !before || before[name] !== now[name]
  const [disc, label] = element.children
  const { classList, style } = element
  if (differs('id')) element.dataset.id = now.id
  if (differs('isCluster')) {
    classList.toggle('pincluster-cluster', isCluster)
    classList.toggle('pincluster-pin', !isCluster)
  }
  if (differs('description')) element.setAttribute('aria-label', now.description)
  if (differs('size')) {
    const { size } = now
    Object.assign(style, { width: `${size}px`, height: `${size}px`, margin: `${-size / 2}px 0 0 ${-size / 2}px` })
  }
  if (differs('count')) disc.firstChild.textContent = now.count
  if (differs('label')) label.textContent = now.label
  if (differs('pie')) {
    classList.toggle('pincluster-pie', now.pie !== '')
    style.setProperty('--pincluster-pie', now.pie)
  }
  if (differs('color')) style.setProperty('--pincluster-color', now.color)
  now.annotation = annotation
  if (html && differs('annotation')) paintOwn(element, html(annotation, element))
}

function paintOwn(element, content) {
  const isOwn = content !== undefined && content !== null
  let box = element.querySelector(':scope > .pincluster-content')
  element.classList.toggle('pincluster-own', isOwn)
  if (!isOwn) return box?.remove()
  if (!box) {
    box = document.createElement('span')
    box.className = 'pincluster-content'
    element.append(box)
  }
  put(box, content)
}

function conic(slices) {
  const total = slices.reduce((sum, { count }) => sum + count, 0)
  let at = 0
  const stops = slices.map(({ count, color }) => {
    const from = at
    at += count
    return `${color} ${(from / total * 360).toFixed(1)}deg ${(at / total * 360).toFixed(1)}deg`
  })
  return `conic-gradient(${stops.join(', ')})`
}
