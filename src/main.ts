#!/usr/bin/env node
import { applications } from './applications/applications.ts'
import { runProgram } from './cli/run-program.ts'
import { experimentPlug } from './experiment/plug/command-plug.ts'
import { galleryPlug } from './gallery/command-plug.ts'
import { lemonadeStand } from './lemonade-stand.ts'

await runProgram([experimentPlug(lemonadeStand), galleryPlug(applications)])
