import { z } from 'zod'
import { policyNames } from '../../context/policies/choose-policy.ts'
import { address, age, bytes, duration, listOf, oneOf, onOff, share, text, wholeNumber } from './kinds.ts'
import { stateForm } from './state-form.ts'
import { upstreamKey, upstreamKind, upstreamList } from './upstream-list.ts'

/**
 * Every setting of `throughline serve`, with its default. A setting `upstreamKey` is the flag `--upstream-key`, the variable
 * THROUGHLINE_UPSTREAM_KEY and the name "upstreamKey" in a file.
 */
export const configSchema = z.strictObject({
  host: text('a name or an address to listen on, such as "127.0.0.1"', /^[\w.:%[\]-]{1,255}$/)
    .default('127.0.0.1')
    .meta({ about: 'the address to listen on; another than this machine’s own needs keys' }),
  port: wholeNumber(0, 65_535)
    .default(4170)
    .meta({ about: 'the port to listen on; 0 takes any that is free' }),

  db: text('the path of a file', /^[^\0]{1,4096}$/)
    .default('throughline.db')
    .meta({ about: 'the SQLite file of the log' }),
  store: text('an address such as "postgres://user:password@host/database"', /^postgres(?:ql)?:\/\/\S+$/)
    .optional()
    .meta({ about: 'a PostgreSQL database for the log, in place of a file', secret: 'address' }),

  upstream: address('reader').optional().meta({
    about:
      'the model server, or "reader" for the built-in model; without it, Ollama if it answers at ollamaHost',
    secret: 'address',
  }),
  upstreamKind: upstreamKind()
    .default('auto')
    .meta({ about: 'what the upstream speaks; "auto" asks it when the server starts' }),
  upstreamKey: upstreamKey()
    .optional()
    .meta({ about: 'the key for the upstream; without it, clients’ own keys go there', secret: 'all' }),
  upstreams: upstreamList().optional().meta({
    about: 'several model servers, chosen by the names of models, in place of upstream',
    secret: 'all',
  }),
  ollamaHost: address().default('http://127.0.0.1:11434').meta({
    about: 'where Ollama is looked for if no upstream is given; also taken from OLLAMA_HOST',
    secret: 'address',
  }),
  window: wholeNumber(1).optional().meta({
    about: 'the window of the upstream’s models in tokens; what Ollama has in memory keeps its own',
  }),

  promise: wholeNumber(1).default(1_000_000).meta({ about: 'the window that clients are told' }),
  reserve: wholeNumber(0).optional().meta({
    about:
      'the tokens kept free for a reply; without it, what is likely: an eighth of the window, more where replies were longer, never more than the client asks for',
  }),
  overflow: oneOf(['error', 'keep', 'trim-results', 'trim']).default('trim-results').meta({
    about:
      'what is done when even what must be sent does not fit: refuse the request, send it all the same, cut results of tools in their middle before refusing, or cut any text',
  }),
  maxToolTokens: wholeNumber(0).optional().meta({
    about:
      'the most tokens for the schemas of tools: beyond it their descriptions are shortened; without it, they are sent whole',
  }),
  policy: oneOf(policyNames)
    .default('default')
    .meta({ about: 'how conversations are fitted into the window' }),
  effort: share()
    .optional()
    .meta({ about: 'how much of the past is recalled; goes with the policy "default"' }),
  remember: oneOf(['conversation', 'person']).default('conversation').meta({
    about:
      'what a message may bring back: of its own conversation, or also of other conversations of the same person, word for word with day and name; needs requests that say who speaks',
  }),
  person: text('a name of 1 to 200 characters', /^\S(?:.{0,198}\S)?$/u)
    .optional()
    .meta({
      about:
        'who speaks where a request names nobody: with remember = person, all chats of a server that one person uses are one memory',
    }),
  embedModel: text('the name of a model, such as "nomic-embed-text"', /^[\x21-\x7e]{1,200}$/)
    .optional()
    .meta({
      about:
        'a model of Ollama that lets recall find what means the same in other words; without it, words alone',
    }),
  embedHost: address()
    .optional()
    .meta({ about: 'where Ollama has the embedModel; without it, at ollamaHost', secret: 'address' }),
  notes: oneOf(['off', 'inline', 'system'])
    .default('off')
    .meta({ about: 'whether models write notes to themselves, and where these stand' }),
  systemPrompt: oneOf(['auto', 'stable', 'as user', 'as sent']).default('auto').meta({
    about:
      'whether lines of a system prompt that were seen to change stand just before the newest message: as a system message ("stable") or as text of the user; "auto" is "stable" for an upstream on this machine or network, else "as sent"',
  }),
  sideModel: text('the name of a model, such as "qwen3:0.6b"', /^[\x21-\x7e]{1,200}$/)
    .optional()
    .meta({
      about:
        'the model that answers titles, tags and the like, so that they leave the cache of the chat alone; without it, the one that the client names',
    }),
  readAhead: oneOf(['off', 'local', 'on']).default('local').meta({
    about:
      'whether the beginning of the next prompt is read while nobody waits, where the upstream does not have it; "local" on this machine or network only',
  }),
  slots: oneOf(['auto', 'on', 'off']).default('auto').meta({
    about:
      'whether conversations keep their slots of llama.cpp; "auto" where the server does not keep idle ones itself (before b8664)',
  }),
  cacheMarks: onOff().default(true).meta({
    about: 'whether requests to Anthropic that are not the client’s own bytes get marks for its cache',
  }),
  memory: onOff()
    .default(true)
    .meta({ about: 'whether conversations are kept and fitted; without it requests are only passed on' }),
  inspector: onOff()
    .default(true)
    .meta({ about: 'whether the page that shows conversations and contexts is at /inspector' }),

  leaseTime: duration(1000)
    .default(30_000)
    .meta({ about: 'how long a turn is held for a server that is gone; then another one goes on with it' }),
  sideTime: duration(1000)
    .default(86_400_000)
    .meta({ about: 'how long titles, tags and the like are kept that clients ask beside conversations' }),
  keepFor: age().optional().meta({
    about: 'conversations that were not used for this time are deleted whole; without it, they are kept',
  }),
  keepCallsFor: age().optional().meta({
    about: 'records of model calls older than this are deleted, the log stays; without it, they are kept',
  }),

  states: listOf(
    text('a list of states such as "cash=sell_lemonade#/cash"', stateForm),
    'must be a list of states',
  )
    .default([])
    .meta({ about: 'values that are read from tool results and shown: name=tool, or name=tool#/path' }),

  requireKeys: onOff()
    .optional()
    .meta({ about: 'whether every request needs a key; true if apiKeys are given' }),
  apiKeys: listOf(
    text('a list of keys of 16 characters or more', /^[\x21-\x2b\x2d-\x7e]{16,512}$/),
    'must be a list of keys',
  )
    .default([])
    .meta({ about: 'keys that clients may use, besides those in the log', secret: 'all' }),
  allowedHosts: listOf(
    text('a list of host names such as "host.docker.internal", without "*"', /^[\w.:[\]-]{1,255}$/),
    'must be a list of host names',
  )
    .default([])
    .meta({ about: 'names that clients may call this server by, besides its address and localhost' }),
  allowedOrigins: listOf(
    text(
      'a list of origins such as "https://chat.example", without "*"',
      /^[a-z][a-z0-9+.-]{0,40}:\/\/[\w.:[\]-]{0,255}$/i,
    ),
    'must be a list of origins',
  )
    .default([])
    .meta({ about: 'web pages that may call this server, besides those of this machine' }),
  manage: onOff()
    .default(false)
    .meta({ about: 'whether clients may pull, push, create, copy and delete models of the upstream' }),

  maxBody: bytes(1024)
    .default(32 * 1024 ** 2)
    .meta({ about: 'the largest body of a request, in bytes' }),
  maxEntry: bytes(1024)
    .default(8 * 1024 ** 2)
    .meta({ about: 'the largest message, in bytes' }),
  maxReply: bytes(1024)
    .default(2 * 1024 ** 2)
    .meta({ about: 'the longest reply of a model, in bytes; never more than a quarter of maxEntry' }),
  maxDepth: wholeNumber(8, 1000).default(100).meta({ about: 'how deep the JSON of a request may be nested' }),
  maxMessages: wholeNumber(1).default(100_000).meta({ about: 'the most messages of one request' }),
  maxStreams: wholeNumber(1)
    .default(256)
    .meta({ about: 'the most replies that are written at the same time' }),
  requestTimeout: duration().default(60_000).meta({ about: 'how long a client may take to send a request' }),
  connectTimeout: duration()
    .default(10_000)
    .meta({ about: 'how long the upstream may take to accept a connection' }),
  firstTimeout: duration()
    .default(600_000)
    .meta({ about: 'how long the upstream may load a model and read a prompt' }),
  silenceTimeout: duration()
    .default(300_000)
    .meta({ about: 'how long the upstream may be silent in the middle of a reply' }),
  storeTimeout: duration(100)
    .default(30_000)
    .meta({ about: 'how long a PostgreSQL database may take to answer; then the request fails with 503' }),
  keepAlive: duration(1000)
    .default(15_000)
    .meta({ about: 'after how much silence a stream sends a sign of life to the client' }),
  unreadTimeout: duration(100)
    .default(120_000)
    .meta({ about: 'how long a client may leave a stream unread before it is cut off' }),
  lingerTime: duration(0)
    .default(30_000)
    .meta({ about: 'how long a reply to useChat goes on whose client has left' }),
  shutdownTimeout: duration(0)
    .default(10_000)
    .meta({ about: 'how long replies may go on when the server is stopped' }),

  experimentTools: text('the path of a module', /^[^\0]{1,4096}$/)
    .optional()
    .meta({
      about:
        'a module with the tools that roles of posted experiments may use; it is run when the server starts',
    }),

  logNames: onOff()
    .default(false)
    .meta({ about: 'whether names of conversations stand in logs and traces; else a hash of each' }),
  logLevel: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta({ about: 'how much is logged; never the texts of conversations' }),
})

