import type { Fields } from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import { checkWindow, mergeSettings, type ServedModelOptions } from '../check-options.ts'
import { hasFiles } from '../leave-out.ts'
import type { Model, ModelError, ModelPart, ModelRequest, ModelSettings } from '../model.ts'
import { textsOf } from '../pair-results.ts'
import type { AskedServer } from '../to-model-error.ts'
import { providerWindow } from '../windows/provider-windows.ts'
import { type WindowFact, windowSources } from '../windows/window-fact.ts'
import { askJson, type Relay, streamReply } from './ask.ts'
import { askOnce } from './ask-once.ts'
import type { ServerConnection } from './connection.ts'
import { isLocalAddress } from './is-local-address.ts'
import { learnWindow } from './learn-window.ts'
import type { Ask, ListedModel, ReplyWire, Wire, WrittenRequest } from './wire.ts'
import { shownFact } from './wire.ts'

export interface ServerSetup {
  readonly wire: Wire
  readonly others?: readonly OtherForm[]
  readonly connection: ServerConnection
  /** The window of all models. Default: what the server says of each. */
  readonly window?: number | undefined
  /** The settings of a request as they are sent. Default: as they are. */
  settings?(requested: ModelSettings): ModelSettings
}

/** A form that a server may speak beside its own. */
export interface OtherForm {
  readonly wire: ReplyWire
  /** Whether this server speaks it. Throws if that cannot be told now. */
  isSpoken(ask: Ask, signal: AbortSignal): Promise<boolean>
  /** Whether requests that it refuses in this form may go on in its own. */
  readonly mayConvert: boolean
}

/** A model server: its models by their names, and what it tells of them. */
export interface ModelServer {
  /** For errors of requests that concern no model. */
  readonly server: AskedServer
  model(name: string): Model
  /** The forms in which it may be asked. */
  readonly forms: ReadonlyMap<string, ReplyWire>
  /** Whether requests of a form that hold rare kinds can be sent as a client wrote them. An answer is remembered. */
  speaks(form: string, signal?: AbortSignal, kinds?: readonly string[]): Promise<boolean>
  /** A request of a form was refused that holds these kinds: from now on such requests are converted. False if none may be. */
  refuseKinds(form: string, kinds: readonly string[]): boolean
  passReply(request: ClientRequest): AsyncIterable<ModelPart>
  models(signal?: AbortSignal): Promise<readonly ListedModel[]>
  /** A client asks for this window. Gives the one that counts. Absent: no client can choose. */
  wishWindow?(name: string, tokens: number, signal?: AbortSignal): Promise<WindowFact>
  /** The exact tokens of a prompt; undefined if the server does not count, or refuses this prompt. */
  count?(name: string, request: Omit<ModelRequest, 'settings'>): Promise<number | undefined>
}

/** A request for a reply as a client wrote it, in one of the forms of the server. */
export interface ClientRequest extends WrittenRequest, Pick<ModelRequest, 'messages' | 'signal'> {
  readonly form: string
  readonly model: string
  readonly relay: Relay
}

