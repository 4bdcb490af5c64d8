import type { Policy } from '../../context/draft/policy.ts'
import { balanced, defaultPolicy, thorough, thrifty } from '../../context/policies/recall.ts'
import { sliding } from '../../context/policies/sliding.ts'
import { spongebob } from '../../context/policies/spongebob.ts'
import { stable } from '../../context/policies/stable.ts'
import { tiered } from '../../context/policies/tiered.ts'
import type { PolicyJson } from './plan-json.ts'

/** The policy that a plan names. */
export function policyFor(policy: PolicyJson): Policy {
  if (typeof policy === 'object')
    return 'sliding' in policy ? sliding({ messages: policy.sliding }) : tiered({ full: policy.tiered })
  switch (policy) {
    case 'default':
      return defaultPolicy
    case 'stable':
      return stable()
    case 'thrifty':
      return thrifty()
    case 'balanced':
      return balanced()
    case 'thorough':
      return thorough()
    case 'spongebob':
      return spongebob()
    case 'tiered':
      return tiered()
  }
}
