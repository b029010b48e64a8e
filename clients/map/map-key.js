// The key by which a guarded service knows the user. It is kept for as long as the tab is open, and for this service.

const NAME = `pincluster-key ${new URL('..', import.meta.url).href}`

// The fields of every request; empty without a key.
export const headers = {}

/** Whether a key is used. */
export const hasKey = () => 'Authorization' in headers

let own

// A sign that no header field can have.
const oddOf = key => /[^\x20-\xFF]/u.exec(key)?.[0]

function use(key) {
  own = key
  if (key) headers.Authorization = `Bearer ${key}`
  else delete headers.Authorization
}

// Keeps a key that has worked.
function keep() {
  try {
    if (own) sessionStorage.setItem(NAME, own)
    else sessionStorage.removeItem(NAME)
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

try {
  const kept = sessionStorage.getItem(NAME)
  if (kept && !oddOf(kept)) use(kept)
} catch {
  // As above.
}

/** What `work` gives, after asking for a key as often as the service wants one. */
export async function withKey(work) {
  for (;;) {
    try {
      const result = await work()
      keep()
      return result
    } catch (error) {
      if (error.status !== 401) throw error
      use(await asked(hasKey() ? error.message : 'This service shows its collections to holders of a key.'))
    }
  }
}

/** Asks for a key, and says why. */
function asked(why) {
  const form = document.getElementById('key-form')
  const field = document.getElementById('key')
  const note = document.getElementById('key-note')
  note.textContent = why
  field.value = ''
  form.hidden = false
  field.focus()
  return new Promise(resolve => {
    form.onsubmit = event => {
      event.preventDefault()
      const key = field.value.trim()
      const odd = oddOf(key)
      if (odd) {
        note.textContent = `A key can’t have the sign “${odd}”.`
        return
      }
      form.hidden = true
      resolve(key)
    }
  })
}
