import { remember } from '../conversation/remember.ts'
import { countUnit, emptyLists, type Sums, type Transcript } from '../conversation/transcript.ts'
import type { Draft } from '../draft/draft.ts'
import type { DividedRoom } from './divide-room.ts'

/** What units cost in a draft: as the transcript counts them, or as earlier policies have left them. */
export interface Ledger extends Sums {
  readonly transcript: Transcript
  /** What earlier policies decided, one character for each unit. Empty if they decided nothing. */
  readonly decided: string
}

/** What units cost, and the room for them. */
export interface Costs extends Ledger {
  readonly room: DividedRoom
}

const open = '.'
const dropped = 'x'
const held = '!'

/** The ledger of a conversation about which no policy has decided anything. */
export const plainLedger = (transcript: Transcript): Ledger => ({
  ...transcript,
  transcript,
  decided: '',
})

/** Units that earlier policies left out cost nothing. Units that they protect count like system messages: always sent. */
export function ledgerOf({ frame, spans, units, isKept }: Draft): Ledger {
  const { transcript } = frame
  if (spans.length + frame.held.size === 0) return plainLedger(transcript)
  const lists = { ...emptyLists(), turns: [transcript.firstUser] }
  let decided = ''
  for (const unit of units) {
    const { index } = unit
    const isSent = isKept(unit)
    // The first user message is charged elsewhere.
    const isHeld = frame.held.has(index) && index !== transcript.firstUser
    decided += isHeld ? held : isSent ? open : dropped
    const left = { ...unit, kind: 'stray', noteTokens: 0 } as const
    countUnit(lists, index, isHeld ? { ...unit, kind: 'system' } : isSent ? unit : left)
  }
  return { ...lists, transcript, decided }
}

/** Whether a policy may still decide about a unit: no earlier one has left it out or protects it. */
export const isOpen = ({ decided }: Ledger, unit: number): boolean =>
  (decided[unit] ?? open) === open

/** How far a conversation was read, while earlier policies decide the same about the units read; `keep` says how many those are. */
export function rememberRead<T>({ transcript, decided }: Ledger, key: string, start: T) {
  const memory = remember(transcript, `${key} ${decided === ''}`, () => ({
    read: start,
    decided: '',
  }))
  const read = decided.startsWith(memory.decided) ? memory.read : start
  const keep = (read: T, units: number) =>
    Object.assign(memory, { read, decided: decided.slice(0, units) })
  return { read, keep }
}
