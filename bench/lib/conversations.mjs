import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A pause between two sessions, and one between two messages, where the data only says which session a message is of. */
const pause = 24 * 60 * 60 * 1000
const minute = 60 * 1000

/**
 * Every set of annotated conversations in a folder (`<set>.jsonl` or `<set>.jsonl.gz`; a file without questions is passed
 * over). A marker, the line that dates a session, is put before the text of the next message; a new session is a pause.
 */
export function loadSets(folder) {
  if (!folder) {
    console.error('bench: give the folder of the data: --data DIR (see CONTRIBUTING.md)')
    process.exit(2)
  }
  const sets = {}
  for (const file of readdirSync(folder)
    .filter(name => /\.jsonl(\.gz)?$/.test(name))
    .sort()) {
    const conversations = readLines(join(folder, file))
    if (!conversations.every(one => Array.isArray(one.questions))) continue
    sets[basename(file).replace(/\.jsonl(\.gz)?$/, '')] = conversations.map(toConversation)
  }
  return sets
}

/** The conversations of a set as a client has them: without times, a line that dates a session is a system message. */
export function loadUntimed(folder, set) {
  return readLines(join(folder, `${set}.jsonl.gz`)).map(({ messages }) => ({
    messages: messages.map(({ role, text }) => ({ role, content: text })),
  }))
}

function readLines(file) {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

function toConversation({ id, messages, questions }) {
  const turns = []
  /** Place of a message of the data in `turns`; a marker has the place of the message that carries it. */
  const places = []
  let label = ''
  let time = 0
  let session
  for (const { role, text, kind, sess } of messages) {
    places.push(turns.length)
    if (kind === 'marker') {
      label = `${text}\n`
      continue
    }
    time += session !== undefined && sess !== session ? pause : minute
    session = sess
    turns.push({ role, content: label + text, time })
    label = ''
  }
  return {
    id,
    turns,
    questions: questions
      .map(({ q, cat, at: index, evidence, answer }) => {
        const at = index < messages.length ? places[index] : turns.length
        return {
          text: q,
          ...(answer !== undefined && { answer }),
          category: cat,
          at,
          // Asked when the message in its place was: after a pause, if that one opens a session. At the end, a minute later.
          time: turns[at]?.time ?? time + minute,
          evidence: [...new Set(evidence.map(index => places[index]))],
        }
      })
      .sort((a, b) => a.at - b.at),
  }
}
