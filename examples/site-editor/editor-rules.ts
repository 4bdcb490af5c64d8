/**
 * A model that is no language model: a few rules that understand a few requests, so that the editor can be tried without a
 * server. It works as a language model does here: it calls tools over several rounds, then answers and writes a note.
 */
import { type Model, type RulesAnswer, rules } from 'throughline/models'
import { askBack, chipsFor } from '../shared/understanding.ts'
import { inkOn } from './colours.ts'
import {
  addLine,
  addLink,
  emptied,
  pageLike,
  pathFor,
  property,
  removeLink,
  replaceText,
  replaceTitle,
  setProperty,
  titleOf,
} from './edit-page.ts'
import { isClipped, readTurn, type TurnSoFar } from './read-turn.ts'
import {
  backgroundNote,
  isOfChange,
  pageOf,
  type SiteState,
  siteUnderstanding,
  titleNote,
  topicOf,
  understand,
  type Wish,
} from './understand.ts'

export interface EditorRulesOptions {
  readonly window?: number
  /** The pause before each word, so that it looks like a stream. */
  readonly delayMs?: number
}

export function editorRules({ window = 4096, delayMs = 0 }: EditorRulesOptions = {}): Model {
  return rules(({ messages }) => answer(readTurn(messages)), { name: 'rules', window, delayMs })
}

/** The next step: the model is asked again after each round of tools, and sees what they gave. */
function answer(turn: TurnSoFar): RulesAnswer {
  const notes = turn.notes.filter(isOfChange)
  const state = { notes, ...(turn.files && { files: turn.files }) }
  const wish = understand(turn.request, state)
  if (turn.problem) return refused(turn, turn.problem)
  switch (wish?.kind) {
    case 'title':
    case 'page':
    case 'remove':
    case 'empty':
    case 'line':
    case 'replace':
      return editPages(turn, wish)
    case 'background':
      return editStyle(turn, wish.colour)
    case 'read':
      return showFile(turn, wish.path)
    case 'list':
      if (!turn.files) return listFirst
      return say(turn, `The site has these files: ${turn.files.join(', ')}.`, 'Listed the files.')
    case 'changes':
      return say(turn, tellChanges(notes), 'Told what was changed.')
    case 'undo':
      if (turn.written.length === 0)
        return { text: 'I take it back.', calls: [{ name: 'undo_change' }] }
      return say(
        turn,
        `Taken back: ${turn.written.join(', ')}.`,
        `Took back the change of ${turn.written.join(', ')}.`,
      )
    case 'anyway':
      if (turn.written.length === 0)
        return { text: 'I write it.', calls: [{ name: 'write_anyway' }] }
      return say(
        turn,
        `${turn.written.join(', ')} is written.`,
        `Wrote ${turn.written.join(', ')}, as the user wanted.`,
      )
    case 'nothing':
      return say(turn, 'All right, I change nothing.', 'Changed nothing.')
    default:
      return ask(turn, state)
  }
}

/** What was not understood changes nothing. The files are looked at first, so that the chips name pages that there are. */
function ask(turn: TurnSoFar, state: SiteState): RulesAnswer {
  if (!turn.files) return listFirst
  const pageNamed = state.files ? understand(turn.request, state) : undefined
  if (pageNamed?.kind === 'read') return showFile(turn, pageNamed.path)
  const isOfColour = /background|hintergrund|fond|colou?r|farbe|couleur/i.test(turn.request)
  const colours = isOfColour ? ['make the background teal', 'make the background cream'] : []
  const chips = [...colours, ...chipsFor(siteUnderstanding, { ...state, text: turn.request })]
  return say(turn, askBack(turn.request, chips, turn.answers), 'Did not understand the request.')
}

function tellChanges(notes: readonly string[]): string {
  if (notes.length === 0) return 'I have no note of a change.'
  return `From my notes:\n${notes.map((note, at) => `${at + 1}. ${note}`).join('\n')}`
}

