// Makes a context that fits, with its options and its policies by name.
export { ContextOverflowError } from '../context/compose/finish.ts'
export { BrokenContextError } from '../context/compose/invariants.ts'
export { createFitter } from '../context/create-fitter.ts'
export { summarizeProgram } from '../context/digests/program.ts'
export { createDraft } from '../context/draft/create-draft.ts'
export { type Draft, type Policy, pipe } from '../context/draft/draft.ts'
export { marginOf, withProtected } from '../context/draft/frame.ts'
export {
  checkOptions,
  counterOf,
  type NotesPlace,
  type Overflow,
  type Shape,
  type SystemPromptPlace,
  withoutLateSystem,
} from '../context/draft/frame-options.ts'
export { noteLine } from '../context/draft/notes-section.ts'
export {
  type Context,
  type FitOptions,
  fit,
  fitConversation,
  fitNames,
  readWhole,
} from '../context/fit.ts'
export {
  choosePolicy,
  type PlainPolicy,
  type PolicyName,
  type PolicyOptions,
  plainNames,
  plainPolicies,
  policyNames,
} from '../context/policies/choose-policy.ts'
export { balanced, defaultPolicy, thorough } from '../context/policies/recall.ts'
export { sliding } from '../context/policies/sliding.ts'
export { spongebob } from '../context/policies/spongebob.ts'
export { stable } from '../context/policies/stable.ts'
export { tiered } from '../context/policies/tiered.ts'
export { type GivenPart, joinGiven, orderTools } from '../context/prompt/split-prompt.ts'
export { offeredTools } from '../context/tools/shorten-tools.ts'
