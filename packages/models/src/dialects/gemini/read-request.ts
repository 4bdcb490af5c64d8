import { type Fields, isFields, read, refuse } from '@throughline/core/fields'
import { present } from '@throughline/core/values'
import type { ModelSettings, ToolSpec } from '../../model.ts'
import type { ChatRequest } from '../adapter.ts'
import { readEffort, readProvider, readSampling } from '../read-settings.ts'
import { toolReader, toToolSpec } from '../read-tools.ts'
import { either } from './either-name.ts'
import { readContents, readSystem } from './read-messages.ts'

/** Reads a body, with the model and the streaming that its address names. */
export function readRequest(value: unknown): ChatRequest {
  const body = read.body(value)
  const config =
    read.optional(either(body, 'generationConfig'), 'generationConfig', read.fields) ?? {}
  const thinking = thinkingOf(config)
  return {
    model: read.text(body.model, 'model'),
    ...readContents(
      readSystem(either(body, 'systemInstruction')),
      read.list(body.contents, 'contents'),
    ),
    tools: readTools(body.tools),
    ...readLeftOut(body.tools),
    settings: readSettings(config, thinking, either(body, 'toolConfig')),
    stream: read.optional(body.stream, 'stream', read.flag) ?? false,
    named: {},
    hints: { tellsThoughts: either(thinking, 'includeThoughts') === true },
  }
}

const thinkingOf = (config: Fields): Fields =>
  read.optional(either(config, 'thinkingConfig'), 'generationConfig.thinkingConfig', read.fields) ??
  {}

const readTools = toolReader((tool, where) =>
  read.each(either(tool, 'functionDeclarations'), `${where}.functionDeclarations`, readTool),
)

/** Reads a declaration, whose schema is JSON Schema or Google's own, with the names of types in capitals. */
function readTool(declared: Fields, where: string): ToolSpec {
  const schema = either(declared, 'parametersJsonSchema')
  const parameters = schema ?? withPlainTypes(read.json(declared.parameters, `${where}.parameters`))
  return toToolSpec({ ...declared, parameters }, where)
}

/** A schema with `object` in place of `OBJECT`. It is nested no deeper than JSON may be. */
function withPlainTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withPlainTypes)
  if (!isFields(schema)) return schema
  const plain = Object.entries(schema).map(([name, value]) => [
    name,
    name === 'type' && typeof value === 'string' ? value.toLowerCase() : withPlainTypes(value),
  ])
  return Object.fromEntries(plain)
}

/** Names of tools that Google runs itself: `googleSearch`, `urlContext`. */
function readLeftOut(tools: unknown): Pick<ChatRequest, 'leftOut'> {
  const names = Array.isArray(tools)
    ? tools.flatMap(tool => (isFields(tool) ? Object.keys(tool) : []))
    : []
  const leftOut = [...new Set(names)].filter(
    name => name !== 'functionDeclarations' && name !== 'function_declarations',
  )
  return leftOut.length > 0 ? { leftOut } : {}
}

function readSettings(config: Fields, thinking: Fields, toolConfig: unknown): ModelSettings {
  const where = 'generationConfig.'
  const budget = read.optional(
    either(thinking, 'thinkingBudget'),
    `${where}thinkingBudget`,
    read.whole,
  )
  const level = read.optional(either(thinking, 'thinkingLevel'), `${where}thinkingLevel`, read.text)
  const plain = {
    temperature: config.temperature,
    seed: config.seed,
    maxOutputTokens: either(config, 'maxOutputTokens'),
    stopSequences: either(config, 'stopSequences'),
  }
  return present({
    ...readSampling(plain, { maxTokens: ['maxOutputTokens'], stop: 'stopSequences', where }),
    format: readFormat(config),
    // Switched on without a level it is left to the model: those that think then do so.
    thinking: budget === 0 ? false : readEffort(level?.toLowerCase(), `${where}thinkingLevel`),
    provider: readProvider(
      {
        top_p: either(config, 'topP'),
        top_k: either(config, 'topK'),
        presence_penalty: either(config, 'presencePenalty'),
        frequency_penalty: either(config, 'frequencyPenalty'),
        tool_choice: readToolChoice(toolConfig),
      },
      where,
    ),
  })
}

function readFormat(config: Fields): ModelSettings['format'] {
  const schema = either(config, 'responseJsonSchema')
  if (schema !== undefined) return read.jsonFields(schema, 'generationConfig.responseJsonSchema')
  const own = either(config, 'responseSchema')
  if (own !== undefined)
    return read.fields(
      withPlainTypes(read.jsonFields(own, 'generationConfig.responseSchema')),
      'generationConfig.responseSchema',
    )
  return either(config, 'responseMimeType') === 'application/json' ? 'json' : undefined
}

function readToolChoice(value: unknown): unknown {
  const config = read.optional(value, 'toolConfig', read.fields) ?? {}
  const field = 'toolConfig.functionCallingConfig'
  const calling = read.optional(either(config, 'functionCallingConfig'), field, read.fields) ?? {}
  const names = either(calling, 'allowedFunctionNames')
  switch (calling.mode) {
    case undefined:
    case 'MODE_UNSPECIFIED':
    case 'AUTO':
    case 'VALIDATED':
      return undefined
    case 'NONE':
      return 'none'
    case 'ANY':
      return Array.isArray(names) && names.length === 1
        ? {
            type: 'function',
            function: { name: read.text(names[0], `${field}.allowedFunctionNames[0]`) },
          }
        : 'required'
    default:
      return refuse(`${field}.mode`, 'must be "AUTO", "ANY", "NONE" or "VALIDATED"')
  }
}
