// Says why a context is as it is: receipts, dumps, answers to `why`.
export { type Dumpable, dump } from '../context/dump.ts'
export { entryAt, explain, type Paint, receiptTable } from '../context/explain.ts'
export { countFates, keptVerdict } from '../context/make-receipt.ts'
export {
  type ChangingLines,
  type Part,
  parts,
  type Receipt,
  type ReceiptCut,
  type ReceiptStretch,
  type Remembered,
  type SentMessage,
} from '../context/receipt.ts'
export { type Why, whyConversation } from '../context/why/why-conversation.ts'
export { type AskedText, termPlaces } from '../context/why/why-recall.ts'
