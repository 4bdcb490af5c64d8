/** The value of a JSON text; undefined if it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The object of a JSON text; undefined if it holds anything else. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** The arguments of a call as an object, for wires that demand one. Other texts are wrapped, so that the conversation can go on. */
export function toArguments(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {}
  return parseJsonObject(text) ?? { arguments: text }
}
