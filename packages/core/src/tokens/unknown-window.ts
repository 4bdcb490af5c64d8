/** Stands for a window that is not known: no prompt is as long, so nothing is cut. It is shown in words, never as a number. */
export const unknownWindow = 2 ** 40

export const isUnknownWindow = (window: number): boolean => window === unknownWindow

/** A window as it is shown: absent while it is unknown. */
export const shownWindow = (window: number): number | undefined =>
  isUnknownWindow(window) ? undefined : window

export const unknownWindowWords = 'window unknown: nothing is cut'
