import type { Fields } from '../../log/fields.ts'
import { isWindow } from '../check-options.ts'
import { kindOf, type LearnedFiles } from '../leave-out.ts'
import { fieldsOf, listOf } from '../read-text.ts'
import { ifKnown } from '../wire/ask.ts'
import { toListed, type Wire } from '../wire/wire.ts'
import { markCache } from './mark-cache.ts'
import { anthropicReader, readAnthropicMessage } from './read-reply.ts'
import { eachAnthropic, toAnthropicPrompt, toAnthropicRequest } from './to-anthropic-request.ts'

/** The version of the API that is spoken here. A client that names another one in its own request gets that. */
export const anthropicVersion = '2023-06-01'

/** The window of every model that is not told otherwise. */
const usualWindow = 200_000

interface AnthropicWireOptions {
  /** The option that gave the address. */
  readonly option: string
  /** Whether requests that are not the client's own get marks for the cache. Default true. */
  readonly cacheMarks?: boolean | undefined
}

export function anthropicWire({ option, cacheMarks = true }: AnthropicWireOptions): Wire {
  const mark = cacheMarks ? markCache : (body: Fields) => body
  return {
    form: 'messages',
    path: '/v1/messages',
    describe: address => ({
      name: `The server at ${address}`,
      notFound: `Check the name, which "/v1/models" lists, and the address in "${option}"`,
      unavailable: `check "${option}"`,
    }),
    async write({ window, ...reply }) {
      return mark(toAnthropicRequest({ ...reply, window: (await window()) ?? usualWindow }))
    },
    each: eachAnthropic,
    mark,
    piece: 'event',
    read: anthropicReader,
    readWhole: readAnthropicMessage,
    async findWindow(ask, model, signal) {
      const path = `/v1/models/${encodeURIComponent(model)}`
      return windowOf(await ifKnown(() => ask({ path, signal }))) ?? usualWindow
    },
    async listModels(ask, signal) {
      const { data } = fieldsOf(await ask({ path: '/v1/models?limit=1000', signal }))
      return toListed(listOf(data), 'id', windowOf)
    },
    files: anthropicFiles,
    async count(ask, prompt, signal) {
      const body = toAnthropicPrompt(prompt)
      const { input_tokens } = fieldsOf(await ask({ path: '/v1/messages/count_tokens', body, signal }))
      return isWindow(input_tokens) ? input_tokens : undefined
    },
  }
}

const windowOf = (model: unknown): number | undefined => [fieldsOf(model).max_input_tokens].find(isWindow)

/** Images, PDF files and texts are taken, also by their addresses. */
function anthropicFiles(): LearnedFiles {
  return {
    refuse(file) {
      if (file.type === 'foreign') return 'it was uploaded elsewhere'
      const kind = kindOf(file)
      if (kind === 'audio' || kind === 'video') return `this model takes no ${kind}`
      if (kind !== 'file' || file.type === 'url' || file.mediaType.startsWith('text/')) return undefined
      return 'this model takes only images, PDF files and texts'
    },
    learnFrom() {},
  }
}
