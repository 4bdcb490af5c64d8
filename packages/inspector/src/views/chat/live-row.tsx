import { Brain } from 'lucide-react'
import { Fragment } from 'react'
import { adviceFor } from '../../parts/fault-words.ts'
import type { LiveReply } from '../../parts/live-replies.ts'
import styles from './live-row.module.css'
import row from './message-row.module.css'
import { Aside } from './message-row.tsx'
import { RichText, UserText } from './rich-text.tsx'
import { ToolCall } from './tool-call.tsx'

/** The user's message, before the log has it. */
export function AskedRow({ text }: { readonly text: string }) {
  return (
    <article className={row.row} data-role="user" aria-label="You, just now">
      <div className={`flex at-end gap-2 ${row.asked}`}>
        <div className={`breaks framed ${row.bubble}`}>
          <UserText seq="asked" text={text} />
        </div>
      </div>
    </article>
  )
}

export function LiveRow({ live, model }: { readonly live: LiveReply; readonly model: string }) {
  const { state, parts, warnings, fault } = live
  const isRunning = state !== 'ended'
  return (
    <article
      className={row.row}
      data-role="assistant"
      aria-label="Reply, being written"
      aria-busy={isRunning}
    >
      <div className={`grid single gap-6px slim ${row.reply}`}>
        {parts.map((part, at) => {
          const isLast = at === parts.length - 1
          // Parts are only added.
          const name = `live ${live.startedAt} ${at}`
          return (
            <Fragment key={name}>
              {part.kind === 'text' && (
                <div className={`slim ${styles.text}`} data-growing={isRunning && isLast}>
                  <RichText text={part.text} />
                </div>
              )}
              {part.kind === 'thinking' && (
                <Aside
                  name={name}
                  icon={Brain}
                  label={isRunning && isLast ? 'Thinking…' : 'Thought'}
                  text={part.text}
                />
              )}
              {part.kind === 'call' && (
                <ToolCall
                  name={name}
                  call={part}
                  isRunning={isRunning && part.result === undefined}
                />
              )}
            </Fragment>
          )
        })}
        {warnings.map(({ code, message }) => (
          <p key={code} className="muted text-12 breaks">
            {message} <code className="small-code">{code}</code>
          </p>
        ))}
        {fault && (
          <p className="danger text-12 breaks" role="alert">
            <strong>{fault.message}</strong> {adviceFor(fault.code)}{' '}
            <code className="small-code">{fault.code}</code>
          </p>
        )}
        {isRunning && (
          <p className="row gap-2 muted text-12">
            <span className={row.dots} aria-hidden="true" />
            {state === 'stopping' ? 'Stopping' : parts.length === 0 ? `Asking ${model}` : 'Writing'}
          </p>
        )}
      </div>
    </article>
  )
}
