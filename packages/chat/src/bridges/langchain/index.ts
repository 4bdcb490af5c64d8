export type { AddedMessage, LangChainMessage } from '@throughline/models/langchain'
export { type FitLangChainOptions, fitLangChain, type LangChainContext } from './fit-lang-chain.ts'
