// The dialects of servers and clients: requests, replies, streams and the bytes of a client.
export type {
  Adapter,
  AdapterFault,
  ChatRequest,
  NamedPast,
  Origin,
  ReplyEnd,
  ReplyPiece,
  ReplyStart,
  ReplyStream,
} from '../dialects/adapter.ts'
export {
  type AnthropicOptions,
  anthropic,
  isAnthropicHost,
} from '../dialects/anthropic/anthropic.ts'
export { messagesAdapter } from '../dialects/anthropic/index.ts'
export { anthropicVersion, anthropicWire } from '../dialects/anthropic/wire.ts'
export { toTokenCount } from '../dialects/anthropic/write-reply.ts'
export { eachAnthropic } from '../dialects/anthropic/write-request.ts'
export { geminiCountAdapter, geminiCountPath } from '../dialects/gemini/index.ts'
export { toGeminiCount } from '../dialects/gemini/write-reply.ts'
export { adapterPaths, errorsAt, patchOf, type ServerKind, serverKinds } from '../dialects/index.ts'
export { generateAdapter, ollamaAdapter } from '../dialects/ollama/index.ts'
export { ollama } from '../dialects/ollama/ollama.ts'
export { ollamaReader, ollamaWire, reloads } from '../dialects/ollama/wire.ts'
export { eachOllama } from '../dialects/ollama/write-request.ts'
export { openaiAdapter } from '../dialects/openai/index.ts'
export { openaiCompatible, readBase } from '../dialects/openai/openai-compatible.ts'
export { openaiWire } from '../dialects/openai/wire.ts'
export { eachOpenAi } from '../dialects/openai/write-request.ts'
export { clearEntries, type Fit, type Patch } from '../dialects/patch.ts'
export { toToolSpec } from '../dialects/read-tools.ts'
export { signOfLife } from '../dialects/reply-stream.ts'
export { compactionAnswer, openInput, pack, wishOf } from '../dialects/responses/compaction.ts'
export { responsesAdapter } from '../dialects/responses/index.ts'
export { readInput } from '../dialects/responses/read-input.ts'
export { toOutput, toResponse } from '../dialects/responses/to-response.ts'
export { answersResponses, flatName, responsesWire } from '../dialects/responses/wire.ts'
export { withWholeRounds } from '../dialects/whole-rounds.ts'
