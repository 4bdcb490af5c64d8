import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Command } from 'commander'
import { createMcpServer } from '../mcp/create-mcp-server.ts'
import { manifest } from '../package.ts'
import { checkDatabase, type LogOptions, readHistory, withDatabase } from './open-log.ts'
import { stopSignal } from './stop-signal.ts'

/** `throughline mcp`: lets an agent search, read and explain a log, over its standard input and output. */
export function mcpCommand(command: Command): void {
  withDatabase(command)
    .option('--tenant <name>', 'whose conversations', 'default')
    .action(async (options: LogOptions) => {
      checkDatabase(options.db)
      await readHistory(options, async history => {
        // Who can start this command can read the file: nothing is hidden from him but by the tools themselves.
        const server = createMcpServer({ history, version: manifest.version, mayInspect: true })
        const left = new Promise<void>(resolve =>
          process.stdin.once('end', resolve).once('close', resolve),
        )
        await server.connect(new StdioServerTransport())
        await Promise.race([left, stopSignal()])
        await server.close()
      })
    })
}
