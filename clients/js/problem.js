/** The version that an answer to a write names; undefined in others. */
export const versionOf = response => Number(response.headers.get('Pincluster-Version')) || undefined

/** Whether what has failed may work later: there was no answer, or the service is too busy or has a failure of its own. */
export function isTemporary(error) {
  return !(error instanceof PinclusterError) || error.status >= 500 || error.status === 408 || error.status === 429
}

/** What the service refused, and why: problem+json (RFC 9457) as an error. */
export class PinclusterError extends Error {
  /** The error of a response that is not a 2xx. */
  static async of(response) {
    let problem = {}
    try { problem = await response.json() } catch { /* a proxy's page; the status has to do */ }
    const error = new PinclusterError(problem, response.status, Number(response.headers.get('Retry-After')) || undefined)
    error.version = versionOf(response)
    return error
  }

  constructor(problem, status = problem.status, retryAfter = undefined) {
    super(problem.detail ?? problem.title ?? `the service answered ${status}`)
    this.name = 'PinclusterError'
    this.status = status
    this.type = problem.type ?? 'about:blank'
    this.title = problem.title ?? ''
    this.detail = problem.detail ?? ''
    /** Each field at fault: a JSON pointer or the name of a query field, and why. */
    this.errors = problem.errors ?? []
    /** Seconds after which to try again, if the service said so. */
    this.retryAfter = retryAfter
    /** The version at which a write was refused with 404 or 412, if the service said so. */
    this.version = undefined
  }

  /** What is wrong with a field; undefined if nothing is. */
  about(field) {
    return this.errors.find(({ pointer }) => pointer === field || pointer === `/${field}`)?.detail
  }
}
