// The longest that the service is heeded when it says how long to wait, in milliseconds.
const LONGEST = 600_000

/**
 * Waits so long, give or take a quarter, so that clients don't all come back at once. If an error says after how many
 * seconds to try again, it waits no less.
 */
export function pauseAbout(milliseconds, signal, error) {
  const least = Math.min((error?.retryAfter ?? 0) * 1000, LONGEST)
  return pause(Math.max(milliseconds * (0.75 + Math.random() / 2), least * (1 + Math.random() / 4)), signal)
}

/** Waits; fails with the signal's reason when that aborts. */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