/** Opens a server by its wire. What it tells of a model is asked for once, and remembered until an answer says otherwise. */
export function openServer({
  wire,
  others = [],
  connection,
  window,
  settings = requested => requested,
}: ServerSetup): ModelServer {
  checkWindow(window)
  const wires = [wire, ...others.map(other => other.wire)]
  const forms = new Map(wires.map((one): [string, ReplyWire] => [one.form, one]))
  const serverFor = (model: string, messages: readonly MessageLike[] = []): AskedServer => ({
    ...wire.describe(connection.address, model),
    model,
    sent: () => [...textsOf(messages), ...connection.secrets()],
    hasFiles: () => messages.some(hasFiles),
  })
  const askAbout =
    (server: AskedServer): Ask =>
    question =>
      askJson(connection, server, question)
  const server = serverFor('')
  const spoken = new Map(
    others.map(other => [
      other.wire.form,
      askOnce(signal => other.isSpoken(askAbout(server), signal)),
    ]),
  )
  /** Kinds in requests of other forms that were refused. */
  const refusedKinds = new Set<string>()
  const { count } = wire

  const learning = remember(name => {
    const ask = askAbout(serverFor(name))
    const files = wire.files(ask, name)
    const learnt = learnWindow({ wire, ask, address: connection.address, model: name, window })
    let isSystemLate = !wire.hasSystemBeside
    /** Learns from a refusal: the true window, files and late system messages that are not taken, that there is no such model. */
    const learn = (error: ModelError) => {
      files.learnFrom(error)
      learnt.learn(error)
      if (error.code === 'system_refused') isSystemLate = false
    }
    const model: Model = {
      name,
      isLocal: isLocalAddress(connection.address),
      get takesLateSystem() {
        return isSystemLate
      },
      files,
      window: learnt.window,
      windowFrom: () => learnt.fact().from,
      hasOwnWindow: () => learnt.fact().isOwn === true,
      stream: ({ messages, tools = [], settings: requested = {}, signal, onWritten }) =>
        streamReply({
          ...{ connection, wire, signal, learn, over: learnt.askAgain },
          server: serverFor(name, messages),
          async write() {
            const reply = { model: name, messages, tools, settings: settings(requested) }
            const body = await wire.write({ ...reply, window: () => learnt.window(signal) })
            onWritten?.({ form: wire.form, fields: body as Fields })
            return { path: wire.path, body }
          },
        }),
    }
    return { model, learn, learnt }
  })

  /** The window of a listed model: as set, as it was learnt since the start, as listed, or from the table. */
  function factOf({ name, window: tokens }: ListedModel): WindowFact {
    if (window !== undefined) return { tokens: window, from: windowSources.set }
    const latest = learning.peek(name)?.learnt.fact() ?? {}
    if (latest.from === windowSources.refusal || tokens === undefined)
      return latest.tokens === undefined ? providerWindow(connection.address, name) : latest
    return {}
  }

  return {
    server,
    model: name => learning.get(name).model,
    forms,
    async speaks(form, signal, kinds = []) {
      const isSpoken = spoken.get(form)
      if (!isSpoken) return form === wire.form
      if (kinds.some(kind => refusedKinds.has(kind))) return false
      return isSpoken(signal).catch(() => {
        signal?.throwIfAborted()
        return false
      })
    },
    refuseKinds(form, kinds) {
      if (!others.some(other => other.wire.form === form && other.mayConvert)) return false
      for (const kind of kinds) refusedKinds.add(kind)
      return kinds.length > 0
    },
    passReply: ({ form, model, messages, signal, relay, ...request }) =>
      streamReply({
        ...{ connection, signal, relay, wire: forms.get(form)! },
        server: serverFor(model, messages),
        learn: learning.get(model).learn,
        over: learning.get(model).learnt.askAgain,
        write: () => request,
      }),
    async models(signal) {
      const listed = await wire.listModels(askAbout(server), signal)
      return listed.map(one => ({ ...one, ...shownFact(factOf(one)) }))
    },
    ...(wire.wishWindow && {
      wishWindow: (name: string, tokens: number, signal?: AbortSignal) =>
        learning.get(name).learnt.wish(tokens, signal),
    }),
    ...(count && {
      count: (model, { messages, tools = [], signal }) =>
        count(askAbout(serverFor(model, messages)), { model, messages, tools }, signal),
    }),
  }
}

/** One model of a server, with the settings that all of its requests have. */
export function openModel(
  wire: Wire,
  connection: ServerConnection,
  { model, window, settings }: ServedModelOptions,
): Model {
  const merge = (requested: ModelSettings) => mergeSettings(settings, requested)
  return openServer({ wire, connection, window, settings: merge }).model(model)
}

/** Remembers values by names. The names come from requests, so only the last ones are kept. */
function remember<Value>(create: (name: string) => Value) {
  const cache = new Map<string, Value>()
  return {
    get(name: string): Value {
      const value = cache.get(name) ?? create(name)
      cache.set(name, value)
      const [oldest] = cache.keys()
      if (cache.size > mostNames && oldest !== undefined) cache.delete(oldest)
      return value
    },
    peek: (name: string): Value | undefined => cache.get(name),
  }
}

const mostNames = 1000
