import { findNodeAtLocation, parseTree, visit } from 'jsonc-parser'
import type { MessageLike } from '../log/message.ts'
import { attempt } from '../log/values.ts'
import { UserError } from './print.ts'

export interface ChatFile {
  readonly messages: readonly MessageLike[]
  /** Tool schemas, where the file is a whole request. */
  readonly tools: readonly unknown[]
  /** The line that message `seq` begins on, counted from 1. */
  lineOf(seq: number): number
}

/** Reads a list of messages, a request with "messages", or a message a line. Errors name the line of `name`. */
export function readChat(name: string, input: string): ChatFile {
  const text = input.replace(/^\uFEFF/, '')
  const start = text.trimStart()[0]
  if (start === undefined)
    throw new UserError(`${name}:1: is empty: expected a JSON array of messages, or one a line`)
  const whole = start === '[' || start === '{' ? tryJson(text) : undefined
  if (whole && 'value' in whole) {
    const { value } = whole
    const { messages, tools = [] } = (Array.isArray(value) ? { messages: value } : value) as Partial<ChatFile>
    const lineOf = (seq: number) => lineAt(text, placeOf(text, seq))
    if (Array.isArray(messages)) return { messages, tools: Array.isArray(tools) ? tools : [], lineOf }
  } else if (whole && start === '[') throw new UserError(`${name}:${whole.line}: ${whole.problem}`)
  return readLines(name, text)
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
    const why = (error as Error).message.replace(/(,? \.{3}.*| in JSON at position \d+.*|, ".*)$/s, '')
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
