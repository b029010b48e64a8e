// Types of google.js, over those of the Google Maps JavaScript API (@types/google.maps).

import type { Annotation, Collection, ViewOptions } from './pincluster.js'

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
  onPinClick?: (annotation: Annotation) => void
  onError?: (error: Error) => void
  color?: (annotation: Annotation) => string | undefined
  pie?: (annotation: Annotation) => { count: number; color: string }[] | null
  describe?: (annotation: Annotation) => string
  headers?: Record<string, string>
  google?: typeof google
}

export class MarkerClusterer {
  constructor(options: MarkerClustererOptions)
  readonly collection: Collection
  readonly markers: Map<string, google.maps.marker.AdvancedMarkerElement>
  getMap(): google.maps.Map | null | undefined
  setMap(map: google.maps.Map | null): void
  setFields(fields: ViewOptions): void
  render(): void
  clearMarkers(): void
  open(annotation: Annotation): Promise<void>
}
