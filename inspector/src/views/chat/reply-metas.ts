import type { AnswerOf } from '../../api/routes.ts'

/** The figures of the calls that gave a reply. */
export interface ReplyMeta {
  readonly model: string
  readonly read?: number | undefined
  readonly written?: number | undefined
  readonly turn: number
  /** Codes of what was wrong although the model answered. */
  readonly warnings?: readonly string[] | undefined
}

/** Which model replied in a turn, and the tokens that it read in all its calls. Calls come newest first. */
export function replyMetas(
  calls: AnswerOf<'get /conversations/:conversation/calls'>['calls'],
  lastTurn: number | undefined,
  written: number | undefined,
): ReadonlyMap<number, ReplyMeta> {
  const metas = new Map<number, ReplyMeta>()
  for (const { turn, model, reported, predicted, warnings } of calls) {
    const meta = metas.get(turn)
    metas.set(turn, {
      turn,
      model: meta?.model ?? model,
      read: (meta?.read ?? 0) + (reported ?? predicted),
      warnings: [...new Set([...(meta?.warnings ?? []), ...warnings])],
    })
  }
  const last = metas.get(lastTurn ?? 0)
  if (last && written !== undefined) metas.set(last.turn, { ...last, written })
  return metas
}
