export * from './face.ts'
export { ollamaFace } from './ollama/ollama-face.ts'
export { openaiFace } from './openai/openai-face.ts'
