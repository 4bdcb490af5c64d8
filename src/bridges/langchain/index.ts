export type { LangChainMessage } from '../../models/dialects/langchain/read-message.ts'
export type { AddedMessage } from '../../models/dialects/langchain/write-message.ts'
export { type FitLangChainOptions, fitLangChain, type LangChainContext } from './fit-lang-chain.ts'
