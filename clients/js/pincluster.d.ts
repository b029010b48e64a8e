// Types of pincluster.js. openapi.yaml says what each field means.

/** Header fields of every request, or a function that is called for those of each, such as one that renews a token. */
export type HeaderFields = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>)

export interface Options {
  /** How often a read is repeated that the service is too busy for, unless it says to wait for more than 30 seconds; 2 as usual. */
  retries?: number
  headers?: HeaderFields
  /** Sends requests; the global fetch as usual. */
  fetch?: typeof fetch
}

export interface Abortable { signal?: AbortSignal }

export interface Reading extends Abortable {
  /** The version to which the collection must have come before it is read, such as that of a write. */
  minVersion?: number
}

export type FeatureID = number | string
export type BBox = [west: number, south: number, east: number, north: number]
export type Properties = Record<string, unknown>
export interface Point { type: 'Point'; coordinates: [longitude: number, latitude: number, altitude?: number] }
export interface Feature { type: 'Feature'; id?: FeatureID; geometry: Point; properties: Properties | null; expires?: string | null }
export interface StoredFeature extends Feature { id: FeatureID; properties: Properties; distance?: number }
export interface Hull { type: 'Polygon' | 'LineString' | 'Point'; coordinates: unknown[] }
export interface Coordinate { latitude: number; longitude: number }
export interface MapRect { x: number; y: number; width: number; height: number }
export interface Region { center: Coordinate; span: { latitudeDelta: number; longitudeDelta: number } }
export type Clusterer = 'centerOfMass' | 'nearCenter' | 'cellCenter' | 'first'

export interface GroupSettings {
  cellSize?: number
  clusterer?: Clusterer
  maxZoomLevelForClustering?: number
  minUniqueLocationsForClustering?: number
  minPoints?: number
}

/** The fields that decide which features there are and how they become annotations. */
export interface ViewOptions {
  cellSize?: number
  /** The grid is that of the zoom rounded down to a multiple of this: within a step ids, counts and cells stay. */
  zoomStep?: number
  marginFactor?: number
  clusterer?: Clusterer
  maxZoomLevelForClustering?: number
  minUniqueLocationsForClustering?: number
  minPoints?: number
  keepApart?: FeatureID[]
  decluster?: boolean
  distanceFromContestedLocation?: number
  pinLayout?: 'circle' | 'spiral'
  spreadUnit?: 'meters' | 'points'
  titleProperty?: string
  subtitleLimit?: number
  properties?: string[] | '*' | 'none'
  members?: number
  fields?: string[]
  debug?: boolean
  limit?: number
  filter?: string | object
  /** Only these features, at most 1000. */
  ids?: FeatureID[]
  'filter-lang'?: 'cql2-text' | 'cql2-json'
  /** The reference system of coordinates in `filter`, of which there is one. */
  'filter-crs'?: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' | '[OGC:CRS84]'
  datetime?: string
  histogram?: { property: string; bins: number; range?: [number, number] | [string, string] }
  weightBy?: string
  groupBy?: string
  groups?: Record<string, GroupSettings>
  countBy?: string
  aggregate?: Record<string, ['sum' | 'mean' | 'min' | 'max' | 'median' | 'distinct' | `p${number}`, string]>
  method?: 'grid' | 'distance' | 'collision'
  epsilon?: number
  markerSize?: [width: number, height: number]
  priorityBy?: string
  clusterBy?: string
  hull?: boolean
  expansion?: boolean
  wrap?: boolean
  /** Only the features that have this value of a property. */
  [property: string]: unknown
}

export type Rect = { bbox: BBox } | { visibleMapRect: MapRect } | { region: Region }
export type Scale = { viewportWidth: number } | { zoom: number }
export type View = Rect & Scale & ViewOptions & { previous?: Pick<Annotation, 'id' | 'coordinate'>[] }

export interface Member { id: FeatureID; coordinate?: Coordinate; properties?: Properties }

/** What a map draws: a cluster of several features, or the pin of one. With `fields`, only those and `id`. */
export interface Annotation {
  id: string
  coordinate: Coordinate
  count: number
  isCluster: boolean
  isUniqueLocation: boolean
  bbox: BBox
  title: string
  subtitle: string | null
  feature?: Member
  members?: Member[]
  weight?: number
  group?: unknown
  counts?: Record<string, number>
  otherCount?: number
  aggregates?: Record<string, number | null>
  hull?: Hull
  expansionZoom?: number | null
  visibleMapRect?: MapRect
  originalCoordinate?: Coordinate
  contested?: number
  reuses?: string
}

export interface Head {
  zoomLevel: number
  cellMapSize: number | null
  cellsPerWorld: number | null
  gridRect?: MapRect
  featureCount: number
  hiddenCount?: number
  version: number
  /** Properties that the request names and no feature has, and the like, in sentences for people. */
  notes?: string[]
  histogram?: { from: number | string | null; to: number | string | null; counts: number[]; missing: number }
  grid?: object
}

export interface Answer extends Head {
  annotations: Annotation[]
  changes?: { removed: string[]; kept: [previous: string, id: string][]; added: string[] }
}

export interface Pin { id: FeatureID; coordinate: Coordinate; originalCoordinate: Coordinate; contested: number; feature: Member }
export interface Pins { featureCount: number; version: number; notes?: string[]; pins: Pin[] }
export interface Link { href: string; rel: string; type?: string; title?: string }
export interface Page { type: 'FeatureCollection'; features: StoredFeature[]; numberMatched: number; numberReturned: number; notes?: string[]; links: Link[] }
export interface Cell { column: number; row: number; group?: string | null; annotations: Annotation[] }
export interface CellsEvent { version: number; featureCount: number; cells: Cell[] }

