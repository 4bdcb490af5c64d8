import {
  actionsTitle,
  artifactTitle,
  type Message,
  type MessageLike,
  notesTitle,
  noteToolName,
  parseMessage,
  previousActionsTitle,
  quotesTitle,
  type Role,
  recallTitle,
  rulesTitle,
} from '@throughline/core/messages'
import { type Action, readActions } from '@throughline/core/notes'
import { type Speaker, speakerOf } from './wording.ts'

export type ReaderInput = Readonly<ReturnType<typeof readInput>>

/** Reads messages of any dialect. Throws InvalidMessageError. */
export function readInput(raw: readonly MessageLike[]) {
  const messages: readonly Message[] = raw.map(parseMessage)
  // The journal of an open turn is a user message that no user wrote.
  const askedAt = messages.findLastIndex(
    ({ role, text }) => role === 'user' && !text.startsWith(actionsTitle),
  )
  const system = messages.filter(({ role }) => role === 'system').map(({ text }) => text)
  const turn = messages.slice(askedAt + 1)
  const actions: readonly Action[] = readActions(turn)
  return {
    messages,
    system: system.join('\n'),
    /** The latest words of the user, without insertions; empty if there are none. */
    asked: wordsAt(messages, askedAt),
    /** The place of the message that holds `asked`; -1 if there is none. */
    askedAt,
    /** The messages since: rounds of tool calls. */
    turn,
    actions: actions.filter(({ call }) => call.name !== noteToolName),
    /** How many actions of this turn were cut from the context, by the count of its journal. */
    cutActions: countCutActions(messages.slice(Math.max(0, askedAt))),
  }
}

/** The user's own words. An experiment's step says nothing by itself: the messages injected just before it ask. */
function wordsAt(messages: readonly Message[], at: number): string {
  if (at < 0) return ''
  const userText = ownParagraphs(messages[at]!.text)
  if (!stepLine.test(userText)) return userText
  const isInjected = ({ role, text }: Message) =>
    role === 'user' && !isInserted(text) && !stepLine.test(text)
  const before = messages.slice(Math.max(0, at - mostInjected), at)
  const injected = before.slice(before.findLastIndex(message => !isInjected(message)) + 1)
  return [...injected.map(({ text }) => text), userText].join('\n')
}

const mostInjected = 8

const stepLine = /^Step \d+\. Current Environment:/

/** The highest number in a journal: its lines keep their numbers when older ones collapse. */
function countCutActions(messages: readonly Message[]): number {
  return messages
    .filter(({ role }) => role === 'user' || role === 'system')
    .flatMap(({ text }) => splitSections(text))
    .reduce((most, { action = 0 }) => Math.max(most, action), 0)
}

/** The forms in which a context says what was cut from it. */
const digestLine = /^\[Previous: "(.*)" → (.*)\]$/
const recalledLine = /^#(?<seq>\d+) (?<role>system|user|assistant|tool)\b[^:\n]*: ?(?<words>.*)$/
const quotedLine = /^(?<role>user|assistant): ?(?<words>.*)$/
/** The day of what is brought back, with the name of the conversation if it is another. */
const dayLine = /^\d{1,2} [A-Z][a-z]{2} \d{4}(?:, “.*)?$/
const actionLine = /^(\d+)\. \[[^\]]+\]/
/** Lines about the conversation, which cannot answer a question. */
const emptyLine =
  /^(?:\[(?:Several conversation turns removed|Cancelled by the user|The user cancelled this answer|Interrupted\.|This turn failed|The assistant begins).*\]|\(acknowledged\)|\(\.\.\. and \d+ earlier actions?\))$/

/** A piece of a message's text: its own words, or a form that stands for something older. */
export interface Section {
  readonly text: string
  /** Who said what is older; absent for the message's own words. */
  readonly speaker?: Speaker
  /** The place of a recalled entry; 0 for one of another conversation. */
  readonly recalled?: number
  readonly action?: number
}

type SectionState =
  | 'own'
  | 'recalled'
  | 'quoted'
  | 'notes'
  | 'this turn'
  | 'turn before'
  | 'artifact'
  | 'rules'

/** Splits a text by lines: a title opens a section, a blank line or the next title ends it. */
export function splitSections(text: string): readonly Section[] {
  const sections: Section[] = []
  let state: SectionState = 'own'
  /** Recalled texts may have several paragraphs: only the line of another message begins a new one. */
  let recalled: { text: string } | undefined
  for (const whole of text.split('\n')) {
    const opened = openedBy(whole)
    if (opened !== undefined) {
      recalled = undefined
      state = opened.state
      if (opened.rest === '') continue
    }
    const line = opened?.rest ?? whole
    const digest = digestLine.exec(line)
    const isBlock = state === 'recalled' || state === 'quoted'
    const begun = isBlock
      ? (state === 'quoted' ? quotedLine : recalledLine).exec(line)?.groups
      : undefined
    const action = state === 'this turn' || state === 'turn before' ? actionLine.exec(line) : null
    if (digest) {
      sections.push(
        { speaker: 'user', text: digest[1]! },
        { speaker: 'assistant', text: digest[2]! },
      )
    } else if (begun) {
      const { seq = 0, role, words } = begun
      const section = { speaker: speakerOf(role as Role), recalled: Number(seq), text: words! }
      sections.push(section)
      recalled = section
    } else if (isBlock && dayLine.test(line)) recalled = undefined
    else if (recalled) recalled.text += `\n${line}`
    else if (action) {
      const number = state === 'this turn' ? { action: Number(action[1]) } : {}
      sections.push({ speaker: 'tool', text: line, ...number })
    } else if (line.trim() === '') state = isBlock ? state : 'own'
    else if (state === 'notes') sections.push({ speaker: 'note', text: line })
    else if (state !== 'artifact' && !emptyLine.test(line)) sections.push({ text: line })
  }
  return sections
}

/** The last paragraph that is no insertion: these stand in user messages where roles take turns. Without any, the whole text. */
function ownParagraphs(text: string): string {
  const paragraphs = text.split('\n\n')
  if (!paragraphs.some(isInserted)) return text
  return paragraphs.findLast(paragraph => paragraph.trim() !== '' && !isInserted(paragraph)) ?? ''
}

function isInserted(paragraph: string): boolean {
  const line = paragraph.split('\n', 1)[0]!
  const isEmpty = emptyLine.test(line) && !paragraph.includes('\n')
  return openedBy(line) !== undefined || digestLine.test(line) || recalledLine.test(line) || isEmpty
}

const titles: readonly (readonly [title: string, state: SectionState])[] = [
  [recallTitle, 'recalled'],
  [quotesTitle, 'quoted'],
  [artifactTitle, 'artifact'],
  [notesTitle, 'notes'],
  [actionsTitle, 'this turn'],
  [previousActionsTitle, 'turn before'],
  [rulesTitle, 'rules'],
]

function openedBy(
  line: string,
): { readonly state: SectionState; readonly rest: string } | undefined {
  const match = titles.find(([title]) => line.startsWith(title))
  return match && { state: match[1], rest: line.slice(match[0].length).trim() }
}
