import { Link } from '@tanstack/react-router'
import { Brain, GitBranchPlus, Image, Pencil, RotateCw, ScanText, Settings2 } from 'lucide-react'
import { memo } from 'react'
import type { ThreadPlace } from '../../api/queries.ts'
import type { ConversationSearch } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import type { Fate } from '../../parts/fates.ts'
import { endWords } from '../../parts/fault-words.ts'
import { amountOf, count, fullTime } from '../../parts/format.ts'
import { StatusMark } from '../../parts/status-mark.tsx'
import type { Versions } from './branch-tree.ts'
import { BroughtBack } from './brought-back.tsx'
import type { Brought } from './brought-of.ts'
import type { ChatRow } from './chat-rows.ts'
import { CopyIcon } from './copy-icon.tsx'
import { EditBox } from './edit-box.tsx'
import { Fold } from './fold.tsx'
import styles from './message-row.module.css'
import { RichText, useMarkdown } from './rich-text.tsx'
import { StrayResult, ToolCall } from './tool-call.tsx'
import { isOnlyPaste, UserText } from './user-text.tsx'
import { VersionSwitch } from './version-switch.tsx'

/** What can be done with a message. The same object for as long as the thread is shown. */
export interface RowActions {
  readonly select: (seq: number | undefined) => void
  readonly edit: (seq: number, text: string | undefined) => void
  readonly sendEdit: (seq: number, text: string) => void
  readonly again: (seq: number) => void
  readonly branch: (seq: number) => void
  readonly open: (branch: string) => void
}

/** What is known of the calls that gave a reply. */
export interface ReplyMeta {
  readonly model: string
  readonly read?: number | undefined
  readonly written?: number | undefined
  readonly turn: number
  /** Codes of what was wrong although the model answered. */
  readonly warnings?: readonly string[] | undefined
}

export interface MessageRowProps {
  readonly thread: ThreadPlace
  readonly search: ConversationSearch
  readonly head: number
  readonly row: ChatRow
  readonly fate: Fate | undefined
  readonly isSelected: boolean
  /** The text as it is being edited. */
  readonly editing?: string | undefined
  readonly versions?: Versions | undefined
  readonly brought?: Brought | undefined
  /** Set in the last row of a turn. */
  readonly end?: { readonly status: string; readonly error?: string | undefined } | undefined
  readonly meta?: ReplyMeta | undefined
  /** The model that was asked in a turn, in its last row. */
  readonly asked?: string | undefined
  /** The newest reply shows at once what can be done with it. */
  readonly isNewest: boolean
  readonly mayChat: boolean
  readonly actions: RowActions
}

/** A message of the conversation, with all that belongs to it. */
export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { row, fate, isSelected, end, actions } = props
  const { message } = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k select by keys
    <article
      onClick={event => {
        const isControl = (event.target as Element).closest('a, button, textarea, pre') !== null
        // Words that are being selected are meant to be copied.
        if (!isControl && getSelection()?.isCollapsed !== false)
          actions.select(isSelected ? undefined : message.seq)
      }}
      className={styles.row}
      data-role={message.role}
      data-fate={fate}
      data-selected={isSelected}
      aria-label={`${speaker[message.role]}, message ${message.seq}${fate === undefined ? '' : `, ${fate}`}`}
      title={message.time === undefined ? undefined : `#${message.seq}, ${fullTime(message.time)}`}
    >
      {message.role === 'user' ? <UserRow {...props} /> : <ReplyRow {...props} />}
      {end && <TurnEnd {...props} end={end} />}
    </article>
  )
})

const speaker = { user: 'You', assistant: 'Reply', tool: 'Tool result', system: 'System prompt' } as const

function UserRow(props: MessageRowProps) {
  const { thread, search, head, row, editing, versions, brought, actions } = props
  const { seq, text, media } = row.message
  const { toBlocks } = useMarkdown()
  if (editing !== undefined)
    return (
      <EditBox
        text={editing}
        onChange={next => actions.edit(seq, next)}
        onSend={() => actions.sendEdit(seq, editing)}
        onCancel={() => actions.edit(seq, undefined)}
      />
    )
  const switcher = versions && <VersionSwitch versions={versions} onOpen={actions.open} />
  const isBare = isOnlyPaste(toBlocks(text, 'user')) && media === 0
  return (
    <>
      <div className={`flex at-end gap-2 ${styles.asked}`}>
        <RowTools {...props} />
        <div className={`breaks framed ${styles.bubble}`} data-bare={isBare}>
          <UserText seq={seq} text={text} />
          {media > 0 && <Media amount={media} />}
        </div>
      </div>
      {brought ? (
        <BroughtBack {...{ thread, search, head, seq, brought }} question={text} before={switcher} />
      ) : (
        switcher && <div className={`flex at-end ${styles.under}`}>{switcher}</div>
      )}
    </>
  )
}

