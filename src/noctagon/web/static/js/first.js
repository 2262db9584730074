// The chosen theme, set before the first paint, so that a dark page never flashes white.
try {
  const theme = localStorage.getItem("noctagon.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // nothing was stored
}
