// What is an embedder beside the words worth? Evidence in view and tokens read per turn, with words alone and with vectors.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseMessage, recall } from '../dist/index.js'
import { ollamaEmbed } from '../dist/models/index.js'
import { readConversation } from './.build/core/context/conversation/conversation.js'
import { meaningOf } from './.build/history/log/vectors/meaning.js'
import { embeddedText } from './.build/history/log/vectors/thread-vectors.js'
import { chunkSize, emptyChunk, toChunk } from './.build/history/log/vectors/vector-chunk.js'
import { loadSets } from './lib/conversations.mjs'
import { measureQuality } from './lib/measure-quality.mjs'
import { measureReads } from './lib/measure-reads.mjs'
import { count, fitted } from './lib/policies.mjs'
import { standIn } from './lib/stand-in.mjs'
import { formatTable } from './lib/table.mjs'
import { vectorsFor } from './lib/vector-file.mjs'

const window = 4096
/** More effort also finds more, for more tokens: vectors must be worth more than that. */
const efforts = [0.5, 0.6]

const args = readArgs()
const weights = args.weight.split(',').map(Number)
const result = {}
for (const [set, all] of Object.entries(loadSets(args.data))) {
  if (!set.includes(args.only)) continue
  const conversations = all.slice(0, Number(args.most))
  const texts = conversations.flatMap(textsOf)
  const embedder = args['stand-in']
    ? standIn(texts)
    : ollamaEmbed({ model: args.model, host: args.url })
  const file =
    args.vectors ?? join(tmpdir(), `throughline-vectors-${embedder.model.replace(/\W/g, '-')}`)
  // What the stand-in learns from changes its vectors: they are made anew.
  const vectors = await vectorsFor(texts, embedder, args['stand-in'] ? undefined : file)
  const subjects = {
    ...Object.fromEntries(
      efforts.map(effort => [`words, effort ${effort}`, fitted(recall({ effort }))]),
    ),
    ...Object.fromEntries(
      weights.map(weight => [`meaning, weight ${weight}`, withMeaning(vectors, weight)]),
    ),
  }
  result[set] = {}
  for (const [name, build] of Object.entries(subjects)) {
    console.error(`embed: ${set}, ${name}`)
    // What is known of a conversation is remembered by its objects: every subject has its own.
    const own = structuredClone(conversations)
    const { all, mean, questions } = measureQuality(own, build, window)
    const { readPerTurn } = measureReads(own, build, window)
    result[set][name] = { all, mean, questions, readPerTurn }
  }
}
console.log(args.json ? JSON.stringify(result, null, 2) : toTable(result))

/** The default policy, with the vectors that a history would have stored. */
function withMeaning(vectors, weight) {
  const build = fitted(recall({ effort: efforts[0] }))
  const byMessage = new WeakMap()
  const vectorOf = message => {
    if (!byMessage.has(message)) byMessage.set(message, vectors.get(embeddedText(message)))
    return byMessage.get(message)
  }
  return (messages, window) => {
    const { transcript } = readConversation(messages, count)
    const all = transcript.entries.map(({ message }) => vectorOf(message))
    const chunks = []
    for (let from = 0; from < all.length; from += chunkSize)
      chunks.push(toChunk(emptyChunk.since, all.slice(from, from + chunkSize)))
    transcript.meaning = meaningOf(transcript, 0, weight, chunks)
    return build(messages, window)
  }
}

function textsOf({ turns, questions }) {
  const asked = questions.map(({ text }) => ({ role: 'user', content: text }))
  return [...turns, ...asked].map(message => embeddedText(parseMessage(message, 0)))
}

function readArgs() {
  const text = given => ({ type: 'string', ...(given !== undefined && { default: given }) })
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        data: text(),
        url: text('http://127.0.0.1:11434'),
        model: text('nomic-embed-text'),
        'stand-in': { type: 'boolean', default: false },
        weight: text('1'),
        only: text(''),
        most: text('1000000'),
        vectors: text(),
      },
    })
    return values
  } catch (error) {
    console.error(`bench: ${error.message}`)
    process.exit(2)
  }
}

function toTable(result) {
  const head = ['set', 'recall', 'ALL %', 'MEAN %', 'read per turn', 'questions']
  const rows = Object.entries(result).flatMap(([set, bySubject]) =>
    Object.entries(bySubject).map(([name, { all, mean, readPerTurn, questions }]) => [
      set,
      name,
      (all * 100).toFixed(1),
      (mean * 100).toFixed(1),
      String(readPerTurn),
      String(questions),
    ]),
  )
  return formatTable([head, ...rows])
}
