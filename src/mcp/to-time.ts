/** A time as a person writes it: `2026-11-15 16:10`. */
export const toTime = (time: number) => new Date(time).toISOString().slice(0, 16).replace('T', ' ')