/** An event of a stream. After a problem that may pass, such as 503, the stream is opened again instead; after one with the status 401, a `view` follows. */
export type Change =
  | { type: 'view'; id: string; data: Head & { cells: Cell[] } }
  | { type: 'cells'; id: string; data: CellsEvent }
  | { type: 'gone'; id: string; data: object }
  | { type: 'problem'; id: string; data: Problem }

export interface Problem { type: string; title: string; status: number; detail: string; errors?: { pointer: string; detail: string }[] }

/** What the service refused, and why (RFC 9457). */
export class PinclusterError extends Error {
  status: number
  type: string
  title: string
  detail: string
  errors: { pointer: string; detail: string }[]
  retryAfter?: number
  /** The version at which a write was refused with 404 or 412. */
  version?: number
  /** What is wrong with a field; undefined if nothing is. */
  about(field: string): string | undefined
}

export interface Location {
  visibleMapRect: MapRect
  bbox: BBox
  zoomLevel: number
  annotation: Annotation | null
  standaloneZoom: number | null
  notes?: string[]
}

export interface CollectionInfo {
  id: string
  title: string | null
  description: string | null
  extent: { spatial: { bbox: BBox[] | null }; temporal?: { interval: [string | null, string | null][] } }
  featureCount: number
  version: number
  ttl?: number | null
  temporal?: { property: string } | { start: string; end: string } | null
  links: Link[]
}

export interface Query {
  bbox?: BBox
  filter?: string | object
  /** Only these features, at most 1000. */
  ids?: FeatureID[]
  datetime?: string
  sortby?: string[]
  /** The nearest to a longitude and a latitude first, each with its distance in metres; without `sortby` and `offset`. */
  near?: [number, number]
  limit?: number
  offset?: number
  [property: string]: unknown
}

export interface Condition extends Abortable { ifMatch?: string; ifNoneMatch?: string }
export interface Written { feature?: StoredFeature; etag: string | null; status: number; version?: number }
export interface Stored {
  inserted: number
  updated: number
  rejected: number
  ids?: FeatureID[]
  errors?: { pointer: string; detail: string }[]
  notes?: string[]
  version?: number
}
export interface Request { method: 'GET' | 'POST'; url: string; body?: object }

/** A service, by its URL. */
export class Pincluster {
  constructor(url: string | URL, options?: Options)
  readonly url: string
  collection(id: string): Collection
  collections(options?: Abortable & { limit?: number }): AsyncGenerator<CollectionInfo, void>
}

/** A collection, by its URL. */
export class Collection {
  constructor(url: string | URL, options?: Options)
  readonly url: string
  readonly id: string
  /** The version after the last of these writes; undefined before the first. */
  readonly version?: number
  clusters(view: View, options?: Reading): Promise<Answer>
  clustersAsGeoJSON(view: View, options?: Reading): Promise<object>
  pins(view: Rect & Partial<{ zoom: number; viewportWidth: number }> & ViewOptions, options?: Reading): Promise<Pins>
  request(view: View, resource?: string): Request
  annotation(id: string, view?: Partial<View>, options?: Reading): Promise<Annotation & { expansionZoom: number | null; visibleMapRect: MapRect; notes?: string[] }>
  children(id: string, view?: Partial<View> & { childZoom?: number }, options?: Reading): Promise<Answer>
  features(id: string, view?: Partial<View> & { limit?: number; offset?: number }, options?: Reading): Promise<Page>
  hull(id: string, view?: Partial<View>, options?: Reading): Promise<Hull>
  locate(
    id: FeatureID,
    view: { latitudinalMeters: number; longitudinalMeters: number; viewportWidth: number; viewportHeight: number } & ViewOptions,
    options?: Reading,
  ): Promise<Location>
  changes(
    view: View,
    options?: Reading & { since?: number | string; onConnection?: (isOpen: boolean) => void },
  ): AsyncGenerator<Change, void>
  tileJSONURL(view?: ViewOptions): string
  tileJSON(view?: ViewOptions, options?: Reading): Promise<{ tiles: string[]; [member: string]: unknown }>
  query(query?: Query, options?: Reading): Promise<Page>
  all(query?: Query, options?: Reading): AsyncGenerator<StoredFeature, void>
  get(id: FeatureID, options?: Reading): Promise<{ feature: StoredFeature; etag: string } | null>
  upsert(features: Feature | Feature[], options?: Abortable & { onError?: 'skip' | 'abort'; idProperty?: string }): Promise<Stored>
  put(id: FeatureID, feature: Feature, options?: Condition): Promise<Written>
  patch(id: FeatureID, patch: object, options?: Condition): Promise<Written>
  delete(id: FeatureID, options?: Condition): Promise<Written>
  deleteAll(query: Query, options?: Abortable): Promise<number>
  info(options?: Reading): Promise<CollectionInfo>
  queryables(options?: Reading): Promise<{ properties: Record<string, { type?: string | string[]; format?: string }> }>
  update(description?: { title?: string | null; description?: string | null; ttl?: number | null; temporal?: object | null }, options?: Abortable): Promise<CollectionInfo>
  drop(options?: Abortable): Promise<void>
}
