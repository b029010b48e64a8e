// Types of google.js, over those of the Google Maps JavaScript API (@types/google.maps).

import type { Content, Popup } from './content.js'
import type { Annotation, Collection, HeaderFields, ViewOptions } from './pincluster.js'

export { html } from './content.js'

export interface Renderer {
  render(
    cluster: { annotation: Annotation; count: number; position: google.maps.LatLngLiteral },
    stats: { markers: { sum: number }; clusters: { count: number; markers: { max: number } } },
    map: google.maps.Map,
  ): google.maps.marker.AdvancedMarkerElement
}

export interface MarkerClustererOptions extends ViewOptions {
  map?: google.maps.Map | null
  /** The URL of the collection. */
  url: string
  live?: boolean
  renderer?: Renderer
  onClusterClick?: (annotation: Annotation, map: google.maps.Map) => void
  /** Is told of a click; false keeps the popup from opening. */
  onPinClick?: (annotation: Annotation) => boolean | void
  onError?: (error: Error) => void
  color?: (annotation: Annotation) => string | undefined
  pie?: (annotation: Annotation) => { count: number; color: string }[] | null
  /** What to draw in place of a circle, such as the element of a PinElement; nothing for the usual look. */
  html?: (annotation: Annotation) => Content
  /** What an info window shows of a pin that is clicked. */
  popup?: Popup
  describe?: (annotation: Annotation) => string
  headers?: HeaderFields
  google?: typeof google
}

export class MarkerClusterer {
  constructor(options: MarkerClustererOptions)
  readonly collection: Collection
  readonly markers: Map<string, google.maps.marker.AdvancedMarkerElement>
  getMap(): google.maps.Map | null | undefined
  setMap(map: google.maps.Map | null): void
  /** Changes fields of the viewport request, and asks anew; null takes one back. */
  setFields(fields: { [Field in keyof ViewOptions]: ViewOptions[Field] | null }): void
  render(): void
  clearMarkers(): void
  open(annotation: Annotation): Promise<void>
}
