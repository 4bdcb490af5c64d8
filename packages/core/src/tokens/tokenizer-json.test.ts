import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ThroughlineError } from '../log/error.ts'
import { framings } from './framings.ts'
import { message } from './message.fixture.ts'
import { tokenizerJson } from './tokenizer-json.ts'

describe('tokenizerJson', () => {
  it('merges as the file says', () => {
    const counter = tokenizerJson(bytePairs())
    expect(counter.text('the the')).toBe(2)
    expect(counter.text('then')).toBe(2)
    expect(counter.text('aaaaa')).toBe(3)
    expect(counter.exact).toBe(true)
  })

  it('knows words of a vocabulary', () => {
    const counter = tokenizerJson(wordPieces())
    expect(counter.text('hello world')).toBe(2)
    expect(counter.text('hello worlds, hello')).toBe(5)
  })

  it('does not add the marks of the model', () => {
    const mark = { id: '<s>', ids: [40], tokens: ['<s>'] }
    const single = [
      { SpecialToken: { id: '<s>', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
    ]
    const marked = {
      type: 'TemplateProcessing',
      single,
      pair: single,
      special_tokens: { '<s>': mark },
    }
    expect(tokenizerJson({ ...bytePairs(), post_processor: marked }).text('the')).toBe(1)
  })

  it('adds the framing it is given', () => {
    const counter = tokenizerJson(bytePairs(), { framing: framings.chatml })
    expect(counter.message(message({ text: 'the the' }))).toBe(2 + 5)
  })

  it('has an id of its content and its framing', () => {
    const { id } = tokenizerJson(bytePairs())
    expect(id).toMatch(/^tokenizer-[0-9a-f]{8}\/generic$/)
    expect(tokenizerJson(bytePairs()).id).toBe(id)
    expect(tokenizerJson(wordPieces()).id).not.toBe(id)
    expect(tokenizerJson(bytePairs(), { config: { do_lower_case: true } }).id).not.toBe(id)
    expect(tokenizerJson(bytePairs(), { framing: framings.gemma }).id).toMatch(/\/gemma$/)
  })

  it('refuses junk with a code and a reason', () => {
    const junk = [
      undefined,
      null,
      'text',
      7,
      [],
      {},
      { model: 'x' },
      { model: {} },
      { model: { vocab: {} } },
    ]
    for (const json of [...junk, { ...bytePairs(), model: { type: 'Nothing', vocab: [] } }]) {
      const error = caught(() => tokenizerJson(json))
      expect(error).toBeInstanceOf(ThroughlineError)
      expect(error).toMatchObject({
        code: 'invalid_tokenizer',
        message: expect.stringContaining('tokenizer.json'),
      })
    }
  })

  it('does not throw on any text', () => {
    const counter = tokenizerJson(bytePairs())
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(counter.text(text)).toBeGreaterThanOrEqual(0)
      }),
    )
    expect(counter.text('\ud800')).toBe(counter.text('\ufffd'))
  })
})

function bytePairs() {
  const tokens = [...'abcdefghijklmnopqrstuvwxyzĠ', 'aa', 'th', 'the', 'Ġthe']
  return {
    version: '1.0',
    added_tokens: [{ id: 40, content: '<s>', special: true }],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    post_processor: null as unknown,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: ['a a', 't h', 'th e', 'Ġ the'],
    },
  }
}

function wordPieces() {
  return {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##' },
    model: {
      type: 'WordPiece',
      vocab: { '[UNK]': 0, hello: 1, world: 2, '##s': 3 },
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
    },
  }
}

function caught(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
