/** The exhaustive part was asked for: `npm run test:long`. */
export const isLong = process.env.THROUGHLINE_LONG === '1'
