// The key by which a guarded service knows the user. It is kept for as long as the tab is open, and for this service.

const NAME = `pincluster-key ${new URL('..', import.meta.url).href}`

// The fields of every request; empty without a key.
export const headers = {}

/** Whether a key is used. */
export const hasKey = () => 'Authorization' in headers

function use(key) {
  if (key) headers.Authorization = `Bearer ${key}`
  else delete headers.Authorization
  try {
    if (key) sessionStorage.setItem(NAME, key)
    else sessionStorage.removeItem(NAME)
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

try {
  use(sessionStorage.getItem(NAME))
} catch {
  // As above.
}

/** What `work` gives, after asking for a key as often as the service wants one. */
export async function withKey(work) {
  for (;;) {
    try {
      return await work()
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
  document.getElementById('key-note').textContent = why
  field.value = ''
  form.hidden = false
  field.focus()
  return new Promise(resolve => {
    form.onsubmit = event => {
      event.preventDefault()
      form.hidden = true
      resolve(field.value.trim())
    }
  })
}
