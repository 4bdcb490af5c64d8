/** The string values of a payload, without its field names, ids and files: what a person would search for. */
export function payloadTexts(payload: string): string[] {
  const texts: string[] = []
  collect(parse(payload), '', texts)
  return texts
}

/** Fields whose values are names for machines. */
const hidden = new Set(['role', 'type', 'id', 'tool_call_id', 'toolCallId', 'mediaType', 'mimeType'])
const maxDepth = 64

function collect(value: unknown, field: string, texts: string[], depth = 0): void {
  if (depth > maxDepth) return
  if (typeof value === 'string') {
    if (!hidden.has(field) && !isFile(value)) texts.push(value)
  } else if (Array.isArray(value)) {
    for (const part of value) collect(part, field, texts, depth + 1)
  } else if (value && typeof value === 'object') {
    for (const [name, part] of Object.entries(value)) collect(part, name, texts, depth + 1)
  }
}

/** Images and files travel as base64: thousands of words that nobody asks for. */
const isFile = (text: string) => text.startsWith('data:') || (text.length >= 512 && !isNoBase64.test(text))

/** Looks for one character: a regex that takes all of a file needs as much of the stack. */
const isNoBase64 = /[^\w+/=-]/

/** A payload that is not JSON is a text like any other. */
function parse(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return payload
  }
}
