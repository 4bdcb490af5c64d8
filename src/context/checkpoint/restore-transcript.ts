import type { TokenCounter } from '../../tokens/counter.ts'
import { createTranscript, emptyLists, setUnit, type Transcript } from '../conversation/transcript.ts'
import type { Unit } from '../conversation/unit.ts'
import { createReader } from '../recall/bytes.ts'
import { adoptIndex, isRecallable } from '../recall/index-transcript.ts'
import { readTerms } from '../recall/pack-index.ts'
import { createRecallIndex } from '../recall/recall-index.ts'
import { absentEntry } from './absent-entry.ts'
import { kinds, type PackedMended, roles, unusable } from './pack-checkpoint.ts'

/** Rebuilds a transcript from its checkpoints, oldest first, without texts: those are loaded when a context needs them. */
export function restoreTranscript(count: TokenCounter, checkpoints: readonly Uint8Array[]): Transcript {
  const lists = emptyLists()
  const { entries, units, notes } = lists
  const index = createRecallIndex()
  let time: number | undefined

  for (const packed of checkpoints) {
    const bytes = createReader(packed, unusable)
    const ids = Array.from({ length: bytes.number() }, () => index.idOf(bytes.text()))
    for (let left = bytes.number(); left > 0; left--) {
      const unit = readUnit(bytes)
      const beginsSession = bytes.number() === 1
      const prior = bytes.float()
      const tokens = isRecallable(unit) ? unit.tokens : 0
      index.restore({ ...readTerms(bytes, ids, unusable), tokens, prior, beginsSession })
    }
    const last = bytes.float()
    if (!Number.isNaN(last)) time = last
  }
  const transcript = createTranscript(count, lists)
  adoptIndex(transcript, { index, time })
  return transcript

  function readUnit(bytes: ReturnType<typeof createReader>): Unit {
    const [at, from] = [units.length, entries.length]
    const kind = kinds[bytes.number()]!
    const [tokens, noteTokens, mended] = [bytes.number(), bytes.number(), bytes.text()]
    for (let left = bytes.number(); left > 0; left--) {
      const role = roles[bytes.number()]!
      if (role === 'assistant_note') notes.push({ at: entries.length, unit: at })
      entries.push(absentEntry(entries.length, role, bytes.number()))
    }
    const { missing, strays } = mended ? readMended(mended, from) : whole
    const unit: Unit = { index: at, kind, from, to: entries.length, tokens, noteTokens, missing, strays }
    setUnit(lists, unit)
    return unit
  }
}

type Mended = Pick<Unit, 'missing' | 'strays'>

const whole: Mended = { missing: [], strays: new Map() }

function readMended(json: string, from: number): Mended {
  const { missing, strays } = JSON.parse(json) as PackedMended
  return { missing, strays: new Map(strays.map(({ at, ...stray }) => [at + from, stray])) }
}
