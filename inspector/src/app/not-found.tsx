import { Link } from '@tanstack/react-router'
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
