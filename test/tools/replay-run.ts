import { upstreamWith } from '@throughline/models/fixtures'
import { expect } from 'vitest'
import { type ProgramRun, steps } from './program-runs.ts'
import { startServer } from './start-server.ts'

/** Has a program work through the server. Gives the bodies that the model server got, and the answers of ours, request by request. */
export async function replayRun({ body, path, list, headers, ...run }: ProgramRun, window: number) {
  const bodies: Readonly<Record<string, readonly object[]>>[] = []
  const answers: string[] = []
  const scripted = await upstreamWith(({ body: sent, path: asked }) => {
    if (!asked.startsWith(path))
      return { status: 404, body: { error: { message: 'no such path' } } }
    const reply = run.reply(steps[bodies.push(sent as never) - 1]!, `call_${bodies.length}`)
    return { status: 200, body: run.answer(reply, Math.ceil(JSON.stringify(sent).length / 4.4)) }
  })
  const { url } = await startServer({ upstream: run.upstream(scripted.url, window) })
  const entries = [...run.first]
  for (const [at, step] of steps.entries()) {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', ...body, [list]: entries }),
    })
    answers.push(await response.text())
    expect(response.status, answers.at(-1)).toBe(200)
    const id = `call_${at + 1}`
    entries.push(...run.reply(step, id), ...run.result(step, id))
  }
  return bodies.map((sent, at) => ({ sent, answer: answers[at]! }))
}
