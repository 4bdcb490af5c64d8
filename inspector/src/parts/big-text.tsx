import { ChevronDown, ChevronUp } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import styles from './big-text.module.css'
import { Button } from './button.tsx'
import field from './field.module.css'
import { count } from './format.ts'
import { useKeys } from './keys.ts'
import { Marked } from './marked.tsx'

interface BigTextProps {
  readonly text: string
  readonly label: string
  /** Places that are marked, in order and apart. */
  readonly places: readonly number[]
  /** How long each marked place is. */
  readonly length: number
  /** The marked place that is brought into view. */
  readonly current?: number | undefined
}

/**
 * A text of any size, exactly as it is. It stands in blocks that the browser lays out when they come into view, so that it can
 * be selected, copied and printed as a whole.
 */
export function BigText({ text, label, places, length, current }: BigTextProps) {
  const blocks = useMemo(() => toBlocks(text), [text])
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (current !== undefined)
      box.current?.querySelector('[data-current="true"]')?.scrollIntoView({ block: 'center' })
  }, [current])
  let next = 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div ref={box} className={styles.text} tabIndex={0} role="region" aria-label={label}>
      {blocks.map(({ from, to, lines }) => {
        const marked: number[] = []
        for (; next < places.length && places[next]! < to; next++) marked.push(places[next]!)
        return (
          <pre key={from} className={styles.block} style={{ containIntrinsicSize: `auto ${lines * 18}px` }}>
            <Marked
              text={text.slice(from, to)}
              places={marked.map(place => [place - from, Math.min(place + length, to) - from])}
              current={current === undefined ? undefined : current - from}
            />
          </pre>
        )
      })}
    </div>
  )
}

const mostLines = 120
const mostCharacters = 20_000

/** Divides a text into blocks of whole lines; only a line that is longer than a block is divided. */
function toBlocks(text: string) {
  const blocks: { from: number; to: number; lines: number }[] = []
  for (let from = 0; from < text.length; ) {
    let to = from
    let lines = 0
    while (lines < mostLines && to < text.length) {
      const end = text.indexOf('\n', to)
      const next = end < 0 ? text.length : end + 1
      if (next - from > mostCharacters && to > from) break
      to = Math.min(next, from + mostCharacters)
      lines += 1
      if (to < next) break
    }
    blocks.push({ from, to, lines })
    from = to
  }
  return blocks
}

const mostPlaces = 10_000

/** Where a text has a word, whatever its case. */
function placesIn(text: string, word: string): readonly number[] {
  if (word === '') return []
  // Some letters have more units in lower case: then places would not fit.
  const lower = text.toLowerCase()
  const [within, wanted] = lower.length === text.length ? [lower, word.toLowerCase()] : [text, word]
  const places: number[] = []
  for (
    let at = within.indexOf(wanted);
    at >= 0 && places.length < mostPlaces;
    at = within.indexOf(wanted, at + wanted.length)
  )
    places.push(at)
  return places
}

interface FindFieldProps {
  readonly word: string
  readonly matches: number
  /** The selected place, from 0; below 0 if there is none. */
  readonly index: number
  readonly onChange: (word: string) => void
  readonly onMove: (by: number) => void
}

/** Looks for a word in a text. Enter leads to the next place, with shift to the one before; Escape clears it. */
export function FindField({ word, matches, index, onChange, onMove }: FindFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useKeys('Text', [{ keys: '/', does: 'find in the text', run: () => input.current?.focus() }])
  return (
    <div className={`row gap-2px ${styles.find}`}>
      <input
        ref={input}
        type="search"
        className={field.input}
        aria-label="Find in the text"
        placeholder="Find…"
        value={word}
        onChange={event => onChange(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') onMove(event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') onChange('')
        }}
      />
      <span className={`muted text-12 ${styles.found}`} role="status" data-empty={word === ''}>
        {word !== '' && (matches === 0 ? 'nothing' : `${count(index + 1)} of ${count(matches)}`)}
      </span>
      {word !== '' &&
        ways.map(({ label, by, Icon }) => (
          <Button
            key={by}
            kind="icon"
            aria-label={label}
            why={matches === 0 ? 'Nothing was found.' : undefined}
            onClick={() => onMove(by)}
          >
            <Icon size={16} aria-hidden />
          </Button>
        ))}
    </div>
  )
}

const ways = [
  { label: 'Place before', by: -1, Icon: ChevronUp },
  { label: 'Next place', by: 1, Icon: ChevronDown },
]

/** The places of a word in a text, and the one that is selected. */
export function useFindIn(text: string, word: string) {
  const places = useMemo(() => placesIn(text, word), [text, word])
  const [at, setAt] = useState(0)
  const index = places.length === 0 ? -1 : at % places.length
  const move = (by: number) => setAt((Math.max(0, index) + by + places.length) % Math.max(1, places.length))
  return { places, index, current: places[index], move, restart: () => setAt(0) }
}
