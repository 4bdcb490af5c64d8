import { type SettingName, settingNames } from './config-schema.ts'

/** `--upstream-key` */
export const flagOf = (name: string) => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`

/** `THROUGHLINE_UPSTREAM_KEY` */
export const variableOf = (name: string) =>
  `${prefix}${name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`

export const prefix = 'THROUGHLINE_'

export function isSetting(name: string): name is SettingName {
  return (settingNames as readonly string[]).includes(name)
}
