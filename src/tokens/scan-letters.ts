import { isLower, isUpper, type Scan } from './scan.ts'

/** The price of the word at this place: small letters with or without a capital before them, or a run of capitals. */
export function scanLetters(scan: Scan, first: number): number {
  const { text, at } = scan
  const opens = !scan.spaced && scan.before === 'newline'
  scan.spaced = false
  scan.before = 'letter'
  let end = at + 1
  if (!isLower(first)) {
    while (isUpper(text.charCodeAt(end))) end++
    if (end > at + 1 || !isLower(text.charCodeAt(end))) return capitals(scan, end)
  }
  let letter = letterNumber(first)
  let word = letter
  let price = (isLower(first) ? 0.1 : 0.32) + pairs[letter]!
  for (let code = text.charCodeAt(end); isLower(code); code = text.charCodeAt(++end)) {
    const next = letterNumber(code)
    if (next === letter && repeats(text, end, at)) price += 0.45
    // Vocabularies have no words of more than 20 letters: `thiswaswrittenwithoutblanks`.
    else price += pairs[letter * 28 + next]! + (end > at + 20 ? 0.12 : 0)
    letter = next
    word = end < at + 4 ? word * 28 + next : 0
  }
  price += pairs[letter * 28]!
  scan.at = end
  scan.doubt += 0.1
  // Vocabularies have fewer words without a blank before them.
  const one = opens ? 1.1 : 1
  if (price > 1) {
    scan.doubt += price - 1
    scan.rare = Math.min(4, scan.rare + price - 1)
    return one + 1.11 * (price - 1)
  }
  return commonEnglish.has(word) ? one - takeBack(scan) : one
}

/**
 * Common short English words lower the price of the rare words before them, as tokenizers know English better than the
 * languages that the prices were fitted to. Every word still costs at least a token.
 */
function takeBack(scan: Scan): number {
  const back = Math.min(0.7, scan.rare)
  scan.rare -= back
  return back
}

function capitals(scan: Scan, end: number): number {
  const { text, at } = scan
  let price = 0.1
  let extra = 0
  let previous = 0
  for (let i = at; i < end; i++) {
    const letter = letterNumber(text.charCodeAt(i))
    if (letter === previous && repeats(text, i, at)) extra += 0.5
    else price += pairs[previous * 28 + letter]!
    if (letter === 27) extra += 1.3
    previous = letter
  }
  price = Math.max(1, price + pairs[previous * 28]!)
  scan.at = end
  scan.doubt += price
  return extra + 0.84 * price + 0.14 * (end - at)
}

/** `aaaa`: from the third equal letter on a fixed price holds, as pairs would price it like a word. */
function repeats(text: string, at: number, start: number): boolean {
  const code = text.charCodeAt(at)
  return at > start + 1 && code === text.charCodeAt(at - 1) && code === text.charCodeAt(at - 2)
}

/** 1 to 26 for a to z, 27 for the other Latin letters. */
function letterNumber(code: number): number {
  return code < 128 ? code & 31 : 27
}

/**
 * The price that a pair of neighbouring letters adds to a word, one character for each pair: `(code - 64) / 32` of a token.
 * Rows are the first letter, columns the second: 0 the edge of the word, 1 to 26 a to z, 27 any other Latin letter.
 *
 * Common pairs (`th`, `in`) are nearly free, rare ones (`qz`) cost nearly a token: known words come out cheap and random
 * letters dear, without a vocabulary. Fitted by least squares to the larger count of o200k and cl100k over 75,000 words
 * of ten languages, of code and of random letters.
 */
const letterPairs =
  '@CEC@IEGEGHHGDJICOFAEHKAPJKVLcDEHaNCRDOM?HHWIbEHAJHOLDOR' +
  'FF[V]IXdTM?[<VbFa`JHWEY[]K]ZDE`KeAV^GFT>E__D]YDR>DS]dLRL' +
  ';KWYKHSOZJLSMQWJV[JEXHQU^RQ]@@PGALFJZPTYGGFQFFCEKUHE:QW]' +
  'HG[`_DLS`Bd[HQUC]WEUFK]^_K_SDM]T]ESU9Gb]KHJId`GTTK]b[SLZ' +
  'DGS^]F]^_E^ZZMCD]ZN_HNX[^SU]RGFAGKEH[^PUEGA<APNIDWHTPiJP' +
  'ND[YYK_dZPTQe]UI]U^PaMWdcjdVFPYWTFRKTM[V]Y@X]ZcOUKZS_aZW' +
  '?GTTJGF^]G^THZNFJ]YLMJMT^<eVHGCZ[DTY_I`YQCTEDZZJ]Nab]IYX' +
  'DJY@CJL=SKKJSUNHP_aD@MHQUVVSMJKMHWFFTMLGJE?BGc@PGFIAKJHT' +
  'GG]UDE_J>MaYAH[EGZBKHM]]]PZWQ^Z]bdbaZX^bR[_b]KP]T<[[Wdae' +
  'BGNJHDJG]FdNWGDEEPKGGOFPWBUU>P^J[IMYBIdLQRQHEGO>DJ]JKHZT' +
  '@JSKWHRR:BcPPSWG?^EGNKeGTDXROFHIIJOHXFYYA?EVDaCDEdXdJ_S[' +
  'QCXY`>UT^FVUXZaF[aXXaWZV^[`]FIWWQEWZMI][N[HF^aKDb[^[^X]W' +
  'HNSMXLSh]TZ_YA^YGX^TOXU`SX]e9QZQ]Rg^cPWaOIL@NYTFPT`O]aV]' +
  'OPW`XJa]XJdY]YTX``h]VRYU]UGYRR]P]ZUYb_VWX[NF`kW[Xf^S8UXN'

const pairs = /* @__PURE__ */ Float64Array.from(letterPairs, pair => (pair.charCodeAt(0) - 64) / 32)

const commonEnglish = /* @__PURE__ */ new Set(
  'the of and to you that is it are was with have be'
    .split(' ')
    .map(word => [...word].reduce((number, letter) => number * 28 + letterNumber(letter.charCodeAt(0)), 0)),
)
