export interface FactProps {
  readonly name: string
  readonly className?: string
  readonly children: React.ReactNode
}

export const Fact = ({ name, className, children }: FactProps) => (
  <div className={className}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
