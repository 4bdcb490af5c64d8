import { ThroughlineError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { elementLines } from './element-lines.ts'
import { findJsonFault } from './json-fault.ts'

/** A conversation read from a file, with a way back to its lines. */
export interface Chat {
  readonly messages: readonly MessageLike[]
  /** Tool schemas, where the file is a whole request. */
  readonly tools: readonly unknown[]
  /** The line that message `seq` begins on, counted from 1. */
  lineOf(seq: number): number
}

/** An input file that cannot be read, with the faulty line. */
export class ChatFileError extends ThroughlineError {
  readonly line: number

  constructor(line: number, problem: string) {
    super('invalid_chat', problem)
    this.line = line
  }
}

/** Reads a JSON array of messages, a request that has one under "messages", or one message a line. */
export function readChat(input: string): Chat {
  const text = input.replace(/^\uFEFF/, '')
  const start = text.trimStart()[0]
  if (start === undefined)
    throw new ChatFileError(1, 'is empty: expected a JSON array of messages, or one a line')
  const whole = start === '[' || start === '{' ? tryJson(text) : undefined
  if (whole?.ok) {
    const chat = fromValue(whole.value, text)
    if (chat) return chat
  }
  if (start === '[') throw new ChatFileError(whole?.ok ? 1 : (whole?.line ?? 1), jsonProblem(whole))
  return readLines(text)
}

function fromValue(value: unknown, text: string): Chat | undefined {
  const lines = () => elementLines(text)
  if (Array.isArray(value)) return { messages: value, tools: [], lineOf: seq => lines()[seq] ?? 1 }
  const { messages, tools } = value as { messages?: unknown; tools?: unknown }
  if (!Array.isArray(messages)) return undefined
  return { messages, tools: Array.isArray(tools) ? tools : [], lineOf: seq => lines()[seq] ?? 1 }
}

function readLines(text: string): Chat {
  const messages: MessageLike[] = []
  const lines: number[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const parsed = tryJson(line)
    if (!parsed.ok) throw new ChatFileError(index + 1, jsonProblem(parsed))
    messages.push(parsed.value as MessageLike)
    lines.push(index + 1)
  }
  return { messages, tools: [], lineOf: seq => lines[seq] ?? 1 }
}

type Parsed = { ok: true; value: unknown } | { ok: false; line: number; problem: string }

function tryJson(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    const { message } = error as Error
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? findJsonFault(text.trimEnd()))
    const problem = message.replace(/(,? \.{3}.*| in JSON at position \d+.*|, ".*)$/s, '')
    return { ok: false, line: text.slice(0, position).split('\n').length, problem }
  }
}

function jsonProblem(parsed: Parsed | undefined): string {
  return parsed && !parsed.ok ? `is not valid JSON: ${parsed.problem}` : 'has no messages'
}