/** A tool refused. A write that would lose something is a question to the user. */
function refused(turn: TurnSoFar, problem: string): RulesAnswer {
  if (!/ was not written: /.test(problem))
    return say(turn, `That did not work: ${problem}`, `A tool refused: ${problem}`)
  const [why = ''] = problem.split('. Ask the user')
  const text = `${why}. Shall it be written anyway?\nTry: “keep it as it is”, “write it anyway”`
  return say(turn, text, 'Asked before a write that loses text.')
}

type PageWish = Extract<Wish, { kind: 'title' | 'page' | 'remove' | 'empty' | 'line' | 'replace' }>

/** First the list, then every page in one round, then every changed page in one round. */
function editPages(turn: TurnSoFar, wish: PageWish): RulesAnswer {
  if (!turn.files) return listFirst
  const done = doneBy(turn, wish)
  if (turn.written.length > 0) return say(turn, done.text, done.note)
  const pages = turn.files.filter(path => path.endsWith('.html')).slice(0, 12)
  if (!pages.includes('index.html')) return say(turn, 'There is no index.html.', 'No index.html.')
  const missing = 'topic' in wish && wish.kind !== 'page' && pageIn(turn, wish.topic) === undefined
  if (missing) return ask(turn, { notes: turn.notes.filter(isOfChange), files: turn.files })
  if (wish.kind === 'page' && pages.includes(pathFor(wish.topic)))
    return say(
      turn,
      `There is a page ${pathFor(wish.topic)} already.`,
      `${pathFor(wish.topic)} was there already.`,
    )
  const unread = pages.filter(path => !turn.read.has(path))
  if (unread.length > 0)
    return {
      text: `I read ${unread.join(', ')}.`,
      calls: unread.map(path => ({ name: 'read_file', arguments: { path } })),
    }
  const long = pages.find(path => isClipped(turn.read.get(path)!))
  if (long)
    return say(
      turn,
      `I see only the beginning of ${long}: it is too long for me.`,
      `${long} is too long.`,
    )
  return writePages(turn, wish)
}

/** The page that a wish names. "Remove the page" means the one that was added last. */
function pageIn({ files = [], notes }: TurnSoFar, topic: string): string | undefined {
  const added = notes.flatMap(note => /^Added (\S+\.html) about /.exec(note)?.[1] ?? []).at(-1)
  return topic === '' ? files.find(path => path === added) : pageOf(topic, files)
}

function writePages(turn: TurnSoFar, wish: PageWish): RulesAnswer {
  const index = turn.read.get('index.html') ?? ''
  const old = titleOf(index) ?? ''
  const path = 'topic' in wish ? (pageIn(turn, wish.topic) ?? '') : ''
  const only = (edit: (text: string) => string) => (text: string, at: string) =>
    at === path ? edit(text) : text
  switch (wish.kind) {
    case 'title':
      if (old === '' || wish.title === '')
        return say(turn, 'I find no title to change.', 'No title found.')
      return write(turn, 'I change the title.', text => replaceTitle(text, old, wish.title))
    case 'page': {
      const fresh = pathFor(wish.topic)
      const added = new Map(turn.read).set(fresh, pageLike(index, wish.topic, old))
      return write({ ...turn, read: added }, 'I write the page and its links.', text =>
        addLink(text, fresh, wish.topic),
      )
    }
    case 'remove': {
      const others = new Map([...turn.read].filter(([at]) => at !== path))
      const edited = write({ ...turn, read: others }, 'I remove the page and its links.', text =>
        removeLink(text, path),
      )
      const calls = typeof edited === 'object' ? (edited.calls ?? []) : []
      return {
        text: 'I remove the page and its links.',
        calls: [...calls, { name: 'remove_file', arguments: { path } }],
      }
    }
    case 'empty':
      return write(
        turn,
        'I empty the page.',
        only(text => emptied(text, topicOf(path))),
      )
    case 'line':
      return write(
        turn,
        'I write the line.',
        only(text => addLine(text, wish.text)),
      )
    case 'replace': {
      const isThere = [...turn.read.values()].some(
        text => replaceText(text, wish.text, wish.by) !== text,
      )
      if (!isThere)
        return ask(turn, { notes: turn.notes.filter(isOfChange), files: turn.files ?? [] })
      return write(turn, 'I put the new text there.', text => replaceText(text, wish.text, wish.by))
    }
  }
}

