import { type MessageLike, readMessage } from '@throughline/core/messages'
import { isObject, present } from '@throughline/core/values'
import { fromLog, hashOfBody, type SentBody } from '@throughline/history/calls'
import { eachAnthropic, eachOllama, eachOpenAi, responsesWire } from '@throughline/models/dialects'

type Value = Readonly<Record<string, unknown>>

interface BodyForm {
  /** The field of the system prompt, where it is not the first message. */
  readonly system?: string
  each(messages: readonly MessageLike[]): readonly (readonly object[])[]
  tool(tool: Value): Value
}

const inFunction = (tool: Value) => ({ type: 'function', function: tool })

const forms: Readonly<Record<string, BodyForm>> = {
  chat: { each: eachOpenAi, tool: inFunction },
  ollama: { each: eachOllama, tool: inFunction },
  messages: {
    system: 'system',
    each: eachAnthropic,
    tool: ({ name, description, parameters }) => ({
      ...present({ name, description }),
      input_schema: parameters,
    }),
  },
  responses: {
    system: 'instructions',
    each: responsesWire.each,
    tool: tool => ({ type: 'function', ...tool }),
  },
}

export interface LoggedRequest {
  readonly messages: readonly MessageLike[]
  readonly tools: readonly unknown[] | undefined
}

/**
 * The body of a request, put together again: the fields that were kept, with messages, tools and system prompt of the log in
 * the same form. `isExact`: the result is what was sent, value for value. Undefined for a form that is not known.
 */
export async function toRequestBody(
  { form, fields, hash }: SentBody,
  { messages, tools }: LoggedRequest,
) {
  const known = Object.hasOwn(forms, form) ? forms[form] : undefined
  if (!known) return undefined
  const isApart = known.system !== undefined && fields[known.system] === null
  const heads = isApart ? messages.findIndex(message => message.role !== 'system') : 0
  const head = messages.slice(0, heads < 0 ? messages.length : heads)
  const list = known.each(messages.slice(head.length)).flat()
  const values: Value = {
    messages: list,
    input: list,
    tools: tools?.map(tool => (isObject(tool) ? known.tool(tool) : tool)) ?? [],
    ...(known.system && { [known.system]: head.map(one => readMessage(one, 0).text).join('\n\n') }),
  }
  const body = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value === null && fromLog.has(name) ? values[name] : value,
    ]),
  )
  return { form, isExact: (await hashOfBody(body)) === hash, body }
}
