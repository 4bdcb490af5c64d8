/** So often an answer that got lost is asked for again. */
const attempts = 3

/**
 * An answer that got lost is asked for again. The entries are the same, with the same ids: what was written is not
 * written twice.
 */
export async function untilKnown<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if ((error as { code?: string }).code !== 'outcome_unknown' || attempt >= attempts) throw error
    }
  }
}
