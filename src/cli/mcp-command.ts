import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { isPostgres, readHistory } from './open-log.ts'
import { UserError } from './print.ts'
import { stopSignal } from './stop-signal.ts'

interface McpFlags {
  readonly db: string
  readonly store?: string
  readonly tenant: string
}

/** `throughline mcp`: lets an agent search, read and explain a log, over its standard input and output. */
export function mcpCommand(version: string): Command {
  return new Command('mcp')
    .description('let an agent search and read the log, over the Model Context Protocol')
    .option('--db <path>', 'an SQLite file; a server may be writing to it', 'throughline.db')
    .option('--store <url>', 'a PostgreSQL database instead: postgres://…')
    .option('--tenant <name>', 'whose conversations', 'default')
    .action(async ({ db, store, tenant }: McpFlags) => {
      const place = store ?? db
      if (store !== undefined && !isPostgres(store))
        throw new UserError('--store takes the URL of a PostgreSQL database; --db takes a file')
      if (!isPostgres(place) && !existsSync(place))
        throw new UserError(`there is no database ${place}: say where it is with --db`)
      // Loaded only here, so that other commands start faster.
      const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
      const { createMcpServer } = await import('../mcp/create-mcp-server.ts')
      await readHistory({ db: place, tenant }, async history => {
        // Who can start this command can read the file: nothing is hidden from him but by the tools themselves.
        const server = createMcpServer({ history, version, mayInspect: true })
        const left = new Promise<void>(resolve => process.stdin.once('end', resolve).once('close', resolve))
        await server.connect(new StdioServerTransport())
        await Promise.race([left, stopSignal()])
        await server.close()
      })
    })
}