/** What is said when the files are written, and the note of it. */
function doneBy(
  { read, written }: TurnSoFar,
  wish: PageWish,
): { readonly text: string; readonly note: string } {
  const removed = written.find(path => path !== 'index.html') ?? ''
  switch (wish.kind) {
    case 'title':
      return {
        text: `The title is now “${wish.title}”, on every page.`,
        note: titleNote(titleOf(read.get('index.html') ?? '') ?? '', wish.title),
      }
    case 'page': {
      const path = pathFor(wish.topic)
      return {
        text: `There is a page about ${wish.topic} now, ${path}, and every page links to it.`,
        note: `Added ${path} about ${wish.topic}, linked in the nav of every page.`,
      }
    }
    case 'remove': {
      const path = written.at(-1) ?? removed
      return {
        text: `${path} is removed, and no page links to it.`,
        note: `Removed ${path} and the links to it.`,
      }
    }
    case 'empty':
      return { text: `${written[0]} has only its heading now.`, note: `Emptied ${written[0]}.` }
    case 'line':
      return {
        text: `“${wish.text}” stands on ${written[0]} now.`,
        note: `Added the line "${wish.text}" to ${written[0]}.`,
      }
    case 'replace':
      return {
        text: `“${wish.by}” stands in place of “${wish.text}”, on ${written.join(', ')}.`,
        note: `Replaced "${wish.text}" by "${wish.by}" on ${written.join(', ')}.`,
      }
  }
}

function editStyle(turn: TurnSoFar, colour: string): RulesAnswer {
  if (!turn.files) return listFirst
  const path = 'style.css'
  const css = turn.read.get(path)
  if (!turn.files.includes(path)) return say(turn, 'There is no style.css.', 'No style.css.')
  if (css === undefined)
    return { text: 'I read style.css.', calls: [{ name: 'read_file', arguments: { path } }] }
  const was = property(css, 'background')
  if (was === undefined || isClipped(css))
    return say(turn, 'I find no --background in style.css.', 'No --background in style.css.')
  if (turn.written.length > 0)
    return say(turn, `The background is ${colour} now.`, backgroundNote(was, colour))
  return write({ ...turn, read: new Map([[path, css]]) }, 'I change the colours.', text =>
    setProperty(setProperty(text, 'background', colour), 'ink', inkOn(colour)),
  )
}

function showFile(turn: TurnSoFar, path: string): RulesAnswer {
  const text = turn.read.get(path)
  if (text === undefined)
    return { text: `I read ${path}.`, calls: [{ name: 'read_file', arguments: { path } }] }
  return say(
    turn,
    `${path} has ${text.length} characters and begins:\n\n${text.slice(0, 400)}`,
    `Showed ${path}.`,
  )
}

const listFirst: RulesAnswer = { text: 'I look at the files.', calls: [{ name: 'list_files' }] }

/** Writes every file that was read and that `change` changes, and what is new. */
function write(
  turn: TurnSoFar,
  text: string,
  change: (text: string, path: string) => string,
): RulesAnswer {
  const changed = [...turn.read].map(([path, before]) => ({
    path,
    before,
    text: change(before, path),
  }))
  const toWrite = changed.filter(
    ({ path, before, text }) => before !== text || !turn.files?.includes(path),
  )
  // Files are read side by side, so their order says nothing.
  toWrite.sort((a, b) => (a.path < b.path ? -1 : 1))
  if (toWrite.length === 0)
    return say(turn, 'It is so already: I changed nothing.', 'Nothing to change.')
  return {
    text,
    calls: toWrite.map(({ path, text }) => ({ name: 'write_file', arguments: { path, text } })),
  }
}

/** The last answer of a turn, with its note. A bracket in the note could end it too early. */
const say = ({ noteOpening }: TurnSoFar, text: string, note: string): RulesAnswer =>
  `${text}\n\n${noteOpening} ${note.replace(/[[\]\n]/g, ' ')}]`
