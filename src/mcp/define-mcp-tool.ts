import { z } from 'zod'
import type { History } from '../history/index.ts'

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
  branch: z.string().min(1).max(1000).optional().describe('which line of the thread; default "main"'),
}

export const pageField = z.int().min(1).default(1).describe('the page of a long answer')

export const placeField = z.int().min(1).optional()

/** A time as a person writes it: `2026-11-15 16:10`. */
export const toTime = (time: number) => new Date(time).toISOString().slice(0, 16).replace('T', ' ')
