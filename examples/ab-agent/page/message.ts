import type { UIMessage } from 'ai'
import type { UIDataParts, UIMetadata } from 'throughline/chat'
import type { State } from 'throughline/state'
import type { experiment, hypotheses, preview, variants } from '../states.ts'

/** Who keeps the conversation: the browser sends all of it each time, or the log of the server has it. */
export type KeptBy = 'browser' | 'store'

/** A message of `useChat`, with what our server adds: the instance, the numbers of the context, results with types. */
export type Message = UIMessage<UIMetadata & Partial<Answerer>, UIDataParts, Tools>

/** Who has answered; absent in messages that the database gave. */
interface Answerer {
  readonly instance: number
  readonly pid: number
  readonly model: string
}

export type Part = Message['parts'][number]

type Tools = {
  generate_hypotheses: { input: { url: string }; output: ValueOf<typeof hypotheses> }
  generate_variants: { input: { hypothesis?: number }; output: ValueOf<typeof variants> }
  preview_experiment: { input: object; output: Preview }
  create_experiment: { input: object; output: ValueOf<typeof experiment> }
}

export type Preview = ValueOf<typeof preview>

type ValueOf<Found> = Found extends State<infer Value, infer _> ? Value : never
