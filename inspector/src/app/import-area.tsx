import { Link } from '@tanstack/react-router'
import { Check, LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { type FileOutcome, importFiles, importOutcomes } from '../parts/import-files.ts'
import { Notice } from '../parts/notice.tsx'
import styles from './import-area.module.css'

export interface ImportAreaProps {
  /** Whether this key may import. */
  readonly isAllowed: boolean
  readonly children: React.ReactNode
}

/** A place on which files of chats can be dropped. Above its contents it says what became of them. */
export function ImportArea({ isAllowed, children }: ImportAreaProps) {
  const outcomes = importOutcomes.use()
  const [isOver, setOver] = useState(false)
  const withFiles = (event: React.DragEvent, run: () => void) => {
    if (!isAllowed || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    run()
  }
  return (
    <section
      className={styles.area}
      aria-label="Conversations"
      onDragOver={event => withFiles(event, () => setOver(true))}
      onDragLeave={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={event =>
        withFiles(event, () => {
          setOver(false)
          void importFiles([...event.dataTransfer.files])
        })
      }
    >
      {outcomes.length > 0 && <Outcomes outcomes={outcomes} />}
      {children}
      {isOver && (
        <div className={styles.over}>
          <p>
            <b>Drop to bring these chats in</b>
            <span>
              ChatGPT, Claude, Open WebUI, LibreChat, Claude Code, Codex, SillyTavern, lists of messages,
              exports
            </span>
          </p>
        </div>
      )}
    </section>
  )
}

function Outcomes({ outcomes }: { readonly outcomes: readonly FileOutcome[] }) {
  const isRunning = outcomes.some(({ state }) => state === 'running')
  return (
    <div className={styles.outcomes}>
      <ul>
        {outcomes.map(outcome => (
          <li key={outcome.file}>
            <Outcome {...outcome} />
          </li>
        ))}
      </ul>
      <Button disabled={isRunning} onClick={() => importOutcomes.set([])}>
        Close
      </Button>
    </div>
  )
}

function Outcome({ file, state, text, conversation }: FileOutcome) {
  const icon =
    state === 'running' ? (
      <LoaderCircle size={16} className={styles.busy} aria-label="Under way" />
    ) : (
      <Check size={16} className={styles.taken} aria-hidden />
    )
  return (
    <Notice kind={state === 'refused' ? 'danger' : 'plain'} icon={icon}>
      <b>{file}</b> {text}
      {conversation !== undefined && (
        <>
          {' '}
          <Link to="/c/$conversation/chat" params={{ conversation }} search={{}}>
            Open it
          </Link>
        </>
      )}
    </Notice>
  )
}
