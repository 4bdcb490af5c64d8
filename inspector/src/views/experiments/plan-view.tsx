import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ExperimentAnswer } from '../../api/experiment-queries.ts'
import { planQuery } from '../../api/experiment-queries.ts'
import buttons from '../../parts/button.module.css'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import styles from './plan-view.module.css'
import { shownValue } from './series.ts'

interface PlanRole {
  readonly name?: string
  readonly model?: string
  readonly system?: string
  readonly tools?: readonly string[]
  readonly variables?: readonly string[]
  readonly window?: number
  readonly cap?: number
  readonly policy?: unknown
}

interface PlanGoal {
  readonly description?: string
  readonly holds?: string
  readonly outcome?: string
}

/** The plan as it was given: who takes part, what they share, and when it ends. */
export function PlanView({ shown }: { readonly shown: ExperimentAnswer }) {
  const { id, hasPlan } = shown
  const query = useQuery({ ...planQuery(id), enabled: hasPlan })
  if (!hasPlan)
    return (
      <EmptyState heading="h2" title="The plan of this experiment is code">
        Code is not stored: run it from its own file. A plan in JSON would be shown here and could be run
        again.
      </EmptyState>
    )
  return <QueryState query={query}>{plan => <Shown {...{ shown, plan }} />}</QueryState>
}

function Shown({
  shown,
  plan,
}: {
  readonly shown: ExperimentAnswer
  readonly plan: Readonly<Record<string, unknown>>
}) {
  const text = JSON.stringify(plan, null, 2)
  const roles = (plan.roles ?? []) as readonly PlanRole[]
  const goals = (plan.goals ?? []) as readonly PlanGoal[]
  const environment = (plan.environment ?? {}) as Readonly<
    Record<string, { readonly type?: string; readonly value?: unknown }>
  >
  return (
    <div className={`fill low scrolls ${styles.plan}`}>
      <div className="row wraps gap-3">
        <Link to="/e" search={{ start: 'plan', of: shown.id }} className={buttons.button} data-kind="line">
          Run this plan again
        </Link>
        <CopyButton text={text} label="Copy the JSON" />
      </div>
      <h2>Roles</h2>
      {roles.map(({ name, model, system, tools, variables, window, cap, policy }) => (
        <section key={name} className={styles.role}>
          <h3 className="subheading breaks">{name}</h3>
          <dl>
            <Fact name="model">{model}</Fact>
            <Fact name="tools">{tools ? tools.join(', ') || 'none' : 'all'}</Fact>
            <Fact name="sees">{variables?.join(', ') || 'all variables'}</Fact>
            {window !== undefined && <Fact name="window">{shownValue(window)} tokens</Fact>}
            {cap !== undefined && <Fact name="memory">the last {shownValue(cap)} messages</Fact>}
            {policy !== undefined && <Fact name="policy">{shownValue(policy)}</Fact>}
          </dl>
          {system !== undefined && <p className={`scrolls soft written ${styles.system}`}>{system}</p>}
        </section>
      ))}
      <h2>Environment at the start</h2>
      <dl className={styles.facts}>
        {Object.entries(environment).map(([name, { type, value }]) => (
          <Fact key={name} name={name}>
            {shownValue(value)} <span className="muted">{type}</span>
          </Fact>
        ))}
      </dl>
      <h2>Ends</h2>
      <dl className={styles.facts}>
        {goals.map(({ description = '', holds, outcome = 'completed' }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: goals may share a description
          <Fact key={at} name={outcome}>
            {description} <code>{holds}</code>
          </Fact>
        ))}
        <Fact name="failed">after {shown.maxSteps} steps without a goal</Fact>
      </dl>
      <details className={styles.json}>
        <summary>As JSON</summary>
        <JsonText text={text} isSpread />
      </details>
    </div>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className={`facts ${styles.fact}`}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
