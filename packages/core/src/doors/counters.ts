// Counters of tokens, and what the reports of calls teach about them.
export { calibrate, looksTruncated, raisedTo, withReply } from '../tokens/calibrate.ts'
export { checkedCounter, createCounter, type TokenCounter } from '../tokens/create-counter.ts'
export { estimate } from '../tokens/estimate.ts'
export { exactCounters } from '../tokens/exact-counters.ts'
export { framingFor } from '../tokens/framings.ts'
export { likelyReply, replyReserve } from '../tokens/reply-reserve.ts'
export { words } from '../tokens/words.ts'
