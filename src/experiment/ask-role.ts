import { askModel } from '../chat/ask-model.ts'
import type { ModelReply } from '../chat/call-model.ts'
import { setUpTurn } from '../chat/set-up-turn.ts'
import { threadSession } from '../chat/thread-session.ts'
import { toSpec } from '../chat/tool.ts'
import { ModelError } from '../models/model-error.ts'
import { collectReplies, neverStalls } from './collect-reply.ts'
import { ExperimentFailure } from './experiment-error.ts'
import type { ExperimentEvent } from './experiment-event.ts'
import type { ActingTurn } from './open-turn.ts'
import type { Role } from './role.ts'
import type { Run } from './run.ts'

export interface Asked {
  readonly reply: ModelReply
  /** To be told when the reply is in the log: whoever leaves then must not have it asked for again. */
  readonly told: Extract<ExperimentEvent, { type: 'model-called' }>
}

/** Asks the model of a role, as often as the plan allows; a reply is whole, or it is none. */
export async function* askRole(
  run: Run,
  role: Role,
  { thread, turn, signal }: ActingTurn,
  round: number,
): AsyncGenerator<ExperimentEvent, Asked> {
  const { history, plan, step, stallMs = 120_000, backoffMs = 500 } = run
  const retries = plan.maxStepRetries
  const { name, tools: _, variables: __, history: ___, maxRounds: ____, ...options } = role
  const model = collectReplies(role.model, { stallMs })
  const session = threadSession({ history, thread, turn, states: [], projectId: undefined, added: [] })
  try {
    const settled = await setUpTurn(
      { ...options, model, retries, backoffMs, stallMs: neverStalls },
      session,
      { signal },
    )
    const specs = [...role.tools.map(tool => toSpec(plan.tools.get(tool)! as never)), ...settled.specs]
    const asking = askModel({ ...settled, specs, onReply: () => {} })
    let predicted = 0
    for (;;) {
      const { done, value } = await asking.next()
      if (done) {
        const { text, usage } = value
        const told: Asked['told'] = {
          type: 'model-called',
          ...{ step, role: name, round, model: model.name, predicted, text },
          ...(usage.promptTokens !== undefined && { reported: usage.promptTokens }),
          ...(usage.replyTokens !== undefined && { replyTokens: usage.replyTokens }),
        }
        return { reply: value, told }
      }
      if (value.type === 'context') predicted = Math.ceil(value.receipt.tokens * value.factor)
      if (value.type === 'warning') yield { ...value, role: name }
    }
  } catch (error) {
    throw run.signal.aborted ? run.signal.reason : toFailure(error, retries)
  }
}

/** How the end of a model is told as the end of the experiment. */
function toFailure(error: unknown, retries: number): unknown {
  if (!(error instanceof ModelError)) return error
  const result = error.isRetryable
    ? `Error: Inference failed after ${retries} retries.`
    : `Error: ${error.message}`
  return new ExperimentFailure(error.code, result, { cause: error })
}