export type ServerConfig = z.output<typeof configSchema>

export type SettingName = keyof ServerConfig

/** A configuration, and where each of its values comes from. */
export interface EffectiveConfig {
  readonly config: ServerConfig
  readonly sources: Readonly<Record<SettingName, string>>
}

/** The source of a value that is not configured. */
export const byDefault = 'default'

/** The settings in the order of the schema. */
export const settingNames = Object.keys(configSchema.shape) as readonly SettingName[]

/** What a setting is for, in a few words. */
export function about(name: SettingName): string {
  return String(configSchema.shape[name].meta()?.about ?? '')
}

/** What a setting may be, in the words of its error: `one of auto, ollama, openai, anthropic`. */
export function formOf(name: SettingName): string {
  const { error } = configSchema.shape[name].safeParse(Symbol('no value'))
  return (error?.issues[0]?.message ?? '').replace(/^must be (?:one of )?/, '')
}

/** The default of a setting; undefined if it has none. An empty list is none. */
export function defaultOf(name: SettingName): string | undefined {
  const { data } = configSchema.shape[name].safeParse(undefined)
  return data === undefined || (Array.isArray(data) && data.length === 0) ? undefined : String(data)
}

/** Whether a value may be shown. An address may not if it has a user, a password or parameters. */
export function isShown(name: SettingName, value: unknown): boolean {
  const secret = configSchema.shape[name].meta()?.secret
  return secret === undefined || (secret === 'address' && !/[@?]/.test(String(value)))
}
