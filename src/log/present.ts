/** Drops undefined values, which would override others when spread. */
export function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const name in values)
    if (values[name] !== undefined)
      defined[name] = values[name] as Exclude<(typeof values)[typeof name], undefined>
  return defined
}
