import { firstPlace } from '../../../context/conversation/first-place.ts'
import { type Fate, fates, type ReceiptStretch } from '../../../context/receipt.ts'
import { isRun, leadOf, type Plan } from '../../../history/calls/plan.ts'
import { stretchInLog } from '../../../history/log/places-in-log.ts'

/** Entries in a row with one fate: `from` is the first one, `to` the one after the last. */
export interface FateRun {
  readonly from: number
  readonly to: number
  readonly fate: Fate
}

/** What lies over what where stretches overlap, the lowest first; an entry in none of them is left out. */
const layers: readonly Fate[] = ['elided', 'digested', 'recalled', 'elided', 'moved', 'altered', 'kept']
const layerOf = Object.fromEntries(fates.map(fate => [fate, layers.indexOf(fate)])) as Record<Fate, number>
/** The layer of notes and results without a call inside a stretch that others stand for. */
const unsentLayer = 3

/**
 * The fates of the entries 1 to `at`, made from the stretches of a receipt by their places in the log. The cost is that of
 * the stretches, not of the entries. `unsent`: notes and results without a call, in order: they count as left out where a
 * digest or a block stands for the stretch around them.
 */
export function fateRuns(
  stretches: readonly Pick<ReceiptStretch, 'first' | 'last' | 'fate'>[],
  at: number,
  unsent: readonly number[],
): readonly FateRun[] {
  const edges: { readonly place: number; readonly layer: number; readonly change: 1 | -1 }[] = []
  const add = (first: number, last: number, layer: number) => {
    const [from, to] = [Math.max(1, first), Math.min(at, last) + 1]
    if (from < to) edges.push({ place: from, layer, change: 1 }, { place: to, layer, change: -1 })
  }
  add(1, at, 0)
  for (const { first, last, fate } of stretches) add(first, last, layerOf[fate])
  for (const place of placesWithin(unsent, stretches)) add(place, place, unsentLayer)
  edges.sort((a, b) => a.place - b.place)
  const open = layers.map(() => 0)
  const runs: FateRun[] = []
  for (const [index, { place, layer, change }] of edges.entries()) {
    open[layer]! += change
    const to = edges[index + 1]?.place ?? place
    if (to === place) continue
    const fate = layers[open.findLastIndex(many => many > 0)] ?? 'elided'
    const last = runs.at(-1)
    if (last?.fate === fate) runs[runs.length - 1] = { ...last, to }
    else runs.push({ from: place, to, fate })
  }
  return runs
}

/** The places that lie in a stretch that is digested or recalled, each once. */
function* placesWithin(
  places: readonly number[],
  stretches: readonly Pick<ReceiptStretch, 'first' | 'last' | 'fate'>[],
): Generator<number> {
  if (places.length === 0) return
  const replaced = stretches.filter(({ fate }) => fate === 'digested' || fate === 'recalled')
  let next = 0
  for (const { first, last } of replaced.sort((a, b) => a.first - b.first)) {
    next = Math.max(
      next,
      firstPlace(places.length, index => places[index]! >= first),
    )
    for (; next < places.length && places[next]! <= last; next++) yield places[next]!
  }
}

/** The stretches of a stored call, by their places in the log. Entries that were sent as they are stand in its messages. */
export function planStretches(plan: Plan) {
  const { messages, verdicts, fates: stored } = plan
  const lead = leadOf(plan)
  const told = stored.map(([first, last, verdict]) =>
    stretchInLog({ first, last, fate: fateOf(verdicts[verdict]?.[0]) }, lead),
  )
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

/** The fate of one entry in such a text; undefined where it does not reach the entry. */
export function fateIn(text: string, entry: number): Fate | undefined {
  let end = 0
  for (const [, many, letter] of text.matchAll(/(\d+)([a-z])/g)) {
    end += Number(many)
    if (entry >= 1 && entry <= end) return fates.find(fate => fate[0] === letter)
  }
  return undefined
}
