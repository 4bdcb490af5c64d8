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

function isShallow(value: unknown): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false
    const inner: unknown[] = []
    for (const holder of level)
      for (const one of Object.values(holder as object))
        if (typeof one === 'object' && one !== null) inner.push(one)
    level = inner
  }
  return true
}
