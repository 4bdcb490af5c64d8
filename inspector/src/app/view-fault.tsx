import type { ErrorComponentProps } from '@tanstack/react-router'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'

/** A fault of this page itself. A new build has other files: then only loading the page again helps. */
export function ViewFault({ error }: ErrorComponentProps) {
  return (
    <EmptyState
      title="This view has failed"
      action={<Button onClick={() => location.reload()}>Load the page again</Button>}
    >
      {error instanceof Error ? error.message : String(error)}
    </EmptyState>
  )
}
