import { describe, expect, it } from 'vitest'
import { framingFor, framings } from './framings.ts'

describe('framingFor', () => {
  const models: Record<string, keyof typeof framings> = {
    'llama3.2:3b': 'llama3',
    'meta-llama/Llama-3.1-8B-Instruct': 'llama3',
    'qwen2.5-coder': 'chatml',
    'Qwen/Qwen3-8B': 'chatml',
    'qwq:32b': 'chatml',
    'hf.co/bartowski/Qwen2.5-7B-Instruct-GGUF:Q4_K_M': 'chatml',
    'dolphin-llama3:8b': 'chatml',
    'hermes3:8b': 'chatml',
    'gemma3:4b': 'gemma',
    'gpt-4o': 'openai',
    'gpt-4o-mini-2024-07-18': 'openai',
    'openai/gpt-5': 'openai',
    'o3-mini': 'openai',
    o1: 'openai',
    'gpt-oss:20b': 'harmony',
    'mistral:7b': 'mistral',
    'mistral-nemo': 'mistral',
    'mixtral:8x7b': 'mistral',
    'devstral:24b': 'mistral',
    'phi4:14b': 'phi',
    'phi-3.5-mini': 'phi',
    'deepseek-r1:8b': 'deepseek',
    'DeepSeek-R1-Distill-Qwen-7B': 'deepseek',
    'llama2:7b': 'generic',
    'claude-sonnet-4': 'generic',
    'my-own-model': 'generic',
    '': 'generic',
  }

  for (const [model, family] of Object.entries(models)) {
    it(`takes "${model}" for ${family}`, () => {
      expect(framingFor(model)).toBe(framings[family])
    })
  }
})

describe('framings', () => {
  it('are named by their key', () => {
    for (const [key, framing] of Object.entries(framings)) expect(framing.name).toBe(key)
  })

  it('has nothing in none', () => {
    const { name, ...numbers } = framings.none
    expect(Object.values(numbers)).toEqual([0, 0, 0, 0, 0, 0])
  })

  it('has a generic one that is enough for every family, but for the system message of Harmony', () => {
    for (const framing of Object.values(framings)) {
      for (const part of ['message', 'call', 'result', 'tool', 'tools'] as const) {
        expect(framings.generic[part]).toBeGreaterThanOrEqual(framing[part])
      }
      if (framing !== framings.harmony)
        expect(framings.generic.prompt).toBeGreaterThanOrEqual(framing.prompt)
    }
  })
})
