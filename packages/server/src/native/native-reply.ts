import type { TurnPart } from '@throughline/chat/turn'
import type { Fields } from '@throughline/core/fields'
import { shownWindow } from '@throughline/core/tokens'
import type { Adapter, ChatRequest } from '@throughline/models/dialects'
import {
  type Model,
  ModelError,
  type ModelFiles,
  type ModelRequest,
} from '@throughline/models/model'
import type { Refusal, Relay } from '@throughline/models/wire'
import { headersOn } from '../upstream/pass-headers.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { type ClientBody, writeBody } from './write-body.ts'

/** A request that reaches an upstream of the same form. */
export interface ClientCall extends ClientBody {
  readonly headers: Readonly<Record<string, string>>
  /** With its question mark; empty if there is none. */
  readonly query: string
}

export interface NativeCall {
  readonly upstream: Upstream
  /** The model as the log names it. */
  readonly model: Model
  readonly adapter: Adapter
  readonly request: ChatRequest
  readonly client: ClientCall
  /** Whether the body goes on as it came, whatever its context is. */
  readonly isPassed?: boolean
  /** Hands a piece of the upstream's stream to the client. */
  write(text: string, headers: UpstreamHeaders): void | Promise<void>
}

type UpstreamHeaders = Readonly<Record<string, string>>

export type NativeReply = ReturnType<typeof openNative>

/** Passes a request and its answer on in the client's own form. The end of the answer is held back until the log is written. */
export function openNative(call: NativeCall) {
  const { upstream, model: base, adapter, request, client, write } = call
  const wire = upstream.forms!.get(adapter.form!)!
  let context: Extract<TurnPart, { type: 'context' }> | undefined
  let isAsked = false
  let isHidden = false
  let hasBegun = false
  let hasPassed = false
  let held = ''
  /** Pieces that go on with the next one, if that is not refused. */
  let waiting = ''
  let headers: UpstreamHeaders = {}
  let refusal: Refusal | undefined
  let hasEnded = false
  let fault: string | undefined

  const relay: Relay = {
    isStreamed: request.stream,
    begin(upstreamHeaders) {
      if (isHidden) return
      headers = upstreamHeaders
      hasBegun = true
    },
    piece(text, phase) {
      if (isHidden) return
      if (phase === 'waiting') {
        waiting += text
        // The answer begins all the same.
        return write('', headers)
      }
      const piece = `${waiting}${text}`
      waiting = ''
      hasEnded ||= phase !== 'open'
      if (hasEnded) held += piece
      else {
        hasPassed = true
        return write(piece, headers)
      }
    },
    fault(text) {
      fault = `${waiting}${text}`
    },
    whole(text, upstreamHeaders) {
      relay.begin(upstreamHeaders)
      if (!isHidden) held = text
    },
    refused(answer) {
      refusal = answer
    },
  }

  const model: Model = {
    ...base,
    takesLateSystem: base.takesLateSystem !== false && !wire.hasSystemBeside,
    files: base.files && withUploads(base.files),
    async *stream({ messages, settings, tools, signal, onWritten }) {
      refusal = fault = undefined
      held = waiting = ''
      hasBegun = hasEnded = false
      const body = call.isPassed ? client.bytes : await fittedBody({ settings, tools, signal })
      isAsked = true
      onWritten?.({ form: wire.form, fields: fieldsIn(body) })
      try {
        yield* upstream.passReply!({
          form: adapter.form!,
          model: request.model,
          messages,
          relay,
          body,
          path: `${wire.path}${client.query}`,
          headers: headersOn(client.headers, body, packing),
          signal,
        })
      } catch (error) {
        const isTriedAgain =
          error instanceof ModelError && (error.isRetryable || triedOtherwise.has(error.code))
        if (!hasPassed || !isTriedAgain) throw error
        // The client has a part of the answer: it cannot be asked for again.
        throw new ModelError('model_stream_broken', error.message, {
          isRetryable: false,
          cause: error,
        })
      }
    },
  }

  async function fittedBody({ settings, tools, signal }: Omit<ModelRequest, 'messages'>) {
    const window = (await base.window(signal)) ?? shownWindow(context!.window)
    const isShort = (context!.receipt.toolsSaved ?? 0) > 0
    return writeBody({
      client,
      request,
      wire,
      context: context!,
      window,
      most: settings?.maxTokens,
      isUnasked: base.hasOwnWindow?.() ?? false,
      slot: settings?.provider?.id_slot,
      tools,
      isShort,
    })
  }

  const fieldsIn = (body: Uint8Array) =>
    body === client.bytes ? client.fields : (JSON.parse(new TextDecoder().decode(body)) as Fields)

  return {
    /** Asks the upstream in the client's words. */
    model,
    /** Whether the upstream got the request. */
    isAsked: () => isAsked,
    /** Takes the parts of the turn, and among them the contexts that are about to be sent. */
    see(part: TurnPart): void {
      if (part.type === 'context') context = part
    },
    /** Has replies written by the adapter after all: there may be notes in them, which no client may see. */
    hide(): void {
      isHidden = true
    },
    /** Whether the client gets what the upstream sends, and not what the adapter writes. */
    isPassed: () => hasBegun,
    /** What ends the answer: the last pieces of a stream, or all of a body. Undefined if the adapter writes the answer. */
    ending: () => (held === '' ? undefined : { text: held, headers }),
    /** What the upstream said when it failed in the middle of its stream. */
    fault: () => (hasBegun ? fault : undefined),
    /** What the upstream said when it refused the last request. */
    refusal: () => (refusal && isTold(refusal, upstream) ? refusal : undefined),
  }
}

/** What a turn asks for again, with another prompt. */
const triedOtherwise: ReadonlySet<string> = new Set([
  'context_too_long',
  'files_refused',
  'system_refused',
])

/** Providers quote a part of a key that they refuse, so refusals of the server's own key are not passed on. */
const isTold = ({ status }: Refusal, { isKeyed }: Upstream): boolean =>
  !isKeyed || (status !== 401 && status !== 403)

/** A file that the client has uploaded to this upstream can be sent. */
const withUploads = (files: ModelFiles): ModelFiles => ({
  ...files,
  refuse: file => (file.type === 'foreign' ? undefined : files.refuse(file)),
})

/** The body is not packed, and the answer must be one that can be read. */
const packing = ['content-encoding', 'accept-encoding']
