import { Buffer } from 'node:buffer'
import { parseBody } from '@throughline/core/fields'
import { isLong } from '@throughline/test-tools/is-long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyParser } from './create-body-parser.ts'

const limits = { maxDepth: 20, maxValues: 2000 }
const bytesOf = (body: unknown) =>
  Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
const parser = (leastBytes = 1, pieceBytes?: number) => {
  const { parse } = createBodyParser(
    { ...limits, ...(pieceBytes && { pieceBytes }) },
    { leastBytes },
  )
  return (bytes: Buffer, owner: string) => inOnePiece(parse(bytes, owner)).value
}

/** Does work that yields between its pieces, and counts them. */
function inOnePiece<T>(work: Iterator<void, T>): { readonly value: T; readonly pieces: number } {
  for (let pieces = 1; ; pieces++) {
    const { done, value } = work.next()
    if (done) return { value, pieces }
  }
}

const message = (n: number) => ({
  role: n % 2 ? 'assistant' : 'user',
  content: `Message ${n} "]},{[" é\\`,
})
const bodyOf = (count: number, rest: object = { stream: true }) => ({
  model: 'm',
  messages: Array.from({ length: count }, (_, n) => message(n)),
  ...rest,
})
const messagesOf = (body: unknown) => (body as { messages: readonly object[] }).messages

describe('a conversation that goes on', () => {
  it('is parsed as what it says, and what came before is the same objects', () => {
    const parse = parser()
    let before: readonly object[] = []
    for (let count = 1; count < 30; count += 2) {
      const body = parse(bytesOf(bodyOf(count)), 'ada')
      expect(body).toEqual(bodyOf(count))
      expect(before.every((one, n) => messagesOf(body)[n] === one)).toBe(true)
      before = messagesOf(body)
    }
    expect(before).toHaveLength(29)
  })

  it('may be written with spaces, and have other fields before and behind it', () => {
    const parse = parser()
    for (let count = 1; count < 8; count++) {
      const { messages } = bodyOf(count)
      const body = { tools: [[1], { a: [] }], messages, stop: ['x'], input: 'y', n: count }
      expect(parse(bytesOf(JSON.stringify(body, null, 2)), 'ada')).toEqual(body)
    }
  })

  it('shares no objects with the bodies of others, with what differs, or with short ones', () => {
    const [parse, strict] = [parser(), parser(10_000)]
    const first = messagesOf(parse(bytesOf(bodyOf(3)), 'ada'))
    expect(messagesOf(parse(bytesOf(bodyOf(5)), 'bob'))[0]).not.toBe(first[0])
    expect(messagesOf(parse(bytesOf(bodyOf(5, { model: 'other' })), 'ada'))[0]).not.toBe(first[0])
    const short = messagesOf(strict(bytesOf(bodyOf(3)), 'ada'))
    expect(messagesOf(strict(bytesOf(bodyOf(5)), 'ada'))[0]).not.toBe(short[0])
  })

  it('is known up to a message that was changed, such as one that lost its cache mark', () => {
    const parse = parser()
    const marked = (count: number) => {
      const body = bodyOf(count)
      const last = { ...body.messages.at(-1)!, cache_control: { type: 'ephemeral' } }
      return { ...body, messages: [...body.messages.slice(0, -1), last] }
    }
    let before: readonly object[] = []
    for (let count = 3; count < 30; count += 2) {
      const body = parse(bytesOf(marked(count)), 'ada')
      expect(body).toEqual(marked(count))
      const shared = messagesOf(body).findIndex((one, n) => one !== before[n])
      expect(shared).toBe(Math.max(0, before.length - 1))
      before = messagesOf(body)
    }
  })

  it('is still known when another one went on from its beginning', () => {
    const parse = parser()
    const first = messagesOf(parse(bytesOf(bodyOf(20)), 'ada'))
    const { messages, ...rest } = bodyOf(3)
    const other = {
      ...rest,
      messages: [...messages, { role: 'user', content: 'A title, please.' }],
    }
    expect(parse(bytesOf({ model: 'm', messages: other.messages, stream: true }), 'ada')).toEqual(
      other,
    )
    expect(messagesOf(parse(bytesOf(bodyOf(21)), 'ada'))[19]).toBe(first[19])
  })

  it('has the same objects beside its messages where these are written the same', () => {
    const parse = parser()
    const toolsOf = (count: number, n: number) =>
      (parse(bytesOf(bodyOf(count, { tools: [{ n: 1 }], n })), 'ada') as { tools: unknown }).tools
    const tools = toolsOf(3, 1)
    expect(toolsOf(5, 1)).toBe(tools)
    expect(toolsOf(7, 2)).not.toBe(tools)
  })

  it('is known for a while only', () => {
    const strict = createBodyParser(limits, {
      leastBytes: 1,
      mostBytes: 2 * bytesOf(bodyOf(9)).length,
    })
    const parse = (bytes: Buffer, owner: string) => inOnePiece(strict.parse(bytes, owner)).value
    const first = messagesOf(parse(bytesOf(bodyOf(7)), 'ada'))
    for (const name of ['x', 'y', 'z']) parse(bytesOf(bodyOf(7, { model: name })), 'ada')
    expect(messagesOf(parse(bytesOf(bodyOf(9)), 'ada'))[0]).not.toBe(first[0])
  })

  it('is not kept if all bodies were forgotten while it was parsed', () => {
    const { parse, forget } = createBodyParser({ ...limits, pieceBytes: 64 }, { leastBytes: 1 })
    const [bytes, work] = [bytesOf(bodyOf(5)), parse(bytesOf(bodyOf(5)), 'ada')]
    work.next()
    forget()
    const first = messagesOf(inOnePiece(work).value)
    const again = messagesOf(inOnePiece(parse(bytes, 'ada')).value)
    expect(again[0]).not.toBe(first[0])
    expect(messagesOf(inOnePiece(parse(bytes, 'ada')).value)[0]).toBe(again[0])
  })

  it('may be parsed while another one goes on from the same body', () => {
    const { parse } = createBodyParser({ ...limits, pieceBytes: 64 }, { leastBytes: 1 })
    inOnePiece(parse(bytesOf(bodyOf(9)), 'ada'))
    const works = [13, 15].map(count => parse(bytesOf(bodyOf(count)), 'ada'))
    for (const work of works) expect(work.next().done).toBe(false)
    expect(works.map(work => messagesOf(inOnePiece(work).value).length)).toEqual([13, 15])
  })

  it('has the limits of the whole', () => {
    const parse = parser()
    const earlier = { messages: Array.from({ length: 300 }, (_, n) => [n, n, n]) }
    parse(bytesOf(earlier), 'ada')
    const more = { messages: [...earlier.messages, ...earlier.messages] }
    expect(() => parse(bytesOf(more), 'ada')).toThrow('more than 2000 values')
    const deep = JSON.parse(`${'['.repeat(19)}${']'.repeat(19)}`)
    expect(() => parse(bytesOf({ messages: [...earlier.messages, deep] }), 'ada')).toThrow(
      '20 levels deep',
    )
  })
})

