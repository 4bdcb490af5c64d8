import type { Fate } from '../log/fate-text.ts'

export interface Colours {
  readonly ground: string
  readonly panel: string
  readonly line: string
  readonly dotted: string
  readonly text: string
  readonly second: string
  readonly third: string
  readonly onRibbon: string
  readonly marked: string
  readonly danger: string
  readonly dangerText: string
  readonly bar: string
  readonly fates: Readonly<Record<Fate, string>>
}

/** The colours of the page, as a picture is seen where its style sheet is not. */
export const colours: Readonly<Record<'light' | 'dark', Colours>> = {
  light: {
    ground: '#f7f8fa',
    panel: '#ffffff',
    line: '#e5e8ed',
    dotted: '#8c95a3',
    text: '#14171c',
    second: '#474e5a',
    third: '#5f6774',
    onRibbon: '#ffffff',
    marked: '#1f4fb8',
    danger: '#c4320a',
    dangerText: '#b42318',
    bar: '#c6ccd5',
    fates: {
      kept: '#2e62e8',
      altered: '#149bd6',
      cleared: '#816a57',
      digested: '#8c1d78',
      recalled: '#d47e00',
      moved: '#5a4a08',
      omitted: '#c6ccd5',
    },
  },
  dark: {
    ground: '#0b0d11',
    panel: '#111419',
    line: '#22272f',
    dotted: '#6f7988',
    text: '#eceff4',
    second: '#aeb6c2',
    third: '#8a93a1',
    onRibbon: '#0b0d11',
    marked: '#93b0ff',
    danger: '#ff6b57',
    dangerText: '#ff9a8d',
    bar: '#414955',
    fates: {
      kept: '#4f7dff',
      altered: '#6de3fa',
      cleared: '#ac9c83',
      digested: '#b061a3',
      recalled: '#ffa733',
      moved: '#dce79e',
      omitted: '#414955',
    },
  },
}
