import { describe, expect, it } from 'vitest'
import type { AiSdkMessage } from './ai-sdk-model.ts'
import { toV3Prompt, toV4Prompt } from './file-forms.ts'

const url = new URL('https://x.test/a.png')
const options = { local: { detail: 'low' } }

/** The content of one message with these parts, or of a tool message whose result shows them. */
const said = (parts: readonly object[]) =>
  [{ role: 'user', content: parts }] as unknown as AiSdkMessage[]
const shown = (parts: readonly object[]) =>
  [
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', output: { type: 'content', value: parts } },
      ],
    },
  ] as unknown as AiSdkMessage[]
const partsOf = ([message]: readonly object[]) => (message as { content: unknown }).content
const shownIn = ([message]: readonly object[]) =>
  (message as { content: [{ output: { value: unknown } }] }).content[0].output.value

/** The data of a file, before and since AI SDK 7. */
const data = [
  ['AQID', { type: 'data', data: 'AQID' }],
  [new Uint8Array([1]), { type: 'data', data: new Uint8Array([1]) }],
  [url, { type: 'url', url }],
] as const

describe('a file of a message', () => {
  it.each(data)('%j says what it is, and back', (bare, tagged) => {
    const file = {
      type: 'file',
      mediaType: 'image/png',
      filename: 'a.png',
      providerOptions: options,
    }
    const [old, recent] = [
      { ...file, data: bare },
      { ...file, data: tagged },
    ]
    for (const given of [old, recent]) {
      expect(partsOf(toV4Prompt(said([given]), 'local'))).toEqual([recent])
      expect(partsOf(toV3Prompt(said([given])))).toEqual([old])
    }
  })

  it('that was uploaded is a reference', () => {
    const file = { type: 'file', mediaType: 'image', data: { openai: 'file-1' } }
    expect(partsOf(toV4Prompt(said([file]), 'openai'))).toEqual([
      { ...file, data: { type: 'reference', reference: { openai: 'file-1' } } },
    ])
  })

  it('leaves other parts and system messages alone', () => {
    const text = { type: 'text', text: 'hello' }
    const system: AiSdkMessage = { role: 'system', content: 'Be brief.' }
    for (const prompt of [
      toV4Prompt([system, ...said([text])], 'local'),
      toV3Prompt([system, ...said([text])]),
    ]) {
      expect(prompt[0]).toBe(system)
      expect((prompt[1]!.content as object[])[0]).toBe(text)
    }
  })
})

describe('a file of a tool result', () => {
  const tag = (mediaType: string, tagged: object) => ({ type: 'file', mediaType, data: tagged })
  it.each([
    [
      { type: 'image-data', data: 'AQID', mediaType: 'image/png' },
      tag('image/png', { type: 'data', data: 'AQID' }),
    ],
    [
      { type: 'file-data', data: 'AQID', mediaType: 'application/pdf' },
      tag('application/pdf', { type: 'data', data: 'AQID' }),
    ],
    [{ type: 'image-url', url: url.href }, tag('image', { type: 'url', url })],
    [{ type: 'file-url', url: url.href }, tag('application/octet-stream', { type: 'url', url })],
    [
      { type: 'file-id', fileId: { openai: 'f' } },
      tag('application', { type: 'reference', reference: { openai: 'f' } }),
    ],
  ])('%j says what it is, and back', (old, recent) => {
    expect(shownIn(toV4Prompt(shown([old]), 'local.chat'))).toEqual([recent])
    expect(shownIn(toV4Prompt(shown([recent]), 'local.chat'))).toEqual([recent])
    expect(shownIn(toV3Prompt(shown([recent])))).toEqual([old])
    expect(shownIn(toV3Prompt(shown([old])))).toEqual([old])
  })

  it.each([
    [{ type: 'image-file-id', fileId: 'f' }, 'image', { local: 'f' }],
    [
      { type: 'file-reference', providerReference: { openai: 'f' } },
      'application',
      { openai: 'f' },
    ],
  ])('%j is a reference', (old, mediaType, reference) => {
    const recent = tag(mediaType, { type: 'reference', reference })
    expect(shownIn(toV4Prompt(shown([old]), 'local.chat'))).toEqual([recent])
  })
})
