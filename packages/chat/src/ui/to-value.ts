import { read } from '@throughline/core/fields'
import { attempt } from '@throughline/core/values'

/** The arguments or the result of a tool: an object or a list that can be written again as such, anything else as text. */
export function toValue(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  return attempt(() => read.json(JSON.parse(text, refuseUnsafe), 'text'), text)
}

/** The client of the AI SDK refuses a whole stream in which an object has one of these keys. */
function refuseUnsafe(key: string, value: unknown): unknown {
  if (key === '__proto__' || key === 'constructor') throw new TypeError(key)
  return value
}
