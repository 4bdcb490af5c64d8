export { assertContext } from './assert-context.ts'
export { assistant, calls, note, result, round, system, type TestMessage, user } from './builders.ts'
export { type PolicyCase, policyCases } from './policy-cases.ts'
export { randomConversation } from './random-conversation.ts'
