/** A message in any of the forms that are logged: of Ollama, OpenAI, Anthropic or the AI SDK. */
export interface AnyMessage {
  readonly role: string
  readonly [field: string]: unknown
}

/** All that a message says, as one text: its words, its calls as `→ name(arguments)`, its results. */
export function messageText(message: AnyMessage): string {
  const pieces = [...contentPieces(message.content), ...callPieces(message.tool_calls)]
  return pieces.filter(piece => piece !== '').join('\n')
}

/** A line that only wraps what follows: a tag, a fence, an exit code of 0. */
const wrapping = /^\s*(?:<\/?[\w-]{1,40}>(?:0<\/[\w-]{1,40}>)?|`{3,}\w{0,20})?\s*$/

/** A text in one line, without the lines at its beginning that only wrap it. A text that is not read yet shows nothing. */
export function oneLine(text: string | undefined, most = 240): string {
  if (text === undefined) return ''
  const lines = text.slice(0, most * 2).split('\n')
  const first = lines.findIndex(one => !wrapping.test(one))
  const line = lines.slice(Math.max(0, first)).join(' ').replace(/\s+/g, ' ').trim()
  return line === '' ? '(empty)' : line.slice(0, most)
}

export const shortRole = (role: string): string => shortRoles[role] ?? role

const shortRoles: Readonly<Record<string, string>> = {
  system: 'sys',
  developer: 'sys',
  assistant: 'asst',
  function: 'tool',
  assistant_note: 'note',
}

function contentPieces(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.map(part => partText(part as Record<string, unknown>))
}

function partText(part: Readonly<Record<string, unknown>> | null): string {
  if (typeof part !== 'object' || part === null) return String(part)
  if (typeof part.text === 'string') return part.text
  if (part.type === 'tool-call' || part.type === 'tool_use')
    return call(part.toolName ?? part.name, part.input ?? part.args)
  if (part.type === 'tool-result' || part.type === 'tool_result')
    return plain(part.output ?? part.result ?? part.content)
  return `[${String(part.type ?? 'part')}]`
}

function callPieces(calls: unknown): readonly string[] {
  if (!Array.isArray(calls)) return []
  return calls.map(one => {
    const { function: called = one } = (one ?? {}) as {
      function?: { name?: unknown; arguments?: unknown }
    }
    return call(called?.name, called?.arguments)
  })
}

const call = (name: unknown, input: unknown) =>
  `→ ${String(name ?? '?')}(${input === undefined ? '' : plain(input)})`

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
