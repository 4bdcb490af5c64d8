import type { ConversationSearch } from '../../parts/address.ts'
import { allPolicies } from '../../parts/policies.ts'
import { readSide, type Side, withPolicy } from './side.ts'
import type { SideAnswer } from './side-head.tsx'

/** Without an address A is as the last call, and B has the same window with the last 50 messages. */
export function readSides(search: ConversationSearch): { readonly a: Side; readonly b: Side } {
  const a = readSide(search.a, search.systemA)
  const b = search.b === undefined ? undefined : readSide(search.b, search.systemB)
  return { a, b: b ?? withPolicy(a, a.policy?.startsWith('sliding') ? 'balanced' : 'sliding-50') }
}

/** A side with its window and its policy by name, as an address has it. */
export const named = (side: Side, answer: SideAnswer | undefined): Side => ({
  ...side,
  window: side.window ?? answer?.window,
  // Of the last call only a policy that has a name of the same kind in addresses.
  policy: side.policy ?? allPolicies.find(policy => policy === answer?.policy),
})
