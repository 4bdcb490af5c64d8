import { kindOf, type LearnedFiles } from '../leave-out.ts'
import type { ModelError } from '../model.ts'
import { isImage } from '../read-media.ts'

/** Which files a model behind chat completions takes: what the server refuses is known from then on. */
export function openaiFiles(): LearnedFiles {
  const refused = new Set<string>()
  return {
    refuse(file) {
      if (file.type === 'url' && !isImage(file)) return 'chat completions load no file from an address'
      if (file.type === 'foreign' && file.kind === 'input_image') return 'it was uploaded elsewhere'
      const kind = kindOf(file)
      return refused.has(kind) ? `this model takes no ${words[kind]}` : undefined
    },
    learnFrom({ files, message }: ModelError) {
      if (files !== 'kind') return
      const named = kinds.filter(kind => patterns[kind].test(message))
      for (const kind of named.length > 0 ? named : kinds) refused.add(kind)
    },
  }
}

const kinds = ['image', 'audio', 'video', 'PDF', 'file'] as const

const words: Readonly<Record<(typeof kinds)[number], string>> = {
  image: 'images',
  audio: 'audio',
  video: 'video',
  PDF: 'PDF files',
  file: 'files',
}

const patterns: Readonly<Record<(typeof kinds)[number], RegExp>> = {
  image: /image|vision|mmproj|multi-?modal/i,
  audio: /audio/i,
  video: /video/i,
  PDF: /pdf|input_file|"file"/i,
  file: /input_file|"file"/i,
}
