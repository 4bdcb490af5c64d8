import { InvalidOptionError, refuseUnknown } from '../log/error.ts'
import {
  closingOf,
  createMarker,
  findBeginning,
  findBold,
  isSign,
  isUnmistakable,
} from './marker.ts'

/** What tells notes from text that only looks like one. */
export interface NoteOptions {
  /** A secret in the marker: of `a1b2` only `[NOTE TO SELF a1b2: …]` is kept, no other. 1 to 32 letters, digits; case counts. */
  readonly nonce?: string | undefined
}

/** A reply, parted into what a user sees and the note. */
export interface SplitReply {
  /** The text that may be shown. */
  readonly visible: string
  /** The note: trimmed, never empty, at most 4000 characters. */
  readonly note?: string
}

/** Takes the note out of a reply while it streams. */
export interface NoteScanner {
  /** Takes the next piece of a reply; returns the text that can be shown now. */
  push(chunk: string): string
  /** Ends a reply, whole or not: the rest of its visible text and its note; called again, the note alone. Push nothing after it. */
  end(): SplitReply
  /** How many characters of what was pushed are shown or hidden for good, and how many of those were shown as they came. */
  progress(): { readonly settled: number; readonly shown: number }
}

/**
 * Separates the visible text of a reply from its note blocks, `[NOTE TO SELF: …]`, as the reply arrives. The result does
 * not depend on how the chunks are cut.
 *
 * - Blocks are found in all the forms in which models write them, with any nonce: see `createMarker`.
 * - Brackets inside a note balance. A block that never closes reaches to the end of the reply. So does a marker
 *   that breaks off after `[NOTE TO`; a shorter beginning at the end of a reply is ordinary text.
 * - All blocks are cut; the last one that says something, and has the nonce, is the note.
 * - The white space around a block becomes one gap: that after the block, or that before it if it has more line breaks.
 *   At the beginning and at the end of a reply it is dropped. So are the signs around a block in bold.
 * - On each side at most 16 characters of white space are looked at: of a longer run before a block the first part has
 *   been shown already.
 * - Only a possible marker, signs that may set it in bold, and white space are held back.
 *
 * @example
 * const scanner = createNoteScanner()
 * scanner.push('Done.\n\n[NO') // 'Done.'
 * scanner.push('TE TO SELF: I added the footer.]') // ''
 * scanner.end() // { visible: '', note: 'I added the footer.' }
 */
export function createNoteScanner(options: NoteOptions = {}): NoteScanner {
  refuseUnknown(options, { nonce: 1 })
  const { nonce } = options
  checkNonce(nonce)
  const marker = createMarker()
  let held = ''
  let block: ReturnType<typeof openNoteBlock> | undefined
  /** How many signs that close the bold type of a block may follow it. */
  let closing = 0
  let note: string | undefined
  /** The white space around the blocks since the last visible text; undefined where there was no block. */
  let gap: Gap | undefined
  let pushed = 0
  let shown = 0

  function push(chunk: string): string {
    const text = held + chunk
    pushed += chunk.length
    let visible = ''
    let at = 0
    held = ''
    while (at < text.length) {
      if (block !== undefined) {
        at = block.read(text, at)
        if (block.isOpen()) break
        note = block.note() ?? note
        block = undefined
        continue
      }
      if (closing > 0) {
        closing = isSign(text[at]) ? closing - 1 : 0
        if (isSign(text[at])) at += 1
        continue
      }
      if (gap !== undefined) {
        const next = text.length - text.slice(at).trimStart().length
        gap = { before: gap.before, after: (gap.after + text.slice(at, next)).slice(0, mostSpace) }
        at = next
      }
      marker.lastIndex = at
      const match = marker.exec(text)
      const bracket = match?.index ?? findBeginning(text, at)
      // What was shown ends without white space, because that is held back.
      const end = findBold(text, bracket, at, gap !== undefined || shown === 0)
      const near = Math.max(at, end - mostSpace)
      const start = near + text.slice(near, end).trimEnd().length
      visible += show(text.slice(at, start))
      if (match === null) {
        held = text.slice(start)
        break
      }
      const [whole, inner = '', word] = match
      gap = { before: gap === undefined ? text.slice(start, end) : closeGap(gap), after: '' }
      closing = bracket - end
      block = openNoteBlock(nonce === undefined || word === nonce, inner, whole[0]!)
      at = bracket + whole.length
    }
    return visible
  }

  function end(): SplitReply {
    const visible = isUnmistakable(held) ? '' : show(held)
    held = ''
    // The block stays open, so that text pushed by mistake stays hidden.
    const lastNote = block?.note() ?? note
    return lastNote === undefined ? { visible } : { visible, note: lastNote }
  }

  function show(text: string): string {
    if (text === '') return ''
    const space = gap !== undefined && shown > 0 ? closeGap(gap) : ''
    gap = undefined
    shown += text.length
    return space + text
  }

  return { push, end, progress: () => ({ settled: pushed - held.length, shown }) }
}

