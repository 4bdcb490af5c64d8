/**
 * What `npm test` leaves to `npm run test:ci`: tests that need a browser, other programs or many processes, and those that take longest.
 * A contributor who changes one of these parts runs its file by name.
 */
export const ciOnly = [
  'packages/inspector/test/',
  'test/examples/',
  'packages/history/test/crash/',
  'test/tabs/two-tabs.test.ts',
  'test/(additions|cli-experiment|deleted-traces|examples|import-stops|package|purity|run-example).test.ts',
  'packages/experiment/test/(kill|leases|many).test.ts',
  'packages/history/test/embed/embed-purity.test.ts',
  'packages/chat/test/long-conversation.test.ts',
  'packages/server/test/(clients|identity-fuzz|known-clients|pauses|program-runs|serve|slow-database|stopped|stopped-database|ten-prompts|words-for-people).test.ts',
  'packages/server/test/native/(cost|frameworks|fuzz).test.ts',
  'packages/history/src/long-(thread|turn).test.ts',
  'packages/stores/src/sqlite/sqlite-process.test.ts',
] as const

const isCiOnly = (file: string) => ciOnly.some(pattern => new RegExp(`^${pattern}`).test(file))

/** `contributor`: what everybody runs. `ci`: the rest of it. `all`: both, in the long run and where files are named. */
export type Tier = 'contributor' | 'ci' | 'all'

export function tierOf(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): Tier {
  if (env.THROUGHLINE_LONG === '1' || args.some(arg => /^(?:src|packages|test)\b/.test(arg)))
    return 'all'
  return env.TEST_TIER === 'ci' ? 'ci' : 'contributor'
}

export const isInTier = (tier: Tier, file: string): boolean =>
  tier === 'all' || isCiOnly(file) === (tier === 'ci')
