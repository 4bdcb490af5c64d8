import type { Message, ToolResult } from '../log/message.ts'

/**
 * Checks that every tool result follows the call that it answers, and that every call has a result before other messages
 * follow. Does not use the library's own matching.
 */
export function assertRounds(output: readonly Message[]): void {
  let caller = -1
  let results: ToolResult[] = []
  const end = (isOpen: boolean) => {
    const { calls = [] } = output[caller] ?? {}
    if (results.length > calls.length && calls.length > 0)
      throw new Error(`more results than calls behind ${caller}`)
    if (isOpen) return
    if (results.length < calls.length) throw new Error(`a call at ${caller} without a result`)
    const answered = new Set(results.map(({ callId }) => callId))
    const missing = calls.find(({ id }) => id !== undefined && !answered.has(id) && !answered.has(undefined))
    if (missing) throw new Error(`no result for ${missing.id}`)
  }
  for (const [place, message] of output.entries()) {
    if (message.role !== 'tool') {
      end(false)
      caller = place
      results = []
    } else if (!output[caller]?.calls.length)
      throw new Error(`the tool result at ${place} stands behind no call`)
    for (const result of message.results) results.push(result)
  }
  end(true)
}
