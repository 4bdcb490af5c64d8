// What does a model answer from the context alone? Questions about the past with a key, answered from the context of each
// policy by a model of yours, and graded against the key by a model that does not know whose context it was.
//
//   npm run bench -- answers --data DIR --upstream http://localhost:11434 --model M [--grader-upstream URL] [--grader M]
//     [--questions 70] [--window 4096] [--policies last-N,default] [--sets locomo,beam100K] [--out FILE] [--json]
import { writeFileSync } from 'node:fs'
import { readArgs } from './lib/args.mjs'
import { askModel, everyNth, grade } from './lib/ask-model.mjs'
import { loadSets } from './lib/conversations.mjs'
import { policies } from './lib/policies.mjs'
import { formatTable } from './lib/table.mjs'

const text = fallback => ({ type: 'string', default: fallback })
const { json, data, upstream, model, out, ...wanted } = readArgs({
  upstream: { type: 'string' },
  model: { type: 'string' },
  'grader-upstream': { type: 'string' },
  grader: { type: 'string' },
  questions: text('70'),
  window: text('4096'),
  policies: text('last-N,BM25 and the last exchange,default,thorough'),
  sets: text('locomo,beam100K'),
  out: { type: 'string' },
})
if (!upstream || !model) fail('give a model that answers: --upstream URL --model NAME')
const names = wanted.policies.split(',')
const unknown = names.find(name => !Object.hasOwn(policies, name))
if (unknown) fail(`there is no policy "${unknown}": use ${Object.keys(policies).join(', ')}`)
const most = Number(wanted.questions)
const window = Number(wanted.window)
if (!(Number.isInteger(most) && most > 0)) fail('--questions: expected a whole number above 0')
if (!(Number.isInteger(window) && window > 0)) fail('--window: expected a whole number above 0')

const key = process.env.UPSTREAM_API_KEY
const answerer = { upstream, model, key }
const grader = {
  upstream: wanted['grader-upstream'] ?? upstream,
  model: wanted.grader ?? model,
  key: process.env.GRADER_API_KEY ?? key,
}
const instruction =
  'Answer the last message from this conversation alone, in a few words. If the conversation does not say it, say so.'

const sets = loadSets(data)
const asked = everyNth(
  wanted.sets
    .split(',')
    .flatMap(set =>
      (sets[set] ?? []).flatMap(({ turns, questions }) =>
        questions.flatMap(question =>
          question.answer === undefined ? [] : [{ set, turns, ...question }],
        ),
      ),
    ),
  most,
)
if (asked.length === 0) fail(`no question of ${wanted.sets} in ${data} has an answer to grade by`)

const results = []
for (const [place, { set, turns, at, time, text: question, answer }] of asked.entries()) {
  console.error(`answers: question ${place + 1} of ${asked.length}`)
  const chat = [...turns.slice(0, at), { role: 'user', content: question, time }]
  for (const policy of names) {
    const { sent, tokens } = policies[policy](chat, window)
    const messages = [
      { role: 'system', content: instruction },
      ...sent.map(({ role, content }) => ({ role, content })),
    ]
    const reply = await askModel(answerer, messages)
    const points = reply.error
      ? undefined
      : await grade(grader, { question, key: answer, reply: reply.text })
    const { error = points?.error } = reply
    results.push({
      set,
      policy,
      question,
      key: answer,
      tokens,
      reply: reply.text,
      points: points?.points,
      error,
    })
  }
}
if (out) writeFileSync(out, results.map(result => `${JSON.stringify(result)}\n`).join(''))
const rows = names.map(toRow)
console.log(json ? JSON.stringify(rows, null, 2) : toTable())
if (rows.every(({ graded }) => graded === 0)) fail(`no answer was graded: ${results[0].error}`, 1)

function toRow(policy) {
  const own = results.filter(result => result.policy === policy)
  const graded = own.filter(({ points }) => points !== undefined)
  const mean = (list, field) =>
    list.reduce((sum, one) => sum + one[field], 0) / Math.max(1, list.length)
  return {
    policy,
    right: mean(graded, 'points'),
    graded: graded.length,
    failed: own.length - graded.length,
    tokens: mean(own, 'tokens'),
  }
}

function toTable() {
  const head = ['policy', 'right %', 'graded', 'failed', 'tokens of a context']
  const cells = ({ policy, right, graded, failed, tokens }) => [
    policy,
    (100 * right).toFixed(1),
    ...[graded, failed].map(String),
    tokens.toFixed(0),
  ]
  return formatTable([head, ...rows.map(cells)])
}

function fail(line, code = 2) {
  console.error(`bench: ${line}`)
  process.exit(code)
}
