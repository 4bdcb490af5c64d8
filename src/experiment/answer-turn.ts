import type { ReplyCall } from '../chat/call-model.ts'
import { takeNoteCalls } from '../chat/note-calls.ts'
import { toMessage, toSeen } from '../chat/progress.ts'
import { isSeen } from '../history/log/logged-message.ts'
import { noteToolName } from '../notes/index.ts'
import { askHooks, hookKey } from './ask-hooks.ts'
import { askRole } from './ask-role.ts'
import { ExperimentFailure } from './experiment-error.ts'
import type { ExperimentEvent } from './experiment-event.ts'
import type { ActingTurn, RoleTurn } from './open-turn.ts'
import { readTurn } from './read-turn.ts'
import type { Role } from './role.ts'
import type { Run } from './run.ts'
import { recordCall, runCall } from './run-call.ts'
import type { TurnData } from './step-turns.ts'

/** Goes on with a turn until it has ended. What comes next is read from what was said, so it may begin anywhere. */
export async function* answerTurn(
  run: Run,
  role: Role,
  open: ActingTurn,
): AsyncGenerator<ExperimentEvent, void> {
  const { turn, said, attempt } = open
  // A turn that was left open: the hooks of its last tool may not have been asked.
  yield* askAfterTool(run, role, open)
  for (;;) {
    run.signal.throwIfAborted()
    const { rounds, waiting, called, note } = readTurn(said)
    const [call] = waiting
    if (call) {
      yield* answerCall(run, role, open, call)
      continue
    }
    // The model is asked again only if every tool of the round lets it go on.
    const isOver = rounds >= role.maxRounds || called.some(name => endsTurn(run, role, name))
    if (rounds > 0 && (isOver || run.log.state.ending)) return turn.complete([], { note })
    const place = [role.name, attempt, rounds + 1]
    const before = yield* askHooks(run, 'before-model', place, { role: role.name, round: rounds + 1 })
    if (run.log.state.ending) {
      // An empty reply: a user message without an answer would break the next call.
      return turn.complete(rounds > 0 ? [] : { role: 'assistant', content: '' }, { note })
    }
    await inject(open, before.inject ?? [], hookKey('before-model', run.step, place))
    const isDone = yield* answerModel(run, role, open, rounds + 1, note)
    if (isDone) return
  }
}

/** One reply of the model. True when it ended the turn. */
async function* answerModel(
  run: Run,
  role: Role,
  open: ActingTurn,
  round: number,
  earlier: string | undefined,
): AsyncGenerator<ExperimentEvent, boolean> {
  const { turn, said, attempt } = open
  const { reply, told: event } = yield* askRole(run, role, open, round)
  const { text, calls } = reply
  const taken = takeNoteCalls(reply, hasNoteTool(role))
  const note = taken.note ?? reply.note
  const told = { role: role.name, round, text, calls: calls.map(toHookCall) }
  try {
    yield* askHooks(run, 'after-model', [role.name, attempt, round], told)
  } catch (error) {
    if (!(error instanceof ExperimentFailure)) throw error
    yield event
    run.signal.throwIfAborted()
    // What it said is kept; its calls were never run.
    if (text !== '') await turn.append(toMessage({ ...reply, calls: [] }))
    throw error
  }
  const message = toMessage(reply)
  const seen = toSeen(message)
  if (calls.length === 0) {
    await turn.complete([seen], { note: note ?? earlier })
    yield event
    return true
  }
  const data: TurnData = note === undefined ? {} : { note }
  await turn.append({ ...(isSeen(seen) ? seen : { message }), data }, ...taken.answers)
  said.push({ message, data }, ...taken.answers.map(answer => ({ message: answer })))
  yield event
  return false
}

async function* answerCall(
  run: Run,
  role: Role,
  open: ActingTurn,
  call: ReplyCall,
): AsyncGenerator<ExperimentEvent, void> {
  const { rounds: round, results } = readTurn(open.said)
  const { step } = run
  const { name } = call
  const at = { step, role: role.name }
  const told = { role: role.name, round, call: toHookCall(call) }
  const { skip } = yield* askHooks(run, 'before-tool', [role.name, open.attempt, results], told)
  yield { type: 'tool-called', ...at, name, arguments: call.arguments }
  run.signal.throwIfAborted()
  const key = JSON.stringify([run.id, step, role.name, results])
  const outcome = skip
    ? { text: 'Error: this tool was not run', isError: true }
    : await runCall(run, role, call, { key, signal: open.signal })
  yield { type: 'tool-result', ...at, name, ...(await recordCall(run, open, call, outcome)) }
  yield* askAfterTool(run, role, open)
}

/** Its result is in the log by now: whatever the hooks do, it has happened. */
async function* askAfterTool(run: Run, role: Role, open: RoleTurn): AsyncGenerator<ExperimentEvent, void> {
  const { rounds: round, results, answered } = readTurn(open.said)
  if (!answered || (hasNoteTool(role) && answered.call.name === noteToolName)) return
  const { call, ...result } = answered
  const told = { role: role.name, round, call: toHookCall(call), result }
  yield* askHooks(run, 'after-tool', [role.name, open.attempt, results - 1], told)
}

/** A tool that the role may not use ends the turn, as tools do by default. */
function endsTurn({ plan }: Run, role: Role, name: string): boolean {
  if (hasNoteTool(role) && name === noteToolName) return false
  return !role.tools.includes(name) || plan.tools.get(name)!.endsTurn
}

const hasNoteTool = ({ notes }: Role) => typeof notes === 'object' && notes.by === 'tool'

/** Each message once: what was injected before a crash is there already. */
async function inject({ turn, said }: RoleTurn, texts: readonly string[], hook: string): Promise<void> {
  if (texts.length === 0 || said.some(({ data }) => data?.hook === hook)) return
  const added = texts.map(content => ({ message: { role: 'user', content }, data: { hook } }))
  await turn.append(...added)
  said.push(...added)
}

const toHookCall = ({ name, arguments: json }: ReplyCall) => ({ name, arguments: json })
