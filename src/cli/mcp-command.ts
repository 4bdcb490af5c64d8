import { existsSync } from 'node:fs'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Command } from 'commander'
import { createMcpServer } from '../mcp/create-mcp-server.ts'
import { manifest } from '../server/package.ts'
import { isPostgres, readHistory } from './open-log.ts'
import { UserError } from './print.ts'
import { stopSignal } from './stop-signal.ts'

interface McpFlags {
  readonly db: string
  readonly store?: string
  readonly tenant: string
}

/** `throughline mcp`: lets an agent search, read and explain a log, over its standard input and output. */
export function mcpCommand(command: Command): void {
  command
    .option('--db <path>', 'an SQLite file; a server may be writing to it', 'throughline.db')
    .option('--store <url>', 'a PostgreSQL database instead: postgres://…')
    .option('--tenant <name>', 'whose conversations', 'default')
    .action(async ({ db, store, tenant }: McpFlags) => {
      const place = store ?? db
      if (store !== undefined && !isPostgres(store))
        throw new UserError('--store takes the URL of a PostgreSQL database; --db takes a file')
      if (!isPostgres(place) && !existsSync(place))
        throw new UserError(`there is no database ${place}: say where it is with --db`)
      await readHistory({ db: place, tenant }, async history => {
        // Who can start this command can read the file: nothing is hidden from him but by the tools themselves.
        const server = createMcpServer({ history, version: manifest.version, mayInspect: true })
        const left = new Promise<void>(resolve => process.stdin.once('end', resolve).once('close', resolve))
        await server.connect(new StdioServerTransport())
        await Promise.race([left, stopSignal()])
        await server.close()
      })
    })
}
