// Messages for tests, and the cases that every policy has to pass.
export { assertContext, assertRounds } from '../testing/assert-context.ts'
export {
  assistant,
  calls,
  note,
  result,
  round,
  system,
  type TestMessage,
  user,
} from '../testing/builders.ts'
export { type PolicyCase, policyCases } from '../testing/policy-cases.ts'
export { createRandom, randomConversation } from '../testing/random-conversation.ts'
