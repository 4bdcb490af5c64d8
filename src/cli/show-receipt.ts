import { type Paint, receiptTable } from '../context/explain.ts'
import type { Receipt } from '../context/receipt.ts'
import { blue, bold, cyan, dim, green, grey, magenta, red, type Style, yellow } from './style.ts'

const colours: Readonly<Record<Parameters<Paint>[0], number>> = {
  kept: green,
  altered: yellow,
  cleared: cyan,
  digested: cyan,
  recalled: magenta,
  moved: blue,
  omitted: grey,
  framing: grey,
  tools: blue,
  system: blue,
  changing: blue,
  first: green,
  marker: yellow,
  notes: yellow,
  digests: cyan,
  journal: cyan,
  recall: magenta,
  history: green,
  latest: red,
  head: bold,
  free: dim,
  over: red,
}

/** The table of `explain`, in colours where the terminal has them. */
export const showReceipt = (receipt: Receipt, style: Style): string =>
  receiptTable(receipt, (what, text) => style(colours[what], text))
