import { hashText } from '../../log/hash-text.ts'
import type { MessageLike } from '../../log/message.ts'
import { changesBelow, changingTitle, standsUnder } from '../../log/texts.ts'
import { isObject } from '../../log/values.ts'
import { arrange, indentOfGap, isGap, isLine, isShownGap } from './arrange.ts'
import type { PromptLayout } from './prompt-layout.ts'
import { describePlace, type PromptLine, splitLines } from './split-lines.ts'

/** Changing lines, or the first and the last place of a stretch of the head. */
export type GivenPart = string | readonly [from: number, to: number]

/** Divides the system messages by what is known of earlier ones; for `length` and `onlyNumbers` see `arrange`. */
export function splitPrompt(
  system: readonly MessageLike[],
  layout: PromptLayout,
  length: number,
  onlyNumbers = false,
) {
  const heads: string[] = []
  const changing: PromptLine[] = []
  let first: ReturnType<typeof divide> | undefined
  const messages = system.map((raw, place) =>
    mapOpenTexts(raw, text => {
      const lines = splitLines(text)
      const before = layout.heads?.[heads.length]?.split(' ')
      const { head, isStill } = lines
        ? arrange(lines, length, before, onlyNumbers)
        : { head: [], isStill: [] }
      heads.push(head.join(' '))
      if (!lines || (isStill.every(Boolean) && !head.some(isGap))) return text
      const divided = divide(lines, head, isStill)
      if (place === 0 && text === raw.content) first = divided
      for (const line of divided.changing) changing.push(line)
      return divided.head
    }),
  )
  return {
    /** The system messages as they are sent: the same objects where nothing changes. */
    messages,
    /** The message with the changing lines; empty if there are none. */
    text: toText(changing),
    lines: changing.map(({ text }) => text.trim()),
    heads,
    /** The first message as it was given: its changing lines, and stretches of its head; joined by line breaks. */
    given: first?.given,
    /** The characters of the first message's head before its first changing line. */
    before: first?.before ?? 0,
  }
}

function divide(lines: readonly PromptLine[], ids: readonly string[], isStill: readonly boolean[]) {
  const changing = lines.filter((_, at) => !isStill[at])
  const still = lines.filter((_, at) => isStill[at])
  const places = new Map<PromptLine, number>()
  const head: string[] = []
  let length = 0
  let before = -1
  let next = 0
  for (const id of ids) {
    if (isGap(id) && before < 0) before = length
    const line = isLine(id) ? still[next++]! : undefined
    if (line) places.set(line, length)
    else if (!isShownGap(id)) continue
    head.push(line ? line.text : ' '.repeat(indentOfGap(id)) + changesBelow)
    length += head.at(-1)!.length + 1
  }
  const given: GivenPart[] = []
  for (const line of lines) {
    const from = places.get(line)
    const last = given.at(-1)
    if (from === undefined) given.push(line.text)
    else if (Array.isArray(last) && last[1] + 1 === from)
      given[given.length - 1] = [last[0], from + line.text.length]
    else given.push([from, from + line.text.length])
  }
  return { head: head.join('\n'), changing, given, before: before < 0 ? length : before }
}

/** The changing lines, each as it was sent, under the name of what it stands under. */
function toText(lines: readonly PromptLine[]): string {
  if (lines.length === 0) return ''
  const parts = [changingTitle]
  let under = ''
  for (const line of lines) {
    const place = describePlace(line)
    if (place !== under && place !== '') parts.push(standsUnder(place))
    under = place
    parts.push(line.text)
  }
  return parts.join('\n')
}

/** A message as it was given, of its head and its changing lines. */
export const joinGiven = (parts: readonly GivenPart[], head: string): string =>
  parts.map(part => (typeof part === 'string' ? part : head.slice(part[0], part[1]))).join('\n')

/** A copy with its texts changed, but for those that the client marked for caching. The same object if nothing changes. */
function mapOpenTexts(message: MessageLike, change: (text: string) => string): MessageLike {
  const { content } = message
  if (isMarked(message)) return message
  if (typeof content === 'string') return withContent(message, change(content))
  if (!Array.isArray(content)) return message
  const parts = content.map(part => {
    if (!isObject(part) || part.type !== 'text' || typeof part.text !== 'string' || isMarked(part))
      return part
    const text = change(part.text)
    return text === part.text ? part : { ...part, text }
  })
  return parts.every((part, at) => part === content[at]) ? message : withContent(message, parts)
}

const withContent = (message: MessageLike, content: unknown): MessageLike =>
  message.content === content ? message : { ...message, content }

/** Whether a client marked a message or a part for caching: as Anthropic has it, or as the AI SDK passes it on. */
function isMarked(holder: object): boolean {
  const { cache_control: mark, providerOptions: options } = holder as Record<string, unknown>
  if (isObject(mark)) return true
  return (
    isObject(options) &&
    Object.values(options).some(one => isObject(one) && markNames.some(name => name in one))
  )
}

const markNames = ['cacheControl', 'cache_control', 'cachePoint']

/** The tools in the order of the first time, if they are the same ones. */
export function orderTools<Tool>(tools: readonly Tool[], order: readonly string[] | undefined) {
  const ids = tools.map(tool => hashText(JSON.stringify(tool) ?? ''))
  const byId = new Map(ids.map((id, at) => [id, tools[at]!]))
  const isSame =
    order?.length === ids.length && byId.size === ids.length && order.every(id => byId.has(id))
  return isSame ? { tools: order.map(id => byId.get(id)!), ids: order } : { tools, ids }
}
