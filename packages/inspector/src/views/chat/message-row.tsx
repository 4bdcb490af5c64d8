import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { Brain, GitBranchPlus, Image, Pencil, RotateCw, ScanText, Settings2 } from 'lucide-react'
import { memo } from 'react'
import { viewAt } from '../../parts/address.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { fateAt, nameOfFate } from '../../parts/fates.ts'
import { endWords, warningText } from '../../parts/fault-words.ts'
import { amountOf, count, fullTime } from '../../parts/format.ts'
import { StatusMark } from '../../parts/status-mark.tsx'
import { VersionSwitch } from './branch-graph.tsx'
import { BroughtBack } from './brought-back.tsx'
import type { ChatMessage, ChatRow } from './chat-rows.ts'
import { EditBox } from './composer.tsx'
import { Fold } from './fold.tsx'
import styles from './message-row.module.css'
import { RichText, UserText, useIsOnlyPaste } from './rich-text.tsx'
import { StrayResult, ToolCall } from './tool-call.tsx'
import type { ReplyMeta, RowContext, ThreadFacts } from './use-chat-thread.ts'

interface MessageRowProps {
  readonly chat: RowContext
  readonly row: ChatRow
  readonly isTurnEnd: boolean
}

interface RowProps extends MessageRowProps {
  /** The turn of a row and its figures, in the last row of the turn. */
  readonly turn: ReturnType<ThreadFacts['turnOf']>
  readonly meta: ReplyMeta | undefined
  /** Whether it is the newest reply, whose actions are always visible. */
  readonly isNewest: boolean
}

export const MessageRow = memo(function MessageRow(message: MessageRowProps) {
  const { chat, row, isTurnEnd } = message
  const { runs, point, selected, metas, head, actions } = chat
  const { seq, role, time } = row.message
  const fate = fateAt(runs, seq) ?? (point && seq > point.at ? 'kept' : undefined)
  const isSelected = selected === seq
  const deletedAt = chat.deletedAt(seq)
  const turn = isTurnEnd ? chat.turnOf(seq) : undefined
  const meta =
    turn && role === 'assistant'
      ? (metas.get(turn.turn) ?? { model: row.call?.model ?? '', turn: turn.turn })
      : undefined
  const props = { ...message, turn, meta, isNewest: turn !== undefined && turn.last >= head }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k select by keys
    <article
      onClick={event => {
        const isControl = (event.target as Element).closest('a, button, textarea, pre') !== null
        // A click that ends a selection of text does not select the row.
        if (!isControl && getSelection()?.isCollapsed !== false)
          actions.select(isSelected ? undefined : seq)
      }}
      className={styles.row}
      data-role={role}
      data-fate={fate}
      data-selected={isSelected}
      aria-label={`${speaker[role]}, message ${seq}${fate === undefined ? '' : `, ${nameOfFate(fate)}`}`}
      title={time === undefined ? undefined : `#${seq}, ${fullTime(time)}`}
    >
      {role === 'user' ? <UserRow {...props} /> : <ReplyRow {...props} />}
      {deletedAt !== undefined && (
        <p className={`muted text-12 ${role === 'user' ? 'to-right' : ''}`}>
          Deleted by the client at turn {deletedAt}: no longer sent
        </p>
      )}
      {turn && <TurnEnd {...props} />}
    </article>
  )
})

const speaker: Partial<Record<ChatMessage['role'], string>> = {
  user: 'You',
  assistant: 'Reply',
  tool: 'Tool result',
  system: 'System prompt',
}

function UserRow(props: RowProps) {
  const { chat } = props
  const { editing, actions } = chat
  const { seq, text, media, pictures } = props.row.message
  const versions = chat.versions.get(seq)
  const brought = chat.brought.get(seq) ?? props.row.brought
  const isOnlyPaste = useIsOnlyPaste(text)
  if (editing?.seq === seq) return <EditBox {...editing} actions={actions} />
  const switcher = versions && (
    <VersionSwitch
      versions={versions}
      onOpen={branch => actions.open(branch)}
      onCompare={branch => actions.compare(branch)}
    />
  )
  return (
    <>
      <div className={`flex at-end gap-2 ${styles.asked}`}>
        <RowTools {...props} />
        <div className={`breaks framed ${styles.bubble}`} data-bare={isOnlyPaste && media === 0}>
          <UserText seq={seq} text={text} />
          {media > 0 && <Media {...{ seq, media, pictures }} />}
        </div>
      </div>
      {brought ? (
        <BroughtBack {...{ chat, seq, brought }} question={text} before={switcher} />
      ) : (
        switcher && <div className="flex at-end space-above-6px">{switcher}</div>
      )}
    </>
  )
}

