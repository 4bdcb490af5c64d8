/** Every number of the ranking. Round values: each may move by a third without changing the figures by a point. */
export const ranking = {
  /** BM25: how soon a repeated term stops counting, and how much length matters. */
  saturation: 1.2,
  lengthShare: 0.5,
  /** What a common word counts. */
  common: 0.5,
  /** What a neighbour's score adds, and that of the one beyond: an answer stands beside its question. */
  beside: 0.4,
  beyond: 0.15,
  /** What the session's score adds (the mean of its three best): a hit among hits is worth more. */
  session: 0.6,
  /** What it adds to the first entry of a short session, which says what the session is about. */
  opener: 1.3,
  openerSize: 10,
  /** Terms that recur in the best sessions are asked for too: they link the sessions of one matter. */
  feedback: 0.3,
  feedbackSessions: 5,
  feedbackTerms: 20,
  feedbackRarity: 0.1,
  feedbackSize: 30,
  /** How much more the newest session counts, and over how many sessions that fades. */
  recency: 0.6,
  recencySessions: 40,
  /** Up to half more for an entry that brought new words into the conversation. */
  firstMention: 0.5,
  /** For "always …", "I prefer …": what is to hold from then on. */
  instruction: 1.5,
  /** Scores are divided by tokens to this power: a long entry must earn its place. */
  length: 0.35,
  /** Scores are integers of this fraction: logarithms differ in the last bit between engines, integers do not. */
  unit: 1024,
} as const
