import { type Fields, isFields, read } from '@throughline/core/fields'
import type { ToolSpec } from '../../model.ts'
import { listOf } from '../../read-text.ts'
import { refuseElsewhere } from '../own-form.ts'
import { toToolSpec } from '../read-tools.ts'
import { flatName, searchName } from './wire.ts'

/** What a body offers the model, as plain functions with flat names, and how their calls are written back. */
export interface OfferedTools {
  readonly tools: readonly ToolSpec[]
  readonly namespaced: Readonly<Record<string, NamespacedTool>>
  /** The names of tools whose calls hold a text, or a search, in place of arguments. */
  readonly callKinds: Readonly<Record<string, CallKind>>
  /** The kinds of tools that only the provider can run, which other upstreams are not sent. */
  readonly leftOut: readonly string[]
}

export type CallKind = 'custom' | 'search'

export interface NamespacedTool {
  readonly namespace: string
  readonly name: string
}

/** Reads `tools`, and the tools that items of the input add to them. Of two with one name the later one counts. */
export function readOffered(body: Fields, isOwnForm: boolean): OfferedTools {
  const tools = new Map<string, ToolSpec>()
  const namespaced = new Map<string, NamespacedTool>()
  const callKinds = new Map<string, CallKind>()
  const leftOut = new Set<string>()

  function add(spec: ToolSpec, namespace: string, kind?: CallKind): void {
    const name = flatName({ namespace, name: spec.name })
    tools.set(name, { ...spec, name })
    if (namespace !== '') namespaced.set(name, { namespace, name: spec.name })
    if (kind) callKinds.set(name, kind)
  }

  function addTool(tool: Fields, where: string, namespace = ''): void {
    switch (tool.type) {
      case 'function':
        return add(toToolSpec(tool, where), namespace)
      case 'custom':
        return add(customTool(tool, where), namespace, 'custom')
      case 'namespace': {
        const name = read.text(tool.name, `${where}.name`)
        read.each(tool.tools, `${where}.tools`, (inner, place) => addTool(inner, place, name))
        return
      }
      case 'tool_search':
        if (tool.execution !== 'client') break
        return add(toToolSpec({ ...tool, name: searchName }, where), namespace, 'search')
    }
    const type = read.text(tool.type, `${where}.type`)
    // It is counted, as it is sent.
    if (isOwnForm) add({ name: type, parameters: tool }, namespace)
    else if (runsAtProvider.test(type)) leftOut.add(type)
    else
      refuseElsewhere(
        isOwnForm,
        `${where}.type`,
        'is a kind of tool that this model server does not know: leave it out',
      )
  }

  read.each(body.tools, 'tools', (tool, where) => addTool(tool, where))
  const input = Array.isArray(body.input) ? body.input : []
  for (const [at, item] of input.entries())
    if (addsTools(item))
      read.each(item.tools, `input[${at}].tools`, (tool, where) => addTool(tool, where))
  return {
    tools: [...tools.values()],
    namespaced: Object.fromEntries(namespaced),
    callKinds: Object.fromEntries(callKinds),
    leftOut: [...leftOut],
  }
}

/** Whether an item offers tools from its place on: those of a program, or those that a search has found. */
const addsTools = (item: unknown): item is Fields =>
  isFields(item) && (item.type === 'additional_tools' || item.type === 'tool_search_output')

/**
 * What a body holds that servers with `/v1/responses` may lack, while it can be said in a chat: kinds of tools that are no
 * plain functions, and the items that go with them.
 */
export function rareKinds(body: Fields): readonly string[] {
  const input = (Array.isArray(body.input) ? body.input : []).filter(isFields)
  const tools = [body.tools, ...input.filter(addsTools).map(item => item.tools)].flatMap(listOf)
  const kinds = [
    ...tools.map(({ type }) =>
      runsAtProvider.test(String(type)) ? 'a tool of its provider' : type,
    ),
    ...input.map(({ type }) => type),
  ]
  return [...new Set(kinds)].filter(
    kind => typeof kind === 'string' && rare.has(kind),
  ) as readonly string[]
}

const rare: ReadonlySet<unknown> = new Set([
  ...['custom', 'namespace', 'tool_search', 'a tool of its provider', 'additional_tools'],
  ...['custom_tool_call', 'custom_tool_call_output', 'tool_search_call', 'tool_search_output'],
])

/** A tool that takes one text, which may have to follow a grammar, as a function that takes it as an argument. */
function customTool(tool: Fields, where: string): ToolSpec {
  const { syntax, definition } = read.optional(tool.format, `${where}.format`, read.fields) ?? {}
  const grammar =
    typeof definition === 'string' ? ` It follows this grammar (${syntax}):\n${definition}` : ''
  const input = { type: 'string', description: `The whole text that the tool takes.${grammar}` }
  const parameters = { type: 'object', properties: { input }, required: ['input'] }
  return toToolSpec({ ...tool, parameters }, where)
}

/** Tools that a provider runs itself, in the versions that have a date behind their name too. */
const runsAtProvider =
  /^(?:web_search|file_search|code_interpreter|image_generation|mcp)(?:_\w{1,60})?$/
