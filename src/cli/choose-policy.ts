import type { Policy } from '../context/draft/policy.ts'
import { balanced, defaultPolicy, recall, thorough, thrifty } from '../context/policies/recall.ts'
import { sliding } from '../context/policies/sliding.ts'
import { spongebob } from '../context/policies/spongebob.ts'
import { stable } from '../context/policies/stable.ts'
import { tiered } from '../context/policies/tiered.ts'
import { InvalidOptionError } from '../log/error.ts'

export interface PolicyOptions {
  readonly messages?: number
  readonly full?: number
  readonly max?: number
  readonly effort?: number
}

const policies: Readonly<Record<string, (options: PolicyOptions) => Policy>> = {
  default: ({ effort }) => (effort === undefined ? defaultPolicy : recall({ effort })),
  stable: () => stable(),
  thrifty: () => thrifty(),
  balanced: () => balanced(),
  thorough: () => thorough(),
  spongebob: () => spongebob(),
  tiered: ({ full, max }) =>
    tiered({ ...(full === undefined ? {} : { full }), ...(max === undefined ? {} : { max }) }),
  sliding: ({ messages }) => sliding(messages === undefined ? {} : { messages }),
}

export const policyNames: readonly string[] = Object.keys(policies)

/** The policy that `--policy` names. */
export function choosePolicy(name: string, options: PolicyOptions = {}): Policy {
  const make = Object.hasOwn(policies, name) ? policies[name] : undefined
  if (options.effort !== undefined && name !== 'default') {
    throw new InvalidOptionError('effort', `goes with the policy "default", not with "${name}"`)
  }
  if (!make)
    throw new InvalidOptionError('policy', `expected one of ${policyNames.join(', ')}, got "${name}"`)
  return make(options)
}
