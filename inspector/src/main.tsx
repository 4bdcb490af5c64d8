import './tokens.css'
import './base.css'
import './words/layout.css'
import './words/text.css'
import './words/looks.css'
import './words/pieces.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
