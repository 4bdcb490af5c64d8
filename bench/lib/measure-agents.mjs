import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Tokens of the window that are kept free for the reply. */
export const reserve = 1024

/** The complete runs of agents in the folder of the data, `{ id, messages }`: by default of coding agents, with one tool, `bash`. */
export function loadRuns(folder, set = 'swe-runs') {
  const text = gunzipSync(readFileSync(join(folder, `${set}.jsonl.gz`))).toString()
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

/**
 * Does the context of a step have what the agent's next command names and quotes? Asked for every step after the run has
 * outgrown the window. `fit` makes the context of a list of messages, `count` counts tokens of texts, for all alike.
 */
export function measureAgents(runs, fit, window, count) {
  const tokens = rememberTokens(count)
  const sum = { contexts: 0, read: 0, sent: 0, anchored: 0, anchors: 0, quoting: 0, lines: 0 }
  for (const { messages } of runs) {
    let previous = ''
    messages.forEach((message, at) => {
      if (at < 2 || !message.tool_calls) return
      const past = messages.slice(0, at)
      const log = past.map(textOf).join('\n')
      if (!isLonger(log, window - reserve, tokens)) return
      const sent = fit(past, window)
        .map(one => `${one.role}: ${textOf(one)}`)
        .join('\n')
      sum.contexts += 1
      sum.sent += tokens(sent)
      sum.read += tokens(sent.slice(sharedLength(previous, sent)))
      previous = sent
      const command = commandOf(message.tool_calls[0])
      const has = text => sent.includes(text)
      const anchors = anchorsIn(command).filter(text => log.includes(text))
      const lines = linesIn(command).filter(text => log.includes(text))
      sum.anchored += anchors.length > 0 ? 1 : 0
      sum.anchors += anchors.length > 0 && anchors.every(has) ? 1 : 0
      sum.quoting += lines.length > 0 ? 1 : 0
      sum.lines += lines.length > 0 && lines.every(has) ? 1 : 0
    })
  }
  return {
    steps: sum.contexts,
    anchors: sum.anchors / sum.anchored,
    lines: sum.lines / sum.quoting,
    read: sum.read / sum.contexts,
    sent: sum.sent / sum.contexts,
  }
}

/** Paths of 8 characters or more and names of 10 or more. */
function anchorsIn(command) {
  const paths = command.match(/[\w\-./]*\/[\w\-./]+/g) ?? []
  const names = command.match(/[A-Za-z_]\w{9,}/g) ?? []
  return [...new Set([...paths.filter(path => path.length >= 8), ...names])]
}

/** Lines of 20 characters or more. */
const linesIn = command =>
  command
    .split('\n')
    .map(line => line.trim())
    .filter(line => line.length >= 20)

const commandOf = call => JSON.parse(call.function.arguments).command

function textOf({ content, tool_calls = [] }) {
  const commands = tool_calls.map(commandOf)
  return [content ?? '', ...commands].join('\n')
}

/** Whether a text has more tokens: counted only where its length leaves it open. */
function isLonger(text, limit, tokens) {
  if (text.length / 2.5 < limit) return false
  return text.length / 5 >= limit || tokens(text) >= limit
}

/** The length of the common beginning of two texts. */
export function sharedLength(a, b) {
  let length = 0
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length))
    length += 1
  return length
}

function rememberTokens(count) {
  const known = new Map()
  return text => {
    let tokens = known.get(text)
    if (tokens === undefined) {
      tokens = count.text(text)
      if (text.length < 20_000) known.set(text, tokens)
    }
    return tokens
  }
}
