import {
  ollamaAnswer,
  openaiAnswer,
  startUpstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '@throughline/test-tools/scripted-upstream'
import { onTestFinished } from 'vitest'

interface Body {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly id_slot?: number
  readonly n_predict?: number
  readonly options?: { readonly num_predict?: number }
}

/** A prompt that was read: how much of it, and where. */
export interface Read {
  readonly slot: number | string
  readonly prompt: number
  readonly evaluated: number
  /** Whether only its prompt was to be read. */
  readonly isAhead: boolean
  readonly body: Body
}

const reply = 'I see, and I shall keep it in mind for later.'

/** The tokens of a prompt: its words, and a frame around each message. */
const tokensOf = ({ messages }: Body) =>
  messages.flatMap(({ role, content }) => [`<${role}>`, ...content.split(' '), '</>'])

function sharedBy(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((token, at) => token !== other[at])
  return differs < 0 ? one.length : differs
}

/** Caches of prompts by their names, and a record of what was read. */
function createCaches() {
  const caches = new Map<number | string, readonly string[]>()
  const reads: Read[] = []
  return {
    caches,
    reads,
    read(slot: number | string, body: Body, isAhead: boolean): Read {
      const prompt = tokensOf(body)
      const evaluated = prompt.length - sharedBy(prompt, caches.get(slot) ?? [])
      const written = isAhead ? [] : ['<assistant>', ...reply.split(' ')]
      caches.delete(slot)
      caches.set(slot, [...prompt, ...written])
      const read = { slot, prompt: prompt.length, evaluated, isAhead, body }
      reads.push(read)
      return read
    },
  }
}

export interface CachingOptions {
  /** The slots of llama.cpp. */
  readonly slots?: number
  readonly build?: string
  /** Whether it was started with `--slot-save-path`. */
  readonly canSave?: boolean
  /** Whether a prompt that is read ahead is never done. */
  readonly isSlow?: boolean
}

/** Acts like llama.cpp: slots with a cache each, the most similar one is taken unless a request names one. */
export async function startLlama({
  slots = 2,
  build = 'b6000-abc',
  canSave = false,
}: CachingOptions = {}) {
  const { caches, reads, read } = createCaches()
  const files = new Map<string, readonly string[]>()
  const actions: string[] = []

  function act({ path, body }: UpstreamRequest): UpstreamAnswer {
    if (!canSave)
      return { status: 501, body: { error: { code: 501, message: 'no --slot-save-path' } } }
    const [, slot, action] = /^\/slots\/(\d+)\?action=(\w+)$/.exec(path)!
    const { filename } = body as { readonly filename: string }
    actions.push(`${action} ${slot}`)
    if (action === 'save') files.set(filename, caches.get(Number(slot)) ?? [])
    else caches.set(Number(slot), files.get(filename)!)
    return { status: 200, body: { id_slot: Number(slot), filename } }
  }

  function choose(body: Body): number {
    if (body.id_slot !== undefined) return body.id_slot
    const prompt = tokensOf(body)
    const ids = Array.from({ length: slots }, (_, id) => id)
    const similar = ids.map(id => sharedBy(prompt, caches.get(id) ?? []) / prompt.length)
    const best = similar.indexOf(Math.max(...similar))
    if (similar[best]! > 0.1) return best
    return ids.find(id => !caches.has(id)) ?? (caches.keys().next().value as number)
  }

  const server = await startUpstream(request => {
    const { path, body } = request
    if (path === '/props') return { status: 200, body: { total_slots: slots, build_info: build } }
    if (path.startsWith('/slots/')) return act(request)
    if (path !== '/v1/chat/completions') return { status: 404, body: {} }
    const asked = body as Body
    const { prompt, evaluated } = read(choose(asked), asked, asked.n_predict === 0)
    const usage = {
      ...{ prompt_tokens: prompt, completion_tokens: 10 },
      prompt_tokens_details: { cached_tokens: prompt - evaluated },
    }
    return openaiAnswer(asked.n_predict === 0 ? [] : [{ content: reply }], { usage })
  })
  onTestFinished(() => server.close())
  return { ...server, reads, actions }
}

/** Acts like Ollama: one cache for each model. */
export async function startOllama({ isSlow = false }: CachingOptions = {}) {
  const { reads, read } = createCaches()
  const server = await startUpstream(({ path, body }) => {
    if (path !== '/api/chat') return { status: 200, body: { models: [] } }
    const asked = body as Body
    const isAhead = asked.options?.num_predict === 1
    const { prompt } = read(asked.model, asked, isAhead)
    if (isAhead && isSlow) return { ending: 'stall' }
    const end = { done_reason: 'stop', prompt_eval_count: prompt, eval_count: 10 }
    return ollamaAnswer([{ content: isAhead ? 'I' : reply }], end)
  })
  onTestFinished(() => server.close())
  return { ...server, reads }
}
