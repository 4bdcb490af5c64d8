import { describe, expect, it } from 'vitest'
import { user } from '../../testing/builders.ts'
import { fit } from '../fit.ts'
import { spongebob } from '../policies/spongebob.ts'
import { stable } from '../policies/stable.ts'
import { tiered } from '../policies/tiered.ts'
import { type Policy, pipe } from './draft.ts'

describe('a policy', () => {
  it('is a plain object with a name and a step', () => {
    const mine: Policy = { name: 'mine', apply: draft => draft }
    expect(fit([user('hi')], { window: 100, policy: pipe(mine, stable()) }).receipt.policy).toBe(
      'mine + stable',
    )
  })

  it('is not the function that makes one: it does not compile, and the error says what is missing', () => {
    // @ts-expect-error the parentheses are missing
    expect(() => fit([user('hi')], { window: 100, policy: spongebob })).toThrow(
      'Option "policy": is the function spongebob: call it, spongebob()',
    )
    // @ts-expect-error the parentheses are missing
    expect(() => pipe(spongebob(), stable)).toThrow('is the function stable: call it, stable()')
    // @ts-expect-error the parentheses are missing
    expect(() => pipe(tiered)).toThrow('call it, tiered()')
    // @ts-expect-error a step alone has no name
    expect(() => pipe(draft => draft)).toThrow(
      'expected a policy, such as balanced() or { name, apply }',
    )
  })

  it('is not its name, as the command line takes it: the error says what to call', () => {
    const withName = (policy: string) => () =>
      fit([user('hi')], { window: 100, policy: policy as never })
    expect(withName('tiered')).toThrow(
      'is a name: import the function from "throughline" and call it, tiered()',
    )
    expect(withName('default')).toThrow('leave the option out')
  })

  it.each([['of my own'], [{}], [{ name: 'x' }], [{ apply: (draft: unknown) => draft }]])(
    'is not %j',
    policy => {
      expect(() => fit([user('hi')], { window: 100, policy: policy as never })).toThrow(
        'expected a policy',
      )
    },
  )
})
