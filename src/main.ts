#!/usr/bin/env node
import { experimentPlug } from '@throughline/experiment/plug/command-plug'
import { galleryPlug } from '@throughline/gallery/command-plug'
import { runProgram } from '@throughline/server/cli/run-program'
import { applications } from './applications/applications.ts'
import { lemonadeStand } from './lemonade-stand.ts'

await runProgram([experimentPlug(lemonadeStand), galleryPlug(applications)])
