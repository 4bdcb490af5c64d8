export const Fact = ({
  name,
  children,
}: {
  readonly name: string
  readonly children: React.ReactNode
}) => (
  <div className="grid">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
