// Every number of the ranking. Round values: each may move by a third without changing the figures by a point.

/** BM25: how soon a repeated term stops counting, and how much length matters. */
export const saturation = 1.2
export const lengthShare = 0.5
/** The weight of a neighbour's score, and of the next one's: an answer stands beside its question. */
export const beside = 0.4
export const beyond = 0.15
/** The weight of the session's score (the mean of its three best): a hit among hits is worth more. */
export const session = 0.6
/** The same weight for the first entry of a short session, which says what the session is about. */
export const opener = 1.3
export const openerSize = 10
/** The weight of terms that recur in the best sessions: they link the sessions of one matter. */
export const feedback = 0.3
export const feedbackSessions = 5
export const feedbackTerms = 20
export const feedbackRarity = 0.1
export const feedbackSize = 30
/** How much more the newest session counts, and over how many sessions that fades. */
export const recency = 0.6
export const recencySessions = 40
/** Up to half more for an entry that brought new words into the conversation. */
export const firstMention = 0.5
/** The factor for lasting wishes: "always …", "I prefer …". */
export const instruction = 1.5
/** The weight of words with which people steer a talk: they say little of what it is about. */
export const talk = 0.5
/** Scores are divided by tokens to this power: a long entry must earn its place. */
export const length = 0.35
/** Scores are integers of this fraction: logarithms differ in the last bit between engines, integers do not. */
export const unit = 1024

/** How much of a long conversation is read for one message. */
export const limits = {
  /** The most postings for the words of the message. */
  postings: 2 ** 15,
  /** The most postings for the terms that recur in its best sessions. */
  related: 2 ** 12,
  /** Sessions are looked into, the best ones first, until they have this many entries. */
  entries: 2 ** 11,
  /** The sessions of this many newest entries are always searched, to compare old with new; for a part, as many of its best. */
  newest: 256,
}

export type RankLimits = Readonly<typeof limits>
