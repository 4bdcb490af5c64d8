import type { MessageLike } from 'throughline'
import { readState } from 'throughline/state'
import { experiment, hypotheses, preview, variants } from './states.ts'
import type { AgentState } from './understand-agent.ts'

/** What the messages in view have: enough to choose words and chips by. What is true is read by the tools, from the whole log. */
export function stateIn(messages: readonly MessageLike[]): AgentState {
  const all = readState(messages, hypotheses).value
  const made = readState(messages, variants).value
  const shown = readState(messages, preview).value
  const jobs = made?.variants.map(({ jobId }) => jobId).join()
  const created = readState(messages, experiment).value
  return {
    ideas: all?.hypotheses.map(({ title }) => title) ?? [],
    url: all?.url,
    hasVariants: made !== undefined && made.url === all?.url,
    hasPreview: shown !== undefined && shown.jobIds.join() === jobs,
    // An experiment of other variants is another one.
    experimentId: created?.jobIds.join() === jobs ? created?.experimentId : undefined,
  }
}
