import type { Command } from 'commander'
import { adderFor } from '../log/open-log.ts'
import { addLookCommands } from './look-commands.ts'
import { addStartCommands } from './start-commands.ts'
import { addWishCommands } from './wish-commands.ts'

/** `throughline experiment …`: runs, shows, pauses and stops experiments. */
export function addExperimentCommand(program: Command): void {
  const experiment = program
    .command('experiment')
    .description('run an experiment plan, and look after it: run, resume, list, show, history, pause, stop')
  const add = adderFor(experiment, 'whose experiments')
  addStartCommands(add)
  addLookCommands(add)
  addWishCommands(add)
}
