import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { getLlama, LlamaLogLevel } from 'node-llama-cpp'
import { vocabulary, writeModel } from './write-model.mjs'

/** The tokens that are read before the engine asks whether the client has left. */
const piece = 256

/**
 * A real llama.cpp on one thread behind HTTP, with sequences as slots, as its own server has them. The weights are random, so
 * replies come from a script: `script.reply` is read as if it had been written.
 */
export async function startEngine({ slots, window }) {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-ttft-'))
  const file = join(folder, 'random.gguf')
  writeModel(file)
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    maxThreads: 1,
    logLevel: LlamaLogLevel.disabled,
  })
  const model = await llama.loadModel({ modelPath: file })
  const context = await model.createContext({
    contextSize: window,
    sequences: slots,
    batchSize: piece,
    threads: 1,
    // The engine's flash attention reads fewer than 64 tokens one by one: 50 took 1,600 ms, 150 took 160.
    flashAttention: false,
  })
  const sequences = Array.from({ length: slots }, () => context.getSequence())
  const used = sequences.map(() => 0)
  const script = { reply: '' }
  const reads = []
  let requests = 0
  let turn = Promise.resolve()

  function choose(tokens, asked) {
    if (asked !== undefined) return asked
    const similar = sequences.map(
      ({ contextTokens }) => shared(tokens, contextTokens) / tokens.length,
    )
    const best = similar.indexOf(Math.max(...similar))
    return similar[best] > 0.1 ? best : used.indexOf(Math.min(...used))
  }

  async function answer(body, response) {
    const tokens = tokensOf(body.messages)
    const slot = choose(tokens, body.id_slot)
    const sequence = sequences[slot]
    used[slot] = ++requests
    const kept = Math.min(shared(tokens, sequence.contextTokens), tokens.length - 1)
    await sequence.eraseContextTokenRanges([{ start: kept, end: sequence.nextTokenIndex }])
    await read(sequence, tokens.slice(kept), response)
    if (response.destroyed) return
    const isAhead = body.n_predict === 0
    reads.push({ evaluated: tokens.length - kept, prompt: tokens.length, isAhead })
    const usage = {
      ...{ prompt_tokens: tokens.length, completion_tokens: 1 },
      prompt_tokens_details: { cached_tokens: kept },
    }
    const send = data =>
      response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', ...data })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (!isAhead) send({ choices: [{ index: 0, delta: { content: script.reply } }] })
    if (!isAhead) await read(sequence, toIds(script.reply), response)
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    send({ choices: [], usage })
    response.end('data: [DONE]\n\n')
  }

  const server = createServer((request, response) => {
    const parts = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const json = value =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      if (request.url === '/props') return json({ total_slots: slots, build_info: 'b6000-bench' })
      if (request.url === '/v1/models')
        return json({ data: [{ id: 'random', meta: { n_ctx: window } }] })
      if (request.url !== '/v1/chat/completions') return response.writeHead(404).end('{}')
      const body = JSON.parse(Buffer.concat(parts).toString() || '{}')
      turn = turn.then(() => answer(body, response)).catch(error => response.destroy(error))
    })
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    reads,
    script,
    async clear() {
      for (const sequence of sequences) await sequence.clearHistory()
      used.fill(0)
      reads.length = 0
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await context.dispose()
      await model.dispose()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Reads tokens piece by piece, and stops when the client has left. */
async function read(sequence, tokens, response) {
  for (let at = 0; at < tokens.length && !response.destroyed; at += piece)
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, at + piece))
}

function shared(one, other) {
  const differs = one.findIndex((token, at) => token !== other[at])
  return differs < 0 ? one.length : differs
}

/** Real tokens, folded into the vocabulary of the model behind its special ones. */
const toIds = text => encode(text).map(id => 259 + (id % (vocabulary - 259)))

/** A frame of four tokens around each message, and of three around its reply. */
const tokensOf = messages => [
  1,
  ...messages.flatMap(({ role, content }) => [
    3,
    ...toIds(role).slice(0, 1),
    4,
    ...toIds(content),
    5,
  ]),
  ...[3, ...toIds('assistant').slice(0, 1), 4],
]
