import { type Fields, optional, readFields, readList, readText } from '../../../log/fields.ts'
import type { ToolSpec } from '../../../models/model.ts'
import { toToolSpec } from '../read-tools.ts'
import { flatName, type NamespacedTool } from './hints.ts'

/** Reads the functions among the tools, also those in namespaces. Tools that run at OpenAI are left out. */
export function readTools(value: unknown): {
  readonly tools: readonly ToolSpec[]
  readonly namespaced: ReadonlyMap<string, NamespacedTool>
} {
  const tools: ToolSpec[] = []
  const namespaced = new Map<string, NamespacedTool>()
  for (const { tool, where } of listTools(value, 'tools')) {
    if (tool.type === 'function') tools.push(toToolSpec(tool, where))
    if (tool.type !== 'namespace') continue
    const namespace = readText(tool.name, `${where}.name`)
    for (const { tool: inner, where: place } of listTools(tool.tools, `${where}.tools`)) {
      if (inner.type !== 'function') continue
      const spec = toToolSpec(inner, place)
      const held = { namespace, name: spec.name }
      namespaced.set(flatName(held), held)
      tools.push({ ...spec, name: flatName(held) })
    }
  }
  return { tools, namespaced }
}

function listTools(
  value: unknown,
  field: string,
): readonly { readonly tool: Fields; readonly where: string }[] {
  return (optional(value, field, readList) ?? []).map((tool, at) => {
    const where = `${field}[${at}]`
    return { tool: readFields(tool, where), where }
  })
}
