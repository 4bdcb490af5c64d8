import { expect, it } from 'vitest'
import { ThroughlineError } from '../log/error.ts'
import { loadEncoding } from './load-encoding.ts'

it('says what to install', async () => {
  const name = 'a-tokenizer-that-nobody-has'
  const loading = loadEncoding('mine', () => import(/* @vite-ignore */ name))
  await expect(loading).rejects.toBeInstanceOf(ThroughlineError)
  await expect(loading).rejects.toMatchObject({
    code: 'package_missing',
    message: expect.stringContaining('npm install gpt-tokenizer'),
  })
})
