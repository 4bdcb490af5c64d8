import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../../log/message.ts'
import { createRandom } from '../../testing/random-conversation.ts'
import { words } from '../../tokens/words.ts'
import { createTranscript, type Transcript } from '../conversation/transcript.ts'
import { indexTranscript } from '../recall/index-transcript.ts'
import { cutStateOf } from '../stable/cut-state.ts'
import { plainLedger } from '../stable/ledger.ts'
import { rulePlaces } from '../standing/rule-places.ts'
import { EntryNeeded } from './absent-entry.ts'
import { packCheckpoint, restoreTranscript, unitsPerCheckpoint } from './checkpoint.ts'

const count = words()

/** Messages of every kind, in any order: rounds that are answered or not, results without a call, notes, system messages. */
function messages(size: number, seed: number): MessageLike[] {
  const random = createRandom(seed)
  const said = [
    'harbour',
    'lighthouse',
    'the ledger of house',
    'a lantern',
    'Always use tabs.\n',
    'shelf',
    '灯塔',
  ]
  const text = () =>
    Array.from({ length: random(9) }, () => `${said[random(7)]} ${random(400)}`).join(' ')
  return Array.from({ length: size }, (_, n): MessageLike => {
    const kind = random(20)
    if (kind < 7) return { role: 'user', content: text() }
    if (kind < 12) return { role: 'assistant', content: text() }
    if (kind < 14) return { role: 'assistant_note', content: text() }
    if (kind < 15) return { role: 'system', content: text() }
    if (kind < 17) {
      const calls = [`${n}`, `${n}b`].map(id => ({
        id,
        function: { name: 'look', arguments: { n } },
      }))
      return { role: 'assistant', content: text(), tool_calls: calls }
    }
    return {
      role: 'tool',
      tool_call_id: `${n - 1 - random(2)}${random(2) ? 'b' : ''}`,
      content: text(),
    }
  })
}

function grown(all: readonly MessageLike[], transcript = createTranscript(count)): Transcript {
  for (const message of all.slice(transcript.entries.length)) transcript.append(message, 0)
  return transcript
}

/** Everything that a transcript says without its texts. */
function told(transcript: Transcript) {
  rulePlaces(transcript, transcript.units.length)
  const { append: _, fork: __, entries, units, ...rest } = transcript
  const room = {
    base: 900,
    digests: 20,
    journal: 0,
    recall: 300,
    whole: 800,
    tail: 500,
    inside: 600,
    single: 700,
    recallInside: 50,
    lines: 100,
    systems: 200,
    low: 200,
    early: 200,
    keepRounds: 200,
    keep: 400,
    high: 400,
    exchanges: 3,
    byRight: 400,
    pasted: 135,
    opening: 56,
  }
  return {
    ...rest,
    units: [...units],
    entries: entries.map(({ role, tokens }) => ({ role, tokens })),
    cutState: cutStateOf({ ...plainLedger(transcript), room: { ...room, inlineNotes: true } }),
  }
}

describe('a transcript of checkpoints', () => {
  const all = messages(3300, 7)
  const fresh = grown(all)
  const full = Math.floor((fresh.units.length - 1) / unitsPerCheckpoint)
  const checkpoints = Array.from({ length: full }, (_, number) => packCheckpoint(fresh, number))

  const size = full * unitsPerCheckpoint

  it('has some of everything', () => {
    expect(full).toBeGreaterThan(3)
    const settled = fresh.units.slice(0, size)
    expect(new Set(settled.map(unit => unit.kind)).size).toBe(6)
    expect(settled.some(unit => unit.missing.length > 0 && unit.strays.size > 0)).toBe(true)
  })

  it.each([1, 2, full])('is what the messages say, and goes on like them: %i', number => {
    const { transcript, used } = restoreTranscript(count, checkpoints.slice(0, number))
    expect(used).toBe(number)
    const { length } = transcript.entries
    expect(told(transcript)).toEqual(told(grown(all.slice(0, length))))
    expect(told(grown(all, transcript))).toEqual(told(fresh))
  })

  it('packs what it adds as one that was never restored', () => {
    const { transcript } = restoreTranscript(count, checkpoints.slice(0, 2))
    grown(all, transcript)
    for (let number = 2; number < full; number++)
      expect(packCheckpoint(transcript, number)).toEqual(checkpoints[number])
  })

  it.each(isLong ? [1, 128, 511] : [128])(
    'may end with a checkpoint that is not full: %i',
    units => {
      // As in a log: the time of the last message is known without the texts before it.
      const timed = all.map((message, time) => ({ ...message, time }))
      const fresh = grown(timed)
      const [first, second, third, fourth] = [0, 1, 2, 3].map(number =>
        packCheckpoint(fresh, number),
      )
      const begun = packCheckpoint(fresh, 2, 2 * unitsPerCheckpoint + units)
      const { transcript, used } = restoreTranscript(count, [first!, second!, begun])
      expect(used).toBe(3)
      expect(transcript.units.length).toBe(2 * unitsPerCheckpoint + units)
      expect(told(transcript)).toEqual(told(grown(timed.slice(0, transcript.entries.length))))
      expect(told(grown(timed, transcript))).toEqual(told(fresh))
      expect(packCheckpoint(transcript, 2)).toEqual(third)
      expect(packCheckpoint(transcript, 3)).toEqual(fourth)
      // Nothing follows one that is not full.
      expect(restoreTranscript(count, [first!, second!, begun, fourth!]).used).toBe(3)
    },
  )

  it('is forked at any place without a text', () => {
    const { transcript } = restoreTranscript(count, checkpoints)
    for (const length of [0, 1, 700, 701, 702, 703, 1500, transcript.entries.length]) {
      const fork = transcript.fork(length)
      expect(told(fork)).toEqual(told(grown(all.slice(0, fork.entries.length))))
      expect(told(grown(all, fork))).toEqual(told(fresh))
    }
    expect(told(grown(all, transcript))).toEqual(told(fresh))
  })

  it('asks for texts by their places', () => {
    const { transcript } = restoreTranscript(count, checkpoints)
    for (const at of [0, 5, 900, transcript.entries.length - 1])
      expect(() => transcript.entries[at]!.message).toThrow(new EntryNeeded(at))
  })

  it('ends before a checkpoint that is broken, or does not follow', () => {
    const [first, second, third] = checkpoints
    const used = (...packed: Uint8Array[]) => {
      const restored = restoreTranscript(count, packed)
      expect(told(grown(all, restored.transcript))).toEqual(told(fresh))
      expect(indexTranscript(restored.transcript, size).priors).toEqual(
        indexTranscript(fresh, size).priors,
      )
      return restored.used
    }
    expect(used(first!, second!, third!)).toBe(3)
    expect(used(second!)).toBe(0)
    expect(used(first!, third!, second!)).toBe(1)
    expect(used(first!, second!.slice(0, 900), third!)).toBe(1)
    expect(used(first!, second!.slice(0, -1), third!)).toBe(1)
    expect(used(first!, new Uint8Array(), third!)).toBe(1)
  })
})
