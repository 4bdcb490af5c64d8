import { Button } from '../../parts/button.tsx'
import styles from './nothing-found.module.css'

export interface NothingFoundProps {
  /** What was searched for; empty before that. */
  readonly q: string
  /** Looks also where no user does; absent if that was done, or may not be done. */
  readonly onEverything?: (() => void) | undefined
}

/** How search works: before anything was searched for, and where nothing has any of the words. */
export function NothingFound({ q, onEverything }: NothingFoundProps) {
  return (
    <section className={styles.how} role={q === '' ? undefined : 'status'}>
      {q === '' ? (
        <h2>How search works</h2>
      ) : (
        <h2>
          No message has {/\s/.test(q) ? 'any of these words' : 'this word'}: <q>{q}</q>
        </h2>
      )}
      {onEverything && (
        <p className={`row wraps gap-6px muted ${styles.words}`}>
          <Button onClick={onEverything}>Look also in notes and other text that users never see</Button>
        </p>
      )}
      <ul>
        <li>
          A message is found if it has <b>one of the words</b>, in any conversation. Those with the most and
          the rarest words come first.
        </li>
        <li>Small and capital letters are the same, and so are letters with and without accents.</li>
        <li>A word is found whole: “toad” does not find “toads”.</li>
        <li>In Chinese, Japanese or Thai, write as much of a sentence as you know.</li>
      </ul>
    </section>
  )
}
