import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readMessage } from '@throughline/core/messages'
import { groupBy, parseJson } from '@throughline/core/values'
import type { RoleData } from '@throughline/experiment/api-types'
import { Wrench, X } from 'lucide-react'
import { type RoleAct, turnLogQuery } from '../../api/experiment-queries.ts'
import { viewAt } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { Explained } from '../../parts/explained.tsx'
import { count } from '../../parts/format.ts'
import { JsonTree } from '../../parts/json-tree.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { type AnyMessage, messageText } from '../../parts/message-text.ts'
import { Notice } from '../../parts/notice.tsx'
import { QueryState, Skeleton } from '../../parts/query-state.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { calibrationText } from '../../parts/token-words.ts'
import type { LogEntry } from '../../parts/use-texts.ts'
import styles from './act-panel.module.css'
import type { BoardCell, CellState } from './board-state.ts'
import { largestCall } from './describe-act.ts'

export interface ActPanelProps {
  readonly experiment: string
  readonly cell: BoardCell
  readonly state: CellState
  readonly onClose: () => void
}

export function ActPanel({ experiment, cell: { role, step }, state, onClose }: ActPanelProps) {
  const { act, isActing, isEnded, isRead } = state
  return (
    <aside className={`panel scrolls-down ${styles.panel}`} aria-label={`${role}, step ${step}`}>
      <header className={`sticky flex wraps baseline padded line-below ${styles.head}`}>
        <h2 className={`flex fill slim heading one-line ${styles.title}`} title={role}>
          <span className="ellipsis">{role}</span>, step {step}
        </h2>
        {act && (
          // Leads into the context of the last call of the act.
          <Link
            {...viewAt('context', experiment, {
              actor: role,
              turn: act.turn,
              call: act.calls.at(-1)?.id,
            })}
            className="link rigid link-text"
          >
            What it got
          </Link>
        )}
        <span className={styles.close}>
          <Button kind="icon" aria-label="Close" onClick={onClose}>
            <X size={16} aria-hidden />
          </Button>
        </span>
        {act && <Tokens act={act} />}
      </header>
      {act ? (
        <Turn {...{ experiment, act }} />
      ) : isEnded && !isRead ? (
        <Skeleton />
      ) : (
        <p className={`muted text-12-18 ${styles.none}`}>
          {isActing
            ? 'It is acting: what it does stands here as soon as it is in the log.'
            : isEnded
              ? 'It did not act in this step: a hook skipped it, or the step ended before.'
              : 'It has not acted in this step yet.'}
        </p>
      )}
    </aside>
  )
}

function Tokens({ act }: { readonly act: RoleAct }) {
  const largest = largestCall(act)
  if (!largest) return null
  const { predicted, reported } = largest
  const { model, factor } = act.calls.at(-1) ?? {}
  return (
    <p className={`muted text-12-18 breaks ${styles.tokens}`}>
      <Explained by={calibrationText(factor, reported)}>
        {count(predicted)} tokens predicted
      </Explained>
      {reported !== undefined && `, ${count(reported)} reported`}
      {act.calls.length > 1 && ` in the largest of ${act.calls.length} calls`}
      {model !== undefined && ` · ${model}`}
    </p>
  )
}

/** The most entries of a turn that are shown: the thread has all of them. */
const mostEntries = 200

interface TurnProps {
  readonly experiment: string
  readonly act: RoleAct
}

function Turn({ experiment, act }: TurnProps) {
  const { role, first, last, status, error } = act
  const limit = Math.min(last - first + 1, mostEntries)
  const query = useQuery(turnLogQuery(experiment, role, { at: last, limit }))
  return (
    <QueryState query={query}>
      {({ entries }) => (
        <>
          <ol>
            {readTurn(entries, status === 'open').map((piece, at) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: two calls of one entry have the same place
                key={at}
                className={`padded soft text-12-18 line-below ${styles.piece}`}
                data-open={piece.kind === 'tool' && piece.result === undefined}
              >
                <Piece {...{ piece, experiment, act }} />
              </li>
            ))}
          </ol>
          {error !== undefined && <Notice kind="danger">The turn failed: {error}.</Notice>}
          {status === 'open' && (
            <p className={`muted text-12-18 ${styles.none}`}>
              A pause takes effect before the next role acts. What is in the log is never done
              twice: a tool that was running is run again with the same key.
            </p>
          )}
        </>
      )}
    </QueryState>
  )
}

