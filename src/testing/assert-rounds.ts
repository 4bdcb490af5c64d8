import type { Message } from '../log/message.ts'

/** Every tool result stands behind the call that it answers; no call is left without a result while others follow. */
export function assertRounds(output: readonly Message[]): void {
  for (const [place, message] of output.entries()) {
    if (message.role === 'tool') {
      const caller = output.slice(0, place).findLast(one => one.role !== 'tool')
      if (!caller || caller.calls.length === 0)
        throw new Error(`the tool result at ${place} stands behind no call`)
    }
    if (message.calls.length === 0) continue
    const rest = output.slice(place + 1)
    const end = rest.findIndex(one => one.role !== 'tool')
    const results = (end < 0 ? rest : rest.slice(0, end)).flatMap(one => one.results)
    const answered = results.length + message.results.length
    const isOpen = end < 0
    if (answered > message.calls.length) throw new Error(`more results than calls behind ${place}`)
    if (!isOpen && answered < message.calls.length) throw new Error(`a call at ${place} without a result`)
    for (const call of message.calls) {
      if (call.id === undefined || isOpen) continue
      const all = [...results, ...message.results]
      if (!all.some(one => one.callId === call.id || one.callId === undefined))
        throw new Error(`no result for ${call.id}`)
    }
  }
}
