import type { Application } from '@throughline/gallery/application'

/** The applications of the gallery: examples of the package, each shown by a file of this folder. */
export const applications: readonly Application[] = [
  {
    name: 'lamp',
    title: 'Lamp',
    about: 'Say what it should do, then what should be different.',
    problem:
      'A small model with a window of 4,096 tokens: older exchanges travel as one line each.',
    code: () => import('./lamp.ts'),
  },
  {
    name: 'site-editor',
    title: 'Site editor',
    about: 'It changes a small site, and leaves notes to itself.',
    problem:
      'An agent that forgets what it did: its notes travel in the next prompt, and no user sees them.',
    code: () => import('./site-editor.ts'),
  },
  {
    name: 'ab-agent',
    title: 'A/B agent',
    about: 'It plans a test of a page, and creates nothing without a whole yes.',
    problem:
      'A stateless backend: two instances that keep nothing find all that they need in the log.',
    code: () => import('./ab-agent.ts'),
  },
  {
    name: 'proxy',
    title: 'Ollama proxy',
    about: 'One question about a long chat, three ways to cut it.',
    problem:
      'A server that drops the oldest messages in silence: see which way still has the answer.',
    code: () => import('./proxy.ts'),
  },
]
