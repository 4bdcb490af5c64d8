import type { MessageLike } from '../log/message.ts'
import { askOnce } from './ask-once.ts'
import { checkWindow, mergeSettings, secretsOf } from './check-options.ts'
import { checkPart } from './check-part.ts'
import { hasFiles, type LearnedFiles } from './leave-out.ts'
import { type Model, ModelError, type ModelPart, type ModelSettings, type ToolSpec } from './model.ts'
import { openWire, type Wire, type WireOptions } from './open-wire.ts'
import { textsOf } from './pair-results.ts'
import type { Server } from './to-model-error.ts'

export interface ServerOptions {
  /** The name of the model on that server. */
  readonly model: string
  readonly window?: number
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Your own, for a proxy or longer timeouts. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** For every request; settings of a request win. */
  readonly settings?: ModelSettings
}

/** How one kind of server is spoken to. */
interface Protocol<Client, Window extends number | undefined> extends Pick<WireOptions, 'piece' | 'check'> {
  /** Which files the model takes; `ask` gives a client to ask the server with. */
  files(
    ask: <Answer>(question: (client: Client) => Promise<Answer>, signal?: AbortSignal) => Promise<Answer>,
  ): LearnedFiles
  /** The server in error messages, none of which may hold what was `sent`. */
  server(sent: () => readonly string[]): Server
  /** Makes a client for one request. */
  connect(wire: Wire): Promise<Client>
  findWindow(client: Client, wire: Wire): Promise<Window>
  stream(client: Client, request: ServerRequest<Window>): AsyncIterable<ModelPart>
}

interface ServerRequest<Window> {
  readonly messages: readonly MessageLike[]
  readonly tools: readonly ToolSpec[]
  readonly settings: ModelSettings
  readonly server: Server
  window(): Promise<number | Window>
}

/** Makes a model of a server. Each request has a wire of its own; the window is asked for once. */
export function serverModel<Client, Window extends number | undefined>(
  options: ServerOptions,
  protocol: Protocol<Client, Window>,
): Model {
  const { model, window, headers = {}, fetch, settings } = options
  const { piece, check } = protocol
  checkWindow(window)
  const serverFor = (messages: readonly MessageLike[]) =>
    protocol.server(() => [...textsOf(messages), ...secretsOf(headers)])

  async function ask<Answer>(
    question: (client: Client, wire: Wire) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const wire = openWire({ server: serverFor([]), fetch, signal })
    try {
      return await question(await protocol.connect(wire), wire)
    } catch (error) {
      throw wire.toError(error)
    } finally {
      wire.close(true)
    }
  }

  const findOnce = askOnce(signal => ask(protocol.findWindow, signal))
  const files = protocol.files(ask)

  return {
    name: model,
    files,
    window: async signal => window ?? findOnce(signal),
    async *stream({ messages, tools = [], settings: now, signal }) {
      signal?.throwIfAborted()
      const server = { ...serverFor(messages), hasFiles: () => messages.some(hasFiles) }
      const wire = openWire({ server, fetch, signal, piece, check })
      let isWhole = false
      try {
        const parts = protocol.stream(await protocol.connect(wire), {
          messages,
          tools,
          settings: mergeSettings(settings, now),
          server,
          window: async () => window ?? findOnce(signal),
        })
        for await (const part of parts) {
          isWhole = part.type === 'end'
          yield checkPart(part, server)
          if (!isWhole) signal?.throwIfAborted()
        }
      } catch (error) {
        const meant = wire.toError(error)
        if (meant instanceof ModelError) files.learnFrom(meant)
        throw meant
      } finally {
        wire.close(isWhole)
      }
    },
  }
}
