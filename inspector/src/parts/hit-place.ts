import type { AnswerOf } from '../api/routes.ts'
import { toThreadSearch } from './address.ts'

export type SearchHit = AnswerOf<'get /search'>['found'][number]

/** The place of a message that was found, as the address of a view has it. */
export const placeOfHit = (hit: Pick<SearchHit, 'actor' | 'branch' | 'seq'>) => ({
  ...toThreadSearch(hit),
  entry: hit.seq,
})

export const keyOfHit = ({ conversation, actor, branch, seq }: SearchHit): string =>
  JSON.stringify([conversation, actor, branch, seq])
