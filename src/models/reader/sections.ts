import type { Role } from '../../log/message.ts'
import {
  actionsTitle,
  artifactTitle,
  notesTitle,
  previousActionsTitle,
  recallTitle,
} from '../../log/texts.ts'
import { type Speaker, speakerOf } from './wording.ts'

/** The forms in which a context says what was cut from it. */
const digestLine = /^\[Previous: "(.*)" → (.*)\]$/
const recalledLine = /^#(\d+) (system|user|assistant|tool)\b[^:\n]*: ?(.*)$/
const actionLine = /^(\d+)\. \[[^\]]+\]/
const noteLine = /^\[Note to self from previous turn:\] ?(.*)$/
/** Lines about the conversation, which cannot answer a question. */
const emptyLine =
  /^(?:\[(?:Several conversation turns removed|Cancelled by the user|The user cancelled this answer|Interrupted\.|This turn failed|The assistant begins).*\]|\(acknowledged\)|\(\.\.\. and \d+ earlier actions?\))$/

/** A piece of a message's text: its own words, or a form that stands for something older. */
export interface Section {
  readonly text: string
  /** Who said what is older; absent for the message's own words. */
  readonly speaker?: Speaker
  /** The place of a recalled entry. */
  readonly recalled?: number
  /** The number of an action of this turn. */
  readonly action?: number
}

type State = 'own' | 'recalled' | 'notes' | 'this turn' | 'turn before' | 'artifact'

/** Splits a text by lines: a title opens a section, a blank line or the next title ends it. */
export function splitSections(text: string): readonly Section[] {
  const sections: Section[] = []
  let state: State = 'own'
  /** Recalled texts may have several paragraphs: only a number begins a new one. */
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
    const numbered = state === 'recalled' ? recalledLine.exec(line) : null
    const action = state === 'this turn' || state === 'turn before' ? actionLine.exec(line) : null
    const note = noteLine.exec(line)?.[1] ?? (state === 'notes' ? line : undefined)
    if (digest) {
      sections.push({ speaker: 'user', text: digest[1]! }, { speaker: 'assistant', text: digest[2]! })
    } else if (numbered) {
      const [, seq, role, said] = numbered
      const section = { speaker: speakerOf(role as Role), recalled: Number(seq), text: said! }
      sections.push(section)
      recalled = section
    } else if (recalled) recalled.text += `\n${line}`
    else if (action) {
      const number = state === 'this turn' ? { action: Number(action[1]) } : {}
      sections.push({ speaker: 'tool', text: line, ...number })
    } else if (line.trim() === '') state = state === 'recalled' ? state : 'own'
    else if (note !== undefined) sections.push({ speaker: 'note', text: note })
    else if (state !== 'artifact' && !emptyLine.test(line)) sections.push({ text: line })
  }
  return sections
}

/**
 * The user's own words in a message: the last paragraph that is no insertion. Insertions stand in a user message if the
 * template wants roles to take turns. A message without insertions is returned whole.
 */
export function ownParagraphs(text: string): string {
  const paragraphs = text.split('\n\n')
  if (!paragraphs.some(isInserted)) return text
  return paragraphs.findLast(paragraph => paragraph.trim() !== '' && !isInserted(paragraph)) ?? ''
}

function isInserted(paragraph: string): boolean {
  const line = paragraph.split('\n', 1)[0]!
  const isEmpty = emptyLine.test(line) && !paragraph.includes('\n')
  return openedBy(line) !== undefined || digestLine.test(line) || recalledLine.test(line) || isEmpty
}

const titles: readonly (readonly [title: string, state: State])[] = [
  [recallTitle, 'recalled'],
  [artifactTitle, 'artifact'],
  [notesTitle, 'notes'],
  [actionsTitle, 'this turn'],
  [previousActionsTitle, 'turn before'],
]

function openedBy(line: string): { readonly state: State; readonly rest: string } | undefined {
  const found = titles.find(([title]) => line.startsWith(title))
  return found && { state: found[1], rest: line.slice(found[0].length).trim() }
}
