// Hulls of clusters under the pointer: methods of the Leaflet layer.

import { near } from './mercator.js'
import { drilldown } from './view.js'

const HOVER = 160

export const hulls = L => ({
  _hover({ annotation }) {
    this._hideHull()
    this._hovered = annotation.id
    if (!this.options.hulls || annotation.count < 3) return
    const { signal } = (this._hull = new AbortController())
    const timer = setTimeout(() => this._showHull(annotation, signal), HOVER)
    signal.addEventListener('abort', () => clearTimeout(timer))
  },

  async _showHull(annotation, signal) {
    const key = `${annotation.id} ${this.head()?.version}`
    try {
      const view = drilldown(this._follower.view, annotation)
      const hull = this._hulls.get(key) ?? await this.collection.hull(annotation.id, view, { signal })
      if (this._hulls.size > 200) this._hulls.clear()
      this._hulls.set(key, hull)
      if (signal.aborted) return
      const shift = this._shift(hull.geometry ?? hull, annotation)
      this._outline = L.geoJSON(hull.geometry ?? hull, {
        interactive: false, style: { className: 'pincluster-hull', color: 'currentColor', weight: 1.5, fillOpacity: 0.12 },
        coordsToLatLng: ([longitude, latitude]) => L.latLng(latitude, longitude + shift),
        pointToLayer: (_, latLng) => L.circleMarker(latLng, { radius: 4, interactive: false }),
      }).addTo(this._map)
    } catch (error) {
      // A service that knows no hulls is not asked again.
      if (error.detail === 'nothing is at this path') this.options.hulls = false
    }
  },

  // By how much a hull moves to be where its annotation is drawn, which may be another copy of the world.
  _shift({ coordinates }, annotation) {
    const longitudes = coordinates.flat(2).filter((_, i) => i % 2 === 0)
    const middle = (Math.min(...longitudes) + Math.max(...longitudes)) / 2
    return near(middle, this._latLng(annotation.coordinate).lng) - middle
  },

  // A marker that goes tells nothing of the pointer, and one that changes has another hull.
  _renewHull(annotations) {
    if (annotations.some(({ id }) => id === this._hovered)) this._hideHull()
  },

  _hideHull() {
    this._hull?.abort()
    this._outline?.remove()
    this._outline = null
  },
})
