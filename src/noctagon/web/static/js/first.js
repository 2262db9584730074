// Before anything is drawn: the theme that was chosen, so that a dark room stays dark.
try {
  const theme = localStorage.getItem("noctagon.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // nothing was stored
}
