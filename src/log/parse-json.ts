import { attempt } from './attempt.ts'

/** The value of a JSON text; undefined if it is no JSON. */
export const parseJson = (text: string): unknown => attempt(() => JSON.parse(text), undefined)

/** The object of a JSON text; undefined if it holds anything else. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The arguments of a call as an object, for wires that demand one. Other texts are wrapped, so that the conversation can go on. */
export function toArguments(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {}
  return parseJsonObject(text) ?? { arguments: text }
}
