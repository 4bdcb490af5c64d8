import { useEffect, useRef, useState } from 'react'

export interface PlayOptions {
  /** The turn that is shown, and the last one, by their places. */
  readonly index: number
  readonly last: number
  /** Whether all of this turn is on screen: the next one waits for it. */
  readonly isShown: boolean
  readonly toTurn: (index: number) => void
}

/** Long enough to see what came and what went. */
const msPerTurn = 700

/** Steps through the turns up to the last one; from the last it begins anew. */
export function usePlay({ index, last, isShown, toTurn }: PlayOptions) {
  const [isOn, setOn] = useState(false)
  const isPlaying = isOn && index < last
  // Where it begins anew, it is at the last turn for a moment: only one that was on its way has arrived.
  const wasPlaying = useRef(false)
  useEffect(() => {
    if (wasPlaying.current && !isPlaying) setOn(false)
    wasPlaying.current = isPlaying
    if (!isPlaying || !isShown) return
    const timer = setTimeout(() => toTurn(index + 1), msPerTurn)
    return () => clearTimeout(timer)
  }, [isPlaying, isShown, index, toTurn])
  const toggle = () => {
    if (!isPlaying && index >= last) toTurn(0)
    setOn(!isPlaying)
  }
  return { isPlaying, toggle }
}
