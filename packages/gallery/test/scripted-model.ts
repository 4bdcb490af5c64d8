import { anthropicAnswer, upstreamWith } from '@throughline/models/fixtures'
import {
  anthropicUpstream,
  ollamaUpstream,
  openaiUpstream,
} from '@throughline/server/upstream/model-servers'
import {
  ollamaAnswer,
  openaiAnswer,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '@throughline/test-tools/scripted-upstream'

/** What a scripted model says next: a text, or calls of tools. */
export type Saying = string | readonly { readonly name: string; readonly arguments: object }[]

/** A request as a script reads it, whatever form it came in. */
export interface ModelRequest {
  readonly system: string
  /** The text of the newest user message. */
  readonly asked: string
  /** The results of tools since then, oldest first. */
  readonly results: readonly string[]
  readonly tools: readonly string[]
  readonly body: Readonly<Record<string, unknown>>
}

interface WireMessage {
  readonly role: string
  readonly content?: string | readonly Readonly<Record<string, unknown>>[]
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : ((content ?? []) as readonly Readonly<Record<string, unknown>>[])
        .map(block => (block.type === 'tool_result' ? '' : String(block.text ?? '')))
        .join('')

function readRequest(body: Readonly<Record<string, unknown>>): ModelRequest {
  const messages = (body.messages ?? []) as readonly WireMessage[]
  const resultsIn = ({ role, content }: WireMessage) =>
    role === 'tool'
      ? [textOf(content)]
      : Array.isArray(content)
        ? content.flatMap(block => (block.type === 'tool_result' ? [textOf(block.content)] : []))
        : []
  const isAsked = (message: WireMessage) =>
    message.role === 'user' && resultsIn(message).length === 0
  const at = messages.findLastIndex(isAsked)
  const systems = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => textOf(content))
  const tools = (body.tools ?? []) as readonly { name?: string; function?: { name: string } }[]
  return {
    system: [textOf(body.system), ...systems].join('\n'),
    asked: textOf(messages[at]?.content),
    results: messages.slice(at + 1).flatMap(resultsIn),
    tools: tools.map(one => one.function?.name ?? one.name ?? ''),
    body,
  }
}

/** A real HTTP server that calls tools by a script, in one of the three forms, and an upstream that speaks to it. */
export async function scriptedModel(
  form: 'ollama' | 'openai' | 'anthropic',
  script: (request: ModelRequest) => Saying | undefined,
) {
  const requests: ModelRequest[] = []
  const { url } = await upstreamWith(request => {
    const known = facts(form, request)
    if (known) return known
    const read = readRequest(request.body as Readonly<Record<string, unknown>>)
    requests.push(read)
    const saying = script(read)
    if (saying === undefined)
      return { status: 400, body: { error: { message: 'the script has ended' } } }
    return answers[form](saying, requests.length)
  })
  const window = 8192
  const open = {
    ollama: () => ollamaUpstream({ url, window }),
    openai: () => openaiUpstream({ url, window, responses: 'converted' }),
    anthropic: () => anthropicUpstream({ url, window }),
  }
  return { upstream: open[form](), requests }
}

/** What a server tells of its models. */
function facts(form: string, { path }: UpstreamRequest): UpstreamAnswer | undefined {
  const name = 'scripted'
  switch (path.replace(/\?.*$/, '')) {
    case '/api/tags':
      return { status: 200, body: { models: [{ name, model: name }] } }
    case '/v1/models':
      return { status: 200, body: { data: [{ id: name, type: 'model' }], has_more: false } }
    case '/api/chat':
    case '/v1/chat/completions':
    case '/v1/messages':
      return undefined
    default:
      return { status: 404, body: { error: `${form} has no ${path}` } }
  }
}

const idOf = (turn: number, at: number) => `call-${turn}-${at}`

const answers = {
  ollama: (saying: Saying) =>
    ollamaAnswer(
      typeof saying === 'string'
        ? [{ content: saying }]
        : [
            {
              tool_calls: saying.map(one => ({
                function: { name: one.name, arguments: one.arguments },
              })),
            },
          ],
    ),
  openai: (saying: Saying, turn: number) =>
    typeof saying === 'string'
      ? openaiAnswer([{ content: saying }])
      : openaiAnswer(
          [
            {
              tool_calls: saying.map((one, index) => ({
                ...{ index, id: idOf(turn, index), type: 'function' },
                function: { name: one.name, arguments: JSON.stringify(one.arguments) },
              })),
            },
          ],
          { finish: 'tool_calls' },
        ),
  anthropic: (saying: Saying, turn: number) =>
    anthropicAnswer(
      typeof saying === 'string'
        ? [{ type: 'text', text: saying }]
        : saying.map((one, at) => ({
            ...{ type: 'tool_use' as const, id: idOf(turn, at), name: one.name },
            input: { ...one.arguments },
          })),
    ),
}
