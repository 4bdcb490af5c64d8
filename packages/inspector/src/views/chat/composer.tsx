import { useQuery } from '@tanstack/react-query'
import { ArrowUp, Square } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { forecastQuery } from '../../api/chat-queries.ts'
import type { ServerInfo } from '../../api/client.ts'
import { observable } from '../../api/observable.ts'
import type { ThreadAddress } from '../../api/queries.ts'
import { Button, unless } from '../../parts/button.tsx'
import { adviceFor } from '../../parts/fault-words.ts'
import { count, percent } from '../../parts/format.ts'
import { drafts, type LiveReply, refusals } from '../../parts/live-replies.ts'
import { ChoiceMenu } from '../../parts/menu-popup.tsx'
import { Notice } from '../../parts/notice.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import styles from './composer.module.css'
import type { RowActions } from './use-chat-thread.ts'

/** The model that was chosen; undefined for the server's own choice. */
export const chosenModel = observable<string | undefined>(undefined)

interface ComposerProps {
  readonly thread: ThreadAddress
  readonly title: string
  readonly live: LiveReply | undefined
  readonly server: ServerInfo
  /** Whether it says what the next call would send. */
  readonly hasForecast: boolean
  /** Whether a client of the server writes to this branch: a message begins a branch of its own. */
  readonly isOfClient: boolean
  readonly area: React.RefObject<HTMLTextAreaElement | null>
  readonly onSend: (text: string) => void
  readonly onStop: () => void
}

export function Composer(props: ComposerProps) {
  const { thread, title, live, server, hasForecast, isOfClient, area, onSend, onStop } = props
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
        <Notice
          kind="danger"
          action={<Button onClick={() => refusals.set(thread, undefined)}>Close</Button>}
        >
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
          placeholder={
            isOfClient
              ? 'Ask on a branch of your own: the client goes on where it was'
              : `Message ${title}`
          }
          aria-label={`Message ${title}`}
          onChange={text => drafts.set(thread, text)}
          onSend={send}
        />
        <div className="row gap-2 muted text-12-16">
          <ModelMenu {...server} />
          <span className={`cut fill slim ${styles.next}`}>
            {hasForecast && !live && <Forecast {...props} draft={draft} />}
          </span>
          <button
            type={live ? 'button' : 'submit'}
            className={`centred rigid ${styles.go}`}
            aria-label={live ? 'Stop the reply' : 'Send'}
            title={live ? 'Stop (Esc)' : 'Send (Enter)'}
            {...(live
              ? { onClick: onStop }
              : unless(isEmpty ? 'Write a message first.' : undefined))}
          >
            {live ? (
              <Square size={14} aria-hidden fill="currentColor" />
            ) : (
              <ArrowUp size={16} aria-hidden />
            )}
          </button>
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
      <span
        className={`inline gap-1 slim soft chip-text one-line framed row-high round-2 ${styles.model}`}
      >
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
      <span className="wide-only">
        {' · '}
        <span className="coloured" data-colour="reused">
          {percent(reused / Math.max(1, tokens))} cached
        </span>
      </span>
    </>
  )
}

interface MessageAreaProps extends Omit<React.ComponentProps<'textarea'>, 'onChange'> {
  readonly ref: React.RefObject<HTMLTextAreaElement | null>
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onSend: () => void
}

/** Where a message is typed: as high as its text, as its style says at most. Enter sends. */
export function MessageArea({
  ref,
  value,
  onChange,
  onSend,
  onKeyDown,
  ...area
}: MessageAreaProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [ref, value])
  return (
    <textarea
      {...{ ref, value, ...area }}
      rows={1}
      dir="auto"
      onChange={event => onChange(event.target.value)}
      onKeyDown={event => {
        if (!isSendKey(event)) return onKeyDown?.(event)
        event.preventDefault()
        onSend()
      }}
    />
  )
}

/** Whether a key sends: Enter alone. Shift and Enter begin a new line, and Enter chooses a word while one is being composed. */
const isSendKey = (event: React.KeyboardEvent): boolean =>
  event.key === 'Enter' &&
  !event.shiftKey &&
  !event.altKey &&
  // Safari ends a composition before the key that ended it; 229 says that the key belonged to it.
  !event.nativeEvent.isComposing &&
  event.nativeEvent.keyCode !== 229

interface EditBoxProps {
  readonly seq: number
  readonly text: string
  readonly actions: RowActions
}

export function EditBox({ seq, text, actions }: EditBoxProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    area.current?.focus()
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [])
  const isEmpty = text.trim() === ''
  const send = () => actions.sendEdit(seq, text)
  const cancel = () => actions.edit(seq, undefined)
  return (
    <div className={`grid single gap-2 paper ${styles.edit}`}>
      <MessageArea
        ref={area}
        value={text}
        aria-label="Edit the message"
        onChange={next => actions.edit(seq, next)}
        onSend={() => isEmpty || send()}
        onKeyDown={event => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
          event.preventDefault()
          event.stopPropagation()
          cancel()
        }}
      />
      <div className={`row wraps at-end gap-2 muted text-12-16 ${styles.foot}`}>
        <span>Answered on a new branch; this one stays as it is.</span>
        <Button onClick={cancel}>Cancel</Button>
        <Button kind="primary" why={isEmpty ? 'Write a message first.' : undefined} onClick={send}>
          Send
        </Button>
      </div>
    </div>
  )
}
