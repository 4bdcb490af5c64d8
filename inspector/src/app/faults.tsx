import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { ViewFrame } from './view-frame.tsx'

export function NotFound() {
  return (
    <ViewFrame crumb={<strong>Throughline</strong>} back="/">
      <EmptyState title="There is nothing at this address" action={<Link to="/">All conversations</Link>}>
        It may have been deleted, or the address is incomplete.
      </EmptyState>
    </ViewFrame>
  )
}

/** A fault of this page itself, or a file of it that is gone: a new build has other files, which only loading the page again brings. */
export function ViewFault({ error }: ErrorComponentProps) {
  return (
    <EmptyState
      title="This view has failed"
      action={<Button onClick={() => location.reload()}>Try again</Button>}
    >
      {error instanceof Error ? error.message : String(error)}
    </EmptyState>
  )
}
