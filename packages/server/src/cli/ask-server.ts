import { residueNote } from '@throughline/stores/errors'
import type { Command } from 'commander'
import { printError, UserError } from './print.ts'

export interface ServerFlags {
  readonly server?: string
  readonly key?: string
}

export const withServer = (command: Command, scope = 'admin'): Command =>
  command
    .option('--server <url>', 'ask a server that is running, in place of its database')
    .option('--key <key>', `a key with the scope "${scope}", for --server; also THROUGHLINE_KEY`)

/**
 * Asks a server that is running, by its API. A body is sent as JSON, a Blob as it is. What is not there to be deleted is an answer,
 * other failures are errors.
 */
export function askServer(server: string, key = process.env.THROUGHLINE_KEY, under = '') {
  const base = `${server.replace(/\/+$/, '')}/throughline/v1${under}`
  return async (method: string, path = '', body?: unknown): Promise<Response> => {
    let response: Response
    try {
      response = await fetch(`${base}${path}`, {
        method,
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...(key && { authorization: `Bearer ${key}` }),
        },
        body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
      })
    } catch (error) {
      const { message, cause } = error as Error
      throw new UserError(
        `cannot reach ${server}: ${cause instanceof Error ? cause.message : message}`,
      )
    }
    if (response.status === 202) printError(residueNote)
    if (response.ok || (method === 'DELETE' && response.status === 404)) return response
    const { error } = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
    throw new UserError(`the server at ${server} says: ${error?.message ?? response.status}`)
  }
}
