import { readEach, readText } from '../../../log/fields.ts'
import type { ToolSpec } from '../../../models/model.ts'
import { toToolSpec } from '../read-tools.ts'
import { flatName, type NamespacedTool } from './hints.ts'

/** Reads the functions among the tools, also those in namespaces. Tools that run at OpenAI are left out. */
export function readTools(value: unknown): {
  readonly tools: readonly ToolSpec[]
  readonly namespaced: Readonly<Record<string, NamespacedTool>>
} {
  const tools: ToolSpec[] = []
  const namespaced = new Map<string, NamespacedTool>()
  readEach(value, 'tools', (tool, where) => {
    if (tool.type === 'function') tools.push(toToolSpec(tool, where))
    if (tool.type !== 'namespace') return
    const namespace = readText(tool.name, `${where}.name`)
    readEach(tool.tools, `${where}.tools`, (inner, place) => {
      if (inner.type !== 'function') return
      const spec = toToolSpec(inner, place)
      const held = { namespace, name: spec.name }
      namespaced.set(flatName(held), held)
      tools.push({ ...spec, name: flatName(held) })
    })
  })
  return { tools, namespaced: Object.fromEntries(namespaced) }
}