function ReplyRow(props: RowProps) {
  const { row, meta } = props
  const { seq, role, text, thinking, media, pictures, results } = row.message
  if (role === 'system')
    return <Aside name={`${seq} system`} icon={Settings2} label="System prompt" text={text} />
  return (
    <div className={`grid single gap-6px slim ${styles.reply}`}>
      {thinking !== '' && (
        <Aside name={`${seq} thinking`} icon={Brain} label="Thought" text={thinking} />
      )}
      {text !== '' && <RichText text={text} />}
      {media > 0 && <Media {...{ seq, media, pictures }} />}
      {row.calls.map((call, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of a message have no other name
        <ToolCall key={at} name={`${seq} call ${at}`} call={call} />
      ))}
      {results.map((result, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <StrayResult key={at} name={`${seq} result ${at}`} text={result.text} />
      ))}
      {props.isNewest && meta ? (
        <footer className={`row gap-2 muted chip-text ${styles.foot}`}>
          <Who meta={meta} />
          <RowTools {...props} />
        </footer>
      ) : (
        <RowTools {...props} />
      )}
    </div>
  )
}

interface AsideProps {
  readonly name: string
  readonly icon: LucideIcon
  readonly label: string
  readonly text: string
}

/** A text beside the conversation: folded. */
export function Aside({ icon: Icon, text, ...fold }: AsideProps) {
  return (
    <Fold {...fold} icon={<Icon size={14} aria-hidden />}>
      <div className={`soft on-canvas framed round-2 ${styles.aside}`}>
        <RichText text={text} />
      </div>
    </Fold>
  )
}

/** The pictures of a message, and how many files it has besides. */
const Media = ({ seq, media, pictures }: Pick<ChatMessage, 'seq' | 'media' | 'pictures'>) => (
  <>
    {pictures.map((url, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: pictures of a message have no other name
      <img key={at} className={styles.picture} src={url} alt={`${at + 1} of message ${seq}`} />
    ))}
    {media > pictures.length && (
      <span className="inline gap-6px soft text-12-16">
        <Image size={14} aria-hidden />
        {amountOf(media - pictures.length, pictures.length > 0 ? 'more file' : 'file')}
      </span>
    )}
  </>
)

function Who({ meta: { model, read, written, warnings = [] } }: { readonly meta: ReplyMeta }) {
  return (
    <span className={styles.who}>
      {warnings.length > 0 && (
        <StatusMark
          status="warning"
          label={warnings.map(code => warningText(code, { predicted: 0 })).join('. ')}
        />
      )}
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
function RowTools({
  chat: { thread, search, mayChat, actions },
  row,
  turn,
  meta,
  isNewest,
}: RowProps) {
  const { seq, role, text } = row.message
  return (
    <span className={`inline rigid icons ${styles.tools}`}>
      {meta && !isNewest && meta.model !== '' && <Who meta={meta} />}
      <Link
        {...viewAt('context', thread.conversation, { ...search, entry: seq, turn: meta?.turn })}
        aria-label={`Message ${seq} in Context`}
        title="What became of it: Context"
      >
        <ScanText size={14} aria-hidden />
      </Link>
      {mayChat && turn && (
        <Tool
          name="New branch from here"
          icon={GitBranchPlus}
          onClick={() => actions.branch(seq)}
        />
      )}
      {text !== '' && <CopyButton text={text} isBare />}
      {mayChat && role === 'user' && (
        <Tool name="Edit (new branch)" icon={Pencil} onClick={() => actions.edit(seq, text)} />
      )}
      {mayChat && meta && (
        <Tool name="Regenerate (new branch)" icon={RotateCw} onClick={() => actions.again(seq)} />
      )}
    </span>
  )
}

interface ToolProps {
  readonly name: string
  readonly icon: LucideIcon
  readonly onClick: () => void
}

const Tool = ({ name, icon: Icon, onClick }: ToolProps) => (
  <button type="button" aria-label={name} title={name} onClick={onClick}>
    <Icon size={14} aria-hidden />
  </button>
)

/** How a turn ended, where it was not completed, and the way to try again. */
function TurnEnd({ chat: { metas, mayChat, actions }, row, turn }: RowProps) {
  if (!turn || turn.status === 'completed') return null
  if (turn.status === 'open')
    return (
      <p className="row gap-2 muted text-12" role="status">
        <span className={styles.dots} aria-hidden="true" />
        Being answered for another client
      </p>
    )
  return (
    <div className={styles.broken} data-status={turn.status}>
      <span>{endWords(turn.status, turn.error, metas.get(turn.turn)?.model)}</span>
      {mayChat && (
        <Button onClick={() => actions.again(row.message.seq)}>
          <RotateCw size={14} aria-hidden />
          Try again
        </Button>
      )}
    </div>
  )
}
