// Popups of pins: methods of the Leaflet layer. One is open at a time; it moves and goes with its pin.

import { Card } from './content.js'
import { descriptionOf } from './face.js'

// Between a pin and the tip of its popup, in points; Leaflet's own tip ends 7 points above where it points to.
const GAP = 2
const TIP = 7

export const popups = L => ({
  // A second click on the same pin closes its popup.
  _openCard(marker) {
    const isOpen = this._card?.marker === marker
    this._closeCard()
    if (isOpen) return
    const card = new Card({
      ...this._look(marker.annotation), describe: this.options.describe ?? descriptionOf,
      onClose: () => this._closeCard([marker]), onChange: () => this._fitCard(), onError: error => this.fire('problem', { error }),
    })
    if (!card.show(marker.annotation)) return
    const [topLeft, bottomRight] = this.options.padding?.() ?? [[0, 0], [0, 0]]
    const popup = L.popup({
      className: 'pincluster-popup', offset: this._offsetOf(marker),
      // Leaflet would close it before a second click on its pin, which would then open it again.
      closeOnClick: false,
      autoPanPaddingTopLeft: L.point(topLeft).add([5, 5]), autoPanPaddingBottomRight: L.point(bottomRight).add([5, 5]),
    })
    const moved = ({ latlng }) => popup.setLatLng(latlng)
    const close = () => this._closeCard([marker])
    const map = this._map
    marker.on('move', moved)
    map.on('click', close)
    this._card = { marker, card, popup }
    popup.setLatLng(marker.getLatLng()).setContent(card.element).on('remove', () => {
      marker.off('move', moved)
      map.off('click', close)
      if (this._card?.popup === popup) this._card = null
      if (card.hasFocus) marker.getElement()?.focus({ preventScroll: true })
    }).openOn(map)
    card.open(popup.getElement())
  },

  // The content of a popup follows its pin, until the pin becomes a part of a cluster.
  _renewCard(marker) {
    if (this._card?.marker !== marker) return
    if (marker.annotation.count > 1 || !this._card.card.show(marker.annotation)) this._closeCard()
    else this._fitCard()
  },

  // Leaflet takes the content out and puts it in again, without the focus.
  _fitCard() {
    const { activeElement } = document
    this._card?.popup.update()
    if (activeElement !== document.activeElement) activeElement.focus({ preventScroll: true })
  },

  // Closes the popup, or only if its pin is one of these.
  _closeCard(markers) {
    if (this._card && (markers?.includes(this._card.marker) ?? true)) this._map.closePopup(this._card.popup)
  },

  // From the place of a pin to the middle of its upper edge.
  _offsetOf(marker) {
    const element = marker.getElement()
    const shown = element.querySelector(':scope > .pincluster-content') ?? element.firstChild
    const { left, width, top } = shown.getBoundingClientRect()
    const map = this._map.getContainer().getBoundingClientRect()
    const { x, y } = this._map.latLngToContainerPoint(marker.getLatLng())
    return L.point(left + width / 2 - map.left - x, top - map.top - y + TIP - GAP)
  },
})
