export type { LangChainMessage } from '@throughline/models/dialects/langchain/read-message'
export type { AddedMessage } from '@throughline/models/dialects/langchain/write-message'
export { type FitLangChainOptions, fitLangChain, type LangChainContext } from './fit-lang-chain.ts'
