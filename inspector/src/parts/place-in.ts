/** The message that a query names by its number: `12`, `#12`, `find 12`. */
export function placeIn(query: string): number | undefined {
  const [, place] = /^(?:find )?#?(\d{1,9})$/i.exec(query.trim()) ?? []
  return place === undefined ? undefined : Number(place)
}
