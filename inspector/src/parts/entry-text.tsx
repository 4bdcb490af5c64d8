import { useState } from 'react'
import { Button } from './button.tsx'
import styles from './entry-text.module.css'
import { count } from './format.ts'
import { Marked, type Places } from './marked.tsx'

/** The most characters that are ever shown: a page cannot lay out a message of megabytes. */
const most = 100_000

interface EntryTextProps {
  readonly role: string
  readonly text: string
  /** The characters that are shown at first. */
  readonly few: number
  readonly places: Places
}

/** The text of an entry. The rest of a long one on demand. */
export function EntryText({ role, text, few, places }: EntryTextProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = text.slice(0, isWhole ? most : few)
  return (
    <>
      <p className="written">
        <CodeText {...{ role, text: shown }} places={places.filter(([, to]) => to <= shown.length)} />
        {shown.length < text.length && '…'}
      </p>
      {shown.length < text.length && (
        <p className={styles.more}>
          {isWhole ? (
            `Copy it to see the other ${count(text.length - most)} characters.`
          ) : (
            <Button kind="plain" onClick={() => setWhole(true)}>
              Show all {count(text.length)} characters
            </Button>
          )}
        </p>
      )}
    </>
  )
}

/** Code between fences, and a tool call as this page writes it. */
const code = /```[\s\S]*?(?:```|(?![\s\S]))|^→ .*$/gm

/** A text as it was written, its code in letters of one width; of a tool all of it. */
function CodeText({ role, text, places }: Pick<EntryTextProps, 'role' | 'text' | 'places'>) {
  const ends =
    role === 'tool'
      ? [0, text.length]
      : [...text.matchAll(code)].flatMap(({ 0: { length }, index }) => [index, index + length])
  return [0, ...ends, text.length].map((end, at, all) => {
    const from = all[at - 1] ?? 0
    const piece = (
      <Marked
        key={from}
        text={text.slice(from, end)}
        places={places.flatMap(([first, last]) =>
          first < end && last > from
            ? [[Math.max(first, from) - from, Math.min(last, end) - from] as const]
            : [],
        )}
      />
    )
    if (from === end) return null
    return at % 2 === 0 ? (
      <code key={`code ${from}`} className="code">
        {piece}
      </code>
    ) : (
      piece
    )
  })
}
