import { useQuery } from '@tanstack/react-query'
import { ArrowUp, Square } from 'lucide-react'
import { forecastQuery } from '../../api/chat-queries.ts'
import { observable } from '../../api/observable.ts'
import type { ThreadAddress } from '../../api/queries.ts'
import type { ServerInfo } from '../../api/routes.ts'
import { Button, unless } from '../../parts/button.tsx'
import { ChoiceMenu } from '../../parts/choice-menu.tsx'
import { adviceFor } from '../../parts/fault-words.ts'
import { count, percent } from '../../parts/format.ts'
import { drafts, type LiveReply, refusals } from '../../parts/live-replies.ts'
import { Notice } from '../../parts/notice.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import styles from './composer.module.css'
import { MessageArea } from './message-area.tsx'

/** The model that was chosen; undefined for the server's own choice. */
export const chosenModel = observable<string | undefined>(undefined)

interface ComposerProps {
  readonly thread: ThreadAddress
  readonly title: string
  readonly live: LiveReply | undefined
  readonly server: ServerInfo
  /** Whether it says what the next call would send. */
  readonly hasForecast: boolean
  readonly area: React.RefObject<HTMLTextAreaElement | null>
  readonly onSend: (text: string) => void
  readonly onStop: () => void
}

export function Composer(props: ComposerProps) {
  const { thread, title, live, server, hasForecast, area, onSend, onStop } = props
  const draft = drafts.use(thread) ?? ''
  const refusal = refusals.use(thread)
  const isEmpty = draft.trim() === ''
  const send = () => {
    if (isEmpty || live) return
    drafts.set(thread, undefined)
    onSend(draft)
  }
  return (
    <div className={`grid single gap-2 wide ${styles.composer}`}>
      {refusal && (
        <Notice kind="danger" action={<Button onClick={() => refusals.set(thread, undefined)}>Close</Button>}>
          <strong>{refusal.message}</strong> {adviceFor(refusal.code)}{' '}
          <code className="small-code">{refusal.code}</code>
        </Notice>
      )}
      <form
        className={`paper ${styles.box}`}
        onSubmit={event => {
          event.preventDefault()
          send()
        }}
      >
        <MessageArea
          ref={area}
          className={`hints ${styles.field}`}
          value={draft}
          placeholder={`Message ${title}`}
          aria-label={`Message ${title}`}
          onChange={text => drafts.set(thread, text)}
          onSend={send}
        />
        <div className="row gap-2 muted text-12-16">
          <ModelMenu {...server} />
          <span className={`cut fill slim ${styles.next}`}>
            {hasForecast && !live && <Forecast {...props} draft={draft} />}
          </span>
          {live ? (
            <button
              type="button"
              className={`centred rigid ${styles.go}`}
              aria-label="Stop the reply"
              title="Stop (Esc)"
              onClick={onStop}
            >
              <Square size={14} aria-hidden fill="currentColor" />
            </button>
          ) : (
            <button
              type="submit"
              className={`centred rigid ${styles.go}`}
              aria-label="Send"
              title="Send (Enter)"
              {...unless(isEmpty ? 'Write a message first.' : undefined)}
            >
              <ArrowUp size={16} aria-hidden />
            </button>
          )}
        </div>
      </form>
    </div>
  )
}

function ModelMenu({ models, model }: ServerInfo) {
  const chosen = chosenModel.use() ?? model
  const name = chosen ?? 'no model'
  if (models.length < 2)
    return (
      <span className={`inline gap-1 slim soft chip-text one-line framed row-high round-2 ${styles.model}`}>
        <StatusMark status={chosen === undefined ? 'failed' : 'live'} label="Model:" />
        <span className="ellipsis">{name}</span>
      </span>
    )
  return (
    <ChoiceMenu
      text={name}
      value={name}
      choices={models.map(one => ({ value: one.name, label: one.name }))}
      onChoose={one => chosenModel.set(one)}
    />
  )
}

function Forecast({ thread, server, draft }: ComposerProps & { readonly draft: string }) {
  const input = useSettled(draft, 250)
  const { data } = useQuery(forecastQuery(thread, input, chosenModel.use()))
  if (!data) return null
  const { tokens, reused } = data
  return (
    <>
      next call about <b>{count(tokens)}</b> tokens
      {server.remember === 'person' && <span>, more if other conversations help</span>}
      <span className={`wide-only ${styles.reused}`}>
        <span> · </span>
        <span>{percent(reused / Math.max(1, tokens))} cached</span>
      </span>
    </>
  )
}
