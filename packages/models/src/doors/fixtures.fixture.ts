// What tests of other packages share with those of this one.
export { damaged } from '../dialects/adapters.fixture.ts'
export {
  type Body,
  type FakeReply,
  type FakeUpstream,
  startUpstream,
  tornRound,
} from '../dialects/ai-sdk/upstream.fixture.ts'
export { anthropicAnswer, anthropicEvents } from '../dialects/anthropic/anthropic.fixture.ts'
export { failureOf, partsOf, textOf, upstreamWith } from '../upstream.fixture.ts'
