import { policyNames } from '@throughline/core/context'
import { z } from 'zod'
import {
  address,
  age,
  bytes,
  database,
  duration,
  listOf,
  oneOf,
  onOff,
  responsesWay,
  share,
  text,
  type UpstreamEntry,
  upstreamKey,
  upstreamKind,
  upstreamList,
  wholeNumber,
} from './kinds.ts'

/** How a state is written in the settings: `name=tool`, or `name=tool#/path/0` for a part of the result. */
export const stateForm = /^([^=#,\s]{1,100})=([^=#,\s]{1,200})(?:#((?:\/[^/,\s]{0,200}){1,32}))?$/

/** All settings. `upstreamKey` is also the flag `--upstream-key`, THROUGHLINE_UPSTREAM_KEY, and "upstreamKey" in a file. */
export const configSchema = z.strictObject({
  host: text(
    'a name or an address to listen on, such as "127.0.0.1"',
    /^[\w.:%[\]-]{1,255}$/,
  ).default('127.0.0.1'),
  port: wholeNumber(0, 65_535).default(4170),

  db: database().default('throughline.db'),
  distribute: oneOf(['citus']).optional(),

  upstream: address('reader').optional(),
  upstreamKind: upstreamKind().default('auto'),
  upstreamKey: upstreamKey().optional(),
  upstreams: upstreamList().optional(),
  responses: responsesWay().default('auto'),
  ollamaHost: address().default('http://127.0.0.1:11434'),
  window: wholeNumber(1).optional(),

  advertisedWindow: wholeNumber(1).default(1_000_000),
  reserve: wholeNumber(0).optional(),
  overflow: oneOf(['error', 'keep', 'trim-results', 'trim']).default('trim-results'),
  maxToolTokens: wholeNumber(0).optional(),
  readMessages: onOff().default(false),
  policy: oneOf(policyNames).default('default'),
  effort: share().optional(),
  remember: oneOf(['conversation', 'person']).default('conversation'),
  person: text('a name of 1 to 200 characters', /^\S(?:.{0,198}\S)?$/u).optional(),
  embedModel: text(
    'the name of a model, such as "nomic-embed-text"',
    /^[\x21-\x7e]{1,200}$/,
  ).optional(),
  embedHost: address().optional(),
  notes: oneOf(['off', 'inline', 'system']).default('off'),
  steadyPrompt: oneOf(['auto', 'on', 'as user', 'off']).default('auto'),
  sideModel: text('the name of a model, such as "qwen3:0.6b"', /^[\x21-\x7e]{1,200}$/).optional(),
  readAhead: oneOf(['off', 'local', 'on']).default('local'),
  slots: oneOf(['auto', 'on', 'off']).default('auto'),
  cacheMarks: onOff().default(true),
  shadow: onOff().default(false),
  price: text(
    'an amount and a currency for a million tokens, such as "0.15 USD"',
    /^\d{1,9}(?:\.\d{1,9})? \S{1,8}$/,
  ).optional(),
  memory: onOff().default(true),
  onStoreFault: oneOf(['pass', 'refuse']).default('pass'),
  inspector: onOff().default(true),

  leaseTime: duration(1000).default(30_000),
  sideTime: duration(1000).default(86_400_000),
  keepFor: age().optional(),
  keepCallsFor: age().optional(),

  states: listOf('a list of states', ' such as "cash=sell_lemonade#/cash"', stateForm).default([]),

  requireKeys: onOff().optional(),
  apiKeys: listOf(
    'a list of keys',
    ' of 16 characters or more',
    /^[\x21-\x2b\x2d-\x7e]{16,512}$/,
  ).default([]),
  allowedHosts: listOf(
    'a list of host names',
    ' such as "host.docker.internal", without "*"',
    /^[\w.:[\]-]{1,255}$/,
  ).default([]),
  allowedOrigins: listOf(
    'a list of origins',
    ' such as "https://chat.example", without "*"',
    /^[a-z][a-z0-9+.-]{0,40}:\/\/[\w.:[\]-]{0,255}$/i,
  ).default([]),
  manage: onOff().default(false),

  maxBody: bytes(1024).default(32 * 1024 ** 2),
  maxEntry: bytes(1024).default(8 * 1024 ** 2),
  maxReply: bytes(1024).default(2 * 1024 ** 2),
  maxDepth: wholeNumber(8, 1000).default(100),
  maxMessages: wholeNumber(1).default(100_000),
  maxStreams: wholeNumber(1).default(256),
  requestTimeout: duration().default(60_000),
  connectTimeout: duration().default(10_000),
  firstTimeout: duration().default(600_000),
  silenceTimeout: duration().default(300_000),
  storeTimeout: duration(100).default(30_000),
  keepAlive: duration(1000).default(15_000),
  unreadTimeout: duration(100).default(120_000),
  lingerTime: duration(0).default(30_000),
  shutdownTimeout: duration(0).default(10_000),

  logNames: onOff().default(false),
  logLevel: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

/** What each setting is, for `--help` and docs/server-settings.md. */
const descriptions: Readonly<Record<SettingName, string>> = {
  host: 'the address to listen on; another than this machine’s own needs keys',
  port: 'the port to listen on; 0 takes any that is free',
  db: 'where the log is: an SQLite file, or a PostgreSQL database',
  distribute:
    'spreads a PostgreSQL log over the machines of a Citus cluster, whose coordinator is `db`; said once',
  upstream:
    'the model server, or "reader" for the built-in model; without it, Ollama if it answers at ollamaHost',
  upstreamKind: 'what the upstream speaks; "auto" asks it when the server starts',
  upstreamKey: 'the key for the upstream; without it, clients’ own keys go there',
  upstreams: 'several model servers, chosen by the names of models, in place of upstream',
  responses:
    'how requests to /v1/responses, such as those of Codex, reach a server of OpenAI’s kind: as they came ("native"), as chat completions ("converted"), or ("auto") as they came where it has that address, and as chat completions if it refuses kinds of tools there',
  ollamaHost: 'where Ollama is looked for if no upstream is given; also taken from OLLAMA_HOST',
  window: 'the window of the upstream’s models in tokens; what Ollama has in memory keeps its own',
  advertisedWindow: 'the window that clients are told',
  reserve:
    'the tokens kept free for a reply; without it, what is likely: an eighth of the window, more where replies were longer, never more than the client asks for',
  overflow:
    'what is done when even what must be sent does not fit: refuse the request, send it all the same, cut results of tools in their middle before refusing, or after them what users pasted earlier; the system prompt and the newest request are never cut',
  maxToolTokens:
    'the most tokens for the schemas of tools: beyond it their descriptions are shortened; without it, they are sent whole',
  readMessages:
    'whether the model is offered a tool, `read_message`, with which it reads any message by its number, and which the server answers itself; requests are then written anew for the upstream, and a client’s own tool of that name stays its own',
  policy: 'how conversations are fitted into the window',
  effort: 'how much of the past is recalled; goes with the policy "default"',
  remember:
    'what a message may bring back: of its own conversation, or also of other conversations of the same person, word for word with day and name; needs requests that say who speaks',
  person:
    'who speaks where a request names no person: with remember = person, all chats of a server that one person uses are one memory',
  embedModel:
    'a model of Ollama that lets recall find what means the same in other words; without it, words alone',
  embedHost: 'where Ollama has the embedModel; without it, at ollamaHost',
  notes: 'whether models write notes to themselves, and where these stand',
  steadyPrompt:
    'whether lines of a system prompt that were seen to change stand just before the newest message, so that its beginning stays the same: always ("on"; "as user": as text of the user), never, or ("auto") only in a prompt that must be cut, for an upstream on this machine or network, and only lines that differ in nothing but numbers, dates and times',
  sideModel:
    'the model that answers titles, tags and the like, so that they leave the cache of the chat alone; without it, the one that the client names',
  readAhead:
    'whether the beginning of the next prompt is read while no client waits, where the upstream does not have it; "local" on this machine or network only',
  slots:
    'whether conversations keep their slots of llama.cpp; "auto" where the server does not keep idle ones itself (before b8664)',
  cacheMarks:
    'whether requests to Anthropic that are not the client’s own bytes get marks for its cache',
  shadow:
    'whether every request passes as it came: it is filed, and the page shows what would have been sent, and what that would have saved',
  price:
    'what a million tokens of a prompt cost at the model server; the page tells money with it, without the discounts of caches',
  memory: 'whether conversations are kept and fitted; without it requests are only passed on',
  onStoreFault:
    'what becomes of a request that holds its whole list while the database is locked, full, slow or gone: it is answered and not stored, or refused; one that needs the log is always refused',
  inspector: 'whether the page that shows conversations and contexts is at /inspector',
  leaseTime: 'how long a turn is held for a server that is gone; then another one goes on with it',
  sideTime: 'how long titles, tags and the like are kept that clients ask beside conversations',
  keepFor:
    'conversations that were not used for this time are deleted whole; without it, they are kept',
  keepCallsFor:
    'records of model calls older than this are deleted, the log stays; without it, they are kept',
  states: 'values that are read from tool results and shown: name=tool, or name=tool#/path',
  requireKeys: 'whether every request needs a key; true if apiKeys are given',
  apiKeys: 'keys that clients may use, besides those in the log',
  allowedHosts: 'names that clients may call this server by, besides its address and localhost',
  allowedOrigins: 'web pages that may call this server, besides those of this machine',
  manage: 'whether clients may pull, push, create, copy and delete models of the upstream',
  maxBody: 'the largest body of a request, in bytes',
  maxEntry: 'the largest message, in bytes',
  maxReply: 'the longest reply of a model, in bytes; never more than a quarter of maxEntry',
  maxDepth: 'how deep the JSON of a request may be nested',
  maxMessages: 'the most messages of one request',
  maxStreams: 'the most replies that are written at the same time',
  requestTimeout: 'how long a client may take to send a request',
  connectTimeout: 'how long the upstream may take to accept a connection',
  firstTimeout: 'how long the upstream may load a model and read a prompt',
  silenceTimeout: 'how long the upstream may be silent in the middle of a reply',
  storeTimeout:
    'how long a PostgreSQL database may take to answer; then the request fails with 503',
  keepAlive: 'after how much silence a stream sends a sign of life to the client',
  unreadTimeout: 'how long a client may leave a stream unread before it is cut off',
  lingerTime: 'how long a reply to useChat goes on whose client has left',
  shutdownTimeout: 'how long replies may go on when the server is stopped',
  logNames: 'whether names of conversations stand in logs and traces; else a hash of each',
  logLevel: 'how much is logged; never the texts of conversations',
}

export type ServerConfig = z.output<typeof configSchema>

export type SettingName = keyof ServerConfig

/** A configuration, and where each of its values comes from. */
export interface EffectiveConfig {
  readonly config: ServerConfig
  readonly sources: Readonly<Record<SettingName, string>>
}

/** The source of a value that is not configured. */
export const byDefault = 'default'

export const settingNames = Object.keys(configSchema.shape) as readonly SettingName[]

/** Settings that a plug adds, each described by its schema. */
export type PlugSettings = Readonly<Record<string, z.ZodType>>

/** The schemas of all settings. */
export const settingsWith = (plugged: PlugSettings = {}): PlugSettings => ({
  ...configSchema.shape,
  ...plugged,
})

export const about = (name: string, plugged?: PlugSettings): string =>
  plugged?.[name]?.description ?? descriptions[name as SettingName]

/** What a setting may be, in the words of its error: `one of auto, ollama, openai, anthropic`. */
export function formOf(name: string, plugged?: PlugSettings): string {
  const { error } = settingsWith(plugged)[name]!.safeParse(Symbol('no value'))
  return (error?.issues[0]?.message ?? '').replace(/^must be (?:one of )?/, '')
}

/** The default of a setting; undefined if it has none. An empty list is none. */
export function defaultOf(name: string, plugged?: PlugSettings): string | undefined {
  const { data } = settingsWith(plugged)[name]!.safeParse(undefined)
  return data === undefined || (Array.isArray(data) && data.length === 0) ? undefined : String(data)
}

/** Whether a value may be shown. An address may not if it has a user, a password or parameters; the path of a file always. */
export function isShown(name: string, value: unknown): boolean {
  const secret = secrets[name as SettingName]
  if (secret === undefined || (secret === 'database' && !/:\/\/|^postgres/i.test(String(value))))
    return true
  return secret !== 'all' && !/[@?]/.test(String(value))
}

/** Settings whose values are not shown: never, or not with all of an address. */
const secrets: Readonly<Partial<Record<SettingName, 'address' | 'database' | 'all'>>> = {
  db: 'database',
  upstream: 'address',
  ollamaHost: 'address',
  embedHost: 'address',
  upstreamKey: 'all',
  upstreams: 'all',
  apiKeys: 'all',
}

/** `--upstream-key` */
export const flagOf = (name: string) =>
  `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`

/** `THROUGHLINE_UPSTREAM_KEY` */
export const variableOf = (name: string) =>
  `${prefix}${name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`

export const prefix = 'THROUGHLINE_'

/** The effective configuration, a setting a line with its source. Secrets are not shown. */
export function printConfig({ config, sources }: EffectiveConfig): string {
  const values: Readonly<Record<string, unknown>> = config
  const rows = Object.entries(sources).map(
    ([name, source]) => [name, show(name, values[name]), source] as const,
  )
  const widest = (column: 0 | 1) =>
    rows.reduce((most, row) => Math.max(most, row[column].length), 0)
  const [first, second] = [widest(0), Math.min(widest(1), 40)]
  return rows
    .map(([name, value, source]) => `${name.padEnd(first)}  ${value.padEnd(second)}  ${source}`)
    .join('\n')
}

function show(name: string, value: unknown): string {
  if (value === undefined) return '-'
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0) return 'none'
  if (name === 'upstreams') return (list as readonly UpstreamEntry[]).map(showUpstream).join('; ')
  if (isShown(name, value)) return list.join(', ')
  return typeof value === 'string' ? withoutSecrets(value) : `${list.length} (not shown)`
}

const showUpstream = ({ name, models, url }: UpstreamEntry) =>
  `${models.join(', ')} to ${name} at ${/[@?]/.test(url) ? withoutSecrets(url) : url}`

/** The host and the name of a database. */
function withoutSecrets(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url?.host ? `${url.protocol}//…@${url.host}${url.pathname}` : '(not shown)'
}
