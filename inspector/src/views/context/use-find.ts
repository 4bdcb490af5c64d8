import { useEffect, useState } from 'react'
import type { ThreadAddress } from '../../api/queries.ts'
import { placeIn } from '../../parts/place-in.ts'
import { useAllTexts } from '../../parts/use-texts.ts'

export interface TextFind {
  /** The entries that were found so far; undefined if nothing is looked for. */
  readonly matches: ReadonlySet<number> | undefined
  readonly isFinding: boolean
}

const idle: TextFind = { matches: undefined, isFinding: false }

/** Looks for words in the texts of a thread: all of them, in any order, the newest page first. The number of an entry finds that one. */
export function useFind(
  { conversation, actor, branch }: ThreadAddress,
  query: string,
  head: number,
): TextFind {
  const read = useAllTexts()
  const [result, setResult] = useState<TextFind>(idle)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the reader is the same for the same thread
  useEffect(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return setResult(idle)
    const place = placeIn(query)
    const named = place !== undefined && place <= head ? [place] : []
    // A bare number may also be looked for in texts.
    if (named.length > 0 && /\D/.test(query.trim()))
      return setResult({ matches: new Set(named), isFinding: false })
    let isWanted = true
    const timer = setTimeout(async () => {
      const matches = new Set<number>(named)
      for await (const page of read({ conversation, actor, branch }, head)) {
        if (!isWanted) return
        for (const [seq, { text }] of page) {
          const searched = text.toLowerCase()
          if (words.every(word => searched.includes(word))) matches.add(seq)
        }
        setResult({ matches: new Set(matches), isFinding: true })
      }
      if (isWanted) setResult({ matches, isFinding: false })
    }, 120)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [conversation, actor, branch, query, head])
  return result
}
