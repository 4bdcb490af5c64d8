import { hashOf, isObject } from '@throughline/core/values'

/** The body of a request as it left, before it is stored: its form, and its fields in their order. */
export interface WrittenBody {
  readonly form: string
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * What is kept of the body of a request beside its texts, which the log has: all fields in their order. In place of the
 * messages, the tools and the system prompt stands null, in place of another long value how long it was.
 */
export interface SentBody extends WrittenBody {
  /** Of the whole body as JSON: a body that is put together again is the same, or it is not. */
  readonly hash: string
}

/** The fields of all forms that hold messages, tools or the system prompt: they are put together again from the log. */
export const fromLog: ReadonlySet<string> = new Set([
  'messages',
  'input',
  'tools',
  'system',
  'instructions',
])

const longestValue = 500
const mostFields = 60

export async function toSentBody({ form, fields }: WrittenBody): Promise<SentBody> {
  const kept = Object.entries(fields)
    .slice(0, mostFields)
    .map(([name, value]) => [name, fromLog.has(name) ? null : short(value)])
  return { form, fields: Object.fromEntries(kept), hash: await hashOfBody(fields) }
}

export const hashOfBody = async (fields: WrittenBody['fields']): Promise<string> =>
  (await hashOf(JSON.stringify(fields))).slice(0, 32)

function short(value: unknown): unknown {
  const length = JSON.stringify(value)?.length ?? 0
  return length <= longestValue ? value : `… ${length} characters, which are not kept`
}

export const isSentBody = (value: unknown): value is SentBody =>
  isObject(value) &&
  typeof value.form === 'string' &&
  typeof value.hash === 'string' &&
  isObject(value.fields)
