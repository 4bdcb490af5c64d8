import { parseJson } from '@throughline/core/values'
import { CircleX, LoaderCircle, Wrench } from 'lucide-react'
import type { AnsweredCall } from '../../parts/live-replies.ts'
import { Fold, useCut } from './fold.tsx'
import styles from './tool-call.module.css'

interface ToolCallProps {
  readonly name: string
  readonly call: AnsweredCall
  readonly isRunning?: boolean
}

/** A tool call in a line, which unfolds to its arguments and its result. */
export function ToolCall({ name, call, isRunning = false }: ToolCallProps) {
  const { result } = call
  return (
    <Fold
      name={name}
      icon={iconOf(call, isRunning)}
      label={
        <>
          <span className="hidden">Tool call </span>
          <code>{call.name}</code> <span className="muted">{preview(call.arguments)}</span>
          {result?.isError && <span className="danger"> failed</span>}
        </>
      }
    >
      <dl className={`grid single gap-2px slim on-canvas framed round-2 ${styles.call}`}>
        <dt className="caption muted">Arguments</dt>
        <dd>
          <LongText text={pretty(call.arguments)} />
        </dd>
        <dt className="caption muted">{result?.isError ? 'Result: it failed' : 'Result'}</dt>
        <dd>
          {result ? (
            <LongText text={result.text} />
          ) : (
            <p className="muted text-12">{isRunning ? 'It is running.' : 'None came.'}</p>
          )}
        </dd>
      </dl>
    </Fold>
  )
}

export function StrayResult({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <Fold
      name={name}
      icon={<Wrench size={14} aria-hidden />}
      label={
        <>
          Result without a call: <code>{text.slice(0, 200)}</code>
        </>
      }
    >
      <LongText text={text} />
    </Fold>
  )
}

function iconOf({ result }: AnsweredCall, isRunning: boolean) {
  if (result?.isError) return <CircleX size={14} aria-hidden className="danger" />
  return result === undefined && isRunning ? (
    <LoaderCircle size={14} aria-hidden className={'turning'} />
  ) : (
    <Wrench size={14} aria-hidden />
  )
}

const mostCharacters = 8000

function LongText({ text }: { readonly text: string }) {
  const { isCut, shown, more } = useCut(text, mostCharacters)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keys */}
      <pre tabIndex={0} dir="auto" className={`scrolls code written thin-bar ${styles.long}`}>
        {isCut ? `${shown}…` : shown}
      </pre>
      {more}
    </>
  )
}

/** The values of the arguments in a line, without the names. */
function preview(json: string): string {
  const input = parsed(json)
  if (typeof input !== 'object' || input === null) return json.slice(0, 200)
  return Object.values(input)
    .slice(0, 8)
    .map(value => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 120))
    .join(', ')
}

function pretty(json: string): string {
  const input = parsed(json)
  return typeof input === 'object' && input !== null ? JSON.stringify(input, null, 2) : json
}

const parsed = (json: string) => (json.length > 200_000 ? undefined : parseJson(json))
