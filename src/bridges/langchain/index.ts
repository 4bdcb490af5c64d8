export { type FitLangChainOptions, fitLangChain, type LangChainContext } from './fit-lang-chain.ts'
export type { AddedMessage, LangChainMessage } from './lang-chain-message.ts'
