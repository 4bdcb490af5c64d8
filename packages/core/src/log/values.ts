/** The result of `read`, or `otherwise` if it throws, as hostile values and users' functions may. */
export function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** The value of a JSON text; undefined if it is no JSON. */
export const parseJson = (text: string): unknown => attempt(() => JSON.parse(text), undefined)

/** The object of a JSON text; undefined if it holds anything else. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The arguments of a call as an object, for wires that demand one. Other texts are wrapped, so that the conversation can go on. */
export function toArguments(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {}
  return parseJsonObject(text) ?? { arguments: text }
}

/** Drops undefined values, which would override others when spread. */
export function present<T extends object>(
  values: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const name in values)
    if (values[name] !== undefined)
      defined[name] = values[name] as Exclude<(typeof values)[typeof name], undefined>
  return defined
}

export function isCount(value: unknown, least = 0): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least
}
