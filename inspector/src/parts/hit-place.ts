import type { Answer } from '../api/routes.ts'

export type Hit = Answer<'get /search'>['found'][number]

/** The place of a message that was found, as the address of a view has it. */
export const placeOfHit = ({ actor, branch, seq }: Pick<Hit, 'actor' | 'branch' | 'seq'>) => ({
  ...(actor !== 'assistant' && { actor }),
  ...(branch !== 'main' && { branch }),
  entry: seq,
})

export const keyOfHit = ({ conversation, actor, branch, seq }: Hit): string =>
  JSON.stringify([conversation, actor, branch, seq])