function Piece({
  piece,
  experiment,
  act: { role, status },
}: TurnProps & { readonly piece: TurnPiece }) {
  const label = (name: React.ReactNode) => (
    <div className={`row gap-6px slim muted label ${styles.label}`}>
      {name}
      <span className="pushed to-right">{piece.from}</span>
      <Link
        {...viewAt('context', experiment, { actor: role, entry: piece.seq })}
        className={`rigid muted ${styles.place}`}
        aria-label={`Entry ${piece.seq} in the context`}
      >
        #{piece.seq}
      </Link>
    </div>
  )
  if (piece.kind === 'text')
    return (
      <>
        {label(<span>{piece.who}</span>)}
        <LongText>{piece.who === 'user' ? <StepText text={piece.text} /> : piece.text}</LongText>
      </>
    )
  const { name, arguments: json, result, isError, changes } = piece
  const isRunning = status === 'open'
  return (
    <>
      {label(
        <>
          <Wrench size={12} aria-hidden />
          <span className="clear bold breaks">{name}</span>
        </>,
      )}
      <LongText>
        <JsonTree value={parseJson(json) ?? json} />
      </LongText>
      <div className={styles.result} data-error={isError}>
        {result === undefined ? (
          <span className="inline gap-6px bold coloured" data-status="running">
            {isRunning && <StatusMark status="running" label="running" />}
            {isRunning ? 'running' : 'gave no result'}
          </span>
        ) : (
          <LongText>
            {result === '' ? <i>nothing</i> : <JsonTree value={parseJson(result) ?? result} />}
          </LongText>
        )}
      </div>
      {changes.length > 0 && (
        <ul className={`flex wraps text-11 ${styles.changes}`} aria-label="What it changed">
          {changes.map(({ name, value }) => (
            <li className="slim breaks" key={name}>
              <span>{name}</span> → <b className="clear">{value?.slice(0, 200) ?? 'removed'}</b>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** `Step 12. Current Environment: {…}`, with the names of the variables set off. */
function StepText({ text }: { readonly text: string }) {
  const at = text.indexOf('{')
  if (!/^Step \d+\. Current Environment: /.test(text) || at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <JsonTree value={parseJson(text.slice(at)) ?? text.slice(at)} />
    </>
  )
}

export type TurnPiece = ReturnType<typeof readTurn>[number]

/** Reads the entries of one turn: each call with its result. `isOpen`: the turn is not over. */
export function readTurn(entries: readonly LogEntry[], isOpen: boolean) {
  const instructionAt = entries.findLastIndex(
    ({ message }, at) =>
      message.role === 'user' && hookOf(entries[at]!) === undefined && isBeforeReply(entries, at),
  )
  // Models may use an id again in a later round.
  const results = groupBy(
    entries.filter(({ message }) => message.role === 'tool'),
    ({ message }) => String((message as AnyMessage).tool_call_id ?? ''),
  )
  const lastReply = entries.findLastIndex(({ message }) => message.role === 'assistant')
  return entries.flatMap((entry, at) => {
    const message = entry.message as AnyMessage
    const { seq } = entry
    if (message.role === 'tool') return []
    const { calls } = readMessage(message, seq)
    const text = messageText({ role: message.role, content: message.content })
    const who = message.role === 'assistant_note' ? 'note to itself' : message.role
    const piece = { kind: 'text' as const, seq, who, from: fromOf(entry, at, instructionAt), text }
    const end = at < lastReply ? 'goes on' : isOpen ? '' : 'ended the turn'
    return [
      ...(text === '' && calls.length > 0 ? [] : [piece]),
      ...calls.map((call, index) => {
        const result = results.get(call.id ?? '')?.find(one => one.seq > seq)
        return {
          ...{ kind: 'tool' as const, seq, name: call.name, arguments: call.arguments },
          from: index === calls.length - 1 ? end : '',
          /** Absent while the tool runs. */
          result:
            result &&
            messageText({ role: 'tool', content: (result.message as AnyMessage).content }),
          isError: result?.isError === true,
          changes: result ? changesOf(result) : [],
        }
      }),
    ]
  })
}

const isBeforeReply = (entries: readonly LogEntry[], at: number) =>
  !entries.slice(0, at).some(({ message }) => message.role === 'assistant')

/** Where an entry came from: `told by the step`, `injected by the hook before-model`. */
function fromOf(entry: LogEntry, at: number, instructionAt: number): string {
  if (entry.isClosing) return 'written to close the turn'
  if (entry.message.role !== 'user') return ''
  const hook = hookOf(entry)
  if (hook !== undefined) return `injected by the hook ${hook}`
  return at === instructionAt ? 'told by the step' : 'injected by the hook before-role'
}

/** The point of the hook that injected an entry; its key is `["before-model",12,"owner",1,0]`. */
function hookOf({ data }: LogEntry): string | undefined {
  const { hook } = (data ?? {}) as { readonly hook?: unknown }
  return typeof hook === 'string' ? (/^\["([a-z-]+)"/.exec(hook)?.[1] ?? '') : undefined
}

/** A value is JSON; undefined where something was removed. */
function changesOf({
  data,
}: LogEntry): readonly { readonly name: string; readonly value?: string }[] {
  const { patches = [] } = (data ?? {}) as RoleData
  return patches.map(({ path, value }) => ({ name: path.join('.'), value: JSON.stringify(value) }))
}
