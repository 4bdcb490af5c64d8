import { expect, it } from 'vitest'
import { providerModels, providerWindow } from './provider-windows.ts'

const openai = 'https://api.openai.com'

it.each([
  [openai, 'gpt-5', 400_000],
  [openai, 'gpt-5-2025-08-07', 400_000],
  [openai, 'gpt-5-chat-latest', 128_000],
  [openai, 'gpt-4', 8192],
  [openai, 'gpt-4-0613', 8192],
  [openai, 'gpt-4-0125-preview', 128_000],
  [openai, 'ft:gpt-4o-mini-2024-07-18:acme::abc123', 128_000],
  ['https://api.anthropic.com', 'claude-sonnet-4-5-20250929', 200_000],
  ['https://generativelanguage.googleapis.com/v1beta/openai', 'models/gemini-2.5-pro', 1_048_576],
  ['https://api.groq.com/openai', 'llama-3.3-70b-versatile', 131_072],
  ['https://api.deepseek.com', 'deepseek-v4-pro', 1_000_000],
])('knows at %s the window of %s', (address, model, tokens) => {
  expect(providerWindow(address, model)).toEqual({ tokens, from: 'from the table of 2026-11' })
})

it.each([
  [openai, 'gpt-5-of-tomorrow'],
  [openai, 'gpt-50'],
  [openai, 'gpt-4-turbo-of-tomorrow'],
  [openai, 'claude-sonnet-4-5'],
  [openai, 'constructor'],
  [openai, ''],
  ['http://127.0.0.1:8000', 'gpt-5'],
  ['https://api.openai.com.evil.example', 'gpt-5'],
])('knows nothing at %s of %s', (address, model) => {
  expect(providerWindow(address, model)).toEqual({})
})

it('lists the models of a provider, each once', () => {
  const names = providerModels(openai)
  expect(names).toContain('gpt-5')
  expect(new Set(names).size).toBe(names.length)
  expect(providerModels('http://127.0.0.1:8000')).toEqual([])
})
