import { type Fields, read } from '@throughline/core/fields'
import type { ModelSettings } from '../model.ts'

type SettingReader = (value: unknown, field: string) => unknown

/**
 * The one vocabulary of `settings.provider`, whichever adapter a request came through: flat names, as Ollama's `options`
 * and OpenAI's chat completions have them. An upstream takes those that it knows. What is not in here is not passed on:
 * above all what would load Ollama's model again (`num_ctx`, `num_batch`, `num_gpu`, `main_gpu`, `num_thread`,
 * `use_mmap`, `draft_num_predict`), or make it drop messages in silence (`truncate`, `shift`).
 */
const vocabulary: Readonly<Record<string, SettingReader>> = {
  // Sampling, which Ollama takes in `options`.
  top_p: read.number,
  top_k: read.whole,
  min_p: read.number,
  typical_p: read.number,
  repeat_last_n: read.whole,
  repeat_penalty: read.number,
  presence_penalty: read.number,
  frequency_penalty: read.number,
  num_keep: read.whole,
  // Of llama.cpp or vLLM.
  repetition_penalty: read.number,
  grammar: read.text,
  chat_template_kwargs: read.json,
  // As OpenAI writes them.
  logit_bias: read.json,
  tool_choice: read.json,
  parallel_tool_calls: read.flag,
  verbosity: read.text,
  // The same for Ollama and OpenAI.
  logprobs: read.flag,
  top_logprobs: read.whole,
  // Of Ollama: `10m`, or seconds.
  keep_alive: (value, field) => (typeof value === 'string' ? value : read.number(value, field)),
}

/** Reads the settings that are passed on as they are. `where` is the place of the fields in the body: `options.`. */
export function readProvider(fields: Fields, where = ''): Record<string, unknown> {
  const provider: Record<string, unknown> = {}
  for (const name in vocabulary) {
    const value = read.optional(fields[name], `${where}${name}`, vocabulary[name]!)
    if (value !== undefined) provider[name] = value
  }
  return provider
}

/** How a wire format names the settings that nearly all of them have. */
export interface SamplingNames {
  /** The first of these that is given counts. */
  readonly maxTokens: readonly string[]
  /** Default `stop`. */
  readonly stop?: string
  readonly where?: string
  /** Whether the upstream speaks the form, and so is sent the client's own numbers. */
  readonly isOwnForm?: boolean
}

export function readSampling(
  fields: Fields,
  { maxTokens, stop = 'stop', where = '', isOwnForm = false }: SamplingNames,
) {
  return {
    temperature: read.optional(fields.temperature, `${where}temperature`, read.number),
    maxTokens: maxTokens.map(name => readMaxTokens(fields[name], `${where}${name}`)).find(Boolean),
    seed: read.optional(fields.seed, `${where}seed`, (value, field) =>
      readSeed(value, field, isOwnForm),
    ),
    stop: readStop(fields[stop], `${where}${stop}`),
  }
}

/** A seed may be larger than numbers are exact here. An upstream of the same form gets it as it was written. */
function readSeed(value: unknown, field: string, isOwnForm: boolean): number | undefined {
  return isOwnForm && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? undefined
    : read.whole(value, field)
}

/** The most tokens of the reply. Clients of local servers write 0 or −1 for as many as fit. */
function readMaxTokens(value: unknown, field: string): number | undefined {
  const most = read.optional(value, field, read.whole)
  return most !== undefined && most > 0 ? most : undefined
}

function readStop(value: unknown, field: string): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  return read
    .optional(value, field, read.list)
    ?.map((word, at) => read.text(word, `${field}[${at}]`))
}

type Thinking = NonNullable<ModelSettings['thinking']>

/** How much to think, in the words of `reasoning_effort`. A word that is not known leaves it to the model. */
export function readEffort(value: unknown, field: string): Thinking | undefined {
  return efforts.get(read.optional(value, field, read.text) ?? '')
}

const efforts: ReadonlyMap<string, Thinking> = new Map<string, Thinking>([
  ['none', false],
  ['minimal', 'low'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'max'],
  ['max', 'max'],
])
