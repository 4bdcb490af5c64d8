/**
 * A model made of rules, so that the example runs without one. It understands the sentences of `understand-agent.ts`, and asks back where
 * it does not. Like any model it sees only what it is sent: it keeps nothing between calls.
 */
import { type Message, type MessageLike, parseMessage } from 'throughline'
import { type Model, type RulesAnswer, rules } from 'throughline/models'
import { askBack, chipsFor } from '../shared/understanding.ts'
import { stateIn } from './state-in-view.ts'
import { type AgentIntent, type AgentState, agentUnderstanding } from './understand-agent.ts'

export const ruleModel = (): Model =>
  rules(({ messages }) => answer(messages), { name: 'rules', window: 4096, delayMs: 12 })

interface Call {
  readonly name: string
  readonly arguments?: object
}

function answer(given: readonly MessageLike[]): RulesAnswer {
  const messages = given.map((message, seq) => parseMessage(message, seq))
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const text = messages[asked]?.text ?? ''
  const since = messages.slice(asked + 1)
  const state = stateIn(given)
  const problem = since
    .flatMap(({ results }) => results)
    .find(result => result.text.startsWith('Error: '))
  if (problem) return refusal(problem.text.slice('Error: '.length), state)
  const intent = agentUnderstanding.read(text, stateIn(given.slice(0, asked)))
  if (!intent) return askBack(text, chipsFor(agentUnderstanding, state), answersIn(messages))
  // All calls of an intent stand in one message: the tools find each other's results.
  if (since.length === 0) {
    const calls = callsFor(intent)
    if (calls.length > 0) return { calls }
  }
  return closing(intent, since)
}

const answersIn = (messages: readonly Message[]) =>
  messages.flatMap(({ role, text }) => (role === 'assistant' ? [text] : []))

/** The tools that an intent needs, in their order. Only a whole yes calls create_experiment, or the wish to have all at once, which is refused. */
function callsFor(intent: AgentIntent): readonly Call[] {
  const [show, status] = [{ name: 'preview_experiment' }, { name: 'get_experiment' }]
  switch (intent.kind) {
    case 'ideas':
    case 'plan': {
      const find = { name: 'generate_hypotheses', arguments: { url: intent.url } }
      if (intent.kind === 'ideas') return [find]
      const plan = [find, { name: 'generate_variants' }, show]
      return intent.isAtOnce ? [...plan, { name: 'create_experiment' }] : plan
    }
    case 'variants': {
      const { idea, isShown } = intent
      const make = {
        name: 'generate_variants',
        arguments: idea === undefined ? {} : { hypothesis: idea },
      }
      return isShown ? [make, show] : [make]
    }
    case 'preview':
      return [show]
    case 'create':
      return [{ name: 'create_experiment' }]
    default:
      return [status]
  }
}

interface Status {
  readonly ideas: readonly string[]
  readonly isPreviewShown: boolean
  readonly experimentId: string | null
  readonly experimentUrl: string | null
}

/** The answer at the end of a turn. It tells only results of tools, and these read the whole log. */
function closing({ kind }: AgentIntent, since: readonly Message[]): string {
  const last = since.at(-1)?.results.at(-1)?.text ?? '{}'
  switch (kind) {
    case 'ideas':
      return 'These are my ideas. Say "use the second idea" to see it as a preview.'
    case 'variants':
    case 'plan':
    case 'preview':
      return last.includes('"percent"')
        ? shown(JSON.parse(last) as { title: string; createdId?: string })
        : 'These are the variants. Say "preview" to see what would be created.'
    case 'create': {
      const { status, experimentId: id } = JSON.parse(last) as {
        status?: string
        experimentId?: string
      }
      return status === 'running'
        ? `It is created, and runs. Its id is ${id}.`
        : `${id} was created before, so nothing new was made.`
    }
    default:
      return told(kind, JSON.parse(last) as Status)
  }
}

const shown = ({ title, createdId }: { readonly title: string; readonly createdId?: string }) =>
  createdId
    ? `This is what was created before, as ${createdId}.`
    : `This is what I would create, to test “${title}”. Nothing of it has been created yet. Shall I create it?`

function told(
  kind: AgentIntent['kind'],
  { ideas, isPreviewShown, experimentId, experimentUrl }: Status,
): string {
  if (kind === 'lists')
    return ideas.length === 0
      ? 'There are none yet: tell me the address of a page.'
      : ideas.map((idea, at) => `${at + 1}. ${idea}`).join('\n')
  const created = experimentId
    ? `${experimentId} was created for ${experimentUrl}, and runs.`
    : 'Nothing has been created.'
  if (kind === 'which')
    return experimentId ? created : `There is no experiment, so there is no id. ${created}`
  const preview =
    isPreviewShown && !experimentId
      ? ' The preview still stands: "yes, create it" is what creates it.'
      : ''
  const stop = experimentId ? ' I have no tool that ends it.' : ''
  return `All right, I create nothing now. ${created}${preview}${stop}`
}

function refusal(problem: string, state: AgentState): string {
  if (problem.startsWith('The user has not confirmed'))
    return 'I may not create it in the same breath: look at the preview first. Nothing has been created by this message. Shall I create it?'
  const chips = chipsFor(agentUnderstanding, state, 3).map(chip => `“${chip}”`)
  return `That did not work: ${problem}\nTry: ${chips.join(', ')}`
}
