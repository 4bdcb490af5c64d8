/**
 * A model that is no language model: a few rules that understand a few requests, so that the editor can be tried without a
 * server. It works as a language model does here: it calls tools over several rounds, then answers and writes a note.
 */
import { type Model, type RulesAnswer, rules } from 'throughline/models'
import { colourNames, inkOn } from './colours.ts'
import { addLink, pageLike, pathFor, property, replaceTitle, setProperty, titleOf } from './edit-page.ts'
import { isClipped, readTurn, type TurnSoFar } from './read-turn.ts'
import { backgroundNote, titleNote, understand, type Wish } from './understand.ts'

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
  const wish = understand(turn.request, turn.notes)
  if (turn.problem) return say(turn, `That did not work: ${turn.problem}`, `A tool refused: ${turn.problem}`)
  switch (wish.kind) {
    case 'title':
    case 'page':
      return editPages(turn, wish)
    case 'background':
      return editStyle(turn, wish.colour)
    case 'read':
      return showFile(turn, wish.path)
    case 'list':
      if (!turn.files) return listFirst
      return say(turn, `The site has these files: ${turn.files.join(', ')}.`, 'Listed the files.')
    case 'unknown colour':
      return say(
        turn,
        `I know these colours: ${colourNames.join(', ')}; or write one as #rrggbb.`,
        'Colour unknown.',
      )
    case 'nothing to undo':
      return say(
        turn,
        'I can take back a title or a background, and only what I did last.',
        'Nothing to take back.',
      )
    case 'unknown':
      return say(turn, help, 'Did not understand the request.')
  }
}

const help = `I am a handful of rules, not a language model. I understand: "change the title to Blue Door", "add a page about opening hours", "make the background dark blue", "undo that", "show menu.html", "list the files". For anything else start me with --ollama and the name of a model.`

/** First the list, then every page in one round, then every changed page in one round. */
function editPages(turn: TurnSoFar, wish: Extract<Wish, { kind: 'title' | 'page' }>): RulesAnswer {
  if (!turn.files) return listFirst
  const pages = turn.files.filter(path => path.endsWith('.html')).slice(0, 12)
  const index = turn.read.get('index.html')
  if (!index && !pages.includes('index.html')) return say(turn, 'There is no index.html.', 'No index.html.')
  const unread = pages.filter(path => !turn.read.has(path))
  const path = wish.kind === 'page' ? pathFor(wish.topic) : ''
  if (turn.written.length === 0) {
    if (pages.includes(path))
      return say(turn, `There is a page ${path} already.`, `${path} was there already.`)
    if (unread.length > 0 || index === undefined)
      return {
        text: `I read ${unread.join(', ')}.`,
        calls: unread.map(path => ({ name: 'read_file', arguments: { path } })),
      }
    const long = pages.find(path => isClipped(turn.read.get(path)!))
    if (long)
      return say(turn, `I see only the beginning of ${long}: it is too long for me.`, `${long} is too long.`)
  }
  const old = titleOf(index ?? '') ?? ''
  if (wish.kind === 'title') {
    if (turn.written.length > 0)
      return say(turn, `The title is now “${wish.title}”, on every page.`, titleNote(old, wish.title))
    if (old === '' || wish.title === '') return say(turn, 'I find no title to change.', 'No title found.')
    return write(turn, 'I change the title.', text => replaceTitle(text, old, wish.title))
  }
  if (turn.written.length > 0) {
    const done = `There is a page about ${wish.topic} now, ${path}, and every page links to it.`
    return say(turn, done, `Added ${path} about ${wish.topic}, linked in the nav of every page.`)
  }
  const added = new Map(turn.read).set(path, pageLike(index!, wish.topic, old))
  return write({ ...turn, read: added }, 'I write the page and its links.', text =>
    addLink(text, path, wish.topic),
  )
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
function write(turn: TurnSoFar, text: string, change: (text: string) => string): RulesAnswer {
  const changed = [...turn.read].map(([path, before]) => ({ path, before, text: change(before) }))
  const toWrite = changed.filter(({ path, before, text }) => before !== text || !turn.files?.includes(path))
  // Files are read side by side, so their order says nothing.
  toWrite.sort((a, b) => (a.path < b.path ? -1 : 1))
  if (toWrite.length === 0) return say(turn, 'It is so already: I changed nothing.', 'Nothing to change.')
  return {
    text,
    calls: toWrite.map(({ path, text }) => ({ name: 'write_file', arguments: { path, text } })),
  }
}

/** The last answer of a turn, with its note. A bracket in the note could end it too early. */
const say = ({ noteOpening }: TurnSoFar, text: string, note: string): RulesAnswer =>
  `${text}\n\n${noteOpening} ${note.replace(/[[\]\n]/g, ' ')}]`
