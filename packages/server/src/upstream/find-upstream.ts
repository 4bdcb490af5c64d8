import { choosePolicy } from '@throughline/core/context'
import { ThroughlineError } from '@throughline/core/errors'
import { isObject, parseJson, present } from '@throughline/core/values'
import { isAnthropicHost, type ServerKind } from '@throughline/models/dialects'
import { type AskedServer, ModelError } from '@throughline/models/model'
import { askJson } from '@throughline/models/wire'
import type { ServerConfig } from '../config/config-schema.ts'
import { openConnection, type UpstreamConnectionOptions } from './connection.ts'
import { anthropicUpstream, ollamaUpstream, openaiUpstream } from './model-servers.ts'
import { readerUpstream } from './reader-upstream.ts'
import type { Upstream } from './upstream.ts'
import { type NamedUpstream, severalUpstreams } from './upstreams.ts'

const notFound = (message: string, cause: unknown) =>
  new ThroughlineError('upstream_not_found', message, { cause })

/** The upstreams of a configuration: those of its list, or the only one. What was opened is closed again if one fails. */
export async function findUpstreams(config: ServerConfig) {
  if (!config.upstreams) return findUpstream(config)
  const upstreams: NamedUpstream[] = []
  const lines: string[] = []
  try {
    for (const {
      name,
      models,
      url,
      kind,
      key,
      responses,
      window = config.window,
      policy,
    } of config.upstreams) {
      const own = present({ responses })
      const one = { ...config, upstream: url, upstreamKind: kind, upstreamKey: key, window, ...own }
      const { upstream, what } = await findUpstream(one)
      const effort = policy === 'default' ? config.effort : undefined
      const options = present({ policy: policy && choosePolicy(policy, { effort }) })
      upstreams.push({ name, upstream, patterns: models, options })
      lines.push(`The upstream "${name}" is ${what}. It takes ${models.join(', ')}.`)
    }
  } catch (error) {
    for (const { upstream } of upstreams) await upstream.close()
    throw error
  }
  return { upstream: severalUpstreams(upstreams), why: lines.join('\n') }
}

const lookMs = 3000

/** The upstream that is configured; else Ollama where it is usually found, or the built-in reader if nothing answers there. */
export async function findUpstream(config: ServerConfig) {
  const { upstream, upstreamKind, upstreamKey, ollamaHost, window, cacheMarks, responses } = config
  const isConfigured = upstream !== undefined || upstreamKind !== 'auto'
  if (upstream === 'reader') return useReader('as "upstream" says')

  const { connectTimeout: connect, firstTimeout: first, silenceTimeout: silence } = config
  const options = {
    url: upstream ?? ollamaHost,
    timeouts: { connect, first, silence },
    apiKey: upstreamKey,
    window,
  }
  if (upstreamKind !== 'auto') return use(upstreamKind, 'as "upstreamKind" says')
  // Anthropic refuses requests without a key, and the key may be the client's.
  if (isAnthropicHost(options.url)) return use('anthropic', 'as "upstream" says', 'Anthropic')

  // Where Ollama is only looked for, what does not answer soon must not keep the server from starting.
  const soon = isConfigured ? {} : { connect: lookMs, facts: lookMs }
  const answer = await probe({ ...options, timeouts: { ...options.timeouts, ...soon } })
  const why = isConfigured
    ? 'as "upstream" says'
    : 'because no upstream is configured and it answers there'
  switch (answer.kind) {
    case 'silent':
      if (!isConfigured)
        return useReader(`because no upstream is configured and nothing answers at ${options.url}`)
      throw notFound(
        `Nothing answers at ${options.url}: start the model server, or check "upstream". If it starts later, say what it is with "upstreamKind".`,
        answer.error,
      )
    case 'other': {
      const reason = answer.error ? ` (${answer.error.message})` : ''
      throw notFound(
        `What answers at ${options.url} is neither Ollama nor an OpenAI-compatible server nor one of Anthropic’s Messages: it has no "/api/version", no list of models at "/v1/models" and no "/v1/messages"${reason}. Check "upstream" and "upstreamKey".`,
        answer.error,
      )
    }
    default:
      return use(answer.kind, why, answer.version && `Ollama ${answer.version}`)
  }

  function use(kind: keyof typeof names, because: string, what = names[kind]) {
    const opened = openers[kind]({ ...options, cacheMarks, responses })
    return withWhy(opened, `${what} at ${opened.address}`, because)
  }

  function useReader(because: string) {
    return withWhy(readerUpstream({ window }), 'the built-in reader', because)
  }
}

/** `what`: what it is and where, without the reason. */
const withWhy = (upstream: Upstream, what: string, because: string) => ({
  upstream,
  what,
  why: `The upstream is ${what}, ${because}.`,
})

const openers = { ollama: ollamaUpstream, openai: openaiUpstream, anthropic: anthropicUpstream }

const names = {
  ollama: 'Ollama',
  openai: 'an OpenAI-compatible server',
  anthropic: 'a server of Anthropic’s Messages',
}

type Probed =
  | { readonly kind: ServerKind; readonly version?: string }
  | { readonly kind: 'silent' | 'other'; readonly error?: ModelError }

async function probe({ url, ...rest }: UpstreamConnectionOptions): Promise<Probed> {
  const connection = openConnection({ ...rest, url: url.replace(/\/v1$/, '') })
  const server: AskedServer = {
    name: `The server at ${url}`,
    model: '',
    notFound: 'It does not know this path',
    unavailable: 'start it, or check "upstream"',
    sent: connection.secrets,
  }
  const ask = async (path: string, body?: object) => {
    let refused: unknown
    const onRefused = ({ text }: { readonly text: string }) => {
      refused = parseJson(text)
    }
    try {
      return {
        answer: ((await askJson(connection, server, { path, body, onRefused })) ?? {}) as object,
      }
    } catch (error) {
      if (error instanceof ModelError) return { error, refused }
      throw error
    }
  }
  try {
    const { answer, error } = await ask('/api/version')
    // LM Studio answers any path with 200.
    if (answer && 'version' in answer && typeof answer.version === 'string')
      return { kind: 'ollama', version: answer.version.slice(0, 40) }
    if (error?.isRetryable && error.status === undefined) return { kind: 'silent', error }
    const listed = await ask('/v1/models')
    // Together’s list has no field around it.
    const { answer: list = {} } = listed
    const models = Array.isArray(list) ? list : 'data' in list ? list.data : undefined
    if (Array.isArray(models)) return { kind: isAnthropicList(models) ? 'anthropic' : 'openai' }
    // It is asked for nothing, and says so in its own form.
    if (
      isAnthropicError(listed.refused) ||
      isAnthropicError((await ask('/v1/messages', {})).refused)
    )
      return { kind: 'anthropic' }
    return { kind: 'other', error: listed.error }
  } finally {
    await connection.close()
  }
}

const isAnthropicList = (models: readonly unknown[]) =>
  models.length > 0 && models.every(model => isObject(model) && model.type === 'model')

const isAnthropicError = (body: unknown) =>
  isObject(body) &&
  body.type === 'error' &&
  isObject(body.error) &&
  typeof body.error.type === 'string'
