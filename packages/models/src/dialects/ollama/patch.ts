import type { Fields } from '@throughline/core/fields'
import { isObject } from '@throughline/core/values'
import { chatPatch, lower, type Patch } from '../patch.ts'

export const patch: Patch = {
  ...chatPatch,
  limit: () => ({}),
  change: ([entry = {}], [written]) => {
    const { images: _, ...rest } = entry
    const { content, images } = (written ?? {}) as Fields
    return [{ ...rest, content, ...(images !== undefined && { images }) }]
  },
  // Another window would load the model again, and Ollama cuts what does not fit in silence.
  always(body, { window, isUnasked, isOwn, tokens, most = Number.POSITIVE_INFINITY }) {
    const options = isObject(body.options) ? body.options : {}
    const isSafe = isOwn && (window !== undefined || tokens <= leastWindow)
    const isNamed = options.num_ctx !== undefined || !isSafe || !isUnasked
    const changed = {
      ...lower(options, 'num_predict', most),
      ...(isNamed && options.num_ctx !== window && { num_ctx: window }),
    }
    return {
      ...(Object.keys(changed).length > 0 && { options: { ...options, ...changed } }),
      ...(isSafe || body.truncate === false ? {} : { truncate: false }),
      ...(isSafe || body.shift === false ? {} : { shift: false }),
    }
  },
}

/** Every Ollama takes as many tokens by itself. */
const leastWindow = 2048
