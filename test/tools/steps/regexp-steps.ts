import { characterAt, type Instruction, type Program, toProgram } from './regexp-program.ts'

/** What a pattern found in a text, and in how many steps. */
export interface CountedMatch {
  readonly steps: number
  /** The place of the match; absent where there is none. */
  readonly from?: number
  readonly to?: number
}

/**
 * Matches as JavaScript's engine does, by going back, and counts: a look at a character, a fork and a return to a fork are one
 * step each. The engine itself tells nobody how far it went back.
 */
export function regexpSteps(pattern: RegExp, text: string, start: number): CountedMatch {
  const program = programOf(pattern)
  const run: Run = { text, isWide: program.isWide, steps: 0 }
  let from = start
  // A pattern with the flag "u" does not begin inside a character of two code units.
  if (program.isWide && characterAt(text, start - 1, false, true).length === 2) from -= 1
  while (from <= text.length) {
    const to = execute(program.instructions, run, from, new Array<number>(program.slots).fill(-1))
    if (to >= 0) return { steps: run.steps, from, to }
    if (pattern.sticky || program.isAnchored) break
    from += characterAt(text, from, false, program.isWide).length || 1
  }
  return { steps: run.steps }
}

interface Run {
  readonly text: string
  readonly isWide: boolean
  steps: number
}

const known = new Map<string, Program>()

function programOf(pattern: RegExp): Program {
  const key = `${pattern.flags}/${pattern.source}`
  const program = known.get(key) ?? toProgram(pattern)
  known.set(key, program)
  return program
}

/** The engine's own: the counting one is put in its place while work is counted. */
const exec = RegExp.prototype.exec

/** Where the match that begins at `start` ends; -1 where there is none. */
function execute(
  program: readonly Instruction[],
  run: Run,
  start: number,
  slots: number[],
): number {
  const { text, isWide } = run
  // Pairs: a fork's other way and its place in the text, or -1 - slot and the value to put back there.
  const back: number[] = []
  let next = 0
  let at = start
  for (;;) {
    const one = program[next]!
    run.steps += 1
    next += 1
    let fits = true
    switch (one.do) {
      case 'look at': {
        const character = characterAt(text, at, one.isBack, isWide)
        fits = character !== '' && one.fits(character)
        at += one.isBack ? -character.length : character.length
        break
      }
      case 'fork':
        back.push(one.otherwise, at)
        next = one.first
        break
      case 'jump':
        next = one.to
        break
      case 'remember':
        back.push(-1 - one.slot, slots[one.slot]!)
        slots[one.slot] = at
        break
      case 'have moved':
        fits = slots[one.slot] !== at
        break
      case 'assert':
        one.pattern.lastIndex = at
        fits = exec.call(one.pattern, text) !== null
        break
      case 'look around':
        fits = execute(one.program, run, at, slots) >= 0 !== one.isNot
        break
      case 'say again': {
        const [from, to] = [slots[one.slot]!, slots[one.slot + 1]!]
        const said = to < 0 ? '' : text.slice(Math.min(from, to), Math.max(from, to))
        run.steps += said.length
        if (one.isBack) at -= said.length
        fits = text.slice(at, at + said.length) === said
        if (!one.isBack) at += said.length
        break
      }
      case 'match':
        return at
    }
    while (!fits) {
      run.steps += 1
      if (back.length === 0) return -1
      const value = back.pop()!
      const place = back.pop()!
      fits = place >= 0
      if (!fits) slots[-1 - place] = value
      else {
        next = place
        at = value
      }
    }
  }
}
