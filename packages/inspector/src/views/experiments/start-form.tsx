import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useMemo, useRef, useState } from 'react'
import { ask } from '../../api/client.ts'
import { type ExperimentSummary, planQuery } from '../../api/experiment-queries.ts'
import { serverQuery } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import field from '../../parts/field.module.css'
import { amountOf } from '../../parts/format.ts'
import { Notice } from '../../parts/notice.tsx'
import { useOpenStarted } from '../../parts/use-open-started.ts'
import { byPlan } from './experiment-status.ts'
import { type PlanProblem, problemsOf, readPlanText } from './plan-problems.ts'
import styles from './start-form.module.css'

export interface StartFormProps {
  readonly experiments: readonly ExperimentSummary[]
  readonly of: string | undefined
  readonly onPick: (of: string | undefined) => void
  readonly onClose: () => void
}

/** Starts an experiment: from a plan that was run before, as it is or changed, or from JSON that is pasted. */
export function StartForm({ experiments, of, onPick, onClose }: StartFormProps) {
  const choices = [
    ...byPlan(experiments.filter(({ hasPlan }) => hasPlan)).map(([name, all]) => {
      const of = all[0]!.id
      return { of, name, about: `run ${amountOf(all.length, 'time')}, last as ${of}` }
    }),
    { of: undefined, name: 'A new plan', about: 'change this one, or paste its JSON' },
  ]
  const chosen = experiments.find(({ id }) => id === of)?.name
  const { data: plan, error } = useQuery({ ...planQuery(of ?? ''), enabled: of !== undefined })
  const { data: server } = useQuery(serverQuery)
  const stored =
    of === undefined ? newPlan(server?.model) : plan ? JSON.stringify(plan, null, 2) : ''
  const [written, setWritten] = useState<{
    readonly of: string | undefined
    readonly text: string
  }>()
  const text = written && written.of === of ? written.text : stored
  return (
    <section className={`on-panel framed round-3 ${styles.form}`} aria-labelledby="start-heading">
      <h2 id="start-heading" className="heading">
        Start an experiment
      </h2>
      <div className={`grid ${styles.columns}`}>
        <fieldset className={`grid gap-2px slim scrolls from-top ${styles.plans}`}>
          <legend className="muted caption">Plan</legend>
          {choices.map(({ of: choice, name, about }) => (
            <label key={name} className={`grid gap-2 round-2 hovers ${styles.plan}`}>
              <input
                type="radio"
                name="plan"
                checked={choice === undefined ? of === undefined : name === chosen}
                onChange={() => onPick(choice)}
              />
              <span>
                <b className="block breaks">{name}</b>
                <small className="block muted text-11 breaks">{about}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <Starting
          // Another plan is another attempt: its name and its problems do not stay.
          key={of ?? ''}
          {...{ of, text, stored, onClose }}
          fault={error}
          onChange={next => setWritten({ of, text: next })}
        />
      </div>
    </section>
  )
}

/** A plan that runs as it is, to be changed: two roles, each with a memory of its own. */
function newPlan(model = 'llama3.2'): string {
  const role = (name: string, system: string) => ({ name, model, system })
  const plan = {
    name: 'two voices',
    environment: { question: { type: 'string', value: 'What makes a good lemonade?' } },
    roles: [
      role(
        'ada',
        'You are Ada. Answer the question in one sentence, and never say the same twice.',
      ),
      role('ben', 'You are Ben. Say in one sentence what you would do otherwise.'),
    ],
    goals: [],
    maxSteps: 3,
  }
  return JSON.stringify(plan, null, 2)
}

interface StartingProps {
  readonly of: string | undefined
  readonly text: string
  /** The plan as it is stored: a text that is the same is run by its name. */
  readonly stored: string
  readonly fault: Error | null
  readonly onChange: (text: string) => void
  readonly onClose: () => void
}

function Starting({ of, text, stored, fault, onChange, onClose }: StartingProps) {
  const open = useOpenStarted()
  const { data: server } = useQuery(serverQuery)
  const [name, setName] = useState('')
  const id = useId()
  const { mutate, isPending, data, error, reset } = useMutation({
    mutationFn: async () => {
      const id = name.trim() || undefined
      if (of !== undefined && text === stored)
        return ask('post /experiments', { body: { id, planOf: of } })
      const read = readPlanText(text)
      return 'problem' in read ? read : ask('post /experiments', { body: { id, plan: read.plan } })
    },
    onSuccess: result => 'id' in result && open(result),
  })
  const problems = error ? problemsOf(error, text) : data && 'problem' in data ? [data.problem] : []
  const mayNot =
    server && !server.scopes.includes('admin')
      ? 'This key may not start experiments: it lacks the scope admin.'
      : undefined
  const change = (next: string) => {
    onChange(next)
    reset()
  }
  return (
    <form
      className="grid gap-3 slim"
      onSubmit={event => {
        event.preventDefault()
        mutate()
      }}
    >
      <div className={`grid gap-6px ${styles.name}`}>
        <label className="muted caption" htmlFor={id}>
          Name of the experiment
        </label>
        <input
          id={id}
          className={field.input}
          value={name}
          placeholder="made by the server if you leave it empty"
          autoComplete="off"
          onChange={event => setName(event.target.value)}
        />
      </div>
      <PlanEditor text={text} onChange={change} problems={problems} />
      {error && problems.length === 0 && <Notice kind="danger">{error.message}</Notice>}
      {fault && <Notice kind="danger">{fault.message}</Notice>}
      {mayNot !== undefined && <Notice>{mayNot}</Notice>}
      <div className="flex at-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          type="submit"
          why={
            mayNot ??
            (isPending
              ? 'It is being started.'
              : text.trim() === ''
                ? 'Write a plan first.'
                : undefined)
          }
        >
          {isPending ? 'Starting…' : 'Start'}
        </Button>
      </div>
      <p className="muted text-12-18 to-right">
        {of !== undefined && text === stored
          ? 'The stored plan is run again as it is.'
          : 'The server checks the plan before it starts.'}{' '}
        Its models are those of the server; a plan that names code is refused.
      </p>
    </form>
  )
}

export interface PlanEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly problems: readonly PlanProblem[]
}

/** The text of a plan with the numbers of its lines; lines with a problem are marked, and each problem leads to its place. */
export function PlanEditor({ text, onChange, problems }: PlanEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  const id = useId()
  const lines = useMemo(() => text.split('\n').length, [text])
  const wrong = new Set(problems.map(({ line }) => line))

  const show = ({ from, to, line }: PlanProblem) => {
    const element = area.current
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
        <div
          ref={numbers}
          className={`clipped on-sunken line-right ${styles.numbers}`}
          aria-hidden="true"
        >
          {Array.from({ length: Math.min(lines, mostLines) }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <i key={at} className="block muted code to-right" data-wrong={wrong.has(at + 1)}>
              {at + 1}
            </i>
          ))}
        </div>
        <textarea
          ref={area}
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
                <button
                  type="button"
                  className="flex wraps wide danger text-12-18 breaks round-1"
                  onClick={() => show(one)}
                >
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
