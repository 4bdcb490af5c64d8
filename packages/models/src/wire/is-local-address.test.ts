import { expect, it } from 'vitest'
import { isLocalAddress } from './is-local-address.ts'

it.each([
  'http://127.0.0.1:11434',
  'http://localhost:8080',
  'http://ollama:11434',
  'http://192.168.1.20:11434',
  'http://10.0.0.7',
  'http://172.16.4.4:1234',
  'http://100.101.2.3:11434',
  'http://[::1]:11434',
  'http://[fd12:3456::1]:8000',
  'http://nas.local:11434',
  'http://host.docker.internal:11434',
])('%s is on this machine or network', address => {
  expect(isLocalAddress(address)).toBe(true)
})

it.each([
  'https://api.openai.com',
  'https://ollama.com',
  'http://8.8.8.8',
  'http://172.32.0.1',
  'http://100.128.0.1',
  'http://[2001:db8::1]',
  'http://10.example.com',
  'http://localhost.example.com',
  'no address',
])('%s is somewhere else', address => {
  expect(isLocalAddress(address)).toBe(false)
})
