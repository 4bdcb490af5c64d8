import { ChevronDown, ChevronUp } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { placesIn } from './big-text.tsx'
import { Button } from './button.tsx'
import field from './field.module.css'
import styles from './find-field.module.css'
import { count } from './format.ts'
import { useKeys } from './keys.ts'

export interface FindFieldProps {
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
