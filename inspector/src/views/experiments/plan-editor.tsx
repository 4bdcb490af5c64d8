import { useId, useMemo, useRef } from 'react'
import styles from './plan-editor.module.css'
import type { PlanProblem } from './plan-problems.ts'

export interface PlanEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly problems: readonly PlanProblem[]
}

/** The text of a plan with the numbers of its lines; lines with a problem are marked, and each problem leads to its place. */
export function PlanEditor({ text, onChange, problems }: PlanEditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  const id = useId()
  const lines = useMemo(() => text.split('\n').length, [text])
  const wrong = new Set(problems.map(({ line }) => line))

  const show = ({ from, to, line }: PlanProblem) => {
    const element = field.current
    if (!element) return
    element.focus()
    element.setSelectionRange(from, to)
    const height = element.scrollHeight / Math.max(1, lines)
    element.scrollTop = Math.max(0, (line - 4) * height)
  }
  return (
    <div className="grid gap-6px slim">
      <label className="muted caption" htmlFor={id}>
        Plan as JSON
      </label>
      <div className={styles.sheet} data-wrong={problems.length > 0}>
        <div ref={numbers} className={`clipped on-sunken line-right ${styles.numbers}`} aria-hidden="true">
          {Array.from({ length: Math.min(lines, mostLines) }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <i key={at} data-wrong={wrong.has(at + 1)}>
              {at + 1}
            </i>
          ))}
        </div>
        <textarea
          ref={field}
          id={id}
          className={`wide tall code bare ${styles.text}`}
          value={text}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          wrap="off"
          rows={20}
          aria-invalid={problems.length > 0}
          aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
          onChange={event => onChange(event.target.value)}
          onScroll={event => {
            if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop
          }}
        />
      </div>
      {problems.length > 0 && (
        <div id={`${id}-problems`} role="alert">
          <ul className={`grid gap-2px scrolls round-2 ${styles.problems}`}>
            {problems.map((one, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two problems may have the same place
              <li key={at}>
                <button type="button" onClick={() => show(one)}>
                  <span className="bold">Line {one.line}</span>
                  {one.place !== '' && <code>{one.place}</code>}
                  <span>{one.problem}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

const mostLines = 5000
