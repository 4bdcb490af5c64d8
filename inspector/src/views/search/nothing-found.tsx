import { Button } from '../../parts/button.tsx'
import styles from './nothing-found.module.css'

/** What a search finds: for whoever has not asked yet. */
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
        A message is found if it has <b>every word</b>, in any order, in any conversation. The newest come
        first.
      </li>
      <li>Small and capital letters are the same, and so are letters with and without accents.</li>
      <li>A word is found whole: “toad” does not find “toads”.</li>
      <li>In Chinese, Japanese or Thai, write as much of a sentence as you know.</li>
    </ul>
  )
}

export interface NothingFoundProps {
  readonly q: string
  readonly onLook: (q: string) => void
  /** Looks also where no user does; absent if that was done, or may not be done. */
  readonly onEverything?: () => void
}

/** Nothing has all the words: what else could be tried. */
export function NothingFound({ q, onLook, onEverything }: NothingFoundProps) {
  const words = [...new Set(q.split(/\s+/).filter(word => word !== ''))]
  return (
    <section className={styles.how} role="status">
      <h2>
        No message has {words.length === 1 ? 'this word' : 'all of these words'}: <q>{q}</q>
      </h2>
      {words.length > 1 && (
        <p className={styles.words}>
          One at a time:
          {words.slice(0, 12).map(word => (
            <Button key={word} onClick={() => onLook(word)}>
              {word}
            </Button>
          ))}
        </p>
      )}
      {onEverything && (
        <p className={styles.words}>
          <Button onClick={onEverything}>Look also in notes, and what else no user sees</Button>
        </p>
      )}
      <Rules />
    </section>
  )
}
