// The fields of a view, and those of them that requests for one of its annotations take.

import { listable, narrowed } from './query.js'

// The fields of a view that a request for one of its annotations may repeat.
const DRILLDOWN = [
  'zoomStep', 'clusterer', 'maxZoomLevelForClustering', 'minUniqueLocationsForClustering', 'minPoints', 'keepApart', 'decluster',
  'distanceFromContestedLocation', 'pinLayout', 'spreadUnit', 'titleProperty', 'subtitleLimit', 'properties', 'filter',
  'filter-lang', 'filter-crs', 'ids', 'datetime', 'weightBy', 'countBy', 'aggregate',
]
// Those that a request for a page of its features takes.
const PAGED = ['keepApart', 'filter', 'filter-lang', 'filter-crs', 'ids', 'datetime', 'properties']

// Those that only show which annotations there are, which a method without a grid needs to find one of them again.
const LOCATING = ['bbox', 'visibleMapRect', 'region', 'zoom', 'viewportWidth', 'cellSize', 'marginFactor', 'wrap', 'method', 'groupBy']

// The other fields of a view. A further name is a property, with the value of the features that are meant, which GET takes and POST doesn't.
const OTHERS = [
  ...LOCATING, 'limit', 'previous', 'members', 'fields', 'debug', 'hull', 'expansion', 'histogram', 'groups', 'epsilon', 'markerSize',
  'priorityBy', 'clusterBy', 'minVersion', 'atVersion', 'offset', 'childZoom',
]

/** The names of properties among the fields of a view. */
export const propertiesOf = view => Object.keys(view).filter(name => !DRILLDOWN.includes(name) && !OTHERS.includes(name))

/** The view for a resource that takes no properties: its filter asks for them. */
export const withoutProperties = view => narrowed(view, propertiesOf(view))

const pick = (view, names) => Object.fromEntries(names.filter(name => name in view).map(name => [name, view[name]]))

/**
 * The fields of a view that a request for one of its annotations takes, without those that leave out what is asked for. Of
 * an annotation of a group, its settings. A method without a grid needs the whole view to find the annotation again.
 */
export function drilldown(view, { group } = {}) {
  const { previous: _, limit: __, histogram: ___, fields: ____, ...rest } = withoutProperties(view)
  if (view.method && view.method !== 'grid') return listable(rest)
  return listable(pick({ ...rest, ...view.groups?.[group] }, DRILLDOWN))
}

/** The fields of a view that a request for one of its annotations takes, which has a meaning for that. */
export function fieldsBelow(view, isPage) {
  const isGrid = !view.method || view.method === 'grid'
  const without = ['previous', 'debug', 'histogram', 'groups', ...isPage ? [] : ['limit'], ...isGrid ? LOCATING : []]
  return Object.fromEntries(Object.entries(withoutProperties(view)).filter(([name]) => !without.includes(name)))
}

/** The fields of a drilldown that a request for the features of an annotation takes. */
export function paging(view) { return view.method ? view : pick(view, PAGED) }
