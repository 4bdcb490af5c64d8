import { type Fields, readFields, readList, readText } from '../../../log/fields.ts'
import { resultText } from './read-blocks.ts'
import { type Call, optionalText, type Said, toAssistant, toResult, toText } from './read-parts.ts'

/** A message and the time of the item that began it. */
export type TimedSaid = Said & { readonly time: number | undefined }

/** Gathers items of the Responses API (Codex, Open WebUI) into messages: thoughts and calls join the answer that they belong to. */
export function createItems() {
  const none = () => ({ texts: [] as string[], thoughts: [] as string[], calls: [] as Call[] })
  let said = none()
  let begunAt: number | undefined

  /** What the model has said so far, as one message. */
  function flush(): readonly TimedSaid[] {
    const { texts, thoughts, calls } = said
    const message = toAssistant({ text: texts.join('\n'), thinking: thoughts.join('\n'), calls })
    said = none()
    return message ? [{ message, time: begunAt }] : []
  }

  const isEmpty = () => said.texts.length + said.thoughts.length + said.calls.length === 0

  /** Takes an item; gives the messages that are complete by it. */
  function take(item: Fields, field: string, time?: number): readonly TimedSaid[] {
    const kind = kindOf(item, field)
    if (kind === undefined) return []
    const isNext =
      (kind === 'text' && said.calls.length > 0) ||
      (kind === 'thought' && said.calls.length + said.texts.length > 0)
    const before = isNext || kind === 'spoken' || kind === 'result' ? flush() : []
    if (isEmpty()) begunAt = time
    switch (kind) {
      case 'text':
        said.texts.push(itemText(item.content, `${field}.content`))
        return before
      case 'thought':
        said.thoughts.push(itemText(item.summary ?? item.content, `${field}.summary`))
        return before
      case 'call':
        said.calls.push(toItemCall(item, field))
        return before
      case 'result': {
        const id = optionalText(item.call_id, `${field}.call_id`) ?? ''
        return [...before, { ...toOutput(id, item.output), time }]
      }
      case 'spoken': {
        const content = itemText(item.content, `${field}.content`)
        const role = item.role === 'user' && !isInjected(content) ? 'user' : 'system'
        return content === '' ? before : [...before, { message: { role, content }, time }]
      }
    }
  }

  return { take, flush }
}

/** What an item is; undefined for one that says nothing. */
function kindOf(item: Fields, field: string): 'text' | 'spoken' | 'thought' | 'call' | 'result' | undefined {
  const type = optionalText(item.type, `${field}.type`) ?? ''
  if (type === 'message') return readText(item.role, `${field}.role`) === 'assistant' ? 'text' : 'spoken'
  if (type === 'reasoning') return 'thought'
  if (type.endsWith('_call_output')) return 'result'
  return type.endsWith('_call') ? 'call' : undefined
}

/** `local_shell_call` and `web_search_call` have no name, but an action. */
function toItemCall(item: Fields, field: string): Call {
  return {
    id: optionalText(item.call_id ?? item.id, `${field}.call_id`) ?? '',
    name: optionalText(item.name, `${field}.name`) ?? toText(item.type).slice(0, -'_call'.length),
    arguments: item.arguments ?? item.input ?? item.action,
  }
}

/** Codex writes `{ content, success }` for some tools. */
function toOutput(id: string, output: unknown): Said {
  const { content, success } = (output ?? {}) as { readonly content?: unknown; readonly success?: unknown }
  const isWrapped = typeof output === 'object' && !Array.isArray(output) && content !== undefined
  const message = toResult(id, resultText(isWrapped ? content : output))
  return isWrapped && success === false ? { message, isError: true } : { message }
}

function itemText(content: unknown, field: string): string {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  return readList(content, field)
    .map((part, at) => {
      const { type, text } = readFields(part, `${field}[${at}]`)
      return type === 'input_image' ? '[attached: image]' : toText(text)
    })
    .filter(text => text !== '')
    .join('\n')
}

/** What Codex tells the model in the name of the user: where it works, which rules hold. */
const isInjected = (text: string) =>
  ['<environment_context>', '<user_instructions>', '# AGENTS.md instructions', '<INSTRUCTIONS>'].some(start =>
    text.startsWith(start),
  )
