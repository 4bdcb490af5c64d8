export {
  type AddedMessage,
  type FitLangChainOptions,
  fitLangChain,
  type LangChainContext,
} from './fit-lang-chain.ts'
export type { LangChainMessage } from './from-lang-chain.ts'
