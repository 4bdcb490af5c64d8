import { ChevronDown, ChevronUp } from 'lucide-react'
import { useRef } from 'react'
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
