import { useState } from 'react'
import { Button } from './button.tsx'
import { CodeText } from './code-text.tsx'
import styles from './entry-text.module.css'
import { count } from './format.ts'
import type { Places } from './marked.tsx'

/** The most characters that are ever shown: a page cannot lay out a message of megabytes. */
const most = 100_000

export interface EntryTextProps {
  readonly role: string
  readonly text: string
  /** The characters that are shown at first. */
  readonly few: number
  /** The words that were asked for. */
  readonly places?: Places
}

/** The text of an entry. The rest of a long one on demand. */
export function EntryText({ role, text, few, places = [] }: EntryTextProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = text.slice(0, isWhole ? most : few)
  return (
    <>
      <p className="written">
        <CodeText
          text={shown}
          places={places.filter(([, to]) => to <= shown.length)}
          isCode={role === 'tool'}
        />
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
