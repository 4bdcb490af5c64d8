import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ExperimentAnswer, type PlanJson, planQuery } from '../../api/experiment-queries.ts'
import buttons from '../../parts/button.module.css'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Fact } from '../../parts/fact.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import styles from './plan-view.module.css'
import { shownValue } from './series.ts'

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

interface ShownProps {
  readonly shown: ExperimentAnswer
  readonly plan: PlanJson
}

function Shown({ shown, plan }: ShownProps) {
  const text = JSON.stringify(plan, null, 2)
  const { roles, goals = [], environment } = plan
  const fact = `facts ${styles.fact}`
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
            <Fact className={fact} name="model">
              {model}
            </Fact>
            <Fact className={fact} name="tools">
              {tools ? tools.join(', ') || 'none' : 'all'}
            </Fact>
            <Fact className={fact} name="sees">
              {variables?.join(', ') || 'all variables'}
            </Fact>
            {window !== undefined && (
              <Fact className={fact} name="window">
                {shownValue(window)} tokens
              </Fact>
            )}
            {cap !== undefined && (
              <Fact className={fact} name="memory">
                the last {shownValue(cap)} messages
              </Fact>
            )}
            {policy !== undefined && (
              <Fact className={fact} name="policy">
                {shownValue(policy)}
              </Fact>
            )}
          </dl>
          {system !== undefined && <p className={`scrolls soft written ${styles.system}`}>{system}</p>}
        </section>
      ))}
      <h2>Environment at the start</h2>
      <dl className={styles.facts}>
        {Object.entries(environment).map(([name, { type, value }]) => (
          <Fact key={name} className={fact} name={name}>
            {shownValue(value)} <span className="muted">{type}</span>
          </Fact>
        ))}
      </dl>
      <h2>Ends</h2>
      <dl className={styles.facts}>
        {goals.map(({ description, holds, outcome = 'completed' }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: goals may share a description
          <Fact key={at} className={fact} name={outcome}>
            {description} <code>{holds}</code>
          </Fact>
        ))}
        <Fact className={fact} name="failed">
          after {shown.maxSteps} steps without a goal
        </Fact>
      </dl>
      <details className={styles.json}>
        <summary>As JSON</summary>
        <JsonText text={text} isSpread />
      </details>
    </div>
  )
}
