import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, askLines } from './client.ts'
import { splitPlace, type ThreadAddress } from './queries.ts'

export type ShadowCall = AnswerOf<'get /conversations/:conversation/shadow'>

/** What the answers of a shadow's calls used, newest first; of one call, where one is named. */
export const shadowQuery = (place: ThreadAddress, call?: string) => {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'shadow', call],
    queryFn: async ({ signal }) => {
      const query = { ...thread, call }
      const calls: ShadowCall[] = []
      const lines = askLines('get /conversations/:conversation/shadow', { params, query, signal })
      for await (const one of lines) calls.push(one)
      return calls
    },
  })
}
