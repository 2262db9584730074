// @ts-check
// A page's own style, loaded when the page is first opened.

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/** @param {string} name of a stylesheet beside page.css @returns {Promise<void>} when it is loaded, or cannot be loaded */
export function sheet(name) {
  let loading = sheets.get(name);
  if (!loading) {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = `/static/${name}.css`;
    loading = new Promise((done) => {
      link.addEventListener("load", () => done());
      link.addEventListener("error", () => {
        link.remove();
        sheets.delete(name); // it is asked for again when the page is next opened
        done();
      });
    });
    document.head.append(link);
    sheets.set(name, loading);
  }
  return loading;
}
