import { ArrowUp, Square } from 'lucide-react'
import { useRef } from 'react'
import type { ApplicationState } from '../../api/gallery-queries.ts'
import { Button, unless } from '../../parts/button.tsx'
import { useKeys } from '../../parts/keys.ts'
import { Notice } from '../../parts/notice.tsx'
import styles from './say-box.module.css'
import type { Saying } from './use-saying.ts'

interface SayBoxProps {
  readonly title: string
  readonly state: ApplicationState
  readonly saying: Saying
}

/** Sentences that work now, and a box for one's own words. */
export function SayBox({ title, state, saying }: SayBoxProps) {
  const { live, problem, draft, setDraft, say, stop } = saying
  const area = useRef<HTMLInputElement>(null)
  const isEmpty = draft.trim() === ''
  const busy = live ? 'It is answering: wait, or stop it.' : undefined
  useKeys('Application', [
    { keys: '/', does: 'write to it', run: () => area.current?.focus() },
    ...(state.undo === undefined || live
      ? []
      : [{ keys: 'z', does: 'undo', run: () => void say(state.undo!) }]),
  ])
  const send = () => {
    if (isEmpty || live) return
    setDraft('')
    void say(draft.trim())
  }
  return (
    <div className={`grid single gap-2 line-above on-panel ${styles.say}`}>
      {problem !== undefined && <Notice kind="danger">{problem}</Notice>}
      <div
        className={`flex gap-2 ${styles.chips}`}
        role="group"
        aria-label="Sentences that work now"
      >
        {state.chips.map(chip => (
          <Button
            key={chip}
            className={styles.chip ?? ''}
            why={busy}
            title={busy ?? 'Shift and click puts it into the box'}
            onClick={event => {
              if (!event.shiftKey) return void say(chip)
              setDraft(chip)
              area.current?.focus()
            }}
          >
            {chip}
          </Button>
        ))}
      </div>
      <form
        className={`row gap-2 paper ${styles.box}`}
        onSubmit={event => {
          event.preventDefault()
          send()
        }}
      >
        <input
          ref={area}
          className="fill slim hints bare"
          value={draft}
          maxLength={2000}
          placeholder={live ? 'It is answering …' : 'Say it in your own words'}
          aria-label={`Say something to the ${title}`}
          onChange={event => setDraft(event.target.value)}
        />
        <button
          type={live ? 'button' : 'submit'}
          className={`centred rigid ${styles.go}`}
          aria-label={live ? 'Stop' : 'Send'}
          {...(live ? { onClick: stop } : unless(isEmpty ? 'Write something first.' : undefined))}
        >
          {live ? (
            <Square size={14} aria-hidden fill="currentColor" />
          ) : (
            <ArrowUp size={16} aria-hidden />
          )}
        </button>
      </form>
    </div>
  )
}
