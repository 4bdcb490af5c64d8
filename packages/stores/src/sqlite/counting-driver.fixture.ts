import { loadDriver, type SqliteDriver } from './driver.ts'

/** What a store has committed. `fails`: whether the next commit does. */
export interface Commits {
  commits: number
  fails: boolean
}

/** The driver that is used here, and the commits that it makes. */
export function countingDriver(): { readonly driver: SqliteDriver; readonly state: Commits } {
  const state: Commits = { commits: 0, fails: false }
  class Counting extends loadDriver() {
    override prepare(sql: string) {
      const statement = super.prepare(sql)
      if (sql !== 'COMMIT') return statement
      return {
        ...statement,
        run() {
          state.commits += 1
          if (!state.fails) return statement.run()
          state.fails = false
          throw new Error('the disk is gone')
        },
      }
    }
  }
  return { driver: Counting as unknown as SqliteDriver, state }
}
