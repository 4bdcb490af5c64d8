import { describe, expect, it } from 'vitest'
import { estimate } from '../../tokens/estimate.ts'
import { readConversation } from '../conversation/conversation.ts'
import { adoptIndex, indexTranscript, saveIndex } from './index-transcript.ts'
import { unpackIndex } from './packed/packed-words.ts'

const talk = [
  'The harbour crane lifts the mast of the Heron on Monday morning.',
  'The crane is booked for the mast on Monday.',
  'Will the harbour crane lift the mast of the Heron before noon on Monday?',
  'Yes, before noon, if the wind allows the crane to lift.',
  'My grandmother bakes plum cake with cinnamon and almond crumble.',
  'A plum cake with cinnamon sounds lovely.',
  'How long does plum cake of my grandmother stay in the oven?',
  'About fifty minutes, until the crumble is golden.',
]

const toMessages = (times: readonly (number | undefined)[] = []) =>
  talk.map((content, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
    time: times[at],
  }))

function sessionsOf(messages: ReturnType<typeof toMessages>) {
  const { transcript } = readConversation(messages, estimate())
  return [...indexTranscript(transcript, talk.length).starts]
}

describe('sessions', () => {
  it('begin where a message without a time speaks of something else', () => {
    expect(sessionsOf(toMessages())).toEqual([0, 4])
  })

  it('begin after a pause where messages have times, whatever they say', () => {
    const minute = 60_000
    expect(sessionsOf(toMessages(talk.map((_, at) => at * minute)))).toEqual([0])
    expect(sessionsOf(toMessages(talk.map((_, at) => (at < 2 ? at : at + 60) * minute)))).toEqual([
      0, 2,
    ])
  })

  it('end after 256 units though there is no pause, whoever speaks and wherever the index was saved', () => {
    const messages = Array.from({ length: 600 }, (_, at) => ({
      role: at % 2 === 0 ? 'assistant' : 'user',
      content: talk[0]!,
      time: 1,
    }))
    for (const size of [0, 255, 256, 257, 400]) {
      const before = readConversation(messages.slice(0, size), estimate()).transcript
      indexTranscript(before, size)
      const after = readConversation(structuredClone(messages), estimate()).transcript
      adoptIndex(after, unpackIndex(saveIndex(before)))
      expect([...indexTranscript(after, 600).starts]).toEqual([0, 256, 512])
    }
  })

  it('are the same in an index that was saved in their middle', () => {
    const messages = toMessages()
    for (let size = 1; size < talk.length; size++) {
      const before = readConversation(messages.slice(0, size), estimate()).transcript
      indexTranscript(before, size)
      const after = readConversation(structuredClone(messages), estimate()).transcript
      adoptIndex(after, unpackIndex(saveIndex(before)))
      expect([...indexTranscript(after, talk.length).starts]).toEqual([0, 4])
    }
  })
})
