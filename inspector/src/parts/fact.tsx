export interface FactProps {
  readonly name: string
  readonly className?: string
  readonly children: React.ReactNode
}

/** A line of a list of facts. */
export const Fact = ({ name, className, children }: FactProps) => (
  <div className={className}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
