import type { History } from '@throughline/history'
import { z } from 'zod'

export interface McpTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: z.ZodRawShape
  readonly run: (history: History, input: Readonly<Record<string, unknown>>) => Promise<string>
}

/** A tool that reads the log. `run` gets what the schemas read, typed by them. */
export const defineMcpTool = <const Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  inputSchema: Shape,
  run: (history: History, input: z.output<z.ZodObject<Shape>>) => Promise<string>,
): McpTool => ({ name, description, inputSchema, run: run as McpTool['run'] })

export const threadFields = {
  conversation: z.string().min(1).max(1000).describe('the id of the conversation'),
  actor: z.string().min(1).max(1000).optional().describe('whose thread; default "assistant"'),
  branch: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('which line of the thread; default "main"'),
}

export const pageField = z.int().min(1).default(1).describe('the page of a long answer')

export const placeField = z.int().min(1).optional()

/** A time as a person writes it: `2026-11-15 16:10`. */
export const toTime = (time: number) => new Date(time).toISOString().slice(0, 16).replace('T', ' ')

/** The most characters of an answer: some thousand tokens, which every client takes. */
export const pageSize = 12_000

/** A page of a text, which says which one it is and how to get the next. */
export function toPage(text: string, page: number): string {
  const pages = Math.max(1, Math.ceil(text.length / pageSize))
  if (pages === 1 && page === 1) return text
  if (page > pages) return `There are only ${pages} pages.`
  const shown = text.slice(startOf(text, page - 1), startOf(text, page))
  const next = page < pages ? `; for more, ask again with page: ${page + 1}` : ''
  return `${shown}\n\n(page ${page} of ${pages}${next})`
}

/** Where a page begins: never between the halves of a character. */
function startOf(text: string, page: number): number {
  const at = page * pageSize
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : Math.min(at, text.length)
}
