/**
 * A list of holes that can grow for a while where it stands: a full one is copied when something is added, and a restored
 * conversation has a dozen of a hundred thousand elements.
 */
export function roomyList<T>(size: number): T[] {
  const list = new Array<T>(size + 999)
  list.length = size
  return list
}
