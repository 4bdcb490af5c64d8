// Every number of the ranking. Round values: each may move by a third without changing the figures by a point.

/** BM25: how soon a repeated term stops counting, and how much length matters. */
export const saturation = 1.2
export const lengthShare = 0.5
/** What a common word counts. */
export const common = 0.5
/** What a neighbour's score adds, and that of the one beyond: an answer stands beside its question. */
export const beside = 0.4
export const beyond = 0.15
/** What the session's score adds (the mean of its three best): a hit among hits is worth more. */
export const session = 0.6
/** What it adds to the first entry of a short session, which says what the session is about. */
export const opener = 1.3
export const openerSize = 10
/** Terms that recur in the best sessions are asked for too: they link the sessions of one matter. */
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
/** For "always …", "I prefer …": what is to hold from then on. */
export const instruction = 1.5
/** Scores are divided by tokens to this power: a long entry must earn its place. */
export const length = 0.35
/** Scores are integers of this fraction: logarithms differ in the last bit between engines, integers do not. */
export const unit = 1024
