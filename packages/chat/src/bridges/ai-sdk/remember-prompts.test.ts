import { describe, expect, it } from 'vitest'
import { isSame, rememberPrompts } from './throughline-middleware.ts'

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })

describe('rememberPrompts', () => {
  it('gives messages that say the same the objects that they had', () => {
    const recognise = rememberPrompts()
    const first = [user('a'), user('b')]
    recognise(first)
    const next = recognise([user('a'), user('b'), user('c')])
    expect(next[0]).toBe(first[0])
    expect(next[1]).toBe(first[1])
    expect(next).toEqual([user('a'), user('b'), user('c')])
  })

  it('keeps conversations apart, and goes on from each', () => {
    const recognise = rememberPrompts()
    const [harbour, pier] = [[user('harbour')], [user('pier')]]
    recognise(harbour)
    recognise(pier)
    expect(recognise([user('harbour'), user('x')])[0]).toBe(harbour[0])
    expect(recognise([user('pier'), user('x')])[0]).toBe(pier[0])
  })

  it('sees where a conversation was edited', () => {
    const recognise = rememberPrompts()
    const first = [user('a'), user('b'), user('c')]
    recognise(first)
    const edited = [user('a'), user('B'), user('c')]
    const next = recognise(edited)
    expect(next).toEqual(edited)
    expect(next[0]).toBe(first[0])
    expect(next[2]).toBe(edited[2])
    // The first line is still known.
    expect(recognise([user('a'), user('b'), user('c')])[2]).toBe(first[2])
  })

  it('sees that a message was changed in place by whoever it was handed to', () => {
    const recognise = rememberPrompts()
    const [message] = recognise([user('a')])
    ;(message as ReturnType<typeof user>).content[0]!.text = 'changed'
    expect(recognise([user('a')])).toEqual([user('a')])
  })
})

describe('isSame', () => {
  it.each([
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
    [{ a: undefined }, {}, false],
    [{ a: 1 }, { b: 1 }, false],
    [[1, 2], [1], false],
    [{ 0: 1 }, [1], false],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2]), true],
    [new Uint8Array([1, 2]), new Uint8Array([1, 3]), false],
    [new URL('http://a.test/'), new URL('http://a.test'), true],
    [new URL('http://a.test/'), new URL('http://b.test'), false],
    [new Date(0), new Date(1), false],
    [new Map([[1, 1]]), new Map([[1, 2]]), false],
    ['1', 1, false],
    [null, {}, false],
  ])('%j and %j: %s', (a, b, same) => {
    expect(isSame(a, b)).toBe(same)
    expect(isSame(b, a)).toBe(same)
  })
})
