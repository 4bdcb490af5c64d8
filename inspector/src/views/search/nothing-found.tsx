import { Button } from '../../parts/button.tsx'
import styles from './nothing-found.module.css'

/** How search works, shown before anything was searched for. */
export function HowSearchWorks() {
  return (
    <section className={styles.how}>
      <h2>How search works</h2>
      <Rules />
    </section>
  )
}

function Rules() {
  return (
    <ul>
      <li>
        A message is found if it has <b>one of the words</b>, in any conversation. Those with the most and the
        rarest words come first.
      </li>
      <li>Small and capital letters are the same, and so are letters with and without accents.</li>
      <li>A word is found whole: “toad” does not find “toads”.</li>
      <li>In Chinese, Japanese or Thai, write as much of a sentence as you know.</li>
    </ul>
  )
}

export interface NothingFoundProps {
  readonly q: string
  /** Looks also where no user does; absent if that was done, or may not be done. */
  readonly onEverything?: (() => void) | undefined
}

/** Nothing has any of the words: what else could be tried. */
export function NothingFound({ q, onEverything }: NothingFoundProps) {
  return (
    <section className={styles.how} role="status">
      <h2>
        No message has {/\s/.test(q.trim()) ? 'any of these words' : 'this word'}: <q>{q}</q>
      </h2>
      {onEverything && (
        <p className={`row wraps gap-6px muted ${styles.words}`}>
          <Button onClick={onEverything}>Look also in notes and other text that users never see</Button>
        </p>
      )}
      <Rules />
    </section>
  )
}
