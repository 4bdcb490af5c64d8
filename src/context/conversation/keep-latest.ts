/** Gives for each object the value that was made last, for as long as it is asked for under the same key. */
export function keepLatest<Owner extends object, Value>() {
  const made = new WeakMap<Owner, { readonly key: string; readonly value: Value }>()
  return (owner: Owner, key: string, make: () => Value): Value => {
    const known = made.get(owner)
    if (known?.key === key) return known.value
    const value = make()
    made.set(owner, { key, value })
    return value
  }
}
