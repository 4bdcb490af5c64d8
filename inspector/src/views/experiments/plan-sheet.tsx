import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ExperimentAnswer, planQuery } from '../../api/experiment-queries.ts'
import buttons from '../../parts/button.module.css'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import styles from './plan-sheet.module.css'

export interface PlanSheetProps {
  readonly shown: ExperimentAnswer
  readonly onClose: () => void
}

/** The plan as it was given: who takes part, what they share, and when it ends. */
export function PlanSheet({ shown: { id, hasPlan }, onClose }: PlanSheetProps) {
  const query = useQuery({ ...planQuery(id), enabled: hasPlan })
  return (
    <Sheet title={`The plan of ${id}`} onClose={onClose}>
      {hasPlan ? (
        <QueryState query={query}>
          {plan => (
            <div className={`written ${styles.plan}`}>
              <p className="row wraps gap-3">
                <Link to="/e" search={{ start: 'plan', of: id }} className={buttons.button} data-kind="line">
                  Run this plan again
                </Link>
                <CopyButton text={JSON.stringify(plan, null, 2)} label="Copy the JSON" />
              </p>
              <JsonTree value={plan} />
            </div>
          )}
        </QueryState>
      ) : (
        <EmptyState heading="h2" title="The plan of this experiment is code">
          Code is not stored: run it from its own file. A plan in JSON would be shown here and could be run
          again.
        </EmptyState>
      )}
    </Sheet>
  )
}
