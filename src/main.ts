#!/usr/bin/env node
import { runProgram } from './cli/run-program.ts'
import { experimentPlug } from './experiment/plug/command-plug.ts'
import { lemonadeStand } from './lemonade-stand.ts'

await runProgram([experimentPlug(lemonadeStand)])
