export * from '../../log/to-content.ts'
