import { isObject } from '../../log/parse-json.ts'
import { type Details, digestOf } from './details.ts'
import type { Compared } from './item.ts'
import { isClipped, withoutBrackets } from './left-out.ts'

/**
 * How a client's copy of a message agrees with the log's: in everything, or in all that the client did not leave out. A copy
 * with something that the log does not have is another message.
 */
export function agreement(logged: Compared, copy: Compared): 'same' | 'less' | undefined {
  if (logged.isErased) return roleIn(logged) === roleIn(copy) ? 'same' : undefined
  if (logged.text !== copy.text) {
    if (isWithThoughts(logged, copy)) return 'same'
    // A client that keeps texts only keeps the text beside calls as a reply of its own.
    return isText(copy) && logged.details?.beside === textOf(copy) && textOf(copy) !== '' ? 'less' : undefined
  }
  const { details = none } = logged
  const { details: other = none } = copy
  if (digestOf(details) === digestOf(other)) return 'same'
  const isKept =
    keepsFiles(other, details) &&
    keepsResult(other, details) &&
    other.calls.every((kept, at) => keepsArguments(kept, details.calls[at] ?? ''))
  // The text beside calls is changed by many clients: it only tells which of two copies is the better one.
  return isKept ? 'less' : undefined
}

/** Whether a client has put the texts of a turn into one reply, without the calls and results before its end. */
export function joinedAgreement(rounds: readonly Compared[], end: Compared, copy: Compared) {
  if (rounds.length === 0 || !isText(end) || !isText(copy)) return undefined
  const texts = [...rounds.map(({ details }) => details?.beside ?? ''), textOf(end)]
  return squeezed(texts.join('')) === squeezed(textOf(copy)) ? 'less' : undefined
}

const roleIn = ({ text }: Compared) => /^\w+/.exec(text)?.[0]

const replyText = 'assistant:'

const isText = ({ text }: Compared) => text.startsWith(replyText)

const textOf = ({ text }: Compared) => text.slice(replyText.length)

/** Clients differ in what they put between two texts. */
const squeezed = (text: string) => text.replace(/\s+/g, '')

const none: Details = { files: [], brackets: '', calls: [], result: '', beside: '' }

/** Whether a client has put the thoughts of a reply in front of its text. */
function isWithThoughts(logged: Compared, copy: Compared): boolean {
  const { thinking } = logged
  if (thinking === undefined || !isText(logged) || !isText(copy)) return false
  const text = textOf(copy)
  return text.startsWith(thinking) && text.slice(thinking.length).trim() === textOf(logged)
}

/** Whether a copy has no files but those of the log, in their order. A line in brackets stands for one that is missing. */
function keepsFiles(kept: Details, { files, brackets }: Details): boolean {
  let at = 0
  for (const file of files) if (kept.files[at] === file) at += 1
  if (at < kept.files.length) return false
  return brackets === kept.brackets || (brackets === '' && files.length > kept.files.length)
}

function keepsResult(kept: Details, { result, files }: Details): boolean {
  if (kept.result === result || isClipped(kept.result, result)) return true
  return files.length > kept.files.length && withoutBrackets(kept.result) === result
}

/** Whether arguments are those of the log, but for texts that were clipped, or for all of them. */
function keepsArguments(kept: string, whole: string): boolean {
  if (kept === whole || kept === '') return true
  try {
    return keepsValue(JSON.parse(kept), JSON.parse(whole))
  } catch {
    return isClipped(kept, whole)
  }
}

function keepsValue(kept: unknown, whole: unknown): boolean {
  if (typeof kept === 'string' && typeof whole === 'string') return kept === whole || isClipped(kept, whole)
  if (Array.isArray(kept) && Array.isArray(whole))
    return kept.length === whole.length && kept.every((one, at) => keepsValue(one, whole[at]))
  if (!isObject(kept) || !isObject(whole)) return kept === whole
  const names = Object.keys(kept)
  return (
    names.length === Object.keys(whole).length &&
    names.every(name => Object.hasOwn(whole, name) && keepsValue(kept[name], whole[name]))
  )
}
