import { InvalidMessageError, ThroughlineError } from './error.ts'
import type { Message, Role } from './message.ts'
import { readCalls, readContent, readText, toJson, toResult } from './read-content.ts'

const roles = new Map<unknown, Role>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['assistant_note', 'assistant_note'],
])

/** Reads a message of any provider into the library's form. InvalidMessageError names its place. */
export function parseMessage(value: unknown, seq: number): Message {
  const message = readMessage(value, seq)
  if (message.misplacedCalls === undefined) return message
  const problem = `has tool calls, which only an assistant message may have, not one of role "${message.role}"`
  throw new InvalidMessageError(seq, `${problem}: remove them, or give it the role "assistant"`)
}

/** Reads a message that was accepted before: tool calls of a role that cannot call are ignored, not refused. */
export function readMessage(value: unknown, seq: number): Message {
  try {
    return parse(value, seq)
  } catch (error) {
    if (error instanceof ThroughlineError) throw error
    // A getter that throws or a revoked proxy: the caller still gets a typed error that names the place.
    throw new InvalidMessageError(seq, `cannot be read (${String(error)})`, { cause: error })
  }
}

function parse(value: unknown, seq: number): Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
    throw new InvalidMessageError(seq, `expected an object with a role, got ${kind}`)
  }
  const source = value as Record<string, unknown>
  refuseParts(source, seq)
  const role = roleOf(source, seq)
  const content = readContent(source, seq)
  const { calls: outside, openai } = readCalls(source, seq)
  const calls = [...outside, ...content.calls]
  const isMisplaced = role !== 'assistant' && calls.length > 0
  const isTool = role === 'tool'
  // A tool message without text (an image, nothing at all) still answers its call; one with only unknown parts does not.
  const isAnswer = content.text !== undefined || content.media > 0 || content.unknown === ''
  // Ollama and OpenAI put one result into a tool message, as its content.
  const bare = isTool && content.results.length === 0 && isAnswer
  const results = bare
    ? [toResult(source.tool_call_id, source.tool_name ?? source.name, content.text ?? '')]
    : content.results
  const isOpenAiResult =
    source.role === 'tool' && 'tool_call_id' in source && !('tool_name' in source)
  const time = timeOf(source)
  return {
    role,
    dialect: content.aiSdk
      ? 'ai-sdk'
      : openai || content.openai || isOpenAiResult
        ? 'openai'
        : 'ollama',
    text: isTool ? results.map(result => result.text).join('\n') : (content.text ?? ''),
    thinking:
      content.thinking + readText(source.thinking ?? source.reasoning_content ?? source.reasoning),
    calls: isMisplaced ? [] : calls,
    ...(isMisplaced && { misplacedCalls: calls.length }),
    results,
    media: content.media + (Array.isArray(source.images) ? source.images.length : 0),
    unknown: content.unknown,
    ...(time !== undefined && { time }),
  }
}

/** Refuses messages with `parts` in place of `content`, as other libraries have them; the error says what to do. */
function refuseParts({ content, parts }: Record<string, unknown>, seq: number): void {
  if ((content !== undefined && content !== null) || !Array.isArray(parts)) return
  throw new InvalidMessageError(
    seq,
    'has "parts", not "content": convert a UI message with convertToModelMessages, one of Gemini to "content" and tool_calls',
  )
}

function roleOf(source: Record<string, unknown>, seq: number): Role {
  const role = roles.get(source.role)
  if (role) return role
  const names = [...roles.keys()].join(', ')
  const fault =
    source.role === undefined ? 'no role' : `the unknown role ${toJson(source.role, seq, 'role')}`
  throw new InvalidMessageError(seq, `has ${fault}: use one of ${names}`)
}

/** The message's time in milliseconds. An unreadable time is ignored: times only serve to find pauses. */
export function timeOf(message: object): number | undefined {
  const source = message as Record<string, unknown>
  const value = source.time ?? source.createdAt ?? source.created_at ?? source.timestamp
  const time = typeof value === 'string' ? Date.parse(value) : Number(value ?? Number.NaN)
  return Number.isFinite(time) ? time : undefined
}
