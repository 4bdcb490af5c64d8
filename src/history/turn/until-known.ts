/** How often a write is repeated. */
const attempts = 3

/**
 * Repeats a write whose answer from the store got lost. The ids are the same, so the store does not write twice.
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
