/** A tool call that a text asks for. */
export interface WantedCall {
  readonly name: string
  /** JSON text of an object. */
  readonly arguments: string
}

/** A call with its place in the text. */
export interface FoundCall {
  readonly from: number
  readonly to: number
  /** Undefined if the arguments cannot be read. */
  readonly call: WantedCall | undefined
  readonly name: string
}

/** Whether two calls are of the same tool with equal arguments, however these are written. */
export function isSameCall(a: WantedCall, b: WantedCall): boolean {
  return a.name === b.name && canonical(a.arguments) === canonical(b.arguments)
}

function canonical(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), sortKeys)
  } catch {
    return json
  }
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