describe('whatever follows a body that is known', () => {
  const earlier = '{"model":"m","messages":[{"a":1},"x"]}'
  const begin = '{"model":"m","messages":[{"a":1},"x"'

  it.each([
    ',]}',
    ' ]}',
    '  ,"y" ,["z"] ]}',
    '  ,"y", ,"z"]}',
    ',"y"]}',
    ', ]}',
    ',"y"],"messages":[]}',
    ',"y"],"messages":["z","z"],"b":2}',
    ',"y"],"mess\\u0061ges":["z"]}',
    ',"y"],"model":"n"}',
    ',"y"],"":[1],"":[2]}',
    ',"y"].5}',
    ',"y"]]}',
    ',"y"}]}',
    ' "y"]}',
    '\u00a0,"y"]}',
    ',"y"]',
    ',"y',
    '',
    ',"y"],}',
    ',"y"]}{',
    ',"__proto__"],"__proto__":{"b":1}}',
    ',["y",{"messages":["z"]}]}',
    ',{"messages":["z"],"x":[]}],"input":["i"]}',
  ])('is read as by any parser, in one piece and in many: %s', rest => {
    const outcome = (read: () => unknown) => {
      try {
        return JSON.stringify(read())
      } catch {
        return 'refused'
      }
    }
    const bytes = bytesOf(begin + rest)
    const expected = outcome(() => parseBody(bytes, limits))
    for (const pieceBytes of [undefined, 1, 6]) {
      const parse = parser(1, pieceBytes)
      expect(outcome(() => parse(bytes, 'bob'))).toBe(expected)
      parse(bytesOf(earlier), 'ada')
      expect(outcome(() => parse(bytes, 'ada'))).toBe(expected)
    }
  })
})

/** Bodies that are made of each other's beginnings, with all that JSON can do in between. */
const anyBody = fc
  .tuple(
    fc.array(fc.json({ maxDepth: 3 }), { maxLength: 6 }),
    fc.constantFrom('messages', 'input', 'mess\\u0061ges'),
    fc.constantFrom('', ' ', '\n  '),
    fc.array(fc.constantFrom(',"messages":[1]', ',"n":1', ',"n":[2]', ',"":0', ',"input":[3]'), {
      maxLength: 3,
    }),
    fc.constantFrom('', '"tools":[[]],', '"messages":[0],'),
  )
  .map(([elements, name, space, fields, before]) => ({
    head: `{${before}"${name}":${space}[`,
    elements: elements.map(element => `${space}${element}`),
    tail: `${space}]${fields.join('')}}`,
  }))

const numRuns = isLong ? 20_000 : 100

