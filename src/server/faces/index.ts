import type { Face } from './face.ts'
import { messagesFace } from './messages/messages-face.ts'
import { ollamaFace } from './ollama/ollama-face.ts'
import { openaiFace } from './openai/openai-face.ts'
import { compactFace, responsesFace } from './responses/responses-face.ts'

export * from './face.ts'
export { messagesFace, toTokenCount } from './messages/messages-face.ts'
export { ollamaFace } from './ollama/ollama-face.ts'
export { openaiFace } from './openai/openai-face.ts'
export { responsesFace } from './responses/responses-face.ts'

/** The faces, by their addresses. */
export const facePaths: readonly (readonly [path: string, face: Face])[] = [
  ['/api/chat', ollamaFace],
  ['/v1/chat/completions', openaiFace],
  ['/v1/messages', messagesFace],
  ['/v1/responses', responsesFace],
  ['/v1/responses/compact', compactFace],
]