const mostSpace = 16

type Gap = Readonly<Record<'before' | 'after', string>>

/** The white space of one side: blank lines before and after a block are not added up. */
const closeGap = ({ before, after }: Gap): string =>
  lines(after) >= lines(before) ? after : before

const lines = (space: string): number => space.split('\n').length

/**
 * Reads the inside of one block piece by piece, to its closing bracket. Brackets inside a note balance:
 * `[NOTE TO SELF: see items[0]]` is one block. Of a long block only a bounded part is kept; of one with another nonce
 * nothing. `signs`: what begins bold type inside of the block, as in `[**NOTE TO SELF:** …]`. `opening`: its bracket.
 */
function openNoteBlock(isOurs: boolean, signs: string, opening: string) {
  let depth = 1
  let body = ''

  /** Reads on from a place in a text; returns the place where the block ends, or the end of the text. */
  function read(text: string, from: number): number {
    const { at, left } = findClosing(text, from, depth, opening)
    depth = left
    keep(text.slice(from, depth > 0 ? at : at - 1))
    return at
  }

  /** Keeps one character more than a note may have, to know that it was cut. */
  function keep(part: string): void {
    body += (body === '' ? part.trimStart() : part).slice(0, MAX_NOTE + 1 - body.length)
  }

  const note = () =>
    isOurs ? toNote(body.startsWith(signs) ? body.slice(signs.length) : body) : undefined

  return { read, isOpen: () => depth > 0, note }
}

/** The place after the bracket that closes all open ones. If the text ends before: its end, and how many are left open. */
export function findClosing(text: string, from: number, open: number, opening = '[') {
  const brackets = new RegExp(`[\\${opening}\\${closingOf(opening)}]`, 'g')
  brackets.lastIndex = from
  let left = open
  while (left > 0) {
    const match = brackets.exec(text)
    if (match === null) return { at: text.length, left }
    left += match[0] === opening ? 1 : -1
  }
  return { at: brackets.lastIndex, left }
}

/** The longest note, in characters (about 1000 tokens): a note is a reminder, not a store. */
export const MAX_NOTE = 4000

/** The text of a note: trimmed, bounded, never half a character; `undefined` when nothing was said. */
export function toNote(text: string): string | undefined {
  const trimmed = text.trim()
  const cut = trimmed.length > MAX_NOTE
  const kept = cut ? trimmed.slice(0, MAX_NOTE - 1) : trimmed
  // A cut, or a stream that broke, may leave the first half of a surrogate pair.
  const whole = kept.replace(/[\ud800-\udbff]$/, '').trimEnd()
  return whole === '' ? undefined : whole + (cut ? '…' : '')
}

/** Only letters and digits: patterns cannot misread them and small models copy them. */
export function checkNonce(nonce: string | undefined): void {
  if (nonce === undefined || /^[a-z0-9]{1,32}$/i.test(nonce)) return
  throw new InvalidOptionError('nonce', 'must be 1 to 32 letters and digits')
}

/**
 * Cuts the note out of a whole reply. Only for a reply that the model wrote in this call: in any other text a block is
 * ordinary text, see `neutralizeNotes`.
 *
 * @example
 * splitNote("I've added the footer section.\n\n[NOTE TO SELF: I added the footer.]")
 * // { visible: "I've added the footer section.", note: 'I added the footer.' }
 */
export function splitNote(text: string, options: NoteOptions = {}): SplitReply {
  const scanner = createNoteScanner(options)
  const visible = scanner.push(text)
  const rest = scanner.end()
  return { ...rest, visible: visible + rest.visible }
}

/** Options of `noteFilter`. */
export interface NoteFilterOptions extends NoteOptions {
  /** Called once at the end of the reply, if the reply had a note. */
  readonly onNote?: ((note: string) => void) | undefined
}

/**
 * Cuts the note out of a reply that is streamed: text passes as it arrives, nothing of a note ever does.
 *
 * A stream that is cancelled or breaks is never flushed, so `onNote` is not called then. Where the note of a broken
 * reply must be kept, use `createNoteScanner` and call its `end()`.
 *
 * @example
 * reply.pipeThrough(noteFilter({ onNote: note => notes.push(note) }))
 */
export function noteFilter(options: NoteFilterOptions = {}): TransformStream<string, string> {
  refuseUnknown(options, { nonce: 1, onNote: 1 })
  const { nonce, onNote } = options
  const scanner = createNoteScanner({ nonce })
  return new TransformStream<string, string>({
    transform(chunk, controller) {
      const visible = scanner.push(chunk)
      if (visible !== '') controller.enqueue(visible)
    },
    flush(controller) {
      const { visible, note } = scanner.end()
      if (visible !== '') controller.enqueue(visible)
      if (note !== undefined) onNote?.(note)
    },
  })
}
