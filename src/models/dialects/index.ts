import type { Adapter } from './adapter.ts'
import { anthropicDialect } from './anthropic/index.ts'
import type { Dialect } from './dialect.ts'
import { ollamaDialect } from './ollama/index.ts'
import { openaiDialect } from './openai/index.ts'
import type { Patch } from './patch.ts'
import { responsesDialect } from './responses/index.ts'

/** An address belongs to the first one that takes it for its own. */
const dialects: readonly Dialect[] = [anthropicDialect, responsesDialect, openaiDialect, ollamaDialect]

/** The adapters, by their addresses. */
export const adapterPaths = dialects.flatMap(({ adapters }) => Object.entries(adapters))

/** The adapter that words the errors of an address. */
export const errorsAt = (path: string): Adapter => dialects.find(({ isOf }) => isOf(path))!.errors

export const patchOf = (form: string): Patch => dialects.find(one => one.form === form)!.patch
