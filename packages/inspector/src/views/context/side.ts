import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { AwayError } from '../../api/api-error.ts'
import { contextQuery, type FitQuery } from '../../api/queries.ts'
import type { ContextAnswer, SentRow, Stretch, TimelinePoint } from '../../api/timeline.ts'
import { costQuery } from '../../api/timeline.ts'
import type { ConversationSearch } from '../../parts/address.ts'
import { type Fate, type FateRun, fateAt } from '../../parts/fates.ts'
import type { Brief } from '../../parts/log-scale.ts'
import { allPolicies } from '../../parts/policies.ts'
import { fateInRow } from '../../parts/sent-rows.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { newLanding } from './log-strip.tsx'
import { type SameAs, useScene } from './scene.ts'

/** The settings of one side of a comparison. Omitted settings default to those of the last call of the thread. */
export type Side = Readonly<Partial<ReturnType<typeof readSide>>>

/** Reads a side of an address: `4096.balanced`, `4096.default.effort-70.reserve-512`. Invalid settings are left out. */
export function readSide(text = '', system?: string) {
  const [window = '', policy = '', ...settings] = text.split('.')
  const settingOf = (name: string) =>
    settings.findLast(one => one.startsWith(`${name}-`))?.slice(name.length + 1)
  const effort = readNumber(settingOf('effort'), 0, 100)
  return {
    window: readNumber(window, 1, mostTokens),
    policy: policy === '' ? undefined : effort === undefined ? policy : 'default',
    reserve: readNumber(settingOf('reserve'), 0, mostTokens),
    /** In percent; goes with the policy `default`. */
    effort,
    notes: (['inline', 'system', 'off'] as const).find(one => one === settingOf('notes')),
    shape: (['free', 'alternating'] as const).find(one => one === settingOf('shape')),
    /** With what is pinned and hidden now, not as it was then. */
    hands: (['now'] as const).find(one => one === settingOf('hands')),
    /** Another system prompt; empty for none. */
    system:
      settingOf('system') === undefined ? undefined : settingOf('system') === 'none' ? '' : system,
  }
}

/** What a comparison begins with: the same window with the last 50 messages. */
export const usualOther = ({ window, policy }: Pick<TimelinePoint, 'window' | 'policy'>): string =>
  `${window}.${policy.startsWith('sliding') ? 'balanced' : 'sliding-50'}`

/** A side with its window and its policy by name, as an address has it. */
export const named = (
  side: Side,
  made: Pick<TimelinePoint, 'window' | 'policy'> | undefined,
): Side => ({
  ...side,
  window: side.window ?? made?.window,
  // The policy of the last call is used only if addresses can name it.
  policy: side.policy ?? allPolicies.find(policy => policy === made?.policy),
})

export const mostTokens = 100_000_000