function ReplyRow(props: MessageRowProps) {
  const { row, meta } = props
  const { seq, role, text, thinking, media, results } = row.message
  if (role === 'system')
    return (
      <Fold name={`${seq} system`} icon={<Settings2 size={14} aria-hidden />} label="System prompt">
        <div className={`soft on-canvas framed round-2 ${styles.aside}`}>
          <RichText text={text} />
        </div>
      </Fold>
    )
  return (
    <div className={`grid single gap-6px slim ${styles.reply}`}>
      {thinking !== '' && <Thinking name={`${seq} thinking`} text={thinking} />}
      {text !== '' && <RichText text={text} />}
      {media > 0 && <Media amount={media} />}
      {row.calls.map((call, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of a message have no other name
        <ToolCall key={at} name={`${seq} call ${at}`} call={call} />
      ))}
      {results.map((result, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <StrayResult key={at} name={`${seq} result ${at}`} text={result.text} />
      ))}
      {props.isNewest && meta ? <ReplyFoot {...props} meta={meta} /> : <RowTools {...props} />}
    </div>
  )
}

export function Thinking({
  name,
  text,
  isRunning = false,
}: {
  readonly name: string
  readonly text: string
  readonly isRunning?: boolean
}) {
  return (
    <Fold name={name} icon={<Brain size={14} aria-hidden />} label={isRunning ? 'Thinking…' : 'Thought'}>
      <div className={`soft on-canvas framed round-2 ${styles.aside}`}>
        <RichText text={text} />
      </div>
    </Fold>
  )
}

const Media = ({ amount }: { readonly amount: number }) => (
  <span className="inline gap-6px soft text-12-16">
    <Image size={14} aria-hidden />
    {amountOf(amount, 'file')}
  </span>
)

/** Who answered, and what it took. */
function ReplyFoot(props: MessageRowProps & { readonly meta: ReplyMeta }) {
  return (
    <footer className={`row gap-2 muted chip-text ${styles.foot}`}>
      <Who meta={props.meta} />
      <RowTools {...props} />
    </footer>
  )
}

function Who({ meta: { model, read, written, warnings = [] } }: { readonly meta: ReplyMeta }) {
  return (
    <span className={styles.who}>
      {warnings.length > 0 && <StatusMark status="warning" label={`Warning: ${warnings.join(', ')}`} />}
      {model}
      {read !== undefined && (
        <span className="wide-only">
          {' '}
          · {count(read)} tokens read{written !== undefined && `, ${count(written)} written`}
        </span>
      )}
    </span>
  )
}

/** What can be done with a message: shown when the pointer or the focus is there. */
function RowTools({ thread, search, row, meta, end, isNewest, mayChat, actions }: MessageRowProps) {
  const { seq, role, text } = row.message
  return (
    <span className={`inline rigid icons ${styles.tools}`}>
      {meta && !isNewest && meta.model !== '' && <Who meta={meta} />}
      <Link
        to="/c/$conversation/context"
        params={{ conversation: thread.conversation }}
        search={{ ...search, entry: seq, ...(meta && { turn: meta.turn }) }}
        aria-label={`Message ${seq} in Context`}
        title="What became of it: Context"
      >
        <ScanText size={14} aria-hidden />
      </Link>
      {mayChat && (meta || end) && (
        <button
          type="button"
          aria-label="New branch from here"
          title="New branch from here"
          onClick={() => actions.branch(seq)}
        >
          <GitBranchPlus size={14} aria-hidden />
        </button>
      )}
      {text !== '' && <CopyIcon text={text} />}
      {mayChat && role === 'user' && (
        <button
          type="button"
          aria-label="Edit: a new branch"
          title="Edit: a new branch"
          onClick={() => actions.edit(seq, text)}
        >
          <Pencil size={14} aria-hidden />
        </button>
      )}
      {mayChat && meta && (
        <button
          type="button"
          aria-label="Answer again: a new branch"
          title="Answer again: a new branch"
          onClick={() => actions.again(seq)}
        >
          <RotateCw size={14} aria-hidden />
        </button>
      )}
    </span>
  )
}

/** How a turn ended, where it was not completed, and the way to try again. */
function TurnEnd({
  row,
  end: { status, error },
  asked,
  mayChat,
  actions,
}: MessageRowProps & { readonly end: NonNullable<MessageRowProps['end']> }) {
  if (status === 'completed') return null
  if (status === 'open')
    return (
      <p className="row gap-2 muted text-12" role="status">
        <span className={styles.dots} aria-hidden="true" />
        Being answered for another client
      </p>
    )
  return (
    <div className={styles.broken} data-status={status}>
      <span>{endWords(status, error, asked)}</span>
      {mayChat && (
        <Button onClick={() => actions.again(row.message.seq)}>
          <RotateCw size={14} aria-hidden />
          Try again
        </Button>
      )}
    </div>
  )
}
