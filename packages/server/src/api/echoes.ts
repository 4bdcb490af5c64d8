import type { LoggedMessage, Thread } from '@throughline/history'

/**
 * The places of a reply and of the question before it, where the reply only says the question again: it has no name and no
 * number that the question has not. Such a reply holds nothing that a later question could look for. Undefined for any other
 * message, and for scripts without capitals, in which names cannot be told.
 */
export async function echoAt(thread: Thread, seq: number): Promise<readonly number[] | undefined> {
  const entries = await thread.entries({ at: seq + 1, limit: 3 })
  const at = entries.findIndex(entry => entry.seq === seq)
  const reply = entries[at]?.message.role === 'user' ? entries[at + 1] : entries[at]
  const question = reply && entries.find(entry => entry.seq === reply.seq - 1)
  if (!reply || question?.message.role !== 'user' || reply.message.role !== 'assistant')
    return undefined
  const [asked, said] = [textOf(question), textOf(reply)]
  const isEcho = asked.includes('?') && hasCase.test(said) && !addsTo(asked, said)
  return isEcho ? [question.seq, reply.seq] : undefined
}

const textOf = ({ reading }: LoggedMessage) => reading.text.slice(0, mostCharacters)

const mostCharacters = 4000
const hasCase = /\p{Ll}/u

/** Whether a text has a number, or a capital within a sentence, in a word that another text has not. */
function addsTo(asked: string, said: string): boolean {
  const known = new Set(asked.toLowerCase().match(words) ?? [])
  return [...said.matchAll(words)].some(({ 0: word, index }) => {
    if (known.has(word.toLowerCase()) || pronouns.has(word)) return false
    if (/\p{N}/u.test(word)) return true
    const before = said.slice(Math.max(0, index - 3), index).trimEnd()
    return /^\p{Lu}/u.test(word) && before !== '' && !/[.!?:\n"“(]$/.test(before)
  })
}

const words = /[\p{L}\p{N}]+/gu
const pronouns = new Set(['I'])
