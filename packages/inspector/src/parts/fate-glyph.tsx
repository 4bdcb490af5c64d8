import type { Fate } from './fates.ts'

/** The shape of a fate: beside its colour, so that it is told without colours too. */
export function FateGlyph({ fate, size = 12 }: { readonly fate: Fate; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes[fate]}
    </svg>
  )
}

const shapes: Readonly<Record<Fate, React.ReactNode>> = {
  kept: <circle cx="6" cy="6" r="4" fill="currentColor" stroke="none" />,
  recalled: (
    <path d="M4.5 2 1.7 4.8l2.8 2.8M1.7 4.8h5a3.4 3.4 0 0 1 3.4 3.4v1.9" strokeWidth="1.8" />
  ),
  cleared: <path d="M1.5 6h9" strokeWidth="2.4" />,
  digested: <path d="M1.5 2.5h9M1.5 6h7M1.5 9.5h4.5" strokeWidth="1.9" />,
  altered: (
    <>
      <circle cx="6" cy="6" r="4.2" />
      <path d="M6 1.8a4.2 4.2 0 0 1 0 8.4Z" fill="currentColor" stroke="none" />
    </>
  ),
  moved: <path d="M1 6h6.5M4.8 3.2 7.6 6 4.8 8.8M10.4 1.8v8.4" />,
  omitted: (
    <circle
      cx="6"
      cy="6"
      r="4.3"
      strokeWidth="1.5"
      strokeLinecap="butt"
      strokeDasharray="2.1 1.28"
    />
  ),
}
