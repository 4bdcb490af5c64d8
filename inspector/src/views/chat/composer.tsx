import { ArrowUp, Square } from 'lucide-react'
import { observable } from '../../api/observable.ts'
import type { ThreadPlace } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { ChoiceMenu } from '../../parts/choice-menu.tsx'
import { adviceFor } from '../../parts/fault-words.ts'
import { count, percent } from '../../parts/format.ts'
import { Notice } from '../../parts/notice.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import styles from './composer.module.css'
import { isSendKey } from './composer-keys.ts'
import { setDraft, useDraft } from './drafts.ts'
import { forgetRefusal, type LiveReply, useRefusal } from './live-replies.ts'
import { useGrowing } from './use-growing.ts'

/** The model that was chosen; undefined for the server's own choice. */
export const chosenModel = observable<string | undefined>(undefined)

export interface ComposerProps {
  readonly thread: ThreadPlace
  readonly title: string
  readonly live: LiveReply | undefined
  readonly models: readonly string[]
  /** The model that answers if none is chosen. */
  readonly model: string | undefined
  readonly next:
    | { readonly tokens: number; readonly reused?: number | undefined; readonly capacity: number }
    | undefined
  readonly area: React.RefObject<HTMLTextAreaElement | null>
  readonly onSend: (text: string) => void
  readonly onStop: () => void
}

/** Where the next message is written. */
export function Composer(props: ComposerProps) {
  const { thread, title, live, next, area, onSend, onStop } = props
  const draft = useDraft(thread)
  const refusal = useRefusal(thread)
  useGrowing(area, draft)
  const isEmpty = draft.trim() === ''
  const send = () => {
    if (isEmpty || live) return
    setDraft(thread, '')
    onSend(draft)
  }
  return (
    <div className={styles.composer}>
      {refusal && (
        <Notice kind="danger" action={<Button onClick={() => forgetRefusal(thread)}>Close</Button>}>
          <strong>{refusal.message}</strong> {adviceFor(refusal.code)} <code>{refusal.code}</code>
        </Notice>
      )}
      <form
        className={styles.box}
        onSubmit={event => {
          event.preventDefault()
          send()
        }}
      >
        <textarea
          ref={area}
          value={draft}
          rows={1}
          dir="auto"
          placeholder={`Message ${title}`}
          aria-label={`Message ${title}`}
          onChange={event => setDraft(thread, event.target.value)}
          onKeyDown={event => {
            if (!isSendKey(event)) return
            event.preventDefault()
            send()
          }}
        />
        <div className={styles.foot}>
          <ModelMenu {...props} />
          <NextCall next={next} draft={draft} />
          {live ? (
            <button
              type="button"
              className={styles.go}
              aria-label="Stop the reply"
              title="Stop (Esc)"
              onClick={onStop}
            >
              <Square size={14} aria-hidden fill="currentColor" />
            </button>
          ) : (
            <button
              type="submit"
              className={styles.go}
              aria-label="Send"
              title="Send (Enter)"
              disabled={isEmpty}
            >
              <ArrowUp size={16} aria-hidden />
            </button>
          )}
        </div>
      </form>
    </div>
  )
}

function ModelMenu({ models, model }: Pick<ComposerProps, 'models' | 'model'>) {
  const chosen = chosenModel.use() ?? model
  const name = chosen ?? 'no model'
  if (models.length < 2)
    return (
      <span className={styles.model}>
        <StatusMark status={chosen === undefined ? 'failed' : 'live'} label="Model:" />
        <span>{name}</span>
      </span>
    )
  return (
    <ChoiceMenu
      text={name}
      value={name}
      choices={models.map(one => ({ value: one, label: one }))}
      onChoose={one => chosenModel.set(one)}
    />
  )
}

/** What the next call would read. The draft is not known to the server, so its part is only guessed. */
function NextCall({ next, draft }: { readonly next: ComposerProps['next']; readonly draft: string }) {
  if (!next) return <span className={styles.next} />
  const tokens = Math.min(next.tokens + guess(draft), next.capacity)
  return (
    <span className={styles.next}>
      next call about <b>{count(tokens)}</b> tokens
      {next.reused !== undefined && tokens > 0 && (
        <span className={styles.reused}>
          <span> · </span>
          <span>{percent(Math.min(1, next.reused / tokens))} reused</span>
        </span>
      )}
    </span>
  )
}

/** Four letters are about a token, and so is one character of Chinese, Japanese or Korean. */
function guess(text: string): number {
  let wide = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x2e80) wide += 1
  return Math.ceil((text.length - wide) / 4 + wide)
}
