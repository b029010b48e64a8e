// How markers are reached without a mouse: methods of the Leaflet layer. The Tab key goes to one marker, arrows go from there to
// others, Enter opens one, + and - zoom around it.

import { isCalm } from './face.js'

export const keyboard = {
  /** Gives the focus to the marker nearest to a place; false if there is none on the map. */
  focusNear(latLng) {
    const { left, top } = this._map.getContainer().getBoundingClientRect()
    const { x, y } = this._map.latLngToContainerPoint(latLng)
    const element = this._nearest([left + x, top + y])
    element?.focus({ preventScroll: true })
    return Boolean(element)
  },

  // Layers of one map have a marker each to which the Tab key leads.
  _mark(marker) {
    const element = marker?.getElement()
    if (!element || element === this._current) return
    if (this._current) this._current.tabIndex = -1
    this._current = element
    element.tabIndex = 0
  },

  _key(event) {
    const element = event.target.closest?.('.pincluster-mark')
    if (!element || event.ctrlKey || event.metaKey || event.altKey) return
    // Of another layer, perhaps.
    const own = this._markerOf(element)
    const steps = { '+': 1, '=': 1, '-': -1, _: -1 }
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
    if (own && event.key in directions) this._nearest(this._placeOf(element), directions[event.key], element)?.focus({ preventScroll: true })
    else if (own && event.key in steps) this._zoomAt(own, steps[event.key])
    else if (own && (event.key === 'Enter' || event.key === ' ')) own.fire('click')
    else if (event.key === 'Escape' && this._spider) this.gather()
    else return
    event.preventDefault()
    event.stopPropagation()
  },

  // The place of a marker stays where it is.
  _zoomAt(marker, by) {
    const map = this._map
    const zoom = Math.min(Math.max(map.getZoom() + by * map.options.zoomDelta, map.getMinZoom()), map.getMaxZoom())
    map.setZoomAround(marker.getLatLng(), zoom, isCalm() ? { animate: false } : {})
  },

  _markerOf(element) {
    const all = [...this._markers.values(), ...(this._spider?.parts ?? [])]
    return all.find(marker => marker.annotation && marker.getElement() === element)
  },

  _placeOf(element) {
    const box = element.getBoundingClientRect()
    return [box.x + box.width / 2, box.y + box.height / 2]
  },

  _nearest([x, y], direction, except) {
    const map = this._map.getContainer().getBoundingClientRect()
    let [best, least] = [null, Infinity]
    for (const element of this._pane.querySelectorAll('.pincluster-mark:not(.pincluster-leaving)')) {
      const [a, b] = this._placeOf(element)
      if (element === except || a < map.left || a > map.right || b < map.top || b > map.bottom) continue
      const [dx, dy] = [a - x, b - y]
      const along = direction ? dx * direction[0] + dy * direction[1] : Math.hypot(dx, dy)
      const aside = direction ? Math.abs(dx * direction[1] - dy * direction[0]) : 0
      if (along <= 0 && direction || aside > along * 2) continue
      const cost = along + 2 * aside
      if (cost < least) [best, least] = [element, cost]
    }
    return best
  },
}
