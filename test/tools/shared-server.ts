import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    readonly sharedServers: string
  }
}

/** The address of a server that all test files of a run share. The first that asks waits until it is started. */
export async function sharedServer(name: 'postgres' | 'browser', detail = ''): Promise<string> {
  const response = await fetch(`${inject('sharedServers')}/${name}`, {
    method: 'POST',
    body: detail,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
