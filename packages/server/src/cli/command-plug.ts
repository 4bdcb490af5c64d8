import type { Command } from 'commander'
import type { ServerPlug } from '../api/route.ts'
import type { PlugSettings } from '../config/config-schema.ts'

/** A command's options and action are loaded when it is named, so that each starts without the code of the rest. */
type LoadCommand = () => Promise<(command: Command) => void>

export type Commands = Readonly<Record<string, readonly [description: string, LoadCommand]>>

/** What another package adds to the command line, and to the server that it starts. */
export interface CommandPlug {
  readonly commands: Commands
  /** Loaded with the command `serve`. */
  serve(): Promise<ServePlug>
}

export interface ServePlug {
  /** Settings of the server, each described by its schema. */
  readonly settings: PlugSettings
  /** Makes what is added to a server of these settings; undefined where they want nothing of it. */
  create(config: Readonly<Record<string, unknown>>): Promise<ServerPlug | undefined>
}
