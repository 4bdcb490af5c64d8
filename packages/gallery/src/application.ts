import type { History } from '@throughline/history'
import type { Model } from '@throughline/models/model'
import { count, place } from '@throughline/server/api/schemas'
import { z } from 'zod'

/** An application that a server can show: a visitor talks to it, and sees beside it what its model is sent. */
export interface Application {
  readonly name: string
  readonly title: string
  /** What it does, in a sentence. */
  readonly about: string
  /** The problem of memory that it shows, in a sentence. */
  readonly problem: string
  readonly code: () => Promise<ApplicationCode>
}

export interface ApplicationCode {
  /** Opens the application on a conversation: all that it knows is in that. */
  open(place: ApplicationPlace): OpenApplication
}

export interface ApplicationPlace {
  readonly history: History
  readonly conversation: string
  /** A model to run on. Without one, the application's own rules answer. */
  readonly model?: Model | undefined
}

export interface OpenApplication {
  state(): Promise<ApplicationState>
  /** Answers a text. Gives what may be shown as it comes; what came of it is in the state. */
  say(text: string, signal: AbortSignal): AsyncIterable<SaidPart>
}

export type SaidPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'problem'; readonly message: string }

const colour = z.string().describe('such as #FF8000')

/** How one exchange would be sent with the next request. */
const sentAs = z.enum(['whole', 'line', 'question', 'gone'])

const lamp = z.object({
  kind: z.literal('lamp'),
  program: z.unknown().optional().describe('the program that plays'),
  summary: z.string().optional().describe('the program in a line'),
  exchanges: z.array(
    z.object({
      asked: z.string(),
      answer: z.string(),
      colours: z.array(colour),
      tokens: count,
      sentAs,
    }),
  ),
  ways: z
    .array(
      z.object({
        name: z.string(),
        policy: z.string(),
        tokens: count,
        parts: z.record(z.string(), count),
        exchanges: z.array(sentAs),
      }),
    )
    .describe('the same exchanges under several policies: nothing is sent'),
  window: count,
  reserve: count,
  margin: count,
})

const site = z.object({
  kind: z.literal('site'),
  files: z.array(z.object({ path: z.string(), characters: count, turns: z.array(count) })),
  pages: z.array(z.object({ path: z.string(), title: z.string(), html: z.string() })),
  waits: z.string().optional().describe('what would be lost by the write that waits for an answer'),
})

const variant = z.object({ label: z.string(), text: z.string(), percent: z.number() })

const agent = z.object({
  kind: z.literal('agent'),
  ideas: z.array(z.object({ title: z.string(), isChosen: z.boolean() })),
  preview: z
    .object({
      url: z.string(),
      title: z.string(),
      variants: z.array(variant),
      confirm: z.string().optional(),
    })
    .optional()
    .describe('what would be created; `confirm`: the sentence that creates it'),
  experiment: z.string().optional().describe('the id of what was created'),
  acts: z
    .array(
      z.object({
        turn: count,
        instance: z.enum(['A', 'B']),
        asked: z.string(),
        read: z.array(z.string()),
        wrote: z.array(z.object({ seq: place, name: z.string() })),
        refused: z.array(z.string()),
      }),
    )
    .describe('who answered, what it found in the log and what it wrote there'),
  states: z.array(
    z.object({
      name: z.string(),
      value: z.string().optional(),
      seq: place.optional(),
      turn: count.optional(),
      tool: z.string(),
    }),
  ),
})

const sight = z
  .enum(['saw', 'cut', 'unknown'])
  .describe('whether the words of the answer were in what was sent')

const column = z.object({
  name: z.string(),
  about: z.string(),
  tokens: count,
  messages: count,
  left: count.describe('how many messages are left'),
  strip: z
    .array(z.number())
    .describe('from the oldest to the newest: the share of each piece that is left, 0 to 1'),
  sight,
  answer: z.string(),
})

const ways = z.object({
  kind: z.literal('ways'),
  names: z.array(z.string()).describe('of the ways, in the order of all that follows'),
  window: count,
  question: z.string().optional().describe('the newest one'),
  alone: z.array(column).describe('the question asked alone, behind the chat'),
  growing: z.array(column).describe('the question asked behind all that was asked here before'),
  questions: z
    .array(z.object({ text: z.string(), said: place, sights: z.array(sight) }))
    .describe('the ready ones, each asked alone'),
  cases: z.array(
    z.object({
      label: z.string(),
      about: z.string(),
      before: z.array(z.string()),
      after: z.array(z.string()),
    }),
  ),
})

export const drawing = z.discriminatedUnion('kind', [lamp, site, agent, ways])

export const applicationState = z.object({
  chips: z.array(z.string()).describe('sentences that work now, to be sent word for word'),
  undo: z
    .string()
    .optional()
    .describe('the sentence that takes the last change back, if one can be'),
  said: z.array(
    z.object({
      seq: place,
      turn: count,
      from: z.enum(['visitor', 'application']),
      text: z.string(),
      note: z
        .string()
        .optional()
        .describe('what the application told itself at the end of the turn'),
      status: z.string().optional().describe('how a turn ended that was not completed'),
    }),
  ),
  more: z
    .array(z.object({ label: z.string(), texts: z.array(z.string()) }))
    .describe('several sentences that can be sent one after the other'),
  drawing,
})

export type ApplicationState = z.infer<typeof applicationState>
export type Drawing = z.infer<typeof drawing>
export type LampDrawing = z.infer<typeof lamp>
export type SiteDrawing = z.infer<typeof site>
export type AgentDrawing = z.infer<typeof agent>
export type WaysDrawing = z.infer<typeof ways>
export type WaysColumn = z.infer<typeof column>
export type SentAs = z.infer<typeof sentAs>
