/** The arguments or the result of a tool: an object or a list as such, anything else as the text it is. */
export function toValue(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    const value: unknown = JSON.parse(text, refuseUnsafe)
    return isShallow(value) ? value : text
  } catch {
    return text
  }
}

/** Deeper values stay texts: writing them again could fail. */
const deepest = 200

/** The client of the AI SDK refuses a whole stream in which an object has one of these keys. */
function refuseUnsafe(key: string, value: unknown): unknown {
  if (key === '__proto__' || key === 'constructor') throw new TypeError(key)
  return value
}

function isShallow(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth <= deepest && Object.values(value).every(one => isShallow(one, depth + 1))
}
