import { firstPlace } from '../../../context/conversation/first-place.ts'
import { laySpans } from '../../../context/draft/span.ts'
import { type Fate, fates, type ReceiptStretch } from '../../../context/receipt.ts'
import { isRun, leadOf, type Plan } from '../../../history/calls/plan.ts'

/** Entries in a row with one fate: `from` is the first one, `to` the one after the last. */
export interface FateRun {
  readonly from: number
  readonly to: number
  readonly fate: Fate
}

/**
 * The fates of the entries 1 to `at`, made from the stretches of a receipt by their places in the log. The cost is that of
 * the stretches, not of the entries. `unsent`: notes and results without a call, which count as left out wherever a stretch
 * goes over them.
 */
export function fateRuns(
  stretches: readonly Pick<ReceiptStretch, 'first' | 'last' | 'fate'>[],
  at: number,
  unsent: readonly number[],
): readonly FateRun[] {
  const pick = (...wanted: readonly Fate[]) =>
    apart(
      stretches
        .filter(({ fate }) => wanted.includes(fate))
        .map(({ first, last, fate }) => ({ from: Math.max(1, first), to: Math.min(at, last) + 1, fate })),
    )
  const replaced = pick('digested', 'recalled')
  const without = replaced.flatMap(run => placesWithin(unsent, run))
  const layers = [pick('elided'), replaced, without, pick('moved'), pick('altered'), pick('kept')]
  const everything: readonly FateRun[] = [{ from: 1, to: at + 1, fate: 'elided' }]
  const laid = layers.reduce((below, layer) => laySpans(below, layer), everything)
  return joined(laid)
}

/** Sorted, and none over another: what was imported may say anything. */
function apart(runs: readonly FateRun[]): readonly FateRun[] {
  let end = 1
  const found: FateRun[] = []
  for (const { from, to, fate } of [...runs].sort((a, b) => a.from - b.from)) {
    if (to <= Math.max(from, end)) continue
    found.push({ from: Math.max(from, end), to, fate })
    end = to
  }
  return found
}

function placesWithin(places: readonly number[], { from, to }: FateRun): readonly FateRun[] {
  const found: FateRun[] = []
  for (let next = firstPlace(places.length, index => places[index]! >= from); next < places.length; next++) {
    const place = places[next]!
    if (place >= to) break
    found.push({ from: place, to: place + 1, fate: 'elided' })
  }
  return found
}

function joined(runs: readonly FateRun[]): readonly FateRun[] {
  const found: FateRun[] = []
  for (const run of runs) {
    const last = found.at(-1)
    if (last?.fate === run.fate && last.to === run.from) found[found.length - 1] = { ...last, to: run.to }
    else found.push(run)
  }
  return found
}

/** The stretches of a stored call, by their places in the log. Entries that were sent as they are stand in its messages. */
export function planStretches(plan: Plan) {
  const { messages, verdicts, fates: stored } = plan
  const lead = leadOf(plan)
  const told = stored.map(([first, last, verdict]) => ({
    ...{ first: first - lead + 1, last: last - lead + 1 },
    fate: fateOf(verdicts[verdict]?.[0]),
  }))
  const kept = messages.flatMap(item =>
    isRun(item) ? [{ first: item[0], last: item[1], fate: 'kept' as const }] : [],
  )
  return [...told, ...kept]
}

/** A fate of a later version counts as left out. */
const fateOf = (text: string | undefined): Fate => fates.find(fate => fate === text) ?? 'elided'

/** Runs as a text: `2k14e1r`. The letters are the first ones of the fates. */
export const toFateText = (runs: readonly FateRun[]): string =>
  runs.map(({ from, to, fate }) => `${to - from}${fate[0]}`).join('')

export function countFates(runs: readonly FateRun[]): Record<Fate, number> {
  const counts = Object.fromEntries(fates.map(fate => [fate, 0])) as Record<Fate, number>
  for (const { from, to, fate } of runs) counts[fate] += to - from
  return counts
}

/** The fate of one entry; undefined where the runs do not reach it. */
export function fateAt(runs: readonly FateRun[], seq: number): Fate | undefined {
  const run = runs[firstPlace(runs.length, index => runs[index]!.to > seq)]
  return run && run.from <= seq ? run.fate : undefined
}
