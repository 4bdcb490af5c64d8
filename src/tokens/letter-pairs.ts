/**
 * The price that a pair of neighbouring letters adds to a word, one character for each pair: `(code - 64) / 32` of a token.
 * Rows are the first letter, columns the second: 0 the edge of the word, 1 to 26 a to z, 27 any other Latin letter.
 *
 * Common pairs (`th`, `in`) are nearly free, rare ones (`qz`) cost nearly a token: known words come out cheap and random
 * letters dear, without a vocabulary. Fitted by least squares to the larger count of o200k and cl100k over 75,000 words
 * of ten languages, of code and of random letters.
 */
export const letterPairs =
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
