import type { MessageLike } from '@throughline/core/messages'
import { attempt, parseJsonObject, plural } from '@throughline/core/values'
import { InvalidImportError } from '@throughline/history/transfer'
import { findNodeAtLocation, parseTree, visit } from 'jsonc-parser'
import { UserError } from './print.ts'

export interface ChatFile {
  readonly messages: readonly MessageLike[]
  /** Tool schemas, where the file is a whole request. */
  readonly tools: readonly unknown[]
  /** The line that message `seq` begins on, counted from 1. */
  lineOf(seq: number): number
}

/** Reads a list of messages, a request with "messages", a message a line, or our own export. Errors name the line of `name`. */
export async function readChat(name: string, input: string): Promise<ChatFile> {
  const text = input.replace(/^\uFEFF/, '')
  if (isExport(text)) return readExported(name, text)
  const start = text.trimStart()[0]
  if (start === undefined)
    throw new UserError(`${name}:1: is empty: expected a JSON array of messages, or one a line`)
  const whole = start === '[' || start === '{' ? tryJson(text) : undefined
  if (whole && 'value' in whole) {
    const { value } = whole
    const { messages, tools = [] } = (
      Array.isArray(value) ? { messages: value } : value
    ) as Partial<ChatFile>
    const lineOf = (seq: number) => lineAt(text, placeOf(text, seq))
    if (Array.isArray(messages))
      return { messages, tools: Array.isArray(tools) ? tools : [], lineOf }
  } else if (whole && start === '[') throw new UserError(`${name}:${whole.line}: ${whole.problem}`)
  return readLines(name, text)
}

/** Whether a text begins as `throughline log export` writes it. */
function isExport(text: string): boolean {
  const end = text.indexOf('\n')
  const first = parseJsonObject(text.slice(0, Math.min(end < 0 ? text.length : end, longestHead)))
  return first?.kind === 'conversation' && first.throughline !== undefined
}

/** The first line of an export has a title and metadata, no messages. */
const longestHead = 1_000_000

/** The thread of the assistant, or the only one, of the one conversation of an export. */
async function readExported(name: string, text: string): Promise<ChatFile> {
  const { createHistory } = await import('@throughline/history/threads')
  const { memoryStore } = await import('@throughline/stores/memory')
  const history = createHistory({ store: memoryStore() })
  const { conversations } = await history.import(text).catch(error => {
    throw error instanceof InvalidImportError ? new UserError(`${name}: ${error.message}`) : error
  })
  const [conversation] = conversations
  if (conversation === undefined || conversations.length > 1)
    throw new UserError(
      `${name}: has ${plural(conversations.length, 'conversation')}, and one is fitted: "throughline log export <conversation>" writes one`,
    )
  const [info] = await history.conversations({ only: conversation })
  const threads = info?.threads ?? []
  const usual = threads.find(({ actor, branch }) => actor === 'assistant' && branch === 'main')
  const { actor, branch } = usual ?? threads[0] ?? {}
  const messages = await history.thread(conversation, { actor, branch }).messages()
  return { messages, tools: [], lineOf: () => 1 }
}

function readLines(name: string, text: string): ChatFile {
  const messages: MessageLike[] = []
  const lines: number[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const parsed = tryJson(line)
    if ('problem' in parsed) throw new UserError(`${name}:${index + 1}: ${parsed.problem}`)
    messages.push(parsed.value as MessageLike)
    lines.push(index + 1)
  }
  return { messages, tools: [], lineOf: seq => lines[seq] ?? 1 }
}

type ParsedJson = { readonly value: unknown } | { readonly line: number; readonly problem: string }

function tryJson(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const why = (error as Error).message.replace(
      /(,? \.{3}.*| in JSON at position \d+.*|, ".*)$/s,
      '',
    )
    return { line: lineAt(text, findFault(text.trimEnd())), problem: `is not valid JSON: ${why}` }
  }
}

/** Where a message begins: an element of the outermost array, or of the one under "messages". */
function placeOf(text: string, seq: number): number {
  // A text that is nested too deep for the parser counts from its beginning.
  const whole = attempt(() => parseTree(text), undefined)
  const list = whole?.type === 'object' ? findNodeAtLocation(whole, ['messages']) : whole
  return list?.children?.[seq]?.offset ?? 0
}

/** Where a text stops being JSON, which `JSON.parse` does not always tell; its end if it only breaks off. */
function findFault(text: string): number {
  let place = text.length
  const onError = (_: unknown, at: number) => {
    place = Math.min(place, at)
  }
  attempt(() => visit(text, { onError }, { disallowComments: true }), undefined)
  return place
}

const lineAt = (text: string, place: number) => text.slice(0, place).split('\n').length
