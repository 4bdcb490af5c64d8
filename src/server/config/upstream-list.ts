import { z } from 'zod'
import { policyNames } from '../../context/policies/choose-policy.ts'
import { attempt } from '../../log/attempt.ts'
import { address, listOf, oneOf, text, wholeNumber } from './kinds.ts'

export const upstreamKind = () => oneOf(['auto', 'ollama', 'openai', 'anthropic'])

export const upstreamKey = () => text('a key without blanks', /^[\x21-\x7e]{1,4096}$/)

/** One of several upstreams, as the file of settings has it. */
const upstreamEntry = z.strictObject({
  name: text('a short name of letters, digits, "-" and ".", for records and metrics', /^[\w.-]{1,40}$/),
  models: listOf(
    text(
      'a list of names of models such as "gpt-*", where "*" stands for any letters',
      /^[\x21-\x7e]{1,200}$/,
    ),
    'must be a list of names of models such as "gpt-*"',
  ),
  url: address('reader'),
  kind: upstreamKind().default('auto'),
  key: upstreamKey().optional(),
  keyVariable: text('the name of a variable', /^\w{1,200}$/).optional(),
  window: wholeNumber(1).optional(),
  policy: oneOf(policyNames).optional(),
})

export type UpstreamEntry = z.output<typeof upstreamEntry>

/** A list of upstreams. As a text it is JSON. */
export function upstreamList() {
  const must =
    'must be a list of {"name", "models", "url"}, each with "kind", "key", "keyVariable", "window" and "policy" at will'
  return z.preprocess(
    value => (typeof value === 'string' ? attempt(() => JSON.parse(value) as unknown, value) : value),
    z.array(upstreamEntry, must).min(1, must).max(50, must),
  )
}
