import { useMemo, useState } from 'react'
import { placesIn } from './big-text.tsx'

/** The places of a word in a text, and the one that is selected. */
export function useFindIn(text: string, word: string) {
  const places = useMemo(() => placesIn(text, word), [text, word])
  const [at, setAt] = useState(0)
  const index = places.length === 0 ? -1 : at % places.length
  const move = (by: number) => setAt((Math.max(0, index) + by + places.length) % Math.max(1, places.length))
  return { places, index, current: places[index], move, restart: () => setAt(0) }
}
