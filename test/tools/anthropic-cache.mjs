import { createHash } from 'node:crypto'

/** Accounts like Anthropic: what a request reads from the cache, writes to it, and pays in tokens of input. */
const [mostMarks, back, prices] = [4, 20, { input: 1, read: 0.1, '5m': 1.25, '1h': 2 }]
const lifetimes = { '5m': 5 * 60_000, '1h': 60 * 60_000 }

/**
 * A cache without entries. `now` is its clock; prompts below `minimum` tokens are not kept.
 * @param {{ now?: () => number, minimum?: number, count?: (text: string) => number }} [options]
 */
export function anthropicCache({
  now = () => 0,
  minimum = 1024,
  count = text => Math.ceil(text.length / 4),
} = {}) {
  /** When what is kept runs out, by the blocks up to its end. */
  const entries = new Map()

  return {
    /**
     * Takes the body of a request. What Anthropic answers with 400 is a `problem`.
     * @param {any} body
     */
    ask(body) {
      const blocks = blocksOf(body).map(({ cache_control: mark, ...block }) => ({
        ttl: mark ? (mark.ttl ?? '5m') : undefined,
        text: JSON.stringify(block),
      }))
      const problem = problemIn(blocks)
      if (problem) return { problem, read: 0, written: 0, input: 0, cost: 0 }
      let [key, total] = ['', 0]
      for (const block of blocks) {
        key = hash(key + block.text)
        total += count(block.text)
        Object.assign(block, { key, total })
      }
      const marked = blocks.flatMap(({ ttl }, at) => (ttl ? [at] : []))
      const read = Math.max(0, ...marked.map(at => findBefore(blocks, at)))
      let cost = read * prices.read
      let kept = read
      for (const at of marked) {
        const { key: end, total: size, ttl } = blocks[at]
        if (size < minimum) continue
        entries.set(end, Math.max(entries.get(end) ?? 0, now() + lifetimes[ttl]))
        if (size > kept) cost += (size - kept) * prices[ttl]
        kept = Math.max(kept, size)
      }
      return {
        read,
        written: kept - read,
        input: total - kept,
        cost: cost + (total - kept) * prices.input,
      }
    },
  }

  /** The tokens that a mark finds: those of the longest entry that ends at its block or a few before it. */
  function findBefore(blocks, at) {
    for (let place = at; place >= 0 && place > at - back; place--) {
      const { key, total } = blocks[place]
      const end = entries.get(key)
      if (end === undefined || end < now()) continue
      entries.set(key, Math.max(end, now() + lifetimes['5m']))
      return total
    }
    return 0
  }
}

/** What is read, in its order. A text alone is a block. */
function blocksOf({ tools = [], system = [], messages, cache_control }) {
  const asBlocks = content =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const said = messages.flatMap(({ role, content }) =>
    asBlocks(content).map(block => ({ role, ...block })),
  )
  const blocks = [...tools, ...asBlocks(system), ...said]
  return cache_control ? blocks.with(-1, { cache_control, ...blocks.at(-1) }) : blocks
}

function problemIn(blocks) {
  const ttls = blocks.flatMap(({ ttl }) => (ttl ? [ttl] : []))
  if (ttls.length > mostMarks)
    return `A maximum of 4 blocks with cache_control may be provided. Found ${ttls.length}.`
  if (ttls.lastIndexOf('1h') > ttls.indexOf('5m') && ttls.includes('5m'))
    return "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
  const isRefused = ({ ttl, text }) =>
    ttl && /^\{(?:"role":"\w+",)?"type":"(?:redacted_)?thinking"/.test(text)
  return blocks.some(isRefused) ? 'cache_control cannot be set for thinking blocks' : undefined
}

const hash = text => createHash('sha256').update(text).digest('base64')
