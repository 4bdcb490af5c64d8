import type { MessageLike } from '@throughline/core/messages'
import { isObject, parseJsonObject } from '@throughline/core/values'
import type { SourceMessage, SourceNode } from './source.ts'
import { toText } from './source-text.ts'

/** A message, before its author is added. */
export type UnsignedMessage = Omit<SourceMessage, 'data'>

export interface SourceCall {
  readonly id: string
  readonly name: string
  /** JSON, or a text that the tool takes as it is. */
  readonly arguments: unknown
}

/** A tool call as OpenAI writes it. Arguments that are no object are put into one, because servers demand it. */
function toCall({ id, name, arguments: input }: SourceCall) {
  const text = toText(input)
  const json =
    isObject(input) || parseJsonObject(text)
      ? text
      : JSON.stringify(text === '' ? {} : { input: text })
  return { id, type: 'function', function: { name, arguments: json } }
}

export const toResult = (id: string, content: string): MessageLike => ({
  role: 'tool',
  tool_call_id: id,
  content,
})

/** What a user or a program says, as one message; none for nothing. */
export const sayText = (role: 'user' | 'system', content: string): readonly UnsignedMessage[] =>
  content === '' ? [] : [{ message: { role, content } }]

/** What a model says, as one message; none for nothing. */
export function sayAnswer({ text = '', thinking = '', calls = [] as readonly SourceCall[] }) {
  if (text === '' && thinking === '' && calls.length === 0) return []
  const message = {
    role: 'assistant',
    content: text,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  }
  return [{ message }]
}

interface GatherOptions {
  readonly role?: 'user' | 'assistant'
  readonly joinTexts?: (texts: readonly string[]) => string
  readonly joinThoughts?: (thoughts: readonly string[]) => string
}

const inLines = (texts: readonly string[]) => texts.join('\n')

/** Gathers the pieces of an answer into messages: thoughts and calls join the text that they belong to. */
export function gather(options: GatherOptions = {}) {
  const { role = 'assistant', joinTexts = inLines, joinThoughts = inLines } = options
  const none = () => ({
    texts: [] as string[],
    thoughts: [] as string[],
    calls: [] as SourceCall[],
  })
  const messages: UnsignedMessage[] = []
  let open = none()
  let begunAt: number | undefined

  /** Makes a message of what is gathered. `more`: lines that end its text. */
  function close(more: readonly string[] = []): void {
    const text = joinTexts([...open.texts, ...more])
    const answer = { text, thinking: joinThoughts(open.thoughts), calls: open.calls }
    for (const one of role === 'user' ? sayText(role, text) : sayAnswer(answer))
      messages.push({ ...one, time: begunAt })
    open = none()
  }

  function begin(time: number | undefined): typeof open {
    if (open.texts.length + open.thoughts.length + open.calls.length === 0) begunAt = time
    return open
  }

  return {
    messages,
    get open() {
      return open
    },
    close,
    text(text: string, time?: number): void {
      if (open.calls.length > 0) close()
      begin(time).texts.push(text)
    },
    thought(text: string, time?: number): void {
      if (open.calls.length + open.texts.length > 0) close()
      begin(time).thoughts.push(text)
    },
    call(call: SourceCall, time?: number): void {
      begin(time).calls.push(call)
    },
    /** A message between those that are gathered. */
    add(one: UnsignedMessage): void {
      close()
      messages.push(one)
    },
  }
}

/** What a program knows of messages besides what they say. */
interface Author {
  readonly time?: number | undefined
  readonly model?: unknown
  readonly name?: unknown
}

/** Adds what is known to messages: a model wrote only what the assistant says, and a tool has no name of its own. */
export function sign(rows: readonly UnsignedMessage[], { time, model, name }: Author) {
  return rows.map(one => {
    const { role } = one.message
    const data = {
      ...(role === 'assistant' && typeof model === 'string' && model !== '' && { model }),
      ...(role !== 'tool' && typeof name === 'string' && name !== '' && { name }),
    }
    return { ...one, time: time ?? one.time, ...(Object.keys(data).length > 0 && { data }) }
  })
}

export const inRow = (
  nodes: readonly Pick<SourceNode, 'messages' | 'place'>[],
): readonly SourceNode[] =>
  nodes.map((node, at) => ({ ...node, id: `${at}`, parent: at > 0 ? `${at - 1}` : undefined }))

/** The parent that programs name for a first message. */
export const noParent = /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/
