import type { Answer } from '../api/routes.ts'
import { toThreadSearch } from './address.ts'

export type Hit = Answer<'get /search'>['found'][number]

/** The place of a message that was found, as the address of a view has it. */
export const placeOfHit = (hit: Pick<Hit, 'actor' | 'branch' | 'seq'>) => ({
  ...toThreadSearch(hit),
  entry: hit.seq,
})

export const keyOfHit = ({ conversation, actor, branch, seq }: Hit): string =>
  JSON.stringify([conversation, actor, branch, seq])
