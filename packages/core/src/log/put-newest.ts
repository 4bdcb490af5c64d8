/**
 * Puts a value into a map as its newest, and drops the oldest one beyond `most`: a map keeps the order in which it was filled. Put again
 * whenever it is used, a value stays as long as others are used less.
 */
export function putNewest<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): Value {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
  return value
}
