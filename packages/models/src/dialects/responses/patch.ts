import type { Fields } from '@throughline/core/fields'
import { lower, type Patch, promptIn } from '../patch.ts'
import { thoughtMark } from './to-response.ts'

export const patch: Patch = {
  list: 'input',
  ...promptIn('instructions'),
  change(entries, written) {
    const isSaid = (entry: object) => ((entry as Fields).type ?? 'message') === 'message'
    const first = entries.findIndex(isSaid)
    if (first < 0) return entries.length > 1 ? entries : written
    return [
      ...entries.slice(0, first),
      ...written.filter(isSaid),
      ...entries.slice(first).filter(entry => !isSaid(entry)),
    ]
  },
  limit: (body, most) => lower(body, 'max_output_tokens', most),
  // What these name is in our log, and comes with the list.
  always: body => ({
    ...(body.previous_response_id !== undefined && { previous_response_id: undefined }),
    ...(body.conversation !== undefined && { conversation: undefined }),
  }),
  isAlways: ({ type }) => type === 'additional_tools',
  isForeign: ({ type, encrypted_content: kept }) =>
    type === 'reasoning' && typeof kept === 'string' && kept.startsWith(thoughtMark),
}