/** Compares a parser with one that knows nothing, on bodies that begin alike. */
function compare(newParser: () => (bytes: Buffer, owner: string) => unknown): void {
  fc.assert(
    fc.property(
      anyBody,
      anyBody,
      fc.nat(),
      fc.nat(400),
      ({ head, elements, tail }, other, cut, flip) => {
        const parse = newParser()
        const texts = elements.map(
          (_, end) => `${head}${elements.slice(0, end + 1).join(',')}${tail}`,
        )
        const last = `${head}${[...elements, ...other.elements].join(',')}${other.tail}`
        const broken = last.slice(0, flip) + last.slice(flip + (cut % 3))
        const changed = elements.map((element, at) =>
          at === cut % elements.length ? '12' : element,
        )
        const edited = `${head}${[...changed, '1'].join(',')}${tail}`
        for (const text of [...texts, last, broken, last, edited, last]) {
          const bytes = bytesOf(text)
          let expected: unknown
          try {
            expected = parseBody(bytes, limits)
          } catch (error) {
            expect(() => parse(bytes, 'ada')).toThrow((error as Error).message)
            continue
          }
          expect(parse(bytes, 'ada')).toEqual(expected)
        }
      },
    ),
    { numRuns, seed: 7 },
  )
}

it('never differs from parsing the whole, whatever came before', () => compare(parser))

it('never differs from parsing the whole, however small its pieces are', () =>
  compare(() => parser(1, 5)))

it('parses a long body in many pieces, and what is new in it in one', () => {
  const { parse } = createBodyParser({ ...limits, maxValues: 1_000_000 })
  const body = bytesOf(bodyOf(40_000))
  const { value, pieces } = inOnePiece(parse(body, 'ada'))
  expect(value).toEqual(JSON.parse(String(body)))
  // It is looked at, then parsed.
  expect(pieces).toBeGreaterThan((1.9 * body.length) / (256 * 1024))
  const again = inOnePiece(parse(bytesOf(bodyOf(40_001)), 'ada'))
  expect(messagesOf(again.value)[39_999]).toBe(messagesOf(value)[39_999])
  expect(again.pieces).toBe(1)
})

describe('every body of a few tokens, after every other one that is kept', () => {
  const tokens = ['[', ']', '{', '}', ',', ':', ' ', '1', '"', '"messages"'] as const
  const head = '{"messages":['
  const outcome = (parse: (bytes: Buffer) => unknown, text: string) => {
    try {
      return JSON.stringify(parse(bytesOf(text)))
    } catch {
      return 'refused'
    }
  }
  /** All that may follow the beginning of a list, up to a number of tokens; the last ones may close the body. */
  const textsOf = (most: number) => {
    let ends = ['']
    const all = ['']
    for (let count = 0; count < most; count++) {
      ends = ends.flatMap(end => tokens.map(token => end + token))
      all.push(...ends)
    }
    return [
      ...new Set(all.flatMap(text => [`${head}${text}`, `${head}${text}}`, `${head}${text}]}`])),
    ]
  }
  const expected = new Map<string, string>()
  const byText = (text: string) => {
    const known = expected.get(text) ?? outcome(bytes => JSON.parse(String(bytes)), text)
    expected.set(text, known)
    return known
  }
  const isValid = (text: string) => byText(text) !== 'refused'
  /** Reads bodies one after the other, and names the first that is read otherwise than by `JSON.parse`. */
  function differs(texts: readonly string[], pieceBytes?: number): string | undefined {
    const parse = parser(1, pieceBytes)
    for (const [at, text] of texts.entries()) {
      const seen = outcome(bytes => parse(bytes, 'ada'), text)
      if (seen !== byText(text)) return `${texts.slice(0, at + 1).join(' then ')}: ${seen}`
    }
    return undefined
  }

  /** The most tokens of a body. One more token is ten times the bodies: 3 take a minute, 4 would take hours. */
  const most = isLong ? 3 : 2

  it.each([undefined, 1])('is read as by JSON.parse, in pieces of %s bytes', pieceBytes => {
    const kept = textsOf(most).filter(isValid)
    expect(kept.length).toBeGreaterThan(10)
    for (const next of textsOf(most))
      expect(kept.map(text => differs([text, next], pieceBytes)).find(one => one)).toBeUndefined()
  })

  it('is read so after two that go on from each other', () => {
    const kept = textsOf(2).filter(isValid)
    for (const next of textsOf(most - 1))
      for (const first of kept)
        expect(kept.map(second => differs([first, second, next])).find(one => one)).toBeUndefined()
  })

  it('is read so wherever a body is cut, and whatever stands at its end', () => {
    const body = JSON.stringify({
      n: [1],
      messages: [{ a: '"],é\\' }, [2, 'x'], 3],
      model: 'm',
      stop: ['y'],
    })
    const cuts = Array.from({ length: body.length }, (_, at) => body.slice(0, at))
    for (const kept of [body, body.replace(/"messages":\[.*3\]/, '"messages":[]')])
      for (const cut of cuts)
        for (const end of ['', ']', '}', ']}', ',', ',4]}', ']}}', '"]}', ' , 5 ] } '])
          for (const pieceBytes of [undefined, 2])
            expect(differs([kept, cut + end, kept], pieceBytes)).toBeUndefined()
  })
})

it('would be seen to differ', () => {
  /** Takes the first of two lists of one name. */
  const faulty = (bytes: Buffer) => {
    const body = parseBody(bytes, limits)
    return String(bytes).startsWith('{"messages":[0],')
      ? { ...(body as object), messages: [0] }
      : body
  }
  expect(() => compare(() => faulty)).toThrow('Property failed')
})
