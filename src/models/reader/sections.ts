import {
  actionsTitle,
  artifactTitle,
  notesTitle,
  previousActionsTitle,
  recallTitle,
} from '../../log/texts.ts'

/** The forms in which a context says what was cut from it. */
const digestLine = /^\[Previous: "(.*)" → (.*)\]$/
const recalledLine = /^#(\d+) (system|user|assistant|tool)\b[^:\n]*: ?(.*)$/
const actionLine = /^(\d+)\. \[[^\]]+\]/
const noteLine = /^\[Note to self from previous turn:\] ?(.*)$/
/** Lines about the conversation, which cannot answer a question. */
const emptyLine =
  /^(?:\[(?:Several conversation turns removed|Cancelled by the user|The user cancelled this answer|Interrupted\.|This turn failed|The assistant begins).*\]|\(acknowledged\)|\(\.\.\. and \d+ earlier actions?\))$/

/** A piece of a message's text: its own words, or a form that stands for something older. */
export type Section =
  | { readonly kind: 'own' | 'note'; readonly text: string }
  | {
      readonly kind: 'recalled'
      readonly seq: number
      readonly role: 'system' | 'user' | 'assistant' | 'tool'
      readonly text: string
    }
  | { readonly kind: 'digest'; readonly request: string; readonly text: string }
  | { readonly kind: 'action'; readonly number: number; readonly isThisTurn: boolean; readonly text: string }

type State = 'own' | 'recalled' | 'notes' | 'this turn' | 'turn before' | 'artifact'

/** Splits a text by lines: a title opens a section, a blank line or the next title ends it. */
export function splitSections(text: string): readonly Section[] {
  const sections: Section[] = []
  let state: State = 'own'
  /** Recalled texts may have several paragraphs: only a number begins a new one. */
  let recalled: Extract<Section, { kind: 'recalled' }> | undefined
  const flush = () => {
    if (recalled !== undefined) sections.push(recalled)
    recalled = undefined
  }
  for (const whole of text.split('\n')) {
    const opened = openedBy(whole)
    if (opened !== undefined) {
      flush()
      state = opened.state
      if (opened.rest === '') continue
    }
    const line = opened?.rest ?? whole
    const digest = digestLine.exec(line)
    const numbered = state === 'recalled' ? recalledLine.exec(line) : undefined
    const action = state === 'this turn' || state === 'turn before' ? actionLine.exec(line) : undefined
    const note = noteLine.exec(line)?.[1]
    if (digest) sections.push({ kind: 'digest', request: digest[1]!, text: digest[2]! })
    else if (numbered) {
      flush()
      recalled = {
        kind: 'recalled',
        seq: Number(numbered[1]),
        role: numbered[2] as 'user',
        text: numbered[3]!,
      }
    } else if (recalled) recalled = { ...recalled, text: `${recalled.text}\n${line}` }
    else if (action)
      sections.push({
        kind: 'action',
        number: Number(action[1]),
        isThisTurn: state === 'this turn',
        text: line,
      })
    else if (line.trim() === '') state = state === 'recalled' ? state : 'own'
    else if (note !== undefined || state === 'notes') sections.push({ kind: 'note', text: note ?? line })
    else if (state !== 'artifact' && !emptyLine.test(line)) sections.push({ kind: 'own', text: line })
  }
  flush()
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
