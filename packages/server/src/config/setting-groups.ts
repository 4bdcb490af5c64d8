import type { PlugSettings, SettingName } from './config-schema.ts'

/** How `serve --help` orders the settings: first those that most servers need. */
export const settingGroups = {
  'Most used': ['upstream', 'upstreamKey', 'window', 'shadow', 'db', 'host', 'port', 'requireKeys'],
  'Model servers': ['upstreamKind', 'upstreams', 'ollamaHost', 'responses', 'sideModel'],
  'What is sent': [
    'policy',
    'effort',
    'reserve',
    'overflow',
    'maxToolTokens',
    'notes',
    'steadyPrompt',
    'readMessages',
    'advertisedWindow',
  ],
  'What is brought back': ['remember', 'person', 'embedModel', 'embedHost', 'states'],
  'Speed and cost': ['readAhead', 'slots', 'cacheMarks', 'price'],
  'Who may ask': ['apiKeys', 'allowedHosts', 'allowedOrigins', 'manage'],
  'What is kept': [
    'memory',
    'distribute',
    'onStoreFault',
    'keepFor',
    'keepCallsFor',
    'sideTime',
    'leaseTime',
  ],
  'Page and log': ['inspector', 'logNames', 'logLevel'],
  Limits: ['maxBody', 'maxEntry', 'maxReply', 'maxDepth', 'maxMessages', 'maxStreams'],
  Times: [
    'requestTimeout',
    'connectTimeout',
    'firstTimeout',
    'silenceTimeout',
    'storeTimeout',
    'keepAlive',
    'unreadTimeout',
    'lingerTime',
    'shutdownTimeout',
  ],
} as const satisfies Readonly<Record<string, readonly SettingName[]>>

/** The groups with those of plugs in one more. */
export const groupsWith = (plugged: PlugSettings): Readonly<Record<string, readonly string[]>> => ({
  ...settingGroups,
  ...(Object.keys(plugged).length > 0 && { 'Added by packages': Object.keys(plugged) }),
})

type Grouped = (typeof settingGroups)[keyof typeof settingGroups][number]

/** Compiles only where every setting has a group: the error names the one that has none. */
export type EverySettingHasAGroup = AllGrouped<Exclude<SettingName, Grouped>>
type AllGrouped<Missing extends never> = Missing
