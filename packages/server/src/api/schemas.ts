import { z } from 'zod'

/** Values that several routes take or give. */

export const name = z.string().min(1).max(1000)
export const place = z.int().min(0)
export const count = z.int().min(0)
export const time = z.int().describe('milliseconds since 1970')
export const limitOf = (usual: number, most: number) => z.int().min(1).max(most).default(usual)

/** The thread of a conversation that is meant. */
export const threadFields = {
  actor: name.optional().describe('whose thread; default "assistant"'),
  branch: name.optional().describe('default "main"'),
}

export const message = z
  .looseObject({ role: z.string() })
  .describe(
    'a message in the form in which it was given: of OpenAI, Ollama, Anthropic or the AI SDK',
  )

export const threadPlace = z.object({
  actor: name,
  branch: name,
  head: count,
  updatedAt: time.describe('when something was last written to it'),
})

export const conversation = z.object({
  conversation: name,
  title: z.string().optional(),
  metadata: z.unknown().optional().describe('any JSON'),
  person: z.string().optional().describe('whose conversation it is'),
  createdAt: time,
  updatedAt: time.describe('when something was last written to one of its threads'),
  usedAt: time
    .optional()
    .describe(
      'when it was last read, quoted, described or imported, to the minute; absent if never',
    ),
  threads: z.array(threadPlace),
  provisional: z
    .boolean()
    .optional()
    .describe('true while it has one message, from a client that did not name it, and no title'),
})

export const errorAnswer = z.object({
  error: z.object({
    code: z.string().describe('stable, for programs'),
    message: z.string().describe('for people'),
    field: z.string().optional().describe('what in the request is wrong'),
    problems: z
      .array(z.string())
      .optional()
      .describe('all that is wrong with a plan, each with its place: `roles[0].tools[1]: …`'),
  }),
})

/** Whether a turn of a thread is open. */
export const status = z.discriminatedUnion('state', [
  z.object({ state: z.literal('idle') }),
  z.object({
    state: z.literal('open'),
    turn: count,
    startedAt: time,
    owner: z.string(),
    expiresInMs: z.number(),
  }),
  z.object({ state: z.literal('interrupted'), turn: count, startedAt: time }),
])

/** How a call went; `interrupted` if its process died. */
export const callStatus = z.enum(['sent', 'completed', 'failed', 'cancelled', 'interrupted'])

export const counted = <Name extends string>(names: readonly Name[]) =>
  z.record(z.enum(names as readonly [Name, ...Name[]]), count)

export const cutPlaces = z
  .object({
    before: place,
    at: place,
    needed: count,
    limit: count,
    right: place.optional(),
    growth: count,
    turns: count,
    recall: count,
  })
  .describe('where the conversation was cut: see docs/receipt.md')

/** A value of a schema as a handler may give it: read-only, and any object where a schema leaves the fields open. */
export type AnswerOf<Schema extends z.ZodType> = Readable<z.input<Schema>>

type Readable<Value> = Value extends readonly (infer Item)[]
  ? readonly Readable<Item>[]
  : Value extends object
    ? string extends keyof Value
      ? object
      : { readonly [Name in keyof Value]: Readable<Value[Name]> }
    : Value
