import { ifKnown } from '../if-known.ts'
import type { LearnedFiles } from '../leave-out.ts'
import { isImage } from '../read-media.ts'

/** A model of Ollama takes images by their bytes, if it can see. `show`: asks `/api/show`, which names what it can do. */
export function ollamaFiles(show: (signal?: AbortSignal) => Promise<unknown>): LearnedFiles {
  let isBlind: boolean | undefined
  return {
    refuse(file) {
      if (file.type === 'url' && isImage(file)) return 'Ollama loads no image from an address'
      if (!isImage(file)) return 'Ollama takes images only'
      return isBlind ? 'this model takes no images' : undefined
    },
    async learn(signal) {
      if (isBlind !== undefined) return false
      const { capabilities } = ((await ifKnown(() => show(signal))) ?? {}) as { capabilities?: unknown }
      // Older servers do not tell.
      isBlind ??= Array.isArray(capabilities) && !capabilities.includes('vision')
      return isBlind
    },
    learnFrom({ files }) {
      if (files === 'kind') isBlind = true
    },
  }
}
