export {
  type AddedMessage,
  type FitLangChainOptions,
  fitLangChain,
  type LangChainContext,
  type LangChainMessage,
} from './fit-lang-chain.ts'
