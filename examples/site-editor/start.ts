/** Starts the whole application: the agent, the preview and the page. */
import { type AgentOptions, createAgent } from './agent.ts'
import { createEditor } from './editor.ts'
import { servePage } from './serve-page.ts'
import { servePreview } from './serve-preview.ts'

export interface StartOptions extends AgentOptions {
  /** 0: any that is free. */
  readonly port?: number
  readonly previewPort?: number
}

export interface Started {
  readonly url: string
  readonly preview: string
  /** Ends a running turn, then everything else. */
  stop(): Promise<void>
}

export async function start({
  port = 0,
  previewPort = 0,
  ...options
}: StartOptions): Promise<Started> {
  const agent = await createAgent(options)
  const editor = await createEditor(agent)
  let framedBy: readonly string[] = ["'none'"]
  const previewServer = await servePreview(agent.site, {
    port: previewPort,
    framedBy: () => framedBy,
  })
  const preview = `http://127.0.0.1:${previewServer.port}`
  const page = await servePage(editor, { port, preview })
  framedBy = [`http://127.0.0.1:${page.port}`, `http://localhost:${page.port}`]
  return {
    url: `http://127.0.0.1:${page.port}`,
    preview,
    async stop() {
      await editor.close()
      await page.close()
      await previewServer.close()
    },
  }
}
