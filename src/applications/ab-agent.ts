import { createChat } from '@throughline/chat/reply'
import { readActions } from '@throughline/core/notes'
import type {
  AgentDrawing,
  ApplicationPlace,
  OpenApplication,
  SaidPart,
} from '@throughline/gallery/application'
import type { Thread } from '@throughline/history/threads'
import { agent } from '../../examples/ab-agent/agent.ts'
import { ruleModel } from '../../examples/ab-agent/rule-model.ts'
import { stateIn } from '../../examples/ab-agent/state-in-view.ts'
import { experiment, hypotheses, preview, variants } from '../../examples/ab-agent/states.ts'
import { agentUnderstanding } from '../../examples/ab-agent/understand-agent.ts'
import { chipsFor, chipsIn } from '../../examples/shared/understanding.ts'
import { readTalk, type TalkTurn, toSaid, toSaidParts } from './talk.ts'

/** In an application: the project of the user who is logged in. */
const projectId = 'demo-shop'

/** The A/B agent of the examples. For each message an instance is made that knows nothing but the log. */
export function open({ history, conversation, model }: ApplicationPlace): OpenApplication {
  const thread = history.thread(conversation)

  async function* say(text: string, signal: AbortSignal): AsyncGenerator<SaidPart> {
    const instance = createChat({ ...agent, model: model ?? ruleModel(), history, window: 4096 })
    yield* toSaidParts(instance.send(text, { conversation, projectId, signal }))
  }

  return {
    say,
    async state() {
      const turns = await readTalk(thread)
      const asked = chipsIn(turns.at(-1)?.answer ?? '')
      const messages = await thread.messages()
      return {
        chips: [...(asked.length > 0 ? asked : chipsFor(agentUnderstanding, stateIn(messages)))],
        said: toSaid(turns),
        more: [],
        drawing: await draw(thread, turns),
      }
    },
  }
}

/** What a state's tool is called on the page, and what the tools read of earlier ones. */
const nameOfTool: Readonly<Record<string, string>> = {
  generate_hypotheses: 'ideas',
  generate_variants: 'variants',
  preview_experiment: 'preview',
  create_experiment: 'experiment',
}
const readBy: Readonly<Record<string, readonly string[]>> = {
  generate_variants: ['ideas'],
  preview_experiment: ['variants'],
  create_experiment: ['variants', 'preview'],
  get_experiment: ['ideas', 'variants', 'preview', 'experiment'],
}

async function draw(thread: Thread, turns: readonly TalkTurn[]): Promise<AgentDrawing> {
  const ideas = await thread.state(hypotheses)
  const made = await thread.state(variants)
  const shown = await thread.state(preview)
  const created = await thread.state(experiment)
  const jobIds = made.value?.variants.map(({ jobId }) => jobId) ?? []
  const isShown = shown.value !== undefined && shown.value.jobIds.join() === jobIds.join()
  const isCreated = created.value !== undefined && created.value.jobIds.join() === jobIds.join()
  const texts = made.value?.variants.map(({ text }) => text).join(' / ')
  const rows = [
    ['hypothesis', ideas, made.value?.title ?? ideas.value?.hypotheses[0]?.title],
    ['variants', made, texts],
    ['job ids', made, jobIds.join(', ') || undefined],
    ['preview', shown, shown.value?.variants.map(({ percent }) => `${percent} %`).join(' / ')],
    ['experiment id', created, created.value?.experimentId],
  ] as const
  const tools = [hypotheses, variants, variants, preview, experiment].map(({ tools }) => tools[0]!)
  return {
    kind: 'agent',
    ideas: (ideas.value?.hypotheses ?? []).map(({ title }) => ({
      title,
      isChosen: title === made.value?.title,
    })),
    ...(isShown && {
      preview: {
        url: shown.value.url,
        title: shown.value.title,
        variants: shown.value.variants.map(({ label, text, percent }) => ({
          label,
          text,
          percent,
        })),
        ...(!isCreated && { confirm: 'yes, create it' }),
      },
    }),
    ...(isCreated && { experiment: created.value.experimentId }),
    acts: actsOf(turns),
    states: rows.map(([name, { entry }, value], at) => ({
      name,
      ...(value !== undefined && { value }),
      ...(value !== undefined &&
        entry && {
          // A reading counts from 0.
          seq: entry.seq + 1,
          turn:
            turns.find(({ first, last }) => first <= entry.seq + 1 && entry.seq < last)?.turn ?? 0,
        }),
      tool: tools[at]!,
    })),
  }
}

/** What each instance wrote into the log, and what it found there that an earlier one had written. */
function actsOf(turns: readonly TalkTurn[]): AgentDrawing['acts'] {
  const known = new Set<string>()
  return turns.map(({ turn, first, asked, messages }) => {
    const before = new Set(known)
    const read = new Set<string>()
    const wrote: { seq: number; name: string }[] = []
    const refused: string[] = []
    for (const { call, result = 'Error: ' } of readActions(messages)) {
      for (const name of readBy[call.name] ?? []) if (before.has(name)) read.add(name)
      const name = nameOfTool[call.name]
      if (result.startsWith('Error: ')) refused.push(call.name)
      else if (name !== undefined) {
        const at = messages.findIndex(one => one.results.some(({ callId }) => callId === call.id))
        wrote.push({ seq: first + Math.max(0, at), name })
        known.add(name)
      }
    }
    const instance = turn % 2 === 1 ? 'A' : 'B'
    return { turn, instance, asked, read: [...read], wrote, refused }
  })
}
