import type { MessageLike } from '../../log/message.ts'
import { orAborted } from '../../log/or-aborted.ts'
import { checkWindow, mergeSettings, type ServedModelOptions } from '../check-options.ts'
import { hasFiles } from '../leave-out.ts'
import type { Model, ModelError, ModelPart, ModelRequest, ModelSettings } from '../model.ts'
import { textsOf } from '../pair-results.ts'
import type { AskedServer } from '../to-model-error.ts'
import { askJson, type Relay, streamReply } from './ask.ts'
import type { ServerConnection } from './connection.ts'
import { isLocalAddress } from './is-local-address.ts'
import type { Ask, Form, ListedModel, ReplyWire, Wire, WrittenRequest } from './wire.ts'
import { takesLateSystem } from './wire.ts'

export interface ServerSetup {
  readonly wire: Wire
  readonly others?: readonly ReplyWire[]
  readonly connection: ServerConnection
  /** The window of all models. Default: what the server says of each. */
  readonly window?: number | undefined
  /** The settings of a request as they are sent. Default: as they are. */
  settings?(requested: ModelSettings): ModelSettings
}

/** A model server: its models by their names, and what it tells of them. */
export interface ModelServer {
  /** For errors of requests that concern no model. */
  readonly server: AskedServer
  model(name: string): Model
  /** The forms in which requests can be sent as a client wrote them. */
  readonly forms: ReadonlyMap<Form, ReplyWire>
  passReply(request: ClientRequest): AsyncIterable<ModelPart>
  models(signal?: AbortSignal): Promise<readonly ListedModel[]>
  /** The exact tokens of a prompt; undefined if the server does not count, or refuses this prompt. */
  count?(name: string, request: Omit<ModelRequest, 'settings'>): Promise<number | undefined>
}

/** A request for a reply as a client wrote it, in one of the forms of the server. */
export interface ClientRequest extends WrittenRequest, Pick<ModelRequest, 'messages' | 'signal'> {
  readonly form: Form
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
  const forms = new Map([wire, ...others].map((one): [Form, ReplyWire] => [one.form, one]))
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
  const { count } = wire

  const learning = remember(name => {
    const ask = askAbout(serverFor(name))
    const askWindow = () =>
      window === undefined ? askOnce(signal => wire.findWindow(ask, name, signal)) : async () => window
    const files = wire.files(ask, name)
    let currentWindow = askWindow()
    let isSystemLate = takesLateSystem(wire.form)
    /** Learns from a refusal: the true window, files and late system messages that are not taken, that there is no such model. */
    const learn = (error: ModelError) => {
      const { code, tokens } = error
      files.learnFrom(error)
      if (tokens) currentWindow = async () => tokens.window
      if (code === 'system_refused') isSystemLate = false
      // It may come, with another window.
      if (code === 'model_not_found') currentWindow = askWindow()
    }
    const model: Model = {
      name,
      isLocal: isLocalAddress(connection.address),
      get takesLateSystem() {
        return isSystemLate
      },
      files,
      window: signal => currentWindow(signal),
      stream: ({ messages, tools = [], settings: requested = {}, signal }) =>
        streamReply({
          ...{ connection, wire, signal, learn },
          server: serverFor(name, messages),
          async write() {
            const reply = { model: name, messages, tools, settings: settings(requested) }
            const body = await wire.write({ ...reply, window: () => currentWindow(signal) })
            return { path: wire.path, body }
          },
        }),
    }
    return { model, learn }
  })

  return {
    server,
    model: name => learning(name).model,
    forms,
    passReply: ({ form, model, messages, signal, relay, ...request }) =>
      streamReply({
        ...{ connection, signal, relay, wire: forms.get(form)! },
        server: serverFor(model, messages),
        learn: learning(model).learn,
        write: () => request,
      }),
    async models(signal) {
      const listed = await wire.listModels(askAbout(server), signal)
      return window === undefined ? listed : listed.map(({ name }) => ({ name, window }))
    },
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
function remember<Value>(create: (name: string) => Value): (name: string) => Value {
  const cache = new Map<string, Value>()
  return name => {
    const value = cache.get(name) ?? create(name)
    cache.set(name, value)
    const [oldest] = cache.keys()
    if (cache.size > mostNames && oldest !== undefined) cache.delete(oldest)
    return value
  }
}

const mostNames = 1000

/** Shares one request among all callers: it is aborted when none is left. Its answer is remembered, a failure is not. */
export function askOnce<Answer>(ask: (signal: AbortSignal) => Promise<Answer>) {
  let current: ReturnType<typeof begin> | undefined

  function begin() {
    const controller = new AbortController()
    const question = { controller, waiting: 0, isAnswered: false, answer: ask(controller.signal) }
    const forget = () => {
      if (current === question) current = undefined
    }
    question.answer.then(() => {
      question.isAnswered = true
    }, forget)
    controller.signal.addEventListener('abort', forget)
    return question
  }

  return async (signal?: AbortSignal): Promise<Answer> => {
    signal?.throwIfAborted()
    current ??= begin()
    const question = current
    question.waiting += 1
    try {
      return await orAborted(question.answer, signal)
    } finally {
      question.waiting -= 1
      if (question.waiting === 0 && !question.isAnswered) question.controller.abort()
    }
  }
}
