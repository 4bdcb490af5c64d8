/** A list of holes with room to grow: a full one is copied when something is added, and these have a hundred thousand elements. */
export function roomyList<T>(size: number): T[] {
  const list = new Array<T>(size + 999)
  list.length = size
  return list
}

/** A list whose first elements are made when read: a context reads some hundred of 100,000. Only holes ask the prototype. */
export function lazyList<T>(size: number, make: (at: number) => T): T[] {
  const isHole = (key: string | symbol) =>
    typeof key === 'string' && /^\d/.test(key) && Number(key) < size
  const behind = new Proxy(Array.prototype, {
    get(methods, key) {
      if (key === 'slice') return slice
      if (!isHole(key)) return Reflect.get(methods, key)
      const element = make(Number(key))
      list[Number(key)] = element
      return element
    },
    has: (methods, key) => isHole(key) || key in methods,
  })
  const list: T[] = Object.setPrototypeOf(roomyList<T>(size), behind)

  /** A copy from the beginning leaves the holes as they are. */
  function slice(from?: number, to = list.length): T[] {
    if (from !== 0 || to < 0) return Array.prototype.slice.call(list, from, to)
    const copy = lazyList(Math.min(size, to), at => list[at]!)
    for (let at = size; at < Math.min(to, list.length); at++) copy.push(list[at]!)
    return copy
  }

  return list
}
