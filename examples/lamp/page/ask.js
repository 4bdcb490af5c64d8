// @ts-check

/** @typedef {import('../lamp.ts').LampPart} LampPart */
/** @typedef {import('../lamp.ts').LampView & { readonly modelName: string, readonly isRules: boolean }} PageView */

/** The name of the lamp stands in the address: `#kitchen` is another one than `#desk`. */
function address() {
  const name = location.hash.slice(1).toLowerCase()
  return `/lamps/${/^[a-z0-9-]{1,40}$/.test(name) ? name : 'lamp'}`
}

/**
 * What the lamp plays, what was said so far, and how its window is used.
 * @returns {Promise<PageView>}
 */
export async function readLamp() {
  return (await refuseFaults(await fetch(address()))).json()
}

/**
 * Sends a request and gives the parts of the answer as they come.
 * @param {string} request
 * @param {string} as `new`, `follow-up`, or nothing if the server is to decide.
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<LampPart>}
 */
export async function* askLamp(request, as, signal) {
  const response = await refuseFaults(
    await fetch(address(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request, ...(as && { as }) }),
      signal,
    }),
  )
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + decoder.decode(read.value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}

/**
 * @param {Response} response
 * @returns {Promise<Response>}
 */
async function refuseFaults(response) {
  if (response.ok) return response
  const { error } = await response.json()
  throw new Error(error)
}
