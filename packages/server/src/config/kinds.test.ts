import { expect, it } from 'vitest'
import { parseAddress } from './kinds.ts'

it.each([
  ['127.0.0.1', 'http://127.0.0.1:11434'],
  ['gpu-box', 'http://gpu-box:11434'],
  ['gpu-box:8080', 'http://gpu-box:8080'],
  ['gpu-box:80', 'http://gpu-box'],
  ['gpu-box/ollama/', 'http://gpu-box:11434/ollama'],
  [':8080', 'http://127.0.0.1:8080'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['0.0.0.0:9000', 'http://127.0.0.1:9000'],
  ['http://0.0.0.0:9000/a', 'http://127.0.0.1:9000/a'],
  ['::1', 'http://[::1]:11434'],
  ['[::1]:9000', 'http://[::1]:9000'],
  ['[::]', 'http://[::1]:11434'],
  ['http://example.com', 'http://example.com'],
  ['https://example.com/api/', 'https://example.com/api'],
  ['HTTPS://Example.com:444', 'https://example.com:444'],
  ['  localhost  ', 'http://localhost:11434'],
])('%j is %s', (text, address) => {
  expect(parseAddress(text)).toBe(address)
})

it.each([
  ...['', ' ', 'a b', 'host:port', 'host:99999', 'ftp://host', 'http://', 'http://user:word@host'],
  ...['http://host/?key=1', 'http://host/#x', 'file:///etc/passwd', '\u0000'],
])('%j is no address', text => {
  expect(parseAddress(text)).toBeUndefined()
})
