import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { CodeText } from '../../parts/code-text.tsx'
import { count } from '../../parts/format.ts'
import type { Places } from '../../parts/marked.tsx'
import styles from './entry-text.module.css'

/** The characters shown at first, and the most that are ever shown: a page cannot lay out a message of megabytes. */
const [few, most] = [1200, 100_000]

/** The text of an entry, with the words marked that were asked for. The rest of a long one on demand. */
export function EntryText({
  role,
  text,
  places,
}: {
  readonly role: string
  readonly text: string
  readonly places: Places
}) {
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
