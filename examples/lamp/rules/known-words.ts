import { courtesies } from '../../shared/understanding.ts'
import {
  articles,
  changes,
  comparatives,
  makers,
  measures,
  newThings,
  openings,
  references,
} from '../follow-up-words.ts'
import { sceneIn } from './scenes.ts'
import { coloursIn, levelIn, paceIn, patternIn } from './words.ts'

/** Words that stand in requests of every kind. */
const common: readonly string[] =
  `the of to at on from by for my our your is are be was lamp light lights leds all both each every everything whole thing things one ones step
  steps part parts scene program colour color colours colors speed brightness loop times time last lasts lasting second seconds minute minutes
  ms s sec min forever ever endlessly end start beginning first third fourth fifth sixth seventh eighth ninth tenth half much lot very really
  northern night sky traffic police happy face tree camp christmas into until after before behind between through over way down up out off
  again word words text letter letters me us i we who he she der die das den dem des im am auf für von zum zur und schritt sekunde sekunden mal alles
  ist sein le la les de du des au aux et pour étape seconde secondes fois tout sur el los las de para con paso segundos todo`.split(
    /\s+/,
  )

const known: ReadonlySet<string> = new Set([
  ...common,
  ...[...newThings, ...makers, ...openings, ...changes].flatMap(phrase => phrase.split(' ')),
  ...[references, comparatives, measures, articles, courtesies].flatMap(list => [...list]),
])

/** How many words of a request the rules do not know. What they do not know may change what the others mean. */
export function unknownWords(words: readonly string[]): number {
  return words.filter(word => !known.has(word) && !/^#?\d/.test(word) && !isMeant(word)).length
}

const isMeant = (word: string) =>
  sceneIn(word) ||
  patternIn(word) ||
  coloursIn(word)[0] ||
  paceIn(word) !== 1 ||
  levelIn(word) !== 1
