import type { Adapter } from './adapter.ts'
import { anthropicDialect } from './anthropic/index.ts'
import { geminiDialect } from './gemini/index.ts'
import { ollamaDialect } from './ollama/index.ts'
import { openaiDialect } from './openai/index.ts'
import type { Patch } from './patch.ts'
import { responsesDialect } from './responses/index.ts'

/** Of several that take an address for their own, it belongs to the last one. */
const dialects = [ollamaDialect, openaiDialect, anthropicDialect, responsesDialect, geminiDialect]

const spoken = dialects.flatMap(dialect => ('spoken' in dialect ? [dialect.spoken] : []))

/** The kinds of model servers. */
export type ServerKind = (typeof spoken)[number]['server']

export const serverKinds: ReadonlySet<ServerKind> = new Set(spoken.map(({ server }) => server))

/** The adapters, by their addresses. */
export const adapterPaths = dialects.flatMap(({ adapters }) => Object.entries<Adapter>(adapters))

/** The adapter that words the errors of an address. */
export const errorsAt = (path: string): Adapter =>
  dialects.findLast(({ isOf }) => isOf(path))!.errors

export const patchOf = (form: string): Patch => spoken.find(one => one.form === form)!.patch
