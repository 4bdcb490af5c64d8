/** A line through a row of strokes. */
export function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 24 24" fill="none" strokeLinecap="round" aria-hidden="true">
      <path d="M5 8v9M9.5 6v9M14.5 8v9M19 6v9" stroke="var(--line-3)" strokeWidth="1.6" />
      <path d="M2.5 15c4 0 4.5-5 9-5s5 2 10 0" stroke="currentColor" strokeWidth="2.2" />
    </svg>
  )
}
