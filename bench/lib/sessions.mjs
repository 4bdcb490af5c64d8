/** The pause between two sessions: see conversations.mjs. */
const pause = 30 * 60 * 1000

/** Where the sessions of a conversation begin and end. */
export function sessionsOf(turns) {
  const sessions = []
  for (const [at, { time }] of turns.entries()) {
    if (at === 0 || time - turns[at - 1].time > pause) sessions.push({ from: at, to: at })
    sessions.at(-1).to = at + 1
  }
  return sessions
}
