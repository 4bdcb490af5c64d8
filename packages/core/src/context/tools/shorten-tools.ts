import { putNewest } from '../../log/put-newest.ts'
import { attempt, isObject, parseJson } from '../../log/values.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { firstSentence, splitFences } from '../digests/text.ts'
import { counterOf, type FrameOptions } from '../draft/frame-options.ts'

/** The tools of the options as they are sent, and the tokens that shorter descriptions saved. */
export function offeredTools(options: Pick<FrameOptions, 'tools' | 'maxToolTokens' | 'count'>) {
  const { tools = [], maxToolTokens } = options
  if (maxToolTokens === undefined || tools.length === 0) return { tools, saved: 0 }
  const count = counterOf(options)
  const json = attempt(() => JSON.stringify(tools), '')
  const key = `${maxToolTokens} ${count.id} ${json}`
  const shorter = cache.get(key) ?? shortenTools(tools, maxToolTokens, count)
  if (key.length < longestKnown) putNewest(cache, key, shorter, mostKnown)
  return shorter.saved === 0 ? { saved: 0, tools } : shorter
}

/** What was made of tools: a client offers the same ones with every request. The newest are the last. */
const cache = new Map<string, ReturnType<typeof shortenTools>>()
const mostKnown = 32
const longestKnown = 512 * 1024

/**
 * Shortens the descriptions of tools until all schemas take at most `most` tokens: step by step, the least important texts
 * first, each step for all tools. Names, types, enums, defaults and what else a schema demands stay as they are. If the
 * last step is not enough, its result is sent. Pure: the same tools, limit and counter give the same bytes.
 */
export function shortenTools(tools: readonly unknown[], most: number, count: TokenCounter) {
  const whole = tools.length === 0 ? 0 : count.tools(tools)
  // What is no JSON is sent, and refused, as it is.
  const json = whole > most ? attempt(() => JSON.stringify(tools), undefined) : undefined
  const parsed = json === undefined ? undefined : parseJson(json)
  if (!Array.isArray(parsed)) return { tools, saved: 0 }
  let shorter: readonly unknown[] = parsed
  let tokens = whole
  for (const step of steps) {
    const next = parsed.map(tool => shortTool(tool, step))
    const cost = count.tools(next)
    // Fewer characters may be more tokens: such a step is passed over.
    if (cost < tokens) [shorter, tokens] = [next, cost]
    if (tokens <= most) break
  }
  return tokens < whole ? { tools: shorter, saved: whole - tokens } : { tools, saved: 0 }
}

/** How far texts are shortened. */
interface ShortenStep {
  /** Descriptions of arguments at this depth or deeper are cut to their first sentence. */
  readonly deep: number
  /** What is left of the description of a tool itself. */
  readonly shorten: (text: string) => string
}

/** Each step takes what the one before took, and more. */
const steps: readonly ShortenStep[] = [
  { deep: Number.POSITIVE_INFINITY, shorten: withoutExamples },
  { deep: 3, shorten: withoutExamples },
  { deep: 2, shorten: withoutExamples },
  { deep: 1, shorten: withoutExamples },
  { deep: 1, shorten: text => beginning(text, 2000) },
  { deep: 1, shorten: text => beginning(text, 1000) },
  { deep: 1, shorten: firstParagraph },
  { deep: 1, shorten: sentence },
]

type SchemaFields = Readonly<Record<string, unknown>>

/** A tool in any of the forms of OpenAI, Anthropic, Ollama and the AI SDK. Values without a name stay as they are. */
function shortTool(tool: unknown, step: ShortenStep): unknown {
  if (!isObject(tool) || (typeof tool.name !== 'string' && !isObject(tool.function))) return tool
  return mapFields(tool, (value, name) => {
    if (name === 'function') return shortTool(value, step)
    if (name === 'description' && typeof value === 'string') return step.shorten(value)
    return schemaNames.has(name) ? shortSchema(value, step, 0) : value
  })
}

/** The names under which the schema of a tool's arguments stands. */
const schemaNames: ReadonlySet<string> = new Set(['parameters', 'input_schema', 'inputSchema'])

/** A schema with shorter texts. Only keywords that hold schemas are entered: what `default`, `const` and `enum` hold is data. */
function shortSchema(schema: unknown, step: ShortenStep, depth: number): unknown {
  if (!isObject(schema) || depth > deepest) return schema
  const inner = (value: unknown) => shortSchema(value, step, depth + 1)
  return mapFields(schema, (value, name) => {
    if (exampleNames.has(name)) return undefined
    if (name === 'description' && typeof value === 'string')
      return depth >= step.deep ? sentence(value) : withoutExamples(value)
    if (mapsOfSchemas.has(name) && isObject(value)) return mapFields(value, inner)
    if (!schemas.has(name)) return value
    // Alternatives stand where the schema itself does.
    const beside = (one: unknown) =>
      shortSchema(one, step, alternatives.has(name) ? depth : depth + 1)
    return Array.isArray(value) ? value.map(beside) : beside(value)
  })
}

/** Deeper schemas stay as they are. */
const deepest = 64

const exampleNames: ReadonlySet<string> = new Set(['examples', 'example', '$comment'])
const mapsOfSchemas: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])
const alternatives: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
])
const schemas: ReadonlySet<string> = new Set([
  ...alternatives,
  'items',
  'prefixItems',
  'additionalItems',
  'contains',
  'unevaluatedItems',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
])

/** The same fields in the same order; those that become undefined are left out. */
function mapFields(
  fields: SchemaFields,
  change: (value: unknown, name: string) => unknown,
): SchemaFields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const changed = change(value, name)
      return changed === undefined ? [] : [[name, changed]]
    }),
  )
}

function sentence(text: string): string {
  return shorterOf(text, firstSentence(text, longestSentence))
}

const longestSentence = 240

function firstParagraph(text: string): string {
  const [first = ''] = paragraphsOf(beginning(text, 1000))
  return shorterOf(text, first)
}

/** The first lines of a text, up to a number of characters, without examples. The first line stays whole. */
function beginning(text: string, most: number): string {
  const short = withoutExamples(text)
  if (short.length <= most) return short
  const end = Math.max(short.lastIndexOf('\n', most), short.indexOf('\n'))
  return end < 0 ? short : shorterOf(short, short.slice(0, end).trim())
}

/** A text without examples: blocks of code, `<example>` blocks, and paragraphs that begin with that word. */
function withoutExamples(text: string): string {
  const kept = paragraphsOf(withoutTagged(splitFences(text).prose)).filter(
    one => !beginsExample.test(one),
  )
  return shorterOf(text, kept.join('\n\n'))
}

const beginsExample = /^[\s#*>-]{0,20}(?:for )?examples?\b/i

/** Only blank lines part paragraphs: an example in a list stays with the list. */
const paragraphsOf = (text: string): readonly string[] =>
  text
    .split(/\n[ \t]*\n/)
    .map(one => one.trim())
    .filter(one => one !== '')

/** A text without what stands between `<example>` and `</example>`. */
function withoutTagged(text: string): string {
  let kept = ''
  for (let from = 0; ; ) {
    const start = text.indexOf('<example', from)
    const end = start < 0 ? -1 : text.indexOf(endOfExample, start)
    if (end < 0) return kept + text.slice(from)
    kept += text.slice(from, start)
    from = end + endOfExample.length
  }
}

const endOfExample = '</example>'

/** A text never becomes longer, nor empty. */
const shorterOf = (text: string, shorter: string): string =>
  shorter !== '' && shorter.length < text.length ? shorter : text
