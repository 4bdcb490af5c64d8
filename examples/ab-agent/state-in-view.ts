import type { MessageLike } from 'throughline'
import { readState } from 'throughline/state'
import { experiment, hypotheses, preview, variants } from './states.ts'
import { type AgentState, toAgentState } from './understand-agent.ts'

/** What the messages in view have: enough to choose words and chips by. What is true is read by the tools, from the whole log. */
export function stateIn(messages: readonly MessageLike[]): AgentState {
  return toAgentState({
    ideas: readState(messages, hypotheses).value,
    made: readState(messages, variants).value,
    preview: readState(messages, preview).value,
    created: readState(messages, experiment).value,
  })
}
