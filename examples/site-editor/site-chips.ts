import { chipsFor, chipsIn } from '../shared/understanding.ts'
import { type SiteState, siteUnderstanding } from './understand.ts'

/** The chips of the page: those of the last answer, if it asked back; else what the site has come to. */
export function siteChips(state: SiteState, lastAnswer = ''): readonly string[] {
  const asked = chipsIn(lastAnswer)
  return asked.length > 0 ? asked : chipsFor(siteUnderstanding, state)
}
