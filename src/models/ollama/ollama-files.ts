import { ifKnown } from '../if-known.ts'
import type { ModelError, ModelFiles } from '../model.ts'
import { isImage } from '../read-media.ts'

/** Which files a model of Ollama takes: images by their bytes, if it can see. */
export interface LearnedFiles extends ModelFiles {
  /** Learns from a refusal. */
  learnFrom(error: ModelError): void
}

/** `show`: asks `/api/show`, which names what the model can do. */
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
