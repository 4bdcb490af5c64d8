import { chipsFor, chipsIn } from '../../shared/understanding.ts'
import { type AgentState, agentUnderstanding, toAgentState } from '../understand-agent.ts'
import type { Message, Part } from './message.ts'

export interface ChipsProps {
  readonly messages: readonly Message[]
  readonly isBusy: boolean
  readonly onSay: (text: string) => void
}

/** What works now, word for word: what the agent asked back with, else what the conversation has come to. */
export function Chips({ messages, isBusy, onSay }: ChipsProps) {
  const last = messages.at(-1)?.parts.findLast(part => part.type === 'text')?.text ?? ''
  const asked = chipsIn(last)
  const chips = asked.length > 0 ? asked : chipsFor(agentUnderstanding, stateOf(messages))
  return (
    <fieldset className="chips" aria-label="What works now">
      {chips.map(chip => (
        <button type="button" key={chip} disabled={isBusy} onClick={() => onSay(chip)}>
          {chip}
        </button>
      ))}
    </fieldset>
  )
}

/** What the messages of this page have. The server reads its own state, from the whole log. */
function stateOf(messages: readonly Message[]): AgentState {
  const parts = messages.flatMap(message => message.parts as readonly Part[])
  return toAgentState({
    ideas: newest(parts, 'tool-generate_hypotheses'),
    made: newest(parts, 'tool-generate_variants'),
    preview: newest(parts, 'tool-preview_experiment'),
    created: newest(parts, 'tool-create_experiment'),
  })
}

type OutputOf<Type> = Extract<Part, { type: Type; state: 'output-available' }>['output']

function newest<Type extends Part['type']>(
  parts: readonly Part[],
  type: Type,
): OutputOf<Type> | undefined {
  const found = parts.findLast(
    part => part.type === type && 'state' in part && part.state === 'output-available',
  )
  return (found as { readonly output: OutputOf<Type> } | undefined)?.output
}
