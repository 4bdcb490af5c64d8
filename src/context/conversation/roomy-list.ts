/** A list of holes with room to grow: a full one is copied when something is added, and these have a hundred thousand elements. */
export function roomyList<T>(size: number): T[] {
  const list = new Array<T>(size + 999)
  list.length = size
  return list
}
