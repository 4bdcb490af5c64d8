/** The texts of a payload that a person would search for: its string values without ids and files. */
export function payloadTexts(payload: string): string[] {
  const texts: string[] = []
  collect(parse(payload), '', texts)
  return texts
}

/** Fields that hold names for machines. */
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

/** Images and files in base64 would be thousands of words that nobody searches for. */
const isFile = (text: string) => text.startsWith('data:') || (text.length >= 512 && !isNoBase64.test(text))

/** Looks for one character: matching a whole file would overflow the stack. */
const isNoBase64 = /[^\w+/=-]/

/** The parsed payload; one that is not JSON is searched as plain text. */
function parse(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return payload
  }
}
