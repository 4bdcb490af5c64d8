import { useEffect, useRef } from 'react'
import type { ApplicationState } from '../../api/gallery-queries.ts'
import styles from './talk.module.css'
import type { Saying } from './use-saying.ts'

interface TalkProps {
  readonly said: ApplicationState['said']
  readonly live: Saying['live']
  /** What stands below an answer. */
  readonly below?: (turn: number) => React.ReactNode
  readonly empty: string
}

/** What was said, with the note of each turn beside its answer. */
export function Talk({ said, live, below, empty }: TalkProps) {
  const list = useRef<HTMLOListElement>(null)
  const newest = `${said.length} ${live?.asked} ${live?.answer.length}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest message is in sight when it comes
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [newest])
  if (said.length === 0 && !live) return <p className={`muted ${styles.empty}`}>{empty}</p>
  return (
    <ol
      ref={list}
      className={`grid single scrolls-down thin-bar ${styles.talk}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys too
      tabIndex={0}
      aria-label="What was said"
    >
      {said.map(({ seq, turn, from, text, note, status }) => (
        <li key={`${turn} ${from} ${seq}`} className={styles.line} data-from={from}>
          <div className={`written breaks ${styles.text}`}>
            {from === 'application' && text === '' ? (
              <span className="muted">No answer.</span>
            ) : (
              text
            )}
            {status !== undefined && (
              <p className="muted text-12">{statusWords[status] ?? status}</p>
            )}
            {from === 'application' && below?.(turn)}
          </div>
          {note !== undefined && (
            <div className={styles.note}>
              <p className="caption">note to self · turn {turn}</p>
              <p className="breaks">{note}</p>
            </div>
          )}
        </li>
      ))}
      {live && (
        <>
          <li className={styles.line} data-from="visitor">
            <div className={`written breaks ${styles.text}`}>{live.asked}</div>
          </li>
          <li className={styles.line} data-from="application" aria-busy="true">
            <div className={`written breaks ${styles.text}`}>
              {live.answer === '' ? <span className="muted">Answering …</span> : live.answer}
            </div>
          </li>
        </>
      )}
    </ol>
  )
}

const statusWords: Readonly<Record<string, string>> = {
  cancelled: 'This answer was stopped.',
  failed: 'The model gave no whole answer.',
  interrupted: 'This answer broke off.',
  open: 'It is still being answered.',
}
