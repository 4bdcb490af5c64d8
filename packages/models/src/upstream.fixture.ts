import {
  startUpstream,
  type Upstream,
  type UpstreamScript,
} from '@throughline/test-tools/scripted-upstream'
import { onTestFinished } from 'vitest'
import { ModelError, type ModelPart } from './model.ts'

/** An upstream that is closed after the test. */
export async function upstreamWith(script: UpstreamScript): Promise<Upstream> {
  const upstream = await startUpstream(script)
  onTestFinished(() => upstream.close())
  return upstream
}

export async function partsOf(stream: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const parts: ModelPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

export function textOf(parts: readonly ModelPart[]): string {
  return parts.map(part => (part.type === 'text-delta' ? part.text : '')).join('')
}

/** What a stream brought before it failed, and its error, which must be one of ours. */
export async function failureOf(stream: AsyncIterable<ModelPart>) {
  const parts: ModelPart[] = []
  try {
    for await (const part of stream) parts.push(part)
  } catch (error) {
    if (error instanceof ModelError) return { parts, error }
    throw error
  }
  throw new Error(`The stream did not fail: ${JSON.stringify(parts)}`)
}
