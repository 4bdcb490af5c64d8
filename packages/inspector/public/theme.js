// Before the first paint, so that a page in another theme than the system's does not flash.
{
  const theme = localStorage.getItem('throughline.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
}