/** What an address says of a side: its settings, and the text of its system prompt if it has one. */
export function writeSide(letter: 'A' | 'B', side: Side): ConversationSearch {
  const { window, policy, reserve, effort, notes, shape, hands, system } = side
  const prompt = system === undefined ? undefined : system === '' ? 'none' : 'other'
  const settings = Object.entries({ reserve, effort, notes, shape, hands, system: prompt }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name}-${value}`]),
  )
  const text = [window ?? '', policy ?? '', ...settings].join('.')
  const systemText = system || undefined
  return letter === 'A' ? { a: text, systemA: systemText } : { b: text, systemB: systemText }
}

/** What an address says where nothing is compared. */
export const noSides = {
  ...{ a: undefined, b: undefined, systemA: undefined, systemB: undefined, said: undefined },
}

export const toFit = ({ effort, ...side }: Side): FitQuery => ({
  ...side,
  effort: effort === undefined ? undefined : effort / 100,
})

/** Changes the policy, and drops the settings of the previous one. */
export const withPolicy = (side: Side, policy: string): Side => ({
  ...side,
  policy,
  effort: undefined,
})

/** What a person has done with messages: the first of each. */
export interface LaidHands {
  readonly pinned: readonly { readonly first: number }[]
  readonly hidden: readonly { readonly first: number }[]
}

/** A side as a program would write it. Pins and hides belong to a thread, so a side with those of now is written as one. */
export function toCode(side: Side, hands?: LaidHands): string {
  const { window, reserve, notes, shape, system } = side
  const lines = [
    `window: ${window}, reserve: ${reserve},`,
    `policy: ${policyCode(side)},`,
    notes !== undefined && `notes: ${notes === 'off' ? 'false' : `'${notes}'`},`,
    shape !== undefined && `shape: '${shape}',`,
  ]
  const laid = [
    ...(hands?.pinned ?? []).map(({ first }) => `await thread.pin(${first})`),
    ...(hands?.hidden ?? []).map(({ first }) => `await thread.hide(${first})`),
  ]
  const settings = lines.flatMap(line => (line ? [`  ${line}`] : []))
  if (laid.length > 0) {
    const prompt = system ? ['  system: prompt,'] : []
    return [...laid, 'await thread.context({', ...settings, ...prompt, '})'].join('\n')
  }
  const messages = system ? `[{ role: 'system', content: prompt }, ...chat]` : 'chat'
  return [`fit(${messages}, {`, ...settings, '})'].join('\n')
}

function policyCode({ policy = 'default', effort }: Side): string {
  if (effort !== undefined) return `recall({ effort: ${effort / 100} })`
  const [, name = policy, many] = /^(sliding|tiered)-(\d+)$/.exec(policy) ?? []
  if (name === 'default') return 'defaultPolicy'
  if (many === undefined) return `${name}()`
  return name === 'sliding' ? `sliding({ messages: ${many} })` : `tiered({ full: ${many} })`
}

function readNumber(text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined
  const number = Number(text)
  return number >= least && number <= most ? number : undefined
}

/** The settings of one side, and the context that they make. */
export type MadeSide = ReturnType<typeof useSide>

interface SideOptions {
  /** The call before, and the call from which costs are summed up. */
  readonly since: number | undefined
  readonly costSince: number
  /** Costs take longest: they are read when all else is there. */
  readonly isCostWanted: boolean
  /** Window and policy are shown as in this answer until the side has its own. */
  readonly like?: ContextAnswer | undefined
}

export function useSide(letter: 'A' | 'B', { since, costSince, isCostWanted, like }: SideOptions) {
  const { place, point } = useScene()
  const { thread, search } = place
  const { at } = point
  const [text, system] = letter === 'A' ? [search.a, search.systemA] : [search.b, search.systemB]
  const side = useMemo(() => readSide(text, system), [text, system])
  const [landing] = useState(newLanding)
  // A dragged slider does not compute every step.
  const settled = useSettled(side, 80)
  const { data, error, isPlaceholderData } = useQuery(
    contextQuery(thread, { ...toFit(settled), at, since, messages: false }),
  )
  // Always name a window: without any setting the server returns stored calls as they were.
  const window = data?.window ?? settled.window
  const cost = useQuery({
    ...costQuery(thread, { ...toFit(settled), window, since: costSince }),
    enabled: isCostWanted && data !== undefined,
  })
  const runs = useMemo(() => runsOf(data?.stretches ?? []), [data])
  return {
    ...{ letter, side, answer: data, rows: data?.sent ?? [], runs, landing },
    /** With its window and policy by name. */
    full: named(side, data ?? like),
    // The last context stays while the server is away: the line at the foot says so.
    error: data && error instanceof AwayError ? null : error,
    /** Whether the shown context belongs to the previous settings. */
    isStale: isPlaceholderData,
    /** The new tokens of the calls from a place on, had they been made like this side; undefined while they are read. */
    cost: cost.data?.anew.reduce((sum, anew) => sum + anew, 0),
  }
}

/** The fates of entries: of all but the system prompt. */
const runsOf = (stretches: readonly Stretch[]): readonly FateRun[] =>
  stretches
    .filter(({ last }) => last >= 1)
    .map(({ first, last, fate }) => ({ first: Math.max(1, first), last, fate }))

export const fateIn = ({ runs }: MadeSide, seq: number): Fate => fateAt(runs, seq) ?? 'omitted'

/** What B does with the messages that reach the model with A, and with others. `altered`: sent by both, but in another form. */
export function differenceOf(a: MadeSide, b: MadeSide, last: number) {
  const amounts = { dropped: 0, added: 0, same: 0, altered: 0 }
  for (let seq = 1; seq <= last; seq++) {
    const [one, other] = [fateIn(a, seq), fateIn(b, seq)]
    if (one === 'omitted' && other === 'omitted') continue
    if (one === other) amounts.same += 1
    else if (other === 'omitted') amounts.dropped += 1
    else if (one === 'omitted') amounts.added += 1
    else amounts.altered += 1
  }
  return amounts
}

export function sameAs(side: MadeSide, other: MadeSide): SameAs {
  const addedByOther = new Set(other.rows.map(addedKey))
  const entry = (seq: number) => fateIn(side, seq) === fateIn(other, seq)
  return {
    entry,
    message: ({ row, seq }) =>
      seq === undefined
        ? row.standsFor.every(entry) && (isRecall(row) || addedByOther.has(addedKey(row)))
        : entry(seq) || fateIn(other, seq) === fateInRow(fateIn(side, seq)),
  }
}

const isRecall = ({ part, sources }: SentRow) => part === 'recall' && sources === undefined
const addedKey = ({ part, text = '' }: SentRow) => `${part}\n${text}`

/** The places of past calls and of the next: entries that are not answers, before an answer or at the end. */
export const callPlaces = (entries: readonly Brief[]): readonly number[] =>
  entries.flatMap(({ seq, role }, index) => {
    const next = entries[index + 1]
    const isAnswer = role === 'assistant' || role === 'assistant_note'
    return isAnswer || (next && next.role !== 'assistant') ? [] : [seq]
  })
