// Messages of LangChain, read and written.
export { fromLangChain, type LangChainMessage } from '../dialects/langchain/read-message.ts'
export { type AddedMessage, toLangChain } from '../dialects/langchain/write-message.ts'
