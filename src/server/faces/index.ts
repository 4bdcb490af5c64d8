export * from './face.ts'
export { messagesFace, toTokenCount } from './messages/messages-face.ts'
export { ollamaFace } from './ollama/ollama-face.ts'
export { openaiFace } from './openai/openai-face.ts'
