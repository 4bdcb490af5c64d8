import { parseJson } from '../../log/parse-json.ts'
import { ModelError } from '../model.ts'
import { readFault, readStart } from '../read-fault.ts'
import type { AskedServer } from '../to-model-error.ts'
import { toSendError, toStatusError, toStreamError, toWireError } from '../to-model-error.ts'
import type { HttpAnswer, ServerConnection } from './connection.ts'
import { checkSize } from './read-pieces.ts'

/** Asks a server for facts that need no model. Gives the JSON of its answer. */
export type Ask = (question: ServerQuestion) => Promise<unknown>

export interface ServerQuestion {
  readonly path: string
  /** Sent by POST, as it is if it is a text or bytes, else as JSON. Without it the method is GET. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called with an answer whose status is not good, before its error is thrown. */
  onRefused?(answer: Refusal): void
  readonly signal?: AbortSignal | undefined
}

export interface Refusal extends Pick<HttpAnswer, 'status' | 'headers'> {
  readonly text: string
}

/** The answer to a request, if its status is good; else throws what the server said. */
export async function askServer(
  connection: ServerConnection,
  server: AskedServer,
  { path, body, headers, signal, onRefused }: ServerQuestion,
  isFact = false,
): Promise<HttpAnswer> {
  signal?.throwIfAborted()
  const answer = await connection
    .send({
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined || isWritten(body) ? body : JSON.stringify(body),
      signal,
      isFact,
    })
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      throw toSendError(server, error)
    })
  if (answer.status >= 200 && answer.status <= 299) return answer
  const text = await readStart(answer.bytes)
  answer.close(false)
  onRefused?.({ status: answer.status, headers: answer.headers, text })
  signal?.throwIfAborted()
  throw toStatusError(server, answer, readFault(text))
}

const isWritten = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array

/** A JSON answer of limited size. `isFact`: whether no model is needed for it. */
export async function askJson(
  connection: ServerConnection,
  server: AskedServer,
  question: ServerQuestion,
  isFact = true,
): Promise<unknown> {
  const { path, signal } = question
  const answer = await askServer(connection, server, question, isFact)
  let text = ''
  let isWhole = false
  try {
    text = await readAll(answer, server)
    isWhole = true
  } catch (error) {
    signal?.throwIfAborted()
    throw toWireError(server, error, true)
  } finally {
    answer.close(isWhole)
  }
  const value = parseJson(text)
  if (value !== undefined) return value
  if (!isFact) throw toStreamError(server, 'sent an answer that cannot be read')
  throw new ModelError('model_refused', `${server.name} gave no JSON at ${path}.`)
}

export async function readAll({ bytes }: Pick<HttpAnswer, 'bytes'>, server: AskedServer): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    checkSize(server, size, 'answer')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** The answer to a question; undefined if the server refuses it or does not know it. Throws if it may answer later. */
export async function ifKnown<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await question()
  } catch (error) {
    if (error instanceof ModelError && !error.isRetryable) return undefined
    throw error
  }
}
